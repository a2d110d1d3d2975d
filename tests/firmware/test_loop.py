"""The loop: reads parts, drives parts, handles faults, and shows nothing that is not on disk."""

import logging
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PIL import Image

from engines.common.pieces import Piece
from fakepi.clock import VirtualClock
from fakepi.ntag import Ntag
from firmware.common.errors import JournalError
from firmware.config.table_config import LAMPS
from firmware.journal.journal import health_in
from firmware.runtime.controller import JOURNAL, Controller
from firmware.runtime.health import COUNTS_EVERY_S, NEWS_EVERY_S, OFTEN, RETRY_S, SOON_S
from firmware.runtime.loop import (
    CHECK_S,
    PAGE_S,
    PASS_S,
    PATIENT_S,
    RACE_DRAW_S,
    Loop,
    TableParts,
)
from firmware.runtime.presence import FOUND_POLLS
from firmware.show import screens
from firmware.show.earcons import TONES
from firmware.show.lamps import FLASH_S
from firmware.show.view import Cue, Flash, TableView
from firmware.table.events import Event, PartFailed, PartRecovered, TagsArrived
from firmware.table.table import Feedback
from firmware.voice.announcer import Announcer, audible_texts
from firmware.voice.settings import Settings
from firmware.voice.speech import SpeechLine, lines
from hardware.errors import DisplayFault, LampFault, MissingPart, ReaderFault
from hardware.ports import ControlEvent, LampValue, Pressed, Remark, Sighting, Turned
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard
from sim.mat.tags import stranger_uid, uid_of
from tests.firmware.tabletop import CONFIG, Tabletop, arrived

Check = Callable[[], None]

POLL_S = 0.001  # seconds that a fake reader's poll takes
SILENT = ReaderFault("silent", "check its wires")


def anything_goes() -> None:
    """Do nothing; the default for the check that a fake part makes at each call."""


class FakeReader:
    """A fake reader that sees ``sees`` and, while broken, raises ``fault``."""

    def __init__(self, clock: VirtualClock) -> None:
        self.identity = "fake"
        self.remarks: tuple[Remark, ...] = ()
        self.has_reset_wire = False
        self.sees = Sighting()
        self.fault: ReaderFault | None = None
        self.has_brown_out = False  # ended by the next restart
        self.polled_s: list[float] = []
        self.restarts = self.pulses = 0
        self._clock = clock

    @property
    def polls(self) -> int:
        return len(self.polled_s)

    def poll(self) -> Sighting:
        self._clock.sleep(POLL_S)
        self.polled_s.append(self._clock.now())
        if self.has_brown_out:
            raise ReaderFault("settings-lost", "check 3.3 V")
        if self.fault is not None:
            raise self.fault
        return self.sees

    def restart(self, *, by_wire: bool = False) -> None:
        self.restarts += 1
        self.pulses += by_wire
        self.has_brown_out = False
        if self.fault is not None:
            raise self.fault

    def close(self) -> None:
        """Do nothing."""


class FakeDisplay:
    """A fake display that records pictures; with a time limit, each takes ``slices`` calls."""

    def __init__(self, look: Check = anything_goes) -> None:
        self.size = (128, 64)
        self.identity = "fake"
        self.remarks: tuple[Remark, ...] = ()
        self.look = look
        self.is_lost = self.is_dark = False
        self.shown: list[Image.Image] = []
        self.within_s: list[float | None] = []
        self.slices = 1
        self.restarts = self.checks = 0
        self._sent = 0

    def show(self, picture: Image.Image, within_s: float | None = None) -> bool:
        self.look()
        if self.is_lost:
            raise DisplayFault("lost", "check its wires")
        self.within_s.append(within_s)
        self._sent += 1
        if within_s is not None and self._sent < self.slices:
            return False
        self._sent = 0
        self.shown.append(picture)
        return True

    def check(self) -> None:
        self.checks += 1
        if self.is_lost:
            raise DisplayFault("lost", "check its wires")
        if self.is_dark:
            raise DisplayFault("dark", "check its plug")

    def restart(self) -> None:
        self.restarts += 1
        self._sent = 0
        if self.is_lost:
            raise DisplayFault("lost", "check its wires")
        self.is_dark = False

    def close(self) -> None:
        """Do nothing."""


class FakeLamps:
    """Fake lamps that record the brightness of all lamps of each change."""

    names: Sequence[str] = ()

    def __init__(self, look: Check = anything_goes) -> None:
        self.look = look
        self.written: list[dict[str, float]] = []
        self.fault: LampFault | None = None

    def set(self, values: Mapping[str, LampValue]) -> None:
        self.look()
        if self.fault is not None:
            self.written.clear()
            raise self.fault
        self.written.append({name: value.brightness for name, value in values.items()})

    def close(self) -> None:
        """Do nothing."""


class FakeControls:
    """Fake controls that report each event in ``done`` once."""

    def __init__(self) -> None:
        self.done: list[ControlEvent] = []

    def poll(self) -> tuple[ControlEvent, ...]:
        done, self.done = tuple(self.done), []
        return done

    def close(self) -> None:
        """Do nothing."""


