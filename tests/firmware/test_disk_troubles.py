"""Disk errors under a journal: each cause has its own message, and table and file stay the same."""

import errno
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engines.common.contract import Number
from engines.common.pieces import Deck
from firmware.boxes.register import TagRegister
from firmware.common.errors import Cause, JournalError, RegisterError
from firmware.journal import store
from firmware.journal.journal import GameStart, Journal, check_file, entries_in
from firmware.journal.recovery import copies_of
from firmware.journal.store import (
    REPAIR,
    SHARED,
    WAL,
    beside,
    error_of,
    error_of_cause,
    lost_error,
)
from firmware.journal.tail import TAIL
from firmware.table.events import PartFailed
from tests.firmware.tabletop import Tabletop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks POSIX about its disks")

START = GameStart("straw", ("Ann", "Ben"), 0, {}, Deck("straw", (), True))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def straw(tmp_path: Path) -> Iterator[Tabletop]:
    """A table with a game of Straw begun."""
    with closing(Tabletop(tmp_path)) as top:
        yield top.start()


# --- causes ---


def disk(monkeypatch: pytest.MonkeyPatch, **changed: int) -> None:
    """Make ``os.statvfs`` report a writable disk with room, except for the values in *changed*."""
    found = {"f_flag": 0, "f_bavail": 1000, "f_frsize": 4096, "f_files": 1000, "f_favail": 1000}
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(**{**found, **changed}))


def sqlite_fault(name: str) -> sqlite3.OperationalError:
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorname = name
    return fault


# A file system without a limit of files, such as Btrfs, reports none and none free.
UNCOUNTED = {"f_files": 0, "f_favail": 0}
FULL, NO_INODES, DYING = {"f_bavail": 3}, {"f_favail": 0}, {"f_flag": os.ST_RDONLY}


@pytest.mark.parametrize(
    ("fault", "on", "cause", "found"),
    [
        (sqlite_fault("SQLITE_FULL"), {}, Cause.NO_ROOM, "cannot be saved: the disk is full"),
        (sqlite_fault("SQLITE_FULL"), FULL, Cause.NO_ROOM, "cannot be saved: the disk is full"),
        (sqlite_fault("SQLITE_CANTOPEN"), NO_INODES, Cause.NO_FILES, "the disk has no free inodes"),
        (
            sqlite_fault("SQLITE_IOERR_WRITE"),
            DYING,
            Cause.READ_ONLY,
            "is on a read-only file system",
        ),
        (sqlite_fault("SQLITE_READONLY"), DYING, Cause.READ_ONLY, "is on a read-only file system"),
        (sqlite_fault("SQLITE_READONLY"), {}, Cause.NOT_ALLOWED, "may not be written"),
        (sqlite_fault("SQLITE_IOERR_FSYNC"), {}, Cause.FAILING, "cannot be read or written"),
        (sqlite_fault("SQLITE_BUSY"), FULL, Cause.BUSY, "is in use by another program"),
        (sqlite_fault("SQLITE_NOLFS"), {}, Cause.OTHER, "cannot be used"),
        (sqlite_fault(""), FULL, Cause.NO_ROOM, "cannot be saved: the disk is full"),
        (OSError(errno.ENOSPC, "full"), {}, Cause.NO_ROOM, "cannot be saved: the disk is full"),
        (OSError(errno.EROFS, "read-only"), {}, Cause.READ_ONLY, "how most memory cards fail"),
        (OSError(errno.EIO, "error"), {}, Cause.FAILING, "cannot be read or written"),
        (OSError(errno.EMFILE, "too many"), UNCOUNTED, Cause.OTHER, "cannot be used"),
        (OSError(errno.EMFILE, "too many"), {}, Cause.OTHER, "cannot be used"),
        (OSError("no number"), {}, Cause.OTHER, "cannot be used"),
    ],
)
def test_each_cause_has_its_own_words_and_its_own_remedy(
    monkeypatch: pytest.MonkeyPatch,
    file: Path,
    fault: Exception,
    on: dict[str, int],
    cause: Cause,
    found: str,
) -> None:
    disk(monkeypatch, **on)
    told = error_of(fault, file, JournalError)
    assert told.cause is cause
    assert found in str(told)
    assert told.remedy


def parts(error: JournalError) -> tuple[object, ...]:
    """Return everything that *error* says."""
    return error.file, error.key, error.found, error.remedy, error.cause, error.is_damage


def test_an_error_of_the_disk_says_which_file_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    disk(monkeypatch)
    for told, found, remedy, cause, is_damage in (
        (
            error_of(OSError(errno.ENOSPC, "full"), file, JournalError),
            "cannot be saved: the disk is full ([Errno 28] full)",
            "Free some space and try again. Everything saved before is safe.",
            Cause.NO_ROOM,
            False,
        ),
        (
            error_of(sqlite_fault("SQLITE_CORRUPT_VTAB"), file, JournalError),
            "is damaged (disk I/O error)",
            REPAIR,
            Cause.OTHER,
            True,
        ),
        (
            error_of(sqlite_fault("SQLITE_NOTADB"), file, JournalError),
            "is damaged, or is not an SQLite file (disk I/O error)",
            REPAIR,
            Cause.OTHER,
            True,
        ),
        (
            error_of_cause(file, Cause.BUSY, JournalError),
            "is in use by another program",
            "Close that program and try again. Everything saved before is safe.",
            Cause.BUSY,
            False,
        ),
        (
            lost_error(file, "was deleted", JournalError),
            "was deleted",
            "Start the table again.",
            Cause.LOST,
            False,
        ),
    ):
        assert parts(told) == (str(file), "", found, remedy, cause, is_damage)


