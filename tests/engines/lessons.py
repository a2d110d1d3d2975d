"""A check of lessons: each matters only in states in which it is true and its rule is needed.

A game's test has a function for each lesson, written from RULES.md and not from the lesson's
condition. Games are played at random, with any house rules. After each step, the function of every
lesson that matters by its condition must agree. At the table, a lesson is told once in a game.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from engines.common.contract import Game
from engines.common.lessons import Moment, lessons_of
from tests.engines.contract import Case, moments


def check_moments(
    game: Game[Any], checks: Mapping[str, Callable[[Moment], bool]], games: int
) -> None:
    """Check the lessons of *game* in each state of *games* random games in which they matter.

    Every lesson must matter in at least one state.
    """
    case, lessons = Case(game), lessons_of(game)
    assert lessons is not None
    codes, seen = {lesson.code for lesson in lessons.lessons}, set()
    assert codes == set(checks)
    for seed in range(games):
        for moment in moments(case, case.any_setup(Random(seed)), Random(seed)):
            for lesson in lessons.lessons:
                if lesson.matters(moment):
                    seen.add(lesson.code)
                    assert checks[lesson.code](moment), f"{lesson.code}, seed {seed}: {moment}"
    assert seen == codes, f"{codes - seen} never mattered"
