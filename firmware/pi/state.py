"""The state folder with games and stickers, and its copy for the previous release.

The copy is needed because a newer release may change the files, so that an older one cannot read
them.
"""

import ctypes
import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from firmware.pi.computer import TargetComputer

STATE, PREVIOUS_STATE = "var/lib/tapmat", "var/lib/tapmat.before"
COPYING = "var/lib/tapmat.copying"  # an incomplete copy
INCOMING = "incoming"  # in the state folder: what will replace its contents
LOG_FILES = ("log.txt", "doctor.txt")  # from ``firmware.journal.log_file``
AT_FDCWD, RENAME_EXCHANGE = -100, 2


@dataclass(frozen=True)
class StateFiles:
    """The state folder, and its copy for the previous release.

    A copy has a temporary name until it is complete.
    """

    computer: TargetComputer

    @property
    def size(self) -> int:
        """The size of all files in the state folder, in bytes."""
        return sum(file.stat().st_size for file in self._at(STATE).rglob("*") if file.is_file())

    def copy(self) -> None:
        """Begin a new copy of the state, with owners and modes. The table may still be running."""
        self.drop_copy()
        if self._at(STATE).exists():
            self.computer.run(("cp", "--archive", str(self._at(STATE)), str(self._at(COPYING))))

    def finish_copy(self) -> None:
        """Update the new copy, and replace the older one with it. The table must have stopped."""
        state, copy = self._at(STATE), self._at(COPYING)
        if state.exists():
            update = ("cp", "--archive", "--update", "--no-target-directory")
            self.computer.run((*update, str(state), str(copy)))
            for file in sorted(copy.rglob("*"), reverse=True):  # files before their folder
                if not (state / file.relative_to(copy)).exists():
                    file.rmdir() if file.is_dir() else file.unlink()
        self._remove(PREVIOUS_STATE)
        if copy.exists():
            copy.rename(self._at(PREVIOUS_STATE))

    def restore(self) -> None:
        """Replace the state by the copy, if there is one.

        The new release's log and doctor's report stay, because they show why it failed.
        """
        self.swap()
        for name in LOG_FILES:
            newer = self._at(PREVIOUS_STATE) / name
            if newer.exists():
                newer.replace(self._at(STATE) / name)
        self._remove(PREVIOUS_STATE)

    def swap(self) -> None:
        """Swap the state and the copy, if there is a copy."""
        state, previous = self._at(STATE), self._at(PREVIOUS_STATE)
        if not previous.exists():
            return
        try:
            _swap(previous, state)
        except OSError as refused:
            if refused.errno not in (errno.EXDEV, errno.EBUSY):
                raise
            self._swap_contents(state, previous)

    def _swap_contents(self, state: Path, previous: Path) -> None:
        """Swap the contents of the folders *state* and *previous* by copying.

        A folder on another file system cannot be renamed. Nothing is changed before both are
        copied. If a disk has no room for that, both stay.
        """
        incoming = state / INCOMING
        try:
            self.copy()
            whole = ("cp", "--archive", "--no-target-directory")
            self.computer.run((*whole, str(previous), str(incoming)))
        except BaseException:
            shutil.rmtree(incoming, ignore_errors=True)
            self.drop_copy()
            raise
        for child in state.iterdir():
            if child != incoming:
                shutil.rmtree(child) if child.is_dir() else child.unlink()
        for child in incoming.iterdir():
            child.rename(state / child.name)
        incoming.rmdir()
        self._remove(PREVIOUS_STATE)
        self._at(COPYING).rename(previous)

    def copy_to_try(self) -> Path:
        """Return the folder of a new, temporary copy of the state; ``drop_copy`` deletes it."""
        self.copy()
        return self._at(COPYING)

    def drop_previous(self) -> None:
        """Delete the copy for the previous release. That release will use the present state."""
        self._remove(PREVIOUS_STATE)

    def drop_copy(self) -> None:
        """Delete an incomplete copy."""
        self._remove(COPYING)

    def purge(self) -> None:
        """Delete the state and all copies."""
        for name in (STATE, PREVIOUS_STATE, COPYING):
            self._remove(name)

    def _at(self, name: str) -> Path:
        return self.computer.path(name)

    def _remove(self, name: str) -> None:
        if self._at(name).exists():
            shutil.rmtree(self._at(name))


def _swap(folder: Path, other: Path) -> None:
    """Swap two folders atomically, or rename *folder* to *other* if *other* does not exist.

    Source: renameat2(2)
    """
    if not other.exists():
        folder.rename(other)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, bytes(folder), AT_FDCWD, bytes(other), RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))
