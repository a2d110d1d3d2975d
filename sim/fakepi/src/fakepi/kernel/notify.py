"""One handed-over system call, and the kernel's interface to answer it.

May import: the standard library and this package's modules for the ABI and memory.
Source: linux/seccomp.h and seccomp_unotify(2).
"""

import errno
import fcntl
import os
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fakepi.kernel.memory import Memory

RECEIVE, SEND, IS_VALID, ADD_DESCRIPTOR = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103
NOTIFICATION = struct.Struct("<QIIiIQ6Q")  # seccomp_notif, with seccomp_data
RESPONSE = struct.Struct("<QqiI")
ADDITION = struct.Struct("<QIIII")  # seccomp_notif_addfd
RUN_IT = 1  # the response's flag: let the kernel carry out the call
AT_NUMBER, AND_ANSWER = 1, 2  # flags of an addition

CONTINUE = object()  # the result of a call that the kernel carries out itself
ANSWERED = object()  # the result of a call that a new descriptor has answered


class Gone(Exception):
    """The program's thread no longer waits for this call: it was killed or interrupted."""


@dataclass(frozen=True, slots=True)
class SystemCall:
    """A call that waits for its result.

    *thread* is the id of the thread that waits, *number* the system call's number.
    """

    listener: int
    identity: int
    thread: int
    number: int
    arguments: Sequence[int]
    memory: Memory

    def check(self) -> None:
        """Check that the thread still waits, so that its id still means the same thread.

        Raises:
            Gone: it does not.
        """
        try:
            fcntl.ioctl(self.listener, IS_VALID, struct.pack("<Q", self.identity))
        except OSError as gone:
            raise Gone from gone

    def read(self, at: int, size: int) -> bytes:
        """Return *size* bytes of the program's memory.

        Raises OSError for a wrong address, and Gone if the thread no longer waits.
        """
        data = self.memory.read(self.thread, at, size)
        self.check()
        return data

    def read_path(self, at: int) -> str:
        """Return the path at the address *at*. Raises as ``read`` does."""
        path = self.memory.read_path(self.thread, at)
        self.check()
        return path

    def write(self, at: int, data: bytes) -> None:
        """Write *data* into the program's memory. Raises as ``read`` does."""
        self.check()
        self.memory.write(self.thread, at, data)

    def link(self, name: str) -> str:
        """Return the target of the link *name* in the thread's folder of ``/proc``, or ""."""
        try:
            return str(Path(f"/proc/{self.thread}/{name}").readlink())
        except OSError:
            return ""

    def give(self, handle: int, *, at: int | None = None, is_kept: bool = False) -> int:
        """Give the program a copy of the descriptor *handle*, and return its number there.

        Args:
            handle: this process's descriptor; it stays open.
            at: the number it gets; by default the lowest free one.
            is_kept: True if programs that it becomes (execve) shall have the descriptor too.

        Raises:
            Gone: the thread no longer waits.
        """
        return self._add(handle, 0, at, is_kept)

    def answer_with(self, handle: int, *, at: int | None = None, is_kept: bool = False) -> object:
        """Give the program a copy of *handle* as the result of this call; see ``give``."""
        self._add(handle, AND_ANSWER, at, is_kept)
        return ANSWERED

    def _add(self, handle: int, flags: int, at: int | None, is_kept: bool) -> int:
        if at is not None:
            flags |= AT_NUMBER
        on_exec = 0 if is_kept else os.O_CLOEXEC
        addition = bytearray(ADDITION.pack(self.identity, flags, handle, at or 0, on_exec))
        try:
            number: int = fcntl.ioctl(self.listener, ADD_DESCRIPTOR, addition, True)
        except FileNotFoundError as gone:
            raise Gone from gone
        return number

    def finish(self, result: int | object) -> None:
        """End the call with *result*: a number, a negative error number, or CONTINUE."""
        if result is ANSWERED:
            return
        if result is CONTINUE:
            response = RESPONSE.pack(self.identity, 0, 0, RUN_IT)
        else:
            assert isinstance(result, int)
            response = RESPONSE.pack(self.identity, max(result, 0), min(result, 0), 0)
        with suppress(OSError):  # the thread no longer waits
            fcntl.ioctl(self.listener, SEND, response)


def receive(listener: int, memory: Memory) -> SystemCall | None:
    """Return the next call that waits for an answer; None if its thread has stopped waiting.

    Raises:
        OSError: the listener is closed.
    """
    notification = bytearray(NOTIFICATION.size)
    try:
        fcntl.ioctl(listener, RECEIVE, notification, True)
    except OSError as failed:
        if failed.errno in (errno.EINTR, errno.ENOENT):
            return None
        raise
    identity, thread, _flags, number, _arch, _ip, *arguments = NOTIFICATION.unpack(notification)
    return SystemCall(listener, identity, thread, number, arguments, memory)
