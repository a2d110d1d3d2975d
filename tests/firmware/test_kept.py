"""The saved log and the doctor's saved report: limited in size, and never delaying a table."""

import errno
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from firmware.common.errors import ConfigError
from firmware.journal import log_file as kept
from firmware.journal.log_file import (
    LINE_LENGTH,
    LOG,
    MAX_LINES,
    MAX_WAITING,
    REPORT,
    SPARE_LINES,
    LogFile,
    logging_to_file,
    read_saved_file,
    save_report,
)
from firmware.pi.computer import TargetComputer
from firmware.pi.state import LOG_FILES, STATE, StateFiles

log = logging.getLogger("tests.kept")


@pytest.fixture
def full() -> Iterator[Event]:
    """A switch for the test: while this event is set, the disk is full."""
    is_full = Event()
    append = kept._append

    def refuse(file: Path, lines: Any) -> None:
        if is_full.is_set():
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        append(file, lines)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "_append", refuse)
        yield is_full


def lines_in(folder: Path) -> list[str]:
    """Return the lines of the saved log, without their time stamps."""
    return [
        line[len("2026-01-01 00:00:00 ") :] for line in read_saved_file(folder, LOG).splitlines()
    ]


def test_what_is_logged_is_in_the_file(tmp_path: Path) -> None:
    with logging_to_file(tmp_path, "play"):
        log.warning("reader play: %s", "silent")
    assert lines_in(tmp_path) == ["play starts", "reader play: silent", "play ends"]


def test_nothing_is_logged_there_after_the_end(tmp_path: Path) -> None:
    with logging_to_file(tmp_path, "play"):
        pass
    log.warning("too late")
    assert "too late" not in read_saved_file(tmp_path, LOG)


def test_the_next_start_goes_on_behind(tmp_path: Path) -> None:
    for name in ("first", "second"):
        with closing(LogFile(tmp_path)) as handler:
            handler.add_lines(name)
    assert lines_in(tmp_path) == ["first", "second"]


@pytest.mark.parametrize(
    "error", [ConfigError("table.toml", "", "is bad", "Mend it."), KeyError(7)]
)
def test_the_error_that_ends_the_program_is_kept(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error)), logging_to_file(tmp_path, "play"):
        raise error
    told = read_saved_file(tmp_path, LOG)
    assert str(error) in told
    assert ("Traceback" in told) == isinstance(error, KeyError)


def test_the_file_is_bounded(tmp_path: Path) -> None:
    for start in range(0, 3000, 500):  # no more at once than the queue holds
        with closing(LogFile(tmp_path)) as handler:
            for number in range(start, start + 500):
                handler.add_lines(str(number))
        assert len(lines_in(tmp_path)) <= MAX_LINES + SPARE_LINES
    lines = lines_in(tmp_path)
    assert len(lines) >= MAX_LINES
    assert lines == [str(number) for number in range(3000 - len(lines), 3000)]


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    with closing(LogFile(tmp_path)) as handler:
        handler.add_lines("x" * 10_000)
    assert lines_in(tmp_path) == ["x" * LINE_LENGTH]


def test_what_a_full_disk_refuses_is_written_later(tmp_path: Path, full: Event) -> None:
    full.set()
    handler = LogFile(tmp_path)
    handler.add_lines("while it was full")
    while not handler._lines.empty():
        pass
    full.clear()
    handler.add_lines("afterwards")
    handler.close()
    assert lines_in(tmp_path) == ["while it was full", "afterwards"]


def test_a_disk_that_stays_full_fails_nobody(tmp_path: Path, full: Event) -> None:
    full.set()
    with logging_to_file(tmp_path, "play"):
        log.warning("lost")
    assert not (tmp_path / LOG).exists()


def test_a_disk_that_hangs_delays_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are accepted while a write hangs; when too many wait, more are dropped."""
    monkeypatch.setattr(kept, "CLOSE_S", 0.0)
    hangs, goes_on = Event(), Event()

    def hang(*_: object) -> None:
        hangs.set()
        goes_on.wait()

    monkeypatch.setattr(kept, "_append", hang)
    handler = LogFile(tmp_path)
    handler.add_lines("the first")
    hangs.wait()
    for number in range(3 * MAX_WAITING):
        handler.add_lines(str(number))
    assert handler._lines.full()
    handler.close()
    goes_on.set()


def test_a_write_that_is_refused_half_way_leaves_whole_lines(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of Unix")
    file = tmp_path / LOG
    file.write_text("old\n", encoding="utf-8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="no room"):
            kept._append(file, ["a line that does not fit\n"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_text(encoding="utf-8") == "old\n"


@pytest.mark.parametrize("name", [LOG, REPORT])
def test_a_folder_in_the_files_place_fails_nobody(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with logging_to_file(tmp_path, "play"):
        save_report(tmp_path, "all is well")
    assert read_saved_file(tmp_path, name) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) in ([LOG], [REPORT, LOG], [LOG, REPORT])


def test_the_last_report_is_kept_with_its_time(tmp_path: Path) -> None:
    for report in ("first\n", "second\n"):
        save_report(tmp_path, report)
    at, _, report = read_saved_file(tmp_path, REPORT).partition("\n")
    assert at.endswith(" UTC")
    assert report == "second\n"


def test_a_rollback_leaves_what_the_new_version_told(tmp_path: Path) -> None:
    """Games and stickers are restored, but the log of the failed version stays."""
    state = StateFiles(TargetComputer(print, lambda _: True, tmp_path))
    assert set(LOG_FILES) == {LOG, REPORT}
    folder = tmp_path / STATE
    folder.mkdir(parents=True)
    (folder / "games").write_text("old", encoding="utf-8")
    (folder / LOG).write_text("fine\n", encoding="utf-8")
    state.copy()
    state.finish_copy()
    (folder / "games").write_text("new", encoding="utf-8")
    (folder / LOG).write_text("fine\nwrong\n", encoding="utf-8")
    state.restore()
    assert (folder / "games").read_text(encoding="utf-8") == "old"
    assert read_saved_file(folder, LOG) == "fine\nwrong\n"
