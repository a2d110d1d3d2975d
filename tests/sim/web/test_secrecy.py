"""The bytes that leave the table for one role depend only on facts that this role may know.

Robots play at the virtual table. Then the same acts are done at the same moments in another world,
in which the cards that nobody has shown are in other hands and at other places of the draw pile.
Every byte that leaves the table for everybody, or for the host, must be the same; and so must every
byte for a player's phone, if the cards that this player has ever held are in the same places.
"""

import re
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from engines.common.contract import Seat
from engines.common.pieces import Piece
from firmware.outlet.stream import ActRequest, Stream
from firmware.runtime.local_socket import LocalClient
from firmware.table.events import PhoneAct, PhoneCommand
from firmware.table.private_answers import PrivateAnswers
from sim.deal import requests, transitions
from sim.robots.games import styles_of
from tests.effort import long_unless, some
from tests.sim.web.test_seats import Table

PLAYERS = 3
TURNS = some(12_500)  # of the loop: a quarter of a minute of play, and half in CI
ASKS_EVERY = 50  # turns of the loop; then each player asks their phone what they can play
LEAK_SHOWS = 300  # turns of the loop after which a hand that is told is among the bytes
QUICKLY: dict[str, Any] = {"THINKS_S": 0.1, "READS_S": 0.1, "LIES_S": 0.3}
WORDS = re.compile(r"[^\s'\"/,()\[\]=]+")

Order = Callable[[list[Piece]], list[Piece]]


@dataclass
class World:
    """The acts in one world, turn by turn; its hidden cards; and the bytes that left it."""

    acts: list[list[requests.Request]] = field(default_factory=list)
    order: list[Piece] = field(default_factory=list)  # of the cards before they are dealt
    hidden: str = ""  # all hands at the end
    said: bytes = b""  # for everybody
    private: dict[str | None, bytes] = field(default_factory=dict)  # for each player, and the host
    held: dict[str, set[str]] = field(default_factory=dict)  # all cards ever in a player's hand

    @property
    def plays(self) -> int:
        return self.said.count(b'"event":"played"')


def hands_of(table: Table) -> str:
    """Return all cards where they are now, hidden ones too."""
    return repr(table.live._deck._after(len(table.record.inputs)))


def live(
    folder: Path,
    game: str,
    order: Order = lambda pieces: pieces,
    acts: list[list[requests.Request]] | None = None,
    leak: Callable[[Table], None] = lambda _: None,
    turns: int = TURNS,
) -> World:
    """Return a world in which robots play *game*, or in which *acts* are done again."""
    folder.mkdir()
    world = World([] if acts is None else acts)
    shuffle = transitions.shuffle

    def shuffled(*args: Any) -> list[Piece]:
        world.order = order(shuffle(*args))
        return list(world.order)

    with (
        closing(Table(folder)) as table,
        socket.socket() as unused,
        patch.multiple("sim.deal.seats", **QUICKLY),
        patch("sim.deal.layouts.hands.shuffle", shuffled),
    ):
        clock, outlet, seats = table.mat.board.clock, table.mat.outlet, table.live._seats
        outlet._now = lambda: datetime.fromtimestamp(clock.now(), UTC)
        stream = Stream(outlet)
        leak(table)
        table.deal(game, PLAYERS, dict.fromkeys(range(1, PLAYERS + 1), styles_of(game)[0]))
        names = table.record.start.names
        outlet.wanted = frozenset({*names, None})
        phones = [LocalClient(unused, wanted=frozenset({one})) for one in (*names, None)]
        step, told = seats.step, []

        def recorded(*args: Any) -> Iterable[requests.Request]:
            done = list(step(*args))
            world.acts.append(done)
            return done

        def ask(player: str) -> None:
            act = PhoneAct(player, 0, PhoneCommand.WHAT_CAN_I_PLAY)
            assert table.mat.inbox.put(ActRequest(1, act), lambda *_: None)

        for turn in range(turns):
            if turn % ASKS_EVERY == 0:
                for name in names:
                    ask(name)
            again = recorded if acts is None else lambda *_, now=turn: world.acts[now]
            with patch.object(seats, "step", again):
                table.live._pass()
            told.append(stream.new_lines())
            for phone, player in zip(phones, (*names, None), strict=True):
                private = phone.private_lines(outlet.private)
                world.private[player] = world.private.get(player, b"") + private
            for seat, hand in table.live._deck.hands.items():
                world.held.setdefault(names[seat], set()).update(map(str, hand))
        world.said = b"".join(told)
        world.hidden = hands_of(table)
    return world


