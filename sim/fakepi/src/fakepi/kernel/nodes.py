"""The interface between the supervisor and the device nodes that it answers for.

May import: the standard library and this package's ``notify``.
"""

import errno
import os
from socket import socket
from typing import Protocol

from fakepi.kernel.notify import SystemCall


def refusal(number: int) -> OSError:
    """Return the error with the error number *number*, such as ``errno.ENOTTY``."""
    return OSError(number, os.strerror(number))


class CallerMemory(Protocol):
    """The memory of the program that waits for a call's result. A ``SystemCall`` is one."""

    def read(self, at: int, size: int) -> bytes:
        """Return *size* bytes at the address *at*. Raises OSError."""
        ...

    def write(self, at: int, data: bytes) -> None:
        """Write *data* at the address *at*. Raises OSError."""
        ...


class OpenNode(Protocol):
    """An open device: the state of one ``open()``, which copies of its descriptor share."""

    def ioctl(self, call: SystemCall, request: int, argument: int) -> object:
        """Carry out an ioctl and return its result. Raises OSError."""
        ...

    def read(self, size: int) -> bytes:
        """Return up to *size* bytes. Raises OSError."""
        ...

    def write(self, data: bytes) -> int:
        """Accept *data* and return the number of bytes accepted. Raises OSError."""
        ...

    def close(self) -> None:
        """Release what was opened, after the last copy of the descriptor was closed."""
        ...


class DescriptorGiver(Protocol):
    """A source of descriptors of further open nodes for a program."""

    def give(self, call: SystemCall, node: OpenNode, path: str) -> tuple[int, socket]:
        """Give the program a descriptor of *node*, which its links name *path*.

        Returns:
            Its number, and the socket whose messages the program reads from it.
        """
        ...


class DeviceNode(Protocol):
    """A device file, such as ``/dev/spidev0.0``."""

    @property
    def number(self) -> tuple[int, int]:
        """Its major and minor number."""
        ...

    def open(self, descriptors: DescriptorGiver) -> OpenNode:
        """Open the device, which may give the program more *descriptors*. Raises OSError."""
        ...


class WithoutStream:
    """The base class of an ``OpenNode`` that can be neither read nor written."""

    def read(self, size: int) -> bytes:
        """Refuse. Raises OSError."""
        raise refusal(errno.EINVAL)

    def write(self, data: bytes) -> int:
        """Refuse. Raises OSError."""
        raise refusal(errno.EINVAL)
