"""An SQLite file that is changed only by committed transactions.

The journal and the tag register are one file each. They use SQLite's write-ahead log (WAL) and
``synchronous=EXTRA``, so a change survives a power cut once its call has returned. Nothing is
written unless something changes.
Source: https://www.sqlite.org/wal.html, https://www.sqlite.org/rescode.html
"""

import errno
import logging
import os
import secrets
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

from firmware.common.errors import Cause, StoreError

log = logging.getLogger(__name__)

WAIT_S = 0.5  # seconds to wait for another program that has locked the file
WAL, SHARED = "-wal", "-shm"  # suffixes of the files that SQLite creates beside an open one
NOT_SHARED = ("SQLITE_IOERR_SHM", "SQLITE_CANTOPEN")  # SQLite cannot create the -shm file
SHARED_BYTES = 32 * 1024  # the smallest part of the -shm file that SQLite maps
LITTLE_ROOM = 64 * 1024  # bytes; with less free space, plays soon cannot be saved

# The file header: its first bytes, the offset of the write version, and the known write versions.
# https://www.sqlite.org/fileformat2.html, 1.3
MAGIC, WRITE_FORMAT, FORMATS = b"SQLite format 3\0", 18, (1, 2)
IDENTITY = slice(68, 72)  # the application ID

FILE_ERRORS = (sqlite3.Error, OSError, UnicodeDecodeError)  # errors of reading and writing a file

NO_MIGRATIONS: Mapping[int, tuple[str, ...]] = {}

E = TypeVar("E", bound=StoreError)

Wait = Callable[[], AbstractContextManager[None]]  # makes the context of a write to the disk


def crc32(*values: object) -> int:
    """Return the CRC-32 of *values*, joined by spaces.

    SQL statements can call this function too.
    """
    return zlib.crc32(" ".join(map(str, values)).encode(errors="surrogateescape"))


