"""Games that the host starts at a phone: the same as those that are started at the mat."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Seat, Tap
from firmware.boxes.games import games
from firmware.journal.codec import HOST
from firmware.outlet.events import GameEnded, GameStarted
from firmware.outlet.feed import Feed
from firmware.outlet.queue import Outlet
from firmware.outlet.stream import MOST_RULES, ActRequest, BadRequest, read_request
from firmware.table.answers import GameOffer
from firmware.table.events import GameChosen, PhoneAct, PhoneCommand
from firmware.voice.settings import LANGUAGE
from firmware.voice.words import languages
from tests.firmware.tabletop import Tabletop

STARTED = "Another game has been started already."
LATE = "The game has gone on. Look again."
NOT_NOW = "That is not possible now."
NAMES = "Each player needs a different name, of 1 to 10 letters."
STRAW = GameChosen("straw", ("Zoe", "Uli"), 0, (("floor-at-zero", "on"),))


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path)) as made:
        yield made


def act(top: Tabletop, what: Any, player: str | None = None, moment: int | None = None) -> str:
    """Let the host do *what* at a phone; return the sentence that refuses it."""
    at = top.journal.moment if moment is None else moment
    return top.receive(PhoneAct(player, at, what))[-1].refused


def offer(top: Tabletop, game: str = "straw") -> GameOffer:
    return next(each for each in top.table.asks_of_host().games if each.game == game)


def bodies(top: Tabletop, *kinds: str) -> list[dict[str, Any]]:
    return [dict(entry.body) for entry in top.journal.take_new_entries() if entry.kind in kinds]


def test_a_game_started_at_a_phone_is_the_one_that_the_mat_would_start(
    top: Tabletop, tmp_path: Path
) -> None:
    assert act(top, STRAW) == ""
    (there,) = bodies(top, "start")
    assert (there["names"], there["dealer"], there["phone"]) == (["Zoe", "Uli"], 0, HOST)
    assert top.answers[-1].say, "the table does not say how the game begins"
    other = tmp_path / "other"
    other.mkdir()
    with closing(Tabletop(other, ("Zoe", "Uli"))) as at_mat:
        at_mat.start(("floor-at-zero", "on"), players=2)
        (here,) = bodies(at_mat, "start")
    assert here.pop("dealer") == 1
    assert here == {key: there[key] for key in here}
    assert here["options"]["floor-at-zero"] is True
    assert "phone" not in here


def test_a_game_that_is_being_set_up_at_the_mat_has_its_name_on_the_phone(top: Tabletop) -> None:
    named = offer(top).title
    top.lay("weight-1#1")
    assert (offer(top).title, named) == ("Straw", "Straw")


def test_the_later_of_two_who_start_is_told_that_a_game_was_started(top: Tabletop) -> None:
    moment = top.journal.moment
    assert act(top, STRAW, moment=moment) == ""
    assert act(top, replace(STRAW, names=("Ann", "Ben")), moment=moment) == STARTED
    assert act(top, STRAW) == STARTED
    record = top.journal.open_game()
    assert record is not None
    assert record.start.names == ("Zoe", "Uli")
    assert len(bodies(top, "start", "end")) == 1
    act(top, PhoneCommand.END_GAME)
    assert act(top, STRAW, moment=moment) == LATE


def test_the_same_at_the_mat_and_at_a_phone(top: Tabletop) -> None:
    moment = top.journal.moment
    top.start(players=2)
    assert act(top, STRAW, moment=moment) == STARTED


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (replace(STRAW, game="chess"), NOT_NOW),
        (replace(STRAW, game="ciao", names=("Zoe",), rules=()), NOT_NOW),
        (replace(STRAW, names=tuple("ABCDEFGHIJ")), NOT_NOW),
        (replace(STRAW, dealer=2), NOT_NOW),
        (replace(STRAW, rules=(("no-such-rule", "on"),)), NOT_NOW),
        (replace(STRAW, rules=(("floor-at-zero", "maybe"),)), NOT_NOW),
        (replace(STRAW, names=("Zoe", "Zoe")), NAMES),
        (replace(STRAW, names=("Zoe", "")), NAMES),
        (replace(STRAW, names=("Zoe", " Uli")), NAMES),
        (replace(STRAW, names=("Zoe", "Maximiliane")), NAMES),
        (replace(STRAW, names=("Zoe", "\u0007")), NAMES),
    ],
)
def test_another_start_is_only_refused_at_the_phone(
    top: Tabletop, wrong: GameChosen, why: str
) -> None:
    before = top.view
    assert act(top, wrong) == why
    assert top.view == before
    assert not top.answers[-1].say
    assert top.journal.open_game() is None


def test_a_seat_starts_no_game(top: Tabletop) -> None:
    assert act(top, STRAW, "Ann") == NOT_NOW
    assert top.journal.open_game() is None


def test_a_game_without_stickers_says_why_it_cannot_be_started(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, is_blank=True)) as top:
        offered = top.table.asks_of_host().games
        assert [each.game for each in offered] == list(games())
        assert {each.why_not[:43] for each in offered} == {
            "No card of this game has a sticker yet. Cho"
        }
        assert act(top, STRAW) == NOT_NOW


def test_while_stickers_are_enrolled_the_phone_says_so(top: Tabletop) -> None:
    top.table.enrol("straw")
    asked = top.table.asks_of_host()
    assert (asked.games, asked.busy[:12]) == ((), "The stickers")
    assert act(top, STRAW) == NOT_NOW
    assert top.table.enrolling_game == "straw"


def test_what_is_prepared_at_the_mat_is_told_and_replaced(top: Tabletop) -> None:
    assert not top.table.asks_of_host().is_preparing
    top.lay("lamp#1")
    assert top.table.asks_of_host().is_preparing
    assert act(top, STRAW) == ""
    assert not top.table.asks_of_host().is_preparing


@pytest.mark.parametrize("card", ["settings", "ok"])
def test_an_open_list_does_not_hinder_the_host(top: Tabletop, card: str) -> None:
    top.card(card)
    assert top.view.choices is not None
    assert act(top, STRAW) == ""


@pytest.mark.parametrize("game", sorted(games()))
def test_each_game_is_offered_with_its_rules_in_words_and_starts_so(
    top: Tabletop, game: str
) -> None:
    for language in languages():
        top.table.context.settings.set(LANGUAGE, language)
        offered = offer(top, game)
        assert offered.why_not == ""
        assert len(offered.names) == max(offered.seats)
        rules = {option.name: option for option in games()[game].options}
        assert [rule.name for rule in offered.rules] == list(rules)
        for rule in offered.rules:
            assert rule.title, language
            assert len(rule.help) > len(rule.title) / 2, language
            values = [value for value, _ in rule.values]
            assert rule.now in values
            usual = rules[rule.name].default
            if isinstance(usual, bool):
                usual = "on" if usual else "off"
            assert rule.now == str(usual)
    for index in (0, -1):  # both ends of each list
        players = offered.seats[index]
        chosen = tuple((rule.name, rule.values[index][0]) for rule in offered.rules)
        refused = act(top, GameChosen(game, offered.names[:players], players - 1, chosen))
        if not refused:
            act(top, PhoneCommand.END_GAME)
    assert bodies(top, "start"), "no game was started"


def test_the_offer_has_the_players_and_rules_of_the_last_game(top: Tabletop) -> None:
    before = offer(top)
    assert top.table.asks_of_host().games is top.table.asks_of_host().games, "it is made again"
    act(top, replace(STRAW, names=("Zoe", "Uli", "Ida")))
    assert top.table.asks_of_host().games == ()
    act(top, PhoneCommand.END_GAME)
    after = offer(top)
    assert (after.players, after.names[:3], after.dealer) == (3, ("Zoe", "Uli", "Ida"), 1)
    games = {each.game: each for each in top.table.asks_of_host().games}
    assert [game for game, each in games.items() if each.is_last] == ["straw"]
    assert (games["ciao"].players, games["ciao"].names[:3]) == (3, ("Zoe", "Uli", "Ida"))
    now = {rule.name: rule.now for rule in after.rules}
    assert now["floor-at-zero"] == "on"
    assert {rule.name: rule.now for rule in before.rules}["floor-at-zero"] == "off"


def finish(top: Tabletop) -> None:
    """Play games of one round by the rules' own answers until somebody has won."""
    record = top.journal.open_game()
    assert record is not None
    for _ in range(3000):
        if top.view.winners:
            return
        if top.view.phase == "round-over":
            assert top.table.asks_of_host().next_round == "next round"
            assert act(top, PhoneCommand.NEXT_ROUND) == ""
            continue
        answered = False
        for name in record.start.names:
            asked = top.table.asks_of(name)
            assert asked is not None
            if asked.answers:
                answered = act(top, asked.answers[-1].given, name) == ""
                break
        if not answered:
            fits = next(p for p in record.start.deck.pieces() if top.table.takes(Tap(p)))
            top.lay(str(fits))
    pytest.fail("the game never ends")


