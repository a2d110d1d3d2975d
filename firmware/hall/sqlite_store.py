"""The hall's store in one SQLite file. Any number of processes may use it; one writes at a time."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TypeVar

from firmware.hall.messages import EntryBatch, OutboxName, SentEntry, StoredMark
from firmware.hall.store import HallStoreError, OutboxState, settle

T = TypeVar("T")

BUSY_S = 10.0  # the longest wait for another process's transaction
SCHEMA = """
    CREATE TABLE IF NOT EXISTS entry (
        tbl TEXT, journal TEXT, branch INTEGER, seq INTEGER,
        game INTEGER, kind TEXT, body TEXT, at TEXT,
        PRIMARY KEY (tbl, journal, branch, seq)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS outbox (
        tbl TEXT, journal TEXT, branch INTEGER,
        seq INTEGER, seal INTEGER, game INTEGER, changed REAL,
        PRIMARY KEY (tbl, journal, branch)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS changed ON outbox (changed);
"""
MARKS = "SELECT branch, seq, seal FROM outbox WHERE tbl = ? AND journal = ?"
ADD_ENTRY = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
SET_MARK = "INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)"
CHANGED = "SELECT * FROM outbox WHERE changed >= ? ORDER BY changed, tbl"
ENTRIES = """SELECT seq, game, kind, body, at FROM entry
    WHERE tbl = ? AND journal = ? AND branch = ? AND seq > ? ORDER BY seq LIMIT ?"""


class SqliteStore:
    """The store in the file *path*, which is created if it does not exist.

    Raises:
        HallStoreError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, "hall store")  # waits for the disk
        self._connection: sqlite3.Connection = self._thread.submit(self._open).result()

    def _open(self) -> sqlite3.Connection:
        with ExitStack() as opened:
            try:
                connection = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
                opened.enter_context(closing(connection))
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")  # an answer says: it is on disk
                connection.executescript(SCHEMA)
            except (sqlite3.Error, OSError) as fault:
                raise self._error(fault) from fault
            opened.pop_all()
        return connection

    async def save(self, batches: Sequence[EntryBatch], now_s: float) -> Sequence[StoredMark]:
        """See ``HallStore``."""
        return await self._run(lambda: self._save(batches, now_s))

    def _save(self, batches: Sequence[EntryBatch], now_s: float) -> Sequence[StoredMark]:
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        try:
            known = [
                StoredMark(OutboxName(table, journal, branch), seq, seal)
                for table, journal in {(b.outbox.table, b.outbox.journal) for b in batches}
                for branch, seq, seal in run(MARKS, (table, journal))
            ]
            settled = settle(batches, known)
            rows = [
                (o.table, o.journal, o.branch, e.seq, e.game, e.kind, e.body, e.at)
                for o, e in settled.entries
            ]
            self._connection.executemany(ADD_ENTRY, rows)
            marks = [
                (m.outbox.table, m.outbox.journal, m.outbox.branch, m.seq, m.seal, game, now_s)
                for m, game in settled.changes
            ]
            self._connection.executemany(SET_MARK, marks)
            run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                run("ROLLBACK")
            raise
        return settled.answers

    async def outboxes(self, since_s: float = 0.0) -> list[OutboxState]:
        """See ``HallStore``."""
        rows = await self._run(lambda: self._connection.execute(CHANGED, (since_s,)).fetchall())
        return [
            OutboxState(StoredMark(OutboxName(*name), seq, seal), game, changed_s)
            for *name, seq, seal, game, changed_s in rows
        ]

    async def entries(self, outbox: OutboxName, after: int, most: int) -> list[SentEntry]:
        """See ``HallStore``."""
        (found,) = await self.news({outbox: after}, most)
        return found

    async def news(self, ends: Mapping[OutboxName, int], most: int) -> list[list[SentEntry]]:
        """See ``HallStore``."""
        wanted = [(o.table, o.journal, o.branch, after, most) for o, after in ends.items()]

        def read() -> list[list[SentEntry]]:
            run = self._connection.execute
            return [[SentEntry(*row) for row in run(ENTRIES, values)] for values in wanted]

        return await self._run(read)

    async def close(self) -> None:
        """Close the file. May be called twice."""
        with suppress(RuntimeError):  # the thread has ended
            await self._run(self._connection.close)
        self._thread.shutdown()

    async def _run(self, act: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, act)
        except sqlite3.Error as fault:
            raise self._error(fault) from fault

    def _error(self, fault: Exception) -> HallStoreError:
        return HallStoreError(f"The hall's store {self._path} cannot be used: {fault}")