def connect(path: Path, *, is_read_only: bool = False) -> sqlite3.Connection:
    """Open the SQLite file *path*, for reading only if *is_read_only*.

    SQLite needs a ``-shm`` file to share *path* with other programs. If the disk has no room for
    that file, return an ``UnsharedConnection``.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    mode = "rwc"
    if is_read_only:
        # A rollback journal is left from an interrupted change, which SQLite must undo first.
        mode = "rw" if beside(path, "-journal").exists() else "ro"
    if path.is_file() and disk_cause(path) is not None and not _has_shared(path):
        return _open_exclusive(path)
    connection = _open(path, f"mode={mode}")
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as fault:
        if _name(fault).startswith(NOT_SHARED) and path.is_file() and disk_cause(path) is not None:
            connection.close()
            return _open_exclusive(path)
        # Any other fault is raised again at the caller's first statement.
    return connection


def _has_shared(path: Path) -> bool:
    """Return True if the ``-shm`` file of *path* exists, and the disk has space for all of it.

    The kernel kills a process that writes to a part of the file for which the disk has no space.
    """
    with suppress(OSError, AttributeError):
        return beside(path, SHARED).stat().st_blocks * 512 >= SHARED_BYTES
    return False


class UnsharedConnection(sqlite3.Connection):
    """A connection that no other program can share, because the disk has no room for ``-shm``."""


def _open(
    path: Path, how: str, kind: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(
        address, uri=True, timeout=WAIT_S, isolation_level=None, factory=kind
    )
    connection.create_function("crc32", -1, crc32, deterministic=True)
    return connection


def _open_exclusive(path: Path) -> sqlite3.Connection:
    if not beside(path, WAL).exists():  # then the file itself has all entries
        return _open(path, "mode=ro&immutable=1", UnsharedConnection)
    connection = _open(path, "mode=rw", UnsharedConnection)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def beside(path: Path, suffix: str) -> Path:
    """Return *path* with *suffix* added to its name."""
    return path.with_name(path.name + suffix)


def identity_of(path: Path) -> int:
    """Return the application ID of the SQLite file *path*, which identifies one journal.

    Returns 0 if the file is missing, has no ID or has no valid header
    (SQLite file format, section 1.3).

    Raises:
        OSError: the file exists, but cannot be read.
    """
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        header = file.read(IDENTITY.stop)
        if header.startswith(MAGIC) and len(header) == IDENTITY.stop:
            return int.from_bytes(header[IDENTITY], "big")
    return 0


def sync(path: Path) -> None:
    """Sync *path* to disk: the contents of a file, or the names in a folder.

    Windows cannot open a folder, and needs no sync for one.
    """
    if path.is_dir() and os.name == "nt":
        return
    opened = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def version_of(path: Path, version: int, what: str, error: type[StoreError]) -> int:
    """Return the schema version of the file *path*; 0 if it is new or empty.

    This does not change the file. *what* is the name of the file in messages.

    Raises:
        StoreError: of type *error*; the version is newer than *version*, the header is damaged, or
            *path* is not a file that tapmat made.
        sqlite3.Error, OSError: the file cannot be read.
    """
    if not path.exists() or path.stat().st_size == 0:
        return 0
    if not path.is_file():
        raise error(path, "", "is not a file", "Move it away, or name another state folder.")
    with path.open("rb") as file:
        header = file.read(WRITE_FORMAT + 1)
    if header.startswith(MAGIC) and header[WRITE_FORMAT] not in FORMATS:
        # SQLite would open the file and call it read-only.
        raise damage_error(path, "", "is damaged (unknown format in its header)", error)
    with closing(connect(path, is_read_only=True)) as connection:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found > version:
        raise error(
            path,
            "",
            f"has schema version {found}; this tapmat knows versions up to {version}",
            "Update tapmat to use it. The file was not changed.",
        )
    if found == 0 and tables:
        raise error(
            path,
            "",
            f"is an SQLite file, but not {what} of tapmat",
            "Move it away, or name another state folder. The file was not changed.",
        )
    return int(found)


class Store:
    """The SQLite file *path*, created with *schema* if it is new. Only one thread may use it.

    Args:
        path: the file; its folder exists.
        schema: the SQL statements that set up a new file.
        version: the newest schema version this program knows, stored in ``user_version``.
        what: the name of the file in messages, such as "the journal".
        error: the type of error to raise.
        migrations: for each older version, the SQL statements that update it to the next version. A
            file with another version is not updated.
    """

    def __init__(
        self,
        path: Path,
        schema: tuple[str, ...],
        version: int,
        what: str,
        error: type[StoreError],
        migrations: Mapping[int, tuple[str, ...]] = NO_MIGRATIONS,
    ) -> None:
        self.path = path
        self.waiting_for_disk: Wait = nullcontext  # each write runs in a context that this returns
        self._error = error
        with self.translating_errors():
            found = version_of(path, version, what, error)
            self._connection = connect(path)
        self._paths = [beside(path, end) for end in ("", WAL, SHARED)]
        self._files: dict[Path, tuple[int, int]] = {}
        try:
            self._set_up(found, version, {0: schema, **migrations})
            self._files = self._open_files()
        except BaseException:
            self._connection.close()
            raise
        self.checkpoint()

    @property
    def connection(self) -> sqlite3.Connection:
        """The SQLite connection, for tests that measure or emulate the disk."""
        return self._connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Run *query* with *values* for its placeholders; return the rows it selects.

        Raises:
            StoreError: the file cannot be read.
        """
        with self.translating_errors():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Run a block in one transaction: commit it at the end, or roll it back if it raises.

        Raises:
            StoreError: the file cannot be written and is unchanged. The caller may try again,
                except after ``LOST``, which means that the file was deleted or replaced.
        """
        self.check_same_file()
        with self.waiting_for_disk(), self.translating_errors():
            self._share_again()
            self._connection.execute("BEGIN IMMEDIATE")
            size = _size(self._paths[1])
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._cut_wal(size)
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    def identity(self) -> int:
        """Return the number that identifies this file. The first call creates it.

        Returns 0 if it cannot be created, for example on a full disk.
        """
        ((known,),) = self.rows("PRAGMA application_id")
        if known:
            return int(known)
        new = secrets.randbelow(2**31 - 1) + 1
        try:
            with self.change() as connection:
                connection.execute(f"PRAGMA application_id = {new:d}")
        except StoreError as wrong:
            log.warning("%s", wrong)
            return 0
        return new

    def checkpoint(self) -> bool:
        """Move the contents of the write-ahead log into the file; return True if that succeeds.

        If another reader of the log or a full disk prevents it, the contents stay in the log.
        """
        try:
            with self.waiting_for_disk():
                rows = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as fault:
            log.warning("%s", error_of(fault, self.path, self._error))
            return False
        ((busy, *_),) = rows
        return not busy

    def check_same_file(self) -> None:
        """Check that the file at its path is still the one that was opened.

        Raises:
            StoreError: with the cause ``LOST``; the file was deleted or replaced.
        """
        if not self._files.items() <= self._open_files().items():
            raise lost_error(self.path, "was deleted or replaced while it was open", self._error)

    def _open_files(self) -> dict[Path, tuple[int, int]]:
        """Return the device and inode of the file, its log and its ``-shm`` file, if they exist."""
        found = {}
        for path in self._paths:
            with suppress(FileNotFoundError):
                there = path.stat()
                found[path] = there.st_dev, there.st_ino
        return found

    def _share_again(self) -> None:
        """Replace an ``UnsharedConnection`` by a normal one if the disk has room again."""
        if isinstance(self._connection, UnsharedConnection) and disk_cause(self.path) is None:
            self._connection.close()
            self._connection = connect(self.path)
            self._connection.execute("PRAGMA synchronous = EXTRA")
            self._files = self._open_files()

    def _cut_wal(self, size: int) -> None:
        """Cut the write-ahead log back to *size* bytes after a failed transaction.

        SQLite leaves a failed transaction in the log. If the last sync of that transaction failed,
        the transaction could be valid after a power cut, although the players were told that it was
        not saved.
        """
        with suppress(OSError):
            if _size(self._paths[1]) > size:
                os.truncate(self._paths[1], size)

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._connection.close()

    def _set_up(self, found: int, version: int, migrations: Mapping[int, tuple[str, ...]]) -> None:
        """Turn on the write-ahead log, and update the file from version *found* to *version*."""
        with self.translating_errors():
            # Before WAL mode is on, a change uses a rollback journal, which SQLite deletes at the
            # end of the change. With synchronous = FULL, the deletion may not survive a power cut,
            # and SQLite would then undo all later changes.
            self._connection.execute("PRAGMA synchronous = EXTRA")
            mode = "wal"
            if not isinstance(self._connection, UnsharedConnection):
                (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise self._error(
                self.path,
                "",
                "is on a disk without shared memory maps, which SQLite's log needs",
                "Name a state folder on a disk of this computer.",
            )
        if found == version or found not in migrations:
            return
        with self.change() as connection:
            # Read the version again: another program may have changed it.
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            while found < version:
                for statement in migrations[found]:
                    connection.execute(statement)
                found = found + 1 if found else version
            connection.execute(f"PRAGMA user_version = {version:d}")

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Run a block, and turn errors of SQLite or the operating system into a StoreError."""
        try:
            yield
        except FILE_ERRORS as fault:
            raise error_of(fault, self.path, self._error) from fault


