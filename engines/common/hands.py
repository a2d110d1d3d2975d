"""Hands laid down: counting what players still hold when a round is over.

Room: engines/common.
May import: the standard library and engines.common.
May be imported by: every game, tests.

One hand after the other is laid card by card. The mat knows how many cards a hand must hold, never
which, so a hand is complete when that many were laid, or when people say that it is.
"""

from dataclasses import dataclass, replace
from typing import Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Seat
from engines.common.errors import AlreadyPlayed
from engines.common.pieces import Deck, Piece

HAND_SPOT = "hand"  # where a mat with a reader for it takes the hands that are laid down


@dataclass(frozen=True, slots=True)
class Counting:
    """The hands being counted, and the cards counted so far; a game adds what it must keep."""

    waiting: tuple[Seat, ...] = ()  # hands still to count; the first is being counted
    shown: tuple[frozenset[Piece], ...] = ()  # cards counted, by seat; their order is no matter

    @property
    def seat(self) -> Seat:
        """Whose hand is being counted."""
        return self.waiting[0]

    @property
    def spots(self) -> tuple[str, ...]:
        """Where its cards are read."""
        return (PLAY_SPOT, SEAT_SPOTS[self.seat], HAND_SPOT)

    def left(self, hands: tuple[int, ...]) -> int:
        """How many cards of it are still to be laid, if it is as large as *hands* says."""
        return hands[self.seat] - len(self.shown[self.seat])

    def points(self, seat: Seat, deck: Deck) -> int:
        """What the cards counted of a hand are worth."""
        return sum(deck.by_name[piece.kind].value for piece in self.shown[seat])

    def with_card(self, piece: Piece) -> Self:
        """*piece* is of the hand being counted.

        Raises:
            AlreadyPlayed: it was counted before.
        """
        for owner, cards in enumerate(self.shown):
            if piece in cards:
                raise AlreadyPlayed(piece=piece, place="hand", seat=owner)
        seat, shown = self.seat, self.shown
        return replace(self, shown=(*shown[:seat], shown[seat] | {piece}, *shown[seat + 1 :]))

    def closed(self) -> Self:
        """The hand being counted is complete."""
        return replace(self, waiting=self.waiting[1:])
