"""Presence: turns what each poll saw into what came and what went.

Room: firmware. Pure code; the moment of each poll is handed in.

Real readers miss reads. A tag that rests may be missed many times in a row without having moved,
so it is gone only after ``GONE_AFTER_POLLS`` polls in a row without it *and* ``GONE_AFTER_S``
seconds. A garbled poll says "something is still there", so the row begins anew. A resting tag
never arrives twice, and a flicker is no removal. What is first seen in the first ``FOUND_POLLS``
polls lay there before: one that flickers may well be missed in the very first.
"""

from dataclasses import dataclass

from firmware.events import Arrived, Gone
from hardware.ports import Sighting

# A card that flickers in three reads of ten is missed ten times in a row once in 170,000 polls
# (0.3 ** 10); nobody lifts a card and lays it down again within a sixth of a second.
GONE_AFTER_POLLS = 10
GONE_AFTER_S = 0.15
FOUND_POLLS = 5  # such a card is missed in all of them once in 400 starts


@dataclass(slots=True)
class _Resting:
    """A tag that is taken to lie there: when it last may have been seen, and misses since."""

    seen_s: float
    misses: int = 0


class Presence:
    """What lies on one spot. Its one owner is the loop; it is fed every poll of that spot."""

    def __init__(self, spot: str) -> None:
        self.spot = spot
        self._resting: dict[bytes, _Resting] = {}
        self._polls = 0  # that were not garbled

    @property
    def uids(self) -> tuple[bytes, ...]:
        """The tags taken to lie there, oldest first."""
        return tuple(self._resting)

    def see(self, sighting: Sighting, at_s: float) -> list[Arrived | Gone]:
        """Take one poll, made at *at_s*, and return what changed; what went comes first."""
        changes: list[Arrived | Gone] = []
        if sighting.is_garbled:
            self._resting = {uid: _Resting(at_s) for uid in self._resting}
        else:
            changes += self._missed(sighting, at_s)
        new = tuple(uid for uid in sighting.uids if uid not in self._resting)
        for uid in sighting.uids:
            self._resting[uid] = _Resting(at_s)
        if new:
            changes.append(Arrived(self.spot, new, was_found=self._polls < FOUND_POLLS))
        self._polls += not sighting.is_garbled
        return changes

    def _missed(self, sighting: Sighting, at_s: float) -> list[Arrived | Gone]:
        """Count a clean miss against each resting tag not seen; let go of those long missed."""
        gone: list[Arrived | Gone] = []
        for uid, tag in list(self._resting.items()):
            if uid in sighting.uids:
                continue
            tag.misses += 1
            if tag.misses >= GONE_AFTER_POLLS and at_s - tag.seen_s >= GONE_AFTER_S:
                del self._resting[uid]
                gone.append(Gone(self.spot, uid))
        return gone
