"""Tests of nodes through ``/dev/cuse``; the test plays the kernel, at the other end of a socket.

It has its own copy of the numbers in linux/fuse.h. make test-board shows that the kernel agrees.
"""

import ctypes
import errno
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.clock import FollowingClock
from fakepi.kernel.i2cdev import I2cNode
from fakepi.kernel.spidev import SpidevNode
from fakepi.mfrc522 import Mfrc522
from fakepi.physics import ExactPhysics
from fakepi.spi import SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from sim.nodes.cuse import CuseNodes, Device
from tests.fakepi.kernel.raw import I2C_SLAVE, READ_VERSION, TRANSFER

INIT, OPEN, READ, WRITE, RELEASE, IOCTL, STATFS = 4096, 14, 15, 16, 18, 39, 17
SPI_MESSAGE = 1 << 30 | 32 << 16 | ord("k") << 8
VERSIONS = (0x91, 0x92)


class Kernel:
    """The kernel's end of a channel: sends requests and returns the answers."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.settimeout(10.0)
        theirs.setblocking(False)
        self.theirs = theirs.detach()
        self._requests = 0

    def ask(self, operation: int, body: bytes) -> tuple[int, bytes]:
        """Return the error number, 0 if there is none, and the answer."""
        self._requests += 1
        thread = threading.get_native_id()
        head = struct.pack(
            "<IIQQIIII", 40 + len(body), operation, self._requests, 0, 0, 0, thread, 0
        )
        self._ours.send(head + body)
        answer = self._ours.recv(1 << 17)
        length, error, unique = struct.unpack_from("<IiQ", answer)
        assert (length, unique) == (len(answer), self._requests)
        return -error, answer[16:]

    def open(self) -> int:
        error, answer = self.ask(OPEN, struct.pack("<II", 2, 0))
        assert error == 0
        number: int
        number, _flags, _ = struct.unpack("<QII", answer)
        return number

    def ioctl(self, file: int, request: int, argument: int) -> tuple[int, bytes]:
        return self.ask(IOCTL, struct.pack("<QIIQII", file, 0, request, argument, 0, 0))


@contextmanager
def plugged(clock: FollowingClock, node: Device) -> Iterator[Kernel]:
    """A kernel with the device of *node*."""
    kernel = Kernel()
    nodes = CuseNodes(clock, threading.RLock(), lambda: kernel.theirs)
    adding = threading.Thread(target=nodes.add, args=("chip", node))
    adding.start()
    error, told = kernel.ask(INIT, struct.pack("<IIII", 7, 41, 0, 1))
    adding.join(10.0)
    assert error == 0
    assert struct.unpack_from("<8I", told)[6:] == node.number
    assert told[72:] == b"DEVNAME=chip\0"
    yield kernel
    nodes.remove("chip")


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    """A kernel with the device of a reader chip."""
    clock = FollowingClock()
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()))
    with plugged(clock, SpidevNode((153, 256), partial(SpiDevice, chip, clock))) as made:
        yield made


def test_a_transfer_reads_and_writes_the_callers_memory(kernel: Kernel) -> None:
    sent = ctypes.create_string_buffer(READ_VERSION, 2)
    received = ctypes.create_string_buffer(2)
    addresses = map(ctypes.addressof, (sent, received))
    message = struct.pack(TRANSFER, *addresses, 2, 0, 0, 8, 0, 0, 0, 0, 0)
    kept = ctypes.create_string_buffer(message, len(message))
    error, told = kernel.ioctl(kernel.open(), SPI_MESSAGE, ctypes.addressof(kept))
    assert error == 0
    assert struct.unpack_from("<i", told)[0] == 2  # bytes
    assert received.raw[1] in VERSIONS


def test_plain_reads_and_writes_reach_the_chip() -> None:
    clock = FollowingClock()
    bus = I2cBus(clock)
    panel = Ssd1306Chip()
    bus.attach(panel)
    with plugged(clock, I2cNode((89, 1), bus)) as kernel:
        file = kernel.open()
        assert kernel.ioctl(file, I2C_SLAVE, 0x3C)[0] == 0
        body = struct.pack("<QQIIQII", file, 0, 2, 0, 0, 0, 0) + bytes([0x00, 0xAF])
        assert kernel.ask(WRITE, body) == (0, struct.pack("<II", 2, 0))
        assert panel.registers.is_on
        error, status = kernel.ask(READ, struct.pack("<QQIIQII", file, 0, 1, 0, 0, 0, 0))
        assert (error, len(status)) == (0, 1)
        assert kernel.ioctl(file, I2C_SLAVE, 0x3D)[0] == 0
        assert kernel.ask(WRITE, body)[0] == errno.EREMOTEIO


def test_what_a_real_node_refuses_is_refused(kernel: Kernel) -> None:
    file = kernel.open()
    assert kernel.ioctl(file, 0x5401, 0) == (errno.ENOTTY, b"")
    assert kernel.ioctl(file, SPI_MESSAGE, 8) == (errno.EFAULT, b"")
    assert kernel.ask(READ, struct.pack("<QQIIQII", file, 0, 5000, 0, 0, 0, 0))[0] == errno.EMSGSIZE
    assert kernel.ask(STATFS, b"") == (errno.ENOSYS, b"")


def test_a_closed_file_is_forgotten(kernel: Kernel) -> None:
    file = kernel.open()
    assert kernel.ask(RELEASE, struct.pack("<QIIQ", file, 0, 0, 0)) == (0, b"")
    assert kernel.ioctl(file, SPI_MESSAGE, 0) == (errno.EIO, b"")
    assert kernel.open() != file
