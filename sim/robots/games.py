"""The games that robots can play.

Room: sim/robots.
"""

from collections.abc import Mapping

from sim.robots.camargue.robots import ROBOTS as CAMARGUE
from sim.robots.ciao.robots import ROBOTS as CIAO
from sim.robots.cramel.robots import ROBOTS as CRAMEL
from sim.robots.riff_raff.robots import ROBOTS as RIFF_RAFF
from sim.robots.seam import Robots
from sim.robots.straw.robots import ROBOTS as STRAW

ROBOTS: Mapping[str, Robots] = {
    robots.game: robots for robots in (STRAW, CRAMEL, CIAO, CAMARGUE, RIFF_RAFF)
}


def styles_of(game: str) -> tuple[str, ...]:
    """How robots play that can sit with people at *game*, the best one first; none cannot."""
    robots = ROBOTS.get(game)
    return () if robots is None or robots.seated is None else tuple(robots.fair)
