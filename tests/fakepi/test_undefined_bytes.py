"""Tests of bytes that the data sheets of the displays do not define."""

import pytest

from fakepi.oled import OledChip, UndefinedByteError
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.ssd1309 import Ssd1309Chip
from fakepi.undefined import Undefined

LUMA_VCOMH = (0xDB, 0x40)
CHIPS: list[type[OledChip]] = [Ssd1306Chip, Sh1106Chip, Ssd1309Chip]
PATIENT: list[Undefined] = ["record", "as-silicon"]


def command(chip: OledChip, *values: int) -> None:
    chip.write(bytes([0x00, *values]))


@pytest.mark.parametrize("chip_type", CHIPS)
def test_by_default_an_undefined_byte_raises(chip_type: type[OledChip]) -> None:
    text = f"^{chip_type.NAME}: command FFh is not in the data sheet$"
    with pytest.raises(UndefinedByteError, match=text):
        command(chip_type(), 0xFF)


def test_as_silicon_keeps_no_record_and_record_does() -> None:
    silent, recording = Ssd1306Chip(undefined="as-silicon"), Ssd1306Chip(undefined="record")
    for chip in (silent, recording):
        command(chip, *LUMA_VCOMH, 0xFF)
        assert chip.registers.vcomh == 0x40
    assert silent.undefined_bytes == []
    assert recording.undefined_bytes == [
        "SSD1306: command DBh: 40h is not defined by the data sheet",
        "SSD1306: command FFh is not in the data sheet",
    ]


@pytest.mark.parametrize("undefined", PATIENT)
@pytest.mark.parametrize("chip_type", CHIPS)
def test_the_byte_after_an_unknown_command_is_a_command(
    chip_type: type[OledChip], undefined: Undefined
) -> None:
    """As 8Dh, the charge pump of the SSD1306, and AFh on a chip that lacks it."""
    chip = chip_type(undefined=undefined)
    command(chip, 0xFF, 0xAF)
    assert chip.registers.is_on


@pytest.mark.parametrize(("unknown", "arguments"), [(0x23, 1), (0x2C, 6), (0x2D, 6), (0xD6, 1)])
def test_the_arguments_of_a_known_undocumented_command_are_skipped(
    unknown: int, arguments: int
) -> None:
    chip = Ssd1306Chip(undefined="record")
    command(chip, unknown, *[0xAF] * arguments)
    assert not chip.registers.is_on
    command(chip, 0xAF)
    assert chip.registers.is_on
    assert chip.undefined_bytes == [f"SSD1306: command {unknown:02X}h is not in the data sheet"]


def test_the_data_sheet_alone_knows_no_arguments_of_undocumented_commands() -> None:
    chip = Ssd1306Chip()
    with pytest.raises(UndefinedByteError, match="23h"):
        command(chip, 0x23)
    command(chip, 0xAF)
    assert chip.registers.is_on


def test_an_undefined_argument_leaves_the_setting() -> None:
    chip = Ssd1306Chip(undefined="as-silicon")
    command(chip, 0xA8, 0x1F, 0xA8, 0x05)
    assert chip.registers.mux == 32
    command(chip, 0xD9, 0xF1, 0xD9, 0x0F)
    assert chip.registers.precharge == 0xF1


def test_data_without_a_place_are_dropped() -> None:
    chip = Sh1106Chip(undefined="record")
    before = chip.gddram
    command(chip, 0x04, 0x18)  # column 84h, one after the last
    chip.write(b"\x40\x01\x02")
    assert chip.gddram == before
    assert chip.undefined_bytes == ["SH1106: data byte 01h: column addresses end at 83h"]


def test_data_end_a_command_that_waits() -> None:
    chip = Ssd1306Chip(undefined="record")
    command(chip, 0x81)
    chip.write(b"\x40\x55")
    command(chip, 0xAF)
    assert (chip.gddram[0], chip.registers.is_on, chip.registers.contrast) == (0x55, True, 0x7F)


def test_low_bits_of_a_control_byte_are_ignored() -> None:
    chip = Ssd1306Chip(undefined="as-silicon")
    chip.write(b"\x01\xaf")
    assert chip.registers.is_on
    with pytest.raises(UndefinedByteError, match="control byte 01h"):
        Ssd1306Chip().write(b"\x01\xaf")


def test_a_status_after_data_is_read_as_silicon() -> None:
    chip = Sh1106Chip(undefined="as-silicon")
    chip.write(b"\x40\x01")
    assert chip.read(1) == b"\x40"


# SSD1309


def lit_ssd1309() -> Ssd1309Chip:
    chip = Ssd1309Chip()
    command(chip, 0xA1, 0xC8, 0x20, 0x00, 0xA5, 0xAF)
    return chip


def test_an_ssd1309_needs_no_charge_pump_but_its_voltage() -> None:
    assert lit_ssd1309().pixel(0, 0)
    dark = Ssd1309Chip(has_external_vcc=False)
    command(dark, 0xA5, 0xAF)
    assert not dark.pixel(0, 0)


@pytest.mark.parametrize("unknown", [(0x8D, 0x14), (0xAD, 0x10), (0xDB, 0x20), (0xFD, 0x13)])
def test_an_ssd1309_refuses_what_only_the_ssd1306_has(unknown: tuple[int, int]) -> None:
    with pytest.raises(UndefinedByteError, match=f"{unknown[0]:02X}h"):
        command(Ssd1309Chip(), *unknown)


def test_a_locked_ssd1309_hears_nothing_until_it_is_unlocked() -> None:
    chip = lit_ssd1309()
    before = chip.gddram
    command(chip, 0xFD, 0x16, 0xAE, 0x81, 0x10)
    chip.write(b"\x40\x55")
    assert chip.pixel(0, 0)
    assert (chip.registers.contrast, chip.gddram) == (0x7F, before)
    command(chip, 0xFD, 0x12, 0xAE)
    assert not chip.pixel(0, 0)


def test_a_reset_unlocks_an_ssd1309() -> None:
    chip = lit_ssd1309()
    command(chip, 0xFD, 0x16)
    chip.reset()
    command(chip, 0xAF)
    assert chip.registers.is_on
    assert (chip.registers.clock, chip.registers.vcomh) == (0x70, 0x34)


def test_a_scroll_of_the_ssd1309_is_not_emulated() -> None:
    with pytest.raises(NotImplementedError, match="26h"):
        command(Ssd1309Chip(), 0x26, 0, 0, 0, 7, 0, 0, 0x7F)
