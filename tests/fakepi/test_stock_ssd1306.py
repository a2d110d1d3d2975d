"""Tests of the unmodified adafruit_ssd1306 over the emulated chip, including its known faults."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.oled import GLASS_128X32, GLASS_128X64, Glass
from fakepi.ssd1306 import Ssd1306Chip
from hardware.drivers.ssd1306_library import adafruit_ssd1306

SSD1306_I2C = adafruit_ssd1306.SSD1306_I2C
GLASSES = pytest.mark.parametrize("glass", [GLASS_128X64, GLASS_128X32])


def display_on(
    chip: Ssd1306Chip, clock_hz: int = 400_000, *, page_addressing: bool = False
) -> tuple[I2cBus, SSD1306_I2C]:
    bus = I2cBus(VirtualClock(), clock_hz)
    bus.attach(chip)
    size = (chip.glass.width, chip.glass.height)
    return bus, SSD1306_I2C(*size, bus, page_addressing=page_addressing)


@GLASSES
def test_the_constructor_leaves_a_clear_lit_panel(glass: Glass) -> None:
    chip = Ssd1306Chip(glass)
    bus, display = display_on(chip)
    assert chip.is_lit
    assert chip.visible() == (bytes(128),) * glass.height
    assert display.power
    assert bus.transactions == 36


@GLASSES
@given(picture=st.randoms(use_true_random=False))
def test_the_ram_holds_what_the_library_drew(glass: Glass, picture: Random) -> None:
    """After ``show()`` the RAM equals the library's buffer, and the panel shows its pixels."""
    chip = Ssd1306Chip(glass)
    _, display = display_on(chip)
    drawn = picture.randbytes(128 * glass.height // 8)
    display.buffer[1:] = drawn
    display.show()
    assert chip.gddram[: len(drawn)] == drawn
    seen = chip.visible()
    for y in range(glass.height):
        assert [bool(lit) for lit in seen[y]] == [bool(display.pixel(x, y)) for x in range(128)]


@pytest.mark.parametrize(
    ("glass", "clock_hz", "bits", "milliseconds"),
    [
        (GLASS_128X64, 100_000, 9410, 94.1),
        (GLASS_128X64, 400_000, 9410, 23.525),
        (GLASS_128X32, 100_000, 4802, 48.02),
        (GLASS_128X32, 400_000, 4802, 12.005),
    ],
)
def test_a_show_costs_seven_transactions_and_the_whole_frame(
    glass: Glass, clock_hz: int, bits: int, milliseconds: float
) -> None:
    bus, display = display_on(Ssd1306Chip(glass), clock_hz)
    before = (bus.bits, bus.transactions, bus.clock.now_ns)
    display.show()
    assert bus.bits - before[0] == bits
    assert bus.transactions - before[1] == 7
    assert bus.clock.now_ns - before[2] == round(milliseconds * 1_000_000)


def test_the_panel_lights_up_before_its_ram_is_clear() -> None:
    """Known fault: the panel shows noise when a program starts, before the RAM is cleared."""
    chip = Ssd1306Chip()
    has_flashed = []

    class Watched(I2cBus):
        def writeto(self, *message: Any, **part: Any) -> None:
            super().writeto(*message, **part)
            has_flashed.append(any(map(any, chip.visible())))

    bus = Watched(VirtualClock())
    bus.attach(chip)
    SSD1306_I2C(128, 64, bus)
    assert any(has_flashed)
    assert not has_flashed[-1]


def test_an_absent_display_is_a_value_error() -> None:
    chip = Ssd1306Chip()
    chip.present = False
    with pytest.raises(ValueError, match="No I2C device at address: 0x3c"):
        display_on(chip)


def test_an_unplugged_display_is_an_os_error() -> None:
    chip = Ssd1306Chip()
    _, display = display_on(chip)
    chip.present = False
    with pytest.raises(OSError, match="acknowledged") as silent:
        display.show()
    assert silent.value.errno == 121


def test_a_replugged_display_stays_dark() -> None:
    """``show()`` sends only the picture, and the chip has lost its settings."""
    chip = Ssd1306Chip()
    _, display = display_on(chip)
    chip.power_cycle()
    display.fill(1)
    display.show()
    assert not chip.is_lit


def test_contrast_power_and_inversion() -> None:
    chip = Ssd1306Chip()
    bus, display = display_on(chip)
    before = bus.transactions
    display.contrast(0x20)
    assert (chip.registers.contrast, bus.transactions - before) == (0x20, 2)
    display.invert(True)
    assert chip.pixel(0, 0)
    display.poweroff()
    assert not chip.is_lit


def test_rotated_by_the_library() -> None:
    chip = Ssd1306Chip()
    _, display = display_on(chip)
    display.rotate(False)
    display.pixel(0, 0, 1)
    display.show()
    assert chip.pixel(127, 63)


def test_page_addressing_is_horizontal_addressing_from_column_64() -> None:
    """Known fault: 10h and 14h set horizontal mode and column 64, so pages land 64 columns late."""
    chip = Ssd1306Chip()
    _, display = display_on(chip, page_addressing=True)
    assert chip.registers.mode == 0b00
    pages = [bytes([page + 1] * 64 + [page + 0x11] * 64) for page in range(8)]
    display.buffer[1:] = b"".join(pages)
    display.show()
    for page in range(8):
        row = chip.gddram[page * 128 : (page + 1) * 128]
        assert row == pages[page - 1][64:] + pages[page][:64]
