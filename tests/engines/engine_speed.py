"""Compare the speed of our engines with RLCard's UNO and OpenSpiel's crazy eights, in one run.

``make speed`` installs both into ``.venv-speed`` and runs this file. All engines play recorded
random games again, by turns and in short rounds, on one core. A step is an input and the question
what is allowed after it: ``step`` and ``asks`` of ours. The table shows the median of the rounds in
steps per second of CPU time, and the median of the ratios to UNO, whose round comes just before.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from engines.common.contract import Game
from firmware.boxes.games import games
from sim.bench.engine import random_game, replay_s, setup_of

OTHERS = Path(".venv-speed/bin/python")  # the environment that has the other engines
PROGRAM = Path(__file__).with_name("speed_others.py")
UNO, EIGHTS = "uno", "eights"
ROUNDS = 10  # the number of times that each engine is measured
STEPS = 2000  # the least number of recorded steps of each of our games


class OtherEngines:
    """The program that measures the other engines, in its own environment."""

    def __init__(self) -> None:
        command = [OTHERS, PROGRAM]
        pipe = subprocess.PIPE
        self._program = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def speed(self, name: str, seconds: float) -> float:
        """Return the steps per second of the engine *name*, measured for *seconds*."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        print(name, seconds, file=self._program.stdin, flush=True)
        return float(self._program.stdout.readline())

    def close(self) -> None:
        """End the program."""
        self._program.communicate()


class RecordedGames:
    """Random games of one of our games, to be played again."""

    def __init__(self, game: Game[Any]) -> None:
        setup, chance = setup_of(game), Random(1)
        inputs = [random_game(game, setup, chance)]
        while sum(map(len, inputs)) < STEPS:
            inputs.append(random_game(game, setup, chance))
        self._times = ((len(each), replay_s(game, setup, each)) for each in cycle(inputs))

    def speed(self, seconds: float) -> float:
        """Return the steps per second, measured for *seconds*; at least one whole game."""
        steps, took_s = next(self._times)
        while took_s < seconds:
            more, more_s = next(self._times)
            steps, took_s = steps + more, took_s + more_s
        return steps / took_s


def rounds(seconds: float) -> Iterator[dict[str, tuple[float, float]]]:
    """Yield for each round the speed of each engine, and its ratio to UNO just before.

    *seconds* is the time for one engine in all rounds.
    """
    each_s, others = seconds / ROUNDS, OtherEngines()
    ours = {name: RecordedGames(game) for name, game in games().items()}
    for _ in range(ROUNDS):
        speeds = {}
        for name in (EIGHTS, *ours):
            uno = others.speed(UNO, each_s)
            speed = others.speed(name, each_s) if name == EIGHTS else ours[name].speed(each_s)
            speeds[UNO] = uno, 1.0
            speeds[name] = speed, speed / uno
        yield speeds
    others.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Compare engines by steps per second.")
    parser.add_argument("--seconds", type=float, default=2.0, help="Time for each engine.")
    seconds: float = parser.parse_args().seconds
    if not OTHERS.exists():
        sys.exit("The other engines are missing. Install them and compare: make speed")
    print(f"{'engine':12} {'steps/s':>10} {'to UNO':>7}")
    measured = list(rounds(seconds))
    for name in measured[0]:
        speeds, ratios = zip(*(speeds[name] for speeds in measured), strict=True)
        print(f"{name:12} {median(speeds):10,.0f} {median(ratios):7.2f}")


if __name__ == "__main__":
    main()
