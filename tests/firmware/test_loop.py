"""The loop: parts in, parts out, faults as states, and nothing shown that is not on disk."""

import logging
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

from engines.common.pieces import Piece
from firmware import screens
from firmware.announcer import Announcer
from firmware.controller import JOURNAL, Controller
from firmware.earcons import TONES
from firmware.loop import RETRY_S, TURN_S, Loop, Parts
from firmware.presence import FOUND_POLLS
from firmware.table import FLASH_S
from firmware.view import Flash, TableView
from hardware.errors import DisplayFault, MissingPart, ReaderFault
from hardware.ports import ControlEvent, Pressed, Sighting, Turned
from sim.board import EmulatedBoard
from sim.chips.clock import VirtualClock
from sim.chips.ntag import Ntag
from sim.tags import stranger_uid, uid_of
from tests.firmware.tabletop import CONFIG, Tabletop

Check = Callable[[], None]


def anything_goes() -> None:
    """Check nothing."""


class FakeReader:
    """Sees what it is told to."""

    def __init__(self) -> None:
        self.sees = Sighting()
        self.is_broken = False
        self.polls = self.restarts = 0

    def poll(self) -> Sighting:
        self.polls += 1
        if self.is_broken:
            raise ReaderFault("check its wires")
        return self.sees

    def restart(self) -> None:
        self.restarts += 1
        if self.is_broken:
            raise ReaderFault("check its wires")

    def close(self) -> None:
        """Nothing to close."""


class FakeDisplay:
    """Keeps every picture."""

    def __init__(self, check: Check = anything_goes) -> None:
        self.size = (128, 64)
        self.check = check
        self.is_lost = False
        self.shown: list[Image.Image] = []
        self.restarts = 0

    def show(self, picture: Image.Image) -> None:
        self.check()
        if self.is_lost:
            raise DisplayFault("check its wires")
        self.shown.append(picture)

    def restart(self) -> None:
        self.restarts += 1
        if self.is_lost:
            raise DisplayFault("check its wires")

    def close(self) -> None:
        """Nothing to close."""


class FakeLamps:
    """Keeps every level written."""

    names: Sequence[str] = ()

    def __init__(self, check: Check = anything_goes) -> None:
        self.check = check
        self.written: list[tuple[str, float]] = []

    def light(self, name: str, level: float) -> None:
        self.check()
        self.written.append((name, level))

    def close(self) -> None:
        """Nothing to close."""


class FakeControls:
    """Tells once what was done."""

    def __init__(self) -> None:
        self.done: list[ControlEvent] = []

    def poll(self) -> tuple[ControlEvent, ...]:
        done, self.done = tuple(self.done), []
        return done

    def close(self) -> None:
        """Nothing to close."""


class FakeBuzzer:
    """Keeps every tone with its moment."""

    def __init__(self, clock: VirtualClock, check: Check = anything_goes) -> None:
        self.clock, self.check = clock, check
        self.heard: list[tuple[float, float | None]] = []

    def tone(self, frequency_hz: float | None) -> None:
        self.check()
        self.heard.append((self.clock.now(), frequency_hz))

    def close(self) -> None:
        """Nothing to close."""


class FakeVoice:
    """Keeps every utterance."""

    def __init__(self, check: Check = anything_goes) -> None:
        self.check = check
        self.said: list[str] = []

    def say(self, text: str, language: str) -> None:
        self.check()
        self.said.append(text)

    def close(self) -> None:
        """Nothing to close."""


