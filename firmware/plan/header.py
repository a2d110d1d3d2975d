"""The Pi's header: its 40 pins, and the pins that its buses use.

A *rail* is a voltage that several pins have in common: 3.3 V, 5 V or ground. The other pins are
GPIO pins, each with a BCM number.

Source: Raspberry Pi documentation, "GPIO and the 40-pin header"; the same on every Pi since the
B+ and on every Zero. Pin 1 is at the microSD card's end of the board. Pins with odd numbers are in
the column towards the middle of the board, those with even numbers along its edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

POWER, SUPPLY, GROUND = "3V3", "5V", "GND"
RAILS = (POWER, SUPPLY, GROUND)

_FUNCTIONS = """
    3V3 5V   2 5V    3 GND   4 14   GND 15   17 18   27 GND   22 23   3V3 24   10 GND
    9 25   11 8   GND 7   0 1   5 GND   6 12   13 GND   19 16   26 20   GND 21
"""  # the rail or the BCM number of pins 1 to 40


@dataclass(frozen=True, slots=True)
class HeaderPin:
    """One pin of the header: *number* is from 1 to 40. It has either a *rail* or a *bcm* number."""

    number: int
    rail: str | None
    bcm: int | None

    @property
    def name(self) -> str:
        """The pin's name: its rail, or for example ``GPIO17``."""
        return self.rail or f"GPIO{self.bcm}"

    @property
    def row(self) -> int:
        """The pin's row, from 0 at the end of pin 1."""
        return (self.number - 1) // 2

    @property
    def is_odd(self) -> bool:
        """True if the pin is in pin 1's column: the left one, with pin 1 at the top."""
        return self.number % 2 == 1


def _pin(number: int, function: str) -> HeaderPin:
    if function in RAILS:
        return HeaderPin(number, function, None)
    return HeaderPin(number, None, int(function))


HEADER: Final = tuple(_pin(*pin) for pin in enumerate(_FUNCTIONS.split(), 1))
GPIO: Final[Mapping[int, HeaderPin]] = {pin.bcm: pin for pin in HEADER if pin.bcm is not None}
ROWS: Final = len(HEADER) // 2


def pins_on(rail: str) -> tuple[HeaderPin, ...]:
    """Return the pins on *rail*, by number."""
    return tuple(pin for pin in HEADER if pin.rail == rail)


@dataclass(frozen=True, slots=True)
class SpiPins:
    """The BCM numbers of an SPI bus. *selects* has the chip selects CE0, CE1 and so on."""

    sck: int
    mosi: int
    miso: int
    selects: tuple[int, ...]


# SPI1's chip selects are those of the overlay spi1-3cs.
SPI: Final = {0: SpiPins(11, 10, 9, (8, 7)), 1: SpiPins(21, 20, 19, (18, 17, 16))}
SDA, SCL = 2, 3  # of I2C1, the header's one I2C bus
SERIAL_CONSOLE: Final = (14, 15)
