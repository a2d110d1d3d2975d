"""One SQLite file: opened whole or not at all, and changed one committed transaction at a time.

Room: firmware. The journal and the tag register are kept in one each. WAL and synchronous=EXTRA,
so what a call has returned from survives a pulled plug. Nothing is written while nothing changes.
Source: https://www.sqlite.org/wal.html, https://www.sqlite.org/rescode.html
"""

import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from gettext import gettext as _
from pathlib import Path
from typing import Any, TypeVar

from firmware.errors import FolderInUse, StoreError

WAIT_S = 0.5  # for another program that reads or writes the file at this moment

N_ = str  # marks a text for the catalogues; it is translated where it is used
MENDS = N_("Start the table: it keeps a copy, and goes on with what can be read.")
WRITABLE = N_("Make the file and its folder writable for you.")
NO_ROOM = (
    N_("finds no room on the disk"),
    N_("Make room there and try again. Everything up to here is kept."),
)
BUSY = (
    N_("is in use by another program"),
    N_("Close that program and try again. Everything up to here is kept."),
)
CHECK = N_("Check the disk or memory card. Everything up to here is kept.")
FAULTS = (  # how SQLite names the fault, what it means, what to do; the first that fits
    ("SQLITE_FULL", *NO_ROOM),
    ("SQLITE_IOERR_SHMSIZE", *NO_ROOM),  # the -shm beside the file cannot grow
    ("SQLITE_BUSY", *BUSY),
    ("SQLITE_LOCKED", *BUSY),
    ("SQLITE_READONLY", N_("may not be written"), WRITABLE),
    ("SQLITE_PERM", N_("may not be opened"), WRITABLE),
    ("SQLITE_CANTOPEN", N_("cannot be opened"), WRITABLE),
    ("SQLITE_NOTADB", N_("is damaged, or no SQLite file"), MENDS),
    ("SQLITE_CORRUPT", N_("is damaged"), MENDS),
    ("SQLITE_ERROR", N_("is damaged"), MENDS),  # a table or column is missing
    ("SQLITE_IOERR", N_("cannot be read or written"), CHECK),
)  # fmt: skip
UNEXPECTED = (N_("cannot be used"), CHECK)
NO_STEPS: Mapping[int, tuple[str, ...]] = {}

FAULT = (sqlite3.Error, OSError, UnicodeDecodeError)  # what reading and writing a file may raise

E = TypeVar("E", bound=StoreError)


def crc32(*values: object) -> int:
    """A checksum of *values*; SQL knows it by the same name."""
    return zlib.crc32(" ".join(map(str, values)).encode(errors="surrogateescape"))


