"""The hall's store: every entry that tables have sent, each with (table, journal, number) as key.

There are two stores with the same behaviour: SQLite (``sqlite_store``) and, where several workers
share the load, PostgreSQL (``postgres_store``). Both get their decisions from ``settle``. An outbox
is stored without gaps: a batch that begins beyond the stored end is not stored, and the answer
tells the table where to go on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware.common.errors import TapmatError
from firmware.hall.messages import EntryBatch, OutboxName, SentEntry, StoredMark

START, END = "start", "end"  # the kinds of entries that begin and end a game


class HallStoreError(TapmatError):
    """The hall's store cannot be opened or used."""


@dataclass(frozen=True, slots=True)
class OutboxState:
    """An outbox in the store: its *mark*, the number of its last *game*, and its last change.

    *changed_s* is in seconds since 1970, on the hall's clock.
    """

    mark: StoredMark
    game: int
    changed_s: float


@dataclass(frozen=True, slots=True)
class Settled:
    """The rows to write for some batches, and the answers to them, in the same order."""

    entries: Sequence[tuple[OutboxName, SentEntry]]
    changes: Collection[tuple[StoredMark, int]]  # new marks, each with the number of the last game
    answers: Sequence[StoredMark]


class HallStore(Protocol):
    """The operations of a store. Each may raise HallStoreError."""

    async def save(self, batches: Sequence[EntryBatch], now_s: float) -> Sequence[StoredMark]:
        """Store *batches* in one transaction; return the answer to each, once it is on disk."""
        ...

    async def outboxes(self, since_s: float = 0.0) -> list[OutboxState]:
        """Return the outboxes that have changed at *since_s* or later, oldest change first."""
        ...

    async def entries(self, outbox: OutboxName, after: int, most: int) -> list[SentEntry]:
        """Return the first *most* entries of *outbox* with numbers above *after*."""
        ...

    async def news(self, ends: Mapping[OutboxName, int], most: int) -> list[list[SentEntry]]:
        """Return the same for each outbox in *ends*, which has the numbers, at once."""
        ...

    async def close(self) -> None:
        """Close the store."""
        ...


def settle(batches: Sequence[EntryBatch], known: Iterable[StoredMark]) -> Settled:
    """Decide what to store of *batches*.

    *known* are the marks of all branches of the journals in *batches*.
    """
    marks = {mark.outbox: mark for mark in known}
    entries: list[tuple[OutboxName, SentEntry]] = []
    changes: dict[OutboxName, tuple[StoredMark, int]] = {}
    answers: list[StoredMark] = []
    for batch in batches:
        if not batch.entries:
            answers.append(_newest(batch.outbox, marks))
            continue
        mark = marks.get(batch.outbox, StoredMark(batch.outbox))
        new = [entry for entry in batch.entries if entry.seq > mark.seq]
        if new and batch.after <= mark.seq:
            entries.extend((batch.outbox, entry) for entry in new)
            mark = StoredMark(batch.outbox, new[-1].seq, new[-1].seal)
            marks[batch.outbox], changes[batch.outbox] = mark, (mark, new[-1].game)
        answers.append(mark)
    return Settled(entries, changes.values(), answers)


def _newest(outbox: OutboxName, marks: Mapping[OutboxName, StoredMark]) -> StoredMark:
    """Return the mark of the newest branch of *outbox*'s journal."""
    branches = [
        mark
        for name, mark in marks.items()
        if (name.table, name.journal) == (outbox.table, outbox.journal)
    ]
    return max(branches, key=lambda mark: mark.outbox.branch, default=StoredMark(outbox))
