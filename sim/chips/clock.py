"""The virtual clock: time is what the buses and the air have taken, and what people waited.

Room: sim/chips. Whole nanoseconds, so that a modelled latency is exact and repeatable.
"""

import heapq
from collections.abc import Callable
from itertools import count

NS_PER_S = 1_000_000_000


class VirtualClock:
    """A clock that stands still until somebody advances it.

    ``call_at`` lets the world act at its own moments (a card lands in the middle of a transfer):
    what is due runs, in order of time, while the clock is advanced past it.
    """

    def __init__(self) -> None:
        self._now_ns = 0
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._tie = count()

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        return self._now_ns

    def now(self) -> float:
        """Seconds since the clock was made."""
        return self._now_ns / NS_PER_S

    def advance_ns(self, ns: int) -> None:
        """Let *ns* nanoseconds pass."""
        if ns < 0:
            raise ValueError(f"time does not go back ({ns} ns)")
        end = self._now_ns + ns
        if not self._due or self._due[0][0] > end:  # as nearly always
            self._now_ns = end
            return
        while self._due and self._due[0][0] <= end:
            at, _, act = heapq.heappop(self._due)
            self._now_ns = max(self._now_ns, at)
            act()
        self._now_ns = max(self._now_ns, end)

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass; nothing when zero or less."""
        if seconds > 0:
            self.advance_ns(round(seconds * NS_PER_S))

    def call_at(self, at_ns: int, act: Callable[[], None]) -> None:
        """Run *act* when the clock passes *at_ns*; at the next advance if that is over already."""
        heapq.heappush(self._due, (at_ns, next(self._tie), act))
