"""The bytes that leave the table for one role depend only on facts that this role may know.

``tests.sim.web.secrecy`` says which worlds are compared, and plays more of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Seat
from engines.common.pieces import Piece
from firmware.companion.phone_desk import PhoneDesk
from firmware.companion.server import CompanionServer
from firmware.mqtt.house_state import Json, house_state
from firmware.table.answers import HostAsked
from firmware.table.private_answers import PrivateAnswers
from firmware.table.table import Table as RealTable
from firmware.web.event_stream import to_message
from tests.effort import long_unless
from tests.sim.web.secrecy import (
    BOARD,
    BROKER,
    GUEST,
    HOST,
    Counts,
    Play,
    compare_worlds,
    content_of,
    main,
    other_places,
    places_in,
)
from tests.sim.web.test_seats import Table

GAMES = ["straw", "ciao", "cramel", "camargue", "riff-raff"]
PAGES = {BOARD, GUEST, HOST, "seat"}
EVERYBODY = PAGES | {BROKER}
TURNS = 600  # of the loop
LEAK_SHOWS = 300  # turns of the loop after which a secret that is told is among the bytes

Patch = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize("game", long_unless("riff-raff".__eq__, GAMES))
def test_worlds_with_other_secrets_send_the_same_bytes(tmp_path: Path, game: str) -> None:
    counts = Counts()
    compare_worlds(Play(game, turns=TURNS), tmp_path, counts)
    assert counts.different.total() == 0, counts.examples
    assert {role for _, role in counts.compared} == EVERYBODY
    assert not counts.unused
    assert min(n for (_, role), n in counts.compared.items() if role != BROKER) >= 100
    assert min(n for (_, role), n in counts.compared.items() if role == BROKER) >= 50


@pytest.mark.long
def test_emulated_chips_change_nothing_of_that(tmp_path: Path) -> None:
    play = Play("straw", turns=LEAK_SHOWS, is_quick=False)
    counts = Counts()
    compare_worlds(play, tmp_path, counts)
    assert counts.different.total() == 0, counts.examples
    assert {role for _, role in counts.compared} == EVERYBODY


@pytest.mark.long
def test_a_player_gets_the_own_hand_and_what_can_be_played(tmp_path: Path) -> None:
    """So worlds with other hands differ for the players who hold other cards."""
    play = Play("straw")
    first = play.live(tmp_path / "first")
    player, *others = first.held
    other = play.live(tmp_path / "other", first, other_places(first, player))
    assert first.plays >= 20
    told = b"".join(content_of(message) for message in first.received[player])
    assert told.count(b'"hand": [') >= 5
    assert told.count(b"You can play") >= 2  # once for each question: it ends with the next act
    assert any(other.received[name] != first.received[name] for name in others)


@pytest.mark.long
def test_the_program_prints_what_it_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--messages", "1", "--game", "riff-raff"]) == 0
    printed = capsys.readouterr().out
    assert "0 differ" in printed
    assert "riff-raff  pieces, hands: cannot differ:" in printed


@pytest.mark.long
def test_the_program_shows_what_differs_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    an_answer_about_the_next_hand(monkeypatch)
    assert main(["--messages", "1", "--game", "straw"]) == 1
    printed = capsys.readouterr().out
    assert " 0 differ" not in printed
    assert "straw, other hands, seat:\n" in printed


# --- planted leaks ------------------------------------------------------------------------------


def to_everybody(table: Table) -> None:
    """Say where all cards are whenever one is played."""
    table.mat.running.loop._feed.describe = lambda *_: places_in(table)


def plans_to_everybody(table: Table) -> None:
    """Say what the robots will do next whenever a card is played."""
    table.mat.running.loop._feed.describe = lambda *_: repr(table.live._seats._doing)


def a_state_for_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send private states as messages that are not sealed, to the board too."""
    hear = CompanionServer._hear

    def to_all(server: CompanionServer, kind: str, value: Any) -> None:
        hear(server, kind, value)
        for stream in server._streams:
            stream.send(to_message(kind, value))

    monkeypatch.setattr(CompanionServer, "_hear", to_all)


