"""A computer whose time passes only as a test says."""

from fakepi.clock import NS_PER_S


class CountedTime:
    """Time that passes only while somebody sleeps, or when a test adds to ``now_ns``.

    It is a ``fakepi.kernel.clock.ComputerTime``, and the clock of a driver on the same computer.
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self.slept_ns = 0

    def monotonic_ns(self) -> int:
        """Return ``now_ns``."""
        return self.now_ns

    def now(self) -> float:
        """Return the same in seconds."""
        return self.now_ns / NS_PER_S

    def sleep(self, seconds: float, /) -> None:
        """Let *seconds* pass; do nothing if zero or less."""
        ns = max(round(seconds * NS_PER_S), 0)
        self.now_ns += ns
        self.slept_ns += ns
