"""The doctor's test of the SPI wires, on emulated wires that are short or too long."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from fakepi.ntag import Ntag
from firmware.config.table_config import ReaderConfig, TableConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.spi_clock import EMULATED_PATTERNS, PATTERNS, look_at_spi_clocks
from firmware.runtime.wiring import open_parts
from hardware.errors import ReaderFault
from hardware.ports import Sighting, TagReader
from sim.mat.board import EmulatedBoard
from sim.mat.faults import FAULTS

CONFIG = load_config()
COMPUTER = Computer(
    root=Path("nowhere"), prefix=Path("venv"), run=lambda _: None, free_bytes=lambda _: 10**10
)
CARD = bytes.fromhex("04A23B158C6180")


def table(**spi_mhz: int) -> TableConfig:
    """Return the default table with a reader on each named spot, at a clock rate in megahertz."""
    readers = (
        ReaderConfig(spot, 0, device, spi_mhz=rate)
        for device, (spot, rate) in enumerate(spi_mhz.items())
    )
    return replace(CONFIG, readers=tuple(readers), lamps={})


def findings(
    config: TableConfig, clean_hz: Mapping[str, float], patterns: int = EMULATED_PATTERNS
) -> dict[str, Finding]:
    """Return the findings by spot; *clean_hz* has the highest clean rates of the long wires."""
    board = EmulatedBoard(config)
    for spot, hz in clean_hz.items():
        board.readers[spot].wires.clean_hz = hz
    with closing(open_parts(config, board)) as parts:
        found = look_at_spi_clocks(config.readers, parts.readers, patterns)
        return {finding.part.removeprefix("wires "): finding for finding in found}


def test_short_wires_are_offered_the_fastest_rate() -> None:
    finding = findings(table(play=1), {})["play"]
    assert finding.verdict is Verdict.OK
    assert finding.found == "SPI is set to 1 MHz; at 8 MHz all 80 patterns were undamaged"
    assert finding.remedy == (
        "For faster taps, write spi_mhz = 8 under [readers.play] in table.toml"
    )


def test_long_wires_are_refused_four_and_eight_megahertz() -> None:
    finding = findings(table(play=1), {"play": 2e6})["play"]
    assert finding.verdict is Verdict.OK
    assert "at 2 MHz all 80 patterns were undamaged; at 4 MHz pattern" in finding.found
    assert finding.found.endswith("was damaged")
    assert "8 MHz" not in finding.found  # the chip is spared a rate that cannot be clean
    assert "spi_mhz = 2 under" in finding.remedy


@pytest.mark.parametrize("now_mhz", [3, 4, 8, 10])
def test_a_rate_that_the_wires_do_not_carry_is_a_warning(now_mhz: int) -> None:
    finding = findings(table(play=now_mhz), {"play": 2e6})["play"]
    assert finding.verdict is Verdict.WARN
    assert finding.found.startswith(
        f"SPI is set to {now_mhz} MHz; at 2 MHz all 80 patterns were undamaged"
    )
    assert finding.remedy == (
        "Shorten them, or write spi_mhz = 2 under [readers.play] in table.toml"
    )


def test_wires_that_damage_the_slowest_rate_are_a_warning_without_a_line_to_copy() -> None:
    finding = findings(table(play=1), {"play": 5e5})["play"]
    assert finding.verdict is Verdict.WARN
    assert ", and at 1 MHz pattern" in finding.found
    assert finding.found.endswith("was damaged")
    assert finding.remedy.startswith("Shorten")
    assert "spi_mhz" not in finding.remedy


def test_a_rate_that_is_right_needs_no_remedy() -> None:
    finding = findings(table(play=2), {"play": 2e6})["play"]
    assert (finding.verdict, finding.remedy) == (Verdict.OK, "")


def test_two_readers_on_a_bus_have_a_verdict_each() -> None:
    found = findings(table(play=1, hand=1), {"hand": 2e6})
    assert "spi_mhz = 8 under [readers.play]" in found["play"].remedy
    assert "spi_mhz = 2 under [readers.hand]" in found["hand"].remedy


def test_readers_with_select_pins_are_tested_one_by_one() -> None:
    readers = tuple(
        ReaderConfig(spot, 0, 1, select_pin=pin) for spot, pin in (("play", 22), ("hand", 23))
    )
    found = findings(replace(CONFIG, readers=readers, lamps={}), {"play": 2e6})
    for spot, finding in found.items():  # they share the wires to the chip select
        assert f"spi_mhz = 2 under [readers.{spot}]" in finding.remedy
    assert list(found) == ["play", "hand"]


def test_ten_thousand_patterns_find_one_damaged_byte_in_ten_thousand() -> None:
    config = table(play=1)
    board = EmulatedBoard(config)
    wires = board.readers["play"].wires
    wires.clean_hz, wires.damaged = 4e6, 1e-4
    with closing(open_parts(config, board)) as parts:
        reader = parts.readers["play"]
        (finding,) = look_at_spi_clocks(config.readers, {"play": reader}, PATTERNS)
    assert "at 4 MHz all 10,000 patterns were undamaged; at 8 MHz pattern" in finding.found
    assert finding.found.endswith("was damaged")


@pytest.mark.parametrize("clean_hz", [2e6, inf])
def test_afterwards_the_reader_is_as_before(clean_hz: float) -> None:
    """Even if its chip has lost its settings meanwhile, for example by a damaged address."""
    config = table(play=2)
    board = EmulatedBoard(config)
    board.readers["play"].wires.clean_hz = clean_hz
    with closing(open_parts(config, board)) as parts:
        reader = parts.readers["play"]
        reader.restart()
        board.clock.call_at(board.clock.now_ns + 20_000_000, board.readers["play"].chip.brown_out)
        tuple(look_at_spi_clocks(config.readers, parts.readers, EMULATED_PATTERNS))
        board.readers["play"].field.enter(Ntag(CARD))
        board.clock.sleep(0.01)
        assert reader.poll() == Sighting((CARD,))
        assert board.readers["play"].devices[0].max_speed_hz == 2_000_000


def test_a_chip_that_falls_silent_is_a_failure_and_the_next_is_still_tested() -> None:
    config = table(play=1, hand=1)
    board = EmulatedBoard(config)
    board.readers["play"].cut(0x00)
    with closing(open_parts(config, board)) as parts:
        play, hand = look_at_spi_clocks(config.readers, parts.readers, EMULATED_PATTERNS)
    assert play.verdict is Verdict.FAIL
    assert "does not answer" in play.found
    assert hand.verdict is Verdict.OK


class Untestable:
    """A reader of another chip, which cannot test its wires."""

    def poll(self) -> Sighting:
        raise ReaderFault("silent", "it must not be asked")


def test_a_chip_that_cannot_test_its_wires_is_left_out() -> None:
    reader: TagReader = Untestable()  # type: ignore[assignment]  # only what the test may call
    assert not list(look_at_spi_clocks(table(play=1).readers, {"play": reader}, 1))


@pytest.mark.parametrize(("is_quick", "is_tested"), [(False, True), (True, False)])
def test_the_doctor_tests_the_wires_unless_in_a_hurry(
    tmp_path: Path, is_quick: bool, is_tested: bool
) -> None:
    def opened(_: object) -> EmulatedBoard:
        board = EmulatedBoard(CONFIG)
        FAULTS["long-wires"].strike(board, "play")
        return board

    options = DoctorOptions(is_quick=is_quick, is_emulated=True)
    report = Examination(CONFIG, opened, COMPUTER, options).run(tmp_path)
    found = [finding.found for finding in report.findings if finding.part == "wires play"]
    assert any("at 2 MHz all" in text for text in found) == is_tested


def test_real_wires_are_tested_with_all_patterns_and_emulated_ones_with_few() -> None:
    assert DoctorOptions().patterns == PATTERNS == 10_000
    assert DoctorOptions(is_emulated=True).patterns == EMULATED_PATTERNS
