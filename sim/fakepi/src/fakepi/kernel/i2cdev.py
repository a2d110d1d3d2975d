"""The device node of an I2C bus: ``/dev/i2c-<bus>``.

May import: the standard library and this package's ``nodes``.
Source: linux/i2c-dev.h, linux/i2c.h, Documentation/i2c/dev-interface.rst, drivers/i2c/i2c-dev.c and
i2c-core-smbus.c.
"""

import errno
import struct
from dataclasses import dataclass
from typing import Protocol

from fakepi.kernel.nodes import CallerMemory, DescriptorGiver, refusal

MAJOR = 89
LONGEST = 8192  # bytes of a message
MOST_MESSAGES = 42
RETRIES, TIMEOUT, SLAVE, TEN_BIT, FUNCTIONS, SLAVE_FORCE, MESSAGES, CHECK_BYTE, SMBUS = (
    0x0701, 0x0702, 0x0703, 0x0704, 0x0705, 0x0706, 0x0707, 0x0708, 0x0720,
)  # fmt: skip
MESSAGE = struct.Struct("<HHHxxQ")  # i2c_msg
READ_FLAG = 0x0001  # of a message
SMBUS_DATA = struct.Struct("<BBxxIQ")  # i2c_smbus_ioctl_data
QUICK, BYTE, BYTE_DATA, WORD_DATA, BLOCK_DATA = 0, 1, 2, 3, 8  # SMBus transactions
LONGEST_BLOCK = 32
# I2C, and SMBus quick, byte, byte data, word data and I2C block data, each to read and to write.
HAS_FUNCTIONS = 0x1 | 0x01_0000 | 0x06_0000 | 0x18_0000 | 0x60_0000 | 0x0C00_0000


class I2cWires(Protocol):
    """An I2C bus, such as ``fakepi.i2c.I2cBus``."""

    def try_lock(self) -> bool:
        """Claim the bus; return False if it is claimed already."""
        ...

    def writeto(self, address: int, buffer: bytes, *, stop: bool = True) -> None:
        """Write *buffer*. Raises OSError if no chip acknowledges."""
        ...

    def readfrom_into(self, address: int, buffer: bytearray, *, stop: bool = True) -> None:
        """Fill *buffer*. Raises OSError if no chip acknowledges."""
        ...


@dataclass(frozen=True)
class I2cNode:
    """The device file of the bus with these *wires*."""

    number: tuple[int, int]
    wires: I2cWires

    def open(self, descriptors: DescriptorGiver) -> "OpenI2c":
        """Open the bus. No address is chosen yet."""
        self.wires.try_lock()  # the emulated bus asks for it; the kernel locks each transfer itself
        return OpenI2c(self.wires)


class OpenI2c:
    """An open I2C bus. Plain reads and writes use the address that the program has chosen."""

    def __init__(self, wires: I2cWires) -> None:
        self._wires = wires
        self._address = 0

    def ioctl(self, call: CallerMemory, request: int, argument: int) -> object:
        """Choose the address, or carry out messages or an SMBus transaction."""
        if request in (SLAVE, SLAVE_FORCE):
            if argument > 0x7F:
                raise refusal(errno.EINVAL)
            self._address = argument
        elif request == FUNCTIONS:
            call.write(argument, struct.pack("<Q", HAS_FUNCTIONS))
        elif request == MESSAGES:
            return self._messages(call, argument)
        elif request == SMBUS:
            self._smbus(call, argument)
        elif request in (TEN_BIT, CHECK_BYTE):
            if argument:
                raise refusal(errno.EINVAL)
        elif request not in (RETRIES, TIMEOUT):
            raise refusal(errno.ENOTTY)
        return 0

    def _messages(self, call: CallerMemory, argument: int) -> int:
        """Carry out the messages of an I2C_RDWR in one transaction; return their number."""
        base: int
        count: int
        base, count = struct.unpack("<QI", call.read(argument, 12))
        if not 0 < count <= MOST_MESSAGES:
            raise refusal(errno.EINVAL)
        messages = list(MESSAGE.iter_unpack(call.read(base, count * MESSAGE.size)))
        if any(length > LONGEST for _address, _flags, length, _at in messages):
            raise refusal(errno.EINVAL)
        for number, (address, flags, length, at) in enumerate(messages, 1):
            stop = number == count
            if flags & READ_FLAG:
                call.write(at, self._receive(address, length, stop=stop))
            else:
                self._wires.writeto(address, call.read(at, length), stop=stop)
        return count

    def _smbus(self, call: CallerMemory, argument: int) -> None:
        """Carry out an SMBus transaction, as a bus without SMBus hardware does."""
        is_read, command, kind, at = SMBUS_DATA.unpack(call.read(argument, SMBUS_DATA.size))
        if kind not in (QUICK, BYTE, BYTE_DATA, WORD_DATA, BLOCK_DATA):
            raise refusal(errno.EOPNOTSUPP)
        length = {QUICK: 0, BYTE: 1, BYTE_DATA: 1, WORD_DATA: 2}.get(kind, 0)
        start = 0
        if kind == BLOCK_DATA:
            (length,), start = call.read(at, 1), 1
            if not 0 < length <= LONGEST_BLOCK:
                raise refusal(errno.EINVAL)
        has_command = kind not in (QUICK, BYTE) or (kind == BYTE and not is_read)
        sent = bytes([command]) if has_command else b""
        if is_read:
            if sent:
                self._wires.writeto(self._address, sent, stop=False)
            received = self._receive(self._address, length)
            if received:
                call.write(at + start, received)
            return
        if kind in (BYTE_DATA, WORD_DATA, BLOCK_DATA):
            sent += call.read(at + start, length)
        self._wires.writeto(self._address, sent)

    def _receive(self, address: int, count: int, *, stop: bool = True) -> bytes:
        received = bytearray(count)
        self._wires.readfrom_into(address, received, stop=stop)
        return bytes(received)

    def read(self, size: int) -> bytes:
        """Read *size* bytes from the chosen address. Raises OSError."""
        return self._receive(self._address, min(size, LONGEST))

    def write(self, data: bytes) -> int:
        """Write *data* to the chosen address. Raises OSError."""
        accepted = data[:LONGEST]
        self._wires.writeto(self._address, accepted)
        return len(accepted)

    def close(self) -> None:
        """Do nothing: the bus stays."""
