"""A disk that records every write, and its possible contents after a power cut.

SQLite writes through a file layer of the test (a VFS of apsw), which records every write,
truncation, deletion and sync. From this record follows what the disk may hold at any moment:
everything that was synced, and each later write in full, in part or not at all.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import apsw

from firmware.journal.store import crc32

SECTOR = 512  # bytes that a disk writes as a whole or not at all
LOG_PAGES = 12  # checkpoint the write-ahead log after this many pages, so that it happens often


@dataclass(frozen=True, slots=True)
class Write:
    """A record that *data* was written to *file* at byte *offset*."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """A record that *file* was cut to *size* bytes."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """A record that *file* was deleted; if *is_synced*, its folder was synced too."""

    file: str
    is_synced: bool


@dataclass(frozen=True, slots=True)
class Synced:
    """A record that *file* was synced: everything written to it so far is on disk."""

    file: str


@dataclass(frozen=True, slots=True)
class Told:
    """A record that people have been told of *acts* acts since the beginning."""

    acts: int


Change: TypeAlias = Write | Truncated | Deleted
Step: TypeAlias = Change | Synced | Told
Image: TypeAlias = dict[str, bytes]  # contents of a disk by file name


@dataclass
class Watched:
    """An SQLite file layer called *name* that records each operation in *steps*."""

    name: str
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._vfs = _Layer(self.name, self.steps)

    def connect(self, path: Path) -> Any:
        """Open the SQLite file *path* through this layer, with the settings of the store."""
        # Such a layer has no shared memory, and without it WAL mode needs exclusive locking.
        connection = apsw.Connection(str(path), vfs=self.name)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        connection.create_scalar_function("crc32", crc32)
        return connection


class _Layer(apsw.VFS):
    def __init__(self, name: str, steps: list[Step]) -> None:
        self._steps = steps
        super().__init__(name, base="")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(name, flags, self._steps)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self._steps.append(Deleted(Path(filename).name, syncdir))


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], steps: list[Step]) -> None:
        super().__init__("", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._name, self._steps = Path(path).name, steps

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._steps.append(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._steps.append(Truncated(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._steps.append(Synced(self._name))


def images(steps: list[Step], chance: Random, tries: int) -> Iterator[tuple[int, Image]]:
    """Yield pairs of a number of acts and the files that a power cut may leave on the disk.

    People were told of this number of acts before the cut. There are several pairs for a cut during
    and after each step: with everything written since the last sync, with nothing of it, and
    *tries* times with a random part of it.
    """
    synced: Image = {}
    loose: list[Change] = []
    told = 0
    for step in steps:
        match step:
            case Told(acts):
                told = acts
                continue
            case Synced(file):
                _apply(synced, [other for other in loose if other.file == file])
                loose = [other for other in loose if other.file != file]
            case _:
                for _ in range(tries):  # the power fails during this step
                    yield told, _image(synced, [*loose, *_part(step, chance)])
                if isinstance(step, Deleted) and step.is_synced:
                    loose = [other for other in loose if other.file != step.file]
                    synced.pop(step.file, None)
                else:
                    loose.append(step)
        yield told, _image(synced, loose)
        yield told, dict(synced)
        for _ in range(tries):
            some = [part for other in loose for part in _part(other, chance)]
            yield told, _image(synced, some)


def _part(step: Change, chance: Random) -> list[Change]:
    """Return the part of *step* that reaches the disk: all, nothing, or only some sectors."""
    if not isinstance(step, Write) or chance.random() < 0.5:
        return [step] if chance.random() < 0.5 else []
    sectors = range(0, len(step.data) + SECTOR, SECTOR)
    first, last = sorted(chance.sample(sectors, 2))
    return [Write(step.file, step.offset + first, step.data[first:last])]


def _image(synced: Image, steps: list[Change]) -> Image:
    image = deepcopy(synced)
    _apply(image, steps)
    return image


def _apply(image: Image, steps: list[Change]) -> None:
    for step in steps:
        match step:
            case Write(file, offset, data):
                old = image.get(file, b"")
                image[file] = old[:offset].ljust(offset, b"\0") + data + old[offset + len(data) :]
            case Truncated(file, size):
                image[file] = image.get(file, b"")[:size].ljust(size, b"\0")
            case Deleted(file):
                image.pop(file, None)
