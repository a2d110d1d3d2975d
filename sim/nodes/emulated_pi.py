"""An emulated Raspberry Pi 4 with the parts of a table wired to it, for real programs.

May import: firmware.config, sim.mat, fakepi and this room.
"""

from functools import partial
from pathlib import Path
from typing import Any

from fakepi.kernel.clock import FollowingClock
from fakepi.kernel.devices import PiDevices
from fakepi.kernel.pins import Header
from fakepi.kernel.program import PiProgram
from fakepi.spi import SpiDevice
from firmware.config.table_config import CHIP_SELECTS, TableConfig
from sim.mat.parts import EmulatedParts

I2C_BUS = 1  # on the pin header


class EmulatedPi(EmulatedParts):
    """A Raspberry Pi with the parts of *config* around it, seen by programs that it starts.

    Hold ``lock`` to act on its parts while a program runs.

    Args:
        config: the table's configuration.
        folder: a new folder for the Pi's files.

    Raises:
        MissingPart: no emulation of a reader's chip is installed.
    """

    def __init__(self, config: TableConfig, folder: Path) -> None:
        self.time = FollowingClock()
        super().__init__(config, self.time)
        self.pins = Header()
        self.solder(self.pins)
        self.devices = PiDevices(folder, self.time, self.pins)
        self.lock, self.files = self.devices.lock, self.devices.files
        self._add_spi()
        self.devices.add_i2c(I2C_BUS, self.i2c_bus)

    def _add_spi(self) -> None:
        """Add the chip selects: two on SPI0 and, if the table uses SPI1, three on SPI1."""
        used = {reader.config.bus for reader in self.readers.values()}
        for spi in CHIP_SELECTS:
            if spi.startswith("0.") or int(spi[0]) in used:
                self.devices.add_spi(spi, partial(self._open_spi, spi))

    def _open_spi(self, spi: str, clock_hz: int) -> SpiDevice:
        return self.chip_select(spi, clock_hz) or SpiDevice(None, self.clock, clock_hz)

    def start(self, command: list[str], **options: Any) -> PiProgram:
        """Start *command*, with *options* of ``subprocess.Popen``; see ``PiProgram``.

        Raises:
            NodesUnsupported: this computer cannot emulate device nodes.
            OSError: the command cannot be started.
        """
        return self.devices.start(command, **options)

    def power_cut(self) -> None:
        """Cut the power. The programs must have ended."""
        with self.lock:
            self.cut_supply()
            self.pins.reset()

    def power_on(self) -> None:
        """Start every chip with its reset values, and every pin as an input."""
        with self.lock:
            self.restore_supply()
            self.solder(self.pins)
