"""Check the lessons of many random games.

``.venv/bin/python -m tests.engines.soak_lessons --games 1000 --jobs 2`` plays 1,000 games of each
kind, and checks in each state that every lesson that matters is true, that none is told twice in a
game, and none when the game is over. It prints the number of lessons. It exits with 1 if a lesson
was wrong, or came in no game.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.engines import (
    test_camargue_lessons,
    test_ciao_lessons,
    test_cramel_lessons,
    test_riff_raff_lessons,
    test_straw_lessons,
)

CHECKS = {
    module.CHECKS.game.name: module.CHECKS
    for module in (
        test_camargue_lessons,
        test_ciao_lessons,
        test_cramel_lessons,
        test_riff_raff_lessons,
        test_straw_lessons,
    )
}


def play(game: str, seed: int) -> tuple[set[str], str]:
    """Play a game of *game*; return the lessons that it told, and what was wrong, if anything."""
    try:
        return CHECKS[game].play(seed), ""
    except AssertionError as wrong:
        return set(), f"{game}, seed {seed}: {wrong}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play games and print the figures; return 1 if a lesson was wrong or never told."""
    parser = argparse.ArgumentParser(description="Check the lessons of many random games.")
    parser.add_argument("--games", type=int, default=100, help="number of games of each kind")
    parser.add_argument("--game", choices=sorted(CHECKS), help="only this game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    seeds = range(asked.seed, asked.seed + asked.games)
    has_failed = False
    for game in [asked.game] if asked.game else sorted(CHECKS):
        begun = time.monotonic()
        with ProcessPoolExecutor(asked.jobs) as pool:
            results = [*pool.map(partial(play, game), seeds, chunksize=5)]
        told = Counter(code for codes, _ in results for code in codes)
        wrong = [failure for _, failure in results if failure]
        never = sorted(CHECKS[game].codes - told.keys())
        print(
            f"{game}: {len(results)} games, {told.total()} lessons told, {len(wrong)} wrong games, "
            f"never told: {', '.join(never) or 'none'}; {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        print(*wrong[:5], sep="\n", end="\n" if wrong else "")
        has_failed = has_failed or bool(wrong or never)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
