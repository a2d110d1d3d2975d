"""The search for the best option among hidden pieces: deals at random, and each option in each.

A *playout* plays one option to an end in one deal and returns its value. All options are tried in
the same deals, so that luck is the same for each. Then the worse half is dropped, and the others
are tried in more deals, until one is left.
"""

from collections.abc import Callable, Sequence
from math import ceil, log2
from random import Random
from typing import TypeVar

Option = TypeVar("Option")
Deal = TypeVar("Deal")


def best_of(
    options: Sequence[Option],
    deal: Callable[[Random], Deal],
    playout: Callable[[Deal, Option, Random], float],
    budget: int,
    chance: Random,
) -> Option:
    """Return the option with the highest value on average.

    Args:
        options: at least one option.
        deal: returns a deal that is possible for all that the player knows. It may use no more.
        playout: returns the value of an option in a deal, which it leaves unchanged.
        budget: about the number of playouts. Time is no limit, so equal seeds give equal options.
        chance: all random choices.
    """
    left = list(options)
    totals = dict.fromkeys(range(len(left)), 0.0)
    for each in range(rounds := ceil(log2(len(left)))):
        for _ in range(max(1, budget // (rounds * len(totals)))):
            dealt = deal(chance)
            luck = chance.random()
            for option in totals:
                totals[option] += playout(dealt, left[option], Random(luck))
        many = len(left) >> (each + 1)
        best = sorted(totals, key=totals.__getitem__, reverse=True)[: max(1, many)]
        totals = {option: totals[option] for option in best}
    return left[next(iter(totals))]
