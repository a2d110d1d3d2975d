"""The lock file: the kernel holds the lock, and the file's contents do not matter."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware.common.errors import FolderInUse, JournalError
from firmware.journal import lock
from firmware.journal.journal import Journal
from firmware.journal.lock import Lock

HOLDER = """
import sys
from pathlib import Path
from firmware.journal.lock import Lock
held = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.lock"


@pytest.fixture
def holder(file: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock."""
    with subprocess.Popen(
        (sys.executable, "-c", HOLDER, str(file)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def refused(file: Path) -> str:
    with pytest.raises(FolderInUse) as caught:
        Lock(file)
    return str(caught.value)


@pytest.mark.parametrize(
    "left",
    [b"rubbish\n" * 999, b"\0" * 32, b"SQLite format 3\0" + b"\xff" * 84, b"12345\n", b""],
    ids=["rubbish", "zeros", "half an SQLite file", "a process id", "empty"],
)
def test_what_the_file_contains_stops_no_start(file: Path, left: bytes) -> None:
    """Any contents of the lock file are ignored; they once stopped every start."""
    file.write_bytes(left)
    with closing(Lock(file)):
        refused(file)
    assert file.read_bytes() == left
    with closing(Journal(file.with_suffix(".sqlite"))) as journal:
        assert journal.open_game() is None


def test_the_lock_is_released_when_it_is_closed(file: Path) -> None:
    first = Lock(file)
    refused(file)
    first.close()
    first.close()
    with closing(Lock(file)):
        refused(file)


def test_another_process_is_named_where_the_system_tells_it(
    file: Path, holder: "subprocess.Popen[str]"
) -> None:
    told = refused(file)
    who = f"another tapmat (process {holder.pid})" if lock.LOCKS.exists() else "another tapmat"
    assert told == (
        f"{file.parent} is in use: {who} is using this state folder. "
        "Stop it, or use another state folder (--state)."
    )


@pytest.mark.parametrize("told", ["", "nonsense\n", "1: FLOCK  ADVISORY  WRITE 0 00:00:0 0 EOF\n"])
def test_nobody_is_named_where_it_is_not_known(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    (tmp_path / "locks").write_text(told)
    monkeypatch.setattr(lock, "LOCKS", tmp_path / "locks")
    with closing(Lock(file)):
        assert "another tapmat is using" in refused(file)
        (tmp_path / "locks").unlink()
        assert "another tapmat is using" in refused(file)


def test_a_killed_process_leaves_nothing_locked(
    file: Path, holder: "subprocess.Popen[str]"
) -> None:
    refused(file)
    holder.kill()
    holder.wait()
    Lock(file).close()


def test_a_folder_in_its_place_is_told_with_what_helps(file: Path) -> None:
    file.mkdir()
    with pytest.raises(JournalError, match=r"is a folder\. Move the folder away"):
        Lock(file)
    file.rmdir()
    Lock(file).close()


def test_a_file_that_may_only_be_read_can_be_locked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may belong to another user. Opening it is faked, since root may write any file."""
    file.touch()
    opened = os.open

    def read_only(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", read_only)
    with closing(Lock(file)):
        refused(file)
    file.unlink()
    with pytest.raises(JournalError, match="Permission denied"):
        Lock(file)


def test_a_disk_that_knows_no_locks_is_reported(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(_handle: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock, "_try_lock", unable)
    with pytest.raises(JournalError, match=r"cannot be locked \(No locks available\)\. Name a st"):
        Lock(file)
    monkeypatch.undo()
    Lock(file).close()