def connect(path: Path, *, is_looking: bool = False) -> sqlite3.Connection:
    """Open the SQLite file *path*; to look at it only, without touching it, if *is_looking*.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    mode = "rwc"
    if is_looking:
        # A change that was cut in the middle, as of a new file, must be undone to see anything.
        mode = "rw" if path.with_name(f"{path.name}-journal").exists() else "ro"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)
    connection.create_function("crc32", -1, crc32, deterministic=True)
    return connection


def version_of(path: Path, version: int, what: str, error: type[StoreError]) -> int:
    """The schema version of the file *path*, *version* or an older one; 0 when it is new.

    Looks without touching it, for it may be a newer program's.

    Raises:
        StoreError: *error*, when it is that, or is not *what* it should be.
        sqlite3.Error, OSError: it cannot be read.
    """
    if not path.exists() or path.stat().st_size == 0:
        return 0
    if not path.is_file():
        raise error(path, "", _("is no file"), _("Move it away, or name another state folder."))
    with closing(connect(path, is_looking=True)) as looking:
        (found,) = looking.execute("PRAGMA user_version").fetchone()
        (tables,) = looking.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found > version:
        raise error(
            path,
            "",
            _("has schema version {found}; this tapmat knows versions up to {known}").format(
                found=found, known=version
            ),
            _("Update tapmat to go on with it. Nothing in it was touched."),
        )
    if found == 0 and tables:
        raise error(
            path,
            "",
            _("is an SQLite file, but not {what} of tapmat").format(what=_(what)),
            _("Move it away, or name another state folder. Nothing in it was touched."),
        )
    return int(found)


class Store:
    """The SQLite file *path*, made with *schema* if it is new. One thread owns it.

    Args:
        path: the file; its folder exists.
        schema: the statements that make an empty file one of *version*.
        version: the newest schema version this program knows, kept in ``user_version``.
        what: what the file is, as in "the journal".
        error: what is raised when the file cannot be used.
        steps: by version, the statements that make a file of it one of the next version; a file
            of an older version without steps stays as it is.
    """

    def __init__(
        self,
        path: Path,
        schema: tuple[str, ...],
        version: int,
        what: str,
        error: type[StoreError],
        steps: Mapping[int, tuple[str, ...]] = NO_STEPS,
    ) -> None:
        self.path = path
        self._error = error
        with self.explained():
            found = version_of(path, version, what, error)
            self._connection = connect(path)
        try:
            self._set_up(found, version, {0: schema, **steps})
        except BaseException:
            self._connection.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file, for whoever measures or emulates the disk under it."""
        return self._connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what *query* selects.

        Raises:
            StoreError: the file cannot be read.
        """
        with self.explained():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when the block is left, undone when it raises.

        Raises:
            StoreError: the file cannot be written; it is as before, and may be tried again.
        """
        with self.explained():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    def look_through(self, pragma: str) -> None:
        """Let SQLite look through the whole file by its *pragma*.

        Raises:
            StoreError: it is damaged, or cannot be read.
        """
        for (found,) in self.rows(f"PRAGMA {pragma}(1)"):
            if found != "ok":
                raise damaged(
                    self.path, "", _("is damaged ({reason})").format(reason=found), self._error
                )

    def close(self) -> None:
        """Let go of the file; safe twice."""
        self._connection.close()

    def _set_up(self, found: int, version: int, steps: Mapping[int, tuple[str, ...]]) -> None:
        """Make a file of version *found* one of *version*, if there are *steps* from there."""
        with self.explained():
            # First, and not just FULL: a new file becomes one with WAL by a rollback journal, which
            # must not be there again after a power cut, or all that came later would be undone.
            self._connection.execute("PRAGMA synchronous = EXTRA")
            (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise self._error(
                self.path,
                "",
                _("lies on a disk without shared memory maps, which SQLite's WAL needs"),
                _("Name a state folder on a disk of this computer."),
            )
        if found == version or found not in steps:
            return
        with self.change() as connection:
            # Asked again: another program may have been at it since.
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            while found < version:
                for statement in steps[found]:
                    connection.execute(statement)
                found = found + 1 if found else version
            connection.execute(f"PRAGMA user_version = {version:d}")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """A block in which what SQLite or the system says of the file becomes a StoreError."""
        try:
            yield
        except FAULT as fault:
            raise explained(fault, self.path, self._error) from fault


class Hold:
    """Keeps other instances out: whoever holds the lock file *path* is the only one.

    The lock is an exclusive transaction on an empty SQLite file. The system lets go of it however
    the process ends, and nothing is ever written to it.

    Raises:
        FolderInUse: another instance holds it.
        StoreError: *error*, when the file cannot be used.
    """

    def __init__(self, path: Path, error: type[StoreError]) -> None:
        try:
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None)
        except sqlite3.Error as fault:
            raise explained(fault, path, error) from fault
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as fault:
            self._connection.close()
            if not _name(fault).startswith("SQLITE_BUSY"):
                raise explained(fault, path, error) from fault
            raise FolderInUse(
                path.parent,
                "",
                _("is in use: another tapmat is using this state folder"),
                _("Close that one, or give this one a folder of its own."),
            ) from fault

    def close(self) -> None:
        """Let others in; safe twice."""
        self._connection.close()


def explained(fault: Exception, path: Path, error: type[E]) -> E:
    """Return *fault* of SQLite or the system as an *error* that says what to do."""
    name = _name(fault)
    known = ((found, remedy) for start, found, remedy in FAULTS if name.startswith(start))
    found, remedy = next(known, UNEXPECTED)
    if remedy is MENDS:
        return damaged(path, "", f"{_(found)} ({fault})", error)
    return error(path, "", f"{_(found)} ({fault})", _(remedy))


def damaged(path: Path, key: str, found: str, error: type[E]) -> E:
    """What was *found* at *key* of the file *path*, which is broken, as an *error*."""
    told = error(path, key, found, _(MENDS))
    told.is_damage = True
    return told


def _name(fault: Exception) -> str:
    """SQLite's own name of *fault*; empty when it came from elsewhere."""
    if isinstance(fault, UnicodeDecodeError):
        return "SQLITE_CORRUPT"  # the file's text stands in SQLite's message, and is none
    return str(getattr(fault, "sqlite_errorname", ""))
