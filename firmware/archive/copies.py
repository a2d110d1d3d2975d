"""``tapmat journal backup`` and ``restore``: the journal, archive and tag register in one file.

A backup is a zip of SQLite files. The zip's comment says how many games, plays and stickers are in
it. SQLite itself copies each file, so a table may be playing meanwhile. Each copy is checked before
it is packed. Then the zip is read again and checked. A restore first opens the files from the
backup, which updates older schema versions. The files that it replaces are moved to a new folder.
Source: https://www.sqlite.org/backup.html
"""

import errno
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from sqlite3 import Error
from tempfile import TemporaryDirectory
from typing import BinaryIO, Protocol

from firmware.archive.files import archive_remedy, check_archive, open_archive, stickers_in
from firmware.archive.past import ARCHIVE
from firmware.boxes.register import TagRegister
from firmware.common.errors import BackupError, OutputError, StoreError
from firmware.journal.journal import Journal, check_file, lock_folder
from firmware.journal.store import connect, damage_error, error_of, sync
from firmware.journal.tail import TAIL
from firmware.runtime.controller import JOURNAL, REGISTER


class Closing(Protocol):
    """An object with a ``close`` method."""

    def close(self) -> None:
        """Close the object."""
        ...


KEPT = (JOURNAL, ARCHIVE, REGISTER)
BESIDE = ("-wal", "-shm", "-journal", TAIL)  # suffixes of files that belong to an SQLite file
# For each file, the function that checks it and the one that opens it.
HANDLERS: dict[str, tuple[Callable[[Path], object], Callable[[Path], Closing]]] = {
    JOURNAL: (check_file, Journal),
    ARCHIVE: (check_archive, open_archive),
    REGISTER: (stickers_in, TagRegister),
}
MAX_BYTES = 1 << 30  # limit for a backup and for its contents; real backups are far smaller
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods may use any amount of memory
NO_BACKUP = "Name a file from tapmat journal backup. Nothing was changed."
STAMP = "%Y%m%d-%H%M%S"


CONTENTS = """SELECT count(*) FILTER (WHERE kind = 'start'), count(*) FILTER (WHERE kind = 'input'),
    coalesce(max(at) FILTER (WHERE kind = 'input'), '') FROM entry"""


@dataclass(frozen=True, slots=True)
class Contents:
    """The numbers of games, plays and stickers in a backup.

    *last_play* is the time of the last play (ISO 8601, UTC); empty if there is none.
    """

    games: int = 0
    plays: int = 0
    stickers: int = 0
    last_play: str = ""


def contents_of(file: Path) -> Contents | None:
    """Return the contents that the backup *file* lists; None if there are none."""
    try:
        with zipfile.ZipFile(file) as packed:
            return Contents(**json.loads(packed.comment))
    except (OSError, ValueError, TypeError, zipfile.BadZipFile):
        return None


def backup(folder: Path, file: Path) -> dict[str, int]:
    """Back up the state folder *folder* into the new zip *file*.

    Returns:
        The size in bytes of each file in the backup, by name.

    Raises:
        OutputError: *file* exists already, or cannot be written.
        StoreError: a file in *folder* is damaged, or cannot be read.
    """
    with _unwritable(file), file.open("xb+") as out:
        try:
            with TemporaryDirectory(dir=file.absolute().parent) as scratch:
                sizes = _pack(folder, Path(scratch), out)
            os.fsync(out.fileno())
        except BaseException:
            file.unlink()
            raise
    return sizes


def restore(folder: Path, file: Path, now: datetime) -> Path | None:
    """Replace the files in the state folder *folder* with those in the backup *file*.

    *now* is the time for the name of the folder that keeps the replaced files.

    Returns:
        The folder that keeps the replaced files; None if there were none.

    Raises:
        BackupError: *file* is not a backup, is damaged, or is from a newer version. Nothing was
            changed.
        FolderInUse: a table is using the state folder.
        OutputError: the folder cannot be written.
    """
    with closing(lock_folder(folder / JOURNAL)), _unwritable(folder):
        with TemporaryDirectory(dir=folder, prefix="restoring-") as scratch:
            fresh = Path(scratch)
            names = _unpack(file, fresh)
            for name in names:
                _update(fresh / name, file)
            kept = _set_aside(folder, folder / f"before-restore-{now:{STAMP}}")
            for name in KEPT:
                for beside in BESIDE:
                    (folder / f"{name}{beside}").unlink(missing_ok=True)
                if name in names:
                    (fresh / name).replace(folder / name)
                else:
                    (folder / name).unlink(missing_ok=True)
            sync(folder)
        return kept


def _pack(folder: Path, scratch: Path, out: BinaryIO) -> dict[str, int]:
    """Copy the state folder's files to the folder *scratch*, check them, and zip them to *out*.

    *folder* is the state folder, and *scratch* an empty temporary folder.

    Returns:
        The size in bytes of each file, by name.
    """
    sizes = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in KEPT:
            if _has_contents(folder / name):
                with archive_remedy(folder / name) if name == ARCHIVE else nullcontext():
                    _copy(folder / name, scratch / name)
                packed.write(scratch / name, name)
                sizes[name] = (scratch / name).stat().st_size
        packed.comment = json.dumps(asdict(_contents(scratch))).encode()
    with zipfile.ZipFile(out) as packed:
        broken = packed.testzip()
    if broken is not None:
        raise OSError(errno.EIO, "the new backup cannot be read back; use another disk", broken)
    return sizes


