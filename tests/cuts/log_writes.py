"""The log of a disk's writes by the kernel's dm-log-writes, and the disk after a power cut.

A disk may write in any order what it got since the last flush, lose it, or write some of its
sectors alone. What it got before a flush is safe once the flush is answered, and a write with FUA
once it is answered itself. The kernel logs a write when that becomes so: plain writes just before
the flush that makes them safe.

Source: Documentation/admin-guide/device-mapper/log-writes.rst and drivers/md/dm-log-writes.c of
Linux 6.1.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

SECTOR = 512  # bytes that a disk writes as a whole or not at all
BLOCK = 4096  # bytes; the unit in which images are kept
MAGIC, VERSION = 0x6A736677736872, 1
SUPER, ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8  # flags of an entry


class BadLog(Exception):
    """The file is not a whole log of dm-log-writes."""


@dataclass(frozen=True, slots=True)
class LoggedWrite:
    """An entry of the log: *data* for the disk from byte *offset* on, or a *mark*.

    A flush has no data; if the kernel sent both at once, they are two entries. A discard has
    *length* bytes and no data.
    """

    offset: int
    length: int
    flags: int
    data: bytes
    mark: str | None = None

    @property
    def is_write(self) -> bool:
        """True if it changes the disk."""
        return self.length > 0 and self.mark is None

    @property
    def flushes(self) -> bool:
        """True if all earlier entries are safe once it is answered."""
        return bool(self.flags & FLUSH)

    @property
    def is_safe(self) -> bool:
        """True if it is itself safe once it is answered."""
        return bool(self.flags & FUA)


def read_log(path: Path) -> list[LoggedWrite]:
    """Return the entries of the log in the file *path*.

    Raises:
        BadLog: it is not such a log, or it is cut off.
    """
    with path.open("rb") as file:
        head = file.read(SUPER.size)
        if len(head) < SUPER.size:
            raise BadLog(f"{path} is too short for a log of dm-log-writes")
        magic, version, count, size = SUPER.unpack(head)
        if (magic, version) != (MAGIC, VERSION):
            raise BadLog(f"{path} does not begin as a log of dm-log-writes does")
        entries: list[LoggedWrite] = []
        at = size
        for number in range(count):
            file.seek(at)
            header = file.read(size)
            if len(header) < size:
                raise BadLog(f"{path} ends after {number} of {count} entries")
            sector, sectors, flags, data_bytes = ENTRY.unpack_from(header)
            at += size
            mark, data = None, b""
            if flags & MARK:
                text = header[ENTRY.size : ENTRY.size + data_bytes]
                mark = text.rstrip(b"\0").decode()
            elif not flags & DISCARD:
                data = file.read(sectors * size)
                if len(data) < sectors * size:
                    raise BadLog(f"{path} ends in entry {number} of {count}")
                at += len(data)
            if flags & FLUSH and sectors:  # the flush comes before the data
                entries.append(LoggedWrite(0, 0, FLUSH, b""))
                flags &= ~FLUSH
            entries.append(LoggedWrite(sector * size, sectors * size, flags, data, mark))
    return entries


class DiskImage:
    """The contents of a disk, in blocks; blocks of zeros are left out."""

    def __init__(self, blocks: dict[int, bytes], size: int) -> None:
        self._blocks = blocks
        self.size = size

    @classmethod
    def read(cls, path: Path) -> "DiskImage":
        """Read the disk in the file *path*."""
        blocks = {}
        with path.open("rb") as file:
            number = 0
            while data := file.read(BLOCK):
                if data.count(0) < len(data):
                    blocks[number] = data.ljust(BLOCK, b"\0")
                number += 1
        return cls(blocks, path.stat().st_size)

    def copy(self) -> "DiskImage":
        """Return a disk with the same contents."""
        return DiskImage(dict(self._blocks), self.size)

    def apply(self, write: LoggedWrite, sectors: Sequence[int] | None = None) -> None:
        """Write *write*, or only its *sectors*, counted from 0."""
        numbers = range(write.length // SECTOR) if sectors is None else sectors
        for number in numbers:
            part = write.data[number * SECTOR : (number + 1) * SECTOR] or bytes(SECTOR)
            block, inside = divmod(write.offset + number * SECTOR, BLOCK)
            old = self._blocks.get(block, bytes(BLOCK))
            self._blocks[block] = old[:inside] + part + old[inside + SECTOR :]

    def save(self, path: Path) -> None:
        """Write the disk to the sparse file *path*."""
        with path.open("wb") as file:
            file.truncate(self.size)
            for number, data in self._blocks.items():
                file.seek(number * BLOCK)
                file.write(data)
            file.truncate(self.size)


@dataclass(frozen=True, slots=True)
class CutPoint:
    """A moment during entry *entry* of the log; *mark* is the last mark before it."""

    entry: int
    mark: str | None


@dataclass(frozen=True, slots=True)
class CutDisk:
    """A disk after a power cut. *lost* and *torn* are numbers of writes since the last flush."""

    point: CutPoint
    image: DiskImage
    lost: int
    torn: int


def cut_disks(
    start: DiskImage, log: Sequence[LoggedWrite], count: int, chance: Random
) -> Iterator[CutDisk]:
    """Yield *count* disks after power cuts, at points spread evenly over the *log*.

    *start* is the disk before the first entry.
    """
    safe = start.copy()  # what every disk has from here on
    pending: list[LoggedWrite] = []  # writes since the last flush
    mark: str | None = None
    steps = [count * n // max(len(log), 1) for n in range(len(log) + 1)]
    for point, (entry, (first, last)) in enumerate(zip(log, pairwise(steps), strict=True)):
        in_flight = [*pending, entry] if entry.is_write else pending
        for _ in range(first, last):
            yield _cut(safe, in_flight, chance, CutPoint(point, mark))
        if entry.mark is not None:
            mark = entry.mark
        if entry.flushes:
            for write in pending:
                safe.apply(write)
            pending = []
        if entry.is_write and entry.is_safe:
            safe.apply(entry)
        elif entry.is_write:
            pending.append(entry)


def _cut(
    safe: DiskImage, in_flight: Sequence[LoggedWrite], chance: Random, point: CutPoint
) -> CutDisk:
    """Return the disk *safe* with some of the writes *in_flight*."""
    image = safe.copy()
    lost = torn = 0
    for write, fate in zip(in_flight, _fates(len(in_flight), chance), strict=True):
        sectors = [n for n in range(write.length // SECTOR) if fate == "whole" or _is_heads(chance)]
        if fate == "lost" or not sectors:
            lost += 1
            continue
        torn += len(sectors) * SECTOR < write.length
        image.apply(write, sectors)
    return CutDisk(point, image, lost, torn)


def _fates(count: int, chance: Random) -> list[str]:
    """Return a fate for each of *count* writes: whole, lost or torn.

    A fifth of the disks have none of them, and a fifth all but the oldest.
    """
    drawn = chance.random()
    if drawn < 0.2:
        return ["lost"] * count
    if drawn < 0.4:
        return ["lost", *["whole"] * (count - 1)][:count]
    return chance.choices(("whole", "lost", "torn"), k=count)


def _is_heads(chance: Random) -> bool:
    return chance.random() < 0.5
