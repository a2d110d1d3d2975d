"""Advice: how good it is to play a piece of each kind now.

A game may have ``advice``. The table names the better kinds first when somebody asks "What can I
do?", and recommends the best one if players have switched that on. A state of a game has no hands
and no order of a draw pile, so advice can give away neither.

May import: the standard library.
May be imported by: every game, firmware, tests.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Advice = Callable[[Any], Mapping[str, float]]
"""Returns the worth of each kind that can be played in a state; the best has the highest.

The mapping is empty if no kind is better than another.
"""


def worth_of_kinds(game: object, state: object) -> Mapping[str, float]:
    """Return how good playing each kind is in *state* of *game*. A game need not have advice."""
    advice = getattr(game, "advice", None)
    return advice(state) if callable(advice) else {}


def best_of(kinds: Iterable[str], worth: Mapping[str, float]) -> frozenset[str]:
    """Return those of *kinds* that are worth the most."""
    known = {kind: worth.get(kind, 0) for kind in kinds}
    most = max(known.values(), default=0)
    return frozenset(kind for kind, each in known.items() if each == most)
