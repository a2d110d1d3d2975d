"""The reader driver built in docs/adding-a-reader.md works at a table, and its commands run."""

import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.common.errors import ConfigError
from firmware.config.table_config import load_config
from firmware.doctor.computer import Computer
from firmware.doctor.findings import DoctorReport
from firmware.doctor.report import report_text
from firmware.plan.plan import plan_of
from firmware.runtime.wiring import open_parts
from hardware.chip_names import READERS as GROUP
from hardware.chip_names import reader_chips
from hardware.errors import MissingPart, ReaderFault
from hardware.modules import ReaderDriver
from hardware.ports import ReaderWires, SelfTesting, Sighting, SpiTesting, TagReader
from sim.mat.board import EmulatedBoard
from sim.mat.faults import FAULTS, READER
from sim.mat.mat import Mat
from sim.mat.parts import READERS
from sim.mat.tags import uid_of
from sim.rehearsal.command import rehearse
from tests.docs.installed import installed, run_commands
from tests.docs.pages import PAGES, ROOT, page

PAGE = page("docs/adding-a-reader.md")
STRAW = sorted((ROOT / "tests" / "rehearsals" / "straw").glob("*.mat"))
CARD = bytes.fromhex("04A1B2C3D4E5F6")
TWO_READERS = """
[readers.play]
chip = "echo1"
spi = "0.0"
reset_pin = 25

[readers.hand]
spi = "0.1"
reset_pin = 25

[fields]
in_turn = true
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that the page shows, installed as pip would install them."""
    with installed(PAGE, tmp_path_factory.mktemp("echo1"), "echo1") as folder:
        yield folder


@pytest.fixture
def board(shown: Path) -> EmulatedBoard:
    return EmulatedBoard(load_config(shown / "echo-table.toml"))


def opened(board: EmulatedBoard, shown: Path) -> TagReader:
    """Return the reader of the page's table, opened with the page's driver."""
    reader = open_parts(load_config(shown / "echo-table.toml"), board).readers["play"]
    assert type(reader).__module__ == "echo1.driver"
    return reader


# --- games on this reader ---


@pytest.mark.long
@pytest.mark.parametrize("rehearsal", STRAW[:6], ids=lambda file: file.stem)
def test_games_are_played_over_it(shown: Path, rehearsal: Path) -> None:
    """Every tap goes through the page's driver; only the wiring knows which driver is in use."""
    report = rehearse(rehearsal, load_config(shown / "echo-table.toml"))
    assert report.failure is None, str(report.failure)


@pytest.mark.long
def test_the_commands_of_the_page_run(shown: Path) -> None:
    printed = run_commands(PAGE, shown)
    assert shown.name in PAGE.text
    assert printed.keys() == {"doctor", "wiring", "rehearse"}
    assert "Echo1" in printed["doctor"]
    assert "Reader play: Echo1 board, SPI 0.0" in printed["wiring"]


# --- the driver ---


def test_it_finds_tags_and_an_empty_field(board: EmulatedBoard, shown: Path) -> None:
    reader = opened(board, shown)
    assert reader.poll() == Sighting()
    board.readers["play"].field.enter(Ntag(CARD))
    board.clock.sleep(0.01)
    assert reader.poll() == Sighting((CARD,))
    assert reader.identity == "Echo1"


def test_it_cannot_test_itself_and_nobody_asks_it(board: EmulatedBoard, shown: Path) -> None:
    reader = opened(board, shown)
    assert not isinstance(reader, SelfTesting)
    assert not isinstance(reader, SpiTesting)


def test_it_raises_a_fault_and_recovers_when_restarted(board: EmulatedBoard, shown: Path) -> None:
    reader, emulated = opened(board, shown), board.readers["play"]
    reader.poll()
    emulated.chip.brown_out()
    with pytest.raises(ReaderFault) as lost:
        reader.poll()
    assert lost.value.kind == "settings-lost"
    reader.restart()
    assert reader.poll() == Sighting()
    emulated.cut(0xFF)
    with pytest.raises(ReaderFault) as silent:
        reader.poll()
    assert silent.value.kind == "silent"


