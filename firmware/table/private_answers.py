"""The private answers: what players ask alone, on their phones or with cards on a private reader.

A phone asks with a command. A player who listens can also hold cards of the game to a private
reader, or a command card. Only this player gets the answer; the game is not changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engines.common.contract import SEAT_SPOTS, Input, Seat, Tap
from engines.common.hands import HAND_SPOT
from engines.common.layouts import hand
from engines.common.pieces import Piece
from firmware.table.announcements import ROUND_OVER
from firmware.table.answers import CANNOT
from firmware.table.context import TableContext
from firmware.table.events import PhoneCommand
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.mode import TappedPieces
from firmware.table.private_ear import LineKind, LineMoment, PrivateEars, PrivateLine
from firmware.table.private_lines import HeldPiece, PrivateWords
from firmware.voice.speech import SpeechLine, lines

# The command cards that ask something on a private reader.
PRIVATE_CARDS = ("what-now", "say-again", "say-everything")


class PrivateAnswers:
    """The answers for each player alone, and everything that the table knows of hands.

    ``changes`` grows whenever a private state may have changed.
    """

    def __init__(self, context: TableContext) -> None:
        self.changes = 0
        self._context = context
        self._ears = PrivateEars()
        self._dealt_hands: Mapping[Seat, tuple[Piece, ...]] = {}
        self._fresh: frozenset[Piece] = frozenset()

    # --- what the table asks ---

    @property
    def dealt_hands(self) -> Mapping[Seat, tuple[Piece, ...]]:
        """The hands that are known, by seat; a piece drawn last is at the end.

        The virtual table sets them. A real table knows none.
        """
        return self._dealt_hands

    @dealt_hands.setter
    def dealt_hands(self, hands: Mapping[Seat, tuple[Piece, ...]]) -> None:
        if hands != self._dealt_hands:
            self._dealt_hands = dict(hands)
            self.changes += 1

    @property
    def fresh(self) -> frozenset[Piece]:
        """The pieces that players have drawn or got last, as far as they are known."""
        return self._fresh

    @fresh.setter
    def fresh(self, pieces: frozenset[Piece]) -> None:
        if pieces != self._fresh:
            self._fresh = pieces
            self.changes += 1

    def fresh_in_hand(self, seat: Seat) -> tuple[bool, ...]:
        """Return for each piece that is known to be in the hand of *seat* if it is fresh."""
        return tuple(piece in self._fresh for piece in self._dealt_hands.get(seat, ()))

    def is_listening(self, player: str) -> bool:
        """Return True if *player* listens."""
        return player in self._ears.listening

    def line_of(self, player: str) -> PrivateLine | None:
        """Return the last line for *player*; None if the game or the language has changed since."""
        return self._ears.line_of(player, self._moment)

    def hand_in_words(self, game: str, seat: Seat) -> tuple[str, ...] | None:
        """Return the names of the pieces of *game* in the hand of *seat*; None if not known."""
        dealt = self._dealt_hands.get(seat)
        if dealt is None:
            return None
        return tuple(self._context.piece_name(game, piece) for piece in dealt)

    def kinds_in_hand(self, seat: Seat) -> tuple[str, ...] | None:
        """Return the names of the kinds in the hand of *seat*, as in ``hand_in_words``."""
        dealt = self._dealt_hands.get(seat)
        return None if dealt is None else tuple(piece.kind for piece in dealt)

    def marks(self, game: ActiveGame, seat: Seat) -> tuple[str, ...] | None:
        """Return a mark for each piece in the hand of *seat*, as in ``hand_in_words``."""
        if seat not in self._dealt_hands:
            return None
        return PrivateWords(game, seat).marks(self.known_hand(game, game.start.names[seat]))

    def playable(self, game: ActiveGame, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces that are known to be in the hand of *seat* and can be played now."""
        held = self.known_hand(game, game.start.names[seat])
        marked = zip(held, PrivateWords(game, seat).marks(held), strict=True)
        return tuple(each.piece for each, mark in marked if mark != CANNOT)

    def known_hand(self, game: ActiveGame, player: str) -> tuple[HeldPiece, ...]:
        """Return the pieces that are known to be in *player*'s hand: dealt, or shown and kept."""
        seat = _seat_of(game, player)
        dealt = self._dealt_hands.get(seat)
        if dealt is not None:
            return tuple(HeldPiece(piece, n == len(dealt)) for n, piece in enumerate(dealt, 1))
        inputs = self._inputs
        held = tuple(
            HeldPiece(piece, at == len(inputs))
            for piece, at in self._ears.cards_of(player).items()
            if not any(isinstance(given, Tap) and given.piece == piece for given in inputs[at:])
        )
        most = game.game.view(game.state).counts.get(hand(seat), len(held))
        if len(held) > most:  # cards have left the hand in a way that the table has not seen
            self._ears.forget_cards(player)
            return ()
        return held

    # --- what players do ---

    def act(
        self, game: ActiveGame, player: str, act: object, at_s: float
    ) -> tuple[SpeechLine, ...]:
        """Do *act*, one of ``PRIVATE_COMMANDS``, for *player*; return what everybody hears."""
        self.changes += 1
        match act:
            case PhoneCommand.LISTEN:
                return self._listen(game, player, at_s)
            case PhoneCommand.STOP_LISTENING:
                self._ears.stop(player)
            case PhoneCommand.WHAT_CAN_I_PLAY:
                self._tell_playable(game, player)
            case _:
                self._tell_overview(game, player)
        return ()

    def hears_card(self, game: ActiveGame | None, card: Piece, spot: str) -> bool:
        """Answer the command card *card* if it asks something on a private reader.

        Return True if it was answered. *game* is the game in progress, or None.
        """
        player = None if game is None else self._ears.listener(spot, game.start.names)
        if game is None or player is None or card.kind not in PRIVATE_CARDS:
            return False
        self.changes += 1
        if card.kind != "say-everything":
            self._tell_playable(game, player)
        else:
            self._tell_overview(game, player)
        return True

    def pieces_to_play(self, game: ActiveGame | None, tapped: TappedPieces) -> TappedPieces:
        """Return *tapped* without the pieces that a player only wants to hear; tell them these.

        These are pieces of *game*, the game in progress, on a private reader on which the game asks
        for no piece now.
        """
        if game is None or tapped.game != game.game.name or not self._ears.listening:
            return tapped
        held: dict[str, list[Piece]] = {}
        left: list[tuple[Piece, str]] = []
        for piece, spot in tapped.pieces:
            player = self._ears.listener(spot, game.start.names)
            if player is None or game.wants_on(spot):
                left.append((piece, spot))
            else:
                held.setdefault(player, []).append(piece)
        for player, pieces in held.items():
            if not tapped.was_found:
                self._tell_cards(game, player, pieces)
        return replace(tapped, pieces=tuple(left))

    def follow(self, before: ActiveGame | None, game: ActiveGame | None) -> None:
        """Forget the cards that players have shown if they may have other hands now.

        *before* and *game* are the games in progress before and after an act.
        """
        ears = self._ears
        if not ears.listening:
            return
        if game is None:
            ears.forget_cards(*ears.listening)
            return
        names = game.start.names
        ears.keep(names)
        ears.rewind(len(self._inputs))
        if before is None or game.state is before.state:
            return
        for each in game.handed:
            ears.forget_cards(names[each.giver], names[each.receiver])
        if game.game.view(game.state).phase == ROUND_OVER:
            ears.forget_cards(*names)

    # --- the hand reader ---

    @property
    def hand_reader_of(self) -> str | None:
        """The player who alone hears the cards on the hand reader; None while it is free."""
        return self._ears.hand_reader_of

    def hear_from(self, player: str, at_s: float) -> None:
        """Note a sign of life of *player*'s phone at *at_s*."""
        self._ears.hear_from(player, at_s)

    def silent_phone(self, now_s: float) -> str | None:
        """Return the player with the hand reader if their phone is silent for too long."""
        return self._ears.silent(now_s)

    def take_hand_reader(self, game: ActiveGame) -> tuple[SpeechLine, ...] | None:
        """Make the hand reader free; return what everybody hears, or None if it is free already.

        Its player still listens, and is told on their own phone that it is free.
        """
        player = self._ears.hand_reader_of
        if player is None:
            return None
        self.changes += 1
        self._ears.hand_reader_of = None
        self._tell(player, LineKind.EAR, game.text("ear.free"))
        return lines(game.text("ear.free"))

    def drop_listener(self, player: str) -> bool:
        """Let *player*, whose phone is silent, listen no more.

        Return False if the hand reader is not theirs any more: then nothing changes.
        """
        if player != self._ears.hand_reader_of:
            return False
        self._ears.stop(player)
        self.changes += 1
        return True

    # --- the answers ---

    @property
    def _moment(self) -> LineMoment:
        """The moment that a line is about now."""
        return self._context.journal.moment, self._context.settings.current.language

    def _tell(self, player: str, kind: LineKind, text: str, piece: str | None = None) -> None:
        self._ears.tell(player, kind, text, self._moment, piece)

    @property
    def _inputs(self) -> tuple[Input, ...]:
        """The inputs of the game in progress; none without a game."""
        record = self._context.journal.open_game()
        return () if record is None else record.inputs

    def _listen(self, game: ActiveGame, player: str, at_s: float) -> tuple[SpeechLine, ...]:
        """Let *player* listen, and tell them where to hold cards.

        If the hand reader is theirs from now on, everybody hears that.
        """
        ears, spots = self._ears, self._context.spots
        ears.keep(game.start.names)
        is_new = ears.listen(player, at_s, has_hand_reader=HAND_SPOT in spots)
        parts = []
        if ears.hand_reader_of == player:
            parts.append(game.text("ear.hold"))
        elif ears.hand_reader_of is not None:
            parts.append(game.text("ear.taken", player=ears.hand_reader_of))
        seat = _seat_of(game, player)
        if SEAT_SPOTS[seat] in spots:
            parts.append(game.text("ear.hold-own"))
        if not parts:
            is_known = seat in self._dealt_hands
            parts += () if is_known else (game.text("ear.no-reader"),)
            parts.append(game.text("ear.ask"))
        self._tell(player, LineKind.EAR, " ".join(parts))
        return lines(game.text("ear.reader", player=player) if is_new else "")

    def _tell_cards(self, game: ActiveGame, player: str, pieces: Sequence[Piece]) -> None:
        self.changes += 1
        known = {each.piece for each in self.known_hand(game, player)}
        moment = len(self._inputs)
        self._ears.show(player, [piece for piece in pieces if piece not in known], moment)
        held = {each.piece: each for each in self.known_hand(game, player)}
        told = [held.get(piece, HeldPiece(piece)) for piece in pieces]
        words = PrivateWords(game, _seat_of(game, player))
        self._tell(player, LineKind.CARDS, words.cards(told), words.taught_kind(told))

    def _tell_playable(self, game: ActiveGame, player: str) -> None:
        names = game.start.names
        words = PrivateWords(game, _seat_of(game, player))
        can_show = any(self._ears.listener(spot, names) == player for spot in self._context.spots)
        text = words.playable(self.known_hand(game, player), can_show=can_show)
        self._tell(player, LineKind.PLAYABLE, text)

    def _tell_overview(self, game: ActiveGame, player: str) -> None:
        words = PrivateWords(game, _seat_of(game, player))
        self._tell(player, LineKind.OVERVIEW, words.overview())


def _seat_of(game: ActiveGame, player: str) -> Seat:
    return Seat(game.start.names.index(player))
