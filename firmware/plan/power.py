"""What the parts draw, and what the Pi can give: from its 3.3 V pins, and from its GPIO pins.

Room: firmware.
Sources: pinout.xyz, "3v3 Power": 50 mA on the first Pis, "up to 500 mA to remain on the safe side"
since the B+; Raspberry Pi itself promises nothing. Raspberry Pi documentation, "Typical power
requirements": 16 mA from one GPIO pin and 50 mA from all of them together; the data sheets of the
CM4 and the CM5 name the same 50.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firmware.config import TableConfig
from firmware.plan.parts import FIELD, Current, Part

RAIL_MA: Final = 500
PINS_MA: Final = 50


@dataclass(frozen=True, slots=True)
class Draw:
    """What *part* draws from 3.3 V, straight or through GPIO pins."""

    part: str
    current: Current
    is_through_pins: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """What draws from 3.3 V."""

    draws: tuple[Draw, ...]

    @property
    def total(self) -> Current:
        """Everything at once."""
        return sum((draw.current for draw in self.draws), Current())

    @property
    def through_pins(self) -> Current:
        """What of it comes out of GPIO pins."""
        return sum((draw.current for draw in self.draws if draw.is_through_pins), Current())

    @property
    def is_tight(self) -> bool:
        """Whether the Pi could be asked for more than it bears, if every part took all it may."""
        return self.total.at_most_ma > RAIL_MA or self.through_pins.at_most_ma > PINS_MA

    @property
    def is_exceeded(self) -> bool:
        """Whether what the parts take on an ordinary day is more than the Pi bears."""
        return self.total.typical_ma > RAIL_MA or self.through_pins.typical_ma > PINS_MA


def budget_of(config: TableConfig, parts: Sequence[Part]) -> Budget:
    """What the *parts* of *config* draw; with fields in turn, one reader's alone is on."""
    draws = [
        Draw(part.name, part.current, part.is_fed_by_pins)
        for part in parts
        if part.current.at_most_ma
    ]
    if config.fields.in_turn:
        fields = Draw("Fields, one at a time", FIELD)
    else:
        fields = Draw("Fields, all at once", FIELD.times(len(config.readers)))
    return Budget((*draws, fields))
