"""The entries of a table's games, read beside the running table from its journal and archive.

Entries that belong to no game, such as the health of parts and settings, stay at the table: tapmat
merges them later, and no board needs them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from heapq import merge
from itertools import islice
from pathlib import Path

from firmware.archive.past import ARCHIVE
from firmware.hall.messages import SentEntry
from firmware.journal.journal import NO_GAME
from firmware.journal.store import WAL, beside, connect
from firmware.runtime.controller import JOURNAL

COLUMNS = "SELECT seq, game, kind, body, at FROM entry"
AFTER = f"{COLUMNS} WHERE game != {NO_GAME} AND seq > ? ORDER BY seq LIMIT ?"
ONE = f"{COLUMNS} WHERE game != {NO_GAME} AND seq = ?"


class JournalRows:
    """The entries of games in the state folder *folder*.

    The files are opened for each call and never locked or changed. A file that is missing or cannot
    be read at the moment has no entries.
    """

    def __init__(self, folder: Path) -> None:
        # Journal first: pruning copies a game to the archive before it deletes it here.
        self._files = (folder / JOURNAL, folder / ARCHIVE)
        self._name: tuple[object, str | None] = (None, None)  # the files, and the name then
        self._end: tuple[object, int] = (None, 0)  # the files, and their last entry then

    def name(self) -> str | None:
        """Return the journal's name: a hash of the first game's start; None if there is none."""
        files = tuple(_stamp(path)[0] for path in self._files)
        if self._name[0] != files or self._name[1] is None:
            self._name = files, self._find_name()
        return self._name[1]

    def after(self, seq: int, most: int) -> list[SentEntry]:
        """Return the first *most* entries with numbers above *seq*, in order."""
        stamps = tuple(map(_stamp, self._files_and_logs()))
        if self._end == (stamps, seq):
            return []
        found = [self._query(path, AFTER, seq, most) for path in self._files]
        # A power cut while pruning may leave a game in both files.
        numbered = merge(*found, key=lambda entry: entry.seq)
        entries = list(islice(_distinct(numbered), most))
        if not entries:
            self._end = stamps, seq
        return entries

    def _find_name(self) -> str | None:
        for entry in self.after(0, 1):
            text = f"{entry.seq} {entry.body} {entry.at}"
            return sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
        return None

    def seal(self, seq: int) -> int | None:
        """Return the checksum of entry *seq*; None if there is no such entry."""
        for path in self._files:
            for entry in self._query(path, ONE, seq):
                return entry.seal
        return None

    def _query(self, path: Path, query: str, *values: int) -> list[SentEntry]:
        if not path.exists():
            return []
        try:
            with closing(connect(path, is_read_only=True)) as connection:
                return [SentEntry(*row) for row in connection.execute(query, values)]
        except sqlite3.Error:  # being created, or damaged: the table repairs it
            return []

    def _files_and_logs(self) -> Iterator[Path]:
        for path in self._files:
            yield from (path, beside(path, WAL))


def _distinct(entries: Iterator[SentEntry]) -> Iterator[SentEntry]:
    last = 0
    for entry in entries:
        if entry.seq != last:
            yield entry
        last = entry.seq


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes with the file *path*; its first number changes only with a new file."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_mtime_ns, status.st_size
