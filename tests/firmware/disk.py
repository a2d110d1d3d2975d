"""A disk that is watched, and what it may hold when the power goes.

Room: tests. SQLite writes through a file layer of its own making (apsw's VFS), which notes every
write, truncation, deletion and sync; from these notes follows what the disk may hold at any moment:
what was synced is there, and of what was not, each write is there, or not, or in part.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import apsw

from firmware.store import crc32

SECTOR = 512  # what a disk writes whole or not at all
LOG_PAGES = 12  # after so many the log is moved into the file, so that it happens often


@dataclass(frozen=True, slots=True)
class Write:
    """*data* was written to *file* at *offset*."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """*file* was cut to *size* bytes."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """*file* was deleted, and if it *is_synced*, its folder was synced."""

    file: str
    is_synced: bool


@dataclass(frozen=True, slots=True)
class Synced:
    """All that was written to *file* is on disk."""

    file: str


@dataclass(frozen=True, slots=True)
class Told:
    """So many acts have been told to people."""

    acts: int


Change: TypeAlias = Write | Truncated | Deleted
Step: TypeAlias = Change | Synced | Told
Image: TypeAlias = dict[str, bytes]  # what a disk holds, by the file's name


@dataclass
class Watched:
    """A file layer that writes as any other, and notes it in *steps*."""

    name: str
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._vfs = _Layer(self.name, self.steps)

    def connect(self, path: Path) -> Any:
        """Open the SQLite file *path* through the layer, as ``firmware.store.connect`` would."""
        # Without shared memory, which such layers have not, WAL wants the file for itself.
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
    """What the disk may hold at each boundary of *steps*, and how many acts were told by then.

    Before, during and after each step: with everything written since the last sync, with nothing
    of it, and *tries* times with some of it.
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
                for _ in range(tries):  # during it
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
    """*step*, or nothing of it, or the first, the last or the middle sectors of what it wrote."""
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
