"""The entries of all environments in PettingZoo's registry.

After ``import sim.envs.registry``, ``pettingzoo.make("aec", "tapmat/straw-v0")`` finds them.
"""

from functools import partial

from pettingzoo import aec_registry, parallel_registry, register

from sim.envs.aec import wrapped_env
from sim.envs.parallel import TableParallelEnv
from sim.envs.worlds import WORLDS

NAMESPACE = "tapmat"
VERSION = 0


def id_of(game: str) -> str:
    """Return the name of *game*'s environments in the registry."""
    return f"{NAMESPACE}/{game.replace('-', '_')}-v{VERSION}"


def register_all() -> None:
    """Add the environments that are not in the registry yet."""
    for game in WORLDS:
        if id_of(game) not in aec_registry:
            register("aec", id=id_of(game), entry_point=partial(wrapped_env, game))
        if id_of(game) not in parallel_registry:
            register("parallel", id=id_of(game), entry_point=partial(TableParallelEnv, game))


register_all()
