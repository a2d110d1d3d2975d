"""The seats in which the mat plays: its row of cards, and what it waits for.

People lay the cards of such a seat on a reader, face down, and put them beside each other in a row.
So the mat knows its hand, and nobody else does. The journal owns what was laid into the rows; a row
follows from that and from the pieces that were played since. Nothing else stores it, so a power cut
or an undo restores it.

These pure functions use only the engine contract, and do not know any particular game.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engines.common.contract import (
    Ask,
    ChoiceAsk,
    Game,
    NumberAsk,
    PressAsk,
    Seat,
    SeatAsk,
    Tap,
    TapAsk,
    View,
)
from engines.common.hands import HAND_SPOT
from engines.common.layouts import BOARD, COLOURS, HANDS, SHIP, SPREAD, hand
from engines.common.pieces import Piece
from firmware.journal.journal import GameRecord, RowCard
from firmware.table.announcements import ROUND_OVER

MAT_NAME = "Mat"  # in every language
WITH_ROWS = (HANDS, BOARD)  # the layouts in which the mat has pieces that nobody else knows
PLAYED = (*WITH_ROWS, SPREAD, SHIP)  # the layouts of the games in which the mat can play


@dataclass(frozen=True, slots=True)
class MatSeats:
    """The mat's seats in the game of *record* at one moment.

    *view*, *asks* and *named*, the seats that the game waits for, are those of the moment. *since*
    has by seat the number of inputs after which its whole hand changed: older pieces are not in it.
    *shown* are the indexes of inputs with which a piece was only shown. *layout* is the game's.
    """

    record: GameRecord
    view: View
    asks: tuple[Ask, ...]
    named: tuple[Seat, ...]
    since: Mapping[Seat, int]
    shown: frozenset[int]
    layout: str

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in which the mat plays."""
        return self.record.start.mats

    def row(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces in the row of *seat*, from the left.

        In a game in which everybody may know them, return the pieces that it may play now.
        """
        if self.is_open:
            return self._open_pieces(seat)
        since = self.since.get(seat, 0)
        laid = (card for card in self.record.row if card.seat == seat and card.at >= since)
        return tuple(card.piece for card in laid if not self._is_gone(card))

    @property
    def is_open(self) -> bool:
        """True if the mat has no rows: everybody may know its pieces."""
        return self.layout not in WITH_ROWS

    def _open_pieces(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces that only *seat* may play now, and may choose."""
        if self.layout == SPREAD or self.view.phase == COLOURS:
            return ()
        asks = (ask for ask in self.asks if isinstance(ask, TapAsk) and ask.seats == (seat,))
        kinds = frozenset[str]().union(*(ask.kinds for ask in asks))
        return tuple(piece for piece in self.record.start.deck.pieces() if piece.kind in kinds)

    def last_pieces(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces that were laid into the row of *seat* since the last input."""
        now = len(self.record.inputs)
        laid = (card for card in self.record.row if card.seat == seat and card.at == now)
        return tuple(card.piece for card in laid if not self._is_gone(card))

    def _is_gone(self, card: RowCard) -> bool:
        """Return True if *card* was taken out of its row, or played since."""
        if card.until is not None:
            return True
        later = enumerate(self.record.inputs[card.at :], card.at)
        return any(
            isinstance(given, Tap) and given.piece == card.piece and number not in self.shown
            for number, given in later
        )

    def holder(self, piece: Piece) -> Seat | None:
        """Return the mat's seat that has *piece* in its row; None if it is in no row."""
        return next((seat for seat in self.seats if piece in self.row(seat)), None)

    def is_others(self, piece: Piece) -> bool:
        """Return True if somebody who is not the mat may play *piece* now."""
        return any(
            isinstance(ask, TapAsk)
            and piece.kind in ask.kinds
            and not {*ask.seats} <= {*self.seats}
            for ask in self.asks
        )

    @property
    def is_counting(self) -> bool:
        """True while hands are counted."""
        return any(isinstance(ask, TapAsk) and HAND_SPOT in ask.spots for ask in self.asks)

    @property
    def has_rows(self) -> bool:
        """True while the rows must be complete.

        They need not be between rounds, while hands are counted, or during a question about the
        last piece: the rules move pieces after its answer.
        """
        if self.view.is_over or self.view.phase == ROUND_OVER or self.is_counting:
            return False
        return all(isinstance(ask, TapAsk | PressAsk) or _is_for_people(ask) for ask in self.asks)

    def missing(self) -> Iterator[tuple[Seat, int]]:
        """Yield each seat with an incomplete row, and the number of pieces that the row lacks.

        Yield nothing while another seat of the mat gives a piece away, which is the one that lacks.
        """
        if self.giver is not None:
            return
        for seat in self.seats:
            count = self._lack(seat)
            if count > 0:
                yield seat, count

    @property
    def giver(self) -> Seat | None:
        """The mat's seat that must give pieces of its row away, or None."""
        return next((seat for seat in self.seats if self._lack(seat) < 0), None)

    def _lack(self, seat: Seat) -> int:
        """Return how many pieces the row of *seat* lacks; below zero if it has too many."""
        if self.is_open or not self.has_rows:
            return 0
        return self.view.counts.get(hand(seat), 0) - len(self.row(seat))

    @property
    def mover(self) -> Seat | None:
        """The mat's seat whose turn it is; None if the game waits for somebody else.

        A question about what people have seen or heard is for them. The mat itself answers one with
        a usual answer about its own seat, such as whether it has said thank you.
        """
        is_alone = {*self.named} <= {*self.seats} and bool(self.named)
        is_own = any(isinstance(ask, ChoiceAsk) and ask.usual for ask in self.asks) and is_alone
        if any(map(_is_for_people, self.asks)) and not is_own:
            return None
        has_race = any(isinstance(ask, TapAsk) and ask.is_race for ask in self.asks)
        return self.named[0] if is_alone and not (has_race and len(self.named) > 1) else None

    @property
    def thinker(self) -> Seat | None:
        """The mat's seat that has to decide something now, or None."""
        if self.giver is not None:
            return self.giver
        is_waiting = self.is_counting or any(self.missing())
        return None if is_waiting or not self.asks else self.mover


def can_sit(game: Game[Any]) -> bool:
    """Return True if the mat can play *game*."""
    return game.layout in PLAYED


def asks_without(mats: tuple[Seat, ...], asks: tuple[Ask, ...]) -> tuple[Ask, ...]:
    """Return *asks*; a question about the owner of a piece leaves out the seats in *mats*.

    The pieces of the mat's rows are known, so it never owns a piece that people are asked about. A
    question that would have no answer left stays as it is.
    """
    return tuple(map(partial(_ask_without, mats), asks)) if mats else asks


def _ask_without(mats: tuple[Seat, ...], ask: Ask) -> Ask:
    if not isinstance(ask, SeatAsk) or not ask.asks_owner:
        return ask
    people = tuple(seat for seat in ask.seats if seat not in mats)
    return replace(ask, seats=people) if people else ask


def _is_for_people(ask: Ask) -> bool:
    """Return True if *ask* is about something that the mat cannot perceive."""
    match ask:
        case SeatAsk(asks_owner=is_seen) | ChoiceAsk(is_seen=is_seen):
            return is_seen
        case NumberAsk(is_seen=is_seen) | PressAsk(is_seen=is_seen):
            return is_seen
    return False
