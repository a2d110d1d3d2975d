"""The drop-in for ``smbus2`` and ``smbus``, and for ``Adafruit_PureIO.smbus`` under Blinka.

May import: the standard library and fakepi.
Source: smbus2 0.6 and Adafruit_PureIO 1.1.12 (documentation); SMBus specification 3.1, section 6.5.
Missing: packet error checking, and the SMBus block commands with a length byte from the chip.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeVar

from fakepi.board import FakePi, TracedI2c
from fakepi.dropins.handle import Handle

MAX_BLOCK = 32  # data bytes of an SMBus block
Result = TypeVar("Result")


class I2cMessage:
    """The drop-in for ``i2c_msg``: one part of a combined transaction."""

    def __init__(self, addr: int, data: bytes, *, is_read: bool) -> None:
        self.addr = addr
        self.flags = int(is_read)
        self.buf = data

    @property
    def len(self) -> int:
        """The number of bytes."""
        return len(self.buf)

    @staticmethod
    def write(address: int, buf: Sequence[int] | str) -> "I2cMessage":
        """Return a message that writes *buf*."""
        data = buf.encode("latin-1") if isinstance(buf, str) else bytes(buf)
        return I2cMessage(address, data, is_read=False)

    @staticmethod
    def read(address: int, length: int) -> "I2cMessage":
        """Return a message that reads *length* bytes."""
        return I2cMessage(address, bytes(length), is_read=True)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the bytes."""
        return iter(self.buf)

    def __len__(self) -> int:
        """Return the number of bytes."""
        return len(self.buf)

    def __bytes__(self) -> bytes:
        """Return the bytes."""
        return self.buf


class SmbusHandle(Handle):
    """The drop-in for ``SMBus``: the handle that a program gets for an I2C bus.

    *bus* is the number or the device file of the bus. *force* has no effect.
    """

    _pi: ClassVar[FakePi]

    def __init__(self, bus: int | str | None = None, force: bool = False) -> None:
        self._opened: TracedI2c | None = None
        self.force = force
        if bus is not None:
            self.open(bus)

    def open(self, bus: int | str) -> None:
        """Open ``/dev/i2c-<bus>``.

        Raises:
            FileNotFoundError: there is no such bus.
        """
        number = str(bus).removeprefix("/dev/i2c-")
        try:
            self._opened = self._pi.i2c(int(number))
        except (LookupError, ValueError) as missing:
            name = f"/dev/i2c-{number}"
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from missing

    def close(self) -> None:
        """Close this handle."""
        self._opened = None

    # The SMBus commands; *force* is accepted and ignored

    def write_quick(self, i2c_addr: int, force: bool | None = None) -> None:
        """Send the chip's address for a write, and no data."""
        self._write(i2c_addr, b"")

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        """Read a byte."""
        return self._read(i2c_addr, 1)[0]

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        """Write a byte."""
        self._write(i2c_addr, bytes((value,)))

    def read_byte_data(self, i2c_addr: int, register: int, force: bool | None = None) -> int:
        """Read a byte from *register*."""
        return self._read(i2c_addr, 1, register)[0]

    def write_byte_data(
        self, i2c_addr: int, register: int, value: int, force: bool | None = None
    ) -> None:
        """Write a byte to *register*."""
        self._write(i2c_addr, bytes((register, value)))

    def read_word_data(self, i2c_addr: int, register: int, force: bool | None = None) -> int:
        """Read two bytes from *register*, low byte first."""
        return int.from_bytes(self._read(i2c_addr, 2, register), "little")

    def write_word_data(
        self, i2c_addr: int, register: int, value: int, force: bool | None = None
    ) -> None:
        """Write two bytes to *register*, low byte first."""
        self._write(i2c_addr, bytes((register,)) + value.to_bytes(2, "little"))

    def read_i2c_block_data(
        self, i2c_addr: int, register: int, length: int, force: bool | None = None
    ) -> list[int]:
        """Read at most 32 bytes from *register*."""
        _check_block(length)
        return list(self._read(i2c_addr, length, register))

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        """Write at most 32 bytes to *register*.

        Raises:
            ValueError: more than 32 bytes.
        """
        _check_block(len(data))
        self._write(i2c_addr, bytes((register, *data)))

    def i2c_rdwr(self, *i2c_msgs: I2cMessage) -> None:
        """Send and receive the messages, with repeated starts between them."""
        for number, message in enumerate(i2c_msgs, 1):
            stops = number == len(i2c_msgs)
            if message.flags:
                message.buf = self._receive(message.addr, len(message), stops=stops)
            else:
                self._send(message.addr, message.buf, stops=stops)

    # Bytes

    def _write(self, address: int, data: bytes) -> None:
        self._send(address, data, stops=True)

    def _read(self, address: int, count: int, register: int | None = None) -> bytes:
        if register is not None:
            self._send(address, bytes((register,)), stops=False)
        return self._receive(address, count, stops=True)

    def _send(self, address: int, data: bytes, *, stops: bool) -> None:
        bus = self._bus()
        _lock_and_do(bus, lambda: bus.writeto(address, data, stop=stops))

    def _receive(self, address: int, count: int, *, stops: bool) -> bytes:
        bus, read = self._bus(), bytearray(count)
        _lock_and_do(bus, lambda: bus.readfrom_into(address, read, stop=stops))
        return bytes(read)

    def _bus(self) -> TracedI2c:
        if self._opened is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._opened


class PureIoSmbus(SmbusHandle):
    """The drop-in for ``Adafruit_PureIO.smbus.SMBus``."""

    def read_bytes(self, addr: int, number: int) -> bytes:
        """Read *number* bytes."""
        return self._read(addr, number)

    def write_bytes(self, addr: int, buf: Sequence[int]) -> None:
        """Write *buf*."""
        self._write(addr, bytes(buf))


def _check_block(length: int) -> None:
    if length > MAX_BLOCK:
        raise ValueError(f"Desired block length over {MAX_BLOCK} bytes")


def _lock_and_do(bus: TracedI2c, act: Callable[[], Result]) -> Result:
    """Lock *bus* as the kernel does, call *act*, and return its result."""
    has_lock = bus.try_lock()
    try:
        return act()
    finally:
        if has_lock:
            bus.unlock()
