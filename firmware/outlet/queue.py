"""The bounded queue of events between the table and any number of clients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from firmware.journal.journal import utc_now
from firmware.outlet.events import Numbered, OutletEvent
from firmware.outlet.private import HostState, PlayerState
from firmware.outlet.state import PublicState

SIZE = 1000  # events; at ten a second, a client may be away for 100 s


@dataclass(frozen=True, slots=True)
class Batch:
    """The events that a client has not seen yet.

    *missed* is the number of events that the client can no longer get, because newer events
    replaced them.
    """

    events: tuple[Numbered, ...] = ()
    missed: int = 0


class Outlet:
    """A queue of the last *size* events. One thread puts them in; any number of threads read.

    There is no lock, so no client can make the writer wait. An event's sequence number gives its
    place in the list, and a new event replaces the oldest.

    ``state`` is the newest public state, or None while the table is off. ``wanted`` are the players
    whose phones want their private state (None stands for the host), and ``private`` has the newest
    of these states. These values are never changed, only replaced.
    """

    def __init__(self, now: Callable[[], datetime] = utc_now, size: int = SIZE) -> None:
        self._now = now
        self._places: list[Numbered | None] = [None] * size
        self._last = 0
        self.state: PublicState | None = None
        self.wanted: frozenset[str | None] = frozenset()
        self.private: Mapping[str | None, PlayerState | HostState] = {}

    @property
    def last(self) -> int:
        """The sequence number of the newest event; 0 before the first event."""
        return self._last

    @property
    def dropped(self) -> int:
        """The number of events that newer events have replaced."""
        return max(0, self._last - len(self._places))

    def put(self, event: OutletEvent) -> None:
        """Add *event*; if the queue is full, drop the oldest event."""
        seq = self._last + 1
        self._places[seq % len(self._places)] = Numbered(seq, self._now(), event)
        self._last = seq  # last, so that no client looks at a place before it is filled

    def read(self, after: int) -> Batch:
        """Return the events with sequence numbers above *after* that are still in the queue."""
        last = self._last
        first = max(after, last - len(self._places)) + 1
        found = (self._places[seq % len(self._places)] for seq in range(first, last + 1))
        # The writer may have replaced an event meanwhile; the next call returns the newer one.
        events = tuple(each for each in found if each is not None and after < each.seq <= last)
        return Batch(events, max(0, last - after) - len(events))