# --- errors --------------------------------------------------------------------------------------

REPAIR = "Start the table: it keeps a copy and continues with everything that can be read."
KEPT = "Everything saved before is safe."
WRITABLE = "Make the file and its folder writable for you."
NEW_CARD = "Copy what is on the disk or memory card, and use a new one."
RESTART = "Start the table again."
FOUND = {  # by cause: the message about a file, and the remedy
    Cause.NO_ROOM: ("cannot be saved: the disk is full", f"Free some space and try again. {KEPT}"),
    Cause.NO_FILES: (
        "cannot be saved: the disk has no free inodes",
        f"Delete some files on the disk, of any size, and try again. {KEPT}",
    ),
    Cause.READ_ONLY: (
        "is on a read-only file system, which is how most memory cards fail",
        f"{NEW_CARD} dmesg may say more. {KEPT}",
    ),
    Cause.FAILING: ("cannot be read or written", f"The disk is failing. {NEW_CARD} {KEPT}"),
    Cause.NOT_ALLOWED: ("cannot be opened, or may not be written", WRITABLE),
    Cause.BUSY: ("is in use by another program", f"Close that program and try again. {KEPT}"),
    Cause.OTHER: ("cannot be used", f"Check the disk or memory card. {KEPT}"),
}
BY_NAME = (  # beginnings of SQLite's error names; the first match counts
    ("SQLITE_FULL", Cause.NO_ROOM),
    ("SQLITE_IOERR_SHMSIZE", Cause.NO_ROOM),  # the -shm file cannot grow
    ("SQLITE_BUSY", Cause.BUSY),
    ("SQLITE_LOCKED", Cause.BUSY),
    ("SQLITE_READONLY", Cause.NOT_ALLOWED),
    ("SQLITE_PERM", Cause.NOT_ALLOWED),
    ("SQLITE_CANTOPEN", Cause.NOT_ALLOWED),
    ("SQLITE_IOERR", Cause.FAILING),
)
BY_NUMBER = {  # the system's error numbers
    errno.ENOSPC: Cause.NO_ROOM,
    errno.EDQUOT: Cause.NO_ROOM,
    errno.EROFS: Cause.READ_ONLY,
    errno.EIO: Cause.FAILING,
    errno.EACCES: Cause.NOT_ALLOWED,
    errno.EPERM: Cause.NOT_ALLOWED,
}
DAMAGE = {  # beginnings of SQLite's error names for a broken file, and the words for each
    "SQLITE_NOTADB": "is damaged, or is not an SQLite file",
    "SQLITE_CORRUPT": "is damaged",
    "SQLITE_ERROR": "is damaged",  # a table or column is missing
}


