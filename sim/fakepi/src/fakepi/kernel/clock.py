"""The time of emulated chips behind device nodes: it follows the computer's clock.

May import: the standard library and fakepi.
"""

import time
from typing import Protocol

from fakepi.clock import NS_PER_S, VirtualClock


class ComputerTime(Protocol):
    """The clock of a computer. The module ``time`` is one."""

    def monotonic_ns(self) -> int:
        """Return the nanoseconds since a fixed moment."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Wait for at least *seconds*."""
        ...


class FollowingClock(VirtualClock):
    """A virtual clock that catches up with the computer's monotonic clock.

    It never runs ahead: if a transfer takes longer on real wires than in this emulation,
    ``advance_ns`` sleeps for the rest. Otherwise the chips would stand still until the computer's
    clock has caught up, and a driver that gives a chip a few milliseconds would find it stuck.
    """

    def __init__(self, computer: ComputerTime = time) -> None:
        super().__init__()
        self._computer = computer
        self._began_ns = computer.monotonic_ns()

    def advance_ns(self, ns: int) -> None:
        """Let *ns* nanoseconds pass here and on the computer's clock, and make due calls."""
        super().advance_ns(ns)
        ahead_ns = self.now_ns - self._passed_ns
        if ahead_ns > 0:
            self._computer.sleep(ahead_ns / NS_PER_S)

    def catch_up(self) -> None:
        """Advance to now, and make the calls that are due."""
        behind_ns = self._passed_ns - self.now_ns
        if behind_ns > 0:
            self.advance_ns(behind_ns)

    @property
    def next_call_s(self) -> float | None:
        """The seconds until the next scheduled call is due, 0 if late; None if there is none."""
        if not self._due:
            return None
        return max(self._due[0][0] - self._passed_ns, 0) / NS_PER_S

    @property
    def _passed_ns(self) -> int:
        return self._computer.monotonic_ns() - self._began_ns
