"""The drop-in for ``lgpio``, with the functions that gpiozero and rpi-lgpio call.

May import: the standard library and fakepi.
Source: lgpio 0.2.2 (documentation of its Python module).
Missing: I2C, serial ports, files, groups, waves, servo pulses and watchdogs of lgpio.
Simplified: callbacks run in the thread that lets time pass. PWM pulses are not played.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from fakepi.board import FakePi, TracedSpi
from fakepi.dropins.edges import Edges
from fakepi.gpio import GPIOCHIP_LABEL, GPIOCHIPS, PINS, PiPin, Pull

EdgeCallback: TypeAlias = Callable[[int, int, int, int], Any]

_ERRORS = {
    -5: "bad handle", -31: "bad SPI channel", -73: "bad GPIO number", -78: "can not open gpiochip",
    -79: "GPIO busy", -80: "GPIO not allocated", -104: "GPIO not set as an output",
    -102: "bad PWM frequency", -103: "bad PWM dutycycle",
}  # fmt: skip


class LgpioError(Exception):
    """The exception that this module offers as ``lgpio.error``."""


class _Alert:
    """The result of ``lgpio.callback``: calls *func* at each edge, after the debounce time.

    ``cancel()`` ends it.
    """

    def __init__(self, module: "LgpioModule", pin: PiPin, edge: int, func: EdgeCallback) -> None:
        self._module, self._pin, self._edge, self._func = module, pin, edge, func
        debounce_us = module.debounce_us
        edges = Edges(
            pin, module.pi.clock, self._tell, lambda: debounce_us.get(pin.number, 0) * 1000
        )
        self.cancel = edges.end

    def _tell(self, level: int) -> None:
        if self._edge & (1 if level else 2):
            self._func(0, self._pin.number, level, self._module.pi.clock.now_ns)


class LgpioModule:
    """The functions and constants of the module ``lgpio``.

    As in lgpio, a function without another result returns 0.
    """

    OKAY, BAD_HANDLE, GPIO_BUSY, GPIO_NOT_ALLOCATED = 0, -5, -79, -80
    LOW, HIGH, OFF, ON, CLEAR, SET = 0, 1, 0, 1, 0, 1
    SET_ACTIVE_LOW, SET_OPEN_DRAIN, SET_OPEN_SOURCE = 4, 8, 16
    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
    SET_BIAS_PULL_UP, SET_BIAS_PULL_DOWN, SET_BIAS_DISABLE = 32, 64, 128
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
    error = LgpioError

    def __init__(self, pi: FakePi) -> None:
        self.pi = pi
        self.exceptions = True
        self.debounce_us: dict[int, int] = {}
        self._modes: dict[int, int] = {}  # of claimed pins: flags as in gpio_get_mode
        self._spi: dict[int, TracedSpi] = {}
        self._handles = 0

    def error_text(self, number: int) -> str:
        """Return the meaning of an error number."""
        return _ERRORS.get(number, "unknown error")

    # The chip

    def gpiochip_open(self, gpiochip: int) -> int:
        """Open ``/dev/gpiochip<n>`` and return a handle."""
        return 0 if gpiochip in GPIOCHIPS else self._refuse(-78)

    def gpiochip_close(self, _handle: int) -> int:
        """Close a chip, and release all its pins."""
        for gpio in list(self._modes):
            self.gpio_free(0, gpio)
        return 0

    def gpio_get_chip_info(self, _handle: int) -> tuple[int, int, str, str]:
        """Return the status (0), the number of lines, and the chip's name and label."""
        return 0, len(PINS), "gpiochip0", GPIOCHIP_LABEL

    # Pins

    def gpio_get_mode(self, _handle: int, gpio: int) -> int:
        """Return the flags of a pin: bit 1 is output, 5 to 7 are pulls, 8 to 10 its claim."""
        if gpio not in PINS:
            return self._refuse(-73)
        return self._modes.get(gpio, 0)

    def gpio_claim_input(self, handle: int, gpio: int, l_flags: int = 0) -> int:
        """Make a pin an input, with a pull."""
        return self._claim(gpio, 1 << 8 | _pull_flags(l_flags), l_flags)

    def gpio_claim_output(
        self,
        handle: int,
        gpio: int,
        level: int = 0,
        l_flags: int = 0,
    ) -> int:
        """Make a pin an output."""
        if gpio not in PINS:
            return self._refuse(-73)
        self._modes[gpio] = 1 << 9 | 1 << 1
        self.pi.pins[gpio].make_output(level)
        return 0

    def gpio_claim_alert(
        self,
        handle: int,
        gpio: int,
        e_flags: int,
        l_flags: int = 0,
        notify: int = -1,
    ) -> int:
        """Make a pin an input whose edges are reported."""
        return self._claim(gpio, 1 << 10 | e_flags << 17 | _pull_flags(l_flags), l_flags)

    def gpio_free(self, _handle: int, gpio: int) -> int:
        """Release a pin. It keeps its direction and level, as the kernel leaves it."""
        if gpio not in self._modes:
            return self._refuse(-80)
        del self._modes[gpio]
        self.debounce_us.pop(gpio, None)
        return 0

    def gpio_read(self, _handle: int, gpio: int) -> int:
        """Return the level of a pin."""
        if gpio not in self._modes:
            return self._refuse(-80)
        self.pi.clock.spend_pin_call()
        return self.pi.pins[gpio].level

    def gpio_write(self, _handle: int, gpio: int, level: int) -> int:
        """Set the level of an output."""
        if not self._modes.get(gpio, 0) & 1 << 9:
            return self._refuse(-104)
        self.pi.pins[gpio].write(level)
        self.pi.clock.spend_pin_call()
        return 0

    def tx_pwm(
        self,
        handle: int,
        gpio: int,
        pwm_frequency: float,
        pwm_duty_cycle: float,
        pulse_offset: int = 0,
        pulse_cycles: int = 0,
    ) -> int:
        """Start pulses: a frequency in hertz (0 ends them) and a duty cycle in per cent."""
        if not 0 <= pwm_duty_cycle <= 100:
            return self._refuse(-103)
        if not 0 <= pwm_frequency <= 10_000:
            return self._refuse(-102)
        if gpio not in self._modes:
            self.gpio_claim_output(handle, gpio)
        pin = self.pi.pins[gpio]
        if pwm_frequency:
            pin.set_pwm(pwm_frequency, pwm_duty_cycle / 100)
        else:
            pin.write(0)
        return 0

    def gpio_set_debounce_micros(self, _handle: int, gpio: int, debounce_micros: int) -> int:
        """Report an edge only after the level was stable for *debounce_micros* microseconds."""
        self.debounce_us[gpio] = debounce_micros
        return 0

    def callback(
        self, handle: int, gpio: int, edge: int = 1, func: EdgeCallback = lambda *_: None
    ) -> _Alert:
        """Call *func* with chip, GPIO, level and time in ns at each edge, until ``cancel()``.

        As with lgpio, a pin that was not claimed for alerts reports none.
        """
        claimed = self._modes.get(gpio, 0) >> 17 & 3
        return _Alert(self, self.pi.pins[gpio], claimed, func)

    # SPI

    def spi_open(self, spi_device: int, spi_channel: int, baud: int, spi_flags: int = 0) -> int:
        """Open a chip select and return a handle."""
        try:
            opened = self.pi.spi(spi_device, spi_channel)
        except LookupError:
            return self._refuse(-31)
        opened.max_speed_hz = baud
        self._handles += 1
        self._spi[self._handles] = opened
        return self._handles

    def spi_close(self, handle: int) -> int:
        """Close a handle."""
        return self._refuse(-5) if self._spi.pop(handle, None) is None else 0

    def spi_read(self, handle: int, count: int) -> tuple[int, bytearray]:
        """Read *count* bytes while zeros are sent; return their number and the bytes."""
        return self.spi_xfer(handle, bytes(count))

    def spi_write(self, handle: int, data: Sequence[int]) -> int:
        """Write bytes and return their number."""
        return self.spi_xfer(handle, data)[0]

    def spi_xfer(self, handle: int, data: Sequence[int]) -> tuple[int, bytearray]:
        """Write bytes; return their number and the bytes received meanwhile."""
        if handle not in self._spi:
            return self._refuse(-5), bytearray()
        return len(data), bytearray(self._spi[handle].xfer2(list(data)))

    def _claim(self, gpio: int, mode: int, flags: int) -> int:
        if gpio not in PINS:
            return self._refuse(-73)
        self._modes[gpio] = mode
        self.pi.pins[gpio].make_input(_pull(flags, self.pi.pins[gpio].pull))
        return 0

    def _refuse(self, number: int) -> int:
        if self.exceptions:
            raise LgpioError(self.error_text(number))
        return number


def _pull_flags(flags: int) -> int:
    return flags & (32 | 64 | 128)


def _pull(flags: int, present: Pull) -> Pull:
    if flags & 32:
        return "up"
    if flags & 64:
        return "down"
    return "off" if flags & 128 else present
