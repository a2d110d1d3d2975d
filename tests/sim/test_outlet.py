"""Tests of the events that the table publishes while games are played on the emulated mat."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.outlet.events import OutletEvent
from firmware.outlet.queue import Outlet
from firmware.runtime.controller import decks_of
from sim.deal.deck import VirtualDeck
from sim.mat.mat import Mat
from sim.mat.tags import uid_of
from sim.people.person import EmulatedPerson

CONFIG = load_config()
ID = re.compile(r'"([a-z0-9-]+#\d+)"')  # a specific copy of a piece, such as "lamp#1"


class Evening:
    """A mat, the hands that play at it, and the events that it publishes as JSON."""

    def __init__(self, folder: Path) -> None:
        self.mat = Mat(CONFIG, folder)
        self.mat.power_on()
        self.hands = EmulatedPerson(self.mat, decks_of(CONFIG))
        self._after = 0

    def fresh(self) -> list[dict[str, Any]]:
        batch = self.mat.outlet.read(self._after)
        assert batch.missed == 0
        self._after = self.mat.outlet.last
        return [each.to_json() for each in batch.events]

    def tap(self, kind: str) -> list[dict[str, Any]]:
        self.fresh()
        self.hands.move("tap", [kind], "play", "straw")
        return self.fresh()

    def press(self, button: str) -> list[dict[str, Any]]:
        self.fresh()
        self.mat.press(button)
        return self.fresh()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    made.hands.begin("straw", 3)
    yield made
    made.mat.close()


def only(events: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Return the events with one of *names*, without version, sequence number and time."""
    head = ("v", "seq", "at")
    return [
        {key: value for key, value in event.items() if key not in head}
        for event in events
        if event["event"] in names
    ]


def test_a_game_begins_and_a_card_is_played(evening: Evening) -> None:
    begun = evening.fresh()
    (started,) = only(begun, "started")
    assert (started["game"], len(started["names"]), started["entry"]) == ("straw", 3, 1)
    assert only(begun, "turn")[-1] == {"event": "turn", "seat": 0, "active": [0]}
    assert [event["seq"] for event in begun] == list(range(1, len(begun) + 1))
    told = evening.tap("weight-3")
    assert [event["event"] for event in told[:2]] == ["played", "turn"], "committed, then shown"
    (played,) = only(told, "played")
    assert (played["entry"], played["number"]) == (2, 1)
    assert played["input"] == {"tap": "weight-3#1"}
    assert only(told, "turn") == [{"event": "turn", "seat": 1, "active": [1]}]
    evening.mat.wait(10.0)
    lines = only(told + evening.fresh(), "spoken")
    fates = [line["fate"] for line in lines if line["text"].startswith("3.")]
    assert fates == ["waiting", "speaking", "said"]


def test_a_refusal_and_an_undo(evening: Evening) -> None:
    evening.tap("weight-3")
    (refused,) = only(evening.tap("straw"), "refused")
    assert refused["code"] == "straw-not-at-50"
    assert refused["rule"]
    assert refused["happened"]
    told = evening.press("back")
    undone = {"event": "undone", "entry": 3, "number": 1, "phone": None}
    assert only(told, "undone") == [undone]
    assert only(told, "turn") == [{"event": "turn", "seat": 0, "active": [0]}]


def test_menus_change_neither_turn_nor_score(evening: Evening) -> None:
    told = evening.press("ok") + evening.press("back")
    assert only(told, "turn", "score", "round-over", "game-over") == []


def test_a_game_is_abandoned(evening: Evening) -> None:
    evening.press("ok")
    evening.hands.choose("end-game")
    told = evening.fresh()
    ended = {"event": "ended", "entry": 2, "number": 1, "how": "abandoned", "phone": None}
    assert only(told, "ended") == [ended]
    assert only(told, "phase")[-1] == {"event": "phase", "phase": "idle"}


def test_a_round_ends(evening: Evening) -> None:
    for _ in range(5):
        evening.tap("weight-10")
    assert only(evening.tap("weight-9"), "played")
    evening.fresh()
    seen: set[str] = set()
    for _ in range(40):
        if evening.mat.view.phase == "round-over":
            break
        seen |= {event["event"] for event in evening.tap("weight-1")}
        seen |= {event["event"] for event in evening.press("action")}
    assert evening.mat.view.phase == "round-over"
    assert {"score", "phase", "round-over"} <= seen


