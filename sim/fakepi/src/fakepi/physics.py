"""The physics of a field: when tags wake, how long they keep their state, how strong they answer.

May import: the standard library and fakepi.
Source: ISO/IEC 14443-3, 5.1 (5.2.4 in the edition of 2018): tags must be ready 5 ms after the field
comes on, and have lost their state 5 ms after it goes off. The standard sets limits, but no
distribution.

By default, `RfField` uses `HonestPhysics`: tags differ at random, from a seed. `ExactPhysics` gives
every tag the same times and the same coupling, for tests that count nanoseconds and for recordings
that must repeat.

*Coupling* is the part of the field that reaches a tag, from 0 to 1. A good tag flat on the antenna
has a coupling of 1.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Protocol
from weakref import WeakKeyDictionary

from fakepi.picc import Picc

POWER_UP_NS = 1_000_000  # of `ExactPhysics`; other drivers wait about as long
MOST_NS = 5_000_000  # 14443-3, 5.1: for waking and for holding out

# Assumed, because no measurement was found: half of the tags on a bare antenna wake within 0.6 ms,
# four in five within 1 ms, and one in fifty needs more than 2 ms.
MEDIAN_WAKE_NS, WAKE_SPREAD, LEAST_WAKE_NS = 600_000, 0.6, 200_000
LEAST_COUPLING = 0.05  # assumed: below this, a tag gets too little power to wake
CAPTURE = 0.5  # assumed: an answer below this share of the strongest one is lost
STACKED = 0.85  # assumed: the share of the coupling that each tag below leaves to those above
# Assumed: an answer is missed with this probability, times 1 / coupling ** 2 - 1. That is 0.2 % at
# a coupling of 0.7, 2 % at 0.3, and 20 % at 0.1.
MISS_RATE = 0.002
ANTENNA_RADIUS_MM = 20.0  # of the usual RC522 board's loop


class Physics(Protocol):
    """The behaviour of tags in a field."""

    @property
    def capture(self) -> float:
        """The limit below which an answer is lost, as a share of the strongest one's coupling.

        The reader then receives only the stronger answers. 0 means that no answer is lost.
        """
        ...

    def coupling(self, strength: float, height: int) -> float:
        """Return the coupling of a tag of *strength* that has *height* tags below it."""
        ...

    def wake_ns(self, picc: Picc, coupling: float) -> int | None:
        """Return the time that *picc* takes to wake, in ns; None if it gets too little power."""
        ...

    def hold_ns(self, picc: Picc) -> int:
        """Return the time for which *picc* keeps its state without a field, in ns."""
        ...

    def misses(self, coupling: float) -> bool:
        """Return True if the reader misses this answer of a tag."""
        ...


@dataclass(frozen=True, slots=True)
class ExactPhysics:
    """Every tag wakes after *power_up_ns* and survives *power_down_ns* without a field.

    A tag's coupling is its strength, even on top of a stack. If *capture* is 0, a strong answer
    does not hide a weak one.
    """

    power_up_ns: int = POWER_UP_NS
    power_down_ns: int = 0
    capture: float = 0.0

    def coupling(self, strength: float, height: int) -> float:
        """Return *strength*."""
        return strength

    def wake_ns(self, picc: Picc, coupling: float) -> int:
        """Return ``power_up_ns``."""
        return self.power_up_ns

    def hold_ns(self, picc: Picc) -> int:
        """Return ``power_down_ns``."""
        return self.power_down_ns

    def misses(self, coupling: float) -> bool:
        """Return False: no answer is lost."""
        return False


class HonestPhysics:
    """Tags that differ from each other like real tags.

    A tag's times depend only on *seed* and its UID, so a slow tag is slow in every field. A tag
    takes longer if less of the field reaches it.
    """

    capture = CAPTURE

    def __init__(self, seed: int | str = 1) -> None:
        self._seed = seed
        self._chance = Random(f"{seed}/misses")
        self._times: WeakKeyDictionary[Picc, tuple[float, int]] = WeakKeyDictionary()

    def coupling(self, strength: float, height: int) -> float:
        """Return the coupling of a tag of *strength* with *height* tags below it."""
        return float(strength * STACKED**height)

    def wake_ns(self, picc: Picc, coupling: float) -> int | None:
        """Return the time to wake in ns, 0.2 to 5 ms; None if the coupling is too low."""
        if coupling < LEAST_COUPLING:
            return None
        wake_ns, _ = self._times_of(picc)
        return round(min(wake_ns / coupling, MOST_NS))

    def hold_ns(self, picc: Picc) -> int:
        """Return the time without a field that the tag survives, 0 to 5 ms, in ns."""
        return self._times_of(picc)[1]

    def misses(self, coupling: float) -> bool:
        """Decide at random if the reader misses an answer of a tag with *coupling*.

        The probability is 0 at a coupling of 1, and rises as the coupling falls (see
        ``MISS_RATE``).
        """
        return coupling < 1 and self._chance.random() < MISS_RATE * (coupling**-2 - 1)

    def _times_of(self, picc: Picc) -> tuple[float, int]:
        times = self._times.get(picc)
        if times is None:
            chance = Random(f"{self._seed}/{picc.uid.hex()}")
            wake_ns = MEDIAN_WAKE_NS * math.exp(chance.gauss(0.0, WAKE_SPREAD))
            times = max(wake_ns, LEAST_WAKE_NS), chance.randint(0, MOST_NS)
            self._times[picc] = times
        return times


def coupling_at(distance_mm: float, radius_mm: float = ANTENNA_RADIUS_MM) -> float:
    """Return the strength of a tag at *distance_mm* from the middle of a loop of *radius_mm*.

    It falls as the field on the axis of a circular loop does: 1 at the loop, 0.35 one radius away,
    and 0.03 three radii away. Use it for a tag held above a reader, and as an estimate for the tag
    on a neighbour's reader.

    Raises:
        ValueError: the distance is negative.
    """
    if distance_mm < 0:
        raise ValueError(f"a distance cannot be negative ({distance_mm} mm)")
    return float((1 + (distance_mm / radius_mm) ** 2) ** -1.5)
