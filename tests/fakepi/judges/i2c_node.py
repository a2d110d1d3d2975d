"""A replacement for the system calls of ``smbus2`` on ``/dev/i2c-1``: the package is unmodified.

Source: linux/i2c-dev.h and linux/i2c.h.
"""

import errno
import os
from typing import Any

from fakepi.i2c import I2cBus

NAME, DESCRIPTOR = "/dev/i2c-1", 1000
SLAVE, FUNCTIONS, MESSAGES, SMBUS = 0x0703, 0x0705, 0x0707, 0x0720  # ioctl requests
BYTE, BYTE_DATA, WORD_DATA, BLOCK_DATA = 1, 2, 3, 8  # SMBus transactions
HAS_ALL = 0x0FFF_0001  # I2C, and SMBus
READ = 0x0001


class I2cNode:
    """``os`` and ``ioctl`` for smbus2, with one bus."""

    O_RDWR = os.O_RDWR

    def __init__(self, bus: I2cBus) -> None:
        self._bus = bus
        self._address = 0

    def open(self, path: str, flags: int) -> int:
        """Open the bus; there is no other file."""
        if path != NAME:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._bus.try_lock()  # the kernel locks each transfer itself
        return DESCRIPTOR

    def close(self, descriptor: int) -> None:
        """Close the bus."""

    def ioctl(self, descriptor: int, request: int, argument: Any) -> int:
        """Carry out a request of linux/i2c-dev.h."""
        if request == SLAVE:
            self._address = argument
        elif request == FUNCTIONS:
            argument.value = HAS_ALL
        elif request == MESSAGES:
            for message in argument.msgs[: argument.nmsgs]:
                self._carry(message)
        elif request == SMBUS:
            self._smbus(argument)
        else:
            raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
        return 0

    def _carry(self, message: Any) -> None:
        if not message.flags & READ:
            self._bus.writeto(message.addr, bytes(message.buf[: message.len]))
            return
        received = bytearray(message.len)
        self._bus.readfrom_into(message.addr, received)
        for at, byte in enumerate(received):
            message.buf[at] = byte

    def _smbus(self, call: Any) -> None:
        data = call.data.contents
        if call.read_write:
            if call.size != BYTE:
                self._bus.writeto(self._address, bytes((call.command,)), stop=False)
            received = bytearray(1)
            self._bus.readfrom_into(self._address, received)
            data.byte = received[0]
            return
        sent = {
            BYTE: b"",
            BYTE_DATA: bytes((data.byte,)),
            WORD_DATA: data.word.to_bytes(2, "little"),
            BLOCK_DATA: bytes(data.block[1 : 1 + data.block[0]]),
        }[call.size]
        self._bus.writeto(self._address, bytes((call.command,)) + sent)
