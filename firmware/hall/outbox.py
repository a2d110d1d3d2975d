"""The outbox of a table: sends the journal's entries in order until the hall has stored them.

At most one batch is on its way. The next one begins after the entry up to which the hall says it
has stored, and a batch without an answer is sent again. So nothing is lost or stored twice if the
broker, the hall or this program forgets something. This module does no I/O; the caller moves the
messages and supplies the clock and the random numbers.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from firmware.hall.messages import (
    MOST_ENTRIES,
    BadHallMessage,
    EntryBatch,
    OutboxName,
    SentEntry,
    StoredMark,
    batch_text,
    mark_of,
)

ASKED_S = 1.0  # the first wait for the answer to a question, before it is asked again
FIRST_WAIT_S, LONGEST_WAIT_S = 4.0, 60.0  # the same for a batch with entries
SLOW = 4  # times the last wait for an answer are added, so that a busy hall gets no more to do
LONGEST_BATCH = 60_000  # characters of entries; one longer entry is sent alone


class EntrySource(Protocol):
    """A journal, as the outbox reads it. ``JournalRows`` says what the methods do."""

    def name(self) -> str | None: ...  # noqa: D102
    def after(self, seq: int, most: int) -> Sequence[SentEntry]: ...  # noqa: D102
    def seal(self, seq: int) -> int | None: ...  # noqa: D102


class Outbox:
    """The state of sending one *table*'s journal, which is *source*.

    *clock* returns the time in seconds, and *chance* a random number from 0 to 1.
    """

    def __init__(
        self,
        table: str,
        source: EntrySource,
        clock: Callable[[], float],
        chance: Callable[[], float],
    ) -> None:
        self._table, self._source = table, source
        self._clock, self._chance = clock, chance
        self._mark: StoredMark | None = None  # None until the hall has answered
        self._wait_s = ASKED_S
        self._sent_s = 0.0
        self._due_s: float | None = None  # when to send again; None if nothing is on its way

    @property
    def due_in_s(self) -> float | None:
        """The seconds until ``next_payload`` sends again; None if no answer is awaited."""
        return None if self._due_s is None else max(0.0, self._due_s - self._clock())

    @property
    def stored(self) -> int:
        """The number of the last entry that the hall has stored, as far as known."""
        return 0 if self._mark is None else self._mark.seq

    def connected(self) -> None:
        """Begin again with a question, because the broker or the hall may have been replaced."""
        self._mark, self._due_s, self._wait_s = None, None, ASKED_S

    def next_payload(self) -> bytes | None:
        """Return the payload to publish now; None if there is nothing to send."""
        if self._due_s is not None and self._clock() < self._due_s:
            return None
        journal = self._source.name()
        if journal is None:
            return None
        if self._mark is None or self._mark.outbox.journal != journal:
            return self._sending(EntryBatch(OutboxName(self._table, journal), 0))
        entries = self._some_entries(self._mark.seq)
        if not entries:
            self._due_s = None
            return None
        return self._sending(EntryBatch(self._mark.outbox, self._mark.seq, entries))

    def hear(self, payload: bytes) -> None:
        """Take the hall's answer *payload*. Anything that is not one is ignored."""
        try:
            mark = mark_of(self._table, payload)
        except BadHallMessage:
            return
        if mark.outbox.journal != self._source.name():
            return
        if self._mark is not None and mark.outbox.branch < self._mark.outbox.branch:
            return  # a late answer
        if mark.seq and self._source.seal(mark.seq) != mark.seal:
            # The journal was taken back to an older state: what follows are other entries.
            name = mark.outbox
            mark = StoredMark(OutboxName(name.table, name.journal, name.branch + 1))
        self._mark, self._due_s = mark, None
        took_s = self._clock() - self._sent_s
        self._wait_s = min(FIRST_WAIT_S + SLOW * took_s, LONGEST_WAIT_S)

    def _some_entries(self, after: int) -> tuple[SentEntry, ...]:
        found = self._source.after(after, MOST_ENTRIES)
        size = 0
        for count, entry in enumerate(found):
            size += len(entry.body)
            if size > LONGEST_BATCH and count:
                return tuple(found[:count])
        return tuple(found)

    def _sending(self, batch: EntryBatch) -> bytes:
        self._sent_s = self._clock()
        self._due_s = self._sent_s + self._wait_s * (1 + self._chance())
        self._wait_s = min(self._wait_s * 2, LONGEST_WAIT_S)
        return batch_text(batch).encode()
