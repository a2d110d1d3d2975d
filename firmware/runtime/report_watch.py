"""Looks for a new report of ``tapmat doctor``, which may run beside the table."""

from pathlib import Path

from firmware.journal.log_file import REPORT, read_check
from firmware.table.events import DoctorReported


class ReportWatch:
    """Looks for the doctor's saved report in the state folder *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: tuple[int, int] | None = None  # time and size of the file that was read last

    def poll(self) -> tuple[DoctorReported, ...]:
        """Return an event if the report has changed since the last call."""
        try:
            found = (self._folder / REPORT).stat()
            now = found.st_mtime_ns, found.st_size
        except OSError:
            now = None
        if now == self._seen:
            return ()
        self._seen = now
        return (DoctorReported(read_check(self._folder)),)
