"""A limit for the time of a test, so that a driver that waits for ever fails it.

May import: the standard library and fakepi.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fakepi.clock import NS_PER_S

AGAIN_NS = NS_PER_S  # a program that swallows the error gets it again after this time


class TimeLimitError(BaseException):
    """A test has used up its time.

    It is no `Exception`, so that ``except Exception`` in a polling loop does not swallow it.
    """


class TimeLimit:
    """A limit of *seconds* from now on.

    Args:
        seconds: the time; ``float("inf")`` is no limit.
        virtual_ns: returns the time of the virtual clock.
        is_real: True to count real seconds, because ``time.sleep`` takes real time.
        explain: returns the second part of the error's message.
    """

    def __init__(
        self,
        seconds: float,
        virtual_ns: Callable[[], int],
        *,
        is_real: bool,
        explain: Callable[[], str],
    ) -> None:
        self._seconds, self._is_real, self._explain = seconds, is_real, explain
        self._now_ns = time.monotonic_ns if is_real else virtual_ns
        self._end_ns = self._now_ns() + seconds * NS_PER_S
        self._is_paused = False

    def check(self) -> None:
        """Do nothing before the end of the time.

        Raises:
            TimeLimitError: the time is over.
        """
        __tracebackhide__ = True  # for pytest: the error is in the program, not here
        if self._is_paused or self._now_ns() <= self._end_ns:
            return
        self._end_ns = self._now_ns() + AGAIN_NS
        kind = "real" if self._is_real else "virtual"
        raise TimeLimitError(
            f"{self._seconds:g} {kind} seconds passed in this test, and it still waits. "
            f"{self._explain()}"
        )

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Leave out the time of a block."""
        was_paused, began_ns = self._is_paused, self._now_ns()
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = was_paused
            if not was_paused:
                self._end_ns += self._now_ns() - began_ns
