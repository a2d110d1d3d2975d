"""The drop-in for Blinka's pins of a Raspberry Pi, under ``board`` and ``digitalio``.

It replaces ``adafruit_blinka.microcontroller.generic_linux.raspberry_pi_pin``.
May import: the standard library and fakepi.
Source: the interface that ``digitalio.DigitalInOut`` of Blinka 10 calls.
"""

from typing import ClassVar

from fakepi.board import FakePi
from fakepi.gpio import Pull


class BlinkaPin:
    """The drop-in for ``microcontroller.Pin``: the pin GPIO *bcm_number*."""

    IN, OUT = 0, 1
    LOW, HIGH = 0, 1
    PULL_NONE, PULL_UP, PULL_DOWN = 0, 1, 2
    _PULLS: ClassVar[dict[int | None, Pull]] = {None: "off", 0: "off", 1: "up", 2: "down"}
    _pi: ClassVar[FakePi]

    def __init__(self, bcm_number: int) -> None:
        self.id = bcm_number

    def __repr__(self) -> str:
        return str(self.id)

    def __eq__(self, other: object) -> bool:
        return self.id == (other.id if isinstance(other, BlinkaPin) else other)

    def __hash__(self) -> int:
        return hash(self.id)

    def init(self, mode: int | None = IN, pull: int | None = None) -> None:
        """Make the pin an input, with a pull, or an output.

        Raises:
            RuntimeError: the pull is unknown, or the pin is an output.
        """
        pin = self._pi.pins[self.id]
        if pull not in self._PULLS:
            raise RuntimeError(f"Invalid pull for pin: {self.id}")
        if mode == self.OUT:
            if pull is not None:
                raise RuntimeError("Cannot set pull resistor on output")
            pin.make_output(pin.level if pin.is_output else 0)
        else:
            pin.make_input(self._PULLS[pull])

    def deinit(self) -> None:
        """Release the pin."""
        self._pi.pins[self.id].make_input("off")

    def value(self, val: int | None = None) -> bool | None:
        """Return the level, or set it.

        Raises:
            RuntimeError: the pin is not an output.
        """
        pin = self._pi.pins[self.id]
        if val is not None:
            if not pin.is_output:
                raise RuntimeError(f"pin {self.id} is an input")
            pin.write(val)
        self._pi.clock.spend_pin_call()
        return bool(pin.level) if val is None else None
