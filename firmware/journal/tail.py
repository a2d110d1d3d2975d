"""The tail: a text file with a second copy of the journal's entries since its last checkpoint.

SQLite silently drops the entries after a missing or damaged part of its write-ahead log (``-wal``).
The tail has one line for each entry, written after the entry is on disk. An entry that is in the
tail but not in the journal was lost, and is restored from the tail.

The tail begins with the anchor: the identity of its journal, and the journal's last entry at the
checkpoint. So it also shows if the journal is missing, empty, older or a different one.

The anchor and the first entry after it are synced to disk when ``add`` returns, so a missing log is
always noticed. The operating system writes the other lines within about 30 seconds: syncing each
line would take as long as saving the play itself.
"""

import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from firmware.journal.store import beside, crc32, sync

log = logging.getLogger(__name__)

Row = tuple[Any, ...]

TAIL = "-tail"
FIELDS = 6  # the number of columns of an entry; the seal is the last


class Anchor(NamedTuple):
    """The first line of a tail, with the journal's identity.

    *seq* and *seal* are the number and the checksum of the last entry at the checkpoint; both are 0
    for an empty journal.
    """

    identity: int = 0
    seq: int = 0
    seal: int = 0


class Tail:
    """The tail of the journal *path*. Only one process writes it, because the folder is locked."""

    def __init__(self, path: Path) -> None:
        self._path = beside(path, TAIL)
        self._file: BinaryIO | None = None
        self._is_synced = False  # since the last restart

    def add(self, rows: Sequence[Row]) -> None:
        """Add *rows*, which the journal has saved already. A disk error is logged, not raised."""
        try:
            self._write(rows)
        except OSError as fault:
            log.warning("%s cannot be written: %s", self._path, fault)

    def restart(self, anchor: Anchor) -> None:
        """Delete every line and write *anchor*. Call this after a checkpoint of the journal.

        A power cut between these steps leaves an empty tail beside a complete journal, which is
        safe.
        """
        self._is_synced = False
        try:
            with suppress(FileNotFoundError):
                os.truncate(self._path, 0)
            self._write([(*anchor, crc32(*anchor))])
        except OSError as fault:
            log.warning("%s cannot be written: %s", self._path, fault)
        self._is_synced = False  # so that the first entry is synced too

    def remove(self) -> None:
        """Delete the file. Call this before the journal is changed without ``Journal``."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _write(self, lines: Sequence[Row]) -> None:
        if self._file is None:
            self._file = self._path.open("ab", buffering=0)
        # Each line begins with a line break, so an incomplete line does not damage the next one.
        text = "".join(f"\n{json.dumps(line, separators=(',', ':'))}" for line in lines)
        self._file.write(text.encode())
        if not self._is_synced:
            os.fsync(self._file.fileno())
            sync(self._path.parent)
            self._is_synced = True

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_tail(path: Path) -> tuple[Anchor | None, list[Row]]:
    """Return the anchor and the entries in the tail of the journal *path*, without damaged lines.

    The anchor is None if it is missing or damaged.

    Raises:
        OSError: the tail cannot be read.
    """
    tail = beside(path, TAIL)
    lines = tail.read_bytes().split(b"\n") if tail.exists() else []
    found = [row for line in lines if (row := _row(line)) is not None]
    anchors = [row for row in found if isinstance(row, Anchor)]
    return anchors[-1] if anchors else None, [row for row in found if len(row) == FIELDS]


def _row(line: bytes) -> Row | None:
    """Return the anchor or the entry in *line*; None if the line is damaged."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, list) or not row or row[-1] != crc32(*row[:-1]):
        return None
    if len(row) == FIELDS:
        return tuple(row)
    return Anchor(*row[:-1]) if len(row[:-1]) == len(Anchor._fields) else None