@dataclass
class Bench:
    """A loop over fake parts, with two readers."""

    top: Tabletop
    clock: VirtualClock
    play: FakeReader
    hand: FakeReader
    display: FakeDisplay
    lamps: FakeLamps
    controls: FakeControls
    buzzer: FakeBuzzer
    voice: FakeVoice
    drawn: list[TableView]
    loop: Loop

    @classmethod
    def over(cls, top: Tabletop, check: Check = anything_goes) -> "Bench":
        clock = VirtualClock()
        clock.sleep(top.now_s + 60.0)  # long after what was done before
        play, hand, controls = FakeReader(), FakeReader(), FakeControls()
        display, lamps, voice = FakeDisplay(check), FakeLamps(check), FakeVoice(check)
        buzzer = FakeBuzzer(clock, check)
        readers = {"play": play, "hand": hand}
        parts = Parts(readers, lamps, controls, buzzer, display, close=lambda: None)
        drawn: list[TableView] = []

        def draw(view: TableView, size: tuple[int, int]) -> Image.Image:
            drawn.append(view)
            return screens.draw(view, size)

        loop = Loop(top.table, parts, clock, Announcer(voice, "en"), draw)
        loop.begin()
        bench = cls(top, clock, play, hand, display, lamps, controls, buzzer, voice, drawn, loop)
        bench.turns(FOUND_POLLS)
        return bench

    def turns(self, number: int) -> None:
        for _ in range(number):
            self.loop.turn()
            self.clock.sleep(TURN_S)

    def run_for(self, seconds: float) -> None:
        self.turns(round(seconds / TURN_S))

    def tap(self, piece: str) -> None:
        """Lay a card, and lift it when the table has looked often enough."""
        self.play.sees = Sighting((uid_of("straw", Piece.parse(piece)),))
        self.turns(2)
        self.play.sees = Sighting()
        self.run_for(0.3)


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    table = Tabletop(tmp_path)
    table.start()
    yield table
    table.close()


@pytest.fixture
def bench(top: Tabletop) -> Bench:
    return Bench.over(top)


# --- what is shown ---


def test_a_tap_reaches_screen_lamps_buzzer_and_voice_in_one_turn(bench: Bench) -> None:
    bench.drawn.clear()
    bench.lamps.written.clear()
    bench.play.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    bench.loop.turn()
    assert bench.drawn[-1].headline == "7"
    assert dict(bench.lamps.written) == {"seat-1": 0.0, "seat-2": 1.0, "accepted": 1.0}
    assert bench.buzzer.heard[-1][1] == TONES[Flash.ACCEPTED][0][0]
    assert bench.voice.said[-1] == "7. Ben to play."


def test_a_view_is_drawn_only_when_it_has_changed(bench: Bench) -> None:
    bench.drawn.clear()
    bench.run_for(5.0)
    assert bench.drawn == []
    bench.tap("weight-7")
    bench.run_for(FLASH_S)
    # with the green lamp, and without it
    assert [view.flash for view in bench.drawn] == [Flash.ACCEPTED, None]


def test_a_lamp_is_written_only_when_it_changes(bench: Bench) -> None:
    bench.run_for(1.0)
    bench.lamps.written.clear()
    bench.run_for(5.0)
    assert bench.lamps.written == []
    bench.tap("weight-7")
    bench.run_for(FLASH_S)
    assert bench.lamps.written == [
        ("seat-1", 0.0), ("seat-2", 1.0), ("accepted", 1.0), ("accepted", 0.0),
    ]  # fmt: skip


def test_an_earcon_sounds_for_as_long_as_it_is_written(bench: Bench) -> None:
    began_s = bench.clock.now()
    bench.tap("straw")
    bench.run_for(0.1)
    (at, first), (change, second), (end, silence) = bench.buzzer.heard
    assert (first, second, silence) == (330.0, 220.0, None)
    assert at == began_s
    assert change - at == pytest.approx(0.12, abs=TURN_S)
    assert end - at == pytest.approx(0.32, abs=TURN_S)


def test_what_was_said_is_kept_with_its_moment(bench: Bench) -> None:
    bench.tap("weight-7")
    utterance = bench.loop.announcer.transcript[-1]
    assert (utterance.language, utterance.text) == ("en", "7. Ben to play.")
    assert 0 < utterance.at_s < bench.clock.now()


def test_refusals_are_kept(bench: Bench) -> None:
    bench.tap("straw")
    bench.play.sees = Sighting((stranger_uid(),))
    bench.turns(1)
    assert [notice.code for notice in bench.loop.refusals] == ["straw-not-at-50", "unknown-tag"]