class FakeBuzzer:
    """A fake buzzer that records every tone with its time."""

    def __init__(self, clock: VirtualClock, look: Check = anything_goes) -> None:
        self.clock, self.look = clock, look
        self.heard: list[tuple[float, float | None]] = []

    def tone(self, frequency_hz: float | None) -> None:
        self.look()
        self.heard.append((self.clock.now(), frequency_hz))

    def close(self) -> None:
        """Do nothing."""


class FakeVoice(SilentVoice):
    """A silent voice; the announcer's transcript lists the lines it was given."""

    def __init__(self, look: Check = anything_goes) -> None:
        super().__init__()
        self.look = look

    def say(self, text: str, language: str) -> None:
        self.look()


def without_polls(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: count for kind, count in counts.items() if kind != "polls"}


SOON = sum(SOON_S) + 3 * PASS_S  # seconds until an offline part was retried and reported


@dataclass
class Bench:
    """The loop with two fake readers and other fake parts."""

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

    @property
    def said(self) -> list[str]:
        """The texts that could be heard, one for each event at the table."""
        return [text for _, text in audible_texts(self.loop.announcer.transcript)]

    @classmethod
    def over(
        cls, top: Tabletop, look: Check = anything_goes, *, has_reset_wire: bool = False
    ) -> "Bench":
        clock = VirtualClock()
        clock.sleep(top.now_s + 60.0)  # long after the last event at the table
        play, hand, controls = FakeReader(clock), FakeReader(clock), FakeControls()
        play.has_reset_wire = has_reset_wire
        display, lamps, voice = FakeDisplay(look), FakeLamps(look), FakeVoice(look)
        buzzer = FakeBuzzer(clock, look)
        readers = {"play": play, "hand": hand}
        parts = TableParts(readers, lamps, controls, buzzer, display, close=lambda: None)
        drawn: list[TableView] = []

        def draw(view: TableView, size: tuple[int, int]) -> Sequence[Image.Image]:
            drawn.append(view)
            return screens.pages(view, size)

        announcer = Announcer(voice)
        loop = Loop(top.table, parts, clock, announcer, draw, top.journal)
        loop.begin()
        bench = cls(top, clock, play, hand, display, lamps, controls, buzzer, voice, drawn, loop)
        bench.passes(FOUND_POLLS)
        return bench

    @property
    def readers(self) -> dict[str, FakeReader]:
        return {"play": self.play, "hand": self.hand}

    def counts(self, part: str) -> dict[str, int]:
        """Return the counts of *part*, except polls."""
        (health,) = (health for health in self.loop.health if health.part == part)
        return without_polls(health.counts)

    def passes(self, number: int) -> None:
        for _ in range(number):
            self.loop.step()
            self.clock.sleep(self.loop.pause_s)

    def run_for(self, seconds: float) -> None:
        until_s = self.clock.now() + seconds
        while self.clock.now() < until_s:
            self.passes(1)

    def lay(self, *pieces: str) -> None:
        self.play.sees = Sighting(tuple(uid_of("straw", Piece.parse(piece)) for piece in pieces))

    def tap(self, piece: str) -> None:
        """Lay a card, and lift it once the table has accepted it."""
        self.lay(piece)
        self.passes(2)
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


# --- display, lamps and sound ---


def test_a_tap_reaches_screen_lamps_buzzer_and_voice_in_one_pass(bench: Bench) -> None:
    bench.drawn.clear()
    bench.lamps.written.clear()
    bench.play.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    bench.loop.step()
    assert bench.drawn[-1].headline == "7"
    assert bench.lamps.written == [{"seat-1": 0.0, "seat-2": 1.0, "accepted": 1.0}]
    assert bench.buzzer.heard[-1][1] == TONES[Cue.YOUR_TURN][0][0]
    assert bench.said[-1] == "7. Ben to play."


def test_a_view_is_drawn_only_when_it_has_changed(bench: Bench) -> None:
    bench.drawn.clear()
    bench.run_for(5.0)
    assert bench.drawn == []
    bench.tap("weight-7")
    bench.run_for(FLASH_S)
    # with the green lamp, then without it
    assert [view.flash for view in bench.drawn] == [Flash.ACCEPTED, None]


def test_what_needs_several_pages_is_shown_by_turns(bench: Bench) -> None:
    """Each page stays for a fixed time, and the view is drawn only once."""
    pages = [Image.new("1", (128, 64), lit) for lit in (0, 1)]
    bench.loop.draw = lambda _view, _size: pages
    bench.tap("weight-7")
    bench.run_for(FLASH_S)
    bench.display.shown.clear()
    bench.run_for(4 * PAGE_S)
    assert [pages.index(shown) for shown in bench.display.shown] == [1, 0, 1, 0]


def test_a_lamp_is_written_only_when_it_changes(bench: Bench) -> None:
    bench.run_for(1.0)
    bench.lamps.written.clear()
    bench.tap("weight-7")
    bench.run_for(FLASH_S)
    assert [values for values in bench.lamps.written if len(values) < len(LAMPS)] == [
        {"seat-1": 0.0, "seat-2": 1.0, "accepted": 1.0},
        {"accepted": 0.0},
    ]


