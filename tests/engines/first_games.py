"""Find the games with which the comparisons of rules and books begin.

``python -m tests.engines.first_games`` plays games until all rare events of a style have been seen,
and prints the fewest of them that show these events, for ``FIRST`` in ``test_<game>_oracle.py``. If
a change of the rules or robots makes these games show less, the tests play more games, and pass.
"""

from collections.abc import Set
from functools import partial
from types import ModuleType

from tests.effort import Games, seen_in
from tests.engines import (
    test_camargue_oracle,
    test_ciao_oracle,
    test_cramel_oracle,
    test_riff_raff_oracle,
    test_straw_oracle,
)

ORACLES = (
    test_camargue_oracle,
    test_ciao_oracle,
    test_cramel_oracle,
    test_riff_raff_oracle,
    test_straw_oracle,
)


def main() -> None:
    """Print the first games of every style of every game."""
    for oracle in ORACLES:
        for style, rare in oracle.RARE.items():
            print(f"{oracle.__name__} {style!r}: {first_games(oracle, style, frozenset(rare))},")


def first_games(oracle: ModuleType, style: str, rare: Set[str]) -> tuple[int, ...]:
    """Return the indices of few games of *style* that together show everything *rare*."""
    games: Games = oracle.games_of(style)
    shown = dict[int, Set[str]]()

    def play(number: int) -> Set[str]:
        shown[number] = games[number]() & rare
        return shown[number]

    seen_in([partial(play, number) for number in range(len(games))], rare)
    chosen, missing = list[int](), set(rare)
    while missing:
        best = max(shown, key=lambda number: len(shown[number] & missing))
        if not shown[best] & missing:
            break  # no game shows the rest
        chosen.append(best)
        missing -= shown[best]
    return tuple(chosen)


if __name__ == "__main__":
    main()
