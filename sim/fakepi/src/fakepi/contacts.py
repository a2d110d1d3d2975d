"""Contacts that bounce: buttons and rotary encoders, as edges on wires.

When a contact closes or opens, it bounces: the level of its wire changes several times before it is
stable. The number and the times of the changes are drawn at random from a seed. The wires are
pulled up, so a closed contact is level 0.

May import: the standard library and fakepi.
Source: Omron B3F data sheet (tactile switches), bounce time 5 ms at most; Alps EC11 data sheet
(rotary encoders), chattering 3 ms at most, 20 detents and 20 pulses a turn; J. Ganssle, "A guide to
debouncing" (2004), which measured 1.6 ms on average and up to some tens of edges.

Simplified: the lengths of the bounces are uniformly distributed.
"""

from collections.abc import Callable
from functools import partial
from random import Random

from fakepi.clock import VirtualClock

BUTTON_BOUNCE_NS = 5_000_000
ENCODER_BOUNCE_NS = 3_000_000
MOST_BOUNCES = 10
DETENT_NS = 50_000_000  # one turn a second
# The levels of A and B in the four steps of a pulse, clockwise: A leads.
QUADRATURE = ((1, 1), (0, 1), (0, 0), (1, 0))

Wire = Callable[[float], None]


class BouncyContact:
    """A contact between a wire and GND, for example of a button.

    Args:
        clock: the clock of the bounces.
        wire: called with each new level of the wire, 0 or 1.
        chance: draws the bounces.
        bounce_ns: the longest time that the contact bounces, in ns; 0 for one that does not bounce.
    """

    def __init__(
        self,
        clock: VirtualClock,
        wire: Wire,
        chance: Random,
        *,
        bounce_ns: int = BUTTON_BOUNCE_NS,
    ) -> None:
        self._clock = clock
        self._wire = wire
        self._chance = chance
        self._bounce_ns = bounce_ns
        self._moves = 0
        self.is_closed = False

    def press(self) -> None:
        """Close the contact. It bounces while the clock advances."""
        self.move(is_closed=True)

    def release(self) -> None:
        """Open the contact. It bounces while the clock advances."""
        self.move(is_closed=False)

    def move(self, *, is_closed: bool) -> None:
        """Close or open the contact. Bounces of an earlier move end."""
        if is_closed == self.is_closed:
            return
        self.is_closed = is_closed
        self._moves += 1
        self._wire(not is_closed)
        if not self._bounce_ns:
            return
        now_ns, chance = self._clock.now_ns, self._chance
        lasts_ns = chance.randrange(1, self._bounce_ns + 1)
        bounces = chance.randrange(MOST_BOUNCES + 1)
        edges = sorted(chance.randrange(lasts_ns) for _ in range(2 * bounces))
        for number, offset_ns in enumerate(edges):
            level = is_closed ^ bool(number % 2)
            self._clock.call_at(now_ns + 1 + offset_ns, partial(self._bounce, self._moves, level))

    def _bounce(self, move: int, level: bool) -> None:
        if move == self._moves:
            self._wire(level)


class BouncyEncoder:
    """A rotary encoder with two contacts, A and B, that both rest open.

    Args:
        clock: the clock of the turns and bounces.
        wire_a: called with each new level of contact A, 0 or 1.
        wire_b: called with each new level of contact B, 0 or 1.
        chance: draws the bounces.
        bounce_ns: the longest time that a contact bounces, in ns.
        detent_ns: the time from one detent to the next, in ns.
        steps_per_detent: 4 if each detent is a whole pulse, 2 if it is half of one.
    """

    def __init__(
        self,
        clock: VirtualClock,
        wire_a: Wire,
        wire_b: Wire,
        chance: Random,
        *,
        bounce_ns: int = ENCODER_BOUNCE_NS,
        detent_ns: int = DETENT_NS,
        steps_per_detent: int = 4,
    ) -> None:
        self._clock = clock
        self._a = BouncyContact(clock, wire_a, chance, bounce_ns=bounce_ns)
        self._b = BouncyContact(clock, wire_b, chance, bounce_ns=bounce_ns)
        self._step_ns = detent_ns // steps_per_detent
        self._steps_per_detent = steps_per_detent
        self._step = 0  # since the start, clockwise
        self._free_ns = 0  # when the turns so far are over

    def turn(self, detents: int) -> int:
        """Turn by *detents*, clockwise if above 0. The turn begins when previous turns have ended.

        Return the time at which the turn ends, in ns.
        """
        at_ns = max(self._clock.now_ns, self._free_ns)
        direction = 1 if detents > 0 else -1
        for _ in range(abs(detents) * self._steps_per_detent):
            at_ns += self._step_ns
            self._clock.call_at(at_ns, partial(self._go, direction))
        self._free_ns = at_ns
        return at_ns

    def _go(self, direction: int) -> None:
        self._step += direction
        level_a, level_b = QUADRATURE[self._step % len(QUADRATURE)]
        self._a.move(is_closed=not level_a)
        self._b.move(is_closed=not level_b)