def test_controls_are_taken_in_the_order_they_were_moved(bench: Bench) -> None:
    bench.tap("lamp")
    bench.controls.done = [Turned(2), Pressed("ok"), Pressed("back")]
    bench.turns(1)
    assert bench.loop.view.asks == ("number 1..10",)
    assert [entry.kind for entry in bench.top.journal.entries()][-3:] == ["input", "input", "undo"]


def test_two_readers_play_into_one_game(bench: Bench) -> None:
    bench.tap("weight-7")
    bench.hand.sees = Sighting((uid_of("straw", Piece("weight-8")),))
    bench.turns(1)
    assert bench.loop.refusals[-1].code == "not-expected-now"  # a hand is not counted now


def test_the_table_wakes_by_saying_how_the_game_stands(top: Tabletop) -> None:
    top.play("weight-7")
    top.again()
    bench = Bench.over(top)
    assert bench.voice.said == ["Straw goes on. 7. Lay a card, then draw one."]
    assert bench.drawn[0].headline == "7"


# --- committed before shown ---


def test_a_play_is_on_disk_before_anything_of_it_is_shown_or_said(top: Tabletop) -> None:
    """Display, lamps, buzzer and voice look into the journal at every call, from outside."""
    address = f"{(top.folder / JOURNAL).as_uri()}?mode=ro"
    looks: deque[str] = deque()
    with closing(sqlite3.connect(address, uri=True)) as outside:

        def last() -> str:
            query = "SELECT kind || ' ' || body FROM entry ORDER BY seq DESC LIMIT 1"
            return str(outside.execute(query).fetchone()[0])

        bench = Bench.over(top, check=lambda: looks.append(last()))
        bench.run_for(1.0)
        for piece in ("weight-7", "weight-8", "lamp"):
            looks.clear()
            bench.tap(piece)
            assert len(looks) >= 4  # screen, lamps, buzzer, voice
            assert set(looks) == {f'input {{"tap":"{piece}#1"}}'}
            bench.run_for(FLASH_S)
        for button, entry in (("ok", 'input {"number":5}'), ("back", "undo {}")):
            looks.clear()
            bench.controls.done = [Pressed(button)]
            bench.turns(1)
            assert len(looks) >= 3
            assert set(looks) == {entry}
            bench.run_for(FLASH_S)


# --- faults ---


