"""Baselines: the robots' styles of play as policies, and how often they win.

``python -m sim.envs.baselines straw --games 100`` prints how often each fair style wins against
players who choose at random. It needs neither PettingZoo nor NumPy.
"""

import argparse
from collections.abc import Callable, Sequence
from random import Random

from sim.envs.world import World
from sim.envs.worlds import WORLDS, world_of

Policy = Callable[[World, Random], int]  # returns the next action
MOST_ACTIONS = 5000  # in a game; a longer game has no winner


def at_random(world: World, chance: Random) -> int:
    """Return any action that the rules allow."""
    return chance.choice([*world.legal])


def policy_of(game: str, style: str) -> Policy:
    """Return the policy that plays as robots of this *style* do.

    Raises:
        ValueError: the robots of *game* have no such style.
    """
    styles = world_of(game).robots.styles
    if style not in styles:
        raise ValueError(f"{game} has no style {style!r}; it has {', '.join(styles)}")
    return lambda world, chance: world.suggestion(style, chance)


def play(world: World, policies: Sequence[Policy], chance: Random) -> Sequence[int]:
    """Play *world* to its end, with a policy for each seat; return the seats of the winners."""
    for _ in range(MOST_ACTIONS):
        if world.is_over:
            return world.winners
        world.act(policies[world.actor](world, chance))
    return ()


def share_of_wins(game: str, players: int, policy: Policy, games: int) -> float:
    """Return the share of *games* that *policy* wins against players who choose at random.

    A win shared by two counts as half a win for each. The seat of *policy* goes round.
    """
    wins = 0.0
    for number in range(games):
        policies: list[Policy] = [at_random] * players
        policies[number % players] = policy
        winners = play(world_of(game)(players, number), policies, Random(number))
        wins += (number % players in winners) / max(len(winners), 1)
    return wins / games


def main() -> None:
    """Print the share of wins of each fair style."""
    parser = argparse.ArgumentParser(description="How often robots win against random players.")
    parser.add_argument("game", choices=[*WORLDS])
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--games", type=int, default=100)
    asked = parser.parse_args()
    for style in ("", *world_of(asked.game).robots.fair):
        policy = policy_of(asked.game, style) if style else at_random
        share = share_of_wins(asked.game, asked.players, policy, asked.games)
        print(f"{style or 'any allowed action':20} {share:6.1%}")


if __name__ == "__main__":
    main()