def test_each_second_all_lamps_are_set_again(bench: Bench) -> None:
    """An LED strip may have lost its power for a moment, and is dark then."""
    bench.run_for(1.0)
    bench.lamps.written.clear()
    bench.run_for(5.0)
    assert len(bench.lamps.written) == 5
    lit = {"seat-1", "clockwise"}
    assert bench.lamps.written[0] == {name: float(name in lit) for name in LAMPS}
    assert all(values == bench.lamps.written[0] for values in bench.lamps.written)


def test_lamps_that_fail_are_told_once_and_the_game_goes_on(bench: Bench) -> None:
    bench.lamps.fault = LampFault("driver", "the driver glow9 failed: ValueError; correct it")
    bench.tap("weight-7")
    bench.run_for(3.0)
    bench.tap("weight-8")
    bench.run_for(3.0)
    assert bench.loop.view.headline == "15"
    lost = "No answer: lamps. The game goes on without them. Run: tapmat doctor."
    assert bench.said.count(lost) == 1
    assert bench.top.table.failed_parts == ("lamps",)
    assert bench.lamps.written == []


def test_an_earcon_sounds_for_as_long_as_it_is_written(bench: Bench) -> None:
    began_s = bench.clock.now()
    bench.tap("straw")
    bench.run_for(0.3)
    assert [tone for _, tone in bench.buzzer.heard] == [330.0, None, 220.0, None]
    at, gap, change, end = (at for at, _ in bench.buzzer.heard)
    assert at == pytest.approx(began_s, abs=PASS_S)
    assert gap - at == pytest.approx(0.18, abs=PASS_S)
    assert change - at == pytest.approx(0.24, abs=PASS_S)
    assert end - at == pytest.approx(0.48, abs=PASS_S)


def test_what_was_said_is_kept_with_its_moment(bench: Bench) -> None:
    bench.tap("weight-7")
    utterance = bench.loop.announcer.transcript[-1]
    assert (utterance.language, utterance.text) == ("en", "Ben to play.")
    assert 0 < utterance.at_s < bench.clock.now()


def test_refusals_are_kept(bench: Bench) -> None:
    bench.tap("straw")
    bench.play.sees = Sighting((stranger_uid(),))
    bench.passes(1)
    assert [notice.code for notice in bench.loop.refusals] == ["straw-not-at-50", "unknown-tag"]


def test_controls_are_taken_in_the_order_they_were_moved(bench: Bench) -> None:
    bench.tap("lamp")
    bench.controls.done = [Turned(2), Pressed("ok"), Pressed("back")]
    bench.passes(1)
    assert bench.loop.view.asks == ("number 1..10",)
    assert [entry.kind for entry in bench.top.journal.entries()][-3:] == ["input", "input", "undo"]


def test_two_readers_play_into_one_game(bench: Bench) -> None:
    bench.tap("weight-7")
    bench.hand.sees = Sighting((uid_of("straw", Piece("weight-8")),))
    bench.passes(2)  # until it is certain that the other reader saw nothing before
    assert bench.loop.refusals[-1].code == "not-expected-now"  # the table is not counting a hand


def test_the_table_wakes_by_saying_how_the_game_stands(top: Tabletop) -> None:
    top.play("weight-7")
    top.again()
    bench = Bench.over(top)
    assert bench.said == ["Straw goes on. 7. Lay a card, then draw one."]
    assert bench.drawn[0].headline == "7"


# --- written before shown ---


def test_a_play_is_on_disk_before_anything_of_it_is_shown_or_said(top: Tabletop) -> None:
    """At each call, display, lamps, buzzer and voice read the last entry in the journal's file."""
    address = f"{(top.folder / JOURNAL).as_uri()}?mode=ro"
    looks: deque[str] = deque()
    with closing(sqlite3.connect(address, uri=True)) as outside:

        def last() -> str:
            query = "SELECT kind || ' ' || body FROM entry ORDER BY seq DESC LIMIT 1"
            return str(outside.execute(query).fetchone()[0])

        bench = Bench.over(top, look=lambda: looks.append(last()))
        bench.run_for(1.0)
        for piece in ("weight-7", "weight-8", "lamp"):
            looks.clear()
            bench.tap(piece)
            assert len(looks) >= 4  # display, lamps, buzzer, voice
            assert set(looks) == {f'input {{"tap":"{piece}#1"}}'}
            bench.run_for(FLASH_S)
        for button, entry in (("ok", 'input {"number":5}'), ("back", "undo {}")):
            looks.clear()
            bench.controls.done = [Pressed(button)]
            bench.passes(1)
            assert len(looks) >= 3
            assert set(looks) == {entry}
            bench.run_for(FLASH_S)


# --- faults ---


LOST_READER = "No answer: reader play. Check its SPI wires and 3.3 V."


