"""The device node of a chip select: ``/dev/spidev<bus>.<device>``.

May import: the standard library and this package's ``nodes``.
Source: linux/spi/spidev.h, Documentation/spi/spidev.rst and drivers/spi/spidev.c; modes and word
lengths are those of drivers/spi/spi-bcm2835.c.
"""

import errno
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from fakepi.kernel.nodes import CallerMemory, DescriptorGiver, refusal

MAJOR = 153
BUFFER_SIZE = 4096  # the module's default for bufsiz
FASTEST_HZ = 125_000_000
DEFAULT_HZ = 500_000
CPHA, CPOL, CS_HIGH, THREE_WIRE, NO_CS = 0x01, 0x02, 0x04, 0x10, 0x40
MODES = CPHA | CPOL | CS_HIGH | THREE_WIRE | NO_CS
TRANSFER = struct.Struct("<QQIIHBBBBBB")  # spi_ioc_transfer


def _request(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("k") << 8 | number


WRITE, READ = 1, 2
MODE, LSB_FIRST, BITS, SPEED, MODE32 = 1, 2, 3, 4, 5  # numbers of settings
MESSAGE = 0
SIZES = {MODE: 1, LSB_FIRST: 1, BITS: 1, SPEED: 4, MODE32: 4}
SETTINGS = {
    _request(direction, number, size): (direction, number)
    for number, size in SIZES.items()
    for direction in (READ, WRITE)
}


class SpiWire(Protocol):
    """An open chip select, such as ``fakepi.spi.SpiDevice``."""

    max_speed_hz: int

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile. Chip select stays low."""
        ...

    def close(self) -> None:
        """Close the chip select."""
        ...


class SpiTransfer(NamedTuple):
    """A ``struct spi_ioc_transfer``: addresses and length of its bytes, and its settings."""

    sent_at: int
    received_at: int
    length: int
    speed_hz: int
    delay_us: int
    bits: int
    deselects: int  # chip select rises after this transfer
    sent_lines: int
    received_lines: int
    word_delay_us: int
    padding: int


@dataclass(frozen=True)
class SpidevNode:
    """The device file of one chip select. *open_wire* opens it at a clock rate in hertz."""

    number: tuple[int, int]
    open_wire: Callable[[int], SpiWire]

    def open(self, descriptors: DescriptorGiver) -> "OpenSpidev":
        """Open the device with the settings of a new one."""
        return OpenSpidev(self.open_wire(DEFAULT_HZ))


class OpenSpidev:
    """An open chip select. The chip answers in SPI mode 0 only; in other modes it sends zeros."""

    def __init__(self, wire: SpiWire) -> None:
        self._wire = wire
        self._speed_hz = DEFAULT_HZ
        self._mode = 0

    def ioctl(self, call: CallerMemory, request: int, argument: int) -> object:
        """Read or change a setting, or carry out a message of transfers."""
        if request in SETTINGS:
            direction, number = SETTINGS[request]
            size = SIZES[number]
            if direction == READ:
                call.write(argument, self._setting(number).to_bytes(size, "little"))
            else:
                self._change(number, int.from_bytes(call.read(argument, size), "little"))
            return 0
        size = request >> 16 & 0x3FFF
        if request == _request(WRITE, MESSAGE, size):
            return self._message(call, argument, size)
        raise refusal(errno.ENOTTY)

    def _setting(self, number: int) -> int:
        values = {MODE: self._mode, MODE32: self._mode, LSB_FIRST: 0, BITS: 8}
        return values.get(number, self._speed_hz)

    def _change(self, number: int, value: int) -> None:
        if number in (MODE, MODE32):
            if value & ~MODES:
                raise refusal(errno.EINVAL)
            self._mode = value
        elif number == SPEED:
            if value == 0:
                raise refusal(errno.EINVAL)
            self._speed_hz = value
        elif (number == LSB_FIRST and value) or (number == BITS and value not in (0, 8)):
            raise refusal(errno.EINVAL)

    def _message(self, call: CallerMemory, at: int, size: int) -> int:
        """Carry out the transfers at the address *at*; return the number of bytes."""
        if size % TRANSFER.size:
            raise refusal(errno.EINVAL)
        transfers = [SpiTransfer(*each) for each in TRANSFER.iter_unpack(call.read(at, size))]
        _check(transfers)
        sent = [
            call.read(one.sent_at, one.length) if one.sent_at else bytes(one.length)
            for one in transfers
        ]
        for run in _runs(transfers):
            received = self._exchange(b"".join(sent[n] for n in run), transfers[run[0]].speed_hz)
            for n in run:
                length = transfers[n].length
                if transfers[n].received_at:
                    call.write(transfers[n].received_at, received[:length])
                received = received[length:]
        return sum(one.length for one in transfers)

    def _exchange(self, data: bytes, speed_hz: int = 0) -> bytes:
        """Send *data* with chip select low throughout, and return the bytes received."""
        if self._mode & ~NO_CS:
            return bytes(len(data))
        self._wire.max_speed_hz = min(speed_hz or self._speed_hz, FASTEST_HZ)
        return bytes(self._wire.xfer2(list(data)))

    def read(self, size: int) -> bytes:
        """Receive *size* bytes while zeros are sent. Raises OSError."""
        return self._exchange(bytes(_checked_size(size)))

    def write(self, data: bytes) -> int:
        """Send *data*. Raises OSError."""
        self._exchange(data[: _checked_size(len(data))])
        return len(data)

    def close(self) -> None:
        """Close the chip select."""
        with suppress(OSError):
            self._wire.close()


def _checked_size(size: int) -> int:
    if size > BUFFER_SIZE:
        raise refusal(errno.EMSGSIZE)
    return size


def _check(transfers: Sequence[SpiTransfer]) -> None:
    """Check the sizes and settings of *transfers*.

    Raises:
        OSError: EMSGSIZE for more bytes than spidev's buffers hold; EINVAL for a word length or a
            number of wires that the controller does not have.
    """
    _checked_size(sum(one.length for one in transfers if one.sent_at))
    _checked_size(sum(one.length for one in transfers if one.received_at))
    for one in transfers:
        if one.bits not in (0, 8) or one.sent_lines > 1 or one.received_lines > 1:
            raise refusal(errno.EINVAL)


def _runs(transfers: Sequence[SpiTransfer]) -> Iterator[list[int]]:
    """Yield the indexes of *transfers* in groups; chip select stays low during each group."""
    run: list[int] = []
    for number, transfer in enumerate(transfers):
        run.append(number)
        if transfer.deselects:
            yield run
            run = []
    if run:
        yield run
