"""Tests of the unmodified adafruit-circuitpython-neopixel-spi over the emulated strips.

The tests are skipped where that package is not installed. A double of ``busio.SPI`` passes its
bytes on.
"""

import importlib
import importlib.util
import sys
from random import Random
from types import ModuleType
from typing import Any

import pytest

from fakepi.clock import VirtualClock
from fakepi.spi import SpiDevice
from fakepi.undefined import Undefined
from fakepi.ws2812 import (
    WS2812B,
    WS2812B_V5,
    PulseTimes,
    UndefinedPulseError,
    Ws2812Spi,
    Ws2812Strip,
)


def strip(count: int, **options: Any) -> tuple[VirtualClock, Ws2812Strip]:
    clock = VirtualClock()
    return clock, Ws2812Strip(clock, count, **options)


def over_spi(leds: Ws2812Strip, clock: VirtualClock) -> SpiDevice:
    return SpiDevice(Ws2812Spi(leds, clock), clock, clocks_per_byte=8)


class SpiDouble:
    """A ``busio.SPI`` without a chip select."""

    def __init__(self, device: SpiDevice) -> None:
        self._device = device

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        pass

    def configure(self, *, baudrate: int, **_mode: int) -> None:
        self._device.max_speed_hz = baudrate

    def write(self, data: bytes) -> None:
        self._device.xfer2(list(data))


@pytest.fixture
def neopixel(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The unmodified adafruit-circuitpython-neopixel-spi."""
    if importlib.util.find_spec("neopixel_spi") is None:
        pytest.skip("adafruit-circuitpython-neopixel-spi is not installed")
    busio = ModuleType("busio")
    vars(busio).update(SPI=object)
    monkeypatch.setitem(sys.modules, "busio", busio)
    monkeypatch.delitem(sys.modules, "neopixel_spi", raising=False)
    module = importlib.import_module("neopixel_spi")
    monkeypatch.delitem(sys.modules, "neopixel_spi")
    return module


@pytest.mark.parametrize(
    ("times", "undefined"), [(WS2812B, "as-silicon"), (WS2812B_V5, "as-silicon")]
)
def test_the_stock_library_shows_its_colours(
    neopixel: Any, times: PulseTimes, undefined: Undefined
) -> None:
    clock, leds = strip(30, times=times, undefined=undefined)
    pixels = neopixel.NeoPixel_SPI(SpiDouble(over_spi(leds, clock)), 30, auto_write=False)
    chance = Random(1)
    wanted = [(chance.randrange(256), chance.randrange(256), chance.randrange(256)) for _ in pixels]
    for place, colour in enumerate(wanted):
        pixels[place] = colour
    pixels.show()
    clock.advance_ns(280_000)
    assert leds.colours == tuple(wanted)


def test_the_stock_library_keeps_the_limits_of_the_v5_alone(neopixel: Any) -> None:
    """Its 1 is 625 ns high: enough for the V5, too short for the older WS2812B."""
    clock, leds = strip(1, times=WS2812B_V5)
    neopixel.NeoPixel_SPI(SpiDouble(over_spi(leds, clock)), 1).fill((1, 2, 255))
    clock.advance_ns(280_000)
    assert leds.colours == ((1, 2, 255),)
    clock, leds = strip(1, times=WS2812B)
    pixels = neopixel.NeoPixel_SPI(SpiDouble(over_spi(leds, clock)), 1)
    with pytest.raises(UndefinedPulseError, match="high for 625 ns in a 1"):
        pixels.fill((1, 2, 255))
