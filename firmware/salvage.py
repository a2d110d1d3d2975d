"""Salvage: a damaged SQLite file is put aside as it is, and what can be read of it goes on.

Room: firmware. What counts as damage, and which rows make sense, is the owner's of the file; how
rows are got out of a broken one, and how the files change places, is done here.

SQLite reads a table from its root page, and the way from there may be broken. So every page of the
file is taken for the root in turn: then all rows are found that lie on whole pages, and SQLite's
own code has read them. A log (``-wal``) ends for SQLite where its checksums end.
Source: https://www.sqlite.org/fileformat2.html, 1.3 and 4.1; https://www.sqlite.org/wal.html
"""

import logging
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from gettext import gettext as _
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware.errors import StoreError
from firmware.store import FAULT, connect, explained

log = logging.getLogger(__name__)

Row = tuple[Any, ...]

WAL = "-wal"
# What SQLite calls the bytes of a file's header. Fileformat2, 1.3
PAGE_SIZE, PAGES, MODES = slice(16, 18), slice(28, 32), slice(18, 20)
IS_WAL = b"\x02\x02"
# The log. Fileformat2, 4.1
HEADER, FRAME = struct.Struct(">8I"), struct.Struct(">6I")
MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # and the order of bytes of its checksums
PAGE = 4096  # bytes, where the log does not say it
LOG_LIMIT = 1 << 24  # bytes; a page so far behind the end is none
SUMMED = 8  # bytes of a frame's header that its checksum is of, beside the page


@dataclass(frozen=True, slots=True)
class Mended:
    """A file that was damaged: what was *found*, and where it lies now as it was."""

    found: str
    copy: Path


# --- what a broken file still holds --------------------------------------------------------------


