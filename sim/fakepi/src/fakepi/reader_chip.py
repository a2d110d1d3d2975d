"""The interface of an emulated reader chip between an SPI bus and a field with tags.

May import: the standard library and fakepi.
"""

from typing import Protocol

from fakepi.spi import SpiChip


class ReaderChip(SpiChip, Protocol):
    """The base class of emulated reader chips. The constructor's arguments are a clock and a field.

    The emulated mat calls ``power()`` and ``reset_pin()``. The other methods cause faults. If a
    chip cannot have a fault, do not override the method, which does nothing by default.
    """

    def power(self, is_on: bool) -> None:
        """Connect or cut the supply.

        Without power, MISO reads 00h, the field is off and all state is lost.
        """
        ...

    def reset_pin(self, level: bool) -> None:
        """Drive the reset pin. Low holds the chip in reset."""
        ...

    def brown_out(self) -> None:
        """Let the supply dip, so that the chip loses its settings."""
        self.power(False)
        self.power(True)

    def overheat(self, is_hot: bool) -> None:
        """Heat the chip, or let it cool."""

    def deafen(self, is_deaf: bool) -> None:
        """Let the receiver detect no answer until a reset or a call with False."""

    def slow_crystal(self, start_ns: int) -> None:
        """Let the crystal take *start_ns* to start, from the next start on."""
