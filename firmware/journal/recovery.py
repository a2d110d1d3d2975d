"""Repair of damaged SQLite files: set the file aside, and copy its readable rows to a new one.

The caller decides what counts as damage and which rows are valid. This module reads the rows from
a damaged file, and puts the new file in its place.

SQLite reads a table from its root page down, and may not reach all pages of a damaged file. So each
page is tried as the root in turn, which finds all rows on undamaged pages. Rows in the write-ahead
log (WAL, ``-wal``) are read up to its first damage; the journal has the rest in its tail
(``firmware.journal.tail``).
Source: https://www.sqlite.org/fileformat2.html, 1.3 and 4.1; https://www.sqlite.org/wal.html
"""

import errno
import logging
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, chain, count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware.common.errors import StoreError
from firmware.journal.store import FILE_ERRORS, SHARED, WAL, beside, connect, error_of, sync
from firmware.journal.tail import TAIL

log = logging.getLogger(__name__)

Row = tuple[Any, ...]

# Fields of the file header. SQLite file format, section 1.3
PAGE_SIZE, PAGES, MODES = slice(16, 18), slice(28, 32), slice(18, 20)
IS_WAL = b"\x02\x02"
# The headers of the WAL and of each frame in it. SQLite file format, section 4.1
HEADER, FRAME = struct.Struct(">8I"), struct.Struct(">6I")
# Magic numbers of the log, each with the byte order of the checksums in it.
MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
SUMMED = 8  # the first bytes of a frame's header; its checksum covers them and the page
FILE_SUFFIXES = (WAL, TAIL, "")  # in the order of renaming, the file itself last
MAX_COPIES, MAX_BYTES = 5, 50_000_000  # limits for the copies of damaged files


@dataclass(frozen=True, slots=True)
class Recovery:
    """The repair of a file.

    *found* describes the damage. The damaged file was set aside, and *copy* is its path now.
    *copies* is the number of such files that exist now.
    """

    found: str
    copy: Path
    copies: int = 1


# --- reading rows from a damaged file ------------------------------------------------------------


def rows_of(path: Path, schema: tuple[str, ...], table: str, *, with_wal: bool = True) -> list[Row]:
    """Return every readable row of the SQLite file *path* once, without changing the file.

    Rows of other tables with the same columns are included.

    Args:
        path: the file.
        schema: the SQL statements that create an empty file.
        table: the name of the table in *schema*.
        with_wal: if True, include the write-ahead log, up to its first damage.

    Raises:
        OSError: the file cannot be read at all, or cannot be copied.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        for source in (path, beside(path, WAL)) if with_wal else (path,):
            if source.exists():
                shutil.copy(source, copy.with_name(source.name))
        return list(dict.fromkeys(_rows_by_page(_merge_wal(copy, schema), schema, table)))


def _merge_wal(copy: Path, schema: tuple[str, ...]) -> bytes:
    """Apply the write-ahead log of the file *copy* to it; return the bytes of the file.

    Its first page may be damaged, and is replaced before that by the one of an empty file.

    Raises:
        OSError: the disk that holds *copy* is full, so rows of the log would be missing.
    """
    first = _first_page(schema)
    old = copy.read_bytes() if copy.exists() else b""
    copy.write_bytes(first[: MODES.start] + IS_WAL + first[MODES.stop :] + old[len(first) :])
    try:
        with closing(connect(copy)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except FILE_ERRORS as fault:
        if getattr(fault, "sqlite_errorname", "") == "SQLITE_FULL":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(copy)) from fault
    return copy.read_bytes()


def _first_page(schema: Sequence[str]) -> bytes:
    """Return the first page (header and list of tables) of an empty SQLite file with *schema*."""
    with closing(sqlite3.connect(":memory:")) as new:
        for statement in schema:
            new.execute(statement)
        image = new.serialize()
    return image[: int.from_bytes(image[PAGE_SIZE], "big")]


def _rows_by_page(data: bytes, schema: tuple[str, ...], table: str) -> Iterator[Row]:
    """Yield the rows that SQLite finds if each page of *data* in turn is the root of *table*.

    Many rows are found more than once.
    """
    # Without indexes: SQLite refuses one whose root would be beyond the end of a short file.
    first = _first_page([statement for statement in schema if statement.startswith("CREATE TABLE")])
    pages = len(data) // len(first)
    if pages < 2:
        return
    image = bytearray(data[: pages * len(first)])
    image[: len(first)] = first
    image[PAGES] = pages.to_bytes(4, "big")
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as broken:
        broken.deserialize(bytes(image))
        broken.text_factory = lambda raw: raw.decode(errors="surrogateescape")
        for page in range(2, pages + 1):
            broken.execute("PRAGMA writable_schema = ON")
            broken.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (page, table))
            broken.execute("PRAGMA writable_schema = RESET")
            yield from _readable_rows(broken, table)


def _readable_rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield the rows of *table* that can be read, many of them more than once.

    A scan ends at the first damage, so the table is scanned from both ends. A scan for row numbers
    only gets further, because it does not read the values. Each row is then read by its number.
    """
    numbers: dict[int, None] = {}
    for order in ("ASC", "DESC"):
        rows = f"SELECT * FROM {table} NOT INDEXED ORDER BY 1 {order}"
        if (yield from _rows_to_damage(connection, rows)):
            return
        scan = f"SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid {order}"
        numbers |= {number: None for (number,) in _rows_to_damage(connection, scan)}
    for number in numbers:
        with suppress(*FILE_ERRORS):
            yield from connection.execute(f"SELECT * FROM {table} WHERE rowid = {number}")


