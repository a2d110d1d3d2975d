"""The hall's store in PostgreSQL, for several workers that share the load.

It needs asyncpg, which ``tapmat[hall]`` installs.
"""

from collections.abc import Mapping, Sequence

import asyncpg

from firmware.hall.messages import EntryBatch, OutboxName, SentEntry, StoredMark
from firmware.hall.store import HallStoreError, OutboxState, settle

LONGEST_S = 10.0  # for one statement
LOCK = 0x7A9A7  # of the advisory lock that lets one worker at a time create the tables
SCHEMA = """
    CREATE TABLE IF NOT EXISTS entry (
        tbl TEXT, journal TEXT, branch BIGINT, seq BIGINT,
        game BIGINT, kind TEXT, body TEXT, at TEXT,
        PRIMARY KEY (tbl, journal, branch, seq)
    );
    CREATE TABLE IF NOT EXISTS outbox (
        tbl TEXT, journal TEXT, branch BIGINT,
        seq BIGINT, seal BIGINT, game BIGINT, changed DOUBLE PRECISION,
        PRIMARY KEY (tbl, journal, branch)
    );
    CREATE INDEX IF NOT EXISTS changed ON outbox (changed);
"""
# All three go through the rows in order, so that two workers never wait for each other.
MARKS = """SELECT tbl, journal, branch, seq, seal FROM outbox
    WHERE (tbl, journal) IN (SELECT * FROM unnest($1::text[], $2::text[]))
    ORDER BY tbl, journal, branch FOR UPDATE"""
ADD_ENTRIES = """INSERT INTO entry SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[],
    $5::bigint[], $6::text[], $7::text[], $8::text[]) ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING"""
SET_MARKS = """INSERT INTO outbox SELECT n.*, $7::double precision FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n
    ORDER BY 1, 2, 3 ON CONFLICT (tbl, journal, branch) DO UPDATE
    SET seq = excluded.seq, seal = excluded.seal, game = excluded.game, changed = excluded.changed
    WHERE outbox.seq < excluded.seq"""
CHANGED = """SELECT tbl, journal, branch, seq, seal, game, changed FROM outbox
    WHERE changed >= $1 ORDER BY changed, tbl"""
ENTRIES = """SELECT number, seq, game, kind, body, at
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
        WITH ORDINALITY AS wanted (tbl, journal, branch, after, number)
    CROSS JOIN LATERAL (
        SELECT seq, game, kind, body, at FROM entry
        WHERE entry.tbl = wanted.tbl AND entry.journal = wanted.journal
            AND entry.branch = wanted.branch AND seq > wanted.after
        ORDER BY seq LIMIT $5) AS found
    ORDER BY number, seq"""
FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)


class PostgresStore:
    """The store in the database at *address*, such as ``postgresql://hall@localhost/hall``.

    It connects when it is first used, and again after a fault.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._pool: asyncpg.Pool | None = None

    async def save(self, batches: Sequence[EntryBatch], now_s: float) -> Sequence[StoredMark]:
        """See ``HallStore``."""
        try:
            pool = await self._open_pool()
            async with pool.acquire() as connection, connection.transaction():
                return await _save(connection, batches, now_s)
        except FAULTS as fault:
            raise HallStoreError(f"The hall's database cannot be used: {fault}") from fault

    async def outboxes(self, since_s: float = 0.0) -> list[OutboxState]:
        """See ``HallStore``."""
        return [
            OutboxState(StoredMark(OutboxName(*name), seq, seal), game, changed_s)
            for *name, seq, seal, game, changed_s in await self._rows(CHANGED, since_s)
        ]

    async def entries(self, outbox: OutboxName, after: int, most: int) -> list[SentEntry]:
        """See ``HallStore``."""
        (found,) = await self.news({outbox: after}, most)
        return found

    async def news(self, ends: Mapping[OutboxName, int], most: int) -> list[list[SentEntry]]:
        """See ``HallStore``."""
        wanted = [(o.table, o.journal, o.branch, after) for o, after in ends.items()]
        found: list[list[SentEntry]] = [[] for _ in ends]
        for number, *entry in await self._rows(ENTRIES, *_columns(wanted, 4), most):
            found[number - 1].append(SentEntry(*entry))
        return found

    async def close(self) -> None:
        """Close all connections. May be called twice."""
        if self._pool is not None:
            self._pool.terminate()

    async def _rows(
        self, query: str, *values: str | int | float | list[str | int]
    ) -> list[asyncpg.Record]:
        try:
            pool = await self._open_pool()
            rows: list[asyncpg.Record] = await pool.fetch(query, *values)
        except FAULTS as fault:
            raise HallStoreError(f"The hall's database cannot be used: {fault}") from fault
        return rows

    async def _open_pool(self) -> asyncpg.Pool:
        if self._pool is None:
            pool = await asyncpg.create_pool(
                self._address, min_size=1, max_size=4, command_timeout=LONGEST_S, timeout=LONGEST_S
            )
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
                await connection.execute(SCHEMA)
            self._pool = pool
        return self._pool


async def _save(
    connection: "asyncpg.pool.PoolConnectionProxy", batches: Sequence[EntryBatch], now_s: float
) -> Sequence[StoredMark]:
    journals = {(b.outbox.table, b.outbox.journal) for b in batches}
    rows = await connection.fetch(MARKS, *_columns(list(journals), 2))
    known = [StoredMark(OutboxName(*name), seq, seal) for *name, seq, seal in rows]
    settled = settle(batches, known)
    if settled.entries:
        entries = [
            (o.table, o.journal, o.branch, e.seq, e.game, e.kind, e.body, e.at)
            for o, e in settled.entries
        ]
        await connection.execute(ADD_ENTRIES, *_columns(entries, 8))
        marks = [
            (m.outbox.table, m.outbox.journal, m.outbox.branch, m.seq, m.seal, game)
            for m, game in settled.changes
        ]
        await connection.execute(SET_MARKS, *_columns(marks, 6), now_s)
    return settled.answers


def _columns(rows: Sequence[tuple[str | int, ...]], count: int) -> list[list[str | int]]:
    return [[row[number] for row in rows] for number in range(count)]
