"""The lessons of the game: what the table teaches, and when.

May import: the standard library and engines.common.
May be imported by: engines.camargue only, and tests.
"""

from typing import Final

from engines.camargue.places import cut_sides, fitting, sites
from engines.camargue.rules import DEAL, kinds_left, may_copy
from engines.camargue.state import Phase, State
from engines.camargue.tiles import EMERGENCY
from engines.camargue.view import can_be_copied
from engines.common.lessons import (
    MAT,
    TAKING_BACK,
    Lesson,
    Lessons,
    Moment,
    after,
    in_phase,
    piece_of_tap,
)
from engines.common.pieces import Piece

_scores = after("scores")
_shows_another = after("fits-not")


# --- a tile --------------------------------------------------------------------------------------


def _is_placing(moment: Moment) -> bool:
    """Return True if a landscape tile waits for a place."""
    state: State = moment.state
    waiting = state.waiting
    return state.phase is Phase.PLACE and waiting is not None and waiting.kind != EMERGENCY


def _would_cut(moment: Moment) -> list[tuple[bool, bool]]:
    """Return for each gap: would the waiting tile cut off a path, and does a path lead there?"""
    state: State = moment.state
    if not _is_placing(moment) or state.waiting is None:
        return []
    tile = state.config.box.tiles[state.waiting.kind]
    gaps = state.board.gaps.values()
    return [(cut_sides(state, gap, tile) > 0, gap.open > 0) for gap in gaps]


def _laid_last(moment: Moment) -> Piece | None:
    """Return the piece that has just been piece_of_tap, or has just got its place."""
    before: State = moment.before
    return piece_of_tap(moment) or before.waiting


def _waiting(moment: Moment) -> Piece | None:
    state: State = moment.state
    return state.waiting


def _edges_decide(moment: Moment) -> bool:
    """Return True if the waiting tile does not match the edges of some place (RULES 4.4)."""
    state: State = moment.state
    return state.house.no_dead_ends and any(is_cut for is_cut, _ in _would_cut(moment))


def _path_decides(moment: Moment) -> bool:
    """Return True if the edges of some place suit the waiting tile, but no path leads there."""
    return (False, False) in _would_cut(moment)


def _touches_several(moment: Moment) -> bool:
    """Return True if a tile has just scored for several edges, and all edges count (RULES 5.3)."""
    state: State = moment.state
    return _scores(moment) and state.house.start_counts and state.made.edges > 1


def _may_tap(moment: Moment) -> bool:
    """Return True if a tile has just scored, and the next player can tap a tile or a helper."""
    state: State = moment.state
    is_free = state.front is None and state.hands[state.turn] > 0
    return _scores(moment) and state.phase is Phase.PLAY and is_free


def _is_unfit_left(moment: Moment) -> bool:
    """Return True if the current player may hold a tile that fits nowhere."""
    state: State = moment.state
    landscapes, _ = kinds_left(state)
    return _may_tap(moment) and fitting(state, landscapes) < landscapes


# --- helpers -------------------------------------------------------------------------------------


def _is_helper_left(moment: Moment) -> bool:
    _, helpers = kinds_left(moment.state)
    return bool(helpers)


def _can_discard(moment: Moment) -> bool:
    return _may_tap(moment) and _is_helper_left(moment)


def _can_copy(moment: Moment) -> bool:
    return _scores(moment) and can_be_copied(moment.state)


def _can_copy_with_few(moment: Moment) -> bool:
    """Return True if a player with fewer than three tiles may copy (RULES 6.7)."""
    state: State = moment.state
    return _can_copy(moment) and any(state.hands[seat] < DEAL for seat in may_copy(state))


def _must_put_aside(moment: Moment) -> bool:
    """Return True if a helper was laid in front, and its player will draw when it is put aside."""
    state: State = moment.state
    return after("copies")(moment) and state.pile > state.config.seats


# --- nothing fits --------------------------------------------------------------------------------


