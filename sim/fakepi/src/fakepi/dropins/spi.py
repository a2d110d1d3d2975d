"""The drop-in for ``spidev``, and for ``Adafruit_PureIO.spi``, which Blinka uses.

May import: the standard library and fakepi.
Source: py-spidev 3.8 (README), Adafruit_PureIO 1.1.12 (documentation).
The controller is that of a Pi: eight bits, most significant bit first (drivers/spi/spi-bcm2835.c).
Simplified: in a mode that the chip does not support, it receives nothing and sends zeros. The
settings ``cshigh``, ``loop`` and the like are stored, but change nothing.
"""

import errno
import os
import re
from collections.abc import Sequence
from typing import ClassVar

from fakepi.board import FakePi, TracedSpi
from fakepi.dropins.handle import Handle

CLOCK_MODE = 0b11  # CPOL and CPHA
WORD_BITS = 8
MAX_TRANSFER = 4096  # the kernel's usual buffer (spidev.bufsiz)


class SpidevHandle(Handle):
    """The drop-in for ``spidev.SpiDev``: the handle that a program gets for a chip select."""

    _pi: ClassVar[FakePi]
    __slots__ = (
        "_opened", "cshigh", "loop", "mode", "no_cs", "read0", "threewire",
    )  # fmt: skip

    def __init__(self, bus: int | None = None, device: int = 0) -> None:
        self._opened: TracedSpi | None = None
        self.mode = 0
        self.cshigh = self.loop = self.no_cs = self.read0 = self.threewire = False
        if bus is not None:
            self.open(bus, device)

    def open(self, bus: int, device: int) -> None:
        """Open ``/dev/spidev<bus>.<device>``.

        Raises:
            FileNotFoundError: no chip is wired there.
        """
        try:
            self._opened = self._pi.spi(bus, device)
        except LookupError as missing:
            name = f"/dev/spidev{bus}.{device}"
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from missing

    def open_path(self, path: str) -> None:
        """Open the device file *path*, such as "/dev/spidev0.0"."""
        found = re.fullmatch(r"/dev/spidev(\d+)\.(\d+)", path)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self.open(int(found[1]), int(found[2]))

    def close(self) -> None:
        """Close this handle. Other handles of the device stay open."""
        self._opened = None

    def fileno(self) -> int:
        """Return -1: there is no file."""
        return -1

    @property
    def lsbfirst(self) -> bool:
        """False: a Pi sends the most significant bit first."""
        return False

    @lsbfirst.setter
    def lsbfirst(self, is_lsb_first: bool) -> None:
        if is_lsb_first:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    @property
    def bits_per_word(self) -> int:
        """8, the only word length of a Pi; 0 sets it too."""
        return WORD_BITS

    @bits_per_word.setter
    def bits_per_word(self, bits: int) -> None:
        _check_word(bits)

    @property
    def max_speed_hz(self) -> int:
        """The clock rate of the bus in hertz."""
        return self._device().max_speed_hz

    @max_speed_hz.setter
    def max_speed_hz(self, clock_hz: int) -> None:
        self._device().max_speed_hz = clock_hz

    def xfer2(
        self,
        values: Sequence[int],
        speed_hz: int = 0,
        delay_usec: int = 0,
        bits_per_word: int = 0,
    ) -> list[int]:
        """Send *values* and return the bytes received meanwhile. Chip select stays low.

        Raises:
            OSError: the handle is closed, or the word length is not 8.
            OverflowError: more than 4096 bytes.
            TypeError: no bytes.
        """
        _check_word(bits_per_word)
        if len(values) > MAX_TRANSFER:
            raise OverflowError(f"Argument list size exceeds {MAX_TRANSFER} bytes.")
        return self._transfer(values, speed_hz)

    xfer = xfer2

    def xfer3(self, values: Sequence[int], speed_hz: int = 0) -> tuple[int, ...]:
        """Send *values*, however many, in parts of 4096 bytes; return the bytes received."""
        return tuple(self._transfer_parts(values, speed_hz))

    def writebytes(self, values: Sequence[int]) -> None:
        """Send *values*, at most 4096, and drop the bytes received."""
        self.xfer2(values)

    def writebytes2(self, values: Sequence[int]) -> None:
        """Send *values*, however many, in parts of 4096 bytes."""
        self._transfer_parts(values, 0)

    def readbytes(self, count: int) -> list[int]:
        """Send *count* zeros and return the bytes received meanwhile."""
        return self.xfer2([0] * count)

    def _transfer_parts(self, values: Sequence[int], speed_hz: int) -> list[int]:
        read: list[int] = []
        for start in range(0, len(values), MAX_TRANSFER):
            read += self._transfer(values[start : start + MAX_TRANSFER], speed_hz)
        return read

    def _transfer(self, values: Sequence[int], speed_hz: int) -> list[int]:
        device = self._device()
        if not len(values):
            raise TypeError("Empty argument list.")
        usual_hz = device.max_speed_hz
        if speed_hz:
            device.max_speed_hz = speed_hz
        try:
            return device.xfer2_in_mode(self.mode & CLOCK_MODE, list(values))
        finally:
            device.max_speed_hz = usual_hz

    def _device(self) -> TracedSpi:
        if self._opened is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._opened


def _check_word(bits: int) -> None:
    if bits not in (0, WORD_BITS):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


class PureIoSpi(SpidevHandle):
    """The drop-in for ``Adafruit_PureIO.spi.SPI``; *device* is a path, or bus and chip select."""

    __slots__ = ()

    def __init__(self, device: str | tuple[int, int], max_speed_hz: int | None = None) -> None:
        super().__init__()
        if isinstance(device, str):
            self.open_path(device)
        else:
            self.open(*device)
        if max_speed_hz is not None:
            self.max_speed_hz = max_speed_hz

    def writebytes(self, values: Sequence[int]) -> None:
        """Send *values*, however many, in parts of 4096 bytes."""
        self.writebytes2(values)

    def transfer(self, values: Sequence[int], max_speed_hz: int = 0) -> bytearray:
        """Send *values* and return the bytes received meanwhile."""
        return bytearray(self.xfer3(values, max_speed_hz))
