"""The outlet: a bounded queue of events that never delays the table, and their JSON form."""

import json
import threading
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
    Topic,
)
from engines.common.grid import Place
from engines.common.pieces import Piece
from firmware.journal.entry import Entry
from firmware.journal.journal import GameRecord, GameStart
from firmware.outlet import events
from firmware.outlet.events import (
    NAMES,
    VERSION,
    GameEnded,
    GameOver,
    GameResumed,
    GameStarted,
    InputPlayed,
    InputUndone,
    LineSpoken,
    Numbered,
    OutletEvent,
    PhaseChanged,
    PlayRefused,
    RoundOver,
    ScoreChanged,
    TurnChanged,
    ViewChanged,
)
from firmware.outlet.feed import Feed
from firmware.outlet.queue import Outlet
from firmware.show.view import Flash, ListView, Notice, TableView
from firmware.table.events import PartFailed, PartRecovered
from firmware.voice.announcer import Fate
from tests.docs.pages import page

GOLDEN = Path(__file__).parents[1] / "golden" / "outlet"
AT = datetime(2026, 11, 22, 20, 15, 0, 123456, UTC)
PLAYS: tuple[Input, ...] = (
    Tap(Piece("weight-7")),
    Tap(Piece("weight-7", 2), "seat-2", Seat(1)),
    Number(9),
    Choice("red"),
    SeatChoice(Seat(3)),
    PlaceChoice(Place(-1, 2)),
    Press(Button.ACTION),
)
EXAMPLES: tuple[OutletEvent, ...] = (
    GameStarted(41, 41, "straw", ("Ann", "Ben"), Seat(1)),
    GameResumed(41, "straw", ("Ann", "Ben"), Seat(1)),
    *(InputPlayed(42 + n, 41, given) for n, given in enumerate(PLAYS)),
    InputUndone(50, 41),
    GameEnded(51, 41, "over"),
    PlayRefused("straw-not-at-50", "6.5", "Straw goes on at 50.", "Play another card."),
    TurnChanged(Seat(1), (Seat(1),)),
    TurnChanged(None, (Seat(0), Seat(2))),
    ScoreChanged((3, -10)),
    PhaseChanged("round-over"),
    RoundOver((3, -10)),
    GameOver((Seat(0),), (3, -10)),
    PartFailed("reader play", "reader"),
    PartRecovered("reader play"),
    LineSpoken(7, 0, 12.5, "en", Topic.TOTAL, "21.", Fate.SPEAKING),
    LineSpoken(7, 1, 12.5, "en", Topic.TURN, "Ben to play.", Fate.DROPPED, "late"),
    ViewChanged("Lay a card.", ("tap", "number 1..10")),
)


def in_json(event: OutletEvent, seq: int = 1) -> dict[str, object]:
    shape: dict[str, object] = json.loads(json.dumps(Numbered(seq, AT, event).to_json()))
    return shape


# --- the JSON form ---


def test_there_is_an_example_of_every_event() -> None:
    assert {type(event) for event in EXAMPLES} == set(NAMES) == set(get_args(OutletEvent))
    assert len(set(NAMES.values())) == len(NAMES)


def test_no_field_hides_one_that_every_event_has() -> None:
    for kind in NAMES:
        assert not {field.name for field in fields(kind)} & {"v", "seq", "at", "event"}


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("v*.json")), ids=lambda file: file.stem)
def test_a_shape_is_only_ever_added_to(file: Path) -> None:
    """Every field of an older version is still there, with the same value."""
    golden = json.loads(file.read_text("utf-8"))
    assert len(golden) <= len(EXAMPLES)
    for old, event in zip(golden, EXAMPLES, strict=False):
        new = in_json(event) | {"v": old["v"]}
        assert {key: new.get(key) for key in old} == old


def test_the_newest_version_is_kept_whole() -> None:
    golden = json.loads((GOLDEN / f"v{VERSION}.json").read_text("utf-8"))
    assert golden == [in_json(event) for event in EXAMPLES]


