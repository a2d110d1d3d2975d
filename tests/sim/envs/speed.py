"""Measure how many actions per second of processor time the environments do.

``python -m tests.sim.envs.speed`` prints a line for each game: of the environment without wrappers
for the fewest and the most players, and with wrappers for the fewest. It needs PettingZoo.
"""

from random import Random
from time import process_time
from typing import Any

import numpy as np

from sim.envs import env, raw_env
from sim.envs.worlds import WORLDS

MEASURED_S = 3.0


def rate(table: Any) -> float:
    """Return the actions per second of *table*, with every observation and mask, at random."""
    chance, done = Random(0), 0
    table.reset(seed=0)
    began = process_time()
    while process_time() - began < MEASURED_S:
        observation, _, is_over, is_cut, _ = table.last()
        if is_over or is_cut:
            table.reset()
            continue
        table.step(chance.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        done += 1
    return done / (process_time() - began)


def main() -> None:
    """Print the figures of all games."""
    for game, world in WORLDS.items():
        few, most = world.robots.seats[0], world.robots.seats[-1]
        tables = raw_env(game, players=few), raw_env(game, players=most), env(game, players=few)
        print(f"{game:10}", *(f"{rate(table):8,.0f}" for table in tables), flush=True)


if __name__ == "__main__":
    main()
