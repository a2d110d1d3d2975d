"""The doctor: what it says of parts that are well, that are not, and that somebody else uses."""

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from engines.common.pieces import Piece
from firmware.config import load_config
from firmware.controller import JOURNAL
from firmware.doctor import (
    OFTEN_BEHIND,
    POLLS,
    Finding,
    Report,
    Verdict,
    examine,
    print_json,
    print_table,
)
from firmware.errors import JournalError
from firmware.health import FAULTS
from firmware.journal import Journal, health_in
from firmware.loop import TURN_S
from hardware.drivers.pi import PiBoard
from hardware.ports import Board
from sim.board import EmulatedBoard
from sim.chips.mfrc522 import Mfrc522
from sim.chips.ntag import Ntag
from sim.race import with_seats
from sim.tags import uid_of

CONFIG = load_config()
NOTED = {"reader play": {"polls": 9000, "settings-lost": 3, "re-init": 3}}
CARD = uid_of("straw", Piece("weight-7"))

Break = Callable[[EmulatedBoard], None]


def examined(folder: Path, *breaks: Break, seats: int = 0) -> Report:
    """What the doctor says of an emulated table with so much broken."""
    config = with_seats(CONFIG, seats, in_turn=False) if seats else CONFIG

    def opened(_: object) -> EmulatedBoard:
        board = EmulatedBoard(config)
        for breaks_it in breaks:
            breaks_it(board)
        return board

    return examine(config, folder, opened)


def untouchable(_: object) -> Board:
    """No computer: the doctor was not to open one."""
    raise AssertionError("the parts were touched")


def of(report: Report, part: str) -> list[Finding]:
    """What was found of *part*."""
    return [finding for finding in report.findings if finding.part == part]


def verdicts(report: Report, part: str) -> list[Verdict]:
    return [finding.verdict for finding in of(report, part)]


def later(board: EmulatedBoard, seconds: float, act: Callable[[], None]) -> None:
    board.clock.call_at(round(seconds * 1e9), act)


def lay(board: EmulatedBoard) -> None:
    board.readers["play"].field.enter(Ntag(CARD))


# --- parts that are well -------------------------------------------------------------------------


def test_a_table_that_is_well_is_told_so_part_by_part(tmp_path: Path) -> None:
    report = examined(tmp_path)
    assert report.verdict is Verdict.OK
    assert [(f.part, f.found) for f in report.findings] == [
        ("table", f"{CONFIG.file}: readers on play"),
        ("state folder", str(tmp_path)),
        ("reader play", "MFRC522 version 2.0 (92h)"),
        ("reader play", f"{POLLS} polls, 0 garbled; tags: none seen"),
        ("display", "SSD1306 at 3Ch"),
    ]
    assert report.run == {"reader play": {"polls": POLLS}, "display": {}}
    assert not report.lacks_part


def test_every_reader_of_a_table_is_looked_at(tmp_path: Path) -> None:
    report = examined(tmp_path, seats=4)
    readers = ["reader play", *(f"reader seat-{number}" for number in range(1, 5))]
    assert list(report.run) == [*readers, "display"]
    for reader in readers:
        assert verdicts(report, reader) == [Verdict.OK, Verdict.OK]


def test_readers_are_polled_at_the_pace_of_the_loop(tmp_path: Path) -> None:
    boards: list[EmulatedBoard] = []
    examined(tmp_path, boards.append)
    assert POLLS * TURN_S < boards[0].clock.now() < POLLS * TURN_S + 0.2


def test_the_parts_are_switched_off_and_let_go_of_at_the_end(tmp_path: Path) -> None:
    boards: list[EmulatedBoard] = []
    examined(tmp_path, boards.append)
    assert not boards[0].readers["play"].field.is_on
    assert boards[0].display is not None
    assert not boards[0].display.is_lit
    Journal(tmp_path / JOURNAL).close()  # and so is the folder


def test_a_card_that_lies_there_is_counted(tmp_path: Path) -> None:
    report = examined(tmp_path, lay)
    polled = of(report, "reader play")[1]
    assert polled == Finding(
        "reader play",
        Verdict.OK,
        f"{POLLS} polls, 0 garbled; tags: 1 seen, missed 0 times at worst",
    )


# --- parts that are not --------------------------------------------------------------------------


def test_a_reader_that_is_silent_fails_with_what_to_check(tmp_path: Path) -> None:
    report = examined(tmp_path, lambda board: board.readers["play"].cut(0x00))
    (finding,) = of(report, "reader play")
    assert finding.verdict is Verdict.FAIL
    assert "silent" in finding.found
    assert "SPI wires and 3.3 V" in finding.remedy
    assert report.run["reader play"] == {"silent": 1, "offline": 1}
    assert verdicts(report, "display") == [Verdict.OK]  # the other parts are looked at all the same
    assert report.verdict is Verdict.FAIL


