"""The levels of strength from which people choose a robot: child, easy, good and expert.

A level is a style that chooses from no more than its seat may know. ``choose`` is the entry for
every program that lets a robot play.
"""

from dataclasses import replace
from random import Random

from sim.players import camargue, ciao, cramel, straw
from sim.players.riff_raff import Stower
from sim.robots.camargue.adapter import style_of as camargue_style
from sim.robots.camargue.styles import STYLES as CAMARGUE
from sim.robots.ciao.adapter import style_of as ciao_style
from sim.robots.ciao.styles import STYLES as CIAO
from sim.robots.contract import RobotAct, Style
from sim.robots.cramel.adapter import style_of as cramel_style
from sim.robots.cramel.books import STYLES as CRAMEL
from sim.robots.games import robots_of
from sim.robots.riff_raff.adapter import style_of as riff_raff_style
from sim.robots.riff_raff.styles import STYLES as RIFF_RAFF
from sim.robots.riff_raff.styles import RiffRaffStyle
from sim.robots.scene import Scene
from sim.robots.straw.adapter import style_of as straw_style
from sim.robots.straw.styles import LIKINGS

GOOD, EXPERT, EASY, CHILD = NAMES = ("good", "expert", "easy", "child")


def _levels(good: Style, expert: Style, easy: Style, child: Style) -> dict[str, Style]:
    return dict(zip(NAMES, (good, expert, easy, child), strict=True))


LEVELS: dict[str, dict[str, Style]] = {
    "straw": _levels(
        straw_style(LIKINGS["good"]),
        straw_style(straw.likes_to_search),
        straw_style(LIKINGS["greedy"]),
        straw_style(LIKINGS["random"]),
    ),
    "ciao": _levels(
        ciao_style(CIAO["careful"]),
        ciao_style(ciao.choose_move),
        ciao_style(CIAO["finisher"]),
        ciao_style(CIAO["hoarder"]),
    ),
    "cramel": _levels(
        cramel_style(CRAMEL["rememberer"]),
        cramel_style(cramel.choose_move),
        cramel_style(cramel.forgetful),
        cramel_style(CRAMEL["careful"]),
    ),
    "camargue": _levels(
        camargue_style(CAMARGUE["greedy"]),
        camargue_style(camargue.choose_move),
        camargue_style(camargue.often_greedy),
        camargue_style(CAMARGUE["joiner"]),
    ),
    "riff-raff": _levels(
        riff_raff_style(RIFF_RAFF["greedy"]),
        riff_raff_style(Stower()),
        riff_raff_style(RiffRaffStyle(mimics=0.0)),
        riff_raff_style(replace(RIFF_RAFF["clumsy"], mimics=0.0, dares=0.0, climbs=0.0)),
    ),
}


def styles_of(game: str) -> tuple[str, ...]:
    """Return the names from which people choose a robot; the usual one is the first.

    They are the levels of one of our games, and the fair styles of another game. There are none if
    robots of *game* cannot sit with people.
    """
    robots = robots_of(game)
    if robots is None or robots.from_scene is None:
        return ()
    return tuple(LEVELS.get(game, robots.fair))


def find_style(game: str, name: str) -> Style | None:
    """Return the level or the fair style *name* of *game*, or None if there is none."""
    if name in LEVELS.get(game, {}):
        return LEVELS[game][name]
    robots = robots_of(game)
    return robots.styles[name] if robots is not None and name in robots.fair else None


def choose(game: str, scene: Scene, level: str, seed: int | str) -> RobotAct | None:
    """Return the next act of the player at ``scene.seat``, or None if it has nothing to do.

    Args:
        game: the name of the game.
        scene: all that this player knows, as an object of the class in ``sim.robots.scene`` for
            this kind of game: what the table shows, the pieces that lie face up, and the player's
            own hand. Nothing else reaches the level, so what is not in the scene stays secret.
        level: the name of a level or of a fair style, such as "expert".
        seed: decides all random choices. Equal scenes and seeds give equal acts.

    Raises:
        ValueError: robots of *game* have no such level.
    """
    robots, style = robots_of(game), find_style(game, level)
    if robots is None or robots.from_scene is None or style is None:
        names = ", ".join(styles_of(game)) or "none"
        raise ValueError(f"{game} has no level {level!r}; it has {names}")
    books = robots.from_scene(scene)
    return None if books is None else style(books, Random(seed))
