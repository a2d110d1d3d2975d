"""Which upright lane each wire takes between the header and the parts, so that few wires cross.

Room: firmware. Pure. A wire leaves the header level, runs up or down in its lane, and goes on level
to its parts. How often two wires cross hangs only on which of their lanes is nearer to the header,
so an order of all lanes is sought: moves of one lane at a time, as long as one of them helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

CLEAR = 8  # wires nearer to each other than this touch


@dataclass(frozen=True, slots=True)
class Run:
    """One wire from the header to its parts: the heights at which it leaves and arrives."""

    header_y: float
    part_ys: tuple[float, ...]

    @property
    def ys(self) -> tuple[float, ...]:
        """Every height at which something joins its lane."""
        return (self.header_y, *self.part_ys)

    @property
    def top(self) -> float:
        """Where its lane begins."""
        return min(self.ys)

    @property
    def bottom(self) -> float:
        """Where its lane ends."""
        return max(self.ys)

    def spans(self, y: float) -> bool:
        """Whether something level at *y* would touch its lane."""
        return self.top - CLEAR < y < self.bottom + CLEAR

    def overlaps(self, other: "Run") -> bool:
        """Whether the two could not be in one lane."""
        return self.top - CLEAR < other.bottom and other.top - CLEAR < self.bottom


def cost(inner: Run, outer: Run) -> int:
    """How often the two cross when the lane of *inner* is the one nearer to the header."""
    return inner.spans(outer.header_y) + sum(map(outer.spans, inner.part_ys))


def lanes(runs: Sequence[Run]) -> tuple[int, ...]:
    """The lane of each of *runs*, counted from 0 at the header; those that may share one do."""
    order = _order(runs)
    found: dict[int, int] = {}
    for place, run in enumerate(order):
        inner = [found[other] for other in order[:place] if runs[other].overlaps(runs[run])]
        found[run] = max(inner, default=-1) + 1
    return tuple(found[run] for run in range(len(runs)))


def _order(runs: Sequence[Run]) -> list[int]:
    """The numbers of *runs*, from the header outwards, so that no single move helps."""
    order = list(range(len(runs)))
    costs = [[cost(inner, outer) for outer in runs] for inner in runs]
    has_moved = True
    while has_moved:
        has_moved = False
        for run in range(len(runs)):
            at = order.index(run)
            rest = order[:at] + order[at + 1 :]
            # What it costs at each place among the rest: each step outwards passes one other.
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
