"""Read and write the memory of another process.

May import: the standard library.
Source: process_vm_readv(2). The kernel allows it for a process of the same user; where
kernel.yama.ptrace_scope is 1, only for a descendant of this one.
"""

import ctypes
import errno
import os
from typing import Any

PAGE = 4096
LONGEST_PATH = 4096  # PATH_MAX


class Stretch(ctypes.Structure):
    """The address and length of a part of memory: ``struct iovec``."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _transfer(move: Any, pid: int, at: int, buffer: Any, size: int) -> int:
    here = Stretch(ctypes.addressof(buffer), size)
    there = Stretch(at, size)
    moved: int = move(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if moved < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return moved


class Memory:
    """The memory of other processes, by process or thread id."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        size, address = ctypes.c_ulong, ctypes.c_void_p
        self._read, self._write = libc.process_vm_readv, libc.process_vm_writev
        for move in (self._read, self._write):
            move.argtypes = (ctypes.c_int, address, size, address, size, size)
            move.restype = ctypes.c_ssize_t

    def read(self, pid: int, at: int, size: int) -> bytes:
        """Return *size* bytes at the address *at*.

        Raises:
            OSError: EFAULT if they are not all mapped; EPERM if the kernel does not allow it.
        """
        buffer = ctypes.create_string_buffer(size or 1)
        if size and _transfer(self._read, pid, at, buffer, size) < size:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
        return buffer.raw[:size]

    def write(self, pid: int, at: int, data: bytes) -> None:
        """Write *data* at the address *at*.

        Raises:
            OSError: EFAULT if it cannot all be written there; EPERM as for ``read``.
        """
        if not data:
            return
        buffer = ctypes.create_string_buffer(data, len(data))
        if _transfer(self._write, pid, at, buffer, len(data)) < len(data):
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))

    def read_path(self, pid: int, at: int) -> str:
        """Return the path at the address *at*, which ends with a zero byte.

        Raises:
            OSError: ENAMETOOLONG if it is longer than Linux allows; else as for ``read``.
        """
        data = b""
        while len(data) < LONGEST_PATH:
            data += self.read(pid, at + len(data), PAGE - (at + len(data)) % PAGE)
            path, end, _ = data.partition(b"\0")
            if end:
                return os.fsdecode(path)
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
