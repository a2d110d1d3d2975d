"""The time of emulated chips behind device nodes: it follows the computer's clock.

May import: the standard library and fakepi.
"""

import time

from fakepi.clock import NS_PER_S, VirtualClock


class FollowingClock(VirtualClock):
    """A virtual clock that catches up with the computer's monotonic clock.

    It runs ahead for a moment after a transfer that takes longer on real wires than in this
    emulation. It then stands still until the computer's clock has passed it, and never goes back.
    """

    def __init__(self) -> None:
        super().__init__()
        self._began_ns = time.monotonic_ns()

    def catch_up(self) -> None:
        """Advance to now, and make the calls that are due."""
        behind_ns = time.monotonic_ns() - self._began_ns - self.now_ns
        if behind_ns > 0:
            self.advance_ns(behind_ns)

    @property
    def next_call_s(self) -> float | None:
        """The seconds until a scheduled call is due, 0 if it is late; None if none is."""
        if not self._due:
            return None
        passed_ns = time.monotonic_ns() - self._began_ns
        return max(self._due[0][0] - passed_ns, 0) / NS_PER_S