def _copy(path: Path, copy: Path) -> None:
    """Copy the SQLite file *path*, with its log, to the single file *copy*, and check the copy.

    Raises:
        StoreError: *path* is damaged, or there is no room for the copy.
    """
    try:
        with (
            closing(connect(path, is_read_only=True)) as source,
            closing(connect(copy)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            (found,) = target.execute("PRAGMA integrity_check(1)").fetchone()
    except Error as fault:
        raise error_of(fault, path, StoreError) from fault
    check, _opened = HANDLERS[path.name]
    try:
        if found != "ok":
            raise damage_error(copy, "", f"is damaged ({found})", StoreError)
        check(copy)
    except StoreError as wrong:
        if not wrong.is_damage:
            return  # a newer version's file, for example, is copied unchanged
        remedy = "An older backup may be undamaged; tapmat journal verify says what is wrong."
        raise StoreError(path, wrong.key, wrong.found, remedy) from wrong


def _contents(folder: Path) -> Contents:
    """Return the contents of the SQLite files in *folder*."""
    games = plays = 0
    last_play = ""
    for name in (JOURNAL, ARCHIVE):
        if (folder / name).exists():
            try:
                with closing(connect(folder / name, is_read_only=True)) as connection:
                    begun, made, last = connection.execute(CONTENTS).fetchone()
            except Error as fault:
                raise error_of(fault, folder / name, StoreError) from fault
            games, plays, last_play = games + begun, plays + made, max(last_play, last)
    return Contents(games, plays, len(stickers_in(folder / REGISTER)), last_play)


def _unpack(file: Path, into: Path) -> list[str]:
    """Unpack the backup *file* into the folder *into*; return the names of its files.

    Raises:
        BackupError: *file* is incomplete, is not a backup, or is too large.
        OSError: there is no room for the files.
    """
    with _readable(file):
        _check_file(file)
        with zipfile.ZipFile(file) as packed:
            names = _names_in(packed, file)
            for name in names:
                packed.extract(name, into)
                sync(into / name)
            return names


def _check_file(file: Path) -> None:
    """Raise BackupError if *file* is not a regular file, or is too large to be read safely."""
    if not file.is_file() and file.exists() and not file.is_dir():
        raise BackupError(file, "", "is not a file", NO_BACKUP)
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise BackupError(file, "", _too_large(size), NO_BACKUP)


def _names_in(packed: zipfile.ZipFile, file: Path) -> list[str]:
    """Return the names of the files in the backup *file*.

    Raises:
        BackupError: it contains other files, is too large, or uses a different compression method.
    """
    names = packed.namelist()
    strange = [name for name in names if name not in KEPT]
    if strange or not names or len(set(names)) < len(names):
        found = "is not a backup: it contains no tapmat files"
        if strange:
            found = f"is not a backup: it contains {strange[0]!r}"
        raise BackupError(file, "", found, NO_BACKUP)
    members = packed.infolist()
    if any(member.compress_type not in PACKINGS for member in members):
        raise BackupError(file, "", "is compressed in a way that tapmat never uses", NO_BACKUP)
    size = sum(member.file_size for member in members)
    if size > MAX_BYTES:
        raise BackupError(file, "", _too_large(size), NO_BACKUP)
    return names


def _too_large(size: int) -> str:
    return f"is too large: {size:,} bytes; a backup has at most {MAX_BYTES:,}"


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Run a block, and raise a BackupError if it cannot read the zip *file*."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as wrong:
        found = f"is not a complete backup ({wrong})"
        raise BackupError(file, "", found, NO_BACKUP) from wrong
    except FileNotFoundError as wrong:
        raise BackupError(file, "", "does not exist", NO_BACKUP) from wrong
    except (PermissionError, IsADirectoryError) as wrong:
        found = f"cannot be read ({wrong.strerror})"
        raise BackupError(file, "", found, NO_BACKUP) from wrong


def _update(path: Path, file: Path) -> None:
    """Check the SQLite file *path*, and update it to the current schema version.

    The work is done on a copy in a temporary folder, so SQLite creates no other files beside
    *path*.

    Raises:
        BackupError: the file cannot be used; *file* is the backup it is from.
    """
    with TemporaryDirectory(dir=path.parent) as alone:
        there = path.rename(Path(alone) / path.name)
        check, opened = HANDLERS[path.name]
        try:
            check(there)
            with closing(opened(there)):
                pass
        except StoreError as wrong:
            found = f"cannot be restored: its {path.name} {wrong.found}"
            raise BackupError(file, "", found, f"{wrong.remedy} Nothing was changed.") from wrong
        there.rename(path)
        sync(path)


def _set_aside(folder: Path, beside: Path) -> Path | None:
    """Copy the table's files from the state folder *folder* to the new folder *beside*.

    Returns:
        *beside*; None if there were no files to copy.
    """
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
        sync(beside / path.name)
    sync(beside)
    sync(folder)
    return beside


def _has_contents(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


@contextmanager
def _unwritable(path: Path) -> Iterator[None]:
    """Run a block, and raise an OutputError with a remedy if it cannot write *path*."""
    try:
        yield
    except FileExistsError as wrong:
        raise OutputError(path, "", "already exists", "Name a new file.") from wrong
    except OSError as wrong:
        found = f"cannot be written ({wrong.strerror or wrong})"
        remedy = "Free some space, or name another place."
        raise OutputError(path, "", found, remedy) from wrong
