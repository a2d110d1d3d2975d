"""``tapmat journal backup`` and ``restore``: all that is kept, in one file, and back.

Room: firmware/archive. A backup is a zip of whole SQLite files. Copies are made by SQLite itself,
so a table may be playing meanwhile. What is restored is opened by this very program first, which
brings an older one forward; only then it takes the place of what is there, which is kept beside.
Source: https://www.sqlite.org/backup.html
"""

import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from gettext import gettext as _
from pathlib import Path
from sqlite3 import Error
from tempfile import TemporaryDirectory
from typing import BinaryIO, Protocol

from firmware.archive.files import check_archive, open_archive, stickers_in
from firmware.archive.past import ARCHIVE
from firmware.controller import JOURNAL, REGISTER
from firmware.errors import BackupError, OutputError, StoreError
from firmware.journal import Journal, check_file, hold
from firmware.register import TagRegister
from firmware.store import connect, explained


class Closing(Protocol):
    """What is closed after use."""

    def close(self) -> None:
        """Let go of it."""
        ...


KEPT = (JOURNAL, ARCHIVE, REGISTER)
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite writes next to a file
USED: dict[str, tuple[Callable[[Path], object], Callable[[Path], Closing]]] = {
    JOURNAL: (check_file, Journal),
    ARCHIVE: (check_archive, open_archive),
    REGISTER: (stickers_in, TagRegister),
}  # how each is looked through, and opened as a table does
MOST_BYTES = 1 << 30  # of a file in a backup; a larger one is none of ours
N_ = str  # marks a text for the catalogues; it is translated where it is used
NO_BACKUP = N_("Name a file that tapmat journal backup has written. Nothing was changed.")
STAMP = "%Y%m%d-%H%M%S"


def backup(folder: Path, file: Path) -> dict[str, int]:
    """Write what the state folder *folder* keeps into the new file *file*.

    Returns:
        The size in bytes of each file that is in it, by name.

    Raises:
        OutputError: *file* is there already, or cannot be written.
        StoreError: what is kept is damaged, or cannot be read.
    """
    with _unwritable(file), file.open("xb") as out:
        try:
            with TemporaryDirectory(dir=file.absolute().parent) as scratch:
                sizes = _pack(folder, Path(scratch), out)
            os.fsync(out.fileno())
        except BaseException:
            file.unlink()
            raise
    return sizes


def restore(folder: Path, file: Path, now: datetime) -> Path | None:
    """Put what *file* holds in place of what the state folder *folder* keeps.

    Returns:
        The folder in which all that was there is kept; none when there was nothing.

    Raises:
        BackupError: *file* is no backup, or a damaged one. Nothing was changed.
        FolderInUse: a table is using the state folder.
        StoreError: what it holds is a newer version's, or the folder cannot be written.
    """
    with closing(hold(folder / JOURNAL)), _unwritable(folder):
        with TemporaryDirectory(dir=folder, prefix="restoring-") as scratch:
            fresh = Path(scratch)
            names = _unpack(file, fresh)
            for name in names:
                _bring_forward(fresh / name, file)
            kept = _keep(folder, folder / f"before-restore-{now:{STAMP}}")
            for name in KEPT:
                for beside in BESIDE:
                    (folder / f"{name}{beside}").unlink(missing_ok=True)
                if name in names:
                    (fresh / name).replace(folder / name)
                else:
                    (folder / name).unlink(missing_ok=True)
            _settle(folder)
        return kept


def _pack(folder: Path, scratch: Path, out: BinaryIO) -> dict[str, int]:
    """Write copies of what *folder* keeps, made in *scratch*, to *out*; return their sizes."""
    sizes = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in KEPT:
            if _is_there(folder / name):
                _copy(folder / name, scratch / name)
                packed.write(scratch / name, name)
                sizes[name] = (scratch / name).stat().st_size
    return sizes


def _copy(path: Path, copy: Path) -> None:
    """Have SQLite copy *path*, as it is at this moment, into the one file *copy*."""
    try:
        with (
            closing(connect(path, is_looking=True)) as source,
            closing(connect(copy)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            (found,) = target.execute("PRAGMA integrity_check(1)").fetchone()
    except Error as fault:
        raise explained(fault, path, StoreError) from fault
    if found != "ok":
        remedy = _("An older backup may be whole; tapmat journal verify says what is wrong.")
        raise StoreError(path, "", _("is damaged ({reason})").format(reason=found), remedy)


def _unpack(file: Path, into: Path) -> list[str]:
    """Unpack the backup *file*; return the names of what it holds."""
    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
            strange = [name for name in names if name not in KEPT]
            if strange or not names or len(set(names)) < len(names):
                found = _("is no backup: it holds nothing of tapmat")
                if strange:
                    found = _("is no backup: it holds {name!r}").format(name=strange[0])
                raise BackupError(file, "", found, _(NO_BACKUP))
            if any(packed.getinfo(name).file_size > MOST_BYTES for name in names):
                found = _("is no backup: it is far too large")
                raise BackupError(file, "", found, _(NO_BACKUP))
            for name in names:
                packed.extract(name, into)
                _settle(into / name)
            return names
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as wrong:
        found = _("is no whole backup ({reason})").format(reason=wrong)
        raise BackupError(file, "", found, _(NO_BACKUP)) from wrong
    except FileNotFoundError as wrong:
        raise BackupError(file, "", _("is not there"), _(NO_BACKUP)) from wrong
    except (PermissionError, IsADirectoryError) as wrong:
        found = _("cannot be read ({reason})").format(reason=wrong.strerror)
        raise BackupError(file, "", found, _(NO_BACKUP)) from wrong


def _bring_forward(path: Path, file: Path) -> None:
    """Open *path* as a table would, in a folder of its own; it becomes this version's."""
    with TemporaryDirectory(dir=path.parent) as alone:
        there = path.rename(Path(alone) / path.name)
        look_through, opened = USED[path.name]
        try:
            look_through(there)
            with closing(opened(there)):
                pass
        except StoreError as wrong:
            found = _("cannot be restored: its {name} {found}")
            told = found.format(name=path.name, found=wrong.found)
            unchanged = _("Nothing was changed.")
            raise BackupError(file, "", told, f"{wrong.remedy} {unchanged}") from wrong
        there.rename(path)
        _settle(path)


def _keep(folder: Path, beside: Path) -> Path | None:
    """Copy all that *folder* keeps, as it is, into the new folder *beside*."""
    there = [
        path
        for name in KEPT
        for path in (folder / name, *(folder / f"{name}{end}" for end in BESIDE))
        if path.exists()
    ]
    if not there:
        return None
    beside.mkdir()
    for path in there:
        shutil.copy2(path, beside)
        _settle(beside / path.name)
    _settle(beside)
    _settle(folder)
    return beside


def _is_there(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _settle(path: Path) -> None:
    """Have *path*, a file or a folder, be on disk."""
    if path.is_dir() and os.name == "nt":
        return  # a folder cannot be opened there, and needs not
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _unwritable(path: Path) -> Iterator[None]:
    """Say of a fault of the disk what to do."""
    try:
        yield
    except FileExistsError as wrong:
        raise OutputError(path, "", _("is there already"), _("Name a new file.")) from wrong
    except OSError as wrong:
        found = _("cannot be written ({reason})").format(reason=wrong.strerror or wrong)
        remedy = _("Make room there, or name another place.")
        raise OutputError(path, "", found, remedy) from wrong
