"""A yardstick for players: games of two between levels, with the same deals from both seats.

``python -m tests.sim.levels --games 1000`` lets each level play against the next one in every game.
It prints the share of wins with its interval of 95 %, the lead in Elo, and the time for a choice.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log10, sqrt
from random import Random
from time import process_time

from sim.envs.world import TRIES, World
from sim.envs.worlds import WORLDS, world_of
from sim.players.levels import CHILD, EASY, EXPERT, GOOD, LEVELS
from sim.robots.contract import Style

ORDER = (CHILD, EASY, GOOD, EXPERT)
DEVIATIONS = 1.96  # of a normal distribution, to both sides of the mean: 95 %
ELO = 400.0


@dataclass
class Match:
    """The results of a level against another one, as points of each pair of games."""

    pairs: list[float] = field(default_factory=list)  # from 0 to 1; two games with the same deal
    times_s: list[float] = field(default_factory=list)  # of the level's choices

    @property
    def share(self) -> float:
        """The share of wins. A shared win is half a win."""
        return sum(self.pairs) / len(self.pairs)

    @property
    def margin(self) -> float:
        """Half the width of the share's interval of 95 %."""
        many, mean = len(self.pairs), self.share
        variance = sum((points - mean) ** 2 for points in self.pairs) / max(1, many - 1)
        return DEVIATIONS * sqrt(variance / many)


def elo(share: float) -> float:
    """Return the lead in Elo of a player with this *share* of wins."""
    bounded = min(0.999, max(0.001, share))
    return ELO * log10(bounded / (1 - bounded))


def choice(world: World, style: Style, chance: Random) -> int:
    """Return the action that *style* chooses; any action if it keeps choosing others.

    In a race a style may choose for another player, and is asked again.
    """
    numbers = world.numbers(world.players)
    for _ in range(TRIES):
        action = numbers.get(world.name_of(style(world.books, chance)), -1)
        if action in world.legal:
            return action
    return chance.choice([*world.legal])


def play(game: str, styles: Sequence[Style], deal: int, times_s: list[float]) -> float:
    """Play a game of two, and return the points of the first of *styles*, from 0 to 1.

    *deal* is the seed of the deal; odd and even numbers swap the seats. *times_s* gets the time of
    each choice of the first style.
    """
    world, first, chance = world_of(game)(2, deal // 2), deal % 2, Random(deal)
    while not world.is_over:
        style = styles[world.actor != first]
        if len(world.legal) == 1:
            world.act(next(iter(world.legal)))
            continue
        start_s = process_time()
        action = choice(world, style, chance)
        if world.actor == first:
            times_s.append(process_time() - start_s)
        world.act(action)
    return (first in world.winners) / len(world.winners)


def match(game: str, one: Style, other: Style, games: int) -> Match:
    """Return the results of *games* games, in pairs with the same deal and other seats."""
    results = Match()
    for pair in range(games // 2):
        points = [play(game, (one, other), 2 * pair + seat, results.times_s) for seat in (0, 1)]
        results.pairs.append(sum(points) / 2)
    return results


def main() -> None:
    """Print a line for each match."""
    parser = argparse.ArgumentParser(description="Levels of players against each other.")
    parser.add_argument("--game", choices=[*WORLDS], action="append")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--level", choices=ORDER[1:], action="append", help="the better level")
    asked = parser.parse_args()
    for game in asked.game or WORLDS:
        for worse, better in pairwise(ORDER):
            if better not in (asked.level or ORDER):
                continue
            results = match(game, LEVELS[game][better], LEVELS[game][worse], asked.games)
            share, margin, times_s = results.share, results.margin, results.times_s
            low, high = elo(share - margin), elo(share + margin)
            print(
                f"{game:10} {better:6} against {worse:6} {2 * len(results.pairs):5} games "
                f"{share:6.1%} ± {margin:.1%}  Elo {elo(share):+4.0f} ({low:+.0f} to {high:+.0f})  "
                f"{1000 * sum(times_s) / len(times_s):5.1f} ms a choice, "
                f"{1000 * max(times_s):.0f} at most",
                flush=True,
            )


if __name__ == "__main__":
    main()
