"""Emulated strips of WS2812 LEDs: levels on one wire in, colours out.

A bit is a pulse: a short pulse is a 0, a long one is a 1. Each LED uses the first 24 bits (green,
red and blue, highest bit first) and passes the rest on to the next LED. A long low level, the
reset, makes all of them show their colours.

May import: the standard library and fakepi.
Source: Worldsemi data sheets WS2812, WS2812B and WS2812B-V5, "data transfer time" and "composition
of 24 bit data". For pulses outside these limits: Tim's Blog (cpldcpu), "Understanding the WS2812"
(2014), which measured that the length of the high level alone decides, and that a low level of 9 us
is a reset for the WS2812B.

Simplified: LEDs take no time to pass a bit on, and pass every pulse on with its length unchanged.
Choices where the data sheets say nothing: an LED that got less than 24 bits keeps its colour;
bits beyond the last LED are lost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fakepi.clock import VirtualClock
from fakepi.spi import SpiChip
from fakepi.undefined import Undefined

COLOUR_BITS = 24

Colour = tuple[int, int, int]
Limits = tuple[int, int]


class UndefinedPulseError(ValueError):
    """A pulse whose length is outside the limits of the data sheet."""


@dataclass(frozen=True, slots=True)
class PulseTimes:
    """The limits of one type of LED, each as the minimum and the maximum in nanoseconds.

    ``reset_ns`` is the shortest reset in the data sheet, ``silicon_reset_ns`` on real LEDs.
    """

    zero_high_ns: Limits
    zero_low_ns: Limits
    one_high_ns: Limits
    one_low_ns: Limits
    reset_ns: int
    silicon_reset_ns: int

    @property
    def threshold_ns(self) -> int:
        """The length above which a high level is a 1, half way between the limits."""
        return (self.zero_high_ns[1] + self.one_high_ns[0]) // 2


WS2812 = PulseTimes((200, 500), (650, 950), (550, 850), (450, 750), 50_000, 9_000)
WS2812B = PulseTimes((250, 550), (700, 1000), (650, 950), (300, 600), 50_000, 9_000)
# Editions of this data sheet differ in the low time of a 1: 220 to 420 ns, or 580 to 1000 ns.
WS2812B_V5 = PulseTimes((220, 380), (580, 1000), (580, 1000), (220, 1000), 280_000, 280_000)


class Ws2812Strip:
    """A strip of *count* LEDs.

    Args:
        clock: the clock of the wire.
        count: the number of LEDs.
        times: the limits of their data sheet.
        undefined: the effect of a pulse outside the limits: ``"raise"`` raises an
            `UndefinedPulseError`; ``"as-silicon"`` uses the length of its high level, like real
            LEDs; ``"record"`` does the same and appends the error's text to ``undefined_pulses``.
    """

    def __init__(
        self,
        clock: VirtualClock,
        count: int,
        *,
        times: PulseTimes = WS2812B,
        undefined: Undefined = "raise",
    ) -> None:
        self._clock = clock
        self._times = times
        self.undefined: Undefined = undefined
        self.undefined_pulses: list[str] = []
        self._shown: list[Colour] = [(0, 0, 0)] * count
        self._bits: list[int] = []
        self._level = False
        self._since_ns = clock.now_ns
        self._high_ns = 0  # length of the pulse whose low part is not over
        self._is_latched = True

    @property
    def colours(self) -> tuple[Colour, ...]:
        """The visible red, green and blue of each LED, 0 to 255 each."""
        if not self._level and not self._is_latched:
            self._latch_after(self._clock.now_ns - self._since_ns)
        return tuple(self._shown)

    def colour(self, place: int) -> Colour:
        """Return the visible red, green and blue of LED *place* (from 0), 0 to 255 each."""
        return self.colours[place]

    def drive(self, level: float, at_ns: int | None = None) -> None:
        """Set the wire to *level*, 0 or 1, at *at_ns* of the clock, by default now.

        Raises:
            UndefinedPulseError: the level before was too long or too short.
        """
        if bool(level) == self._level:
            return
        at_ns = self._clock.now_ns if at_ns is None else at_ns
        length_ns, self._since_ns = at_ns - self._since_ns, at_ns
        self._level = bool(level)
        if self._level:
            self._end_low(length_ns)
        else:
            self._end_high(length_ns)

    def send(self, pulses: Iterable[tuple[int, int]]) -> None:
        """Send *pulses*, each a high and a low time in nanoseconds, and advance the clock."""
        for high_ns, low_ns in pulses:
            self.drive(1)
            self._clock.advance_ns(high_ns)
            self.drive(0)
            self._clock.advance_ns(low_ns)

    def _end_high(self, length_ns: int) -> None:
        self._is_latched = False
        self._high_ns = length_ns
        bit = int(length_ns >= self._times.threshold_ns)
        limits = self._times.one_high_ns if bit else self._times.zero_high_ns
        self._check("high", bit, length_ns, limits)
        self._bits.append(bit)

    def _end_low(self, length_ns: int) -> None:
        if not self._is_latched:
            self._latch_after(length_ns)
        if not self._is_latched:
            limits = self._times.one_low_ns if self._bits[-1] else self._times.zero_low_ns
            self._check("low", self._bits[-1], length_ns, limits)

    def _check(self, level: str, bit: int, length_ns: int, limits: Limits) -> None:
        least, most = limits
        if least <= length_ns <= most or self.undefined == "as-silicon":
            return
        text = f"{level} for {length_ns} ns in a {bit}: the limits are {least} and {most} ns"
        if self.undefined == "raise":
            raise UndefinedPulseError(text)
        self.undefined_pulses.append(text)

    def _latch_after(self, low_ns: int) -> None:
        """Show the colours if *low_ns* is long enough for a reset."""
        times = self._times
        if low_ns < (times.reset_ns if self.undefined == "raise" else times.silicon_reset_ns):
            return
        whole = min(len(self._bits) // COLOUR_BITS, len(self._shown))
        for place in range(whole):
            bits = self._bits[place * COLOUR_BITS : (place + 1) * COLOUR_BITS]
            value = int("".join(map(str, bits)), 2)
            self._shown[place] = (value >> 8 & 0xFF, value >> 16, value & 0xFF)
        self._bits.clear()
        self._is_latched = True


class Ws2812Spi(SpiChip):
    """A strip whose wire is MOSI of an SPI bus. Each clock pulse of the bus sends one level.

    The controller must not pause between bytes: give the `SpiDevice` ``clocks_per_byte=8``. Between
    transfers MOSI is low. The SPI mode makes no difference, since the strip sees no clock.
    """

    modes = range(4)

    def __init__(self, strip: Ws2812Strip, clock: VirtualClock) -> None:
        self._strip = strip
        self._clock = clock
        self._byte_ns = 0

    def select(self) -> None:
        """Do nothing: the strip has no chip select."""

    def shift_out(self) -> int:
        """Return 00h: nothing drives MISO."""
        return 0x00

    def shift_in(self, value: int) -> None:
        """Put the bits of *value* on the wire, the highest first, so that the last one ends now."""
        start_ns = self._clock.now_ns - self._byte_ns
        for bit in range(8):
            self._strip.drive(value >> (7 - bit) & 1, start_ns + bit * self._byte_ns // 8)

    def transfer(self, values: Sequence[int], clock: VirtualClock, byte_ns: int) -> list[int]:
        """Send *values*, each in *byte_ns*. MOSI is low afterwards."""
        self._byte_ns = byte_ns
        read = super().transfer(values, clock, byte_ns)
        self._strip.drive(0)
        return read