def error_of(fault: Exception, path: Path, error: type[E]) -> E:
    """Return an error of type *error* for *fault*, which SQLite or the system raised for *path*."""
    name = _name(fault)
    for start, found in DAMAGE.items():
        if name.startswith(start):
            return damage_error(path, "", f"{found} ({fault})", error)
    return error_of_cause(path, _cause(fault, path), error, f" ({fault})")


def error_of_cause(path: Path, cause: Cause, error: type[E], detail: str = "") -> E:
    """Return an error of type *error* for *path*, with the text of *cause* and then *detail*."""
    found, remedy = FOUND[cause]
    built = error(path, "", f"{found}{detail}", remedy)
    built.cause = cause
    return built


def lost_error(path: Path, found: str, error: type[E]) -> E:
    """Return an error of type *error* with the cause ``LOST``. *found* says what happened."""
    built = error(path, "", found, RESTART)
    built.cause = Cause.LOST
    return built


def _cause(fault: Exception, path: Path) -> Cause:
    """Return the cause of *fault*. SQLite reports few causes, so this checks the disk too."""
    if isinstance(fault, OSError):
        cause = BY_NUMBER.get(fault.errno or 0, Cause.OTHER)
    else:
        name = _name(fault)
        cause = next((known for start, known in BY_NAME if name.startswith(start)), Cause.OTHER)
    return cause if cause is Cause.BUSY else disk_cause(path) or cause


def disk_cause(path: Path) -> Cause | None:
    """Return the reason why the disk that holds *path* cannot be written; None if it can be.

    Always None on Windows.
    """
    if sys.platform == "win32":
        return None
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return None
    if disk.f_flag & os.ST_RDONLY:
        return Cause.READ_ONLY
    if disk.f_bavail * disk.f_frsize < LITTLE_ROOM:
        return Cause.NO_ROOM
    return Cause.NO_FILES if disk.f_files and not disk.f_favail else None


def damage_error(path: Path, key: str, found: str, error: type[E]) -> E:
    """Return an error of type *error* for the damaged file *path*.

    *found* describes the damage, and *key* is its place in the file, such as "entry 12".
    """
    built = error(path, key, found, REPAIR)
    built.is_damage = True
    return built


def _name(fault: Exception) -> str:
    """Return SQLite's name for *fault*, such as "SQLITE_FULL"; empty for other errors."""
    if isinstance(fault, UnicodeDecodeError):
        return "SQLITE_CORRUPT"  # SQLite quotes text from the file in its message
    return str(getattr(fault, "sqlite_errorname", ""))


def _size(path: Path) -> int:
    """Return the size of *path* in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
