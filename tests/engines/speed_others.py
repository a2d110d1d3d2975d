"""The speed of other people's engines: RLCard's UNO and OpenSpiel's crazy eights.

``tests.engines.engine_speed`` runs this file as a program, in the environment that has them (``make
speed``). Like ours, they play recorded random games again, and only the steps are timed, each with
the legal actions after it. For each line on standard input, the name of a game and the seconds to
measure, the program prints the steps per second. It imports nothing from the project.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator

import numpy
import pyspiel
from rlcard.games.uno import Game as UnoGame

GAMES = 40  # the number of recorded games of each kind


def new_uno(seed: int) -> tuple[UnoGame, list[str]]:
    """Return a game of UNO for two, and the legal actions of the first player."""
    game = UnoGame(num_players=2)
    game.np_random = numpy.random.RandomState(seed)
    state, _player = game.init_game()
    return game, state["legal_actions"]


def recorded_uno(seed: int) -> list[str]:
    """Return the actions of a random game."""
    chance, actions = random.Random(seed), []
    game, legal = new_uno(seed)
    while not game.is_over():
        actions.append(chance.choice(legal))
        state, _player = game.step(actions[-1])
        legal = state["legal_actions"]
    return actions


def times_of_uno() -> Iterator[tuple[int, int]]:
    """Yield the number of steps of a game and the nanoseconds that they took, without end."""
    games = [recorded_uno(seed) for seed in range(GAMES)]
    while True:
        for seed, actions in enumerate(games):
            game, _legal = new_uno(seed)
            began_ns = time.thread_time_ns()
            for action in actions:
                game.step(action)  # the result has the legal actions
            yield len(actions), time.thread_time_ns() - began_ns


def recorded_eights(game: pyspiel.Game, seed: int) -> tuple[list[int], list[int]]:
    """Return the actions of a random game: those of the deal, and those that follow."""
    chance, state = random.Random(seed), game.new_initial_state()
    deal: list[int] = []
    actions: list[int] = []
    while not state.is_terminal():
        action = chance.choice(state.legal_actions())
        has_begun = actions or not state.is_chance_node()
        (actions if has_begun else deal).append(action)
        state.apply_action(action)
    return deal, actions


def times_of_eights() -> Iterator[tuple[int, int]]:
    """Yield the number of steps of a game and the nanoseconds that they took, without end.

    A card that is drawn is an action of its own there, and counts as a step.
    """
    game = pyspiel.load_game("crazy_eights")
    games = [recorded_eights(game, seed) for seed in range(GAMES)]
    while True:
        for deal, actions in games:
            state = game.new_initial_state()
            for action in deal:
                state.apply_action(action)
            began_ns = time.thread_time_ns()
            for action in actions:
                state.apply_action(action)
                state.legal_actions()
            yield len(actions), time.thread_time_ns() - began_ns


TIMES: dict[str, Callable[[], Iterator[tuple[int, int]]]] = {
    "uno": times_of_uno,
    "eights": times_of_eights,
}


def main() -> None:
    """Measure the games that are named on standard input."""
    times = {name: times_of() for name, times_of in TIMES.items()}
    for line in sys.stdin:
        name, seconds = line.split()
        steps = took_ns = 0
        while took_ns < float(seconds) * 1e9:
            more, more_ns = next(times[name])
            steps, took_ns = steps + more, took_ns + more_ns
        print(steps / took_ns * 1e9, flush=True)


if __name__ == "__main__":
    main()