def test_a_part_is_lost_and_back(evening: Evening) -> None:
    evening.fresh()
    evening.mat.fault("display-lost", "display")
    evening.mat.wait(3.0)
    lost = {"event": "part-lost", "part": "display", "kind": "display"}
    assert only(evening.fresh(), "part-lost") == [lost]
    evening.mat.fault("none", "display")
    evening.mat.wait(3.0)
    assert only(evening.fresh(), "part-back") == [{"event": "part-back", "part": "display"}]


def test_after_a_power_cut_the_game_is_resumed_and_numbers_go_on(evening: Evening) -> None:
    evening.tap("weight-3")
    last = evening.mat.outlet.last
    evening.mat.power_cut()
    evening.mat.power_on()
    told = evening.fresh()
    assert told[0]["seq"] > last
    (resumed,) = only(told, "resumed")
    assert (resumed["number"], resumed["game"]) == (1, "straw")
    assert only(told, "turn") == [{"event": "turn", "seat": 1, "active": [1]}]
    assert only(told, "played", "started") == [], "they were told before"


def test_a_broken_outlet_stops_no_game(tmp_path: Path) -> None:
    class Broken(Outlet):
        def put(self, event: OutletEvent) -> None:
            raise MemoryError

    mat = Mat(CONFIG, tmp_path)
    mat.outlet = Broken()
    mat.power_on()
    EmulatedPerson(mat, decks_of(CONFIG)).begin("straw", 2)
    assert mat.view.phase == "play"
    mat.close()


# --- what stays hidden ---


def stream(folder: Path, seed: int, plays: list[str]) -> tuple[str, str]:
    """Play the cards *plays* in a game of Straw whose hands are dealt with *seed*.

    Returns:
        All published events without their times, and the dealt hands; both are JSON texts.
    """
    evening = Evening(folder)
    evening.hands.begin("straw", 3)
    deck = VirtualDeck(folder / "deal.json")  # only the virtual deck knows the hands
    journal = evening.mat.running.journal
    record = journal.open_game()
    assert record is not None
    deck.deal(record, seed, True)
    for play in plays:
        evening.hands.move("tap", [Piece.parse(play)], "play", "straw")
        deck.update(journal.open_game())
    batch = evening.mat.outlet.read(0)
    evening.mat.close()
    told = json.dumps([each.to_json() | {"at": ""} for each in batch.events])
    return told, (folder / "deal.json").read_text("utf-8")


def test_worlds_that_differ_in_hands_and_pile_look_the_same(tmp_path: Path) -> None:
    """The same cards are played from different hands; one of them is refused."""
    plays = ["weight-3#1", "weight-4#1", "straw#1", "weight-5#1"]
    worlds = [stream(tmp_path / str(seed), seed, plays) for seed in range(3)]
    assert len({hands for _, hands in worlds}) == 3
    assert len({told for told, _ in worlds}) == 1
    assert set(ID.findall(worlds[0][0])) == {"weight-3#1", "weight-4#1", "weight-5#1"}


def test_no_uid_of_a_tag_leaves_the_table(evening: Evening) -> None:
    evening.tap("weight-3")
    evening.hands.move("tap", ["stranger"], "play", None)
    text = json.dumps([each.to_json() for each in evening.mat.outlet.read(0).events]).lower()
    uids = [uid_of("straw", piece).hex() for piece in decks_of(CONFIG)["straw"].pieces()]
    assert '"refused"' in text
    assert not [uid for uid in uids if uid in text]


def test_a_wrong_card_that_goes_back_to_the_hand_is_not_among_the_last_plays(
    tmp_path: Path,
) -> None:
    mat = Mat(CONFIG, tmp_path)
    mat.power_on()
    hands = EmulatedPerson(mat, decks_of(CONFIG))
    hands.begin("ciao", 2)
    for kind in ("paper-red", "rock-green"):
        hands.move("tap", [kind], "play", "ciao")
    state = mat.outlet.state
    assert state is not None
    assert state.notice is not None, "the table says that rock does not beat paper"
    assert ([play.kind for play in state.plays], state.last) == (["paper-red"], None)
    mat.close()
