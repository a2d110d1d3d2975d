"""The lessons of the game: what the table teaches, and when.

May import: the standard library and engines.common.
May be imported by: engines.cramel only, and tests.
"""

from typing import Final

from engines.common.lessons import (
    MAT,
    TAKING_BACK,
    Condition,
    Lesson,
    Lessons,
    Moment,
    after,
    piece_of_tap,
)
from engines.cramel.rules import STOP, Phase, State, stop_wins
from engines.cramel.tiles import BLOOM, CRAMEL, GOL

BLOOMS = 3  # in a whole box
LAST = 12  # the end is near if no more tiles than these, and the Blooms, are on the table


# --- tiles ---------------------------------------------------------------------------------------


def _open_kind(moment: Moment) -> str:
    """Return the kind of the tile that was turned over and is still open; "" if there is none."""
    piece = piece_of_tap(moment)
    return piece.kind if piece is not None and moment.state.turned else ""


def _opened_any(size: int, *kinds: str) -> Condition:
    """Return a condition: a tile of one of *kinds* was opened, and *size* of it make a set."""

    def is_opened(moment: Moment) -> bool:
        kind, state = _open_kind(moment), moment.state
        return kind in kinds and state.config.set_size(kind) == size

    return is_opened


def _gol_opened(moment: Moment) -> bool:
    return _open_kind(moment) == GOL


def _cramel_opened(moment: Moment) -> bool:
    return _open_kind(moment) == CRAMEL


def _bloom_after_cramels(moment: Moment) -> bool:
    is_over = moment.state.phase is Phase.OVER
    return after("bloom")(moment) and moment.before.open[CRAMEL] > 0 and not is_over


# --- sets ----------------------------------------------------------------------------------------


def _set_is_complete(moment: Moment) -> bool:
    return _open_kind(moment) != CRAMEL and after("single", "completes")(moment)


def _two_sets_are_complete(moment: Moment) -> bool:
    """Return True if a second set of a kind can be won; by a house rule, it is not announced."""
    kind, state = _open_kind(moment), moment.state
    return _set_is_complete(moment) and state.open[kind] >= 2 * state.config.set_size(kind)


def _may_stop_in_vain(moment: Moment) -> bool:
    state: State = moment.state
    is_vain = len(state.turned) > 1 and not stop_wins(state).total
    return is_vain and state.config.house.stop_without_set


# --- after a stop --------------------------------------------------------------------------------


def _stopped(moment: Moment) -> bool:
    return moment.given == STOP and moment.state.phase is Phase.PLAY


def _has_won(moment: Moment) -> bool:
    return _stopped(moment) and after("takes")(moment)


def _has_rest(moment: Moment) -> bool:
    return _stopped(moment) and after("face-down")(moment)


def _has_won_cramels(moment: Moment) -> bool:
    return _has_won(moment) and stop_wins(moment.before)[CRAMEL] > 0


def _nears_end(moment: Moment) -> bool:
    state: State = moment.state
    return _has_won(moment) and _only_blooms_remain(state) and state.left.total <= LAST + BLOOMS


def _only_blooms_remain(state: State) -> bool:
    """Return True if only the three Blooms remain at the end, as in a whole box (RULES 7.1)."""
    config = state.config
    sets = all(
        kind.count % config.set_size(kind.name) == 0
        for kind in config.deck.kinds
        if kind.name != BLOOM
    )
    return sets and state.left[BLOOM] == BLOOMS


SAID = "The table says it at the end of the game."

LESSONS: Final = Lessons(
    opening=(
        Lesson("rules.start", ("2.2",)),
        Lesson("lesson.turn", ("3.1",)),
    ),
    lessons=(
        Lesson("does.bloom", ("5.1",), after("bloom"), piece_of_tap),
        Lesson("rules.6.3", ("6.3",), _bloom_after_cramels, piece_of_tap),
        Lesson("rules.5.2", ("5.2",), after("bloom-may-move"), piece_of_tap),
        Lesson("rules.6.2", ("6.2",), after("mixed"), piece_of_tap),
        Lesson("does.cramel", ("6.1",), _cramel_opened, piece_of_tap),
        Lesson("rules.4.4", ("4.4",), _two_sets_are_complete, piece_of_tap),
        Lesson("does.gol", ("4.3",), _gol_opened, piece_of_tap),
        Lesson("does.set-4", ("4.1",), _opened_any(4, "ring-box"), piece_of_tap),
        Lesson("does.set-3", ("4.1",), _opened_any(3, "el-el"), piece_of_tap),
        Lesson("does.set-2", ("4.1",), _opened_any(2, "jane", "helena"), piece_of_tap),
        Lesson("does.set-1", ("4.1",), _opened_any(1, "roby"), piece_of_tap),
        Lesson("lesson.set", ("3.4",), _set_is_complete, piece_of_tap),
        Lesson("rules.3.5", ("3.5",), _may_stop_in_vain),
        Lesson("rules.end", ("7.1",), _nears_end),
        Lesson("rules.4.5", ("4.5",), _has_won),
        Lesson("rules.4.2", ("4.2",), _has_rest),
        Lesson("rules.score", ("5.3", "7.2", "7.3"), _has_won_cramels),
    ),
    untaught={
        "1.1": MAT, "1.2": MAT, "1.3": MAT, "1.4": MAT, "1.6": MAT, "1.7": MAT,
        "3.2": MAT, "3.3": MAT,
        "1.5": TAKING_BACK,
        "2.1": "The menu asks for the players.",
        "2.3": "The table says whose turn it is.",
        "3.6": "The table says whose turn it is.",
        "7.4": SAID, "7.5": SAID, "7.6": SAID,
    },
)  # fmt: skip