def documented() -> Iterator[tuple[str, str]]:
    """Yield the event and the field of each row of the table in docs/outlet.md."""
    for row in page("docs/outlet.md").text.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if row.startswith("| `") and len(cells) == 3:
            for name in cells[1].split(", "):
                yield cells[0].strip("`"), name.strip("`")


def test_the_document_lists_every_event_and_field() -> None:
    all_fields = {
        (NAMES[kind], field.name) for kind in get_args(OutletEvent) for field in fields(kind)
    }
    assert set(documented()) == all_fields
    assert {kind.value for kind in Fate} <= set(page("docs/outlet.md").text.split("`"))


def test_no_event_has_a_field_for_a_hand_a_tag_or_a_pile() -> None:
    names = {name for _, name in documented()}
    assert not names & {"hand", "hands", "uid", "tag", "pile", "deal", "piece", "pieces"}
    assert "Hidden" in page("docs/outlet.md").text


# --- the queue ---


def test_a_full_queue_drops_the_oldest_and_counts_it() -> None:
    outlet = Outlet(lambda: AT, size=3)
    for number in range(5):
        outlet.put(PhaseChanged(str(number)))
    batch = outlet.read(0)
    assert [each.event for each in batch.events] == [PhaseChanged(n) for n in ("2", "3", "4")]
    assert [each.seq for each in batch.events] == [3, 4, 5]
    assert (batch.missed, outlet.dropped, outlet.last) == (2, 2, 5)


def test_readers_go_on_where_each_stopped() -> None:
    outlet = Outlet(lambda: AT, size=3)
    assert outlet.read(0).events == ()
    outlet.put(PhaseChanged("a"))
    assert [each.seq for each in outlet.read(0).events] == [1]
    outlet.put(PhaseChanged("b"))
    assert [each.seq for each in outlet.read(1).events] == [2]
    assert [each.seq for each in outlet.read(0).events] == [1, 2]
    assert outlet.read(2).events == ()
    assert outlet.read(9) == outlet.read(2), "a reader of an earlier run sees nothing, and no error"


def test_a_reader_in_another_thread_gets_each_event_once_and_in_order() -> None:
    """A reader in another thread also learns how many events it missed."""
    outlet, count = Outlet(lambda: AT, size=64), 20_000
    seen: list[int] = []
    missed = 0

    def read() -> None:
        nonlocal missed
        after = 0
        while after < count:
            batch = outlet.read(after)
            seen.extend(each.seq for each in batch.events)
            assert all(each.event == PhaseChanged(str(each.seq)) for each in batch.events)
            missed += batch.missed
            after = max([after + batch.missed, *(each.seq for each in batch.events)])

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, count + 1):
        outlet.put(PhaseChanged(str(number)))
    reader.join()
    assert seen == sorted(set(seen))
    assert len(seen) + missed == count


# --- the feed ---


IDLE = TableView("idle")
VIEW = ViewChanged("", ())  # the views here have no hint
GAME = TableView("play", names=("Ann", "Ben"), scores=(0, 0), turn=Seat(0))


class Fed:
    """A feed with an outlet; ``fresh`` returns the events put out since it was last called."""

    def __init__(self, record: GameRecord | None = None, view: TableView = IDLE) -> None:
        self.outlet = Outlet(lambda: AT)
        self.feed = Feed(self.outlet)
        self._after = 0
        self.feed.begin(record, view)

    def fresh(self) -> list[OutletEvent]:
        batch = self.outlet.read(self._after)
        self._after = self.outlet.last
        return [each.event for each in batch.events]

    def show(self, view: TableView) -> list[OutletEvent]:
        self.feed.put_changes(view)
        return self.fresh()


def start(seq: int = 1) -> Entry:
    body = {"game": "straw", "names": ["Ann", "Ben"], "dealer": 1, "options": {}}
    return Entry(seq, seq, "start", "2026-11-22T20:15:00.000+00:00", body)


