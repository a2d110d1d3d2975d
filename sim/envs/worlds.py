"""The worlds of all games, by the game's name."""

from collections.abc import Mapping

from sim.envs.camargue import CamargueWorld
from sim.envs.ciao import CiaoWorld
from sim.envs.cramel import CramelWorld
from sim.envs.riff_raff import RiffRaffWorld
from sim.envs.straw import StrawWorld
from sim.envs.world import World

WORLDS: Mapping[str, type[World]] = {
    world.game: world
    for world in (StrawWorld, CramelWorld, CiaoWorld, RiffRaffWorld, CamargueWorld)
}


def world_of(game: str) -> type[World]:
    """Return the world of *game*.

    Raises:
        ValueError: there is no such game.
    """
    if game not in WORLDS:
        raise ValueError(f"There is no environment of {game}. There are: {', '.join(WORLDS)}.")
    return WORLDS[game]
