"""The kinds of damage that a disk, a file system or a person can do to a table's files.

Each kind is a function that damages the files in a folder. It raises ``Unfit`` if these files
cannot be damaged in this way. The format of SQLite's files is written down here from SQLite's
documentation, not taken from the program.
Source: https://www.sqlite.org/fileformat2.html, 1.3 and 4.1
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.firmware.lives import JOURNAL, Life, Moment, Played

WAL, SHM = f"{JOURNAL}-wal", f"{JOURNAL}-shm"
TAGS = "tags.sqlite"
SECTOR, PAGE = 512, 4096
WAL_HEADER, FRAME_HEADER = 32, 24
FRAME = FRAME_HEADER + PAGE
NOBODY = 65534  # a user ID without rights on other users' files


class Unfit(Exception):
    """The damage cannot be done now, for example because the write-ahead log is empty."""


@dataclass(frozen=True)
class Case:
    """The files to damage: *folder* holds the files of *play* after *acts* acts.

    *other* is another recorded play, for damage that mixes up the files of two plays.
    """

    folder: Path
    play: Played
    acts: int
    other: Played
    chance: Random

    @property
    def moment(self) -> Moment:
        """The display, the journal's entries and the files after *acts* acts."""
        return self.play.moments[self.acts]

    @property
    def journal(self) -> Path:
        """The path of the journal."""
        return self.folder / JOURNAL

    @property
    def log(self) -> Path:
        """The path of the journal's write-ahead log."""
        return self.folder / WAL

    def data(self, path: Path) -> bytearray:
        """Return the bytes of the file *path*.

        Raises:
            Unfit: the file is missing, empty or all zeros.
        """
        data = bytearray(path.read_bytes() if path.exists() else b"")
        if not any(data):
            raise Unfit(path.name)
        return data

    def frames(self) -> list[int]:
        """Return the byte offsets of the valid frames in the write-ahead log.

        A frame is one page in the log; it is valid if its salt is that of the log's header.

        Raises:
            Unfit: there are none.
        """
        data = self.data(self.log)
        starts = range(WAL_HEADER, len(data) - FRAME + 1, FRAME)
        found = [start for start in starts if data[start + 8 : start + 16] == data[16:24]]
        if not found:
            raise Unfit("no frames")
        return found

    def earlier(self) -> Moment:
        """Return a random earlier moment of the same play.

        Raises:
            Unfit: this is the first moment.
        """
        if not self.acts:
            raise Unfit("the first moment")
        return self.play.moments[self.chance.randrange(self.acts)]

    def put(self, moment: Moment, *names: str) -> None:
        """Replace the files *names* by those of *moment*; delete a file that did not exist then."""
        for name in names:
            if name in moment.files:
                (self.folder / name).write_bytes(moment.files[name])
            else:
                (self.folder / name).unlink(missing_ok=True)


@dataclass(frozen=True)
class Kind:
    """A kind of damage, and what the program may lose by it.

    *loses* is the most that may be lost, and only if the table says so: ``nothing``; entries that
    are in the ``log`` alone, at most one round of them; or any part of the ``file``. If
    *may_refuse*, the program may refuse to start and ask a person to act, for example if the file
    belongs to another program. The process then runs as *user*.
    """

    name: str
    does: Callable[[Case], None]
    loses: str
    may_refuse: bool = False
    user: int | None = None


KINDS: list[Kind] = []


