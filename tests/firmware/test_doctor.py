"""The doctor's findings about parts that work, parts that fail, and files in use by others."""

import io
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engines.common.contract import Tap
from engines.common.pieces import Deck, Piece
from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.boxes.register import Registered, TagRegister
from firmware.common.errors import JournalError
from firmware.config.table_config import FieldsConfig, ReaderConfig, TableConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.doctor.parts import POLLS, QUICK_POLLS
from firmware.doctor.printing import as_text, print_json, print_report
from firmware.doctor.stored import USUAL_FAULTS, look_at_decks
from firmware.journal.journal import GameStart, Journal, health_in
from firmware.runtime.controller import JOURNAL, REGISTER
from firmware.runtime.health import FAULTS
from firmware.runtime.loop import PASS_S
from hardware.drivers.pi import PiBoard
from hardware.drivers.player import Player, Way
from hardware.drivers.speaker import Speaker, open_speaker
from hardware.ports import Board, Speech, Voice
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard
from sim.mat.tags import uid_of
from sim.people.race import with_seats

CONFIG = load_config()
NOTED = {"reader play": {"polls": 9000, "settings-lost": 3, "re-init": 3}}
CARD = uid_of("straw", Piece("weight-7"))

needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="the false espeak-ng is a sh script")

COMPUTER = Computer(
    root=Path("nowhere"),
    prefix=Path("venv"),
    run=lambda _: None,
    free_bytes=lambda _: 10**10,
)
EMULATED = DoctorOptions(is_emulated=True)
QUICKLY = replace(EMULATED, is_quick=True)

Break = Callable[[EmulatedBoard], None]


def examined(
    folder: Path,
    *breaks: Break,
    seats: int = 0,
    voice: Voice | None = None,
    computer: Computer = COMPUTER,
    options: DoctorOptions = EMULATED,
) -> DoctorReport:
    """Return the doctor's report on an emulated table after applying *breaks* to its board."""
    config = with_seats(CONFIG, seats, in_turn=False) if seats else CONFIG

    def opened(_: object) -> EmulatedBoard:
        board = EmulatedBoard(config, voice)
        for breaks_it in breaks:
            breaks_it(board)
        return board

    return Examination(config, opened, computer, options).run(folder)


def examine(
    config: TableConfig, folder: Path, open_board: Callable[[object], Board]
) -> DoctorReport:
    """Return the doctor's report on the board that *open_board* opens."""
    return Examination(config, open_board, COMPUTER, EMULATED).run(folder)


def untouchable(_: object) -> Board:
    """Fail the test; used as ``open_board`` where the doctor must not open the board."""
    raise AssertionError("the parts were touched")


def of(report: DoctorReport, part: str) -> list[Finding]:
    """Return the findings about *part*."""
    return [finding for finding in report.findings if finding.part == part]


def verdicts(report: DoctorReport, part: str) -> list[Verdict]:
    return [finding.verdict for finding in of(report, part)]


def later(board: EmulatedBoard, seconds: float, act: Callable[[], None]) -> None:
    board.clock.call_at(round(seconds * 1e9), act)


