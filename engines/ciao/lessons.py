"""The lessons of the game: what the table teaches, and when.

May import: the standard library and engines.common.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.ciao.cards import AGAIN, COLOURS
from engines.ciao.rules import PENALTY, PLUS
from engines.ciao.state import Phase, State
from engines.common.contract import Choice
from engines.common.lessons import MAT, TAKING_BACK, Lesson, Lessons, Moment, after, in_phase
from engines.common.pieces import Piece

_in_play = in_phase("play")


# --- a turn --------------------------------------------------------------------------------------


def _must_beat(moment: Moment) -> bool:
    state: State = moment.state
    return _in_play(moment) and state.round.top is not None and not state.round.debt


def _colour_counts(moment: Moment) -> bool:
    state: State = moment.state
    return _must_beat(moment) and state.house.has_colours


def _stronger_colour_beats(moment: Moment) -> bool:
    top = moment.state.round.top
    return _colour_counts(moment) and top.colour != COLOURS[-1]


def _wrong_card_costs(moment: Moment) -> bool:
    return _must_beat(moment) and _can_draw_penalty(moment.state)


def _can_draw_penalty(state: State) -> bool:
    return state.draw(state.round.turn, PENALTY).n == PENALTY


def _may_lay_drawn_card(moment: Moment) -> bool:
    state: State = moment.state
    is_drawn = _in_play(moment) and after("draws")(moment) and state.round.has_drawn
    return is_drawn and state.house.only_drawn_card


def _has_last_card(moment: Moment) -> bool:
    state: State = moment.state
    is_true = state.house.has_specials and state.house.swap_goes_out
    return _in_play(moment) and is_true and 1 in state.round.hands


def _may_get_obstacle(moment: Moment) -> bool:
    state: State = moment.state
    moves = in_phase("play", "thanks")(moment) and after("draws", "gives", "swaps")(moment)
    return moves and any(state.card(piece).is_obstacle for piece in state.config.pieces)


# --- jokers and specials -------------------------------------------------------------------------


def _keeps_colour(moment: Moment) -> bool:
    before: State = moment.before
    return before.phase is Phase.SYMBOL and _colour_counts(moment)


def _begins_again(moment: Moment) -> bool:
    before, state = moment.before, moment.state
    is_same = moment.given == Choice(AGAIN) and before.round.last == state.round.last
    return is_same and _must_beat(moment)


def _race_costs(moment: Moment) -> bool:
    house = moment.state.house
    is_true = house.race_penalty and house.race_out
    return after("race")(moment) and is_true and _can_draw_penalty(moment.state)


def _race_is_won(moment: Moment) -> bool:
    return _in_play(moment) and moment.before.won is None and moment.state.won is not None


def _owes(moment: Moment) -> bool:
    state: State = moment.state
    is_true = state.round.debt == PLUS and not state.house.plus3_must_beat
    return after("owes")(moment) and is_true and _can_draw_penalty(state)


def _owes_more(moment: Moment) -> bool:
    return after("owes")(moment) and moment.state.round.debt > PLUS


def _gives(moment: Moment) -> bool:
    return in_phase("give", "thanks")(moment) and after("to-whom", "gives")(moment)


def _says_thanks(moment: Moment) -> bool:
    return after("say-thanks")(moment) and _can_draw_penalty(moment.state)


def _swaps(moment: Moment) -> bool:
    return in_phase("swap", "play")(moment) and after("with-whom", "swaps")(moment)


def _top(moment: Moment) -> Piece | None:
    """Return the top card of the discard pile; all lessons about a card are about this one."""
    state: State = moment.state
    return state.round.last


SAID = "The table says it when it happens."
FOUL = "The notice about a wrong card says what was wrong, and what it costs."

LESSONS: Final = Lessons(
    opening=(
        Lesson("rules.start", ("2.2",)),
        Lesson("lesson.turn", ("3.1", "3.2")),
    ),
    lessons=(
        Lesson("rules.5.1", ("5.2",), _keeps_colour, _top),
        Lesson("does.joker", ("5.1",), in_phase("symbol"), _top),
        Lesson("does.speed", ("6.4",), after("race"), _top),
        Lesson("rules.8.4", ("8.4",), _race_costs),
        Lesson("rules.6.3", ("6.3",), _begins_again, _top),
        Lesson("does.again", ("6.3",), in_phase("again"), _top),
        Lesson("lesson.debt", ("6.6",), _owes_more, _top),
        Lesson("does.plus3", ("6.6",), _owes, _top),
        Lesson("does.give", ("6.7",), _gives, _top),
        Lesson("does.swap", ("6.8",), _swaps, _top),
        Lesson("lesson.race", ("6.5",), _race_is_won, _top),
        Lesson("rules.8.5", ("8.5",), _says_thanks),
        Lesson("rules.7.1", ("7.1",), _has_last_card),
        Lesson("lesson.hand", ("7.3", "7.5"), in_phase("scoring")),
        Lesson("lesson.points", ("7.4",), in_phase("scoring")),
        Lesson("lesson.won", ("7.7",), in_phase("round-over")),
        Lesson("rules.3.4", ("3.4",), _may_lay_drawn_card),
        Lesson("does.obstacle", ("5.3",), _may_get_obstacle),
        Lesson("rules.symbols", ("4.1", "4.2"), _must_beat, _top),
        Lesson("rules.colours", ("4.3",), _stronger_colour_beats, _top),
        Lesson("rules.8.1", ("8.1",), _wrong_card_costs),
        Lesson("rules.4.4", ("4.4",), _colour_counts, _top),
    ),
    untaught={
        "1.1": MAT, "1.2": MAT, "1.3": MAT, "1.4": MAT, "1.6": MAT, "3.3": MAT,
        "1.5": TAKING_BACK,
        "2.1": "The menu asks for the players.",
        "2.3": "The table says who begins.",
        "2.4": "The table says that any card may be laid.",
        "3.5": "The table says whose turn it is.",
        "3.6": "The table says how many cards each player draws.",
        "3.7": "The table says how many of the discards to shuffle.",
        "3.8": SAID,
        "3.9": "The table asks whose card it is.",
        "6.1": "Each special has a lesson.",
        "6.2": "The table asks for the special.",
        "6.9": "With two players, the table does not ask.",
        "7.2": "The table says who wins.",
        "7.6": "The table asks if there are more cards.",
        "7.8": "The table says who begins.",
        "7.9": SAID,
        "8.2": FOUL, "8.3": FOUL,
        "9.1": "The referee refuses a card that should be in the box.",
        "9.2": FOUL,
    },
)  # fmt: skip
