"""Device nodes of the kernel whose calls this process answers, through ``/dev/cuse``.

Programs need not be started in a special way: every process of the computer can open the nodes,
even in a sandbox. But a device that must give a program more file descriptors, such as a GPIO chip,
is not possible here.

Needs root, and the kernel's module cuse.
May import: the standard library and this room's modules for nodes and memory.
Source: linux/fuse.h and fs/fuse/cuse.c. Calls that pass addresses are answered by reading and
writing the caller's memory, so the kernel's protocol to fetch it (FUSE_IOCTL_RETRY) is not needed.
"""

import errno
import logging
import os
import select
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import Protocol

from fakepi.kernel.memory import Memory
from fakepi.kernel.nodes import CallerMemory, DescriptorGiver, OpenNode, refusal
from fakepi.kernel.supervisor import RealTime

CONTROL = Path("/dev/cuse")
REQUEST = struct.Struct("<IIQQIIIHH")  # fuse_in_header
REPLY = struct.Struct("<IiQ")  # fuse_out_header
INIT = struct.Struct("<IIII")  # cuse_init_in
DESCRIPTION = struct.Struct("<8I40x")  # cuse_init_out
OPENED = struct.Struct("<QII")  # fuse_open_out
READ = struct.Struct("<QQI")  # fuse_read_in, its first fields
WRITE = struct.Struct("<QQI20x")  # fuse_write_in
IOCTL = struct.Struct("<QIIQII")  # fuse_ioctl_in
IOCTL_RESULT = struct.Struct("<iIII")  # fuse_ioctl_out
RELEASED = struct.Struct("<Q")  # fuse_release_in, its first field
CUSE_INIT = 4096
OPEN, READING, WRITING, RELEASE, FSYNC, FLUSH, INTERRUPT, IOCTLING = 14, 15, 16, 18, 20, 25, 36, 39
VERSION = 7  # of the protocol
UNRESTRICTED_IOCTL = 1  # ioctls may pass addresses
DIRECT_IO = 1  # reads and writes are not cached
LONGEST = 1 << 16  # bytes of a read or write

log = logging.getLogger(__name__)


class OpenDevice(Protocol):
    """An open device that needs only the memory of its caller; see ``OpenNode``."""

    def ioctl(self, call: CallerMemory, request: int, argument: int) -> object:
        """Carry out an ioctl and return its result. Raises OSError."""
        ...

    def read(self, size: int) -> bytes:
        """Return up to *size* bytes. Raises OSError."""
        ...

    def write(self, data: bytes) -> int:
        """Accept *data* and return the number of bytes accepted. Raises OSError."""
        ...

    def close(self) -> None:
        """Release what was opened."""
        ...


