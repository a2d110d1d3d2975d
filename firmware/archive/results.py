"""Results of finished games: places, scores by round, and the time that was played.

This module works for all games: it uses only the engine contract. ``firmware.archive.exports``
writes results as files for other programs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from engines.common.contract import OptionValue, Seat, View
from firmware.archive.past import ENDED, PastGame
from firmware.common.errors import TapmatError
from firmware.table.announcements import ROUND_OVER

PAUSE = timedelta(minutes=30)  # a longer time between two plays does not count as played
NO_TIME = timedelta()

Scores = tuple[int, ...]  # by seat


class NotFinished(TapmatError):
    """The game has no result, because it was abandoned or is still in progress."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One player's result.

    Players who share a *place* have the same number, and the next place is left out: 1, 2, 2, 4.
    *by_round* has the points of each round; it is empty for a game without rounds.
    """

    seat: Seat
    name: str
    score: int
    place: int
    has_won: bool
    has_begun: bool  # had the first turn
    by_round: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a finished game.

    *began* and *ended* are the times of its start and of its last play. *minutes* is the time
    between them, without pauses (see ``PAUSE``). *unit* is the thing that the scores count, as in
    ``ScoreUnit``. *rounds* is None for a game without rounds. *options* are the house rules, and
    *lowest_wins* is True if the lowest score wins.
    """

    number: int
    game: str
    began: datetime
    ended: datetime
    minutes: int
    options: dict[str, OptionValue]
    unit: str
    lowest_wins: bool
    rounds: int | None
    players: tuple[PlayerResult, ...]  # by seat


def result_of(past: PastGame) -> GameResult:
    """Return the result of *past*. Undone plays do not count.

    Raises:
        NotFinished: the game was abandoned, or is still in progress.
    """
    last = past.view
    if not last.winners:
        raise NotFinished(f"Game {past.number} has no result: it is {ENDED[past.ending]}.")
    plays = past.effective_plays
    states = (past.dealt, *(play.after for play in plays))
    views = [past.game.view(state) for state in states]
    has_rounds, scores = scores_of(views)
    totals = [views[0].scores, *scores]
    by_round = [tuple(_points(totals, seat)) for seat in range(len(last.scores))]
    times = [datetime.fromisoformat(at) for at in (past.at, *(play.at for play in plays))]
    players = (
        PlayerResult(
            Seat(seat),
            name,
            last.scores[seat],
            place_of(last, Seat(seat)),
            seat in last.winners,
            seat == views[0].turn,
            by_round[seat] if has_rounds else (),
        )
        for seat, name in enumerate(past.people)
    )
    return GameResult(
        past.number,
        past.game.name,
        times[0],
        times[-1],
        round(played_time(times) / timedelta(minutes=1)),
        dict(past.start.options),
        last.score_unit.value,
        last.lowest_wins,
        len(scores) if has_rounds else None,
        tuple(players),
    )


def scores_of(views: Sequence[View]) -> tuple[bool, list[Scores]]:
    """Return two values: True if the game has rounds, and its scores in order.

    They are the scores after each round; without rounds, after each change. *views* are the views
    of the game at its start and after each input.
    """
    rounds = [b for a, b in pairwise(views) if b.phase == ROUND_OVER != a.phase]
    if rounds:
        last = [view for view in views[-1:] if view.is_over]
        return True, [view.scores for view in (*rounds, *last)]
    changes = (b.scores for a, b in pairwise(views) if b.scores != a.scores)
    return False, [views[0].scores, *changes]


def place_of(view: View, seat: Seat) -> int:
    """Return the final place of *seat*, from 1. Winners are first; then scores decide."""

    def rank(other: int) -> tuple[bool, int]:
        score = view.scores[other]
        return other not in view.winners, score if view.lowest_wins else -score

    return 1 + sum(rank(other) < rank(seat) for other in range(len(view.scores)))


def played_time(times: Sequence[datetime]) -> timedelta:
    """Return the time from the first to the last of *times*, without pauses.

    A step backwards counts as no time: the clock of a Pi can be set during a game.
    """
    steps = (later - sooner for sooner, later in pairwise(times))
    return sum((step for step in steps if NO_TIME < step <= PAUSE), NO_TIME)


def _points(totals: Sequence[Scores], seat: int) -> Iterator[int]:
    """Yield the points that *seat* got in each round. *totals* are the scores after each round."""
    return (after[seat] - before[seat] for before, after in pairwise(totals))
