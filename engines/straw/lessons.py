"""The lessons of the game: what the table teaches, and when.

May import: the standard library and engines.common.
May be imported by: engines.straw only, and tests.
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
    after_laying,
    in_phase,
    piece_of_tap,
)
from engines.common.pieces import Piece
from engines.straw.rules import CAMEL_LIMIT, Phase, State

NEAR = 10  # a weight this much below the limit can break the camel's back, or reach it exactly


def _is_heavy(moment: Moment) -> bool:
    state: State = moment.state
    return moment.view.phase == "play" and state.round.weight > CAMEL_LIMIT - NEAR


def _is_full(moment: Moment) -> bool:
    state: State = moment.state
    return moment.view.phase == "play" and state.round.weight == CAMEL_LIMIT


def _is_below_zero(moment: Moment) -> bool:
    state: State = moment.state
    return moment.view.phase == "play" and state.round.weight < 0


def _laid_on_camel(family: str) -> Condition:
    """Return a condition that is true after a card of *family* was laid on the camel.

    In a hand that is counted, a card does not do what it does on the camel.
    """
    return lambda moment: moment.before.phase is Phase.PLAY and after_laying(family)(moment)


def _passed_on_empty_camel(moment: Moment) -> bool:
    before: State = moment.before
    return not before.round.camel and after("passed")(moment)


def _is_copied_copy(moment: Moment) -> bool:
    before: State = moment.before
    return before.round.top == "copy" and _laid_on_camel("copy")(moment)


def _laid_last(moment: Moment) -> Piece | None:
    """Return the card that has just been laid, or whose weight has just been chosen."""
    before: State = moment.before
    return piece_of_tap(moment) or before.lamp


LESSONS: Final = Lessons(
    opening=(
        Lesson("rules.start", ("2.2",)),
        Lesson("lesson.turn", ("3.1", "3.3")),
    ),
    lessons=(
        Lesson("does.straw", ("6.1", "6.2", "6.3", "7.1"), _is_full),
        Lesson("rules.4.1", ("4.1",), _is_heavy, _laid_last),
        Lesson("does.lamp", ("5.4",), _laid_on_camel("lamp"), piece_of_tap),
        Lesson("rules.5.7", ("5.7",), _is_copied_copy, piece_of_tap),
        Lesson("does.copy", ("5.5", "5.6", "5.8", "5.9"), _laid_on_camel("copy"), piece_of_tap),
        Lesson("does.reverse", ("5.3",), _laid_on_camel("reverse"), piece_of_tap),
        Lesson("does.carpet", ("5.2",), _laid_on_camel("carpet"), piece_of_tap),
        Lesson("rules.3.4", ("3.4",), _is_below_zero, _laid_last),
        Lesson("lesson.total", ("3.2", "5.1"), after("weight"), _laid_last),
        Lesson("rules.4.6", ("4.6",), _passed_on_empty_camel),
        Lesson("lesson.hand", ("7.2", "7.3"), in_phase("scoring")),
        Lesson("lesson.won", ("8.1", "8.2", "8.3"), in_phase("round-over")),
    ),
    untaught={
        "1.1": MAT, "1.2": MAT, "1.3": MAT, "1.4": MAT, "1.6": MAT,
        "1.5": TAKING_BACK,
        "2.1": "The menu asks for the players, and the table names the dealer.",
        "2.3": "The table says whose turn it is.",
        "2.4": "The table shows the direction.",
        "3.5": "The table says whose turn it is.",
        "3.6": "The table skips the player, and says whose turn it is.",
        "4.2": "The table says who broke the camel's back.",
        "4.3": "It follows from 4.1, and the table says who broke the camel's back.",
        "4.4": "It cannot happen with a full deck.",
        "4.5": "The table offers the button when it can be true, and its hint says so.",
        "7.4": "The hint says what to do with a hand that is short.",
        "7.5": "The referee adds the points.",
        "7.6": "The referee adds the points.",
        "8.4": "The table says the goal, the cards packed, and if the goal is reached.",
    },
)  # fmt: skip
