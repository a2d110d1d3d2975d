"""The device nodes and files of a Raspberry Pi 4, as the programs that it starts see them.

May import: the standard library and fakepi.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakepi.i2c import I2cBus
from fakepi.kernel import gpiochip, i2cdev, spidev
from fakepi.kernel.clock import FollowingClock
from fakepi.kernel.files import PiFiles
from fakepi.kernel.gpiochip import GpioChipNode
from fakepi.kernel.i2cdev import I2cNode
from fakepi.kernel.pins import Header
from fakepi.kernel.program import PiProgram
from fakepi.kernel.spidev import SpidevNode, SpiWire

MODEL = b"Raspberry Pi 4 Model B Rev 1.5\0"
REVISION = 0xC03115  # of that model with 4 GB: Raspberry Pi documentation, "Revision codes"
GPIO_CHIP = "/dev/gpiochip0"


class PiDevices:
    """A Raspberry Pi 4 whose buses have no chips yet. Its pins are *pins*.

    Hold ``lock`` to act on chips and pins while a program runs.

    Args:
        folder: a new folder for the files that programs see.
        time: the clock of all chips.
        pins: the pins, with the parts that are wired to them.
    """

    def __init__(self, folder: Path, time: FollowingClock, pins: Header) -> None:
        self.time = time
        self.lock = threading.RLock()
        self.files = PiFiles(folder)
        self._chip_selects = 0
        self.files.add_node(GPIO_CHIP, GpioChipNode((gpiochip.MAJOR, 0), pins))
        compatible = "/sys/bus/gpio/devices/gpiochip0/of_node/compatible"
        self.files.write(compatible, b"brcm,bcm2711-gpio\0")
        # By this link, libgpiod sees that the device is a GPIO chip.
        number = f"/sys/dev/char/{gpiochip.MAJOR}:0"
        self.files.claim(number)
        self.files.add_link(f"{number}/subsystem", "/sys/bus/gpio")
        self.files.write("/proc/device-tree/model", MODEL)
        self.files.write("/proc/device-tree/system/linux,revision", REVISION.to_bytes(4))

    def add_spi(self, spi: str, open_wire: Callable[[int], SpiWire]) -> None:
        """Add the chip select *spi*, such as "0.1". *open_wire* opens it at a rate in hertz."""
        node = SpidevNode((spidev.MAJOR, self._chip_selects), open_wire)
        self._chip_selects += 1
        self.files.add_node(f"/dev/spidev{spi}", node)
        self.files.add_link(f"/sys/bus/spi/devices/spi{spi}/driver", "../../drivers/spidev")

    def add_i2c(self, number: int, bus: I2cBus) -> None:
        """Add *bus* as ``/dev/i2c-<number>``."""
        name = f"i2c-{number}"
        self.files.add_node(f"/dev/{name}", I2cNode((i2cdev.MAJOR, number), bus))
        rate = f"/sys/bus/i2c/devices/{name}/of_node/clock-frequency"
        self.files.write(rate, bus.clock_hz.to_bytes(4))

    def start(self, command: list[str], **options: Any) -> PiProgram:
        """Start *command*, with *options* of ``subprocess.Popen``; see ``PiProgram``.

        Raises:
            NodesUnsupported: this computer cannot emulate device nodes.
            OSError: the command cannot be started.
        """
        return PiProgram(command, self.files, self.time, self.lock, **options)