def a_hand_for_all_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send each private state to all phones."""

    def to_all(desk: PhoneDesk, player: str | None, state: Any) -> None:
        for session in desk._sessions:
            desk._send(session, "mine", state)

    monkeypatch.setattr(PhoneDesk, "hear", to_all)


def hands_for_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say the hands where the host's phone says why nothing can be started."""
    asks = RealTable.asks_of_host

    def with_hands(table: RealTable) -> HostAsked:
        return replace(asks(table), busy=repr(table.private.dealt_hands))

    monkeypatch.setattr(RealTable, "asks_of_host", with_hands)


def hands_at_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish the same."""
    hands_for_the_host(monkeypatch)

    def with_all(public: Json, host: Json) -> dict[str, Any]:
        return {**house_state(public, host), "busy": host["busy"]}

    monkeypatch.setattr("firmware.mqtt.house.house_state", with_all)


def all_hands_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt = vars(PrivateAnswers)["dealt_hands"]

    def of_all(answers: PrivateAnswers, hands: Mapping[Seat, tuple[Piece, ...]]) -> None:
        dealt.fset(answers, {seat: tuple(chain(*hands.values())) for seat in hands})

    monkeypatch.setattr(PrivateAnswers, "dealt_hands", property(dealt.fget, of_all))


def an_answer_about_the_next_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    known = PrivateAnswers.known_hand

    def of_next(answers: PrivateAnswers, game: Any, player: str) -> Any:
        names = game.start.names
        return known(answers, game, names[(names.index(player) + 1) % len(names)])

    monkeypatch.setattr(PrivateAnswers, "known_hand", of_next)


@pytest.mark.parametrize(
    ("plant", "roles"),
    long_unless(
        lambda case: case[0] is all_hands_in_one,
        [
            (a_state_for_all_pages, PAGES),
            (a_hand_for_all_phones, {GUEST, HOST, "seat"}),
            (hands_for_the_host, {HOST}),
            (hands_at_the_broker, {HOST, BROKER}),
            (all_hands_in_one, {"seat"}),
            (an_answer_about_the_next_hand, {"seat"}),
        ],
    ),
)
def test_a_program_that_tells_a_secret_to_a_role_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Patch, roles: set[str]
) -> None:
    plant(monkeypatch)
    assert different(tmp_path, Play("straw", turns=LEAK_SHOWS))["other hands"] == roles


@pytest.mark.long
def test_a_table_that_tells_everybody_where_the_cards_are_is_found(tmp_path: Path) -> None:
    play = Play("straw", turns=LEAK_SHOWS, leak=to_everybody)
    assert different(tmp_path, play)["other hands"] == EVERYBODY


@pytest.mark.long
def test_a_table_that_tells_where_the_tiles_are_is_found(tmp_path: Path) -> None:
    play = Play("cramel", turns=LEAK_SHOWS, leak=to_everybody)
    assert different(tmp_path, play)["pieces"] == EVERYBODY


@pytest.mark.parametrize("game", long_unless("riff-raff".__eq__, ["straw", "riff-raff"]))
def test_a_table_that_tells_what_the_robots_plan_is_found(tmp_path: Path, game: str) -> None:
    play = Play(game, turns=LEAK_SHOWS, leak=plans_to_everybody)
    assert different(tmp_path, play)["plans"] == EVERYBODY


def different(folder: Path, play: Play) -> Mapping[str, set[str]]:
    """Return the roles that received other bytes, by what differs in the worlds."""
    counts = Counts()
    compare_worlds(play, folder, counts)
    roles: dict[str, set[str]] = {}
    for (what, role), number in counts.different.items():
        if number:
            roles.setdefault(what, set()).add(role)
    return roles
