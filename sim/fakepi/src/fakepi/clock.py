"""A virtual clock. Emulated transfers, radio frames and waits advance it by the time they take.

It counts whole nanoseconds, so that modelled times are exact and repeatable.
"""

import heapq
from collections.abc import Callable
from itertools import count

from fakepi.host import LinuxHost

NS_PER_S = 1_000_000_000


class VirtualClock:
    """A clock that stands still until it is advanced.

    ``call_at`` schedules a call for a moment, for example a card that arrives in the middle of a
    transfer. Advancing the clock past that moment makes the call; calls are made in order of time.

    ``host`` is a computer whose jitter is added to transfers and sleeps on this clock. Without a
    host, they take exactly their time.
    """

    def __init__(self, host: LinuxHost | None = None) -> None:
        self.host = host
        self._now_ns = 0
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._tie = count()

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        return self._now_ns

    def now(self) -> float:
        """Return the seconds since the clock was made."""
        return self._now_ns / NS_PER_S

    def is_idle_until(self, at_ns: int) -> bool:
        """Return True if no scheduled call is due up to *at_ns*."""
        return not self._due or self._due[0][0] > at_ns

    @property
    def next_call_ns(self) -> int | None:
        """The time of the next scheduled call; None without one."""
        return self._due[0][0] if self._due else None

    def advance_ns(self, ns: int) -> None:
        """Let *ns* nanoseconds pass, and make the calls that are due."""
        if ns < 0:
            raise ValueError(f"time cannot go back ({ns} ns)")
        end = self._now_ns + ns
        if not self._due or self._due[0][0] > end:  # the usual case
            self._now_ns = end
            return
        while self._due and self._due[0][0] <= end:
            at, _, act = heapq.heappop(self._due)
            self._now_ns = max(self._now_ns, at)
            act()
        self._now_ns = max(self._now_ns, end)

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass, plus the host's lateness; do nothing if zero or less."""
        if seconds > 0:
            self.advance_ns(round(seconds * NS_PER_S) + self._late_ns())

    def _late_ns(self) -> int:
        """Return the time in nanoseconds by which a sleep ends late now."""
        return 0 if self.host is None else self.host.late_ns()

    def call_at(self, at_ns: int, act: Callable[[], None]) -> None:
        """Call *act* when the clock passes *at_ns*; at the next advance if that is in the past."""
        heapq.heappush(self._due, (at_ns, next(self._tie), act))
