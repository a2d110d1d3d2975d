"""A simulated table: recorded games, one after the other, at a steady rate.

Each entry follows from the table's name and its number, so a table that was killed goes on as a
real one does, and a test can tell what the hall must have.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import accumulate, islice

from firmware.hall.messages import SentEntry
from sim.hall.recorded import RecordedGame


@dataclass(frozen=True, slots=True)
class Schedule:
    """When entries are written: *rate* a second from *start_s* (seconds since 1970) to *end_s*.

    Each table has its own *phase*, from 0 to 1, so that the tables do not write all at once.
    """

    start_s: float
    end_s: float
    rate: float

    @property
    def total(self) -> int:
        """The number of entries that each table writes."""
        return int((self.end_s - self.start_s) * self.rate)

    def count(self, now_s: float, phase: float) -> int:
        """Return the number of entries that a table has written until *now_s*."""
        return min(self.total, max(0, int((now_s - self.start_s) * self.rate - phase + 1)))

    def time_of(self, seq: int, phase: float) -> float:
        """Return the time at which entry *seq* is written."""
        return self.start_s + (seq - 1 + phase) / self.rate


class SimulatedRows:
    """The journal of *table* (``EntrySource``), which plays *games* again and again.

    *clock* returns the time in seconds since 1970.
    """

    def __init__(
        self,
        table: str,
        games: Sequence[RecordedGame],
        schedule: Schedule,
        clock: Callable[[], float],
    ) -> None:
        digest = sha256(table.encode()).hexdigest()
        self.phase = int(digest[24:32], 16) / (1 << 32)
        self._name, first = digest[:16], int(digest[16:24], 16) % len(games)
        self._games = [*games[first:], *games[:first]]
        self._ends = list(accumulate(map(len, self._games)))
        self._schedule, self._clock = schedule, clock

    def name(self) -> str | None:
        """Return the journal's name."""
        return self._name if self._count() else None

    def after(self, seq: int, most: int) -> list[SentEntry]:
        """Return the first *most* entries after entry *seq* that are written by now."""
        last = self._count()
        return [self.entry(number) for number in islice(range(seq + 1, last + 1), most)]

    def seal(self, seq: int) -> int | None:
        """Return the checksum of entry *seq*; None if it is not written yet."""
        if not 0 < seq <= self._count():
            return None
        return self.entry(seq).seal

    def entry(self, seq: int) -> SentEntry:
        """Return entry *seq*."""
        cycle, place = divmod(seq - 1, self._ends[-1])
        at = bisect_right(self._ends, place)
        game = self._games[at]
        offset = place - (self._ends[at] - len(game))
        begun = cycle * self._ends[-1] + self._ends[at] - len(game) + 1
        when = datetime.fromtimestamp(self._schedule.time_of(seq, self.phase), UTC)
        one = game[offset]
        return SentEntry(seq, begun, one.kind, one.body, when.isoformat(timespec="milliseconds"))

    def _count(self) -> int:
        return self._schedule.count(self._clock(), self.phase)
