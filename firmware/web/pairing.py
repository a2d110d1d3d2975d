"""Pairing: checks the codes with which pages on other computers ask to join, and limits guessing.

This module does no I/O. The caller supplies the clock. After a wrong code, the address that sent it
must wait, twice as long each time. Codes that it sends during the wait are ignored, so opening more
pages does not allow more guesses. Many addresses share one limit: after ``MOST_WRONG`` wrong codes
in an hour, someone must press OK at the mat to let in each new page.
"""

import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from time import monotonic

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 600.0
MOST_WRONG, WITHIN_S = 20, 3600.0
WRONG_PER_CODE = 5  # after this many wrong guesses the code changes
MOST_ADDRESSES = 1000  # with a wait in memory; the oldest is dropped first


class PairingResult(Enum):
    """The result of checking a code that a page sent."""

    RIGHT = "right"
    ASK = "ask"  # right, but someone at the mat must also press OK
    WRONG = "wrong"
    TOO_SOON = "too soon"  # sent during the wait, so not checked


@dataclass(frozen=True, slots=True)
class _Wait:
    """The wait of an address after its last wrong code: its length and its end, in seconds."""

    wait_s: float
    until_s: float


class PairingGuard:
    """The current pairing code, and the wrong guesses of each address."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.code = new_code()
        self._clock = clock
        self._waits: OrderedDict[str, _Wait] = OrderedDict()
        self._wrong_s: deque[float] = deque(
            maxlen=MOST_WRONG
        )  # times of the last wrong codes, all addresses
        self._wrong = 0  # wrong guesses of the current code

    @property
    def is_guarded(self) -> bool:
        """True if someone must press OK at the mat to let in a new page."""
        is_full = len(self._wrong_s) == MOST_WRONG
        return is_full and self._clock() - self._wrong_s[0] < WITHIN_S

    def wait_s(self, address: str) -> float:
        """Return the number of seconds for which codes from *address* are still ignored."""
        wait = self._waits.get(address)
        return 0.0 if wait is None else max(0.0, wait.until_s - self._clock())

    def check(self, address: str, code: str) -> PairingResult:
        """Check a *code* that *address* sent, and count it if it is wrong.

        The display shows it in two groups, so it may have spaces.
        """
        if self.wait_s(address) > 0:
            return PairingResult.TOO_SOON
        digits = "".join(code.split())
        if secrets.compare_digest(digits.encode(errors="replace"), self.code.encode()):
            self._waits.pop(address, None)
            return PairingResult.ASK if self.is_guarded else PairingResult.RIGHT
        self._note_wrong(address)
        return PairingResult.WRONG

    def _note_wrong(self, address: str) -> None:
        now_s = self._clock()
        before = self._waits.pop(address, None)
        wait_s = FIRST_WAIT_S
        if before is not None and now_s - before.until_s < WITHIN_S:
            wait_s = min(before.wait_s * 2, LONGEST_WAIT_S)
        self._waits[address] = _Wait(wait_s, now_s + wait_s)
        if len(self._waits) > MOST_ADDRESSES:
            self._waits.popitem(last=False)
        self._wrong_s.append(now_s)
        self._wrong += 1
        if self._wrong >= WRONG_PER_CODE:
            self.code, self._wrong = new_code(), 0


def new_code() -> str:
    """Return a pairing code of six digits."""
    return f"{secrets.randbelow(1_000_000):06}"
