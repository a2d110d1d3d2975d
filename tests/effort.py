"""The share of random examples and long runs that a test run tries.

Some tests try the same thing many times: random examples, whole games, kills. ``make test`` tries a
tenth of them, and ``TAPMAT_EFFORT=1`` all. Every test runs at every effort; only the number of
examples changes.
"""

import os
from collections.abc import Callable, Sequence, Set
from math import ceil
from random import Random

EFFORT = float(os.environ.get("TAPMAT_EFFORT", "0.1"))


def some(many: int) -> int:
    """Return this run's share of *many* examples, at least one."""
    return max(1, ceil(many * EFFORT))


def seen_in(games: Sequence[Callable[[], Set[str]]], wanted: Set[str] = frozenset()) -> set[str]:
    """Play this run's share of *games*, and more until everything *wanted* has been seen.

    Each of *games* is a function that plays one and returns the names of what it showed.

    The games are played in a mixed order, the same in each run.

    Returns:
        What the games have shown. Something *wanted* is missing only if no game shows it.
    """
    seen = set[str]()
    for number, play in enumerate(Random(1).sample(games, len(games))):
        if number >= some(len(games)) and seen >= wanted:
            break
        seen |= play()
    return seen
