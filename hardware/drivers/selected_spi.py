"""An SPI device with a GPIO as chip select: more chips than the computer has chip selects.

Room: hardware/drivers.
May import: the standard library and hardware.ports.
May be imported by: firmware.wiring, sim, tests.

The kernel pulls the device's own chip select with every transfer, so that one goes nowhere (for
spidev0.1, CE1 is left unconnected). Every chip on the bus has a GPIO in its place, and all of those
are made, and so are high, before the first transfer: a chip whose select floats answers too.
"""

from typing import Protocol

from hardware.ports import SpiBus


class SelectPin(Protocol):
    """The wire to a chip's select."""

    def on(self) -> None:
        """Drive it low: the chip takes part."""
        ...

    def off(self) -> None:
        """Drive it high: the chip does not."""
        ...

    def close(self) -> None:
        """Let go of the pin."""
        ...


class SelectedSpi:
    """One chip on *spi* that takes part while *select* is low; a ``hardware.ports.SpiBus``."""

    def __init__(self, spi: SpiBus, select: SelectPin) -> None:
        self._spi = spi
        self._select = select

    def xfer2(self, values: list[int]) -> list[int]:
        """Exchange bytes in one transfer, the chip selected throughout."""
        self._select.on()
        try:
            return self._spi.xfer2(values)
        finally:
            self._select.off()

    def close(self) -> None:
        """Let go of the device and the pin; safe twice."""
        self._spi.close()
        self._select.close()
