"""The Pi's header: its 40 pins, and those that the buses have for their own.

Room: firmware.
Source: Raspberry Pi documentation, "GPIO and the 40-pin header"; the same on every Pi since the
B+ and on every Zero. Pin 1 is the one nearest to the microSD card's end of the board; pins with
odd numbers stand in the row towards the middle of the board, even ones along its edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

POWER, SUPPLY, GROUND = "3V3", "5V", "GND"
RAILS = (POWER, SUPPLY, GROUND)

_FUNCTIONS = """
    3V3 5V   2 5V    3 GND   4 14   GND 15   17 18   27 GND   22 23   3V3 24   10 GND
    9 25   11 8   GND 7   0 1   5 GND   6 12   13 GND   19 16   26 20   GND 21
"""  # of pins 1 to 40: a rail, or a BCM number


@dataclass(frozen=True, slots=True)
class HeaderPin:
    """One pin of the header: its *number* on the board, and its *rail* or its *bcm* number."""

    number: int
    rail: str | None
    bcm: int | None

    @property
    def name(self) -> str:
        """What it is called: ``GPIO17``, or the rail it is on."""
        return self.rail or f"GPIO{self.bcm}"

    @property
    def row(self) -> int:
        """The row it stands in, from 0 at the end of pin 1."""
        return (self.number - 1) // 2

    @property
    def is_odd(self) -> bool:
        """Whether it stands in pin 1's row: on the left, when that one is at the top."""
        return self.number % 2 == 1


def _pin(number: int, function: str) -> HeaderPin:
    if function in RAILS:
        return HeaderPin(number, function, None)
    return HeaderPin(number, None, int(function))


HEADER: Final = tuple(_pin(*pin) for pin in enumerate(_FUNCTIONS.split(), 1))
GPIO: Final[Mapping[int, HeaderPin]] = {pin.bcm: pin for pin in HEADER if pin.bcm is not None}
ROWS: Final = len(HEADER) // 2


def pins_on(rail: str) -> tuple[HeaderPin, ...]:
    """Every pin on *rail*, in order."""
    return tuple(pin for pin in HEADER if pin.rail == rail)


@dataclass(frozen=True, slots=True)
class SpiPins:
    """The BCM numbers of an SPI bus; its chip selects in order."""

    sck: int
    mosi: int
    miso: int
    selects: tuple[int, ...]


# SPI1's chip selects are those of the overlay spi1-3cs.
SPI: Final = {0: SpiPins(11, 10, 9, (8, 7)), 1: SpiPins(21, 20, 19, (18, 17, 16))}
SDA, SCL = 2, 3  # of I2C1, the header's one I2C bus
SERIAL_CONSOLE: Final = (14, 15)