def test_the_host_goes_on_to_the_next_round_and_plays_again(top: Tabletop) -> None:
    act(top, STRAW)
    assert top.table.asks_of_host().next_round == ""
    for command in (PhoneCommand.NEXT_ROUND, PhoneCommand.REMATCH):
        assert act(top, command) == NOT_NOW
    finish(top)
    inputs = bodies(top, "input")
    assert {"press": "ok", "phone": HOST} in inputs
    assert top.table.asks_of_host().can_rematch
    assert act(top, PhoneCommand.REMATCH, "Zoe") == NOT_NOW
    assert act(top, PhoneCommand.REMATCH) == ""
    entries = list(top.journal.take_new_entries())
    assert [entry.kind for entry in entries] == ["end", "start"]
    assert entries[0].body == {"how": "over", "phone": HOST}
    start = entries[1].body
    assert (start["names"], start["dealer"], start["phone"]) == (["Zoe", "Uli"], 1, HOST)
    assert start["options"]["floor-at-zero"] is True
    assert not top.table.asks_of_host().can_rematch


def test_the_events_tell_that_the_host_has_started_and_ended_the_game(top: Tabletop) -> None:
    top.journal.take_new_entries()
    act(top, STRAW)
    act(top, PhoneCommand.END_GAME)
    outlet = Outlet()
    Feed(outlet).put_entries(list(top.journal.take_new_entries()), [])
    (first,), (last,) = (
        [each.event for each in outlet.read(0).events if isinstance(each.event, kind)]
        for kind in (GameStarted, GameEnded)
    )
    record = top.journal.moment
    assert first == GameStarted(record - 1, record - 1, "straw", ("Zoe", "Uli"), Seat(0), HOST)
    assert last == GameEnded(record, record - 1, "abandoned", HOST)


