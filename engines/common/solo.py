"""Solo: one player alone against a goal, which is a score to beat.

The goal sits in the last seat. It has its score from the beginning, holds no pieces and never has a
turn. So it is shown, compared and recorded like a player, and nobody needs a second player.

May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.
"""

from collections.abc import Mapping
from typing import Any

from engines.common.contract import (
    Game,
    Message,
    OptionValue,
    Seat,
    Selection,
    Topic,
    message,
)

SOLO = "solo"  # the name of the house rule
OFF = "off"
SOLO_SEATS = 2  # the player's and the goal's


def solo_option(*goals: int) -> Selection:
    """Return the house rule ``solo``, whose values are "off" and each of *goals*."""
    return Selection(SOLO, OFF, (OFF, *map(str, goals)))


def goal_of(value: str, seats: int) -> int:
    """Return the goal that the *value* of the house rule names; 0 for "off".

    Without exactly two *seats*, the house rule has no effect.
    """
    return 0 if value == OFF or seats != SOLO_SEATS else int(value)


def goals_of(game: Game[Any]) -> tuple[str, ...]:
    """Return the values of the house rule ``solo`` that are goals; none if *game* lacks it."""
    values = (o.names for o in game.options if isinstance(o, Selection) and o.name == SOLO)
    return tuple(value for each in values for value in each if value != OFF)


def numbers_of_people(game: Game[Any]) -> tuple[int, ...]:
    """Return how many people can play *game*, with or without a goal."""
    return (*((1,) if goals_of(game) else ()), *game.seats)


def goal_seat(options: Mapping[str, OptionValue], seats: int) -> Seat | None:
    """Return the seat of the goal in a game with these house rules; None if it has no goal."""
    has_goal = options.get(SOLO, OFF) != OFF and seats == SOLO_SEATS
    return Seat(seats - 1) if has_goal else None


def opening_of(goal: int) -> tuple[Message, ...]:
    """Return the message that names the *goal*, at the beginning of the game; none without one."""
    return (message("goal", Topic.RESULT, n=goal),) if goal else ()


def result_of(goal: int, seat: Seat, score: int) -> Message:
    """Return the message that *seat* has reached the *goal* with *score*, or by how much not."""
    if score >= goal:
        return message("goal-reached", Topic.RESULT, seat=seat, goal=goal, n=score)
    return message("goal-missed", Topic.RESULT, seat=seat, n=goal - score)
