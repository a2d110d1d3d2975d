"""The currents that the parts draw, and the limits of the Pi's 3.3 V and GPIO pins.

Sources: pinout.xyz, "3v3 Power": 50 mA on the first Pis, "up to 500 mA to remain on the safe side"
since the B+; Raspberry Pi itself gives no limit. Raspberry Pi documentation, "Typical power
requirements": 16 mA from one GPIO pin and 50 mA from all of them together; the data sheets of the
CM4 and the CM5 give the same limit of 50 mA.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firmware.config.table_config import TableConfig
from firmware.plan.parts import Part
from hardware.modules import NO_CURRENT, Current

RAIL_MA: Final = 500  # limit of all 3.3 V pins together
PINS_MA: Final = 50  # limit of all GPIO pins together


@dataclass(frozen=True, slots=True)
class Draw:
    """The current that *part* draws from 3.3 V, directly or through GPIO pins."""

    part: str
    current: Current
    is_through_pins: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """The currents that all parts draw from 3.3 V."""

    draws: tuple[Draw, ...]

    @property
    def total(self) -> Current:
        """The sum of all currents."""
        return sum((draw.current for draw in self.draws), NO_CURRENT)

    @property
    def through_pins(self) -> Current:
        """The sum of the currents that come out of GPIO pins."""
        return sum((draw.current for draw in self.draws if draw.is_through_pins), NO_CURRENT)

    @property
    def is_tight(self) -> bool:
        """True if the Pi cannot supply all parts when each draws its maximum."""
        return self.total.at_most_ma > RAIL_MA or self.through_pins.at_most_ma > PINS_MA

    @property
    def is_exceeded(self) -> bool:
        """True if the Pi cannot supply all parts when each draws its typical current."""
        return self.total.typical_ma > RAIL_MA or self.through_pins.typical_ma > PINS_MA


def budget_of(config: TableConfig, parts: Sequence[Part]) -> Budget:
    """Return the currents of *parts* and of the readers' fields.

    If the fields are on in turn, only the strongest counts.
    """
    draws = [
        Draw(part.name, part.current, part.is_fed_by_pins)
        for part in parts
        if part.current.at_most_ma
    ]
    fields = [part.field for part in parts]
    if config.fields.in_turn:
        drawn = max(fields, key=lambda field: field.at_most_ma, default=NO_CURRENT)
        field_draw = Draw("Fields, one at a time", drawn)
    else:
        field_draw = Draw("Fields, all at once", sum(fields, NO_CURRENT))
    return Budget((*draws, field_draw))
