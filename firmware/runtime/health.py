"""The health of parts: repairing a part that fails, and counting its faults and repairs.

``Health`` counts, and ``Ledger`` decides when the counts are written to the journal. Both are pure:
callers report each event together with its time.

A part is repaired in stages. First, the part's chip is set up again. If that fails, or the part
fails again within ``SETTLED_POLLS`` good polls, the part's reset wire is pulsed, if there is one.
If no remedy works, the part is offline. It is retried soon, and then every ``RETRY_S``. Repairs and
short offline times are only counted. People are told if a part has been offline for
``REPORT_AFTER_S``. One fault lasts from the first failure to the next good use, however many
remedies fail in between. So the counts of a part satisfy

    faults == re-init + reset-pulse + back + (1 while the part does not work)

where re-init and reset-pulse are repairs by the two remedies, and back is the number of times that
an offline part has worked again.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from hardware.errors import DisplayFault, HardwareFault, ReaderFault
from hardware.ports import Clock, PatientPolling, Sighting, TagReader

SETTLED_POLLS = 20  # a repair has lasted after this many good polls: 0.2 s with one reader
RETRY_S = 0.5  # time between two retries of an offline part
SOON_S = (0.02, 0.05, 0.1, 0.2)  # time before each of the first retries
REPORT_AFTER_S = 0.3  # people are told of a part only after it was offline for this long
# Every tenth retry pulses the reset wire. Other readers may share the wire; a pulse makes them lose
# their settings and a few milliseconds, so the other retries do without it.
PULSE_EVERY = 10
OFTEN, OFTEN_S = 3, 60.0  # a part repaired this many times within this many seconds is degraded

FAULTS = (*ReaderFault.KINDS, *DisplayFault.KINDS)
OFFLINE, BACK, DEGRADED = "offline", "back", "degraded"
POLLS, GARBLED = "polls", "garbled"

T = TypeVar("T")


class PartState(Enum):
    """The state of a part."""

    ONLINE = "online"
    DEGRADED = "degraded"  # it works, but needs frequent repairs
    OFFLINE = "offline"


class Remedy(Enum):
    """The remedies for a fault. Each value is also the name of a count of successful repairs."""

    RE_INIT = "re-init"
    RESET_PULSE = "reset-pulse"


RECOVERIES = (*(remedy.value for remedy in Remedy), BACK)


class Health:
    """The health of one part, and the counts of its faults and repairs.

    Args:
        part: the part's name, such as ``reader play`` or ``display``.
        has_reset_wire: True if the part can be reset by a pulse.
        settles_after: number of uses without a fault after which a repair counts as lasting.
    """

    def __init__(
        self, part: str, *, has_reset_wire: bool = False, settles_after: int = SETTLED_POLLS
    ) -> None:
        self.part = part
        self.counts: Counter[str] = Counter()  # by kind of fault, remedy, OFFLINE, BACK and so on
        self.remedy: Remedy | None = None  # to be tried before the next use
        self.is_offline = False
        self.fault: HardwareFault | None = None  # the newest fault
        self._remedies = tuple(Remedy) if has_reset_wire else (Remedy.RE_INIT,)
        self._settles_after = settles_after
        self._stage = 0  # number of remedies tried since a repair has lasted
        self._good = 0  # good uses since the last repair
        self._offline_s = 0.0  # time at which the part went offline
        self._retry_s = 0.0  # time of the next retry
        self._tries = 0  # retries since the part went offline
        self._repairs_s: deque[float] = deque(maxlen=OFTEN)

    def is_due(self, now_s: float) -> bool:
        """Return True if the part should be used now: it is online, or its next retry is due."""
        return not self.is_offline or now_s >= self._retry_s

    def is_reportable(self, now_s: float) -> bool:
        """Return True if the part has been offline for so long that people must be informed."""
        return self.is_offline and now_s - self._offline_s >= REPORT_AFTER_S

    def state(self, now_s: float) -> PartState:
        """Return the state of the part at *now_s*."""
        if self.is_offline:
            return PartState.OFFLINE
        return PartState.DEGRADED if self._needs_frequent_repair(now_s) else PartState.ONLINE

    def note_failure(self, fault: HardwareFault, now_s: float) -> None:
        """Note that a use or a remedy raised *fault*, and choose the next remedy."""
        was_working = self.remedy is None
        self.fault = fault
        if was_working:
            self.counts[fault.kind] += 1
        if self.is_offline:
            self._schedule_retry(now_s)
        elif was_working or self._stage < len(self._remedies):
            self.remedy = self._remedies[min(self._stage, len(self._remedies) - 1)]
            self._stage += 1
        else:
            self.is_offline, self._offline_s = True, now_s
            self.counts[OFFLINE] += 1
            self._tries = 0
            self._schedule_retry(now_s)

    def note_success(self, now_s: float) -> None:
        """Note a use without a fault. If a remedy was tried just before, count it as a repair."""
        if self.remedy is not None:
            self.counts[BACK if self.is_offline else self.remedy.value] += 1
            was_degraded = self._needs_frequent_repair(now_s)
            self._repairs_s.append(now_s)
            if self._needs_frequent_repair(now_s) and not was_degraded:
                self.counts[DEGRADED] += 1
            self.remedy, self.is_offline, self._good = None, False, 0
        self._good += 1
        if self._good >= self._settles_after:
            self._stage = 0

    def _needs_frequent_repair(self, now_s: float) -> bool:
        return len(self._repairs_s) == OFTEN and now_s - self._repairs_s[0] < OFTEN_S

    def _schedule_retry(self, now_s: float) -> None:
        wait_s = SOON_S[self._tries] if self._tries < len(SOON_S) else RETRY_S
        self._tries += 1
        self._retry_s = now_s + wait_s
        by_wire = self._tries % PULSE_EVERY == 0
        self.remedy = self._remedies[-1] if by_wire else Remedy.RE_INIT


def attempt(
    health: Health, use: Callable[[], T], restart: Callable[[bool], None], clock: Clock
) -> T | None:
    """Use a part, and repair it until the use succeeds or the part is offline.

    Args:
        health: the part's health. It must be time to use the part (``is_due``).
        use: a function that uses the part; it raises HardwareFault if the part fails.
        restart: sets the part up again, after a reset pulse if its argument is True.
        clock: gives the time of each event.

    Returns:
        The result of *use*; None if the part is offline.
    """
    while True:
        try:
            if health.remedy is not None:
                restart(health.remedy is Remedy.RESET_PULSE)
            result = use()
        except HardwareFault as fault:
            health.note_failure(fault, clock.now())
            if health.is_offline:
                return None
        else:
            health.note_success(clock.now())
            return result


def poll(
    health: Health, reader: TagReader, clock: Clock, *, is_patient: bool = False
) -> Sighting | None:
    """Poll *reader*, and repair it if needed; return None if it is offline.

    If *is_patient*, give the tags as long to wake up as the slowest tags need, if the reader can.
    """
    use = reader.poll
    if is_patient and isinstance(reader, PatientPolling):
        use = reader.poll_patiently
    sighting = attempt(health, use, lambda by_wire: reader.restart(by_wire=by_wire), clock)
    if sighting is not None:
        health.counts[POLLS] += 1
        if sighting.is_garbled:
            health.counts[GARBLED] += 1
    return sighting


# --- counts for the journal ----------------------------------------------------------------------

NEWS = (OFFLINE, BACK, DEGRADED)  # counts that are written within NEWS_EVERY_S
NEWS_EVERY_S = 10.0  # at most one write in this time, to spare the memory card
COUNTS_EVERY_S = 60.0  # at most one write in this time if only other counts have changed


@dataclass
class Ledger:
    """The counts of one part in the journal, and the time of the last attempt to write them."""

    health: Health
    _written: Counter[str] = field(default_factory=Counter)
    _attempt_s: float = float("-inf")  # time of the last attempt to write

    @property
    def unwritten(self) -> Mapping[str, int]:
        """The counts that are not in the journal yet."""
        return self.health.counts - self._written

    def is_due(self, now_s: float) -> bool:
        """Return True if the unwritten counts should be written now.

        If only polls were counted, nothing is due. A failed write does not make the next one due
        earlier, because a full disk may stay full for a while.
        """
        age_s = now_s - self._attempt_s
        if age_s < NEWS_EVERY_S:
            return False
        unwritten = self.unwritten
        if any(kind in unwritten for kind in NEWS):
            return True
        return age_s >= COUNTS_EVERY_S and any(kind != POLLS for kind in unwritten)

    def note_attempt(self, now_s: float) -> None:
        """Note an attempt to write the counts to the journal. The attempt may have failed."""
        self._attempt_s = now_s

    def note_written(self, counts: Mapping[str, int]) -> None:
        """Note that *counts* are on disk."""
        self._written.update(counts)
