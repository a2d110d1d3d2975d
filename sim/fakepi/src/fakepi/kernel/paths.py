"""Answers to the system calls that name a file by its path, if it is one of the Pi's files.

May import: the standard library and this package's modules for files, nodes and calls.
Source: the manual pages open(2), openat2(2), stat(2), statx(2), access(2), readlink(2),
getxattr(2) and listxattr(2).
"""

import errno
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fakepi.kernel.abi import ProcessorAbi, pack_statx
from fakepi.kernel.descriptors import Descriptors
from fakepi.kernel.files import PiFiles
from fakepi.kernel.notify import CONTINUE, SystemCall

AT_FDCWD, AT_SYMLINK_NOFOLLOW = -100, 0x100
HANDLE = re.compile(r"/proc/(?:self|\d+)/(?:task/\d+/)?fd/\d+")


@dataclass(frozen=True)
class PathCalls:
    """The answers to calls on paths, for the Pi's *files*; other paths are the kernel's."""

    abi: ProcessorAbi
    files: PiFiles
    descriptors: Descriptors

    @property
    def answers(self) -> Mapping[str, Callable[[SystemCall], object]]:
        """The function that answers each call, by the call's name."""
        return {
            "open": lambda call: self._open(call, AT_FDCWD, 0, call.arguments[1]),
            "openat": lambda call: self._open(call, call.arguments[0], 1, call.arguments[2]),
            "openat2": self._openat2,
            "stat": lambda call: self._stat(call, AT_FDCWD, 0, 1, is_followed=True),
            "lstat": lambda call: self._stat(call, AT_FDCWD, 0, 1, is_followed=False),
            "newfstatat": self._newfstatat,
            "statx": self._statx,
            "access": lambda call: self._access(call, AT_FDCWD, 0),
            "faccessat": lambda call: self._access(call, call.arguments[0], 1),
            "faccessat2": lambda call: self._access(call, call.arguments[0], 1),
            "readlink": lambda call: self._readlink(call, AT_FDCWD, 0),
            "readlinkat": lambda call: self._readlink(call, call.arguments[0], 1),
            "getxattr": lambda call: self._getxattr(call, is_followed=True),
            "lgetxattr": lambda call: self._getxattr(call, is_followed=False),
            "listxattr": lambda call: self._listxattr(call, is_followed=True),
            "llistxattr": lambda call: self._listxattr(call, is_followed=False),
        }

    def _path(self, call: SystemCall, folder: int, argument: int) -> str:
        """Return the absolute path in *call*'s argument number *argument*; "" for an empty path.

        A relative path starts at *folder*, a descriptor or AT_FDCWD.
        """
        path = call.read_path(call.arguments[argument])
        if path and not path.startswith("/"):
            number = folder & 0xFFFFFFFF
            place = "cwd" if number == AT_FDCWD & 0xFFFFFFFF else f"fd/{number}"
            path = f"{self.files.seen_path(call.link(place))}/{path}"
        return os.path.normpath(path) if path else ""

    def _open(self, call: SystemCall, folder: int, argument: int, flags: int) -> object:
        path = self._path(call, folder, argument)
        if not self.files.has(path):
            return CONTINUE
        is_kept = not flags & os.O_CLOEXEC
        node = self.files.node_to_open(path)
        if node is not None:
            opened = node.open(self.descriptors)
            return self.descriptors.answer_open(call, opened, path, is_kept=is_kept)
        file = self.files.open_file(path, flags)
        try:
            return call.answer_with(file, is_kept=is_kept)
        finally:
            os.close(file)

    def _openat2(self, call: SystemCall) -> object:
        flags = int.from_bytes(call.read(call.arguments[2], 8), "little")
        return self._open(call, call.arguments[0], 1, flags)

    def _newfstatat(self, call: SystemCall) -> object:
        is_followed = not call.arguments[3] & AT_SYMLINK_NOFOLLOW
        return self._stat(call, call.arguments[0], 1, 2, is_followed=is_followed)

    def _stat(
        self, call: SystemCall, folder: int, argument: int, answer: int, *, is_followed: bool
    ) -> object:
        path = self._path(call, folder, argument)
        if not self.files.has(path):
            return CONTINUE
        status = self.files.stat(path, follow=is_followed)
        call.write(call.arguments[answer], self.abi.pack_stat(status))
        return 0

    def _statx(self, call: SystemCall) -> object:
        path = self._path(call, call.arguments[0], 1)
        if not self.files.has(path):
            return CONTINUE
        status = self.files.stat(path, follow=not call.arguments[2] & AT_SYMLINK_NOFOLLOW)
        call.write(call.arguments[4], pack_statx(status))
        return 0

    def _access(self, call: SystemCall, folder: int, argument: int) -> object:
        path = self._path(call, folder, argument)
        if not self.files.has(path):
            return CONTINUE
        self.files.check_access(path, call.arguments[argument + 1] & 0xFFFFFFFF)
        return 0

    def _readlink(self, call: SystemCall, folder: int, argument: int) -> object:
        """Answer readlink for the Pi's links, and for the link in /proc to an open device."""
        path = self._path(call, folder, argument)
        if self.files.has(path):
            target = str(self.files.of(path).readlink())
        elif HANDLE.fullmatch(path):
            target = self.descriptors.path_of(call, path)
        else:
            return CONTINUE
        if not target:
            return CONTINUE
        data = os.fsencode(target)[: call.arguments[argument + 2]]
        call.write(call.arguments[argument + 1], data)
        return len(data)

    def _getxattr(self, call: SystemCall, *, is_followed: bool) -> object:
        answer = self._listxattr(call, is_followed=is_followed)
        return answer if answer is CONTINUE else -errno.ENODATA

    def _listxattr(self, call: SystemCall, *, is_followed: bool) -> object:
        """Answer that a file of the Pi has no extended attributes; ``ls -l`` asks for its ACL."""
        path = self._path(call, AT_FDCWD, 0)
        if not self.files.has(path):
            return CONTINUE
        self.files.stat(path, follow=is_followed)
        return 0
