"""Measurements of the expert player: the time that it takes to choose."""

import time
from collections.abc import Iterator
from functools import partial
from random import Random
from statistics import mean

from sim.bench.rows import Figures, MeasuredWrong, Measurement
from sim.players.levels import EXPERT, GOOD, LEVELS
from sim.robots.contract import SeededDeal
from sim.robots.games import robots_of

PLAYERS = 2
MOST_MS = 500  # of a choice
MOST_ACTS = 5000  # in a game


def measurements(choices: int, seed: int, *, has_cpu: bool) -> Iterator[Measurement]:
    """Yield a measurement for each game, if CPU times are measured."""
    for game in LEVELS if has_cpu else ():
        act = f"a choice of {game.replace('-', ' ').title()}'s expert"
        yield Measurement(
            act, partial(times_to_choose, game, choices, seed), {"CPU ms worst": MOST_MS}
        )


def times_to_choose(game: str, choices: int, seed: int) -> Figures:
    """Return the mean and the longest CPU time of at least *choices* choices of the expert, in ms.

    It plays whole games against a good player.

    Raises:
        MeasuredWrong: a game does not end.
    """
    times_ms: list[float] = []
    while len(times_ms) < choices:
        times_ms += _times_of_game(game, seed)
        seed += 1
    return {"CPU ms": mean(times_ms), "CPU ms worst": max(times_ms)}


def _times_of_game(game: str, seed: int) -> list[float]:
    robots = robots_of(game)
    assert robots is not None, "every level belongs to a game with robots"
    books, chance = robots.open(SeededDeal(PLAYERS, 0, seed)), Random(seed)
    times_ms: list[float] = []
    for _ in range(MOST_ACTS):
        if books.is_over:
            return times_ms
        is_expert = books.actor == seed % PLAYERS
        style = LEVELS[game][EXPERT if is_expert else GOOD]
        began_ns = time.thread_time_ns()
        act = style(books, chance)
        if is_expert:
            times_ms.append((time.thread_time_ns() - began_ns) / 1e6)
        books.take(act)
    raise MeasuredWrong(f"{game} has not ended after {MOST_ACTS} acts (seed {seed})")
