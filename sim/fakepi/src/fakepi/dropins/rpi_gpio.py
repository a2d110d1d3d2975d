"""The drop-in for ``RPi.GPIO``: inputs, outputs, pulls, edges with callbacks, PWM.

May import: the standard library and fakepi.
Source: RPi.GPIO 0.7.1 (documentation and its error messages).
Simplified: callbacks run in the thread that lets time pass, not in a separate one, and an error
in a callback reaches the program. PWM pulses are not played (`fakepi.gpio`).
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from fakepi.board import FakePi
from fakepi.dropins.program_time import FOREVER_NS, Waiter
from fakepi.gpio import BCM_OF_BOARD, PINS, PiPin, Pull

Channels: TypeAlias = int | Iterable[int]
Callback: TypeAlias = Callable[[int], Any]

NO_BOUNCE = -666  # RPi.GPIO's own default
NUMBERING = "Please set pin numbering mode using GPIO.setmode(GPIO.BOARD) or GPIO.setmode(GPIO.BCM)"


class _Detection:
    """The edge detection on one channel, with its callbacks."""

    def __init__(self, pi: FakePi, pin: PiPin, channel: int, levels: tuple[int, ...]) -> None:
        self.has_event = False
        self.callbacks: list[Callback] = []
        self.bounce_ms = NO_BOUNCE
        self._clock, self._channel, self._levels = pi.clock, channel, levels
        self._last_ns = -FOREVER_NS
        self.end = pin.watch(self._notice)

    def _notice(self, level: int) -> None:
        now = self._clock.now_ns
        if level not in self._levels or now - self._last_ns < self.bounce_ms * 1_000_000:
            return
        self._last_ns = now
        self.has_event = True
        for callback in self.callbacks:
            callback(self._channel)


class RpiGpio:
    """The functions and constants of the module ``RPi.GPIO``."""

    VERSION = "0.7.1"
    RPI_REVISION = 3
    BOARD, BCM, UNKNOWN = 10, 11, -1
    OUT, IN = 0, 1
    LOW, HIGH = 0, 1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
    RISING, FALLING, BOTH = 31, 32, 33
    SERIAL, SPI, I2C, HARD_PWM = 40, 41, 42, 43
    _PULLS: dict[int, Pull] = {PUD_OFF: "off", PUD_DOWN: "down", PUD_UP: "up"}  # noqa: RUF012
    _LEVELS = {RISING: (1,), FALLING: (0,), BOTH: (0, 1)}  # noqa: RUF012

    def __init__(self, pi: FakePi) -> None:
        self._pi = pi
        self._waiter = Waiter(pi.clock)
        self._mode: int | None = None
        self._warns = True
        self._directions: dict[int, int] = {}  # by GPIO number, of the pins in use
        self._detections: dict[int, _Detection] = {}
        self.RPI_INFO = {"P1_REVISION": 3, "TYPE": "Pi 4 Model B", "PROCESSOR": "BCM2711"}
        self.PWM = type("PWM", (RpiPwm,), {"_gpio": self})

    # Numbering

    def setmode(self, mode: int) -> None:
        """Choose the numbering of the pins, BOARD or BCM.

        Raises:
            ValueError: the mode is unknown, or the other one is set.
        """
        if mode not in (self.BOARD, self.BCM):
            raise ValueError("An invalid mode was passed to setmode()")
        if self._mode not in (None, mode):
            raise ValueError("A different mode has already been set!")
        self._mode = mode

    def getmode(self) -> int | None:
        """Return BOARD, BCM, or None before ``setmode``."""
        return self._mode

    def setwarnings(self, is_on: bool) -> None:
        """Switch warnings about pins in use on or off."""
        self._warns = bool(is_on)

    # Levels

    def setup(
        self,
        channel: Channels,
        direction: int,
        pull_up_down: int = PUD_OFF,
        initial: int = -1,
    ) -> None:
        """Claim one or more channels as inputs or outputs.

        Raises:
            RuntimeError: no numbering was chosen.
            ValueError: a channel, direction or pull is invalid.
        """
        if direction not in (self.IN, self.OUT):
            raise ValueError("An invalid direction was passed to setup()")
        if direction == self.OUT and pull_up_down != self.PUD_OFF:
            raise ValueError("pull_up_down parameter is not valid for outputs")
        if direction == self.IN and initial != -1:
            raise ValueError("initial parameter is not valid for inputs")
        if pull_up_down not in self._PULLS:
            raise ValueError(
                "Invalid value for pull_up_down - should be PUD_OFF, PUD_UP or PUD_DOWN"
            )
        for each in _several(channel):
            pin = self._pin(each)
            if self._warns and pin.is_output and pin.number not in self._directions:
                warnings.warn(
                    "This channel is already in use, continuing anyway.  "
                    "Use GPIO.setwarnings(False) to disable warnings.",
                    RuntimeWarning,
                    stacklevel=2,
                )
            self._directions[pin.number] = direction
            if direction == self.OUT:
                pin.make_output(pin.level if initial == -1 else initial)
            else:
                pin.make_input(self._PULLS[pull_up_down])

    def output(self, channel: Channels, value: Channels) -> None:
        """Drive one or more channels. *value* is one level, or one for each channel.

        Raises:
            RuntimeError: a channel was not set up as an output.
            ValueError: the numbers of channels and levels differ.
        """
        channels, values = _several(channel), _several(value)
        if len(values) == 1:
            values *= len(channels)
        if len(values) != len(channels):
            raise RuntimeError("Number of channels != number of values")
        for each, level in zip(channels, values, strict=True):
            pin = self._pin(each)
            if self._directions.get(pin.number) != self.OUT:
                raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
            pin.write(int(level))
        self._pi.clock.spend_pin_call()

    def input(self, channel: int) -> int:
        """Return the level of a channel.

        Raises:
            RuntimeError: the channel was not set up.
        """
        pin = self._pin(channel)
        if pin.number not in self._directions:
            raise RuntimeError("You must setup() the GPIO channel first")
        self._pi.clock.spend_pin_call()
        return pin.level

    def gpio_function(self, channel: int) -> int:
        """Return IN or OUT, the direction of a channel."""
        return self.OUT if self._pin(channel).is_output else self.IN

    def cleanup(self, channel: Channels | None = None) -> None:
        """Make channels inputs again: those given, or all that this program set up."""
        numbers = list(self._directions)
        if channel is not None:
            numbers = [self._pin(each).number for each in _several(channel)]
        elif not numbers and self._warns:
            warnings.warn(
                "No channels have been set up yet - nothing to clean up!  "
                "Try cleaning up at the end of your program instead!",
                RuntimeWarning,
                stacklevel=2,
            )
        for number in numbers:
            detection = self._detections.pop(number, None)
            if detection is not None:
                detection.end()
            self._directions.pop(number, None)
            self._pi.pins[number].make_input("off")
        if channel is None:
            self._mode = None

    # Edges

    def add_event_detect(
        self,
        channel: int,
        edge: int,
        callback: Callback | None = None,
        bouncetime: int = NO_BOUNCE,
    ) -> None:
        """Detect edges; call *callback* with the channel.

        An edge within *bouncetime* milliseconds of the last one is ignored.

        Raises:
            RuntimeError: the channel is not an input, or edges are detected on it already.
            ValueError: the edge or the time is invalid.
        """
        pin = self._input_pin(channel)
        if edge not in self._LEVELS:
            raise ValueError("The edge must be set to RISING, FALLING or BOTH")
        if bouncetime <= 0 and bouncetime != NO_BOUNCE:
            raise ValueError("Bouncetime must be greater than 0")
        if pin.number in self._detections:
            raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
        detection = _Detection(self._pi, pin, channel, self._LEVELS[edge])
        detection.bounce_ms = bouncetime
        if callback is not None:
            detection.callbacks.append(callback)
        self._detections[pin.number] = detection

    def add_event_callback(self, channel: int, callback: Callback) -> None:
        """Call *callback* at each edge, after the callbacks that were added before.

        Raises:
            RuntimeError: no edges are detected on the channel.
        """
        detection = self._detections.get(self._pin(channel).number)
        if detection is None:
            raise RuntimeError(
                "Add event detection using add_event_detect first before adding a callback"
            )
        detection.callbacks.append(callback)

    def remove_event_detect(self, channel: int) -> None:
        """Stop detecting edges on a channel."""
        detection = self._detections.pop(self._pin(channel).number, None)
        if detection is not None:
            detection.end()

    def event_detected(self, channel: int) -> bool:
        """Return True if there was an edge since the last call."""
        detection = self._detections.get(self._pin(channel).number)
        if detection is None:
            return False
        has_event, detection.has_event = detection.has_event, False
        return has_event

    def wait_for_edge(
        self, channel: int, edge: int, bouncetime: int = NO_BOUNCE, timeout: int | None = None
    ) -> int | None:
        """Let time pass until an edge; return the channel, or None after *timeout* milliseconds.

        Raises:
            RuntimeError: the channel is not an input, or nothing can cause an edge any more.
        """
        self.add_event_detect(channel, edge, bouncetime=bouncetime)
        timeout_s = None if timeout is None else timeout / 1000
        try:
            has_come = self._waiter.wait(
                lambda: self.event_detected(channel), timeout_s, f"wait_for_edge({channel})"
            )
        finally:
            self.remove_event_detect(channel)
        return channel if has_come else None

    # Pins

    def _input_pin(self, channel: int) -> PiPin:
        pin = self._pin(channel)
        if self._directions.get(pin.number) != self.IN:
            raise RuntimeError("You must setup() the GPIO channel as an input first")
        return pin

    def _pin(self, channel: int) -> PiPin:
        if self._mode is None:
            raise RuntimeError(NUMBERING)
        number = BCM_OF_BOARD.get(channel, -1) if self._mode == self.BOARD else channel
        if number not in PINS:
            raise ValueError("The channel sent is invalid on a Raspberry Pi")
        return self._pi.pins[number]


class RpiPwm:
    """The drop-in for ``GPIO.PWM``: pulses on one channel."""

    _gpio: RpiGpio

    def __init__(self, channel: int, frequency: float) -> None:
        gpio = self._gpio
        self._pin = gpio._pin(channel)
        if gpio._directions.get(self._pin.number) != gpio.OUT:
            raise RuntimeError("You must setup() the GPIO channel as an output first")
        self._duty = 0.0
        self._is_running = False
        self.ChangeFrequency(frequency)

    def start(self, dutycycle: float) -> None:
        """Start the pulses, with a duty cycle in per cent."""
        self._is_running = True
        self.ChangeDutyCycle(dutycycle)

    def ChangeDutyCycle(self, dutycycle: float) -> None:  # noqa: N802 - the library's name
        """Set the duty cycle in per cent.

        Raises:
            ValueError: *dutycycle* is not between 0 and 100.
        """
        if not 0 <= dutycycle <= 100:
            raise ValueError("dutycycle must have a value from 0.0 to 100.0")
        self._duty = dutycycle / 100
        self._play()

    def ChangeFrequency(self, frequency: float) -> None:  # noqa: N802 - the library's name
        """Set the frequency in hertz.

        Raises:
            ValueError: it is not above 0.
        """
        if frequency <= 0:
            raise ValueError("frequency must be greater than 0.0")
        self._frequency_hz = frequency
        self._play()

    def stop(self) -> None:
        """End the pulses. The pin goes low."""
        self._is_running = False
        self._pin.write(0)

    def _play(self) -> None:
        if self._is_running:
            self._pin.set_pwm(self._frequency_hz, self._duty)


def _several(value: Channels) -> list[int]:
    return [value] if isinstance(value, int) else list(value)
