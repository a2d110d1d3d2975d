"""The time that a computer's own work takes: transfers from Python, late sleeps, GPIO edges.

May import: the standard library.

If a `VirtualClock` has a `LinuxHost`, every `SpiDevice`, every ``sleep()`` and every chip select by
GPIO on that clock takes as long as on that computer. A clock without a host is exact: a transfer
takes the time of its parameter, sleeps end on time, and GPIO edges take no time.

Only one figure was measured, and by others: a transfer on a Pi 5 takes 21.6 us with kernel 6.6.31
and 24.3 us with 6.12.25 on average (raspberrypi/linux#6854). A sleep of a normal Linux thread ends
50 us late by default (its timer slack, prctl(2)); the time to wake up comes on top and is assumed.
All other times are assumed, and will be replaced when somebody measures them.
"""

import math
from dataclasses import dataclass
from random import Random

TIMER_SLACK_NS = 50_000  # the default of a thread that is not real-time. prctl(2)


@dataclass(frozen=True, slots=True)
class HostProfile:
    """The times that one computer's own work takes, in nanoseconds.

    ``PI_5``, ``PI_3`` and ``PI_ZERO_2`` are such profiles. One figure is measured, by others: a
    transfer on a Pi 5. All others are assumed.

    Args:
        name: the computer.
        transfer_ns: the median time of the kernel and Python for one SPI transfer.
        late_ns: the median time by which a sleep ends late.
        edge_ns: the median time to set a GPIO from Python.
        spread: the standard deviation of the logarithm of each of these times.
        held_up: the share of transfers and sleeps in which another program gets the core.
        held_up_ns: the longest time for which that program keeps the core; all shorter times are
            equally likely.
    """

    name: str
    transfer_ns: int
    late_ns: int
    edge_ns: int
    spread: float = 0.2
    held_up: float = 0.001
    held_up_ns: int = 2_000_000


PI_5 = HostProfile("Pi 5", transfer_ns=22_000, late_ns=TIMER_SLACK_NS + 10_000, edge_ns=10_000)
PI_3 = HostProfile("Pi 3", transfer_ns=50_000, late_ns=TIMER_SLACK_NS + 30_000, edge_ns=40_000)
PI_ZERO_2 = HostProfile(
    "Pi Zero 2", transfer_ns=80_000, late_ns=TIMER_SLACK_NS + 40_000, edge_ns=80_000
)
PROFILES = (PI_5, PI_3, PI_ZERO_2)


class LinuxHost:
    """A computer of *profile*, whose jitter is drawn from *seed*."""

    def __init__(self, profile: HostProfile, seed: int | str = 1) -> None:
        self.profile = profile
        self._chance = Random(f"{seed}/{profile.name}")

    def transfer_ns(self) -> int:
        """Return the overhead of the next SPI transfer, in ns."""
        return self._spread(self.profile.transfer_ns) + self._held_up_ns()

    def late_ns(self) -> int:
        """Return the time by which the next sleep ends late, in ns."""
        return self._spread(self.profile.late_ns) + self._held_up_ns()

    def edge_ns(self) -> int:
        """Return the time that the next change of a GPIO takes, in ns."""
        return self._spread(self.profile.edge_ns)

    def _spread(self, median_ns: int) -> int:
        return round(median_ns * math.exp(self._chance.gauss(0.0, self.profile.spread)))

    def _held_up_ns(self) -> int:
        if self._chance.random() >= self.profile.held_up:
            return 0
        return self._chance.randint(0, self.profile.held_up_ns)
