"""The edges of a pin, debounced as the kernel does it.

May import: the standard library and fakepi. Source: the Linux GPIO documentation: a level is
reported only after it was stable for the whole period.
"""

from collections.abc import Callable
from functools import partial

from fakepi.clock import VirtualClock
from fakepi.gpio import PiPin


class Edges:
    """The edges of *pin*. *tell* is called with each new level that was stable long enough.

    That time is ``debounce_ns()`` nanoseconds.

    Attributes:
        level: the level that was reported last.
    """

    def __init__(
        self,
        pin: PiPin,
        clock: VirtualClock,
        tell: Callable[[int], object],
        debounce_ns: Callable[[], int],
    ) -> None:
        self.level = pin.level
        self._pin, self._clock, self._tell = pin, clock, tell
        self._debounce_ns = debounce_ns
        self._changes = 0
        self._stop = pin.watch(self._notice)

    def end(self) -> None:
        """Stop calling *tell*, even for changes that have already happened."""
        self._changes += 1
        self._stop()

    def _notice(self, level: int) -> None:
        self._changes += 1
        debounce_ns = self._debounce_ns()
        if not debounce_ns:
            self._report(level)
            return
        settled = partial(self._settle, self._changes)
        self._clock.call_at(self._clock.now_ns + debounce_ns, settled)

    def _settle(self, changes: int) -> None:
        if changes == self._changes and self._pin.level != self.level:
            self._report(self._pin.level)

    def _report(self, level: int) -> None:
        self.level = level
        self._tell(level)
