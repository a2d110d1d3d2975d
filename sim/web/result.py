"""The result of a finished round or game, for pages: the scores so far, and how to play again."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from engines.common.contract import View
from firmware.boxes.games import games
from firmware.journal.journal import GameRecord
from firmware.show.view import TableView
from firmware.table.announcements import ROUND_OVER
from sim.deal.transitions import transitions_of
from sim.rehearsal.export import value_text

Scores = tuple[int, ...]  # by seat


def result_data(
    record: GameRecord, view: TableView, robots: Mapping[int, str], *, is_quick: bool = False
) -> dict[str, Any] | None:
    """Return the result that *view* shows, as JSON values, or None during play.

    ``scores`` are the points by seat: after each round if ``hasRounds`` is true, otherwise after
    each change. ``colours`` are the players' own, by seat. ``again`` has the fields of the message
    ``begin`` for another such game. *robots* are the styles of robots by seat, and *is_quick* is
    True if they make short pauses.
    """
    if not view.winners and view.phase != ROUND_OVER:
        return None
    start = record.start
    views = views_of(record)
    has_rounds, scores = scores_of(views)
    return {
        "hasRounds": has_rounds,
        "scores": [list(each) for each in scores],
        "colours": list(views[-1].colours),
        "again": {
            "game": start.game,
            "names": list(start.names),
            "robots": [robots.get(seat) for seat in range(len(start.names))],
            "options": {name: value_text(value) for name, value in start.options.items()},
            "quick": is_quick,
        },
    }


def views_of(record: GameRecord) -> list[View]:
    """Return the game's view at its start and after each input."""
    first, transitions = transitions_of(games()[record.start.game], record)
    return [first, *(transition.after for transition in transitions)]


def scores_of(views: Sequence[View]) -> tuple[bool, list[Scores]]:
    """Return True if the game has rounds, and its scores from the first to the last.

    They are the scores after each round, or else each time they changed.
    """
    rounds = [b for a, b in pairwise(views) if b.phase == ROUND_OVER != a.phase]
    if rounds:
        last = [view for view in views[-1:] if view.is_over]
        return True, [view.scores for view in (*rounds, *last)]
    changes = (b.scores for a, b in pairwise(views) if b.scores != a.scores)
    return False, [views[0].scores, *changes]
