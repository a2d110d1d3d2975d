"""The interface of an emulated LED strip.

May import: the standard library and fakepi.
"""

from typing import Protocol

from fakepi.spi import SpiChip


class StripChip(SpiChip, Protocol):
    """The base class of emulated LED strips. The constructor has no arguments."""

    def colour(self, place: int) -> tuple[int, int, int]:
        """Return the visible red, green and blue of LED *place* (from 0), 0 to 255 each."""
        ...