def test_a_reader_that_dies_while_it_is_polled_fails(tmp_path: Path) -> None:
    def dies(board: EmulatedBoard) -> None:
        later(board, 0.2, lambda: board.readers["play"].cut(0xFF))

    report = examined(tmp_path, dies)
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.FAIL]
    counts = report.run["reader play"]
    assert 0 < counts["polls"] < POLLS
    assert (counts["silent"], counts["offline"]) == (1, 1)


def test_what_the_table_would_mend_in_silence_is_told(tmp_path: Path) -> None:
    def dips(board: EmulatedBoard) -> None:
        later(board, 0.2, board.readers["play"].chip.brown_out)

    report = examined(tmp_path, dips)
    assert verdicts(report, "reader play") == [Verdict.OK, Verdict.WARN, Verdict.OK]
    warning = of(report, "reader play")[1]
    assert warning.found.startswith("had to be mended 1 times just now, last because the reader")
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


def test_a_computer_without_the_parts_is_told_which_and_what_to_do(tmp_path: Path) -> None:
    report = examine(CONFIG, tmp_path, lambda _: PiBoard(tmp_path))
    assert report.lacks_part
    finding = report.findings[-1]
    assert finding.verdict is Verdict.FAIL
    assert finding.remedy.endswith("tapmat play --sim")
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
        journal.note_health({"display": {"lost": 1, "re-init": 1}})  # mended, and that was it
    report = examined(tmp_path)
    warning = of(report, "reader play")[0]
    assert warning.verdict is Verdict.WARN
    assert warning.found == "in the last 7 days it was degraded 3 times, mostly settings-lost"
    assert warning.remedy == "Its 3.3 V dips: a stronger supply, or 10 uF at the board"
    assert verdicts(report, "display") == [Verdict.OK]


def test_what_went_wrong_long_ago_is_counted_and_no_warning(tmp_path: Path) -> None:
    counts = {"display": {"lost": 9, "offline": 9}}
    last_year = datetime.now(UTC) - timedelta(days=365)
    with closing(Journal(tmp_path / JOURNAL, now=lambda: last_year)) as journal:
        journal.note_health(counts)
    report = examined(tmp_path)
    assert report.journal == counts
    assert report.verdict is Verdict.OK


def test_every_kind_of_fault_has_something_to_look_for() -> None:
    assert set(OFTEN_BEHIND) == set(FAULTS)


def test_a_newer_journal_is_no_damaged_one(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as newer:
        newer.execute("PRAGMA user_version = 99")
        newer.execute("CREATE TABLE other (seq INTEGER)")
    findings = of(examined(tmp_path), "journal")
    assert [finding.remedy for finding in findings] == [
        "Update tapmat to read it. Nothing was touched."
    ]


def test_parts_that_another_tapmat_uses_are_not_touched(tmp_path: Path, journal: Journal) -> None:
    report = examine(CONFIG, tmp_path, untouchable)
    (finding,) = of(report, "state folder")
    assert finding == Finding(
        "state folder",
        Verdict.WARN,
        f"{tmp_path} is in use by another tapmat, so the parts were not touched",
        "End that one, then run: tapmat doctor",
    )
    assert (report.journal, report.run) == (NOTED, {})
    journal.note_health(NOTED)  # the other one plays on


def test_while_the_doctor_looks_no_tapmat_starts(tmp_path: Path) -> None:
    def starts(_: EmulatedBoard) -> None:
        with pytest.raises(JournalError, match="is in use"):
            Journal(tmp_path / JOURNAL)

    assert examined(tmp_path, starts).verdict is Verdict.OK


def test_a_journal_that_cannot_be_read_fails_and_the_parts_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text("This is no journal.\n" * 100)
    report = examined(tmp_path)
    (finding,) = of(report, "journal")
    assert finding.verdict is Verdict.FAIL
    assert "is damaged, or no SQLite file" in finding.found
    assert finding.remedy.startswith("Keep a copy")
    assert verdicts(report, "display") == [Verdict.OK]


def test_a_state_folder_that_is_none_fails_and_the_parts_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    report = examine(CONFIG, tmp_path / "file", untouchable)
    (finding,) = of(report, "state folder")
    assert finding.verdict is Verdict.FAIL
    assert "is no folder" in finding.found


# --- printing ------------------------------------------------------------------------------------

REPORT = Report(
    [
        Finding("reader play", Verdict.OK, "MFRC522 version 2.0 (92h)"),
        Finding("display", Verdict.FAIL, "it is dark", "check [its] plug"),
    ],
    run={"reader play": {"polls": 50}},
    journal=NOTED,
)


def test_people_get_a_line_a_check_and_the_counts() -> None:
    out = io.StringIO()
    print_table(REPORT, out)
    text = out.getvalue()
    first, second, *_ = text.splitlines()
    assert first.split() == ["OK", "reader", "play", "MFRC522", "version", "2.0", "(92h)"]
    assert second.split() == ["FAIL", "display", "it", "is", "dark;", "check", "[its]", "plug"]
    assert "polls 50" in text
    assert "polls 9,000" in text
    assert "re-init 3" in text


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