def test_a_broken_reader_is_told_once_and_tried_again_until_it_is_back(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware.loop")
    bench.play.is_broken = True
    bench.run_for(5 * RETRY_S)
    assert bench.voice.said[-1] == "No answer: reader play. Check its SPI wires and 3.3 V."
    assert bench.voice.said.count("No answer: reader play. Check its SPI wires and 3.3 V.") == 1
    assert bench.loop.view.fault == "No answer: reader play"
    assert caplog.messages == ["reader play: check its wires"]
    assert 3 <= bench.play.restarts <= 5
    polls = bench.play.polls
    bench.play.is_broken = False
    bench.run_for(RETRY_S + TURN_S)
    assert bench.voice.said[-1] == "Back again: reader play."
    assert bench.loop.view.fault == ""
    assert bench.play.polls > polls
    assert caplog.messages[1:] == ["reader play: back"]


def test_a_reader_that_is_lost_is_left_alone_between_tries(bench: Bench) -> None:
    bench.play.is_broken = True
    bench.turns(1)
    polls = bench.play.polls
    bench.run_for(RETRY_S - 2 * TURN_S)
    assert (bench.play.polls, bench.play.restarts) == (polls, 0)


def test_one_broken_reader_does_not_stop_the_other(bench: Bench) -> None:
    bench.hand.is_broken = True
    bench.turns(3)
    bench.tap("weight-7")
    assert bench.loop.view.headline == "7"
    assert bench.loop.view.fault == "No answer: reader hand"


def test_a_card_that_rests_while_its_reader_is_away_is_played_once(bench: Bench) -> None:
    bench.play.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    bench.turns(3)
    bench.play.is_broken = True
    bench.run_for(3.0)
    bench.play.is_broken = False
    bench.run_for(1.0)
    assert bench.loop.view.headline == "7"
    assert not bench.loop.refusals


def test_a_card_laid_while_its_reader_is_away_is_played_when_it_is_back(bench: Bench) -> None:
    bench.play.is_broken = True
    bench.run_for(1.0)
    bench.play.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    bench.play.is_broken = False
    bench.run_for(1.0)
    assert bench.loop.view.headline == "7"


def test_a_lost_display_is_told_and_when_back_it_is_drawn_anew(bench: Bench) -> None:
    bench.display.is_lost = True
    bench.tap("weight-7")
    assert set(bench.voice.said[-2:]) == {
        "No answer: display. Check its four wires.",
        "7. Ben to play.",
    }
    assert bench.loop.view.fault == "No answer: display"
    shown = len(bench.display.shown)
    bench.tap("weight-8")
    assert bench.loop.view.headline == "15"
    bench.run_for(2 * RETRY_S)
    assert len(bench.display.shown) == shown
    bench.display.is_lost = False
    bench.run_for(2 * RETRY_S)
    assert bench.voice.said[-1] == "Back again: display."
    assert bench.voice.said.count("No answer: display. Check its four wires.") == 1
    assert len(bench.display.shown) > shown
    assert bench.drawn[-1].headline == "15"
    assert bench.drawn[-1].fault == ""


def test_a_table_without_display_and_buzzer_plays(top: Tabletop) -> None:
    reader, voice, clock = FakeReader(), FakeVoice(), VirtualClock()
    parts = Parts({"play": reader}, FakeLamps(), FakeControls(), None, None, close=lambda: None)
    loop = Loop(top.table, parts, clock, Announcer(voice, "en"), screens.draw)
    loop.begin()
    for _ in range(FOUND_POLLS):
        loop.turn()
    reader.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    loop.turn()
    assert voice.said[-1] == "7. Ben to play."


# --- running ---


def test_run_turns_at_a_steady_pace_until_it_is_told_to_stop(bench: Bench) -> None:
    polls, began_s = bench.play.polls, bench.clock.now()
    bench.clock.call_at(bench.clock.now_ns + 1_000_000_000, bench.loop.stop)
    bench.loop.run()
    assert bench.clock.now() - began_s == pytest.approx(1.0, abs=2 * TURN_S)
    assert bench.play.polls - polls == pytest.approx(1.0 / TURN_S, abs=2)


def test_a_turn_that_took_long_is_followed_by_the_next_at_once(bench: Bench) -> None:
    began_s, polls = bench.clock.now(), bench.play.polls

    def slow() -> tuple[ControlEvent, ...]:
        bench.clock.sleep(3 * TURN_S)
        return ()

    bench.controls.poll = slow  # type: ignore[method-assign]
    bench.clock.call_at(bench.clock.now_ns + 300_000_000, bench.loop.stop)
    bench.loop.run()
    assert bench.clock.now() - began_s == pytest.approx(0.3, abs=3 * TURN_S)
    assert bench.play.polls - polls == 10


# --- over the emulated chips ---


def test_the_controller_opens_a_table_and_switches_it_off_again(tmp_path: Path) -> None:
    Tabletop(tmp_path).close()  # enrols the decks
    board = EmulatedBoard(CONFIG)
    with Controller.open(CONFIG, tmp_path, board) as controller:
        controller.loop.begin()
        for _ in range(FOUND_POLLS + 1):
            controller.loop.turn()
        board.readers["play"].field.enter(Ntag(uid_of("straw", Piece("weight-1"))))
        board.clock.sleep(0.01)
        controller.loop.turn()
        assert controller.loop.view.phase == "preparing"
        assert board.readers["play"].field.is_on
        assert board.display is not None
        assert board.display.is_lit
    assert not board.readers["play"].field.is_on
    assert not board.display.is_lit
    controller.close()


def test_a_table_whose_part_is_missing_leaves_nothing_open(tmp_path: Path) -> None:
    """The state folder can be used again at once."""
    board = EmulatedBoard(CONFIG)
    board._places.clear()
    for _ in range(2):
        with pytest.raises(MissingPart, match=r"SPI 0\.0"):
            Controller.open(CONFIG, tmp_path, board)
    with Controller.open(CONFIG, tmp_path, EmulatedBoard(CONFIG)):
        pass
