"""The seats in which the mat plays: its row of cards, and what it waits for.

People lay the cards of such a seat on a reader, face down, and put them beside each other in a row.
So the mat knows its hand, and nobody else does. The journal owns what was laid into the rows; a row
follows from that and from the pieces that were played since. Nothing else stores it, so a power cut
or an undo restores it.

These pure functions use only the engine contract, and do not know any particular game.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engines.common.contract import Ask, Game, Seat, SeatAsk, Tap, TapAsk, View
from engines.common.hands import HAND_SPOT
from engines.common.layouts import HANDS, hand
from engines.common.pieces import Piece
from firmware.journal.journal import GameRecord
from firmware.table.announcements import ROUND_OVER

MAT_NAME = "Mat"  # in every language
PLAYED = (HANDS,)  # the layouts of the games in which the mat can play


@dataclass(frozen=True, slots=True)
class MatSeats:
    """The mat's seats in the game of *record* at one moment.

    *view*, *asks* and *named*, the seats that the game waits for, are those of the moment. *since*
    is the number of inputs at the end of the last round: rows laid before are over.
    """

    record: GameRecord
    view: View
    asks: tuple[Ask, ...]
    named: tuple[Seat, ...]
    since: int

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in which the mat plays."""
        return self.record.start.mats

    def row(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces in the row of *seat*, from the left."""
        return tuple(
            card.piece
            for card in self.record.row
            if card.seat == seat and card.at >= self.since and not self._is_played(card.piece, card.at)
        )

    def _is_played(self, piece: Piece, since: int) -> bool:
        """Return True if *piece* was tapped after the first *since* inputs."""
        later = self.record.inputs[since:]
        return any(isinstance(given, Tap) and given.piece == piece for given in later)

    def holder(self, piece: Piece) -> Seat | None:
        """Return the mat's seat that has *piece* in its row; None if it is in no row."""
        return next((seat for seat in self.seats if piece in self.row(seat)), None)

    @property
    def is_counting(self) -> bool:
        """True while hands are counted."""
        return any(isinstance(ask, TapAsk) and HAND_SPOT in ask.spots for ask in self.asks)

    @property
    def has_rows(self) -> bool:
        """True while the rows must be complete: not between rounds, nor while hands are counted."""
        is_over = self.view.is_over or self.view.phase == ROUND_OVER
        return not is_over and not self.is_counting

    def missing(self) -> Iterator[tuple[Seat, int]]:
        """Yield each seat with an incomplete row, and the number of pieces that the row lacks."""
        if not self.has_rows:
            return
        for seat in self.seats:
            count = self.view.counts.get(hand(seat), 0) - len(self.row(seat))
            if count > 0:
                yield seat, count

    @property
    def mover(self) -> Seat | None:
        """The mat's seat whose turn it is; None if the game waits for somebody else.

        A question whose piece was tapped is for the people, who have seen it.
        """
        if any(isinstance(ask, SeatAsk) and ask.asks_owner for ask in self.asks):
            return None
        return self.named[0] if len(self.named) == 1 and self.named[0] in self.seats else None

    @property
    def thinker(self) -> Seat | None:
        """The mat's seat that has to decide something now, or None."""
        is_waiting = self.is_counting or any(self.missing())
        return None if is_waiting or not self.asks else self.mover


def can_sit(game: Game[Any]) -> bool:
    """Return True if the mat can play *game*."""
    return game.layout in PLAYED