def _rows_to_damage(connection: sqlite3.Connection, query: str) -> Generator[Row, None, bool]:
    """Yield the rows of *query* up to the first unreadable row; return True if there is none."""
    read = 0
    try:
        for row in connection.execute(query):
            yield row
            read += 1
    except FILE_ERRORS:
        with suppress(*FILE_ERRORS):  # a cursor reads ahead, and has dropped the row before
            yield from connection.execute(f"{query} LIMIT 1 OFFSET {read}")
        return False
    return True


# --- damage in the write-ahead log ---------------------------------------------------------------


def wal_fault(path: Path) -> str:
    """Return a description of the damage in the write-ahead log of *path*; empty if undamaged.

    SQLite reads the log up to its first damage and silently drops the rest. An incomplete
    transaction at the end is not damage: the power failed before that transaction was reported as
    saved.

    Raises:
        OSError: the files cannot be read.
    """
    log_file = beside(path, WAL)
    if not log_file.exists():
        return ""
    data = log_file.read_bytes()
    if not any(data[HEADER.size :]):
        return ""
    if not path.exists() or not path.stat().st_size:
        return "is empty, but its log is not"  # SQLite reads no log for an empty file
    magic, _version, page_size, _number, *salts, sum_1, sum_2 = HEADER.unpack_from(data)
    sums = _checksum(data[: HEADER.size - SUMMED], MAGIC.get(magic, "<"), (0, 0))
    if magic not in MAGIC or sums != (sum_1, sum_2):
        return "has a log with a damaged header"  # synced before the rest, so no power cut did this
    commits = _count_lost_commits(data, page_size, salts, MAGIC[magic], sums)
    return "has a damaged log" if commits > 1 else ""


