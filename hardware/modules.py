"""The facts that a driver declares about its chip: the module to wire, and the module's current.

The wiring plan (``tapmat wiring``) shows them. May import: the standard library and hardware.ports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from hardware.ports import OpenLamps, OpenReader


@dataclass(frozen=True, slots=True)
class Current:
    """The current that a part draws from 3.3 V, in mA."""

    typical_ma: float = 0.0
    at_most_ma: float = 0.0

    def times(self, count: int) -> "Current":
        """Return the current of *count* such parts."""
        return Current(count * self.typical_ma, count * self.at_most_ma)

    def __add__(self, other: "Current") -> "Current":
        return Current(self.typical_ma + other.typical_ma, self.at_most_ma + other.at_most_ma)


NO_CURRENT = Current()


class PinRole(Enum):
    """The role of a module's pin. An ``OWN_SUPPLY`` or ``FREE`` pin has no wire to the Pi."""

    SELECT = auto()
    SCK = auto()
    MOSI = auto()
    MISO = auto()
    RESET = auto()  # or to 3.3 V, if the table has no reset wire
    POWER = auto()  # 3.3 V
    OWN_SUPPLY = auto()  # from its own supply, not from the Pi
    GROUND = auto()
    FREE = auto()


@dataclass(frozen=True, slots=True)
class SpiModule:
    """A module with an SPI chip.

    *name* is its name in shops. *pins* are the labels of its pins, in order, each with its role.
    *note* is a sentence for the person who wires it. *current* does not include a reader's field.
    """

    name: str
    pins: Sequence[tuple[str, PinRole]]
    note: str
    current: Current


@dataclass(frozen=True, slots=True)
class ReaderDriver:
    """The driver of a reader chip. *field* is the current that the chip's radio field draws."""

    open: OpenReader
    module: SpiModule
    field: Current


@dataclass(frozen=True, slots=True)
class LampDriver:
    """The driver of an LED strip chip, and the facts about the chip that the wiring plan shows."""

    open: OpenLamps
    module: SpiModule
