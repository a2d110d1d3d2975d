"""The lock file of a state folder, which lets only one tapmat process use the folder.

The kernel releases the lock when the process ends, even after a crash. The file is empty, and stays
when the lock is released.
Source: flock(2); proc_locks(5); Microsoft's C run-time library reference, _locking
"""

import errno
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from firmware.common.errors import FolderInUse, JournalError
from firmware.journal.store import WRITABLE, error_of

if sys.platform == "win32":
    import msvcrt

    FAR = 1 << 30  # offset of the locked byte, after the end, so that the file can be copied

    def _try_lock(handle: int) -> None:
        os.lseek(handle, FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # errors if another process has the lock
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
LOCKS = Path("/proc/locks")
NO_FILE = "Move the folder away: tapmat needs its name for a lock file."
ELSEWHERE = "Name a state folder on a disk of this computer."


class Lock:
    """A lock on the file *path*, held until ``close``.

    Taking the lock never waits for another process.

    Raises:
        FolderInUse: another process has the lock.
        JournalError: the file cannot be opened or locked.
    """

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise JournalError(path, "", "is a folder", NO_FILE)
        try:
            self._handle: int | None = _open_lock_file(path)
        except (FileNotFoundError, PermissionError) as fault:
            found = f"cannot be opened ({fault.strerror})"
            raise JournalError(path, "", found, WRITABLE) from fault
        except OSError as fault:
            raise error_of(fault, path, JournalError) from fault
        try:
            _try_lock(self._handle)
        except OSError as fault:
            holder = _holder(self._handle)
            self.close()
            if fault.errno not in HELD:
                found = f"cannot be locked ({fault.strerror})"
                raise JournalError(path, "", found, ELSEWHERE) from fault
            who = "another tapmat" if holder is None else f"another tapmat (process {holder})"
            raise FolderInUse(
                path.parent,
                "",
                f"is in use: {who} is using this state folder",
                "Stop it, or use another state folder (--state).",
            ) from fault

    def close(self) -> None:
        """Release the lock. May be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _open_lock_file(path: Path) -> int:
    """Open the file *path*, or create it; return its descriptor. It may be read-only."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as fault:
        if fault.errno not in READ_ONLY or not path.exists():
            raise
        return os.open(path, os.O_RDONLY)


def _holder(handle: int) -> int | None:
    """Return the ID of the other process that has the lock on the open file *handle*.

    Return None if the ID is unknown. Only Linux reports it.
    """
    if not LOCKS.exists():
        return None
    found = os.fstat(handle)
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    file = re.escape(f"{device}:{found.st_ino}")
    with suppress(OSError):
        named = re.search(rf"FLOCK +ADVISORY +WRITE +(\d+) {file} ", LOCKS.read_text("ascii"))
        if named is not None and Path("/proc", named[1]).is_dir():
            return int(named[1]) if int(named[1]) != os.getpid() else None
    return None
