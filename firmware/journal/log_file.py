"""The last log lines and the doctor's last report, as files in the state folder.

Raspberry Pi OS keeps systemd's journal in memory, so a power cut deletes it. These small files
survive. Writing them never delays or stops the table: a thread writes the log lines, which stay in
memory while the disk is full.
"""

import logging
import os
import re
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Full, Queue
from threading import Thread

from firmware.common.errors import TapmatError
from firmware.journal.journal import utc_now
from hardware.errors import MissingPart

LOG, REPORT = "log.txt", "doctor.txt"
REPORT_TIME = "%Y-%m-%d %H:%M:%S UTC"  # the first line of a report
# The last line of a report, from ``firmware.doctor.printing``.
VERDICT = re.compile(r"^Verdict:\s+(OK|WARN|FAIL)\b(?:\s+\(([^)]*)\))?", re.MULTILINE)
SKIPPED = re.compile(r"(\d+)\s+skipped")
MAX_LINES = 1000
SPARE_LINES = 100  # the file is cut to MAX_LINES when it would have this many more
LINE_LENGTH = 500  # characters; the rest of a longer line is left out
MAX_WAITING = 1000  # lines not written yet; further lines are dropped
CLOSE_S = 2.0  # longest wait for the last lines when the program ends


class LogFile(logging.Handler):
    """A log handler that appends lines to ``log.txt`` in *folder*, each with its time.

    The file has the last 1,000 lines and at most 100 older lines. *now* returns the time in UTC.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = utc_now) -> None:
        super().__init__()
        self._file = folder / LOG
        self._now = now
        self._lines: Queue[str | None] = Queue(MAX_WAITING)
        self._thread = Thread(target=self._write_all, name="kept log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a log record for the writing thread."""
        self.add_lines(self.format(record))

    def add_lines(self, text: str) -> None:
        """Queue the lines of *text* for the writing thread, each with the current time."""
        at = f"{self._now():%Y-%m-%d %H:%M:%S}"
        for line in text.splitlines():
            with suppress(Full):
                self._lines.put_nowait(f"{at} {line[:LINE_LENGTH]}\n")

    def close(self) -> None:
        """Wait up to 2 s until the last lines are written. May be called twice."""
        with suppress(Full):
            self._lines.put_nowait(None)
        self._thread.join(CLOSE_S)
        super().close()

    def _write_all(self) -> None:
        """Write queued lines until ``close``. If the disk is full, retry with the next line."""
        count = _count_lines(self._file)
        waiting: deque[str] = deque(maxlen=MAX_LINES)
        is_open = True
        while is_open:
            line = self._lines.get()
            is_open = line is not None
            if line is not None:
                waiting.append(line)
            if waiting and self._lines.empty():
                with suppress(OSError):
                    if count + len(waiting) > MAX_LINES + SPARE_LINES:
                        count = _cut_to_last(self._file, MAX_LINES - len(waiting))
                    _append(self._file, waiting)
                    count += len(waiting)
                    waiting.clear()


@contextmanager
def logging_to_file(folder: Path, name: str) -> Iterator[LogFile]:
    """Run a block of the program *name*, and append its log lines to ``log.txt`` in *folder*.

    If an error ends the block, append the error too, and raise it again.
    """
    kept = LogFile(folder)
    kept.add_lines(f"{name} starts")
    logging.getLogger().addHandler(kept)
    try:
        yield kept
    except (TapmatError, MissingPart) as error:
        kept.add_lines(str(error))
        raise
    except Exception:
        kept.add_lines(traceback.format_exc())
        raise
    finally:
        kept.add_lines(f"{name} ends")
        logging.getLogger().removeHandler(kept)
        kept.close()


def save_report(folder: Path, report: str) -> None:
    """Save *report*, with the time, as the doctor's last report; ignore disk errors."""
    entry = f"{utc_now():{REPORT_TIME}}\n{report.rstrip()}\n"
    with suppress(OSError):
        _replace(folder / REPORT, entry.encode(errors="replace"))


@dataclass(frozen=True, slots=True)
class SavedCheck:
    """The result of the doctor's saved report.

    *at* is its time in UTC, in ISO 8601 form. *verdict* is ``OK``, ``WARN`` or ``FAIL``; empty if
    the doctor could not finish. *skipped* is the number of things that it did not check.
    """

    at: str
    verdict: str
    skipped: int = 0


def read_check(folder: Path) -> SavedCheck | None:
    """Return the result of the doctor's report in *folder*; None if there is no readable one."""
    text = read_saved_file(folder, REPORT)
    try:
        at = datetime.strptime(text.partition("\n")[0], REPORT_TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    verdict, skipped = "", 0
    for found in VERDICT.finditer(text):
        verdict, counts = found[1], found[2] or ""
        skipped = next((int(each[1]) for each in SKIPPED.finditer(counts)), 0)
    return SavedCheck(at.isoformat(), verdict, skipped)


def read_saved_file(folder: Path, name: str) -> str:
    """Return the text of the file *name* in *folder*; empty if it cannot be read."""
    try:
        return (folder / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _count_lines(file: Path) -> int:
    try:
        return file.read_bytes().count(b"\n")
    except OSError:
        return 0


def _append(file: Path, lines: Sequence[str]) -> None:
    """Append *lines* to *file*: all of them, or none if the disk is full.

    Raises:
        OSError: the file cannot be written.
    """
    data = "".join(lines).encode(errors="replace")
    with file.open("ab", buffering=0) as out:
        size = out.tell()
        try:
            if out.write(data) != len(data):
                raise OSError(f"{file} has no room for {len(data)} bytes")
        except OSError:
            out.truncate(size)
            raise


def _cut_to_last(file: Path, count: int) -> int:
    """Delete all but the last *count* lines of *file*; return the number of lines that remain."""
    lines = file.read_bytes().splitlines(keepends=True)
    lines = lines[len(lines) - min(count, len(lines)) :]
    _replace(file, b"".join(lines))
    return len(lines)


def _replace(file: Path, data: bytes) -> None:
    """Replace the contents of *file* with *data*.

    A power cut leaves either the old or the new data.
    """
    half = file.with_name(f"{file.name}.new")
    try:
        with half.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        half.replace(file)
    except OSError:
        with suppress(OSError):
            half.unlink()
        raise
