"""Numbers and layouts of the Linux system calls that are answered, for each kind of processor.

May import: the standard library.
Source: Linux, arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h,
include/uapi/linux/audit.h; struct stat in arch/x86/include/uapi/asm/stat.h and
include/uapi/asm-generic/stat.h; struct statx in include/uapi/linux/stat.h.
"""

import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NS_PER_S = 1_000_000_000

# Calls that name a file by its path: all of them are handed over.
PATH_CALLS = (
    "open", "openat", "openat2", "stat", "lstat", "newfstatat", "statx",
    "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getxattr", "lgetxattr", "listxattr", "llistxattr",
)  # fmt: skip
# Calls on a descriptor: they are handed over for the numbers of device nodes alone.
DESCRIPTOR_CALLS = ("read", "write", "dup", "dup2", "dup3", "fcntl")

STAT_X86 = struct.Struct("<3Q3I4xQ3q6q24x")
STAT_GENERIC = struct.Struct("<2Q4IQ8xqi4xq6q8x")
STATX = struct.Struct("<2IQ3IH2x4Q" + "qI4x" * 4 + "4I112x")
STATX_BASIC = 0x7FF  # the mask of the fields that struct stat has as well


@dataclass(frozen=True, slots=True)
class FileStatus:
    """The status of a file: that of the real file *found*, but with *mode* and *device*."""

    found: os.stat_result
    mode: int
    device: int  # of a device file: its number


@dataclass(frozen=True, slots=True)
class ProcessorAbi:
    """The system calls of one kind of processor.

    *audit* is its AUDIT_ARCH constant, *seccomp* the number of the call that installs a filter,
    *numbers* the calls that are answered.
    """

    audit: int
    seccomp: int
    numbers: Mapping[str, int]
    pack_stat: Callable[[FileStatus], bytes]


def _times(found: os.stat_result) -> list[tuple[int, int]]:
    stamps = (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns)
    return [divmod(stamp, NS_PER_S) for stamp in stamps]


def _pack_stat_x86(status: FileStatus) -> bytes:
    found = status.found
    times = [part for time in _times(found) for part in time]
    return STAT_X86.pack(
        found.st_dev, found.st_ino, found.st_nlink, status.mode, found.st_uid, found.st_gid,
        status.device, found.st_size, found.st_blksize, found.st_blocks, *times,
    )  # fmt: skip


def _pack_stat_generic(status: FileStatus) -> bytes:
    found = status.found
    times = [part for time in _times(found) for part in time]
    return STAT_GENERIC.pack(
        found.st_dev, found.st_ino, status.mode, found.st_nlink, found.st_uid, found.st_gid,
        status.device, found.st_size, found.st_blksize, found.st_blocks, *times,
    )  # fmt: skip


def pack_statx(status: FileStatus) -> bytes:
    """Return *status* as a ``struct statx``, which is the same on every processor."""
    found = status.found
    accessed, modified, changed = _times(found)
    return STATX.pack(
        STATX_BASIC, found.st_blksize, 0, found.st_nlink, found.st_uid, found.st_gid,
        status.mode, found.st_ino, found.st_size, found.st_blocks, 0,
        *accessed, 0, 0, *changed, *modified,
        os.major(status.device), os.minor(status.device),
        os.major(found.st_dev), os.minor(found.st_dev),
    )  # fmt: skip


ABIS: Mapping[str, ProcessorAbi] = {
    "x86_64": ProcessorAbi(
        audit=0xC000003E,
        seccomp=317,
        numbers={
            "read": 0, "write": 1, "open": 2, "stat": 4, "lstat": 6, "ioctl": 16, "access": 21,
            "dup": 32, "dup2": 33, "fcntl": 72, "readlink": 89, "getxattr": 191, "lgetxattr": 192,
            "listxattr": 194, "llistxattr": 195, "openat": 257, "newfstatat": 262,
            "readlinkat": 267, "faccessat": 269, "dup3": 292, "statx": 332, "openat2": 437,
            "faccessat2": 439,
        },
        pack_stat=_pack_stat_x86,
    ),
    "aarch64": ProcessorAbi(
        audit=0xC00000B7,
        seccomp=277,
        numbers={
            "getxattr": 8, "lgetxattr": 9, "listxattr": 11, "llistxattr": 12,
            "dup": 23, "dup3": 24, "fcntl": 25, "ioctl": 29, "faccessat": 48, "openat": 56,
            "read": 63, "write": 64, "readlinkat": 78, "newfstatat": 79, "statx": 291,
            "openat2": 437, "faccessat2": 439,
        },
        pack_stat=_pack_stat_generic,
    ),
}  # fmt: skip