def other_places(world: World, player: str = "") -> Order:
    """Return an order with the cards that no act of *world* names at each other's places.

    The cards that *player* has ever held stay.
    """
    named = set(WORDS.findall(repr(world.acts))) | world.held.get(player, set())

    def reorder(pieces: list[Piece]) -> list[Piece]:
        places = [n for n, piece in enumerate(pieces) if str(piece) not in named]
        moved = list(pieces)
        for place, other in zip(places, places[1:] + places[:1], strict=True):
            moved[place] = pieces[other]
        return moved

    return reorder


@pytest.mark.parametrize("game", long_unless("ciao".__eq__, ["straw", "ciao"]))
def test_worlds_with_other_hidden_cards_send_the_same_bytes(tmp_path: Path, game: str) -> None:
    one = live(tmp_path / "one", game)
    assert one.plays >= 5
    other = live(tmp_path / "other", game, other_places(one), one.acts)
    assert other.hidden != one.hidden, "the hidden cards are the same"
    assert other.said == one.said
    assert other.private[None] == one.private[None]


@pytest.mark.parametrize("game", long_unless("straw".__eq__, ["straw", "ciao"]))
def test_worlds_with_the_same_hand_send_the_same_bytes_to_its_player(
    tmp_path: Path, game: str
) -> None:
    one = live(tmp_path / "one", game)
    player, *others = one.held
    other = live(tmp_path / "other", game, other_places(one, player), one.acts)
    assert one.private[player].count(b'"hand":[') >= 5
    assert one.private[player].count(b'"text":"You can play') >= 5
    assert other.private[player] == one.private[player]
    assert other.said == one.said
    assert any(other.private[name] != one.private[name] for name in others), "no hand differs"


def test_a_phone_that_got_the_hand_of_another_would_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealt = vars(PrivateAnswers)["dealt_hands"]

    def of_all(answers: PrivateAnswers, hands: Mapping[Seat, tuple[Piece, ...]]) -> None:
        dealt.fset(answers, {seat: tuple(chain(*hands.values())) for seat in hands})

    monkeypatch.setattr(PrivateAnswers, "dealt_hands", property(dealt.fget, of_all))
    one = live(tmp_path / "one", "straw", turns=LEAK_SHOWS)
    player = next(iter(one.held))
    other = live(tmp_path / "other", "straw", other_places(one, player), one.acts, turns=LEAK_SHOWS)
    assert other.private[player] != one.private[player]


def test_an_answer_about_the_hand_of_another_would_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = PrivateAnswers.known_hand

    def of_next(answers: PrivateAnswers, game: Any, player: str) -> Any:
        names = game.start.names
        return held(answers, game, names[(names.index(player) + 1) % len(names)])

    monkeypatch.setattr(PrivateAnswers, "known_hand", of_next)
    one = live(tmp_path / "one", "straw", turns=LEAK_SHOWS)
    player = next(iter(one.held))
    other = live(tmp_path / "other", "straw", other_places(one, player), one.acts, turns=LEAK_SHOWS)
    assert other.private[player] != one.private[player]
    assert other.said == one.said


def test_a_table_that_told_a_hand_would_be_found(tmp_path: Path) -> None:
    def leak(table: Table) -> None:
        table.mat.running.loop._feed.describe = lambda *_: hands_of(table)

    one = live(tmp_path / "one", "straw", leak=leak, turns=LEAK_SHOWS)
    other = live(tmp_path / "other", "straw", other_places(one), one.acts, leak, LEAK_SHOWS)
    assert other.said != one.said
