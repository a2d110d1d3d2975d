"""The museum's rooms about displays."""

from collections.abc import Sequence

import pytest

from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.oled import GLASS_128X32, OledChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from hardware.drivers.ssd1306_library import adafruit_ssd1306

PAGES = 8
UPRIGHT = (0xA1, 0xC8)
LIGHT = (0x8D, 0x14, 0xAF)  # charge pump on, panel on
HORIZONTAL = (0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7)


def commands(chip: OledChip, sent: Sequence[int]) -> None:
    """Send commands in one write."""
    chip.write(bytes((0x00, *sent)))


def lit(chip: OledChip) -> set[tuple[int, int]]:
    """Return the lit pixels, as (column, row)."""
    rows = chip.visible()
    return {(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel}


def library(chip: OledChip, *, page_addressing: bool = False) -> adafruit_ssd1306.SSD1306_I2C:
    """Return the unmodified adafruit_ssd1306 on *chip*."""
    bus = I2cBus(VirtualClock())
    bus.attach(chip)
    return adafruit_ssd1306.SSD1306_I2C(
        chip.glass.width, chip.glass.height, bus, page_addressing=page_addressing
    )


@pytest.mark.parametrize(("first_column", "seen"), [(0, {(0, 0)}), (2, {(0, 0), (2, 0)})])
def test_sh1106_shifted_by_two(first_column: int, seen: set[tuple[int, int]]) -> None:
    """The picture has pixels at columns 0 and 2; a driver of the SSD1306 begins at column 0."""
    chip = Sh1106Chip()
    commands(chip, UPRIGHT)
    for page in range(PAGES):
        commands(chip, (0xB0 | page, 0x00, 0x10))
        chip.write(bytes((0x40, *bytes(132))))
    commands(chip, (0xB0, first_column, 0x10))
    chip.write(b"\x40\x01\x00\x01" + bytes(125))
    commands(chip, (0xAF,))
    assert lit(chip) == seen


def test_noise_at_the_start() -> None:
    hasty, has_flashed = Ssd1306Chip(), []

    class Watched(I2cBus):
        def writeto(self, address: int, buffer: bytes, **part: object) -> None:
            super().writeto(address, buffer, **part)  # type: ignore[arg-type]
            has_flashed.append(bool(lit(hasty)))

    bus = Watched(VirtualClock())
    bus.attach(hasty)
    adafruit_ssd1306.SSD1306_I2C(128, 64, bus)
    assert any(has_flashed)
    patient = Ssd1306Chip()
    commands(patient, HORIZONTAL)
    patient.write(b"\x40" + bytes(128 * PAGES))
    assert not lit(patient)
    commands(patient, LIGHT)
    assert patient.is_lit
    assert not lit(patient)


def test_dark_after_a_loose_plug() -> None:
    chip = Ssd1306Chip()
    display = library(chip)
    display.fill(1)
    chip.power_cycle()
    display.show()  # no error, and no light
    assert not lit(chip)
    if chip.read(1)[0] & 0x40:  # the status byte: the panel is off
        display.init_display()
        display.fill(1)
        display.show()
    assert len(lit(chip)) == 128 * 64


@pytest.mark.parametrize(("page_addressing", "seen"), [(True, {(64, 0)}), (False, {(0, 0)})])
def test_page_addressing_shifts_by_half(page_addressing: bool, seen: set[tuple[int, int]]) -> None:
    chip = Ssd1306Chip()
    display = library(chip, page_addressing=page_addressing)
    display.pixel(0, 0, 1)
    display.show()
    assert lit(chip) == seen


@pytest.mark.parametrize(("com_pins", "lines"), [(0x12, 16), (0x02, 32)])
def test_every_other_line_missing(com_pins: int, lines: int) -> None:
    chip = Ssd1306Chip(GLASS_128X32)
    commands(chip, (*UPRIGHT, 0xA8, 31, 0xDA, com_pins, *HORIZONTAL))
    chip.write(b"\x40" + b"\xff" * 128 * PAGES)
    commands(chip, LIGHT)
    assert sum(map(any, chip.visible())) == lines


def test_picture_begins_in_the_middle() -> None:
    """The first program ends after 2 of 8 pages and 44 columns; the second sends one pixel."""
    stopped_at = 2 * 128 + 44
    chip = Ssd1306Chip()
    commands(chip, (*UPRIGHT, *HORIZONTAL, *LIGHT))
    chip.write(b"\x40" + bytes(stopped_at))
    commands(chip, (*UPRIGHT, 0x20, 0x00, *LIGHT))
    for _ in range(2):  # a whole picture ends where it began, so all are shifted alike
        chip.write(b"\x40\x01" + bytes(128 * PAGES - 1))
        assert lit(chip) == {(44, 16)}
    display = library(chip)
    display.pixel(0, 0, 1)
    display.show()
    assert lit(chip) == {(0, 0)}