def rows_of(path: Path, schema: tuple[str, ...], table: str) -> list[Row]:
    """Every row that can be read of the file *path*, which is not touched; each once.

    Rows of other tables that look like it are among them.

    Args:
        path: the file, with its log beside it if it has one.
        schema: the statements that make an empty one.
        table: as one of which a row is read.

    Raises:
        OSError: the file itself cannot be read.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        for source in (path, beside(path, WAL)):
            if source.exists():
                shutil.copy(source, copy.with_name(source.name))
        every = _with_frames(copy)  # before SQLite has been at it
        found = (
            *_rows_by_page(_with_log(copy, schema), schema, table),
            *_rows_by_page(every, schema, table),
        )
        return list(dict.fromkeys(found))


def _with_log(copy: Path, schema: tuple[str, ...]) -> bytes:
    """The bytes of the file *copy*, which is changed, with what its log adds to it."""
    first = _first_page(schema)
    with_log = first[: MODES.start] + IS_WAL + first[MODES.stop :]
    is_empty = not copy.exists() or copy.stat().st_size < len(first)
    for page in (with_log,) if is_empty else (b"", with_log):  # as it is, or with a sound beginning
        old = copy.read_bytes() if copy.exists() else b""
        copy.write_bytes(page + old[len(page) :])
        with suppress(*FAULT), closing(connect(copy)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            break
    return copy.read_bytes()


def _first_page(schema: tuple[str, ...]) -> bytes:
    """The first page of an empty file of *schema*: the header, and where the tables begin."""
    with closing(sqlite3.connect(":memory:")) as new:
        for statement in schema:
            new.execute(statement)
        image = new.serialize()
    return image[: int.from_bytes(image[PAGE_SIZE], "big")]


def _rows_by_page(data: bytes, schema: tuple[str, ...], table: str) -> Iterator[Row]:
    """What is found when each page in turn is taken for the root of *table*; much of it often."""
    first = _first_page(schema)
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
            for order in ("ASC", "DESC"):  # from both ends, up to where it breaks
                with suppress(*FAULT):
                    yield from broken.execute(
                        f"SELECT * FROM {table} NOT INDEXED ORDER BY 1 {order}"
                    )
                    break


# --- a log that ends too soon --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """A *page* of the log, as bytes; SQLite believes it if it *is_sound*, and all before it."""

    number: int
    page: bytes
    is_commit: bool
    is_sound: bool


def is_cut_short(path: Path) -> bool:
    """Whether something was to be in the file *path* behind what SQLite will find there.

    That is so when the power went while something was written, or when the log is damaged. The
    files are only read.

    Raises:
        OSError: they cannot be read.
    """
    frames = _frames(path)
    if not path.exists() or not path.stat().st_size:
        return bool(frames)  # SQLite takes no log for an empty file
    return bool(frames) and not (frames[-1].is_sound and frames[-1].is_commit)


def _frames(path: Path) -> list[_Frame]:
    """What the log of the file *path* holds since it was begun anew, sound or not."""
    log = beside(path, WAL)
    data = log.read_bytes() if log.exists() else b""
    if len(data) < HEADER.size or not any(data[: HEADER.size]):
        return []
    magic, _version, page_size, _number, *salts, sum_1, sum_2 = HEADER.unpack_from(data)
    order = MAGIC.get(magic, "<")
    sums = _checksum(data[: HEADER.size - 8], order, (0, 0))
    is_sound = magic in MAGIC and sums == (sum_1, sum_2)
    if not is_sound:
        page_size = PAGE
        salts = list(FRAME.unpack_from(data.ljust(HEADER.size + FRAME.size), HEADER.size)[2:4])
    frames: list[_Frame] = []
    for start in range(HEADER.size, len(data) - FRAME.size + 1, FRAME.size + page_size):
        number, size_then, *frame_salts, sum_1, sum_2 = FRAME.unpack_from(data, start)
        if not set(frame_salts) & set(salts):
            continue  # of the log that was here before, if nothing of this one follows
        page = data[start + FRAME.size : start + FRAME.size + page_size]
        if is_sound and len(page) == page_size:
            sums = _checksum(data[start : start + SUMMED] + page, order, sums)
        is_sound = is_sound and sums == (sum_1, sum_2) and len(page) == page_size
        frames.append(_Frame(number, page, bool(size_then), is_sound))
    return frames


def _with_frames(path: Path) -> bytes:
    """The bytes of the file *path* with all that was once committed to its log, sound or not.

    Nothing, if it may be just the last commit that is not whole: the power went, and it never was.
    """
    frames = _frames(path)
    commits = [place for place, frame in enumerate(frames) if frame.is_commit]
    if sum(not frames[place].is_sound for place in commits) < 2:
        return b""
    data = bytearray(path.read_bytes() if path.exists() else b"")
    for frame in frames[: commits[-1] + 1]:
        start = (frame.number - 1) * len(frame.page)
        if 0 <= start <= len(data) + LOG_LIMIT and len(frame.page) == PAGE:
            data.extend(bytes(max(0, start + PAGE - len(data))))
            data[start : start + PAGE] = frame.page
    return bytes(data)


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's checksum of *data*, which goes on from *sums*. Fileformat2, 4.2."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


# --- the files change places ---------------------------------------------------------------------


def mended(
    path: Path,
    check: Callable[[Path], None],
    now: datetime,
    save: Callable[[Path, Path], None],
    error: type[StoreError],
) -> Mended | None:
    """Look through the file *path*, which nobody else uses, and mend it if it is damaged.

    Whenever the power goes, the file is the old one or the new one, or the next time makes it so.

    Args:
        path: the file; it may be missing.
        check: looks through it, without touching it, and raises a StoreError.
        now: for the name of the copy.
        save: writes to a new file what can be read of the damaged one, and closes it; it is given
            the new file, and where the damaged one will be.
        error: what is raised.

    Returns:
        What was done; None, as mostly: nothing was wrong.

    Raises:
        StoreError: *error*, when something else than damage is wrong, or the disk.
    """
    try:
        begun = _finish(path)
        try:
            check(path)
        except StoreError as damage:
            if not damage.is_damage:
                raise
            return _mend(path, f"{damage.key} {damage.found}".strip(), now, save)
    except OSError as fault:
        raise explained(fault, path, error) from fault
    return begun


def _mend(path: Path, found: str, now: datetime, save: Callable[[Path, Path], None]) -> Mended:
    copy = _free_name(path, now)
    new = copy.with_name(copy.name.replace("-damaged-", "-mended-"))
    part = beside(new, ".part")
    part.unlink(missing_ok=True)
    save(part, copy)
    part.replace(new)
    _change_places(path, new)
    told = _("{file}: {found}. What can be read of it goes on; as it was it is {copy}.")
    log.warning("%s", told.format(file=path, found=found, copy=copy))
    return Mended(found, copy)


def _finish(path: Path) -> Mended | None:
    """End what a power cut has left of mending: a new file that is not in its place yet."""
    copy = None
    for new in sorted(path.parent.glob(f"{path.stem}-mended-*{path.suffix}")):
        copy = _change_places(path, new)
    return None if copy is None else Mended(_("was being mended when that was cut short"), copy)


def keep_copy(path: Path, now: datetime) -> Path:
    """Copy the whole file *path* beside itself, while it may be open; return where.

    Raises:
        OSError, sqlite3.Error: it cannot be written.
    """
    copy = _free_name(path, now)
    with closing(connect(path, is_looking=True)) as source:
        source.execute("VACUUM INTO ?", (str(copy),))
    return copy


def beside(path: Path, suffix: str) -> Path:
    """The file that SQLite keeps beside *path* under *suffix*."""
    return path.with_name(path.name + suffix)


def _free_name(path: Path, now: datetime) -> Path:
    """Where the damaged file *path* is put; a name that is not taken."""
    stem = f"{path.stem}-damaged-{now:%Y%m%d-%H%M%S}"
    stems = chain([stem], (f"{stem}-{number}" for number in count(2)))
    names = (path.with_name(f"{free}{path.suffix}") for free in stems)
    return next(name for name in names if not name.exists())


def _change_places(path: Path, new: Path) -> Path:
    """Move the file *path* and its log aside, and *new* in its place, in this order; say where."""
    aside = new.with_name(new.name.replace("-mended-", "-damaged-"))
    for suffix in (WAL, ""):
        old = beside(path, suffix)
        if old.exists() and not beside(aside, suffix).exists():
            old.replace(beside(aside, suffix))
    beside(path, "-shm").unlink(missing_ok=True)
    _sync(path.parent)  # the log must not be found beside the new file
    new.replace(path)
    _sync(path.parent)
    return aside


def _sync(folder: Path) -> None:
    """Let the names in *folder* be on disk; Windows opens no folders, and keeps them by itself."""
    if os.name == "nt":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
