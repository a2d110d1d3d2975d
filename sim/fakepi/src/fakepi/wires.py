"""SPI wires that are too long for a high clock rate: data from the chip are damaged on the way.

May import: the standard library and fakepi.

MISO fails first. The chip sends a bit when the clock's edge has reached the chip, so the bit
arrives at the host after the time for both ways. At a high rate, that is too late. On real wires,
the damaged bits depend on the wires and boards; here they are random. Data from the host arrive
undamaged.
"""

from dataclasses import dataclass
from math import inf
from random import Random

from fakepi.clock import VirtualClock
from fakepi.spi import SpiChip, SpiDevice

DAMAGED_SHARE = 0.01


@dataclass
class SpiWires:
    """The wires between a chip select and its chips.

    Above a clock rate of *clean_hz*, the share *damaged* of the received bytes is damaged; *chance*
    decides which bytes.
    """

    chance: Random
    clean_hz: float = inf
    damaged: float = DAMAGED_SHARE

    def damage(self, values: list[int]) -> list[int]:
        """Return the received *values*; at random, some have one bit changed."""
        chance, damaged = self.chance, self.damaged
        return [
            value ^ 1 << chance.randrange(8) if chance.random() < damaged else value
            for value in values
        ]


class WiredSpi(SpiDevice):
    """An open chip select with *chip* at the end of *wires*."""

    def __init__(self, chip: SpiChip, wires: SpiWires, clock: VirtualClock, clock_hz: int) -> None:
        super().__init__(chip, clock, clock_hz)
        self._wires = wires

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile, after damage by the wires."""
        read = super().xfer2(values)
        if self.max_speed_hz <= self._wires.clean_hz:
            return read
        return self._wires.damage(read)
