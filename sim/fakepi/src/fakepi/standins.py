"""Stand-ins for ``spidev`` and ``RPi.GPIO``, so that the library ``mfrc522`` runs on any computer.

May import: the standard library and fakepi.
Source: py-spidev 3.8 (README), RPi.GPIO 0.7.1 (documentation): the parts that a reader driver uses.
"""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TypeAlias

from fakepi.spi import SpiDevice

Devices: TypeAlias = Mapping[tuple[int, int], SpiDevice]


class SpiDev:
    """A ``spidev.SpiDev`` that opens one of *devices*, by bus and chip select."""

    def __init__(self, devices: Devices) -> None:
        self._devices = devices
        self._opened: SpiDevice | None = None

    def open(self, bus: int, device: int) -> None:
        """Open ``/dev/spidev<bus>.<device>``.

        Raises:
            FileNotFoundError: there is no such device.
        """
        opened = self._devices.get((bus, device))
        if opened is None:
            name = f"/dev/spidev{bus}.{device}"
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        self._opened = opened

    @property
    def max_speed_hz(self) -> int:
        """The clock rate of the bus in hertz."""
        return self._device().max_speed_hz

    @max_speed_hz.setter
    def max_speed_hz(self, clock_hz: int) -> None:
        self._device().max_speed_hz = clock_hz

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile. Chip select stays low."""
        return self._device().xfer2(values)

    def close(self) -> None:
        """Close this handle. Other handles of the device stay open."""
        self._opened = None

    def _device(self) -> SpiDevice:
        if self._opened is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._opened


class Gpio(ModuleType):
    """An ``RPi.GPIO`` that drives no pin and records all calls in ``calls``."""

    BOARD, BCM = 10, 11
    OUT, IN = 0, 1
    LOW, HIGH = 0, 1

    def __init__(self) -> None:
        super().__init__("RPi.GPIO", "Stand-in for RPi.GPIO.")
        self.calls: list[tuple[str | int, ...]] = []
        self._mode: int | None = None
        self._levels: dict[int, int] = {}

    def getmode(self) -> int | None:
        """Return BOARD, BCM, or None before ``setmode``."""
        return self._mode

    def setmode(self, mode: int) -> None:
        """Choose the numbering of the pins, BOARD or BCM."""
        self.calls.append(("setmode", mode))
        self._mode = mode

    def setwarnings(self, is_on: bool) -> None:
        """Record the call."""
        self.calls.append(("setwarnings", int(is_on)))

    def setup(self, pin: int, direction: int) -> None:
        """Claim *pin*."""
        self.calls.append(("setup", pin, direction))
        self._levels[pin] = self.LOW

    def output(self, pin: int, level: int) -> None:
        """Drive *pin*.

        Raises:
            RuntimeError: the pin was not set up.
        """
        self.calls.append(("output", pin, int(level)))
        if pin not in self._levels:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self._levels[pin] = int(level)

    def input(self, pin: int) -> int:
        """Return the level of *pin*."""
        return self._levels[pin]

    def cleanup(self) -> None:
        """Release every pin that any part of the program claimed."""
        self.calls.append(("cleanup",))
        self._levels.clear()
        self._mode = None


class _Spidev(ModuleType):
    def __init__(self, devices: Devices) -> None:
        super().__init__("spidev", "Stand-in for spidev.")
        self._devices = devices

    def SpiDev(self) -> SpiDev:  # noqa: N802 - the library's name
        return SpiDev(self._devices)


class _Rpi(ModuleType):
    def __init__(self, gpio: Gpio) -> None:
        super().__init__("RPi", "Stand-in for RPi.")
        self.__path__: list[str] = []
        self.GPIO = gpio


def _is_replaced(name: str) -> bool:
    return name.split(".")[0] in ("spidev", "RPi", "mfrc522")


@contextmanager
def replace_libraries(devices: Devices) -> Iterator[Gpio]:
    """Replace the modules ``spidev`` and ``RPi.GPIO`` by stand-ins during the block.

    In the block, ``mfrc522`` is imported again and uses the stand-ins. Afterwards all three modules
    are restored.

    Args:
        devices: the devices that ``SpiDev.open(bus, device)`` can open.

    Yields:
        The stand-in for ``RPi.GPIO``, with its ``calls``.
    """
    before = {name: module for name, module in sys.modules.items() if _is_replaced(name)}
    _forget_modules()
    gpio = Gpio()
    sys.modules["spidev"] = _Spidev(devices)
    sys.modules["RPi"] = _Rpi(gpio)
    sys.modules["RPi.GPIO"] = gpio
    try:
        yield gpio
    finally:
        _forget_modules()
        sys.modules.update(before)


def _forget_modules() -> None:
    for name in [name for name in sys.modules if _is_replaced(name)]:
        del sys.modules[name]
