"""Health: whether a part works, what is tried when it does not, and what is counted meanwhile.

Room: firmware. ``Health`` and ``Ledger`` are pure: what happened is told to them, with its moment.

A fault is mended in stages: the chip is set up again; where that does not help, or did not last
for ``SETTLED_POLLS`` good polls, its reset wire is pulsed, if it has one. A part that no remedy
helps is offline and tried again soon, and then every ``RETRY_S``. What is mended is nobody's
business, nor is a part that is offline for a moment: it is counted; people are told of what stays
away for ``LOST_S``. A fault is one from the first failure to the next good use, however many
remedies failed in between, so

    faults == re-init + reset-pulse + back + (1 while the part does not work)
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from hardware.errors import DisplayFault, HardwareFault, ReaderFault
from hardware.ports import Clock, Sighting, TagReader

SETTLED_POLLS = 20  # good polls after which a remedy has helped: a fifth of a second, one reader
RETRY_S = 0.5  # between two tries to bring an offline part back
SOON_S = (0.02, 0.05, 0.1, 0.2)  # before that: a wire that was touched is back in a moment
LOST_S = 0.3  # offline for so long is worth people's attention
# Every so manyth of those tries pulses the reset wire. Not each: the wire may be shared, and a
# pulse costs the readers beside it their settings and a few milliseconds.
PULSE_EVERY = 10
OFTEN, OFTEN_S = 3, 60.0  # a part mended so many times in so many seconds is degraded

FAULTS = (*ReaderFault.KINDS, *DisplayFault.KINDS)
OFFLINE, BACK, DEGRADED = "offline", "back", "degraded"
POLLS, GARBLED = "polls", "garbled"

T = TypeVar("T")


class State(Enum):
    """How a part does."""

    ONLINE = "online"
    DEGRADED = "degraded"  # it works, but has to be mended again and again
    OFFLINE = "offline"


class Remedy(Enum):
    """What is tried, and what is counted when it has helped."""

    RE_INIT = "re-init"
    RESET_PULSE = "reset-pulse"


RECOVERIES = (*(remedy.value for remedy in Remedy), BACK)


class Health:
    """The health of one *part* (``reader play``, ``display``).

    Args:
        part: its name.
        has_reset_wire: whether a reset pulse is among its remedies.
        settles_after: good uses after which the next fault is met with the first remedy again.
    """

    def __init__(
        self, part: str, *, has_reset_wire: bool = False, settles_after: int = SETTLED_POLLS
    ) -> None:
        self.part = part
        self.counts: Counter[str] = Counter()  # by kind of fault, by remedy, and those named above
        self.remedy: Remedy | None = None  # what the part needs before it is used again
        self.is_offline = False
        self.fault: HardwareFault | None = None  # the last one
        self._remedies = tuple(Remedy) if has_reset_wire else (Remedy.RE_INIT,)
        self._settles_after = settles_after
        self._stage = 0  # how many of the remedies are used up
        self._good = 0  # uses that went well since the last remedy
        self._offline_s = 0.0  # when it went offline
        self._retry_s = 0.0
        self._tries = 0  # since then
        self._mended_s: deque[float] = deque(maxlen=OFTEN)

    def is_due(self, now_s: float) -> bool:
        """Whether the part is to be used now: an offline one only when it is to be tried."""
        return not self.is_offline or now_s >= self._retry_s

    def is_lost(self, now_s: float) -> bool:
        """Whether it has been offline for so long that people should look."""
        return self.is_offline and now_s - self._offline_s >= LOST_S

    def state(self, now_s: float) -> State:
        """How the part does."""
        if self.is_offline:
            return State.OFFLINE
        return State.DEGRADED if self._is_mended_often(now_s) else State.ONLINE

    def failed(self, fault: HardwareFault, now_s: float) -> None:
        """Note that a use or a remedy ended in *fault*, and choose what comes next."""
        was_working = self.remedy is None
        self.fault = fault
        if was_working:
            self.counts[fault.kind] += 1
        if self.is_offline:
            self._try_later(now_s)
        elif was_working or self._stage < len(self._remedies):
            self.remedy = self._remedies[min(self._stage, len(self._remedies) - 1)]
            self._stage += 1
        else:
            self.is_offline, self._offline_s = True, now_s
            self.counts[OFFLINE] += 1
            self._tries = 0
            self._try_later(now_s)

    def worked(self, now_s: float) -> None:
        """Note that a use went well; if a remedy came before it, that has helped."""
        if self.remedy is not None:
            self.counts[BACK if self.is_offline else self.remedy.value] += 1
            was_often = self._is_mended_often(now_s)
            self._mended_s.append(now_s)
            if self._is_mended_often(now_s) and not was_often:
                self.counts[DEGRADED] += 1
            self.remedy, self.is_offline, self._good = None, False, 0
        self._good += 1
        if self._good >= self._settles_after:
            self._stage = 0

    def _is_mended_often(self, now_s: float) -> bool:
        return len(self._mended_s) == OFTEN and now_s - self._mended_s[0] < OFTEN_S

    def _try_later(self, now_s: float) -> None:
        wait_s = SOON_S[self._tries] if self._tries < len(SOON_S) else RETRY_S
        self._tries += 1
        self._retry_s = now_s + wait_s
        by_wire = self._tries % PULSE_EVERY == 0
        self.remedy = self._remedies[-1] if by_wire else Remedy.RE_INIT


def attempt(
    health: Health, use: Callable[[], T], restart: Callable[[bool], None], clock: Clock
) -> T | None:
    """Use a part, and mend it until that goes well or it is offline.

    Args:
        health: the part's, which is due.
        use: what is to be done with it.
        restart: sets the part up again, by its reset wire or not.
        clock: tells the moments.

    Returns:
        What *use* gave; None when the part is offline.
    """
    while True:
        try:
            if health.remedy is not None:
                restart(health.remedy is Remedy.RESET_PULSE)
            given = use()
        except HardwareFault as fault:
            health.failed(fault, clock.now())
            if health.is_offline:
                return None
        else:
            health.worked(clock.now())
            return given


def poll(health: Health, reader: TagReader, clock: Clock) -> Sighting | None:
    """Poll *reader*, mending it as far as that goes; None when it is offline."""
    sighting = attempt(health, reader.poll, lambda by_wire: reader.restart(by_wire=by_wire), clock)
    if sighting is not None:
        health.counts[POLLS] += 1
        if sighting.is_garbled:
            health.counts[GARBLED] += 1
    return sighting


# --- what the journal gets -----------------------------------------------------------------------

NEWS = (OFFLINE, BACK, DEGRADED)
NEWS_EVERY_S = 10.0  # a part that comes and goes all the time must not wear out a memory card
COUNTS_EVERY_S = 60.0


@dataclass
class Ledger:
    """What the journal has of one part's counts, and when it is to get what came since."""

    health: Health
    _noted: Counter[str] = field(default_factory=Counter)
    _tried_s: float = float("-inf")

    @property
    def fresh(self) -> Mapping[str, int]:
        """The counts that the journal lacks."""
        return self.health.counts - self._noted

    def is_due(self, now_s: float) -> bool:
        """Whether they are to be written now: news soon, other counts at times, polls by the way.

        Also after a try that failed: the disk may be full for a while.
        """
        age_s = now_s - self._tried_s
        if age_s < NEWS_EVERY_S:
            return False
        fresh = self.fresh
        if any(kind in fresh for kind in NEWS):
            return True
        return age_s >= COUNTS_EVERY_S and any(kind != POLLS for kind in fresh)

    def tried(self, now_s: float) -> None:
        """Note that they were handed to the journal, which may have failed."""
        self._tried_s = now_s

    def noted(self, counts: Mapping[str, int]) -> None:
        """Note that *counts* are on disk."""
        self._noted.update(counts)
