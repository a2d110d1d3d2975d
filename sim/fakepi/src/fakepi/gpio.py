"""The GPIO pins of an emulated Raspberry Pi: levels, pull resistors, edges and PWM.

A program sets a pin's direction, level, pull and PWM. From outside, the pin is driven by a button's
contact, by a chip's output, or by nothing. May import: the standard library and fakepi.
Source: BCM2835 ARM Peripherals, chapter 6 and table 6-31 (pulls after a reset); the 40-pin header
in the Raspberry Pi documentation.
"""

from collections.abc import Callable, Iterator
from typing import Literal, Protocol, TypeAlias

Pull: TypeAlias = Literal["up", "down", "off"]
Watcher: TypeAlias = Callable[[int], None]

PINS = range(28)  # GPIO0 to GPIO27 are on the header
GPIOCHIPS = (0, 4)  # the numbers of the header's chip, by model
GPIOCHIP_LABEL = "pinctrl-bcm2711"
PULLED_UP_AT_RESET = range(9)  # the others are pulled down
# GPIO numbers by the number of the contact on the header ("BOARD" numbers).
BCM_OF_BOARD = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10,
    21: 9, 22: 25, 23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19,
    36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip


class ShortCircuitError(RuntimeError):
    """A program and something outside drive the same pin to different levels."""


class Pressable(Protocol):
    """A contact that connects a pin to GND or 3.3 V while somebody presses it."""

    def press(self) -> None:
        """Close the contact."""
        ...

    def release(self) -> None:
        """Open the contact."""
        ...


class PiPin:
    """One GPIO pin.

    A floating input (no pull, nothing connected) keeps its last level. A real one would pick up
    noise.

    Attributes:
        number: the GPIO ("BCM") number.
        is_output: True if the program drives the pin.
        pull: the pull resistor: "up", "down" or "off".
        pwm: frequency in hertz and duty from 0 to 1, or None.
        wires: called with each new level, for example an emulated chip's input.
        record: called with each new level before all others, to record it.
        button: the button that is wired to the pin, or None for a plain contact to GND.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.wires: list[Callable[[bool], object]] = []
        self._watchers: list[Watcher] = []
        self.record: Watcher = lambda _level: None
        self.button: Pressable | None = None
        self._source: Callable[[], bool] | None = None
        self._is_pulled_up = False
        self.reset()

    def __repr__(self) -> str:
        direction = "output" if self.is_output else f"input, pull {self.pull}"
        return f"<GPIO{self.number}: {direction}, level {self.level}>"

    def reset(self) -> None:
        """Make the pin an input with its pull after power-on, and with nothing connected."""
        self.is_output = False
        self.pull: Pull = "up" if self.number in PULLED_UP_AT_RESET else "down"
        self.pwm: tuple[float, float] | None = None
        self._latch = 0
        self._outside: int | None = None
        self._level = int(self.pull == "up" or self._is_pulled_up)

    # What the world does

    @property
    def is_watched(self) -> bool:
        """True if something other than the recorder waits for a change by a chip."""
        return self._source is not None and bool(self._watchers)

    def press(self) -> None:
        """Press the button on the pin.

        Raises:
            ShortCircuitError: the program drives the pin to the other level.
        """
        if self.button is None:
            self.drive(0)
        else:
            self.button.press()

    def release(self) -> None:
        """Release the button, so that the pull resistor sets the level."""
        if self.button is None:
            self.drive(None)
        else:
            self.button.release()

    def ground(self, is_grounded: bool) -> None:
        """Connect the pin to GND by a contact, or open the contact."""
        self.drive(0 if is_grounded else None)

    def drive(self, level: int | None) -> None:
        """Drive the pin from outside to *level*, 0 or 1, or stop (None).

        Raises:
            ShortCircuitError: the program drives the pin to the other level.
        """
        self._outside = level
        self.refresh()

    def attach(self, wire: Callable[[float], object]) -> None:
        """Call *wire* with each new level."""
        self.wires.append(wire)

    def connect(self, source: Callable[[], bool]) -> None:
        """Connect the output *source* of a chip, which returns its level."""
        self._source = source
        self.refresh()

    def pull_up(self) -> None:
        """Solder a pull-up to the pin that is stronger than the pulls of the Pi (about 50 kOhm)."""
        self._is_pulled_up = True
        self.refresh()

    # What a program does

    def make_input(self, pull: Pull = "off") -> None:
        """Stop driving the pin, and set its *pull* resistor."""
        self.is_output, self.pull, self.pwm = False, pull, None
        self.refresh()

    def make_output(self, level: int) -> None:
        """Drive the pin to *level*."""
        self.is_output = True
        self.write(level)

    def write(self, level: int) -> None:
        """Set the level of an output. An input stores the level for later."""
        self.pwm, self._latch = None, int(bool(level))
        self.refresh()

    def set_pwm(self, frequency_hz: float, duty: float) -> None:
        """Drive the pin with pulses. *duty* is from 0 to 1.

        The pulses are not played: the level is 1 while *duty* is at least a half.
        """
        self.write(int(duty >= 0.5))
        self.pwm = (frequency_hz, duty)

    # What both see

    @property
    def level(self) -> int:
        """The present level, 0 or 1."""
        if self._source is not None:
            self.refresh()
        return self._level

    @property
    def value(self) -> float:
        """The duty of the PWM, from 0 to 1; without PWM, the level."""
        return float(self.level) if self.pwm is None else self.pwm[1]

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call *watcher* with each new level; return a function that stops this."""
        self._watchers.append(watcher)

        def end() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return end

    def refresh(self) -> None:
        """Determine the level, and pass it to watchers and wires if it is new."""
        level = self._find_level()
        if level == self._level:
            return
        self._level = level
        self.record(level)
        for wire in self.wires:
            wire(bool(level))
        for watcher in tuple(self._watchers):
            watcher(level)

    def _find_level(self) -> int:
        outside = self._outside
        if outside is None and self._source is not None:
            outside = int(self._source())
        if self.is_output:
            if outside is not None and outside != self._latch:
                drives = "high" if self._latch else "low"
                raise ShortCircuitError(
                    f"GPIO{self.number} is an output and drives {drives}, but what is connected "
                    f"to it drives the other level. Make the pin an input."
                )
            return self._latch
        if outside is not None:
            return outside
        if self._is_pulled_up:
            return 1
        return self._level if self.pull == "off" else int(self.pull == "up")


class Pins:
    """The pins of a Raspberry Pi, by GPIO number: ``pins[17]``."""

    def __init__(self) -> None:
        self._pins = {number: PiPin(number) for number in PINS}

    def __getitem__(self, number: int) -> PiPin:
        """Return a pin.

        Raises:
            KeyError: the header has no such pin.
        """
        if number not in self._pins:
            raise KeyError(f"there is no GPIO{number} on the header; use 0 to {PINS[-1]}")
        return self._pins[number]

    def __iter__(self) -> Iterator[PiPin]:
        """Iterate over all pins, in the order of their numbers."""
        return iter(self._pins.values())
