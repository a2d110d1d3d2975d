"""A limit for the time of a test, so that a driver that waits for ever fails it.

May import: the standard library and fakepi.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fakepi.clock import NS_PER_S, VirtualClock

AGAIN_NS = NS_PER_S  # a program that swallows the error gets it again after this time
REAL_STEP_NS = 100_000  # of virtual time, between two looks at the real clock


class TimeLimitError(BaseException):
    """A test has used up its time.

    It is not an `Exception`, so that ``except Exception`` in a polling loop does not catch it.
    """


class TimeLimit:
    """A limit of *seconds* from now on. It always has one call scheduled on *clock*.

    Args:
        clock: the virtual clock of the test.
        seconds: the time.
        is_real: True to count real seconds, because ``time.sleep`` takes real time.
        explain: returns the second part of the error's message.
    """

    def __init__(
        self, clock: VirtualClock, seconds: float, *, is_real: bool, explain: Callable[[], str]
    ) -> None:
        self._clock, self._seconds, self._explain = clock, seconds, explain
        self._is_real, self._monotonic_ns = is_real, time.monotonic_ns
        self._end_ns = self._now_ns() + round(seconds * NS_PER_S)
        self._is_paused = False
        self._schedule()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Do not count the time that passes in a ``with`` block."""
        began_ns = self._now_ns()
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False
            self._end_ns += self._now_ns() - began_ns

    def _now_ns(self) -> int:
        return self._monotonic_ns() if self._is_real else self._clock.now_ns

    def _schedule(self) -> None:
        """Schedule the next check of the time."""
        at_ns = self._clock.now_ns + AGAIN_NS if self._is_paused else self._end_ns
        if self._is_real:
            at_ns = self._clock.now_ns + REAL_STEP_NS
        self._clock.call_at(at_ns, self._check)

    def _check(self) -> None:
        """Raise a TimeLimitError if the time is over."""
        __tracebackhide__ = True  # for pytest: the error is in the program, not here
        is_over = not self._is_paused and self._now_ns() >= self._end_ns
        if is_over:
            self._end_ns = self._now_ns() + AGAIN_NS
        self._schedule()
        if is_over:
            kind = "real" if self._is_real else "virtual"
            raise TimeLimitError(
                f"{self._seconds:g} {kind} seconds passed in this test, and it still waits. "
                f"{self._explain()}"
            )
