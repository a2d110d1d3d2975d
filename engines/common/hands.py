"""Counting the hands when a round is over.

May import: the standard library and engines.common.
May be imported by: every game, tests.

Players lay their hands on a reader one after the other, card by card. The mat knows the number of
cards in each hand, but not the cards. A hand is complete when the mat has counted all its cards, or
when the players say that it is complete.
"""

from dataclasses import dataclass
from typing import Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Seat
from engines.common.copies import replace
from engines.common.errors import AlreadyPlayed
from engines.common.pieces import Deck, Piece

HAND_SPOT = "hand"  # a spot for counting hands; not every mat has it


@dataclass(frozen=True, slots=True)
class Counting:
    """The seats whose hands must still be counted, and the cards counted so far."""

    waiting: tuple[Seat, ...] = ()  # seats still to be counted; the first is being counted
    shown: tuple[frozenset[Piece], ...] = ()  # cards counted, by seat

    @property
    def seat(self) -> Seat:
        """The seat whose hand is being counted."""
        return self.waiting[0]

    @property
    def spots(self) -> tuple[str, ...]:
        """The spots that accept cards of the hand being counted."""
        return (PLAY_SPOT, SEAT_SPOTS[self.waiting[0]], HAND_SPOT)

    def left(self, hands: tuple[int, ...]) -> int:
        """Return the number of cards still to be counted. *hands* are the hand sizes by seat."""
        seat = self.waiting[0]
        return hands[seat] - len(self.shown[seat])

    def points(self, seat: Seat, deck: Deck) -> int:
        """Return the total value of *seat*'s cards counted so far."""
        kinds = deck.by_name
        return sum([kinds[piece.kind].value for piece in self.shown[seat]])

    def points_so_far(self, deck: Deck) -> tuple[int | None, ...]:
        """Return ``View.counted``: by seat, the points counted so far; None without a card."""
        seats = enumerate(self.shown)
        return tuple(self.points(Seat(seat), deck) if cards else None for seat, cards in seats)

    def shown_with(self, piece: Piece) -> tuple[frozenset[Piece], ...]:
        """Return the cards counted, by seat, with *piece* added to the hand being counted.

        Raises:
            AlreadyPlayed: *piece* was counted before.
        """
        for owner, cards in enumerate(self.shown):
            if piece in cards:
                raise AlreadyPlayed(piece=piece, place="hand", seat=owner)
        seat, shown = self.seat, self.shown
        return (*shown[:seat], shown[seat] | {piece}, *shown[seat + 1 :])

    def after_hand(self) -> Self:
        """Return a new Counting that goes on to the next hand."""
        return replace(self, waiting=self.waiting[1:])
