"""The parts of a table behind device nodes of this computer's kernel, for its services.

May import: firmware.config, sim.mat, fakepi and this room.
"""

import os
import shutil
import stat
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

from fakepi.kernel import i2cdev, spidev
from fakepi.kernel.clock import FollowingClock
from fakepi.kernel.i2cdev import I2cNode
from fakepi.kernel.pins import Header
from fakepi.kernel.spidev import SpidevNode
from fakepi.spi import SpiDevice
from firmware.config.table_config import CHIP_SELECTS, TableConfig
from sim.mat.parts import EmulatedParts
from sim.nodes.cuse import CuseNodes

I2C_BUS = 1  # on the pin header
FREE_MINOR = 256  # the kernel's spidev has the minor numbers below
NODE_MODE = 0o660


class KernelPi(EmulatedParts):
    """The parts of *config* on SPI0 and I2C1 of this computer. The kernel has the nodes.

    The nodes have the major numbers of the real ones, so a service's ``DeviceAllow=char-spi`` and
    ``char-i2c`` let it use them. The kernel's own nodes of these buses must be gone, and its module
    i2c-dev unloaded. Readers and buttons are not wired to the pins of this computer, but to
    ``pins``.

    Hold ``lock`` to act on the parts while programs run.

    Raises:
        MissingPart: no emulation of a reader's chip is installed.
    """

    def __init__(self, config: TableConfig) -> None:
        self.time = FollowingClock()
        super().__init__(config, self.time)
        self.lock = threading.RLock()
        self.pins = Header()
        self.solder(self.pins)
        self._nodes = CuseNodes(self.time, self.lock)

    def add_spi(self) -> None:
        """Create ``/dev/spidev0.0`` and ``/dev/spidev0.1``. Raises OSError."""
        for minor, spi in enumerate(CHIP_SELECTS):
            if spi.startswith("0."):
                number = (spidev.MAJOR, FREE_MINOR + minor)
                self._nodes.add(f"spidev{spi}", SpidevNode(number, partial(self._open_spi, spi)))
                _give_to_group(Path(f"/dev/spidev{spi}"), "spi")

    def _open_spi(self, spi: str, clock_hz: int) -> SpiDevice:
        return self.chip_select(spi, clock_hz) or SpiDevice(None, self.clock, clock_hz)

    def add_i2c(self) -> None:
        """Create ``/dev/i2c-1``. Raises OSError."""
        number = (i2cdev.MAJOR, I2C_BUS)
        # The kernel lists the major number under the device's name, which DeviceAllow= looks up.
        self._nodes.add("i2c", I2cNode(number, self.i2c_bus))
        node = Path(f"/dev/i2c-{I2C_BUS}")
        node.unlink(missing_ok=True)
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(*number))
        _give_to_group(node, "i2c")


def _give_to_group(node: Path, group: str) -> None:
    """Let *group* use *node*, as Raspberry Pi OS does. Do nothing if the system lacks the group."""
    with suppress(LookupError):
        shutil.chown(node, "root", group)
    node.chmod(NODE_MODE)
