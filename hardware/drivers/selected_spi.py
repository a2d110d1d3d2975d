"""An SPI device with a GPIO as chip select, for computers with fewer chip selects than chips.

May import: the standard library and hardware.ports.
May be imported by: firmware.runtime.wiring, sim, tests.

The kernel drives the device's own chip select in every transfer, so that pin is left unconnected
(CE1 for spidev0.1). Each chip on the bus has a GPIO instead. All of these are opened, and so driven
high, before the first transfer, because a chip whose chip select floats would answer too.
"""

from typing import Protocol

from hardware.ports import SpiBus


class SelectPin(Protocol):
    """The chip select wire of one chip."""

    def on(self) -> None:
        """Drive the wire low: the chip is selected."""
        ...

    def off(self) -> None:
        """Drive the wire high: the chip is not selected."""
        ...

    def close(self) -> None:
        """Release the pin."""
        ...


class SelectedSpi:
    """One chip on *spi*, selected while *select* is low, as a ``hardware.ports.SpiBus``."""

    def __init__(self, spi: SpiBus, select: SelectPin) -> None:
        self._spi = spi
        self._select = select

    @property
    def max_speed_hz(self) -> int:
        """The clock rate of this chip's transfers, in hertz."""
        return self._spi.max_speed_hz

    @max_speed_hz.setter
    def max_speed_hz(self, clock_hz: int) -> None:
        self._spi.max_speed_hz = clock_hz

    def xfer2(self, values: list[int]) -> list[int]:
        """Select the chip, send *values*, and return the bytes received at the same time."""
        self._select.on()
        try:
            return self._spi.xfer2(values)
        finally:
            self._select.off()

    def close(self) -> None:
        """Close the device and release the pin; safe to call twice."""
        self._spi.close()
        self._select.close()
