"""The robots of every game, by name.

Ours are listed here. Other distributions add theirs under the entry points ``tapmat.robots``, from
the name of a game to its ``sim.robots.contract.Robots``.
"""

import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from sim.robots.camargue.adapter import ROBOTS as CAMARGUE
from sim.robots.ciao.adapter import ROBOTS as CIAO
from sim.robots.contract import Robots
from sim.robots.cramel.adapter import ROBOTS as CRAMEL
from sim.robots.riff_raff.adapter import ROBOTS as RIFF_RAFF
from sim.robots.straw.adapter import ROBOTS as STRAW

log = logging.getLogger(__name__)

GROUP = "tapmat.robots"
OURS = {robots.game: robots for robots in (STRAW, CRAMEL, CIAO, CAMARGUE, RIFF_RAFF)}


def all_robots() -> Mapping[str, Robots]:
    """Return the robots of each game that has some, by game.

    Ours replace others of the same game.
    """
    return {**OURS, **{game: robots for game, robots in added_robots().items() if game not in OURS}}


def robots_of(game: str) -> Robots | None:
    """Return the robots of *game*, or None if it has none."""
    return OURS.get(game) or added_robots().get(game)


@cache
def added_robots() -> Mapping[str, Robots]:
    """Return the robots that other distributions offer and that can be loaded, by game."""
    found = ((offer.name, _load(offer)) for offer in _offers())
    return MappingProxyType({game: robots for game, robots in found if robots is not None})


def _offers() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _load(offer: EntryPoint) -> Robots | None:
    try:
        robots = offer.load()
    except Exception as fault:  # third-party code may raise anything
        log.warning("The robots of %s (%s) cannot be loaded: %r", offer.name, offer.value, fault)
        return None
    if not isinstance(robots, Robots) or robots.game != offer.name:
        log.warning("%s are not robots of the game %s; they are left out", offer.value, offer.name)
        return None
    return robots
