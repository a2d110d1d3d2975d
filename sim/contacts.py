"""The contacts of an emulated button: closed, they pull its pin to ground; they bounce, and stick.

Room: sim.
"""

from functools import partial
from typing import Any

from sim.chips.clock import VirtualClock

# When a contact that bounces opens and closes again, from its first edge: a worn tact switch does
# so for some milliseconds.
BOUNCES_NS = (300_000, 900_000, 1_700_000, 3_100_000, 4_200_000, 5_000_000)


class Contact:
    """One button on pin *number*. What is wrong with it outlasts the plug; a finger does not."""

    def __init__(self, clock: VirtualClock, number: int) -> None:
        self.number = number
        self.bounces = False
        self._clock = clock
        self._pin: Any = None  # gpiozero has no type hints
        self._is_held = self._is_stuck = False
        self._moves = 0

    def solder(self, pin: Any) -> None:
        """Connect it to the pin of a computer that is switched on."""
        self._pin = pin
        self._is_held = False
        self._moves += 1
        if self._is_stuck:
            self._set(True, self._moves)

    def press(self) -> None:
        """A finger presses it."""
        self._is_held = True
        self._move()

    def release(self) -> None:
        """The finger lets go."""
        self._is_held = False
        self._move()

    def stick(self, is_stuck: bool) -> None:
        """Keep it down whatever the finger does, or let it go."""
        self._is_stuck = is_stuck
        self._move()

    def _move(self) -> None:
        is_closed = self._is_held or self._is_stuck
        if is_closed is self._pin.is_grounded:
            return
        self._moves += 1
        self._set(is_closed, self._moves)
        if self.bounces:
            for number, after_ns in enumerate(BOUNCES_NS):
                closes = is_closed if number % 2 else not is_closed
                moved = partial(self._set, closes, self._moves)
                self._clock.call_at(self._clock.now_ns + after_ns, moved)

    def _set(self, is_closed: bool, move: int) -> None:
        """Close or open it, unless it was moved again since *move*."""
        if move == self._moves:
            self._pin.is_grounded = is_closed
            (self._pin.drive_low if is_closed else self._pin.drive_high)()