def test_a_reader_that_a_restart_mends_is_nobodys_business(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """After a brown-out that a restart of the reader repairs, the game goes on without a message.

    The card on the reader is not played again, and the next card is played.
    """
    caplog.set_level(logging.WARNING, "firmware.runtime.loop")
    bench.lay("weight-7")
    bench.run_for(0.5)
    said = list(bench.said)
    bench.play.has_brown_out = True
    bench.run_for(2.0)
    assert bench.play.restarts == 1
    assert bench.counts("reader play") == {"settings-lost": 1, "re-init": 1}
    assert (bench.said, bench.loop.view.fault, caplog.messages) == (said, "", [])
    assert bench.loop.view.headline == "7"
    bench.tap("weight-8")
    assert bench.loop.view.headline == "15"


def test_a_tap_in_the_pass_of_a_brown_out_is_answered_in_that_pass(bench: Bench) -> None:
    bench.play.has_brown_out = True
    bench.lay("weight-7")
    bench.loop.step()
    assert bench.said[-1] == "7. Ben to play."


def test_a_broken_reader_is_told_once_and_tried_again_until_it_is_back(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware.runtime.loop")
    bench.play.fault = SILENT
    bench.run_for(5 * RETRY_S)
    assert bench.said.count(LOST_READER) == 1
    assert bench.said[-1] == LOST_READER
    assert bench.loop.view.fault == "No answer: reader play"
    assert caplog.messages == ["reader play: check its wires"]
    assert bench.play.restarts == 1 + len(SOON_S) + 4  # at once, soon, then every half second
    polls = bench.play.polls
    bench.play.fault = None
    bench.run_for(RETRY_S + PASS_S)
    assert bench.said[-1] == "Back again: reader play."
    assert bench.loop.view.fault == ""
    assert bench.play.polls > polls
    assert caplog.messages[1:] == ["reader play: back"]
    assert bench.counts("reader play") == {"silent": 1, "offline": 1, "back": 1}


def test_a_reader_with_a_reset_wire_is_pulsed_before_it_is_given_up(top: Tabletop) -> None:
    bench = Bench.over(top, has_reset_wire=True)
    bench.play.fault = SILENT
    bench.loop.step()
    assert (bench.play.restarts, bench.play.pulses) == (2, 1)
    assert bench.loop.view.fault == ""
    bench.run_for(SOON)
    assert bench.loop.view.fault == "No answer: reader play"


def test_a_reader_that_is_away_for_a_moment_is_not_reported(bench: Bench) -> None:
    bench.play.fault = SILENT
    bench.passes(2)
    bench.play.fault = None
    bench.lay("weight-7")
    bench.passes(4)
    assert bench.said[-1] == "7. Ben to play."
    assert LOST_READER not in bench.said
    assert bench.counts("reader play") == {"silent": 1, "offline": 1, "back": 1}


def test_a_reader_that_is_lost_is_left_alone_between_tries(bench: Bench) -> None:
    bench.play.fault = SILENT
    bench.run_for(SOON)
    tries = bench.play.restarts
    assert (bench.play.polls, tries) == (FOUND_POLLS + 1, 1 + len(SOON_S))
    bench.run_for(RETRY_S - 4 * PASS_S)
    assert (bench.play.polls, bench.play.restarts) == (FOUND_POLLS + 1, tries)


def test_one_broken_reader_does_not_stop_the_other(bench: Bench) -> None:
    bench.hand.fault = SILENT
    bench.run_for(SOON)
    bench.tap("weight-7")
    assert bench.loop.view.headline == "7"
    assert bench.loop.view.fault == "No answer: reader hand"


def test_a_card_that_rests_while_its_reader_is_away_is_played_once(bench: Bench) -> None:
    bench.lay("weight-7")
    bench.passes(3)
    bench.play.fault = SILENT
    bench.run_for(3.0)
    bench.play.fault = None
    bench.run_for(1.0)
    assert bench.loop.view.headline == "7"
    assert not bench.loop.refusals


def test_a_card_laid_while_its_reader_is_away_is_played_when_it_is_back(bench: Bench) -> None:
    bench.play.fault = SILENT
    bench.run_for(1.0)
    bench.lay("weight-7")
    bench.play.fault = None
    bench.run_for(1.0)
    assert bench.loop.view.headline == "7"


def test_a_reader_that_has_to_be_mended_again_and_again_is_logged(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware.runtime.loop")
    for _ in range(OFTEN):
        bench.play.has_brown_out = True
        bench.run_for(1.0)
    assert caplog.messages == ["reader play: repaired 3 times within a minute: check 3.3 V"]
    assert bench.loop.view.fault == ""


def test_a_lost_display_is_told_and_when_back_it_is_drawn_again(bench: Bench) -> None:
    bench.display.is_lost = True
    bench.tap("weight-7")
    bench.run_for(SOON)
    assert set(bench.said[-2:]) == {
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
    assert bench.said[-1] == "Back again: display."
    assert bench.said.count("No answer: display. Check its four wires.") == 1
    assert len(bench.display.shown) > shown
    assert bench.drawn[-1].headline == "15"
    assert bench.drawn[-1].fault == ""
    assert bench.counts("display") == {"lost": 1, "offline": 1, "back": 1}


def test_a_display_that_was_unplugged_and_plugged_in_again_shows_the_picture(
    bench: Bench,
) -> None:
    """No picture was due, but the loop checks the display now and then, and finds it dark."""
    said, shown = list(bench.said), bench.display.shown[-1]
    bench.display.is_dark = True
    bench.run_for(CHECK_S + PASS_S)
    assert not bench.display.is_dark
    assert bench.display.restarts == 1
    assert bench.display.shown[-1].tobytes() == shown.tobytes()
    assert bench.said == said
    assert bench.counts("display") == {"dark": 1, "re-init": 1}


def test_a_dark_display_is_noticed_while_one_picture_follows_the_other(bench: Bench) -> None:
    """A dark display still accepts pictures without an error."""
    bench.display.is_dark = True
    for weight in (1, 2, 3, 4):
        bench.tap(f"weight-{weight}")
    assert not bench.display.is_dark
    assert bench.counts("display") == {"dark": 1, "re-init": 1}


def test_a_display_is_asked_about_once_a_second_while_nothing_is_drawn(bench: Bench) -> None:
    bench.run_for(2 * CHECK_S)
    checks = bench.display.checks
    bench.run_for(10 * CHECK_S)
    assert bench.display.checks - checks == pytest.approx(10, abs=1)


# --- remarks ---


def test_what_is_odd_about_a_part_that_works_is_logged_once(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware.runtime.loop")
    bench.play.remarks = (Remark("unknown-version", "an unknown chip; watch it"),)
    bench.run_for(3 * CHECK_S)
    bench.display.remarks = (Remark("slow-bus", "the bus is slow; speed it up"),)
    bench.run_for(3 * CHECK_S)
    assert caplog.messages == [
        "reader play: an unknown chip; watch it",
        "display: the bus is slow; speed it up",
    ]
    assert bench.loop.view.fault == ""


# --- what is written to the journal ---


def noted(bench: Bench) -> dict[str, dict[str, int]]:
    """Return the counts of the parts in the journal, except polls."""
    totals = health_in(bench.top.journal.path)
    return {part: without_polls(counts) for part, counts in totals.items()}


def entries(bench: Bench) -> int:
    """Return the number of health entries in the journal."""
    query = "SELECT count(*) FROM entry WHERE kind = 'health'"
    with closing(sqlite3.connect(bench.top.journal.path)) as looking:
        (count,) = looking.execute(query).fetchone()
    return int(count)


def test_a_table_that_is_well_writes_nothing_before_it_is_switched_off(bench: Bench) -> None:
    bench.run_for(300.0)
    assert entries(bench) == 0
    bench.loop.close()
    totals = health_in(bench.top.journal.path)
    assert totals == {f"reader {s}": {"polls": r.polls} for s, r in bench.readers.items()}
    bench.loop.close()
    assert health_in(bench.top.journal.path) == totals


def test_faults_are_written_at_once_then_once_a_minute(bench: Bench) -> None:
    bench.play.has_brown_out = True
    bench.run_for(CHECK_S + PASS_S)
    assert noted(bench) == {"reader play": {"settings-lost": 1, "re-init": 1}}
    bench.play.has_brown_out = True
    bench.run_for(COUNTS_EVERY_S - 3 * CHECK_S)
    assert entries(bench) == 1
    bench.run_for(4 * CHECK_S)
    assert entries(bench) == 2
    assert noted(bench) == {"reader play": {"settings-lost": 2, "re-init": 2}}


def test_a_part_that_is_lost_and_back_is_written_soon(bench: Bench) -> None:
    bench.hand.fault = SILENT
    bench.run_for(CHECK_S + PASS_S)
    assert noted(bench) == {"reader hand": {"silent": 1, "offline": 1}}
    bench.hand.fault = None
    bench.run_for(NEWS_EVERY_S + CHECK_S)
    assert noted(bench) == {"reader hand": {"silent": 1, "offline": 1, "back": 1}}
    assert entries(bench) == 2


def test_a_part_that_comes_and_goes_all_the_time_is_written_every_ten_seconds(
    bench: Bench,
) -> None:
    until_s = bench.clock.now() + 60.0
    while bench.clock.now() < until_s:
        bench.hand.fault = None if bench.hand.fault else SILENT
        bench.run_for(0.7)
    assert entries(bench) == pytest.approx(60.0 / NEWS_EVERY_S, abs=1)


def test_a_disk_that_refuses_the_counts_is_logged_once_and_stops_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware.runtime.loop")

    def full(_counts: object) -> None:
        raise JournalError(
            "journal.sqlite", "", "cannot be saved: the disk is full", "Free some space"
        )

    with monkeypatch.context() as broken:
        broken.setattr(bench.top.journal, "note_health", full)
        bench.play.has_brown_out = True
        bench.run_for(3 * COUNTS_EVERY_S)
        assert len(caplog.messages) == 1
        assert "cannot be saved: the disk is full" in caplog.messages[0]
        bench.tap("weight-7")
        assert bench.loop.view.headline == "7"
    bench.run_for(COUNTS_EVERY_S)
    assert noted(bench) == {"reader play": {"settings-lost": 1, "re-init": 1}}


def test_counting_does_not_disturb_a_game(bench: Bench) -> None:
    """Undoing and resuming work as if no counts were written between the plays."""
    bench.tap("weight-7")
    bench.play.has_brown_out = True
    bench.run_for(2 * CHECK_S)
    bench.tap("weight-8")
    bench.hand.fault = SILENT
    bench.run_for(COUNTS_EVERY_S)
    assert entries(bench) == 2
    bench.controls.done = [Pressed("back")]
    bench.run_for(1.0)
    assert bench.loop.view.headline == "7"
    bench.top.again()
    assert bench.top.view.headline == "7"


def test_a_round_that_is_over_moves_the_log_into_the_file_once_people_have_their_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = bench.top.journal.path.with_name("journal.sqlite-wal")
    bench.tap("weight-7")
    assert log.stat().st_size > 0
    answer = Feedback(bench.clock.now(), cue=Cue.ROUND_END)
    monkeypatch.setattr(bench.top.table, "receive", lambda *_: (answer,))
    shown = len(bench.buzzer.heard)

    def checkpoint() -> None:
        assert len(bench.buzzer.heard) > shown
        done()

    done = bench.top.journal.checkpoint
    monkeypatch.setattr(bench.top.journal, "checkpoint", checkpoint)
    bench.loop.receive([Pressed("ok")])
    assert log.stat().st_size == 0


def test_a_journal_that_was_deleted_is_told_within_a_second_and_once(bench: Bench) -> None:
    bench.tap("weight-7")
    bench.top.journal.path.unlink()
    bench.run_for(2 * CHECK_S)
    told = [said for said in bench.said if "deleted" in said]
    assert len(told) == 1
    assert bench.loop.view.fault == "No answer: journal"
    bench.run_for(5 * CHECK_S)
    assert [said for said in bench.said if "deleted" in said] == told


def test_a_table_without_display_and_buzzer_plays(top: Tabletop) -> None:
    clock = VirtualClock()
    reader = FakeReader(clock)
    parts = TableParts(
        {"play": reader}, FakeLamps(), FakeControls(), None, None, close=lambda: None
    )
    loop = Loop(top.table, parts, clock, Announcer(SilentVoice()), screens.pages)
    loop.begin()
    for _ in range(FOUND_POLLS):
        loop.step()
    reader.sees = Sighting((uid_of("straw", Piece("weight-7")),))
    loop.step()
    assert list(audible_texts(loop.announcer.transcript))[-1] == ("en", "7. Ben to play.")


# --- running ---


def test_run_steps_at_a_steady_pace_until_it_is_told_to_stop(bench: Bench) -> None:
    polls, began_s = bench.play.polls, bench.clock.now()
    bench.clock.call_at(bench.clock.now_ns + 1_000_000_000, bench.loop.stop)
    bench.loop.run()
    assert bench.clock.now() - began_s == pytest.approx(1.0, abs=2 * PASS_S)
    assert bench.play.polls - polls == pytest.approx(1.0 / PASS_S, abs=2)


def test_a_pass_that_took_long_is_followed_by_the_next_at_once(bench: Bench) -> None:
    began_s, polls = bench.clock.now(), bench.play.polls

    def slow() -> tuple[ControlEvent, ...]:
        bench.clock.sleep(3 * PASS_S)
        return ()

    bench.controls.poll = slow  # type: ignore[method-assign]
    bench.clock.call_at(bench.clock.now_ns + 320_000_000, bench.loop.stop)
    bench.loop.run()
    pass_s = 3 * PASS_S + 2 * POLL_S
    assert bench.clock.now() - began_s == pytest.approx(10 * pass_s)
    assert bench.play.polls - polls == 10


def test_while_something_waits_for_the_other_readers_there_is_no_pause_and_no_drawing(
    bench: Bench,
) -> None:
    """A card on the second reader waits until a poll of the first shows which card was first."""
    bench.passes(1)
    shown = len(bench.display.shown)
    bench.hand.sees = Sighting((uid_of("straw", Piece("weight-8")),))
    bench.controls.done = [Pressed("ok")]
    bench.loop.step()
    assert bench.loop.pause_s == 0.0
    assert len(bench.display.shown) == shown
    bench.loop.step()
    assert bench.loop.refusals[-1].code == "not-expected-now"
    assert bench.loop.pause_s == pytest.approx(PASS_S - 2 * POLL_S)
    assert len(bench.display.shown) == shown + 1


def test_a_reader_that_is_lost_is_not_waited_for(bench: Bench) -> None:
    bench.play.fault = SILENT
    bench.run_for(0.1)
    bench.hand.sees = Sighting((uid_of("straw", Piece("weight-8")),))
    bench.loop.step()
    assert bench.loop.refusals[-1].code == "not-expected-now"
    assert bench.loop.pause_s > 0.0


# --- in a race ---


class Judge:
    """A fake table that accepts every event, with a race on the spots *race*.

    In a race the first player to lay a card counts, so the loop polls only the race's readers.
    """

    def __init__(self, race: tuple[str, ...]) -> None:
        self.race = race
        self.settings = Settings("en")
        self.events: list[Event] = []
        self.settings = Settings("en")
        self.shows = "0"
        self.failed_parts: list[str] = []

    def wake(self) -> tuple[SpeechLine, ...]:
        return ()

    def receive(self, event: Event, at_s: float) -> tuple[Feedback, ...]:
        self.events.append(event)
        if isinstance(event, PartFailed):
            self.failed_parts.append(event.part)
        if isinstance(event, PartRecovered):
            self.failed_parts.remove(event.part)
        return ()

    def view(self, now_s: float) -> TableView:
        return TableView(phase="race", headline=self.shows)


def judged(top: Tabletop, *race: str) -> tuple[Bench, Judge]:
    """Return a bench, and the ``Judge`` for the spots *race* that is its loop's table."""
    bench, judge = Bench.over(top), Judge(race)
    bench.loop.table = judge
    return bench, judge


def test_in_a_race_its_readers_alone_are_polled_without_a_pause(top: Tabletop) -> None:
    bench, judge = judged(top, "hand")
    others, began_s = bench.play.polls, bench.clock.now()
    bench.passes(100)
    assert bench.play.polls == others
    assert bench.clock.now() - began_s == pytest.approx(100 * POLL_S)
    assert bench.hand.polled_s[-1] - bench.hand.polled_s[-2] == pytest.approx(POLL_S)
    judge.race = ()
    began_s = bench.clock.now()
    bench.passes(10)
    assert bench.play.polls == others + 10
    assert bench.clock.now() - began_s == pytest.approx(10 * PASS_S)


@pytest.mark.parametrize("spots", [("seat-1",), ("seat-1", "hand")])
def test_a_race_on_spots_without_a_reader_is_run_on_those_that_have_one(
    top: Tabletop, spots: tuple[str, ...]
) -> None:
    bench, _ = judged(top, *spots)
    play, hand = bench.play.polls, bench.hand.polls
    bench.passes(10)
    assert bench.hand.polls - hand == 10
    assert bench.play.polls - play == (0 if "hand" in spots else 10)


class PatientReader(FakeReader):
    """A fake reader with a tag that wakes too late for an ordinary poll."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.sees_late = Sighting()
        self.patient_s: list[float] = []  # times of the patient polls

    def poll_patiently(self) -> Sighting:
        seen = self.poll()
        self.patient_s.append(self.polled_s[-1])
        return Sighting((*seen.uids, *self.sees_late.uids))


def patient(top: Tabletop, *race: str) -> tuple[Bench, Judge, PatientReader, PatientReader]:
    """Return a bench whose readers are patient, its judge, and the readers on play and on hand."""
    bench, judge = judged(top, *race)
    play, hand = PatientReader(bench.clock), PatientReader(bench.clock)
    parts = replace(bench.loop.parts, readers={"play": play, "hand": hand})
    bench.loop = Loop(judge, parts, bench.clock, bench.loop.announcer, bench.loop.draw)
    bench.passes(FOUND_POLLS + 1)
    return bench, judge, play, hand


def test_in_a_race_an_arrival_waits_for_patient_polls_of_the_others(top: Tabletop) -> None:
    """A tag that was there before, but wakes late, is not beaten by one that wakes in time."""
    bench, judge, play, hand = patient(top, "play", "hand")
    slow, prompt = bytes(7), bytes([4, *range(6)])
    play.sees_late, hand.sees = Sighting((slow,)), Sighting((prompt,))
    bench.passes(3)
    (event,) = judge.events
    assert isinstance(event, TagsArrived)
    assert {(tag.spot, tag.uid) for tag in event.tags} == {("play", slow), ("hand", prompt)}


def test_in_a_race_each_reader_is_polled_patiently_now_and_then(top: Tabletop) -> None:
    bench, _, play, hand = patient(top, "play", "hand")
    began_s, polls = bench.clock.now(), play.polls
    for reader in (play, hand):
        reader.patient_s.clear()
    bench.run_for(1.0)
    for reader in (play, hand):
        assert len(reader.patient_s) == pytest.approx(0.5 / PATIENT_S, abs=1)
    assert not {*play.patient_s} & {*hand.patient_s}
    assert play.polls - polls == pytest.approx((bench.clock.now() - began_s) / (2 * POLL_S), abs=1)


def test_without_a_race_no_poll_is_patient(top: Tabletop) -> None:
    bench, judge, play, hand = patient(top)
    hand.sees = Sighting((bytes(7),))
    bench.passes(200)
    assert len(judge.events) == 1
    assert play.patient_s == hand.patient_s == []


def test_readers_that_cannot_be_patient_take_part_in_a_race(top: Tabletop) -> None:
    bench, judge = judged(top, "play", "hand")
    bench.passes(FOUND_POLLS)
    bench.hand.sees = Sighting((bytes(7),))
    bench.passes(2)
    assert [type(event) for event in judge.events] == [TagsArrived]


def test_when_no_raced_reader_answers_the_loop_does_not_hurry(top: Tabletop) -> None:
    bench, judge = judged(top, "hand")
    bench.hand.fault = SILENT
    began_s = bench.clock.now()
    bench.passes(40)
    assert bench.clock.now() - began_s == pytest.approx(40 * PASS_S)
    assert judge.events == [PartFailed("reader hand", "reader")]
    bench.hand.fault = None
    bench.run_for(RETRY_S)
    assert judge.events[1:] == [PartRecovered("reader hand")]
    assert bench.loop.pause_s == 0.0


def test_when_no_raced_reader_answers_the_others_are_looked_at(top: Tabletop) -> None:
    """If no reader of the race answers, the other readers are polled.

    At a table without buttons, a command card there can then end the game.
    """
    bench, judge = judged(top, "hand")
    bench.hand.fault = SILENT
    bench.passes(2)
    judge.events.clear()
    bench.lay("weight-7")
    bench.passes(1)
    assert judge.events == [arrived(uid_of("straw", Piece("weight-7")))]


def test_in_a_race_a_picture_is_shown_slice_by_slice(top: Tabletop) -> None:
    bench, judge = judged(top, "hand")
    bench.passes(3)
    bench.display.within_s.clear()
    bench.drawn.clear()
    bench.display.slices, judge.shows = 5, "1"
    shown = len(bench.display.shown)
    bench.passes(4)
    assert len(bench.display.shown) == shown
    bench.passes(1)
    assert len(bench.display.shown) == shown + 1
    bench.passes(5)
    assert bench.display.within_s == [RACE_DRAW_S] * 5
    assert len(bench.drawn) == 1


def test_what_a_race_left_to_draw_is_drawn_whole_when_it_is_over(top: Tabletop) -> None:
    bench, judge = judged(top, "hand")
    bench.passes(3)
    bench.display.slices, judge.shows = 100, "1"
    bench.passes(3)
    judge.race = ()
    shown = len(bench.display.shown)
    bench.passes(1)
    assert len(bench.display.shown) == shown + 1
    assert bench.display.within_s[-4:] == [RACE_DRAW_S] * 3 + [None]


def test_in_a_race_a_pass_draws_once_for_all_events(top: Tabletop) -> None:
    bench, judge = judged(top, "hand")
    bench.passes(3)
    bench.display.within_s.clear()
    bench.display.slices, judge.shows = 3, "1"

    def answered(event: Event, at_s: float) -> tuple[Feedback, ...]:
        return (Feedback(at_s, lines("one")), Feedback(at_s, lines("two")))

    judge.receive = answered  # type: ignore[method-assign]
    bench.controls.done = [Pressed("ok"), Turned(1)]
    bench.passes(1)
    assert bench.display.within_s == [RACE_DRAW_S]
    assert bench.said[-4:] == ["One.", "Two.", "One.", "Two."]


def test_in_a_race_nothing_is_written_down_and_afterwards_it_is(top: Tabletop) -> None:
    """During a race counts are not written to the journal, since that may take too long."""
    bench, judge = judged(top, "hand")
    bench.hand.has_brown_out = True
    bench.run_for(10 * CHECK_S)
    assert entries(bench) == 0
    judge.race = ()
    bench.run_for(CHECK_S)
    assert noted(bench) == {"reader hand": {"settings-lost": 1, "re-init": 1}}


# --- on the emulated chips ---


def test_the_controller_opens_a_table_and_switches_it_off_again(tmp_path: Path) -> None:
    Tabletop(tmp_path).close()  # enrols the decks
    board = EmulatedBoard(CONFIG)
    with Controller.open(CONFIG, tmp_path, board) as controller:
        controller.loop.begin()
        for _ in range(FOUND_POLLS + 1):
            controller.loop.step()
        board.readers["play"].field.enter(Ntag(uid_of("straw", Piece("weight-1"))))
        board.clock.sleep(0.01)
        controller.loop.step()
        assert controller.loop.view.phase == "preparing"
        assert board.readers["play"].field.is_on
        assert board.display is not None
        assert board.display.is_lit
    assert not board.readers["play"].field.is_on
    assert not board.display.is_lit
    controller.close()


def test_speech_has_ended_when_the_parts_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of speech that is just being started would hold a pin that is closed then."""
    Tabletop(tmp_path).close()  # enrols the decks
    board = EmulatedBoard(CONFIG)
    was_on: list[bool] = []
    with Controller.open(CONFIG, tmp_path, board) as controller:
        controller.loop.begin()
        for _ in range(FOUND_POLLS + 1):
            controller.loop.step()

        def close() -> None:
            was_on.append(board.readers["play"].field.is_on)

        monkeypatch.setattr(controller.voice, "close", close)
    assert was_on == [True]
    assert not board.readers["play"].field.is_on


def test_a_table_whose_part_is_missing_leaves_nothing_open(tmp_path: Path) -> None:
    """If a part is missing at the start, the state folder is released and can be used at once."""
    board = EmulatedBoard(CONFIG)
    board.readers.clear()
    for _ in range(2):
        with pytest.raises(MissingPart, match=r"SPI 0\.0"):
            Controller.open(CONFIG, tmp_path, board)
    with Controller.open(CONFIG, tmp_path, EmulatedBoard(CONFIG)):
        pass
