"""An emulated button's contact, which grounds its pin, and can bounce or stick."""

from functools import partial
from typing import Any

from fakepi.clock import VirtualClock

# The times after its first edge at which a worn contact opens or closes again.
BOUNCES_NS = (300_000, 900_000, 1_700_000, 3_100_000, 4_200_000, 5_000_000)


class Contact:
    """The contact of a button on pin GPIO *number*. If it sticks, a power cut does not free it."""

    def __init__(self, clock: VirtualClock, number: int) -> None:
        self.number = number
        self.bounces = False
        self._clock = clock
        self._pin: Any = None  # gpiozero has no type hints
        self._is_held = self._is_stuck = False
        self._moves = 0

    def solder(self, pin: Any) -> None:
        """Connect the contact to a *pin* of a newly started computer."""
        self._pin = pin
        self._is_held = False
        self._moves += 1
        if self._is_stuck:
            self._set(True, self._moves)

    def press(self) -> None:
        """Press the button."""
        self._is_held = True
        self._move()

    def release(self) -> None:
        """Release the button."""
        self._is_held = False
        self._move()

    def stick(self, is_stuck: bool) -> None:
        """Close the contact permanently, or free it again."""
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
        """Close or open the contact, unless people have moved it since the move with number *move*.

        A later move cancels the bounces of an earlier one.
        """
        if move == self._moves:
            self._pin.ground(is_closed)