def test_its_field_is_on_only_while_it_is_polled_if_fields_take_turns(shown: Path) -> None:
    """The table has an MFRC522 beside it."""
    file = shown / "two.toml"
    file.write_text(TWO_READERS, encoding="utf-8")
    config = load_config(file)
    board = EmulatedBoard(config)
    readers = open_parts(config, board).readers
    board.readers["play"].field.enter(Ntag(CARD))
    for _ in range(2):
        assert [reader.poll().uids for reader in readers.values()] == [(CARD,), ()]
        assert not any(reader.field.is_on for reader in board.readers.values())
    assert [type(reader).__name__ for reader in readers.values()] == [
        "Echo1Reader",
        "Mfrc522Reader",
    ]


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS.values() if fault.parts is READER])
def test_a_table_survives_every_fault_of_a_reader(shown: Path, tmp_path: Path, name: str) -> None:
    mat = Mat(load_config(shown / "echo-table.toml"), tmp_path)
    mat.power_on()
    mat.fault(name, "play")
    mat.wait(2.0)
    mat.fault("none", "play")
    mat.wait(2.0)
    mat.lay([Ntag(uid_of("straw", Piece("weight-3")))], "play")
    mat.wait(1.0)
    assert mat.view.phase == "preparing", "the card of Straw opened its game"
    mat.close()


# --- the registry ---


def test_an_unknown_chip_is_refused_with_the_known_ones(shown: Path, tmp_path: Path) -> None:
    assert reader_chips() == ("mfrc522", "echo1")
    file = tmp_path / "table.toml"
    file.write_text('[readers.play]\nspi = "0.0"\nchip = "pn532"\n')
    with pytest.raises(ConfigError) as refused:
        load_config(file)
    assert str(refused.value) == (
        f'{file}: readers.play.chip is "pn532"; it must be "mfrc522" or "echo1". '
        'Write for example: chip = "mfrc522"'
    )


def test_a_chip_that_is_nearly_right_is_suggested(shown: Path, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[readers.play]\nspi = "0.0"\nchip = "Echo-1"\n')
    with pytest.raises(ConfigError, match='Did you mean "echo1"'):
        load_config(file)


def test_a_driver_that_does_not_load_is_a_missing_part(
    board: EmulatedBoard, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (offer,) = entry_points(group=GROUP, name="echo1")
    assert offer.value == "echo1.driver:DRIVER"
    monkeypatch.setitem(sys.modules, "echo1.driver", None)
    with pytest.raises(MissingPart) as missing:
        open_parts(load_config(shown / "echo-table.toml"), board)
    assert "reader play: the driver echo1.driver:DRIVER cannot be loaded" in str(missing.value)
    assert "change chip in table.toml" in str(missing.value)


def test_an_entry_point_that_is_no_driver_is_a_missing_part(
    board: EmulatedBoard, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echo1.driver.DRIVER", open_parts)
    with pytest.raises(MissingPart, match=r"echo1.driver:DRIVER is not a ReaderDriver"):
        open_parts(load_config(shown / "echo-table.toml"), board)


def test_the_plan_counts_the_strongest_field_if_fields_take_turns(shown: Path) -> None:
    file = shown / "two.toml"
    file.write_text(TWO_READERS, encoding="utf-8")
    budget = plan_of(load_config(file)).budget
    assert [(draw.part, draw.current.at_most_ma) for draw in budget.draws] == [
        ("Reader play", 15),
        ("Reader hand", 19),
        ("Fields, one at a time", 100),
    ]


def test_a_report_has_the_versions_of_the_drivers_package(shown: Path) -> None:
    computer = Computer(root=shown, run=lambda _: None)
    text = report_text(DoctorReport(), load_config(shown / "echo-table.toml"), computer, None)
    assert "\ntapmat-echo1: 0.1.0\n" in text
    assert "\nmfrc522: " in text


def test_a_chip_without_an_emulation_is_a_missing_part(
    shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.mat.parts.READERS", "tapmat.no-such-group")
    with pytest.raises(MissingPart, match=r"no emulation of the chip .echo1. is installed"):
        EmulatedBoard(load_config(shown / "echo-table.toml"))
    assert READERS in PAGE.text


def test_an_emulation_that_fails_is_a_missing_part(
    shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echo1.emulation.Echo1.__init__", lambda _self: None)
    with pytest.raises(MissingPart) as missing:
        EmulatedBoard(load_config(shown / "echo-table.toml"))
    remedy = "Correct it; the arguments of its constructor are: VirtualClock, RfField"
    assert missing.value.remedy == remedy


def test_the_page_is_complete() -> None:
    """The page shows every file that it names, and names the ports that the code has."""
    files = {fence.file for fence in PAGE.fences if fence.file}
    assert files == {"echo1/driver.py", "echo1/emulation.py", "pyproject.toml", "echo-table.toml"}
    assert PAGE in PAGES
    for port in (ReaderDriver, ReaderWires, TagReader, SelfTesting, SpiTesting):
        assert f"`{port.__name__}`" in PAGE.text
