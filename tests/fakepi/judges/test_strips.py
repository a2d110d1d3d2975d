"""A judge of the LED strips: Adafruit's NeoPixel over SPI, unmodified, as is Blinka below it."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from fakepi import FakePi
from tests.fakepi.judges.bench import fake_pi
from tests.fakepi.judges.verdicts import right, wrong

NEOPIXEL = "adafruit-circuitpython-neopixel-spi 1.0.16"
COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (1, 2, 4), (128, 64, 32)] * 6
MOST_LEDS = 200


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePi]:
    """A fake Pi with a strip on MOSI, which takes undefined pulses as real LEDs do."""
    wiring = {"spi": {"0.0": {"chip": "ws2812", "count": MOST_LEDS}}}
    with fake_pi(wiring, monkeypatch) as pi:
        yield pi


def open_strip(count: int) -> Any:
    """Return the driver of *count* LEDs, opened as its manual says."""
    board, busio = importlib.import_module("board"), importlib.import_module("busio")
    spi = busio.SPI(board.SCK, MOSI=board.MOSI)
    return importlib.import_module("neopixel_spi").NeoPixel_SPI(spi, count, auto_write=False)


@right(NEOPIXEL, "Shows 30 colours in their places, and the brightness that is set.")
def test_neopixel_shows_its_colours(pi: FakePi) -> None:
    strip = open_strip(len(COLOURS))
    strip[:] = COLOURS
    strip.show()
    pi.clock.advance(0.001)
    assert pi.strips["0.0"].colours[: len(COLOURS)] == tuple(COLOURS)
    strip.brightness = 0.5
    strip.show()
    pi.clock.advance(0.001)
    assert pi.strips["0.0"].colours[:2] == ((127, 0, 0), (0, 127, 0))


@right(NEOPIXEL, "Switches the LEDs off in `deinit()`.")
def test_neopixel_ends_dark(pi: FakePi) -> None:
    strip = open_strip(8)
    strip.fill((9, 9, 9))
    strip.show()
    strip.deinit()
    pi.clock.advance(0.001)
    assert set(pi.strips["0.0"].colours) == {(0, 0, 0)}


@wrong(NEOPIXEL, "Sends a 1 that is high for 625 ns, which is too short for a WS2812B (650 ns).")
def test_neopixel_pulses_are_out_of_the_limits(pi: FakePi) -> None:
    strip = open_strip(1)
    strip[0] = COLOURS[0]
    strip.show()
    problem = "high for 625 ns in a 1: the limits are 650 and 950 ns"
    assert problem in pi.strips["0.0"].undefined_pulses


@wrong(NEOPIXEL, "Of more than 168 LEDs, the others stay dark: the second transfer is a new start.")
def test_neopixel_loses_the_end_of_a_long_strip(pi: FakePi) -> None:
    strip = open_strip(MOST_LEDS)
    strip.fill(COLOURS[0])
    strip.show()
    pi.clock.advance(0.001)
    lit = [colour == COLOURS[0] for colour in pi.strips["0.0"].colours]
    assert lit == [True] * 168 + [False] * 32