def begun() -> Fed:
    fed = Fed()
    fed.feed.put_entries([start()], [])
    fed.show(GAME)
    return fed


def test_a_game_begins() -> None:
    fed = Fed()
    assert fed.fresh() == [PhaseChanged("idle"), VIEW]
    fed.feed.put_entries([start()], [None])
    assert fed.fresh() == [GameStarted(1, 1, "straw", ("Ann", "Ben"), Seat(1))]
    assert fed.show(GAME) == [
        PhaseChanged("play"),
        TurnChanged(Seat(0), (Seat(0),)),
        ScoreChanged((0, 0)),
        VIEW,
    ]
    assert fed.show(GAME) == []


def test_a_game_goes_on_after_a_power_cut() -> None:
    record = GameRecord(7, GameStart("straw", ("Ann", "Ben"), 1, {}, None))  # type: ignore[arg-type]
    assert Fed(record, GAME).fresh() == [
        GameResumed(7, "straw", ("Ann", "Ben"), Seat(1)),
        PhaseChanged("play"),
        TurnChanged(Seat(0), (Seat(0),)),
        ScoreChanged((0, 0)),
        VIEW,
    ]


def test_a_list_over_the_game_changes_only_the_phase_and_the_view() -> None:
    fed = begun()
    fed.fresh()
    assert fed.show(TableView("settings", title="Settings")) == [PhaseChanged("settings"), VIEW]
    assert fed.show(GAME) == [PhaseChanged("play"), VIEW]


def test_another_item_of_a_list_is_another_view() -> None:
    fed = Fed()
    fed.fresh()
    for cursor in (0, 1):
        items = ListView("Game", ("Straw", "Ciao"), cursor)
        view = replace(IDLE, choices=items, hint="Turn to choose.", asks=("choice straw",))
        assert fed.show(view) == [ViewChanged("Turn to choose.", ("choice straw",))]
        assert fed.show(view) == []


def test_a_message_that_disappears_by_itself_does_not_change_the_view() -> None:
    fed = Fed()
    fed.fresh()
    assert fed.show(replace(IDLE, notice=Notice("No."), flash=Flash.REFUSED, fault="display")) == []


def test_a_round_is_over_once_and_a_game_too() -> None:
    fed = begun()
    fed.fresh()
    over = TableView("round-over", names=("Ann", "Ben"), scores=(5, 0))
    told = fed.show(over)
    assert RoundOver((5, 0)) in told
    assert ScoreChanged((5, 0)) in told
    assert fed.show(over) == []
    won = TableView("over", names=("Ann", "Ben"), scores=(5, 0), winners=(Seat(0),))
    assert fed.show(won) == [PhaseChanged("over"), GameOver((Seat(0),), (5, 0)), VIEW]


def test_without_a_game_names_and_turns_are_not_reported() -> None:
    assert Fed().show(GAME) == [PhaseChanged("idle"), VIEW, PhaseChanged("play"), VIEW]


def test_only_a_refusal_with_a_code_is_one() -> None:
    fed = begun()
    fed.fresh()
    fed.feed.put_entries(
        [], [None, Notice("Undone"), Notice("Not now.", "Wait.", "not-now", "1.2")]
    )
    assert fed.fresh() == [PlayRefused("not-now", "1.2", "Not now.", "Wait.")]


def test_a_broken_outlet_never_stops_the_table(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Outlet):
        def put(self, event: OutletEvent) -> None:
            raise RuntimeError("no memory")

    feed = Feed(Broken())
    feed.begin(None, GAME)
    feed.put_entries([start()], [Notice("No.", "", "no")])
    feed.put_entries([Entry(2, 1, "input", "", {"nonsense": 1})], [])
    feed.put_changes(GAME)
    feed.put_part(PartRecovered("display"))
    feed.put_lines([])
    assert {record.message for record in caplog.records} == {
        "An event was not put into the outlet."
    }


def test_names_of_the_module_are_its_events() -> None:
    assert all(hasattr(events, kind.__name__) for kind in NAMES)
