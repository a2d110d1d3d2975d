"""Find the player who made an input of a game.

This is the player whose reader sensed the piece, or else the player who held it, or else the
current player. In a race, nobody is the current player: then it is the player that an answer names.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from engines.common import layouts
from engines.common.contract import Seat, SeatChoice, Tap
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.journal.journal import GameRecord
from firmware.table.announcements import ROUND_OVER
from sim.deal.transitions import Transition, transitions_of

PLAY_PHASES = ("play", "race")
PLACE_PHASE = "place"  # the tapped piece waits for its place
Holder = Callable[[int, Piece], Seat | None]  # who held a piece after that number of inputs


class PlayedPiece(NamedTuple):
    """A piece that the player in *seat* played.

    *number* is the number of that input in the game, from 1. *worth* is the number that the piece
    counts for, if it is not printed on it.
    """

    number: int
    seat: Seat
    piece: Piece
    worth: int | None = None


def last_play_of(others: Collection[int], record: GameRecord, holder: Holder) -> int | None:
    """Return the number of inputs before the last input that was not made by the seats in *others*.

    Return None if they made all inputs. A tap on a seat's reader is made by that seat. A tap on the
    shared reader is made by the seat that held the piece, as *holder* says: some pieces are played
    out of turn. Other inputs are made by the current player. An answer in a race, which has no
    current player, is made by the seat that it names. An input that anybody may have made counts as
    not made by *others*. An answer that the page gives by itself is no play: what lies there, and
    if there is only one other player, that thanks were said.
    """
    _, transitions = transitions_of(games()[record.start.game], record)
    is_alone = len(record.start.names) - len(others) == 1
    by_page = (layouts.LOOK, layouts.THANKS) if is_alone else (layouts.LOOK,)
    numbers = (
        n for n in reversed(range(len(transitions))) if transitions[n].before.phase not in by_page
    )
    return next((n for n in numbers if _actor(n, transitions[n], holder) not in others), None)


def last_tap_of(record: GameRecord, holder: Holder) -> PlayedPiece | None:
    """Return the last piece that a player tapped to play it, or None.

    Taps that count or show a piece, or choose a piece that has no place yet, are ignored.
    *holder* returns the seat that held a piece.
    """
    _, transitions = transitions_of(games()[record.start.game], record)
    is_placing = bool(transitions) and transitions[-1].after.phase == PLACE_PHASE
    for number in reversed(range(len(transitions) - is_placing)):
        given, before = transitions[number].given, transitions[number].before
        if isinstance(given, Tap) and before.phase in PLAY_PHASES:
            seat = _actor(number, transitions[number], holder)
            worth = transitions[-1].after.worth.get(given.piece)
            return None if seat is None else PlayedPiece(number + 1, seat, given.piece, worth)
    return None


def _actor(number: int, transition: Transition, holder: Holder) -> Seat | None:
    given, before = transition.given, transition.before
    if before.phase == ROUND_OVER:
        return None
    match given:
        case Tap(seat=seat) if seat is not None:
            return seat
        case Tap(piece) if (held_by := holder(number, piece)) is not None:
            return held_by
        case SeatChoice(seat) if before.turn is None:
            return seat
    return before.turn