class Loudspeaker(SilentVoice):
    """A fake voice that records its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def say(self, text: str, language: str) -> None:
        self.said.append(text)


def use_chip(board: EmulatedBoard, kind: type[Mfrc522], **how: Any) -> None:
    """Give the reader ``play`` a new chip of *kind*, made with the options *how*."""
    reader = board.readers["play"]
    reader.chip = kind(board.clock, reader.field, **how)


def lay(board: EmulatedBoard) -> None:
    board.readers["play"].field.enter(Ntag(CARD))


# --- parts that work -----------------------------------------------------------------------------


def test_a_table_that_is_well_is_told_so_part_by_part(tmp_path: Path) -> None:
    report = examined(tmp_path)
    assert report.verdict is Verdict.SKIP
    assert {f.part for f in report.findings if f.verdict is not Verdict.OK} == {"clock", "by hand"}
    told = [(finding.part, finding.found) for finding in report.findings]
    assert [part for part, _ in told] == [
        *("table", "computer", "python", "clock", "broker", "disk", "journal", "state folder"),
        *("decks", "reader play", "reader play", "reset play", "wires play", "display"),
        *("lamps", "controls", "buzzer", "speech", "by hand"),
    ]
    assert ("table", f"{CONFIG.file}: readers on play") in told
    assert ("reader play", "MFRC522 version 2.0 (92h), gain 43 dB, self test passed") in told
    assert ("reader play", f"{POLLS} polls, 0 garbled; no tag on it") in told
    assert ("display", "SSD1306 at 0x3C") in told
    assert ("lamps", "opened 10 pins: GPIO 16 17 18 19 20 21 22 27 23 24") in told
    assert report.run == {"reader play": {"polls": POLLS}, "display": {}}
    assert not report.lacks_part


def test_every_reader_of_a_table_is_looked_at(tmp_path: Path) -> None:
    report = examined(tmp_path, seats=4)
    readers = ["reader play", *(f"reader seat-{number}" for number in range(1, 5))]
    assert list(report.run) == [*readers, "display"]
    for reader in readers:
        assert verdicts(report, reader) == [Verdict.OK, Verdict.OK]


def test_readers_with_select_pins_and_one_reset_wire_are_looked_at(tmp_path: Path) -> None:
    spots = ("play", "hand", "box", "seat-1")
    readers = tuple(
        ReaderConfig(spot, 0, 1, reset_pin=25, select_pin=pin)
        for spot, pin in zip(spots, (16, 17, 18, 19), strict=True)
    )
    config = replace(CONFIG, readers=readers, lamps={}, fields=FieldsConfig(True, 0.001))
    report = Examination(config, EmulatedBoard, COMPUTER, EMULATED).run(tmp_path)
    assert report.verdict is Verdict.SKIP  # its questions to a person were skipped
    assert list(report.run) == [*(f"reader {spot}" for spot in spots), "display"]


def test_of_two_readers_the_one_that_can_be_opened_is_looked_at(tmp_path: Path) -> None:
    config = replace(CONFIG, readers=(*CONFIG.readers, ReaderConfig("hand", 1, 2)))
    report = Examination(config, lambda _: EmulatedBoard(CONFIG), COMPUTER, EMULATED).run(tmp_path)
    assert verdicts(report, "SPI 1.2") == [Verdict.FAIL]
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.OK]
    assert report.lacks_part


def test_readers_are_polled_at_the_pace_of_the_loop(tmp_path: Path) -> None:
    boards: list[EmulatedBoard] = []
    examined(tmp_path, boards.append)
    assert POLLS * PASS_S < boards[0].clock.now() < POLLS * PASS_S + 0.2


def test_the_parts_are_switched_off_and_closed_at_the_end(tmp_path: Path) -> None:
    boards: list[EmulatedBoard] = []
    examined(tmp_path, boards.append)
    assert not boards[0].readers["play"].field.is_on
    assert boards[0].display is not None
    assert not boards[0].display.is_lit
    Journal(tmp_path / JOURNAL).close()  # the state folder is released too


def test_a_card_that_lies_there_is_counted(tmp_path: Path) -> None:
    report = examined(tmp_path, lay)
    polled = of(report, "reader play")[1]
    assert polled == Finding(
        "reader play",
        Verdict.OK,
        f"{POLLS} polls, 0 garbled; tags on it: 1, missed in 0% of polls",
    )


def test_a_quick_look_takes_less_than_a_second_and_says_nothing_aloud(tmp_path: Path) -> None:
    boards: list[EmulatedBoard] = []
    voice = Loudspeaker()
    report = examined(tmp_path, boards.append, seats=6, voice=voice, options=QUICKLY)
    assert report.verdict is Verdict.SKIP
    assert verdicts(report, "speech") == [Verdict.SKIP]
    assert boards[0].clock.now() < 1.0
    assert voice.said == []
    assert of(report, "by hand") == []
    assert of(report, "reader play")[0].found == "MFRC522 version 2.0 (92h)"
    assert of(report, "reader play")[1].found.startswith(f"{QUICK_POLLS} polls")


def test_a_chip_of_which_no_self_test_is_known_is_no_fault(tmp_path: Path) -> None:
    report = examined(tmp_path, lambda board: use_chip(board, Mfrc522, version=0x88))
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.OK]
    assert "no self test is known" in of(report, "reader play")[0].found


# --- parts that fail -----------------------------------------------------------------------------


def test_a_reader_that_is_silent_fails_with_what_to_check(tmp_path: Path) -> None:
    report = examined(tmp_path, lambda board: board.readers["play"].cut(0x00))
    (finding,) = of(report, "reader play")
    assert finding.verdict is Verdict.FAIL
    assert "does not answer" in finding.found
    assert "SPI wires and 3.3 V" in finding.remedy
    assert report.run["reader play"] == {"silent": 1, "offline": 1}
    assert verdicts(report, "display") == [Verdict.OK]  # the other parts are still checked
    assert report.verdict is Verdict.FAIL


def test_a_reader_that_dies_while_it_is_polled_fails(tmp_path: Path) -> None:
    def dies(board: EmulatedBoard) -> None:
        later(board, 0.2, lambda: board.readers["play"].cut(0xFF))

    report = examined(tmp_path, dies)
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.FAIL]
    counts = report.run["reader play"]
    assert 0 < counts["polls"] < POLLS
    assert (counts["silent"], counts["offline"]) == (1, 1)


def test_what_the_table_would_mend_in_silence_is_reported(tmp_path: Path) -> None:
    def dips(board: EmulatedBoard) -> None:
        later(board, 0.2, board.readers["play"].chip.brown_out)

    report = examined(tmp_path, dips)
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.WARN, Verdict.OK]
    warning = of(report, "reader play")[1]
    assert warning.found.startswith("had to be repaired during this check, because the reader")
    assert "3.3 V" in warning.remedy
    assert report.run["reader play"] == {"polls": POLLS, "settings-lost": 1, "re-init": 1}
    assert report.verdict is Verdict.WARN


def test_what_is_odd_about_a_chip_is_a_warning(tmp_path: Path) -> None:
    def unknown(board: EmulatedBoard) -> None:
        reader = board.readers["play"]
        reader.chip = Mfrc522(board.clock, reader.field, version=0x77)

    report = examined(tmp_path, unknown)
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.WARN, Verdict.OK]
    assert "77h" in of(report, "reader play")[1].found


def test_a_failed_self_test_is_a_warning_and_the_reader_is_used_all_the_same(
    tmp_path: Path,
) -> None:
    report = examined(tmp_path, lambda board: use_chip(board, Mfrc522, self_test=bytes(64)))
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.WARN, Verdict.OK]
    warning = of(report, "reader play")[1]
    assert "self test" in warning.found
    assert warning.remedy == "if cards are read badly, use another reader board"


@pytest.mark.parametrize("is_quick", [False, True])
def test_a_gain_that_cannot_be_set_fails_because_the_table_refuses_the_reader(
    tmp_path: Path, is_quick: bool
) -> None:
    def copied(board: EmulatedBoard) -> None:
        use_chip(board, Mfrc522, has_fixed_gain=True)

    report = examined(tmp_path, copied, options=replace(EMULATED, is_quick=is_quick))
    finding = of(report, "reader play")[-1]
    assert finding.verdict is Verdict.FAIL
    assert finding.found.startswith("the reader chip's gain is fixed at 33 dB and cannot be set")
    assert finding.remedy == "use another reader board"


def test_readers_that_hear_the_same_tag_are_told_to_be_moved_apart(tmp_path: Path) -> None:
    def between(board: EmulatedBoard) -> None:
        tag = Ntag(CARD)
        chance = Random(2)
        board.readers["seat-1"].field.enter(tag)
        board.readers["seat-2"].field.enter(tag, lambda _: chance.random() < 0.5)

    report = examined(tmp_path, between, seats=3)
    (finding,) = of(report, "readers seat-1 and seat-2")
    assert finding.verdict is Verdict.WARN
    assert finding.remedy.startswith("Move their antennas apart, or write in_turn = true")


def test_a_tag_that_is_read_badly_is_a_warning(tmp_path: Path) -> None:
    chance = Random(1)

    def weak(board: EmulatedBoard) -> None:
        lay(board)
        board.readers["play"].field.miss = lambda _: chance.random() < 0.3

    report = examined(tmp_path, weak)
    (polled,) = (f for f in of(report, "reader play") if "polls" in f.found)
    assert polled.verdict is Verdict.WARN
    assert polled.remedy


def test_a_field_that_is_disturbed_is_a_warning(tmp_path: Path) -> None:
    def noisy(board: EmulatedBoard) -> None:
        lay(board)
        board.readers["play"].field.noise = lambda _picc, _frame: 0b1

    report = examined(tmp_path, noisy)
    (polled,) = (f for f in of(report, "reader play") if "polls" in f.found)
    assert polled.verdict is Verdict.WARN
    assert "metal" in polled.remedy


def test_a_display_that_does_not_answer_fails_with_what_to_check(tmp_path: Path) -> None:
    def unplugged(board: EmulatedBoard) -> None:
        assert board.display is not None
        board.display.present = False

    report = examined(tmp_path, unplugged)
    (finding,) = of(report, "display")
    assert finding.verdict is Verdict.FAIL
    assert "check its four wires" in finding.remedy
    assert report.run["display"] == {"lost": 1, "offline": 1}


def test_a_slow_bus_is_a_warning_with_the_line_to_write(tmp_path: Path) -> None:
    def slow(board: EmulatedBoard) -> None:
        board.i2c_bus.clock_hz = 100_000

    report = examined(tmp_path, slow)
    assert verdicts(report, "display") == [Verdict.OK, Verdict.WARN]
    finding = of(report, "display")[1]
    assert "i2c_arm_baudrate=400000" in finding.found + finding.remedy


def test_a_lamp_whose_pin_is_busy_fails_alone(tmp_path: Path) -> None:
    def busy(board: EmulatedBoard) -> None:
        board.pins.pin(CONFIG.lamps["seat-3"]).is_held = True

    report = examined(tmp_path, busy)
    (failed,) = (finding for finding in report.findings if finding.verdict is Verdict.FAIL)
    assert (failed.part, failed.found) == ("lamp seat-3 on GPIO18", "'GPIO busy'")
    assert failed.remedy.startswith("Find the program that uses the pin with: gpioinfo")
    assert report.lacks_part
    assert of(report, "lamps")[0].found == "opened 9 pins: GPIO 16 17 19 20 21 22 27 23 24"
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.OK]


@pytest.mark.parametrize(
    ("pin", "part"),
    [
        (5, "encoder on GPIO5 and GPIO6"),
        (26, "button back on GPIO26"),
        (12, "buzzer on GPIO12"),
        (25, "reset on GPIO25"),
    ],
)
def test_the_part_on_a_busy_pin_is_named(tmp_path: Path, pin: int, part: str) -> None:
    def busy(board: EmulatedBoard) -> None:
        board.pins.pin(pin).is_held = True

    report = examined(tmp_path, busy)
    assert [f.part for f in report.findings if f.verdict is Verdict.FAIL] == [part]
    assert verdicts(report, "display") == [Verdict.OK]


@needs_sh
def test_speech_without_a_sound_card_is_a_warning(tmp_path: Path) -> None:
    program = tmp_path / "aplay"
    program.write_text("#!/bin/sh\necho 'audio open error: No such device' >&2\nexit 1\n")
    program.chmod(0o755)
    voice = Speaker((), Player(lambda: [Way(str(program), ())]))
    report = examined(tmp_path, voice=voice)
    voice.close()
    (finding,) = of(report, "speech")
    assert finding.verdict is Verdict.WARN
    assert finding.found == f"{program}: audio open error: No such device"
    assert "aplay -l" in finding.remedy
    assert f"adduser {COMPUTER.user()} audio" in finding.remedy
    assert report.verdict is Verdict.WARN  # only a warning: a table can be played in silence


@pytest.mark.parametrize("options", [EMULATED, QUICKLY])
def test_speech_that_is_not_installed_is_a_warning_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: DoctorOptions
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    voice = open_speaker(Speech())
    report = examined(tmp_path, voice=voice, options=options)
    voice.close()
    assert of(report, "speech") == [
        Finding("speech", Verdict.WARN, "espeak-ng is not installed", "sudo apt install espeak-ng")
    ]


def test_a_computer_without_the_parts_is_told_which_and_what_to_do(tmp_path: Path) -> None:
    report = examine(CONFIG, tmp_path, lambda _: PiBoard(tmp_path))
    assert report.lacks_part
    failed = [finding for finding in report.findings if finding.verdict is Verdict.FAIL]
    assert {finding.part for finding in failed} == {"SPI", "GPIO pins", "I2C"}
    assert len(failed) == 3  # each is reported once
    assert all(finding.remedy.endswith("add: --sim") for finding in failed)
    assert report.run == {}


# --- the state folder ----------------------------------------------------------------------------


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.note_health(NOTED)
        yield journal


def test_what_the_journal_holds_is_told_and_not_touched(tmp_path: Path, journal: Journal) -> None:
    journal.close()
    report = examined(tmp_path)
    assert report.journal == NOTED
    assert report.run["reader play"] == {"polls": POLLS}
    assert health_in(tmp_path / JOURNAL) == NOTED


def test_what_went_wrong_in_the_last_days_is_a_warning(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.note_health({"reader play": {"settings-lost": 40, "silent": 2, "degraded": 3}})
        journal.note_health({"display": {"lost": 1, "re-init": 1}})  # recovered at once
    report = examined(tmp_path)
    warning = of(report, "reader play")[0]
    assert warning.verdict is Verdict.WARN
    assert (
        warning.found
        == "degraded 3 times in the last 7 days, mostly because its chip lost its settings"
    )
    assert warning.remedy == "Its 3.3 V dips: use a stronger supply, or add 10 uF at the board"
    assert verdicts(report, "display") == [Verdict.OK]


def test_what_went_wrong_long_ago_is_counted_and_no_warning(tmp_path: Path) -> None:
    counts = {"display": {"lost": 9, "offline": 9}}
    last_year = datetime.now(UTC) - timedelta(days=365)
    with closing(Journal(tmp_path / JOURNAL, now=lambda: last_year)) as journal:
        journal.note_health(counts)
    report = examined(tmp_path)
    assert report.journal == counts
    assert report.verdict is Verdict.SKIP  # no warning, although some checks were skipped


def test_every_kind_of_fault_has_something_to_look_for() -> None:
    assert set(USUAL_FAULTS) == set(FAULTS)


def test_a_newer_journal_is_no_damaged_one(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as newer:
        newer.execute("PRAGMA user_version = 99")
        newer.execute("CREATE TABLE other (seq INTEGER)")
    findings = of(examined(tmp_path), "journal")
    assert [finding.remedy for finding in findings] == [
        "Update tapmat to use it. The file was not changed."
    ]


def test_parts_that_another_tapmat_uses_are_not_touched(tmp_path: Path, journal: Journal) -> None:
    report = examine(CONFIG, tmp_path, untouchable)
    (finding,) = of(report, "state folder")
    assert finding == Finding(
        "state folder",
        Verdict.WARN,
        f"{tmp_path} is in use by another tapmat; game, decks and parts were not checked",
        "Stop the other tapmat, then run: tapmat doctor",
    )
    assert (report.journal, report.run) == (NOTED, {})
    journal.note_health(NOTED)  # the other table can still write its journal


def test_while_the_doctor_looks_no_tapmat_starts(tmp_path: Path) -> None:
    def starts(_: EmulatedBoard) -> None:
        with pytest.raises(JournalError, match="is in use"):
            Journal(tmp_path / JOURNAL)

    assert examined(tmp_path, starts).verdict is Verdict.SKIP


def test_a_journal_that_cannot_be_read_fails_and_the_parts_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text("This is no journal.\n" * 100)
    report = examined(tmp_path)
    (finding,) = of(report, "journal")
    assert finding.verdict is Verdict.FAIL
    assert "is damaged, or is not an SQLite file" in finding.found
    assert finding.remedy.startswith("Start the table: it keeps a copy")
    assert verdicts(report, "display") == [Verdict.OK]


def test_a_journal_damaged_in_the_middle_fails(tmp_path: Path) -> None:
    file = tmp_path / JOURNAL
    with closing(Journal(file)) as journal:
        for number in range(300):
            journal.note_health({f"part {number}": {"polls": number}})
    whole = file.read_bytes()
    page = 4096
    file.write_bytes(whole[: 3 * page] + bytes(page) + whole[4 * page :])
    report = examined(tmp_path)
    (finding,) = of(report, "journal")
    assert finding.verdict is Verdict.FAIL
    assert "is damaged" in finding.found
    assert (
        finding.remedy
        == "Start the table: it keeps a copy and continues with everything that can be read."
    )


def test_a_game_that_cannot_be_folded_fails(tmp_path: Path) -> None:
    Journal(tmp_path / JOURNAL).close()
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as meddling, meddling:
        meddling.execute(
            "INSERT INTO entry (game, kind, body, at) VALUES (1, 'start', '{}', '2026-01-01')"
        )
    report = examined(tmp_path)
    (finding,) = of(report, "journal")
    assert finding.verdict is Verdict.FAIL
    assert "entry 1 does not match its checksum" in finding.found


def test_an_open_game_is_reported(tmp_path: Path) -> None:
    straw = load_deck(game_named("straw"))
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.begin(GameStart("straw", ("Ann", "Ben"), 0, {}, straw))
        journal.append(Tap(Piece("weight-7"), "play"))
    assert of(examined(tmp_path), "journal") == [
        Finding("journal", Verdict.OK, "undamaged; a game of straw is open, inputs: 1")
    ]


@pytest.mark.parametrize(
    ("megabytes", "verdict"), [(51, Verdict.OK), (49, Verdict.WARN), (4, Verdict.FAIL)]
)
def test_a_full_disk_is_told_before_the_journal_meets_it(
    tmp_path: Path, megabytes: int, verdict: Verdict
) -> None:
    computer = replace(COMPUTER, free_bytes=lambda _: megabytes * 10**6)
    (finding,) = of(examined(tmp_path, computer=computer), "disk")
    assert finding.verdict is verdict
    assert finding.found == f"{megabytes} MB free at {tmp_path}"
    assert ("sudo apt clean" in finding.remedy) == (verdict is not Verdict.OK)


# --- decks ---------------------------------------------------------------------------------------


def enrolled(folder: Path, number: int) -> Deck:
    """Bind tags to the first *number* pieces of Straw in *folder*, and return the deck of Straw."""
    deck = load_deck(game_named("straw"))
    with closing(TagRegister(folder / REGISTER)) as register:
        register.bind_all(
            (uid_of("straw", piece), Registered("straw", piece)) for piece in deck.pieces()[:number]
        )
    return deck


def test_a_table_without_any_enrolled_game_is_a_warning(tmp_path: Path) -> None:
    found = "no game is enrolled yet, so the table knows no pieces"
    remedy = "For each game you own, run: tapmat enrol GAME"
    (finding,) = look_at_decks(CONFIG, tmp_path)
    assert finding == Finding("decks", Verdict.WARN, found, remedy)
    assert not (tmp_path / REGISTER).exists()


def test_a_game_that_is_not_enrolled_is_not_checked_if_another_one_is(tmp_path: Path) -> None:
    enrolled(tmp_path, 1000)
    found, remedy = "not checked: no piece has a tag yet", "To play it, run: tapmat enrol cramel"
    finding = Finding("deck cramel", Verdict.SKIP, found, remedy)
    assert of(examined(tmp_path), "deck cramel") == [finding]


def test_an_emulated_table_needs_no_enrolled_game(tmp_path: Path) -> None:
    assert verdicts(examined(tmp_path), "decks") == [Verdict.OK]


def test_half_an_enrolled_deck_is_a_warning_that_names_what_is_missing(tmp_path: Path) -> None:
    deck = enrolled(tmp_path, 30)
    (finding,) = of(examined(tmp_path), "deck straw")
    first = ", ".join(map(str, deck.pieces()[30:33]))
    assert finding == Finding(
        "deck straw",
        Verdict.WARN,
        f"{deck.total - 30} of {deck.total} pieces have no tag: {first} and others",
        "Run: tapmat enrol straw",
    )


def test_a_whole_deck_is_well(tmp_path: Path) -> None:
    deck = enrolled(tmp_path, 1000)
    assert of(examined(tmp_path), "deck straw") == [
        Finding("deck straw", Verdict.OK, f"all {deck.total} pieces have a tag")
    ]


def test_a_register_that_cannot_be_read_fails(tmp_path: Path) -> None:
    (tmp_path / REGISTER).write_text("no register\n" * 100)
    (finding,) = of(examined(tmp_path), "tags")
    assert finding.verdict is Verdict.FAIL
    assert finding.remedy.startswith("Start the table: it keeps a copy")


def test_a_deck_file_that_cannot_be_read_fails(tmp_path: Path) -> None:
    config = replace(CONFIG, decks={"straw": tmp_path / "none.toml"})
    report = Examination(config, EmulatedBoard, COMPUTER, QUICKLY).run(tmp_path)
    assert verdicts(report, "deck straw") == [Verdict.FAIL]
    assert verdicts(report, "decks") == [Verdict.OK]


def test_a_file_as_state_folder_fails_and_the_parts_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    report = examine(CONFIG, tmp_path / "file", untouchable)
    (finding,) = of(report, "state folder")
    assert finding.verdict is Verdict.FAIL
    assert "is not a folder" in finding.found


# --- printing ------------------------------------------------------------------------------------

REPORT = DoctorReport(
    [
        Finding("reader play", Verdict.OK, "MFRC522 version 2.0 (92h)"),
        Finding("display", Verdict.FAIL, "it is dark", "check [its] plug"),
    ],
    run={"reader play": {"polls": 50}},
    journal=NOTED,
)


def test_people_get_a_line_a_check_and_the_counts() -> None:
    out = io.StringIO()
    print_report(REPORT, out)
    text = out.getvalue()
    first, second, *_ = text.splitlines()
    assert first.split() == ["OK", "reader", "play", "MFRC522", "version", "2.0", "(92h)"]
    assert second.split() == ["FAIL", "display", "it", "is", "dark;", "check", "[its]", "plug"]
    assert "polls 50" in text
    assert "polls 9,000" in text
    assert "re-init 3" in text


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        (("OK",), "Verdict: OK. No problem was found."),
        (("OK", "SKIP"), "Verdict: OK (1 skipped). No problem was found."),
        (("WARN", "OK"), "Verdict: WARN (1 warned). It works; see the lines marked WARN."),
        (
            ("SKIP", "WARN", "FAIL", "FAIL"),
            "Verdict: FAIL (2 failed, 1 warned, 1 skipped). See the lines marked FAIL.",
        ),
    ],
)
def test_the_report_ends_in_a_verdict(verdicts: tuple[str, ...], line: str) -> None:
    report = DoctorReport([Finding("part", Verdict(verdict), "found") for verdict in verdicts])
    assert as_text(report).splitlines()[-1] == line
    assert len(line) < 80


def test_what_was_shown_is_not_printed_again() -> None:
    out = io.StringIO()
    print_report(REPORT, out, first=1)
    assert out.getvalue().split()[0] == "FAIL"


def test_programs_get_everything_as_json() -> None:
    out = io.StringIO()
    print_json(REPORT, out)
    assert json.loads(out.getvalue()) == {
        "verdict": "FAIL",
        "findings": [
            {
                "part": "reader play",
                "verdict": "OK",
                "found": "MFRC522 version 2.0 (92h)",
                "remedy": "",
            },
            {
                "part": "display",
                "verdict": "FAIL",
                "found": "it is dark",
                "remedy": "check [its] plug",
            },
        ],
        "counts": {"run": {"reader play": {"polls": 50}}, "journal": NOTED},
    }
