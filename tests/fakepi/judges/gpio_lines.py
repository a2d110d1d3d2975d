"""A replacement for the module ``lgpio``: gpiozero and rpi-lgpio run on it, unmodified.

Source: the documentation of lgpio 0.2.2 (functions, flags and modes); the Linux GPIO documentation
for debouncing: the kernel reports a level once it was stable for the whole period.
"""

from collections.abc import Callable
from functools import partial
from types import ModuleType

from fakepi.clock import VirtualClock

COUNT = 54  # lines of a Raspberry Pi
OUT, IS_INPUT, IS_OUTPUT, IS_ALERT = 0x002, 0x100, 0x200, 0x400  # of gpio_get_mode()
PULL_UP, PULL_DOWN, PULL_NONE = 0x20, 0x40, 0x80
RISING, FALLING, BOTH = 1, 2, 3

Listener = Callable[[int, int, int, int], object]


class Line:
    """One GPIO line. ``driven`` is the level that a wire forces on an input; None for no wire."""

    def __init__(self, number: int, clock: VirtualClock) -> None:
        self.number = number
        self.driven: int | None = None
        self.mode = 0
        self.flags = PULL_NONE
        self.latch = 0
        self.duty = 0.0
        self.edges = 0
        self.debounce_ns = 0
        self.listeners: list[Listener] = []
        self._clock = clock
        self._changes = 0
        self._reported = 0

    @property
    def level(self) -> int:
        """The level, 0 or 1. An input without a wire follows its pull resistor."""
        if self.mode & IS_OUTPUT:
            return self.latch
        if self.driven is not None:
            return self.driven
        return int(bool(self.flags & PULL_UP))

    def drive(self, level: int | None) -> None:
        """Force *level* on the line (None: release it), and report an edge."""
        before = self.level
        self.driven = level
        if self.level == before:
            return
        self._changes += 1
        if not self.debounce_ns:
            self._report()
            return
        stable = partial(self._report_if_stable, self._changes)
        self._clock.call_at(self._clock.now_ns + self.debounce_ns, stable)

    def claim(self, mode: int, flags: int) -> None:
        """Make the line an input, an output or a source of alerts."""
        self.mode, self.flags = mode, flags or PULL_NONE
        self._reported = self.level

    def _report_if_stable(self, changes: int) -> None:
        if changes == self._changes:
            self._report()

    def _report(self) -> None:
        level = self.level
        has_changed = level != self._reported
        self._reported = level
        if has_changed and self.mode & IS_ALERT and self.edges & (RISING if level else FALLING):
            for listener in list(self.listeners):
                listener(0, self.number, level, self._clock.now_ns)


class Lgpio(ModuleType):
    """The module ``lgpio`` with the ``lines`` of an emulated Raspberry Pi."""

    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = RISING, FALLING, BOTH
    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = PULL_UP, PULL_DOWN, PULL_NONE
    GPIO_BUSY = -79
    error = RuntimeError

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__("lgpio")
        self.lines = [Line(number, clock) for number in range(COUNT)]

    def gpiochip_open(self, chip: int) -> int:
        """Return a handle."""
        return chip

    def gpiochip_close(self, handle: int) -> int:
        """Do nothing."""
        return 0

    def gpio_get_chip_info(self, handle: int) -> tuple[int, int, str, str]:
        """Return 0, the number of lines and two names."""
        return 0, COUNT, "gpiochip0", "pinctrl-bcm2835"

    def gpio_get_mode(self, handle: int, number: int) -> int:
        """Return the mode and the flags of a line."""
        line = self.lines[number]
        return line.mode | line.flags | (OUT if line.mode & IS_OUTPUT else 0)

    def gpio_claim_input(self, handle: int, number: int, flags: int = 0) -> int:
        """Make a line an input."""
        self.lines[number].claim(IS_INPUT, flags)
        return 0

    def gpio_claim_output(self, handle: int, number: int, level: int = 0, flags: int = 0) -> int:
        """Make a line an output at *level*."""
        self.lines[number].claim(IS_OUTPUT, flags)
        self.lines[number].latch = level
        return 0

    def gpio_claim_alert(self, handle: int, number: int, edges: int, flags: int = 0) -> int:
        """Make a line an input that reports *edges*."""
        self.lines[number].edges = edges
        self.lines[number].claim(IS_INPUT | IS_ALERT, flags)
        return 0

    def gpio_free(self, handle: int, number: int) -> int:
        """Release a line."""
        self.lines[number].claim(0, PULL_NONE)
        return 0

    def gpio_read(self, handle: int, number: int) -> int:
        """Return the level of a line."""
        return self.lines[number].level

    def gpio_write(self, handle: int, number: int, level: int) -> int:
        """Set the level of an output."""
        self.lines[number].latch = int(level)
        return 0

    def gpio_set_debounce_micros(self, handle: int, number: int, micros: int) -> int:
        """Report only levels that are stable for *micros*."""
        self.lines[number].debounce_ns = micros * 1000
        return 0

    def tx_pwm(self, handle: int, number: int, frequency: float, duty: float) -> int:
        """Set the duty cycle of a line, 0 to 100; a *frequency* of 0 stops it."""
        self.lines[number].duty = duty if frequency else 0.0
        return 0

    def callback(
        self, handle: int, number: int, edge: int = RISING, func: Listener | None = None
    ) -> "Callback":
        """Call *func* at each edge that the line reports; lgpio ignores *edge* here."""
        assert func is not None
        return Callback(self.lines[number], func)


class Callback:
    """A listener that can be cancelled."""

    def __init__(self, line: Line, listener: Listener) -> None:
        self._line, self._listener = line, listener
        line.listeners.append(listener)

    def cancel(self) -> None:
        """Stop listening."""
        self._line.listeners.remove(self._listener)
