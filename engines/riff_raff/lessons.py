"""The lessons of the game: what the table teaches, and when.

May import: the standard library and engines.common.
May be imported by: engines.riff_raff only, and tests.
"""

from typing import Final

from engines.common.contract import Seat
from engines.common.lessons import MAT, TAKING_BACK, Lesson, Lessons, Moment, after, in_phase
from engines.common.pieces import Piece
from engines.riff_raff.box import Card
from engines.riff_raff.rules import ROUNDS, passes
from engines.riff_raff.ship import YARDARMS
from engines.riff_raff.state import Phase, State

_is_loading = in_phase(Phase.PIECE.value, Phase.LOAD.value)
_turn_begins = after("loads")
_settles = after("leave", "takes")
_returns = after("placed-returns")


def _last_round_begins(moment: Moment) -> bool:
    state: State = moment.state
    is_last = state.number == ROUNDS and state.passes == passes(state.config.seats)
    return after("round-begins")(moment) and is_last


def _holds_and_next_loads(moment: Moment) -> bool:
    return after("holds")(moment) and _turn_begins(moment)


def _can_win_now(moment: Moment) -> bool:
    state: State = moment.state
    if not _is_loading(moment):
        return False
    turn = state.acting
    return state.stocks[turn.seat] == turn.announced - turn.loaded


def _chooses_captain(moment: Moment) -> bool:
    """Return True if the old captain may choose any of the tied players (RULES 3.5)."""
    state: State = moment.state
    is_free = state.house.captain_names_himself
    return state.phase is Phase.CAPTAIN and (
        is_free or state.captain not in state.tied_seats(state.everyone)
    )


def _takes_back(moment: Moment) -> bool:
    state: State = moment.state
    return _returns(moment) and state.house.placed_returns


def _settles_a_fall(moment: Moment) -> bool:
    return _settles(moment) and not _returns(moment) and not moment.view.is_over


def _announced_two(moment: Moment) -> bool:
    state: State = moment.state
    return after("announces")(moment) and state.acting.announced > 1


def _is_only_one(moment: Moment) -> bool:
    """Return True if a yardarm is empty as players have said, or if it is not, but one is left."""
    state: State = moment.state
    if not _begins_on_yardarm(moment):
        return after("one-piece")(moment)
    turn = state.acting
    return state.ship.least(turn.area) > 0 and state.stocks[turn.seat] == 1


def _begins_on_yardarm(moment: Moment) -> bool:
    state: State = moment.state
    return _turn_begins(moment) and state.acting.area in YARDARMS


def _may_hold_two(moment: Moment) -> bool:
    state: State = moment.state
    return _begins_on_yardarm(moment) and state.stocks[state.acting.seat] > 1


def _begins_on_deck(moment: Moment) -> bool:
    return _turn_begins(moment) and not _begins_on_yardarm(moment)


def _has_more_rounds(moment: Moment) -> bool:
    state: State = moment.state
    return after("round-begins")(moment) and state.number > 1


def _has_cargo_aboard(moment: Moment) -> bool:
    state: State = moment.state
    return _is_loading(moment) and state.ship.total > 0


def _card_of(state: State, seat: Seat) -> Piece | None:
    """Return the card that *seat* has revealed in this round, or None."""
    colour, number = state.colours[seat], state.shown[seat]
    return Piece(Card(colour, number).kind) if colour and number else None


def _captains_card(moment: Moment) -> Piece | None:
    return _card_of(moment.state, moment.state.captain)


def _loaders_card(moment: Moment) -> Piece | None:
    return _card_of(moment.state, moment.state.acting.seat)


TAGGED = "With tagged cargo, the table asks for each tap, and refuses a wrong one."

LESSONS: Final = Lessons(
    opening=(
        Lesson("lesson.start", ("2.2",)),
        Lesson("lesson.turn", ("3.1", "4.1")),
    ),
    lessons=(
        Lesson("rules.6.3", ("6.3",), after("cards-back")),
        Lesson("lesson.last", ("6.4",), _last_round_begins),
        Lesson("rules.6.1", ("6.1",), _can_win_now),
        Lesson("rules.3.5", ("3.5",), _chooses_captain),
        Lesson("rules.3.7", ("3.7",), in_phase(Phase.ORDER.value)),
        Lesson("rules.5.5", ("5.5", "5.6"), _takes_back),
        Lesson("rules.5.3", ("5.3", "5.4"), _settles_a_fall),
        Lesson("lesson.fall", ("5.1",), after("overboard")),
        Lesson("rules.4.4", ("4.4",), _announced_two),
        Lesson("lesson.two", ("4.2",), in_phase(Phase.ANNOUNCE.value), _loaders_card),
        Lesson("rules.4.3", ("4.3",), _is_only_one),
        Lesson("rules.2.3", ("2.3",), in_phase(Phase.COLOURS.value)),
        Lesson("rules.3.3", ("3.3",), _has_more_rounds),
        Lesson("lesson.reveal", ("3.1", "3.2"), after("round-begins")),
        Lesson("lesson.captain", ("3.4", "3.6"), after("captain"), _captains_card),
        Lesson("rules.goal", ("6.1",), _holds_and_next_loads),
        Lesson("lesson.yardarm", ("2.4", "4.2"), _may_hold_two, _loaders_card),
        Lesson("does.deck", ("2.4", "4.1"), _begins_on_deck, _loaders_card),
        Lesson("lesson.hands", ("4.1", "4.8"), _has_cargo_aboard),
        Lesson("lesson.catch", ("5.2",), _has_cargo_aboard),
        Lesson("lesson.late", ("4.5",), _holds_and_next_loads),
    ),
    untaught={
        "1.1": MAT, "1.2": MAT, "1.3": MAT, "1.4": MAT, "1.7": MAT,
        "1.5": TAKING_BACK,
        "1.6": "The table refuses to start.",
        "2.1": "The menu asks for the players and the captain.",
        "4.6": "The table asks if there is a piece in the area.",
        "4.7": "The table says who loads next.",
        "5.7": "The table asks which piece fell.",
        "6.2": "The table says that a round begins.",
        "7.1": TAGGED, "7.2": TAGGED, "7.3": TAGGED, "7.4": TAGGED,
    },
)  # fmt: skip
