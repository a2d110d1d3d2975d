"""The pins of the header: levels from the computer, from pulls, and from what is wired to them.

May import: the standard library.
Source: BCM2711 ARM Peripherals, table 94: GPIO0 to 8 are pulled up after a reset, GPIO9 to 27 down.
"""

import time
from collections.abc import Callable

LAST_PULLED_UP = 8
NS_PER_S = 1_000_000_000
STILL_NS = 50_000_000  # a pin that has not changed for this long carries no pulses


class PulseMeter:
    """A meter of the pulses on a pin. It measures them from the last edges.

    *now_ns* returns the time of the computer's monotonic clock.
    """

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._now_ns = now_ns
        self._is_high = False
        self._rise_ns = self._period_ns = self._high_ns = self._edge_ns = 0

    def record(self, is_high: bool, at_ns: int) -> None:
        """Record an edge to *is_high* at *at_ns*, on the computer's monotonic clock."""
        if is_high:
            self._period_ns = at_ns - self._rise_ns
            self._rise_ns = at_ns
        else:
            self._high_ns = at_ns - self._rise_ns
        self._is_high, self._edge_ns = is_high, at_ns

    def _is_pulsing(self) -> bool:
        age_ns = self._now_ns() - self._edge_ns
        return age_ns < STILL_NS and 0 < self._high_ns < self._period_ns < STILL_NS

    @property
    def duty(self) -> float:
        """The share of the time that the pin is high, from 0 to 1."""
        return self._high_ns / self._period_ns if self._is_pulsing() else float(self._is_high)

    @property
    def frequency_hz(self) -> float | None:
        """The frequency of the pulses; None without pulses."""
        return NS_PER_S / self._period_ns if self._is_pulsing() else None


class LinePin:
    """A GPIO pin, between the computer and the parts that are wired to it.

    ``wires`` are called with every new level. While ``is_held`` is True, another program uses
    the pin.
    ``owner`` is the request that has the pin's line, if any. ``watchers`` are called with the level
    and the time of each change, in nanoseconds of the monotonic clock.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.wires: list[Callable[[float], object]] = []
        self.watchers: list[Callable[[bool, int], None]] = []
        self.is_held = False
        self.owner: object = None
        self.is_grounded = False
        self.is_pulled_up = number <= LAST_PULLED_UP
        self._is_soldered_up = False
        self._source: Callable[[], bool] | None = None
        self._from_computer: bool | None = None
        self._from_outside: bool | None = None
        self._level = self.is_pulled_up
        self._meter = PulseMeter()

    @property
    def level(self) -> bool:
        """True if the pin is high."""
        return self._level

    @property
    def state(self) -> float:
        """The share of the time that the pin is high, from 0 to 1; without pulses, 0 or 1."""
        return self._meter.duty if self._from_computer is not None else float(self._level)

    @property
    def frequency(self) -> float | None:
        """The frequency of the computer's pulses in hertz, or None."""
        return self._meter.frequency_hz if self._from_computer is not None else None

    def output(self, is_high: bool | None) -> None:
        """Drive the pin from the computer; None makes it an input."""
        self._from_computer = is_high
        self._settle()

    def pull(self, is_up: bool | None) -> None:
        """Pull the pin up or down from the computer; None is its own pull after a reset."""
        self.is_pulled_up = self.number <= LAST_PULLED_UP if is_up is None else is_up
        self._settle()

    def ground(self, is_grounded: bool) -> None:
        """Connect the pin to GND by a contact, or open the contact."""
        self.is_grounded = is_grounded
        self._settle()

    def attach(self, wire: Callable[[float], object]) -> None:
        """Call *wire* with each new level."""
        self.wires.append(wire)

    def drive(self, level: int | None) -> None:
        """Drive the pin from outside to *level*, 0 or 1, or stop (None)."""
        self._from_outside = None if level is None else bool(level)
        self._settle()

    def connect(self, source: Callable[[], bool]) -> None:
        """Connect the output *source* of a chip. Its level counts from the next `refresh`."""
        self._source = source

    def refresh(self) -> None:
        """Read the output of the connected chip, and update the pin's level."""
        if self._source is not None:
            self.drive(self._source())

    def pull_up(self) -> None:
        """Solder a pull-up to the pin that is stronger than the pulls of the Pi (about 50 kOhm)."""
        self._is_soldered_up = True
        self._settle()

    def drive_low(self) -> None:
        """Drive the pin low from outside."""
        self.drive(0)

    def drive_high(self) -> None:
        """Drive the pin high from outside."""
        self.drive(1)

    def release(self) -> None:
        """Stop driving the pin from outside."""
        self.drive(None)

    def reset(self) -> None:
        """Cut the computer's power: the pin is an input with its own pull, and has no wires."""
        self.wires.clear()
        self.watchers.clear()
        self.owner = None
        self._source = None
        self._is_soldered_up = False
        self._from_outside = None
        self.is_grounded = False
        self.pull(None)
        self.output(None)

    def _settle(self) -> None:
        """Find the level, and report it if it is a new one."""
        is_up = self.is_pulled_up or self._is_soldered_up
        sources = (self._from_computer, self._from_outside, is_up)
        level = next(source for source in sources if source is not None)
        level = level and not self.is_grounded
        if level == self._level:
            return
        self._level = level
        at_ns = time.monotonic_ns()
        self._meter.record(level, at_ns)
        for wire in self.wires:
            wire(float(level))
        for watcher in self.watchers:
            watcher(level, at_ns)


class Header:
    """The pins of a GPIO chip, by number. The kernel's driver gives the chip its label."""

    LINES = 58  # of a BCM2711; GPIO0 to 27 are on the pin header

    def __init__(self) -> None:
        self.label = b"pinctrl-bcm2711"
        self.pins = [LinePin(number) for number in range(self.LINES)]

    def pin(self, number: int) -> LinePin:
        """Return the pin GPIO *number*."""
        return self.pins[number]

    def reset(self) -> None:
        """Cut the computer's power."""
        for pin in self.pins:
            pin.reset()
