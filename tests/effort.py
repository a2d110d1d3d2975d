"""The share of random examples and long runs that a test run tries.

Some tests try the same thing many times: random examples, whole games, kills. ``make test`` tries a
tenth of them, ``.ci/run`` a fifth, and ``TAPMAT_EFFORT=1`` all. Tests marked ``long`` run from
``WITH_LONG`` on, or if one is named on the command line. They are longer neighbours of other tests,
or take a second and are about the virtual table's server, robots, fakepi or updates of a Pi. The
same holds for tests with a browser, except those marked ``sample``.

``TAPMAT_LONG_UNTIL`` is a time in seconds since 1970: after it, no such test begins, and the run
says which it has left out. So ``.ci/run`` answers in time on a slow computer too.
"""

import os
from collections.abc import Callable, Iterable, Sequence, Set
from math import ceil
from random import Random
from typing import Any

import pytest

EFFORT = float(os.environ.get("TAPMAT_EFFORT", "0.1"))
WITH_LONG = 0.2
LONG_UNTIL_S = float(os.environ.get("TAPMAT_LONG_UNTIL", "inf"))


def some(many: int) -> int:
    """Return this run's share of *many* examples, at least one."""
    return max(1, ceil(many * EFFORT))


def long_unless(is_short: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """Return *cases* as parameters of a test, marked ``long`` unless *is_short* accepts them.

    A case that is a tuple has a value for each of the test's parameters.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if is_short(case) else pytest.mark.long,
        )
        for case in cases
    ]


Games = Sequence[Callable[[], Set[str]]]  # each plays one game and returns what it showed


def seen_in(games: Games, wanted: Set[str] = frozenset(), first: Sequence[int] = ()) -> set[str]:
    """Play this run's share of *games*, and more until everything *wanted* has been seen.

    Args:
        games: all games.
        wanted: the names of what must be seen.
        first: the indices of games to begin with. The others follow in a mixed order, the same in
            each run.

    Returns:
        What the games have shown. Something *wanted* is missing only if no game shows it.
    """
    others = [n for n in Random(1).sample(range(len(games)), len(games)) if n not in first]
    seen = set[str]()
    for played, number in enumerate((*first, *others)):
        if played >= some(len(games)) and seen >= wanted:
            break
        seen |= games[number]()
    return seen
