"""The player in the mat's seats: decides what to play from what this seat may know.

It follows the advice that the table gives to people, and knows no other hand and no draw pile. It
decides the same again in the same situation, so nothing of it needs to be stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.common.advice import worth_of_kinds
from engines.common.contract import (
    Ask,
    Choice,
    ChoiceAsk,
    Game,
    Input,
    Number,
    NumberAsk,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.layouts import hand
from engines.common.pieces import Piece


@dataclass(frozen=True, slots=True)
class ToPeople:
    """The decision that people choose the piece: the mat does not know which one it is."""


Decision = Input | ToPeople


@dataclass(frozen=True, slots=True)
class MatKnowledge:
    """The knowledge of the mat at *seat*: its *row* of pieces, and the public *state* of *game*."""

    game: Game[Any]
    state: Any
    seat: Seat
    row: tuple[Piece, ...]

    def takes(self, given: Input) -> bool:
        """Return True if the rules accept *given* now, and not as a foul."""
        try:
            return not self.game.step(self.state, given).is_foul
        except RulesError:
            return False


def choose(known: MatKnowledge) -> Decision:
    """Return what the mat does now: the best piece of its row, or an answer, or a button.

    Pieces with a warning are played only if there is nothing else. This is the one place where a
    player of another strength can take over.
    """
    view, asks = known.game.view(known.state), known.game.asks(known.state)
    piece = _best_piece(known, view, asks)
    return Tap(piece) if piece is not None else next(_answers(known, view, asks), ToPeople())


def choose_gift(known: MatKnowledge) -> Piece:
    """Return the piece of the row that the mat gives away: the one that is worth least to it."""
    worth = worth_of_kinds(known.game, known.state)
    return min(known.row, key=lambda piece: worth.get(piece.kind, -1))


def _best_piece(known: MatKnowledge, view: View, asks: Sequence[Ask]) -> Piece | None:
    """Return the piece of the row that is worth the most now; None if none can be played."""
    if not any(isinstance(ask, TapAsk) and known.seat in ask.seats for ask in asks):
        return None
    worth: Mapping[str, float] = worth_of_kinds(known.game, known.state)
    free = known.row if view.barred_by is None else known.row[-1:] if view.is_drawn_free else ()
    fits = [piece for piece in free if known.takes(Tap(piece, seat=known.seat))]
    order = lambda piece: (piece.kind not in view.warnings, worth.get(piece.kind, 0))  # noqa: E731
    return max(fits, key=order, default=None)


def _answers(known: MatKnowledge, view: View, asks: Sequence[Ask]) -> Iterator[Input]:
    """Yield answers to the questions in *asks*, the best one first."""
    for ask in asks:
        match ask:
            case NumberAsk(low, high):
                numbers = range(high, low - 1, -1)
                good = (number for number in numbers if str(number) not in view.warnings)
                yield Number(next(good, low))
            case ChoiceAsk(names, usual):
                yield Choice(usual or names[0])
            case SeatAsk(seats):
                others = [seat for seat in seats if seat != known.seat] or seats
                yield SeatChoice(min(others, key=lambda seat: view.counts.get(hand(seat), 0)))
            case PlaceAsk(offers, start):
                yield PlaceChoice(offers[start].place)
            case PressAsk(button, is_vain=False):
                yield Press(button)
