"""The vertical lanes of the wires between the header and the parts.

A wire leaves the header horizontally, runs up or down in its lane, and continues horizontally to
its parts. The number of crossings of two wires depends only on which of the two lanes is nearer to
the header. So the wires are put in order, and one wire at a time is moved as long as a move
reduces the number of crossings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

CLEAR = 8  # the smallest distance between wires that do not touch


@dataclass(frozen=True, slots=True)
class WireRun:
    """One wire: the y at which it leaves the header, and the y of each end at its parts."""

    header_y: float
    part_ys: tuple[float, ...]

    @property
    def ys(self) -> tuple[float, ...]:
        """Every y at which a horizontal stroke joins the lane."""
        return (self.header_y, *self.part_ys)

    @property
    def top(self) -> float:
        """The y of the lane's upper end."""
        return min(self.ys)

    @property
    def bottom(self) -> float:
        """The y of the lane's lower end."""
        return max(self.ys)

    def spans(self, y: float) -> bool:
        """Return True if a horizontal line at *y* would touch the lane."""
        return self.top - CLEAR < y < self.bottom + CLEAR

    def overlaps(self, other: "WireRun") -> bool:
        """Return True if this wire and *other* would touch in the same lane."""
        return self.top - CLEAR < other.bottom and other.top - CLEAR < self.bottom


def cost(inner: WireRun, outer: WireRun) -> int:
    """Return how often the wires cross if *inner*'s lane is nearer to the header than *outer*'s."""
    return inner.spans(outer.header_y) + sum(map(outer.spans, inner.part_ys))


def lanes(runs: Sequence[WireRun]) -> tuple[int, ...]:
    """Return the lane number of each of *runs*, from 0 next to the header.

    Wires that do not touch each other may get the same lane.
    """
    order = _order(runs)
    found: dict[int, int] = {}
    for place, run in enumerate(order):
        inner = [found[other] for other in order[:place] if runs[other].overlaps(runs[run])]
        found[run] = max(inner, default=-1) + 1
    return tuple(found[run] for run in range(len(runs)))


def _order(runs: Sequence[WireRun]) -> list[int]:
    """Return the indexes of *runs* in the order of their lanes, from the header outwards.

    Moving any one of them to another place in this order would not save a crossing.
    """
    order = list(range(len(runs)))
    costs = [[cost(inner, outer) for outer in runs] for inner in runs]
    has_moved = True
    while has_moved:
        has_moved = False
        for run in range(len(runs)):
            at = order.index(run)
            rest = order[:at] + order[at + 1 :]
            # The crossings with this wire at each position; a step outwards passes one other wire.
            here = sum(costs[run][other] for other in rest)
            by_place = [here]
            for other in rest:
                here += costs[other][run] - costs[run][other]
                by_place.append(here)
            best = min(by_place)
            if best < by_place[at]:
                rest.insert(by_place.index(best), run)
                order, has_moved = rest, True
    return order
