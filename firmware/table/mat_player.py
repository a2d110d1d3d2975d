"""The player in the mat's seats: decides what to play from what this seat may know.

It asks the player of strength that a distribution offers under the entry points ``tapmat.players``.
Without one, or if that has no answer, it follows the advice that the table gives to people. It
knows no other hand and no draw pile. It decides the same again in the same situation, so nothing of
it needs to be stored.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
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
from firmware.journal.journal import GameRecord
from firmware.voice.settings import Strength

log = logging.getLogger(__name__)

GROUP = "tapmat.players"


@dataclass(frozen=True, slots=True)
class ToPeople:
    """The decision that people choose the piece: the mat does not know which one it is."""


Decision = Input | ToPeople


@dataclass(frozen=True, slots=True)
class MatKnowledge:
    """The knowledge of the mat at *seat*: its *row* of pieces, and the public *state* of *game*.

    *record* has the inputs, which everybody knows, and no rows. *drawn* are the pieces of the row
    that were laid since the last input. If *is_giver*, the mat has to give one of its pieces away.
    *strength* says how well it should play.
    """

    game: Game[Any]
    state: Any
    seat: Seat
    row: tuple[Piece, ...]
    record: GameRecord
    strength: Strength = Strength.GOOD
    drawn: tuple[Piece, ...] = ()
    is_giver: bool = False

    @property
    def moment(self) -> str:
        """The seed of its random numbers: the same in the same situation."""
        return f"{self.record.number} {len(self.record.inputs)} {self.seat}"

    @property
    def chance(self) -> Random:
        """Its random numbers."""
        return Random(self.moment)

    def takes(self, given: Input) -> bool:
        """Return True if the rules accept *given* now, and not as a foul."""
        try:
            return not self.game.step(self.state, given).is_foul
        except RulesError:
            return False


StrongPlayer = Callable[[MatKnowledge], Input | None]


def has_players() -> bool:
    """Return True if a player of strength is installed."""
    return bool(_offers())


@cache
def _offers() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


@cache
def _player() -> StrongPlayer | None:
    """Return the first installed player of strength that can be loaded, or None."""
    for offer in _offers():
        try:
            player: StrongPlayer = offer.load()
        except Exception as fault:  # third-party code may raise anything
            log.warning("The players %s cannot be loaded: %r", offer.value, fault)
        else:
            return player
    return None


def choose(known: MatKnowledge) -> Decision:
    """Return what the mat does now: a piece of its row, or an answer, or a button.

    If it has to give a piece away, return the tap of that piece.
    """
    strong = _strong_choice(known)
    if strong is not None:
        return strong
    return Tap(choose_gift(known)) if known.is_giver else follow_advice(known)


def _strong_choice(known: MatKnowledge) -> Input | None:
    """Return the choice of the player of strength if the rules accept it, else None."""
    player = _player()
    try:
        given = None if player is None else player(known)
    except Exception:  # players know the printed rules; a table may be in any state
        log.exception("The mat follows advice: its player of strength failed.")
        return None
    if not isinstance(given, Tap):
        return given if given is not None and known.takes(given) else None
    fits = known.row if known.is_giver else _fitting(known, known.game.view(known.state))
    return Tap(given.piece) if given.piece in fits else None


def follow_advice(known: MatKnowledge) -> Decision:
    """Return the best piece of the row by the advice of *known.game*, or an answer, or a button.

    Pieces with a warning are played only if there is nothing else. Of several equally good ones, it
    plays any, so that people cannot tell which one comes.
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
    fits = _fitting(known, view)
    ranks = [(piece.kind not in view.warnings, worth.get(piece.kind, 0)) for piece in fits]
    best = [piece for piece, rank in zip(fits, ranks, strict=True) if rank == max(ranks)]
    return known.chance.choice(best) if best else None


def _fitting(known: MatKnowledge, view: View) -> list[Piece]:
    """Return the pieces of the row that the mat may play now."""
    free = known.row if view.barred_by is None else known.row[-1:] if view.is_drawn_free else ()
    return [piece for piece in free if known.takes(Tap(piece, seat=known.seat))]


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
