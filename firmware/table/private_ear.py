"""The private ear: which players listen with their phones, and what each of them is told alone.

A player who listens can hold cards to a reader, and hears on their own phone which cards these are.
Nothing of that is said at the mat, shown, or written to the journal. The state is kept in memory
only: after a restart, phones say again that they listen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engines.common.contract import seat_of_spot
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece

SILENT_S = 120.0  # without a sign of life of its phone, a player loses the hand reader


LineMoment = tuple[int, str]  # the number of the last journal entry of a game, and the language


class LineKind(StrEnum):
    """The kinds of private lines."""

    CARDS = "cards"  # the cards that the player holds to a reader
    PLAYABLE = "playable"  # the answer to "What can I play?"
    OVERVIEW = "overview"  # the answer to "Where are we?"
    EAR = "ear"  # where to hold cards


@dataclass(frozen=True, slots=True)
class PrivateLine:
    """A line for one player. *number* grows with each line, so that a phone says it once.

    If the line is a lesson about a piece, *piece* is the name of its kind.
    """

    number: int
    kind: LineKind
    text: str
    piece: str | None = None


@dataclass
class PrivateEars:
    """The players who listen, by name; the last line for each; and the cards that they showed.

    Each line has the moment that it is about. *hand_reader_of* is the player who alone hears the
    cards on the shared hand reader; it is None while the reader is free. *heard_s* is the time of
    the last sign of life of that player's phone.
    """

    listening: set[str] = field(default_factory=set)
    hand_reader_of: str | None = None
    heard_s: float = 0.0
    lines: dict[str, tuple[PrivateLine, LineMoment]] = field(default_factory=dict)
    _shown: dict[str, dict[Piece, int]] = field(default_factory=dict)
    _count: int = 0  # the number of lines so far

    def hear_from(self, player: str, at_s: float) -> None:
        """Note a sign of life of *player*'s phone at *at_s*."""
        if player == self.hand_reader_of:
            self.heard_s = at_s

    def silent(self, now_s: float) -> str | None:
        """Return the player who has the hand reader, if their phone is silent for too long."""
        return self.hand_reader_of if now_s - self.heard_s >= SILENT_S else None

    def listen(self, player: str, at_s: float, *, has_hand_reader: bool) -> bool:
        """Let *player* listen from *at_s*. Return True if the hand reader is now this player's.

        It stays with the player who had it first, so that nobody hears another player's cards.
        """
        self.listening.add(player)
        if not has_hand_reader or self.hand_reader_of is not None:
            return False
        self.hand_reader_of, self.heard_s = player, at_s
        return True

    def stop(self, player: str) -> None:
        """Let *player* listen no more, and forget their cards and their last line."""
        self.listening.discard(player)
        self.forget_cards(player)
        self.lines.pop(player, None)
        if self.hand_reader_of == player:
            self.hand_reader_of = None

    def keep(self, names: Sequence[str]) -> None:
        """Stop for all players who are not in *names*."""
        for player in {*self.listening, *self.lines} - {*names}:
            self.stop(player)

    def listener(self, spot: str, names: Sequence[str]) -> str | None:
        """Return the player who alone hears the cards on *spot*; None if that is nobody.

        *names* are the players of the game by seat.
        """
        seat = seat_of_spot(spot)
        if spot == HAND_SPOT:
            player = self.hand_reader_of
        else:
            player = names[seat] if seat is not None and seat < len(names) else None
        return player if player in self.listening else None

    def show(self, player: str, pieces: Sequence[Piece], moment: int) -> None:
        """Remember *pieces* as in *player*'s hand. *moment* is the number of inputs so far."""
        self._shown.setdefault(player, {}).update(dict.fromkeys(pieces, moment))

    def cards_of(self, player: str) -> dict[Piece, int]:
        """Return the pieces that *player* has shown, each with its moment."""
        return self._shown.get(player, {})

    def rewind(self, moment: int) -> None:
        """Note that there are only *moment* inputs: later ones were undone."""
        for pieces in self._shown.values():
            pieces.update({piece: moment for piece, at in pieces.items() if at > moment})

    def forget_cards(self, *players: str) -> None:
        """Forget the cards that *players* have shown: their hands are others now."""
        for player in players:
            self._shown.pop(player, None)

    def tell(
        self,
        player: str,
        kind: LineKind,
        text: str,
        moment: LineMoment,
        piece: str | None = None,
    ) -> None:
        """Make *text* the last line for *player*. *piece* is as in ``PrivateLine``."""
        self._count += 1
        self.lines[player] = PrivateLine(self._count, kind, text, piece), moment

    def line_of(self, player: str, moment: LineMoment) -> PrivateLine | None:
        """Return the last line for *player* if it is about *moment*, or None."""
        line, told_at = self.lines.get(player, (None, None))
        return line if told_at == moment else None