def test_a_tail_that_cannot_be_read_is_an_error_of_the_journal(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
    beside(file, TAIL).unlink()
    beside(file, TAIL).mkdir()
    with pytest.raises(JournalError) as told:
        check_file(file)
    fault = f"[Errno {errno.EISDIR}] {os.strerror(errno.EISDIR)}: '{beside(file, TAIL)}'"
    remedy = "Check the disk or memory card. Everything saved before is safe."
    assert parts(told.value) == (
        str(file), "", f"cannot be used ({fault})", remedy, Cause.OTHER, False
    )  # fmt: skip


REMEDIES = {
    Cause.NO_ROOM: "Make room on the disk, then do it again.",
    Cause.NO_FILES: "The disk holds too many files. Delete some, then do it again.",
    Cause.READ_ONLY: "The memory card is worn out. Copy it, and use a new one.",
    Cause.FAILING: "The memory card is failing. Copy it, and use a new one.",
    Cause.NOT_ALLOWED: "The table may not write its files. Run: tapmat doctor",
    Cause.BUSY: "Another program uses the file. Close it, then do it again.",
    Cause.LOST: "The file was deleted or replaced. Start the table again.",
    Cause.OTHER: "Check the memory card, then try again.",
}


@pytest.mark.parametrize("cause", Cause)
def test_the_table_says_what_to_do_about_each_cause(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch, cause: Cause
) -> None:
    def refuse(*_given: object) -> None:
        error = JournalError(straw.journal.path, "", "cannot be written", "")
        error.cause = cause
        raise error

    monkeypatch.setattr(straw.journal, "append", refuse)
    straw.lay("weight-3")
    assert (straw.refused, straw.notice.do) == ("not-saved", REMEDIES[cause])
    assert straw.view.headline == "0"


# --- a full disk ---


def test_what_a_full_disk_refused_is_no_damage_after_a_cut(file: Path, tmp_path: Path) -> None:
    import resource

    with closing(Journal(file)) as journal:
        journal.begin(START)
        before = journal.append(Number(1))
        size = beside(file, WAL).stat().st_size
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
        try:
            for _ in range(3):
                with pytest.raises(JournalError):
                    journal.append(Number(2))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert beside(file, WAL).stat().st_size == size
        cut = tmp_path / "cut"
        shutil.copytree(file.parent, cut, ignore=shutil.ignore_patterns("cut"))
    check_file(cut / file.name)
    with closing(Journal(cut / file.name, repairs=True)) as journal:
        assert journal.recovery is None
        assert journal.open_game() == before


def test_a_checkpoint_that_the_disk_refuses_is_logged_and_its_entries_stay_in_the_log(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import resource

    with closing(Journal(file)) as journal:
        before = journal.begin(START)
        size = beside(file, WAL).stat().st_size
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            journal.checkpoint()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert beside(file, WAL).stat().st_size == size
    assert any(line.startswith(f"{file} cannot be read or written") for line in caplog.messages)
    with closing(Journal(file)) as journal:
        assert journal.open_game() == before


def no_room_to_share(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Leave SQLite no room for the files beside its database; return a function that ends this."""
    opened = store._open

    def refuse(path: Path, how: str, kind: Any = sqlite3.Connection) -> Any:
        if path.is_file() and kind is sqlite3.Connection:
            return sqlite3.connect(":memory:", factory=Refusing)
        return opened(path, how, kind)

    class Refusing(sqlite3.Connection):
        def execute(self, *_: Any) -> Any:
            raise sqlite_fault("SQLITE_IOERR_SHMSIZE")

    disk(monkeypatch, **FULL)
    monkeypatch.setattr(store, "_open", refuse)

    def mend() -> None:
        monkeypatch.setattr(store, "_open", opened)
        disk(monkeypatch)

    return mend


@pytest.mark.parametrize("was_cut", [False, True])
def test_a_start_needs_no_room_and_says_that_the_disk_is_full(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_cut: bool
) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        before = journal.append(Number(1))
        cut = tmp_path / "cut"
        shutil.copytree(file.parent, cut, ignore=shutil.ignore_patterns("cut", "*-shm", "*.lock"))
    here = cut / file.name if was_cut else file
    mend = no_room_to_share(monkeypatch)
    with closing(Journal(here, repairs=True)) as journal:
        assert journal.recovery is None
        assert journal.open_game() == before
        assert journal.trouble is not None
        assert journal.trouble.cause is Cause.NO_ROOM
        mend()
        assert journal.trouble is None
        after = journal.append(Number(2))
        with closing(store.connect(here, is_read_only=True)) as reader:  # locking is shared again
            assert reader.execute("SELECT max(seq) FROM entry").fetchone() == (3,)
    with closing(Journal(here)) as journal:
        assert journal.open_game() == after


def test_only_on_a_full_disk_a_file_is_opened_without_shared_memory(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(file).close()
    mend = no_room_to_share(monkeypatch)
    refuse = store._open
    monkeypatch.setattr(store, "_has_shared", lambda _path: True)  # but too small for SQLite
    with closing(store.connect(file)) as connection:
        assert isinstance(connection, store.UnsharedConnection)
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (0,)
    mend()
    monkeypatch.setattr(store, "_open", refuse)  # SQLite still refuses, for another reason
    with closing(store.connect(file)) as connection:
        assert not isinstance(connection, store.UnsharedConnection)


def test_another_program_reads_the_journal_of_a_table_whose_disk_is_full(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(Number(1))
        disk(monkeypatch, **FULL)
        assert [entry.kind for entry, _ in entries_in(file)] == ["start", "input"]
        journal.append(Number(2))
        assert [entry.kind for entry, _ in entries_in(file)] == ["start", "input", "input"]


def test_a_table_that_starts_on_a_full_disk_says_so(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(monkeypatch, **FULL)
    straw.again()
    (happened, do, *_) = (line.text for line in straw.table.wake())
    assert happened == "Nothing can be saved at the moment."
    assert do == REMEDIES[Cause.NO_ROOM]


# --- deleted and replaced files ---


def deleted(file: Path) -> None:
    file.unlink()


def replaced(file: Path) -> None:
    (file.parent / "other").write_bytes(file.read_bytes())
    (file.parent / "other").replace(file)


def without_log(file: Path) -> None:
    beside(file, WAL).unlink()


def without_shared_memory(file: Path) -> None:
    beside(file, SHARED).unlink()


def written(file: Path) -> None:
    with closing(store.connect(file)) as other:
        other.execute("INSERT INTO entry VALUES (4, 1, 'undo', '{}', '', 0)")


STROKES = [deleted, replaced, without_log, without_shared_memory, written]


@pytest.mark.parametrize("stroke", STROKES)
def test_a_journal_that_is_not_ours_any_more_takes_nothing_and_stays_so(
    file: Path, stroke: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(Number(1))
        before = journal.append(Number(2))
        stroke(file)
        with pytest.raises(JournalError) as told:
            journal.check_ownership()
        assert told.value.cause is Cause.LOST
        found = "written by another program" if stroke is written else "deleted or replaced"
        assert f"was {found}" in str(told.value)
        for change in (
            lambda: journal.append(Number(3)),
            journal.undo,
            lambda: journal.end("over"),
        ):
            with pytest.raises(JournalError, match="Start the table again"):
                change()
        assert journal.open_game() == before
        (copy,) = copies_of(file)
        assert re.search(f": was {found}.* A copy of it is {copy}; copies kept: 1", caplog.text)
        with closing(Journal(copy)) as kept:
            assert len(list(kept.entries())) == 3 + (stroke is written)
    assert beside(file, TAIL).exists()


def test_a_lost_journal_that_cannot_be_copied_either_is_logged(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with closing(Journal(file)) as journal:
        journal.begin(START)
        file.unlink()
        monkeypatch.setattr("firmware.journal.journal.save_copy", full)
        with pytest.raises(JournalError, match="Start the table again"):
            journal.append(Number(1))
    found = f"cannot be saved: the disk is full ([Errno {errno.ENOSPC}] "
    assert [line.partition(os.strerror(errno.ENOSPC))[0] for line in caplog.messages] == [
        f"The journal cannot be copied: {file} {found}"
    ]


@pytest.mark.parametrize("stroke", STROKES)
def test_a_play_is_refused_at_once_when_the_journal_is_not_ours(
    straw: Tabletop, stroke: Callable[[Path], None]
) -> None:
    straw.play("weight-3")
    straw.play("weight-4")
    stroke(straw.journal.path)
    straw.lay("weight-5")
    assert (straw.refused, straw.notice.do) == ("not-saved", REMEDIES[Cause.LOST])
    assert straw.view.headline == "7"


def test_what_was_deleted_while_it_was_played_is_told_at_the_next_start(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(Number(1))
        deleted(file)
        with pytest.raises(JournalError):
            journal.append(Number(2))
    with closing(Journal(file, repairs=True)) as journal:
        assert journal.recovery is not None


def test_a_table_tells_that_its_journal_is_gone(straw: Tabletop) -> None:
    (answer,) = straw.table.receive(PartFailed("journal", "journal"), straw.now_s)
    assert [line.text for line in answer.say] == [
        "No answer: journal",
        "The file was deleted or replaced. Start the table again.",
    ]


def test_a_list_of_stickers_that_was_deleted_takes_no_more(tmp_path: Path) -> None:
    with closing(TagRegister(tmp_path / "tags.sqlite")) as register:
        register.close_box("straw", 1)
        (tmp_path / "tags.sqlite").unlink()
        with pytest.raises(RegisterError, match="was deleted or replaced") as told:
            register.close_box("straw", 2)
        assert told.value.cause is Cause.LOST
