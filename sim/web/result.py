"""The result of a finished round or game, for pages: the scores so far, and how to play again."""

from collections.abc import Mapping
from typing import Any

from engines.common.contract import View
from firmware.archive.results import scores_of
from firmware.boxes.games import games
from firmware.journal.journal import GameRecord
from firmware.show.view import TableView
from firmware.table.announcements import ROUND_OVER
from sim.deal.transitions import transitions_of
from sim.rehearsal.export import value_text


def result_data(
    record: GameRecord, view: TableView, robots: Mapping[int, str], *, is_quick: bool = False
) -> dict[str, Any] | None:
    """Return the result that *view* shows, as JSON values, or None during play.

    ``scores`` are the points by seat: after each round if ``hasRounds`` is true, otherwise after
    each change. ``colours`` are the players' own, by seat. ``again`` has the fields of the message
    ``begin`` that starts the same game again. *robots* are the styles of robots by seat, and
    *is_quick* is True if they make short pauses.
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