class Device(Protocol):
    """A device file, such as ``/dev/spidev0.0``; see ``DeviceNode``."""

    @property
    def number(self) -> tuple[int, int]:
        """Its major and minor number."""
        ...

    def open(self, descriptors: DescriptorGiver) -> OpenDevice:
        """Open the device. Raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class _CallerOf:
    """A ``CallerMemory``: the memory of the process whose *thread* waits for an ioctl."""

    memory: Memory
    thread: int

    def read(self, at: int, size: int) -> bytes:
        return self.memory.read(self.thread, at, size)

    def write(self, at: int, data: bytes) -> None:
        self.memory.write(self.thread, at, data)


class _NoDescriptors:
    """A ``DescriptorGiver`` that always refuses: only the program itself can open its files."""

    def give(self, call: object, node: OpenNode, path: str) -> tuple[int, socket]:
        raise refusal(errno.ENOTTY)


@dataclass
class _Device:
    """A device that the kernel has created for *node*, and the open files of it, by number.

    *handle* is the file descriptor of its channel to the kernel.
    """

    handle: int
    name: str
    node: Device
    opened: dict[int, OpenDevice] = field(default_factory=dict)
    opens: int = 0
    is_there: bool = False


def open_cuse() -> int:
    """Open a new channel to the kernel. Raises OSError."""
    return os.open(CONTROL, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)


class CuseNodes:
    """Emulated device nodes. A separate thread answers the calls on them.

    Args:
        time: the clock of the emulated chips.
        lock: held while a call is answered, so that people act only between calls.
        open_channel: opens a new channel to the kernel; tests play the kernel.
    """

    def __init__(
        self,
        time: RealTime,
        lock: AbstractContextManager[object],
        open_channel: Callable[[], int] = open_cuse,
    ) -> None:
        self._open_channel = open_channel
        self._time = time
        self._lock = lock
        self._memory = Memory()
        self._devices: dict[int, _Device] = {}
        self._poll = select.poll()
        self._change = threading.Condition()
        self._wake_read, self._wake = os.pipe()
        self._poll.register(self._wake_read, select.POLLIN)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, name: str, node: Device, limit_s: float = 30.0) -> None:
        """Create the device *name* with the number of *node*; wait until ``/dev/<name>`` exists.

        Raises:
            OSError: there is no ``/dev/cuse``, it may not be opened, the number is in use, or the
                device does not exist after *limit_s* seconds.
        """
        handle = self._open_channel()
        device = _Device(handle, name, node)
        self._devices[handle] = device
        self._poll.register(handle, select.POLLIN)
        os.write(self._wake, b"\0")
        with self._change:
            if not self._change.wait_for(lambda: device.is_there, limit_s):
                self._remove(device)
                raise OSError(errno.EBUSY, f"the kernel has not created the device {name}")

    def remove(self, name: str) -> None:
        """Remove the device *name*. Open descriptors fail from now on, as with a removed driver."""
        for device in list(self._devices.values()):
            if device.name == name:
                self._remove(device)

    def _remove(self, device: _Device) -> None:
        with self._lock:
            if self._devices.pop(device.handle, None) is None:
                return
            self._poll.unregister(device.handle)
            os.close(device.handle)
            for node in device.opened.values():
                node.close()

    def _run(self) -> None:
        while True:
            wait_s = self._time.next_call_s
            ready = self._poll.poll(None if wait_s is None else wait_s * 1000 + 1)
            with self._lock:
                self._time.catch_up()
                for handle, _event in ready:
                    if handle == self._wake_read:
                        os.read(handle, LONGEST)
                    elif handle in self._devices:
                        self._serve(self._devices[handle])

    def _serve(self, device: _Device) -> None:
        try:
            message = os.read(device.handle, LONGEST + 4096)
        except OSError as gone:
            if gone.errno == errno.ENODEV:  # the kernel has refused the device
                self._remove(device)
            elif gone.errno not in (errno.EAGAIN, errno.EINTR, errno.ENOENT):
                raise
            return
        _length, operation, unique, _node, _uid, _gid, thread, _, _ = REQUEST.unpack_from(message)
        body = message[REQUEST.size :]
        if operation == INTERRUPT:  # ignored: the calls that it could interrupt are short
            return
        try:
            answer = self._answer(device, operation, body, thread)
        except OSError as error:
            _reply(device, unique, error=error.errno or errno.EIO)
        except Exception:
            log.exception("The device %s could not answer the request %d", device.name, operation)
            _reply(device, unique, error=errno.EIO)
        else:
            _reply(device, unique, answer)
            if operation == CUSE_INIT:
                with self._change:
                    device.is_there = True
                    self._change.notify_all()

    def _answer(self, device: _Device, operation: int, body: bytes, thread: int) -> bytes:
        if operation == CUSE_INIT:
            return _describe(device, body)
        if operation == IOCTLING:
            file, _flags, request, argument, _in, _out = IOCTL.unpack_from(body)
            caller = _CallerOf(self._memory, thread)
            result = device.opened[file].ioctl(caller, request, argument)
            assert isinstance(result, int)
            return IOCTL_RESULT.pack(result, 0, 0, 0)
        answers: Mapping[int, Callable[[_Device, bytes], bytes]] = {
            OPEN: _open, READING: _read, WRITING: _write, RELEASE: _release,
            FLUSH: _nothing, FSYNC: _nothing,
        }  # fmt: skip
        if operation not in answers:
            raise refusal(errno.ENOSYS)
        return answers[operation](device, body)


def _reply(device: _Device, unique: int, body: bytes = b"", *, error: int = 0) -> None:
    try:
        os.write(device.handle, REPLY.pack(REPLY.size + len(body), -error, unique) + body)
    except OSError as gone:
        if gone.errno != errno.ENOENT:  # the caller was killed
            raise


def _describe(device: _Device, body: bytes) -> bytes:
    _major, minor, _unused, _flags = INIT.unpack_from(body)
    numbers = (VERSION, minor, 0, UNRESTRICTED_IOCTL, LONGEST, LONGEST, *device.node.number)
    return DESCRIPTION.pack(*numbers) + f"DEVNAME={device.name}\0".encode()


def _open(device: _Device, _body: bytes) -> bytes:
    device.opens += 1
    device.opened[device.opens] = device.node.open(_NoDescriptors())
    return OPENED.pack(device.opens, DIRECT_IO, 0)


def _read(device: _Device, body: bytes) -> bytes:
    file, _offset, size = READ.unpack_from(body)
    return device.opened[file].read(size)


def _write(device: _Device, body: bytes) -> bytes:
    file, _offset, size = WRITE.unpack_from(body)
    written = device.opened[file].write(body[WRITE.size : WRITE.size + size])
    return struct.pack("<II", written, 0)


def _release(device: _Device, body: bytes) -> bytes:
    (file,) = RELEASED.unpack_from(body)
    device.opened.pop(file).close()
    return b""


def _nothing(_device: _Device, _body: bytes) -> bytes:
    return b""