def kind(
    name: str, loses: str, *, may_refuse: bool = False, user: int | None = None
) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Return a decorator that adds a function to ``KINDS`` under *name*."""

    def added(does: Callable[[Case], None]) -> Callable[[Case], None]:
        KINDS.append(Kind(name, does, loses, may_refuse, user))
        return does

    return added


def _zeroed(case: Case, path: Path, start: int, size: int) -> None:
    data = case.data(path)
    if not any(data[start : start + size]) or not any(data[:start] + data[start + size :]):
        raise Unfit("zero already, or nothing else")
    data[start : start + size] = bytes(len(data[start : start + size]))
    path.write_bytes(data)


def _block(case: Case, path: Path, size: int, first: int = 0) -> int:
    data = case.data(path)
    starts = range(first, len(data), size)
    blocks = [start for start in starts if any(data[start : start + size])]
    if not blocks:
        raise Unfit("all zero")
    return case.chance.choice(blocks)


# --- zeros ---------------------------------------------------------------------------------------


@kind("log: first 32 bytes zero", "log")
def _(case: Case) -> None:
    case.frames()
    _zeroed(case, case.log, 0, WAL_HEADER)


@kind("log: first 512 bytes zero", "log")
def _(case: Case) -> None:
    case.frames()
    _zeroed(case, case.log, 0, SECTOR)


@kind("log: first 4096 bytes zero", "log")
def _(case: Case) -> None:
    case.frames()
    _zeroed(case, case.log, 0, PAGE)


@kind("log: a block of 512 bytes zero", "log")
def _(case: Case) -> None:
    case.frames()
    _zeroed(case, case.log, _block(case, case.log, SECTOR, SECTOR), SECTOR)


@kind("log: a block of 4096 bytes zero", "log")
def _(case: Case) -> None:
    case.frames()
    _zeroed(case, case.log, _block(case, case.log, PAGE, PAGE), PAGE)


@kind("log: all of it zero", "log")
def _(case: Case) -> None:
    case.frames()
    case.log.write_bytes(bytes(len(case.data(case.log))))


@kind("file: header zero, the rest not", "file")
def _(case: Case) -> None:
    _zeroed(case, case.journal, 0, 100)


@kind("file: a block of 512 bytes zero", "file")
def _(case: Case) -> None:
    _zeroed(case, case.journal, _block(case, case.journal, SECTOR), SECTOR)


@kind("file: a block of 4096 bytes zero", "file")
def _(case: Case) -> None:
    _zeroed(case, case.journal, _block(case, case.journal, PAGE), PAGE)


@kind("file: all of it zero", "file")
def _(case: Case) -> None:
    case.journal.write_bytes(bytes(len(case.data(case.journal))))


# --- cut short -----------------------------------------------------------------------------------


@kind("log: cut in its header", "log")
def _(case: Case) -> None:
    case.frames()
    os.truncate(case.log, case.chance.randrange(1, WAL_HEADER))


@kind("log: cut in the header of a frame", "log")
def _(case: Case) -> None:
    os.truncate(
        case.log, case.chance.choice(case.frames()) + case.chance.randrange(1, FRAME_HEADER)
    )


@kind("log: cut in a frame", "log")
def _(case: Case) -> None:
    place = case.chance.randrange(FRAME_HEADER, FRAME)
    os.truncate(case.log, case.chance.choice(case.frames()) + place)


@kind("log: cut at the end of a frame", "log")
def _(case: Case) -> None:
    os.truncate(case.log, case.chance.choice(case.frames()))


@kind("log: cut at the end of a commit", "log")
def _(case: Case) -> None:
    data = case.data(case.log)
    ends = [start + FRAME for start in case.frames() if any(data[start + 4 : start + 8])]
    if len(ends) < 2:
        raise Unfit("one commit")
    os.truncate(case.log, case.chance.choice(ends[:-1]))


@kind("log: cut to nothing", "log")
def _(case: Case) -> None:
    case.frames()
    os.truncate(case.log, 0)


@kind("file: cut anywhere", "file")
def _(case: Case) -> None:
    os.truncate(case.journal, case.chance.randrange(1, len(case.data(case.journal))))


@kind("file: cut at the end of a page", "file")
def _(case: Case) -> None:
    pages = len(case.data(case.journal)) // PAGE
    if pages < 2:
        raise Unfit("one page")
    os.truncate(case.journal, case.chance.randrange(1, pages) * PAGE)


@kind("file: cut to nothing", "file")
def _(case: Case) -> None:
    case.data(case.journal)
    os.truncate(case.journal, 0)


# --- missing -------------------------------------------------------------------------------------


@kind("log: removed", "log")
def _(case: Case) -> None:
    case.frames()
    case.log.unlink()


@kind("shared memory: removed", "nothing")
def _(case: Case) -> None:
    (case.folder / SHM).unlink()


@kind("log and shared memory: removed", "log")
def _(case: Case) -> None:
    case.frames()
    case.log.unlink()
    (case.folder / SHM).unlink()


@kind("file: removed, its log is there", "file")
def _(case: Case) -> None:
    case.frames()
    case.journal.unlink()


@kind("file: a rename of it was lost", "file")
def _(case: Case) -> None:
    case.journal.rename(case.folder / "journal-mended-20260101-120000.sqlite")


# --- files of another moment or another journal --------------------------------------------------


@kind("log: of an earlier moment", "log")
def _(case: Case) -> None:
    case.frames()
    earlier = case.earlier()
    if earlier.files.get(WAL) == case.moment.files.get(WAL):
        raise Unfit("the same log")
    case.put(earlier, WAL)


@kind("log: of an older generation", "log")
def _(case: Case) -> None:
    salts = bytes(case.data(case.log)[16:24])
    older = [
        moment
        for moment in case.play.moments[: case.acts]
        if len(log := moment.files.get(WAL, b"")) > WAL_HEADER and log[16:24] != salts
    ]
    if not older:
        raise Unfit("no older one")
    case.put(case.chance.choice(older), WAL)


@kind("log: of another journal", "log")
def _(case: Case) -> None:
    case.frames()
    logs = [moment for moment in case.other.moments if moment.files.get(WAL)]
    if not logs:
        raise Unfit("no log")
    case.put(case.chance.choice(logs), WAL)


@kind("file: of an earlier moment, with this log", "file")
def _(case: Case) -> None:
    earlier = case.earlier()
    if earlier.files[JOURNAL] == case.moment.files[JOURNAL]:
        raise Unfit("the same file")
    case.put(earlier, JOURNAL)


@kind("file: of an earlier moment, without a log", "file")
def _(case: Case) -> None:
    earlier = case.earlier()
    case.put(earlier, JOURNAL)
    case.log.unlink(missing_ok=True)


@kind("file: of another journal, with this log", "file")
def _(case: Case) -> None:
    case.frames()
    case.put(case.chance.choice(case.other.moments), JOURNAL)


@kind("half a checkpoint, with its log", "nothing")
def _(case: Case) -> None:
    _half_checkpoint(case)


@kind("half a checkpoint, the log's header zero", "file")
def _(case: Case) -> None:
    _half_checkpoint(case)
    _zeroed(case, case.log, 0, WAL_HEADER)


@kind("half a checkpoint, without its log", "file")
def _(case: Case) -> None:
    _half_checkpoint(case)
    case.log.unlink()


def _half_checkpoint(case: Case) -> None:
    """Copy half of the log's newest pages into the file, as an interrupted checkpoint leaves it."""
    data = case.data(case.log)
    starts = case.frames()
    newest = {bytes(data[start : start + 4]): start for start in starts}
    if len(newest) < 2:
        raise Unfit("one page")
    file = case.data(case.journal)
    for number, start in case.chance.sample(sorted(newest.items()), len(newest) // 2):
        place = (int.from_bytes(number, "big") - 1) * PAGE
        file.extend(bytes(max(0, place + PAGE - len(file))))
        file[place : place + PAGE] = data[start + FRAME_HEADER : start + FRAME]
    case.journal.write_bytes(file)


# --- changed bytes -------------------------------------------------------------------------------


def _flip(data: bytearray, place: int, chance: Random) -> None:
    data[place] ^= 1 << chance.randrange(8)


@kind("log: one bit", "log")
def _(case: Case) -> None:
    data = case.data(case.log)
    _flip(data, case.chance.randrange(len(data)), case.chance)
    case.log.write_bytes(data)


@kind("file: one bit", "file")
def _(case: Case) -> None:
    data = case.data(case.journal)
    _flip(data, case.chance.randrange(len(data)), case.chance)
    case.journal.write_bytes(data)


@kind("file and log: many bits", "file")
def _(case: Case) -> None:
    for path in (case.journal, case.log):
        data = case.data(path)
        for _number in range(case.chance.randint(2, 50)):
            _flip(data, case.chance.randrange(len(data)), case.chance)
        path.write_bytes(data)


def _swap(case: Case, path: Path, starts: list[int], size: int) -> None:
    if len(starts) < 2:
        raise Unfit("just one")
    data = case.data(path)
    one, other = case.chance.sample(starts, 2)
    kept = bytes(data[one : one + size])
    if kept == bytes(data[other : other + size]):
        raise Unfit("the same")
    data[one : one + size] = data[other : other + size]
    data[other : other + size] = kept
    path.write_bytes(data)


@kind("file: two pages swapped", "file")
def _(case: Case) -> None:
    _swap(case, case.journal, list(range(0, len(case.data(case.journal)), PAGE)), PAGE)


@kind("log: two frames swapped", "log")
def _(case: Case) -> None:
    _swap(case, case.log, case.frames(), FRAME)


def _duplicate(case: Case, path: Path, size: int) -> None:
    data = case.data(path)
    starts = range(0, len(data) - size + 1, size)
    if len(starts) < 2:
        raise Unfit("just one")
    one, other = case.chance.sample(starts, 2)
    if data[one : one + size] == data[other : other + size]:
        raise Unfit("the same")
    data[other : other + size] = data[one : one + size]
    path.write_bytes(data)


@kind("file: a block written to another's place", "file")
def _(case: Case) -> None:
    _duplicate(case, case.journal, case.chance.choice((SECTOR, PAGE)))


@kind("log: a block written to another's place", "log")
def _(case: Case) -> None:
    _duplicate(case, case.log, case.chance.choice((SECTOR, PAGE)))


def _noise(case: Case, path: Path, start: int, size: int) -> None:
    data = case.data(path)
    data[start : start + size] = case.chance.randbytes(len(data[start : start + size]))
    path.write_bytes(data)


@kind("file: a page of noise", "file")
def _(case: Case) -> None:
    _noise(case, case.journal, _block(case, case.journal, PAGE), PAGE)


@kind("log: a page of noise", "log")
def _(case: Case) -> None:
    case.frames()
    _noise(case, case.log, _block(case, case.log, PAGE), PAGE)


@kind("file: all of it noise", "file")
def _(case: Case) -> None:
    _noise(case, case.journal, 0, len(case.data(case.journal)))


@kind("log: all of it noise", "log")
def _(case: Case) -> None:
    case.frames()
    _noise(case, case.log, 0, len(case.data(case.log)))


@kind("file and log: all of it noise", "file")
def _(case: Case) -> None:
    for path in (case.journal, case.log):
        _noise(case, path, 0, len(case.data(path)))


@kind("shared memory: noise", "nothing")
def _(case: Case) -> None:
    (case.folder / SHM).write_bytes(case.chance.randbytes(32768))


def _grow(case: Case, path: Path, with_noise: bool) -> None:
    size = case.chance.choice((1, 100, SECTOR, PAGE, FRAME, 5 * PAGE, 3 * FRAME + 7))
    more = case.chance.randbytes(size) if with_noise else bytes(size)
    path.write_bytes(case.data(path) + more)


@kind("file: zeros behind it", "nothing")
def _(case: Case) -> None:
    _grow(case, case.journal, with_noise=False)


@kind("file: noise behind it", "nothing")
def _(case: Case) -> None:
    _grow(case, case.journal, with_noise=True)


@kind("log: zeros behind it", "nothing")
def _(case: Case) -> None:
    case.frames()
    _grow(case, case.log, with_noise=False)


@kind("log: noise behind it", "nothing")
def _(case: Case) -> None:
    case.frames()
    _grow(case, case.log, with_noise=True)


@kind("log: an older generation's frames behind it", "nothing")
def _(case: Case) -> None:
    frames = case.frames()
    other = case.other.moments[-1].files.get(WAL, b"")
    case.log.write_bytes(case.data(case.log)[: frames[-1] + FRAME] + other[WAL_HEADER:])


# --- other files in place of the journal's -------------------------------------------------------


@kind("file: a folder in its place", "nothing", may_refuse=True)
def _(case: Case) -> None:
    case.journal.unlink()
    case.journal.mkdir()


@kind("log: a folder in its place", "log", may_refuse=True)
def _(case: Case) -> None:
    case.frames()
    case.log.unlink()
    case.log.mkdir()


@kind("file: a text in its place", "file")
def _(case: Case) -> None:
    case.journal.write_text("Milk, bread, two tins of paint.\n" * case.chance.randint(1, 400))


@kind("log: a text in its place", "log")
def _(case: Case) -> None:
    case.frames()
    case.log.write_text("Milk, bread, two tins of paint.\n" * case.chance.randint(1, 400))


@kind("file: another program's database", "nothing", may_refuse=True)
def _(case: Case) -> None:
    for path in (case.journal, case.log, case.folder / SHM):
        path.unlink(missing_ok=True)
    with closing(sqlite3.connect(case.journal)) as other, other:
        other.execute("CREATE TABLE bookmark (address TEXT)")
        other.execute("INSERT INTO bookmark VALUES ('https://www.sqlite.org')")


@kind("file: of a newer version", "nothing", may_refuse=True)
def _(case: Case) -> None:
    with closing(sqlite3.connect(case.journal)) as newer:
        newer.execute("PRAGMA user_version = 99")


@kind("file: a link that leads nowhere", "file", may_refuse=True)
def _(case: Case) -> None:
    case.frames()
    case.journal.unlink()
    case.journal.symlink_to(case.folder / "not" / "there.sqlite")


# --- missing permissions -------------------------------------------------------------------------


@kind("file: may not be written", "nothing", may_refuse=True, user=NOBODY)
def _(case: Case) -> None:
    case.journal.chmod(0o444)


@kind("file: may not be read", "nothing", may_refuse=True, user=NOBODY)
def _(case: Case) -> None:
    case.journal.chmod(0)


@kind("log: may not be written", "nothing", may_refuse=True, user=NOBODY)
def _(case: Case) -> None:
    case.frames()
    case.log.chmod(0o444)


@kind("folder: may not be written", "nothing", may_refuse=True, user=NOBODY)
def _(case: Case) -> None:
    case.folder.chmod(0o555)


@kind("files: of another owner", "nothing", may_refuse=True, user=NOBODY)
def _(case: Case) -> None:
    for path in (case.journal, case.log):
        if path.exists():
            path.chmod(0o600)
            _give_away(path)


def _give_away(path: Path) -> None:
    """Give *path* to root if this process may do that; otherwise remove all permissions."""
    if os.geteuid() == 0:
        os.chown(path, 0, 0)
    else:
        path.chmod(0)


# --- other files in the folder -------------------------------------------------------------------


@kind("lock: noise in it", "nothing")
def _(case: Case) -> None:
    (case.folder / "journal.lock").write_bytes(
        case.chance.randbytes(case.chance.choice((9, 999, PAGE)))
    )


@kind("lock: left by a dead process", "nothing")
def _(case: Case) -> None:
    (case.folder / "journal.lock").write_text("4194303\n")


@kind("rollback journal: noise in it", "nothing")
def _(case: Case) -> None:
    (case.folder / f"{JOURNAL}-journal").write_bytes(case.chance.randbytes(SECTOR + PAGE))


@kind("stickers: all of it noise", "nothing")
def _(case: Case) -> None:
    _noise(case, case.folder / TAGS, 0, len(case.data(case.folder / TAGS)))


@kind("stickers: a page of zeros", "nothing")
def _(case: Case) -> None:
    _zeroed(case, case.folder / TAGS, _block(case, case.folder / TAGS, PAGE), PAGE)


@kind("stickers: cut", "nothing")
def _(case: Case) -> None:
    os.truncate(case.folder / TAGS, case.chance.randrange(1, len(case.data(case.folder / TAGS))))


@kind("stickers: removed", "nothing")
def _(case: Case) -> None:
    (case.folder / TAGS).unlink()


@kind("killed while it mended a page of zeros", "file")
def _(case: Case) -> None:
    _zeroed(case, case.journal, _block(case, case.journal, PAGE), PAGE)
    with Life(case.folder):
        time.sleep(case.chance.uniform(0.1, 0.5))


# --- the journal's own note files ----------------------------------------------------------------


def _noted(case: Case) -> Path:
    """Return the path of one of the extra files that the journal has beside its SQLite files.

    Raises:
        Unfit: there is none, or it is empty.
    """
    known = (JOURNAL, WAL, SHM, f"{JOURNAL}-journal")
    noted = [name for name, data in case.moment.files.items() if _is_noted(name, known) and data]
    if not noted:
        raise Unfit("nothing beside it")
    return case.folder / case.chance.choice(noted)


def _is_noted(name: str, known: tuple[str, ...]) -> bool:
    return name.startswith(JOURNAL) and name not in known


@kind("notes: removed", "nothing")
def _(case: Case) -> None:
    _noted(case).unlink()


@kind("notes: all of it zero", "nothing")
def _(case: Case) -> None:
    noted = _noted(case)
    noted.write_bytes(bytes(len(case.data(noted))))


@kind("notes: all of it noise", "nothing")
def _(case: Case) -> None:
    noted = _noted(case)
    _noise(case, noted, 0, len(case.data(noted)))


@kind("notes: one bit", "nothing")
def _(case: Case) -> None:
    noted = _noted(case)
    data = case.data(noted)
    _flip(data, case.chance.randrange(len(data)), case.chance)
    noted.write_bytes(data)


@kind("notes: cut", "nothing")
def _(case: Case) -> None:
    noted = _noted(case)
    os.truncate(noted, case.chance.randrange(len(case.data(noted))))


@kind("notes: of an earlier moment", "nothing")
def _(case: Case) -> None:
    case.put(case.earlier(), _noted(case).name)


@kind("notes: of another journal", "nothing")
def _(case: Case) -> None:
    noted = _noted(case)
    others = [moment for moment in case.other.moments if moment.files.get(noted.name)]
    if not others:
        raise Unfit("the other has none")
    case.put(case.chance.choice(others), noted.name)


@kind("notes: a folder in their place", "nothing", may_refuse=True)
def _(case: Case) -> None:
    noted = _noted(case)
    noted.unlink()
    noted.mkdir()


@kind("log: first 32 bytes zero, the notes just begun", "log")
def _(case: Case) -> None:
    _just_begun(case, _noted(case))
    _zeroed(case, case.log, 0, WAL_HEADER)


@kind("log: removed, the notes just begun", "log")
def _(case: Case) -> None:
    _just_begun(case, _noted(case))
    case.log.unlink()


def _just_begun(case: Case, noted: Path) -> None:
    """Set *noted* back to its contents after the first play, as if later writes were lost."""
    case.frames()
    began = case.play.begins(case.acts)
    written = [moment for moment in case.play.moments[began:] if moment.files.get(noted.name)]
    first = [moment for moment in written if moment.rows > written[0].rows]
    if not first or first[0].rows > case.moment.rows:
        raise Unfit("not begun")
    case.put(first[0], noted.name)