def _claims(moment: Moment) -> bool:
    """Return True if a claim begins, and there is an emergency tile to take (RULES 7.1, 7.8)."""
    state: State = moment.state
    return after("shows")(moment) and bool(state.spare) and bool(sites(state, min(state.spare)))


def _may_show_helper(moment: Moment) -> bool:
    return _shows_another(moment) and _is_helper_left(moment)


def _may_show_tile_that_fits(moment: Moment) -> bool:
    """Return True if the claim goes on, and a tile still to be shown may fit (RULES 7.3)."""
    landscapes, _ = kinds_left(moment.state)
    return _shows_another(moment) and bool(fitting(moment.state, landscapes))


def _places_emergency(moment: Moment) -> bool:
    state: State = moment.state
    return state.phase is Phase.PLACE and not _is_placing(moment)


def _goes_on(moment: Moment) -> bool:
    """Return True if an emergency tile was laid, and a tile that was shown fits now (RULES 7.9)."""
    state: State = moment.state
    shown = frozenset(piece.kind for piece in state.known)
    return after("goes-on")(moment) and bool(fitting(state, shown))


LESSONS: Final = Lessons(
    opening=(
        Lesson("rules.start", ("2.3",)),
        Lesson("lesson.turn", ("3.1", "3.3", "4.3", "4.5")),
    ),
    lessons=(
        Lesson("rules.end", ("3.4", "8.1", "8.2", "8.3"), after("piles-empty")),
        Lesson("rules.7.9", ("7.9",), _goes_on),
        Lesson("lesson.open", ("7.6",), _places_emergency, _waiting),
        Lesson("does.emergency", ("7.5", "7.7"), in_phase(Phase.EMERGENCY.value)),
        Lesson("lesson.claim", ("7.1", "7.2"), _claims),
        Lesson("rules.7.4", ("7.4",), _may_show_helper),
        Lesson("rules.7.3", ("7.3",), _may_show_tile_that_fits),
        Lesson("rules.6.5", ("6.5",), _must_put_aside, _laid_last),
        Lesson("rules.6.7", ("6.7",), _can_copy_with_few),
        Lesson("lesson.score", ("5.1", "5.2"), _scores, _laid_last),
        Lesson("lesson.copy", ("6.2", "6.3"), _can_copy, _laid_last),
        Lesson("rules.6.4", ("6.4",), _can_copy),
        Lesson("rules.5.3", ("5.3",), _touches_several, _laid_last),
        Lesson("lesson.nowhere", ("4.6",), _is_unfit_left),
        Lesson("rules.6.1", ("6.1",), _can_discard),
        Lesson("lesson.emblem", ("4.1",), _is_placing, _waiting),
        Lesson("lesson.match", ("4.4",), _edges_decide, _waiting),
        Lesson("rules.4.5", ("4.5",), _path_decides, _waiting),
    ),
    untaught={
        "1.1": MAT, "1.2": MAT, "1.3": MAT, "1.4": MAT,
        "1.5": TAKING_BACK,
        "1.6": "The table refuses to start.",
        "1.7": "The display shows the map of the board.",
        "2.1": "The menu asks for the players.",
        "2.2": "The tiles show it, and the referee counts them.",
        "2.4": "The table says how many tiles go into the box.",
        "2.5": "The table says whose turn it is.",
        "3.2": "The table asks for the place, and the hint says what the controls do.",
        "3.5": "The table skips the player, and says whose turn it is.",
        "4.2": "The controls offer no other place.",
        "4.7": "The controls offer the places, and the display shows the points.",
        "4.8": "The controls offer the places, and the display shows the points.",
        "5.4": MAT,
        "6.6": "The table asks whose helper it is, and how it is used.",
        "7.8": "The table says that no emergency tile helps, and whose turn it is.",
        "8.4": "The table says that nobody can go on.",
        "8.5": "The table says the goal, and if it is reached.",
    },
)  # fmt: skip