def _count_lost_commits(
    data: bytes, page_size: int, salts: list[int], order: str, sums: tuple[int, int]
) -> int:
    """Return the number of transactions in the write-ahead log *data* that SQLite would drop.

    *page_size* is in bytes; *salts*, *order* (byte order) and *sums* are from the log's header.
    """
    dropped, is_sound = 0, True
    for start in range(HEADER.size, len(data) - FRAME.size + 1, FRAME.size + page_size):
        _page, size_then, *frame_salts, sum_1, sum_2 = FRAME.unpack_from(data, start)
        page = data[start + FRAME.size : start + FRAME.size + page_size]
        if is_sound and len(page) == page_size:
            sums = _checksum(data[start : start + SUMMED] + page, order, sums)
        is_sound = (
            is_sound
            and frame_salts == salts
            and (sums, len(page))
            == (
                (sum_1, sum_2),
                page_size,
            )
        )
        # A frame with other salts is from an earlier log, whose contents are in the file already.
        dropped += not is_sound and frame_salts == salts and size_then > 0
    return dropped


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the WAL checksum of *data*, continued from *sums*. *order* is the byte order.

    SQLite file format, section 4.2.
    """
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


# --- replacing the file --------------------------------------------------------------------------


def recover(
    path: Path,
    check: Callable[[Path], None],
    now: datetime,
    save: Callable[[Path, Path], None],
    error: type[StoreError],
) -> Recovery | None:
    """Check the file *path*, and repair it if it is damaged. No other program may be using it.

    If the power fails during the repair, the next call finishes or repeats it.

    Args:
        path: the file; it may be missing.
        check: checks the file without changing it, and raises a StoreError if something is wrong.
        now: the time for the name of the copy.
        save: writes the readable rows of the damaged file to a new one, and closes it. Its
            arguments are the new file, and the path that the damaged file will have.
        error: the type of error to raise.

    Returns:
        The repair; None if the file is undamaged or missing.

    Raises:
        StoreError: of type *error*; the file cannot be used for a reason other than damage.
    """
    try:
        finished = _finish_repair(path)
        try:
            check(path)
        except StoreError as damage:
            if not damage.is_damage:
                raise
            return _repair(path, f"{damage.key} {damage.found}".strip(), now, save)
    except OSError as fault:
        raise error_of(fault, path, error) from fault
    return finished


def _repair(path: Path, found: str, now: datetime, save: Callable[[Path, Path], None]) -> Recovery:
    copy = _free_name(path, now)
    new = copy.with_name(copy.name.replace("-damaged-", "-mended-"))
    part = beside(new, ".part")
    part.unlink(missing_ok=True)
    try:
        save(part, copy)
    except BaseException:
        for suffix in ("", WAL, SHARED, "-journal"):
            beside(part, suffix).unlink(missing_ok=True)
        raise
    part.replace(new)
    _swap_in(path, new)
    return _log_repair(path, found, copy)


def _log_repair(path: Path, found: str, copy: Path) -> Recovery:
    """Log the repair of *path* and return it; delete the oldest copies beyond the limits."""
    # The new copy is first: a computer with a wrong clock may date it before older copies.
    copies = [copy, *(old for old in copies_of(path) if old != copy)]
    for old in copies[count_to_keep(copies) :]:
        for suffix in FILE_SUFFIXES:
            beside(old, suffix).unlink(missing_ok=True)
        log.warning("%s was deleted: an old copy of a damaged file.", old)
    kept = len(copies_of(path))
    message = "{file}: {found}. A copy of it is {copy}; copies kept: {kept}"
    log.warning("%s", message.format(file=path, found=found, copy=copy, kept=kept))
    return Recovery(found, copy, kept)


def _finish_repair(path: Path) -> Recovery | None:
    """Finish a repair that a power cut interrupted; return it, or None if there is none."""
    copy = None
    for new in sorted(path.parent.glob(f"{path.stem}-mended-*{path.suffix}")):
        copy = _swap_in(path, new)
    if copy is None:
        return None
    return _log_repair(path, "was being repaired when the power failed", copy)


def save_copy(path: Path, found: str, now: datetime, connection: sqlite3.Connection) -> Recovery:
    """Copy the file *path*, open as *connection*, to a new file beside it, and log that.

    *found* is the reason for the copy. The name of the new file contains the time *now*.

    Raises:
        OSError, sqlite3.Error: the copy cannot be written.
    """
    copy = _free_name(path, now)
    connection.execute("VACUUM INTO ?", (str(copy),))
    return _log_repair(path, found, copy)


def copies_of(path: Path) -> list[Path]:
    """Return the damaged files set aside for *path*, newest first."""
    found = path.parent.glob(f"{path.stem}-damaged-*{path.suffix}*")
    stems = {other.name[: other.name.index(path.suffix)] for other in found}
    names = (path.with_name(f"{stem}{path.suffix}") for stem in stems)
    return sorted(names, key=_age, reverse=True)


def _age(copy: Path) -> tuple[str, int]:
    """Return the date and time in the name of *copy*, and its number, as a sort key."""
    _damaged, _, stamp = copy.stem.partition("-damaged-")
    day, time, *number = stamp.split("-")
    return f"{day}-{time}", int(number[0]) if number else 1


def count_to_keep(copies: Sequence[Path]) -> int:
    """Return the number of *copies* (newest first) to keep: at least the newest one.

    The others stay if they are within ``MAX_COPIES`` and ``MAX_BYTES``.
    """
    sizes = accumulate(map(size_of, copies))
    return max(1, sum(size <= MAX_BYTES for size in islice(sizes, MAX_COPIES)))


def size_of(copy: Path) -> int:
    """Return the size in bytes of *copy*, with its write-ahead log and its tail (see ``tail``)."""
    return sum(
        beside(copy, end).stat().st_size for end in FILE_SUFFIXES if beside(copy, end).exists()
    )


def _free_name(path: Path, now: datetime) -> Path:
    """Return an unused path for a copy of the damaged file *path*, made at *now*."""
    stem = f"{path.stem}-damaged-{now:%Y%m%d-%H%M%S}"
    stems = chain([stem], (f"{stem}-{number}" for number in count(2)))
    names = (path.with_name(f"{free}{path.suffix}") for free in stems)
    return next(
        name for name in names if not any(beside(name, end).exists() for end in FILE_SUFFIXES)
    )


def _swap_in(path: Path, new: Path) -> Path:
    """Move *path*, its log and its tail aside, and rename *new* to *path*.

    Returns the path of the old file.
    """
    aside = new.with_name(new.name.replace("-mended-", "-damaged-"))
    for suffix in FILE_SUFFIXES:
        old = beside(path, suffix)
        if old.exists() and not beside(aside, suffix).exists():
            old.replace(beside(aside, suffix))
    beside(path, SHARED).unlink(missing_ok=True)
    sync(path.parent)  # the old log must never be beside the new file
    new.replace(path)
    sync(path.parent)
    return aside