def test_a_start_is_read_from_its_line() -> None:
    shape = {
        "start": "straw",
        "names": ["Zoe", "Uli"],
        "dealer": 0,
        "rules": {"floor-at-zero": "on"},
    }
    line = json.dumps({"act": shape, "id": 9, "player": None, "moment": 0})
    assert read_request(line.encode()) == ActRequest(9, PhoneAct(None, 0, STRAW))


@pytest.mark.parametrize(
    "change",
    [
        {"start": 1},
        {"start": "no game"},
        {"names": "Zoe"},
        {"names": [1]},
        {"names": [""]},
        {"names": ["Ann"] * 13},
        {"names": ["A" * 41]},
        {"dealer": -1},
        {"dealer": True},
        {"rules": []},
        {"rules": {"a": True}},
        {"rules": {"a b": "on"}},
        {"rules": {f"r-{n}": "on" for n in range(MOST_RULES + 1)}},
        {"more": 1},
    ],
)
def test_another_start_is_refused_on_its_line(change: dict[str, Any]) -> None:
    shape = {"start": "straw", "names": ["Zoe"], "dealer": 0, "rules": {}} | change
    line = json.dumps({"act": shape, "id": 9, "player": None, "moment": 0})
    with pytest.raises(BadRequest):
        read_request(line.encode())


def test_the_host_lets_the_mat_play_from_the_start(top: Tabletop) -> None:
    straw = offer(top)
    assert [who for who, _ in straw.who] == ["", "mat"]
    assert set(straw.seated) == {""}
    assert act(top, replace(STRAW, who=("", "mat"))) == ""
    record = top.journal.open_game()
    assert record is not None
    assert record.start.mats == (Seat(1),)
    act(top, PhoneCommand.END_GAME)
    assert offer(top).seated[:2] == ("", "mat")
    assert act(top, replace(STRAW, who=("", ""))) == ""
    record = top.journal.open_game()
    assert record is not None
    assert record.start.mats == ()


@pytest.mark.parametrize("who", [("mat",), ("", "good"), ("", "mat", ""), ("x", "y")])
def test_who_cannot_play_is_refused(top: Tabletop, who: tuple[str, ...]) -> None:
    assert act(top, replace(STRAW, who=who)) == NOT_NOW
    assert top.journal.open_game() is None
