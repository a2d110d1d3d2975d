"""The descriptors of open devices in the programs.

Each is one end of a pair of sockets. The kernel's number of that socket distinguishes all copies of
the descriptor from other files, in each process that inherits one. The other end stays in this
process: it is hung up when the last copy is closed, and it carries events to the program.

May import: the standard library and this package's modules for filter, nodes and calls.
"""

import errno
import os
import select
import socket
from dataclasses import dataclass
from pathlib import Path

from fakepi.kernel.filter import END_NUMBER, FIRST_NUMBER
from fakepi.kernel.nodes import OpenNode, refusal
from fakepi.kernel.notify import CONTINUE, SystemCall


@dataclass
class _Opened:
    node: OpenNode
    path: str
    ours: socket.socket
    inode: int


class Descriptors:
    """The open devices of one program and its children.

    *all_open* has the device paths of all programs' descriptors, by the inode of the socket.
    """

    def __init__(self, all_open: dict[int, str]) -> None:
        self._all_open = all_open
        self.poll = select.poll()  # reports our ends that are hung up
        self._by_inode: dict[int, _Opened] = {}
        self._by_handle: dict[int, _Opened] = {}

    def answer_open(self, call: SystemCall, node: OpenNode, path: str, *, is_kept: bool) -> object:
        """Answer *call* with a descriptor of the open *node* of the device file *path*.

        *is_kept* is True if the descriptor stays open in a program that is started with execve.

        Raises:
            OSError: the program has no number left for it.
        """
        number = self._free_number(call)
        theirs, opened = self._pair(node, path)
        with theirs:
            try:
                return call.answer_with(theirs.fileno(), at=number, is_kept=is_kept)
            except BaseException:
                self._close(opened)
                raise

    def give(self, call: SystemCall, node: OpenNode, path: str) -> tuple[int, socket.socket]:
        """Give the program a descriptor of *node* at its lowest free number.

        Returns:
            The number, and the socket whose messages the program reads from the descriptor.
        """
        theirs, opened = self._pair(node, path)
        with theirs:
            try:
                return call.give(theirs.fileno()), opened.ours
            except BaseException:
                self._close(opened)
                raise

    def copy(self, call: SystemCall, at: int | None, *, is_kept: bool) -> object:
        """Answer *call*, a dup of its first argument, with a copy at the number *at*.

        If *at* is None, the number is a free one. *is_kept* is as for ``answer_open``. If the
        descriptor is not that of an open device, the kernel carries the call out.

        Raises:
            OSError: EBADF if the filter does not hand over reads and writes on the number *at*.
        """
        opened = self._at(call, call.arguments[0] & 0xFFFFFFFF)
        if opened is None:
            return CONTINUE
        if at is None:
            at = self._free_number(call)
        if not FIRST_NUMBER <= at < END_NUMBER:
            raise refusal(errno.EBADF)
        theirs, copied = self._pair(opened.node, opened.path)
        with theirs:
            try:
                return call.answer_with(theirs.fileno(), at=at, is_kept=is_kept)
            except BaseException:
                self._forget(copied)
                raise

    def node_at(self, call: SystemCall) -> OpenNode | None:
        """Return the open node of the descriptor that is *call*'s first argument, or None."""
        opened = self._at(call, call.arguments[0] & 0xFFFFFFFF)
        return None if opened is None else opened.node

    def path_of(self, call: SystemCall, link: str) -> str:
        """Return the path of the device file behind a descriptor; "" if it is another file.

        *link* is the descriptor's link in /proc.
        """
        target = call.link(link.removeprefix("/proc/self/")) if "/self/" in link else _link(link)
        return self._all_open.get(_inode(target), "")

    def hang_up(self, handle: int) -> None:
        """Forget the descriptor whose other end is *handle*; close the node after its last one."""
        self._close(self._by_handle[handle])

    def close(self) -> None:
        """Close every open device."""
        for opened in list(self._by_inode.values()):
            self._close(opened)

    def _pair(self, node: OpenNode, path: str) -> tuple[socket.socket, _Opened]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        opened = _Opened(node, path, ours, os.fstat(theirs.fileno()).st_ino)
        self._by_inode[opened.inode] = self._by_handle[ours.fileno()] = opened
        self._all_open[opened.inode] = path
        self.poll.register(ours, 0)
        return theirs, opened

    def _close(self, opened: _Opened) -> None:
        self._forget(opened)
        if not any(other.node is opened.node for other in self._by_inode.values()):
            opened.node.close()

    def _forget(self, opened: _Opened) -> None:
        self.poll.unregister(opened.ours)
        del self._all_open[opened.inode], self._by_inode[opened.inode]
        del self._by_handle[opened.ours.fileno()]
        opened.ours.close()

    def _at(self, call: SystemCall, number: int) -> _Opened | None:
        return self._by_inode.get(_inode(call.link(f"fd/{number}")))

    def _free_number(self, call: SystemCall) -> int:
        """Return a number for a device's descriptor that the program does not use yet.

        Raises:
            OSError: EMFILE if none is left.
        """
        for number in range(FIRST_NUMBER, END_NUMBER):
            if not call.link(f"fd/{number}"):
                return number
        raise refusal(errno.EMFILE)


def _inode(target: str) -> int:
    """Return the inode of the socket in *target*, a link in /proc; 0 if that is not a socket."""
    number = target.removeprefix("socket:[").removesuffix("]")
    return int(number) if number.isdecimal() else 0


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
