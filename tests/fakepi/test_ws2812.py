"""Tests of the emulated WS2812 strips: pulses against the data sheets."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.spi import SpiDevice
from fakepi.undefined import Undefined
from fakepi.ws2812 import (
    WS2812,
    WS2812B,
    WS2812B_V5,
    Colour,
    PulseTimes,
    UndefinedPulseError,
    Ws2812Spi,
    Ws2812Strip,
)

DARK: Colour = (0, 0, 0)
COLOURS = st.tuples(*[st.integers(0, 255)] * 3)
ZERO, ONE = (400, 850), (800, 450)  # the WS2812B's nominal pulses


def strip(
    count: int = 2, *, times: PulseTimes = WS2812B, undefined: Undefined = "raise"
) -> tuple[VirtualClock, Ws2812Strip]:
    clock = VirtualClock()
    return clock, Ws2812Strip(clock, count, times=times, undefined=undefined)


def pulses(colours: Iterable[Colour]) -> list[tuple[int, int]]:
    """Return the nominal pulses of *colours*: green, red, blue, the highest bit first."""
    grb = b"".join(bytes((green, red, blue)) for red, green, blue in colours)
    return [ONE if byte >> bit & 1 else ZERO for byte in grb for bit in range(7, -1, -1)]


@given(st.lists(COLOURS, min_size=3, max_size=3))
def test_each_led_shows_its_24_bits_after_the_reset(colours: list[Colour]) -> None:
    clock, leds = strip(3)
    leds.send(pulses(colours))
    assert leds.colours == (DARK,) * 3
    clock.advance_ns(50_000)
    assert leds.colours == tuple(colours)
    assert leds.colour(2) == colours[2]


def test_a_second_frame_begins_at_the_first_led() -> None:
    clock, leds = strip()
    leds.send(pulses([(1, 2, 3), (4, 5, 6)]))
    clock.advance_ns(50_000)
    leds.send(pulses([(7, 8, 9)]))
    clock.advance_ns(50_000)
    assert leds.colours == ((7, 8, 9), (4, 5, 6))


def test_bits_beyond_the_strip_and_parts_of_a_colour_are_lost() -> None:
    clock, leds = strip(1)
    leds.send(pulses([(1, 2, 3), (4, 5, 6)]))
    clock.advance_ns(50_000)
    leds.send(pulses([(255, 255, 255)])[:23])
    clock.advance_ns(50_000)
    assert leds.colours == ((1, 2, 3),)


@pytest.mark.parametrize(
    ("times", "good", "bad"),
    [
        (WS2812B, (250, 850), (249, 850)),
        (WS2812B, (550, 850), (551, 850)),
        (WS2812B, (400, 700), (400, 699)),
        (WS2812B, (400, 1000), (400, 1001)),
        (WS2812B, (650, 450), (649, 450)),
        (WS2812B, (950, 450), (951, 450)),
        (WS2812B, (800, 300), (800, 299)),
        (WS2812B, (800, 600), (800, 601)),
        (WS2812, (350, 800), (501, 800)),
        (WS2812, (700, 600), (851, 600)),
        (WS2812B_V5, (380, 600), (381, 600)),
        (WS2812B_V5, (580, 600), (579, 600)),
    ],
)
def test_a_pulse_outside_of_the_limits_is_refused(
    times: PulseTimes, good: tuple[int, int], bad: tuple[int, int]
) -> None:
    _, leds = strip(times=times)
    leds.send([good, good])
    leds.drive(1)
    _, leds = strip(times=times)
    with pytest.raises(UndefinedPulseError, match="ns in a"):
        leds.send([bad, bad])


def test_a_pause_that_is_no_reset_is_refused() -> None:
    clock, leds = strip()
    leds.send(pulses([(1, 2, 3)]))
    clock.advance_ns(20_000)
    with pytest.raises(UndefinedPulseError, match="low for"):
        leds.drive(1)


def test_real_leds_take_a_pause_of_9_us_for_a_reset() -> None:
    """As when a program on Linux is interrupted: the rest of the frame goes to the first LED."""
    clock, leds = strip(undefined="as-silicon")
    leds.send(pulses([(1, 2, 3)]))
    clock.advance_ns(9_000)
    leds.send(pulses([(4, 5, 6)]))
    clock.advance_ns(50_000)
    assert leds.colours == ((4, 5, 6), DARK)
    assert leds.undefined_pulses == []


def test_the_length_of_the_high_level_alone_decides_on_real_leds() -> None:
    clock, leds = strip(1, undefined="record")
    leds.send([(200, 3_000)] * 8 + [(2_000, 200)] * 16)
    clock.advance_ns(50_000)
    assert leds.colours == ((255, 0, 255),)
    assert leds.undefined_pulses[0] == "high for 200 ns in a 0: the limits are 250 and 550 ns"
    assert len(leds.undefined_pulses) == 24 + 23  # the last low level is the reset


@pytest.mark.parametrize(("high_ns", "value"), [(599, 0), (600, 255)])
def test_real_leds_decide_half_way_between_the_limits(high_ns: int, value: int) -> None:
    clock, leds = strip(1, undefined="as-silicon")
    leds.send([(high_ns, 600)] * 24)
    clock.advance_ns(50_000)
    assert leds.colours == ((value,) * 3,)


# Over SPI


def over_spi(leds: Ws2812Strip, clock: VirtualClock, clock_hz: int) -> SpiDevice:
    return SpiDevice(Ws2812Spi(leds, clock), clock, clock_hz, clocks_per_byte=8)


def test_three_bits_of_2_4_mhz_are_one_of_the_strip() -> None:
    """As rpi_ws281x does: 100b is a 0, and 110b a 1."""
    clock, leds = strip()
    colours = [(0x12, 0x80, 0xFF), (1, 2, 3)]
    bits = "".join("110" if pulse is ONE else "100" for pulse in pulses(colours))
    over_spi(leds, clock, 2_400_000).xfer2(list(int(bits, 2).to_bytes(len(bits) // 8, "big")))
    clock.advance_ns(50_000)
    assert leds.colours == tuple(colours)


def test_at_the_wrong_clock_rate_the_strip_refuses() -> None:
    clock, leds = strip()
    with pytest.raises(UndefinedPulseError, match="high for 1000 ns in a 1"):
        over_spi(leds, clock, 1_000_000).xfer2([0b10010010, 0b01001001])


def test_nothing_comes_back_from_a_strip() -> None:
    clock, leds = strip(undefined="as-silicon")
    assert over_spi(leds, clock, 2_400_000).xfer2([0xFF, 0x00]) == [0, 0]
