"""An emulated Raspberry Pi 4 around which the parts of a table are wired, for real programs.

May import: firmware.config, sim.mat, fakepi and this room.
"""

import threading
from functools import partial
from pathlib import Path
from typing import Any

from fakepi.spi import SpiDevice
from firmware.config.table_config import CHIP_SELECTS, TableConfig
from sim.mat.parts import EmulatedParts
from sim.nodes import gpiochip, i2cdev, spidev
from sim.nodes.clock import FollowingClock
from sim.nodes.files import PiFiles
from sim.nodes.gpiochip import GpioChipNode
from sim.nodes.i2cdev import I2cNode
from sim.nodes.pins import Header
from sim.nodes.program import PiProgram
from sim.nodes.spidev import SpidevNode

MODEL = b"Raspberry Pi 4 Model B Rev 1.5\0"
REVISION = 0xC03115  # of that model with 4 GB: Raspberry Pi documentation, "Revision codes"
I2C_BUS = 1  # on the pin header
GPIO_CHIP = "/dev/gpiochip0"


class EmulatedPi(EmulatedParts):
    """A Raspberry Pi with the parts of *config* around it, seen by programs that it starts.

    Hold ``turn`` to act on its parts while a program runs.

    Args:
        config: the table's configuration.
        folder: a new folder for the Pi's files.

    Raises:
        MissingPart: no emulation of a reader's chip is installed.
    """

    def __init__(self, config: TableConfig, folder: Path) -> None:
        self.time = FollowingClock()
        super().__init__(config, self.time)
        self.turn = threading.RLock()
        self.pins = Header()
        self.solder(self.pins)
        self.files = PiFiles(folder)
        self._add_spi()
        self._add_i2c()
        self._add_pins()
        self.files.write("/proc/device-tree/model", MODEL)
        self.files.write("/proc/device-tree/system/linux,revision", REVISION.to_bytes(4))

    def _add_spi(self) -> None:
        """Add the chip selects: two on SPI0, and three on SPI1 if the table uses that bus."""
        used = {reader.config.bus for reader in self.readers.values()}
        for minor, spi in enumerate(CHIP_SELECTS):
            if spi.startswith("0.") or int(spi[0]) in used:
                node = SpidevNode((spidev.MAJOR, minor), partial(self._open_spi, spi))
                self.files.add_node(f"/dev/spidev{spi}", node)
                self.files.add_link(f"/sys/bus/spi/devices/spi{spi}/driver", "../../drivers/spidev")

    def _open_spi(self, spi: str, clock_hz: int) -> SpiDevice:
        return self.chip_select(spi, clock_hz) or SpiDevice(None, self.clock, clock_hz)

    def _add_i2c(self) -> None:
        name = f"i2c-{I2C_BUS}"
        self.files.add_node(f"/dev/{name}", I2cNode((i2cdev.MAJOR, I2C_BUS), self.i2c_bus))
        rate = f"/sys/bus/i2c/devices/{name}/of_node/clock-frequency"
        self.files.write(rate, self.i2c_hz.to_bytes(4))

    def _add_pins(self) -> None:
        self.files.add_node(GPIO_CHIP, GpioChipNode((gpiochip.MAJOR, 0), self.pins))
        compatible = "/sys/bus/gpio/devices/gpiochip0/of_node/compatible"
        self.files.write(compatible, b"brcm,bcm2711-gpio\0")

    def start(self, command: list[str], **options: Any) -> PiProgram:
        """Start *command*, with *options* of ``subprocess.Popen``; see ``PiProgram``.

        Raises:
            NodesUnsupported: this computer cannot answer for device nodes.
            OSError: the command cannot be started.
        """
        return PiProgram(command, self.files, self.time, self.turn, **options)

    def power_cut(self) -> None:
        """Cut the power. The programs must have ended."""
        with self.turn:
            self.cut_supply()
            self.pins.reset()

    def power_on(self) -> None:
        """Start every chip with its reset values, and every pin as an input."""
        with self.turn:
            self.restore_supply()
            self.solder(self.pins)
