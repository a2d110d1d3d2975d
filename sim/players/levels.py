"""The levels of strength from which people choose a robot: child, easy, good and expert.

A level is a style that chooses from no more than its seat may know. ``choose`` is the entry for
every program that lets a robot play.
"""

from collections.abc import Mapping
from random import Random

from sim.players.straw import likes_searched
from sim.robots.contract import RobotAct, Style
from sim.robots.games import robots_of
from sim.robots.scene import Scene
from sim.robots.straw.adapter import style_of as straw_style
from sim.robots.straw.styles import likes_anything, likes_points, likes_to_win

CHILD, EASY, GOOD, EXPERT = "child", "easy", "good", "expert"
LEVELS: Mapping[str, Mapping[str, Style]] = {
    "straw": {
        GOOD: straw_style(likes_to_win),
        EXPERT: straw_style(likes_searched),
        EASY: straw_style(likes_points),
        CHILD: straw_style(likes_anything),
    },
}


def styles_with_people(game: str) -> Mapping[str, Style]:
    """Return the styles that people can choose for a robot, by name; the usual one is the first.

    They are the levels of one of our games, and the fair styles of another game. The mapping is
    empty if robots of *game* cannot sit with people.
    """
    robots = robots_of(game)
    if robots is None or robots.from_scene is None:
        return {}
    return LEVELS.get(game) or {name: robots.styles[name] for name in robots.fair}


def choose(game: str, scene: Scene, level: str, seed: int | str) -> RobotAct | None:
    """Return the next act of the player at ``scene.seat``, or None if it has nothing to do.

    Args:
        game: the name of the game.
        scene: all that this player knows, as an object of the class in ``sim.robots.scene`` for
            this kind of game: what the table shows, the pieces that lie face up, and the player's
            own hand. Nothing else reaches the level, so what is not in the scene stays secret.
        level: a name of ``styles_with_people(game)``, such as "expert".
        seed: decides all random choices. Equal scenes and seeds give equal acts.

    Raises:
        ValueError: robots of *game* have no such level.
    """
    styles = styles_with_people(game)
    if level not in styles:
        raise ValueError(f"{game} has no level {level!r}; it has {', '.join(styles) or 'none'}")
    robots = robots_of(game)
    assert robots is not None
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    return None if books is None else styles[level](books, Random(seed))
