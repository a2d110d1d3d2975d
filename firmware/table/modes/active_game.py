"""The interface of a game in progress, for the lists that open over it.

``firmware.table.modes.playing`` implements this interface. It imports the modules of these lists,
so they cannot import it.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from engines.common.contract import Game, HandTransfer, Input, Message, Seat, Step, Tap
from engines.common.errors import RulesError
from engines.common.grid import Place
from engines.common.pieces import Piece
from firmware.journal.codec import Phone, RowChange
from firmware.journal.journal import GameStart
from firmware.show.view import Notice
from firmware.table.context import TableContext
from firmware.table.mat_player import Decision
from firmware.table.modes.mode import Mode, Outcome, TappedPieces
from firmware.voice.speech import SpeechLine


class MatPlayer(Protocol):
    """The mat as a player (``firmware.table.modes.mat_turn``), for the lists over the game."""

    def seats_with_rows(self) -> Sequence[Seat]:
        """Return the mat's seats whose row could be laid again now."""
        ...

    def read_again(self, seat: Seat) -> Outcome:
        """Forget the row of *seat*, so that people lay it again."""
        ...


class ActiveGame(Mode, Protocol):
    """A game in progress. *state* is the state of the game's rules.

    *handed* are the cards that players gave each other at the last input, or its undo. *decided* is
    what the mat does in its turn, once it has decided that. *old_row* is a row of the mat that was
    taken away to be laid again, and that ``back`` puts back.
    """

    context: TableContext
    game: Game[Any]
    start: GameStart
    state: Any
    handed: tuple[HandTransfer, ...]
    decided: Decision | None
    old_row: tuple[RowChange, ...]

    @property
    def wording(self) -> TableContext:
        """The context whose texts suit the players of this game."""
        ...

    @property
    def named_for_input(self) -> tuple[Seat, ...]:
        """The seats that the game waits for; empty if it waits for any player."""
        ...

    @property
    def mat(self) -> "MatPlayer":
        """The mat's part at this moment, in a game in which it plays."""
        ...

    @property
    def thinks(self) -> bool:
        """True if the mat has to decide something, and has not decided yet."""
        ...

    def after_row_change(self, old_row: tuple[RowChange, ...] | None) -> Outcome:
        """Return the outcome of a change of a row of the mat, which is in the journal already.

        *old_row* is the new value of ``old_row``; None leaves it as it is.
        """
        ...

    def place_text(self, place: Place) -> str:
        """Return an offered *place* on the map in words."""
        ...

    def way_text(self, place: Place) -> str:
        """Return the position of *place* on the map in words, counted from its start."""
        ...

    def refusal_notice(self, error: RulesError) -> Notice:
        """Return the notice for *error*, with which the rules refused an input."""
        ...

    def without_choice(self) -> "ActiveGame":
        """Return this game without its list of answers, for showing it below another list."""
        ...

    def fresh_taps(self, tapped: TappedPieces) -> tuple[Tap, ...]:
        """Return a tap for each piece in *tapped* that was placed on a reader just now."""
        ...

    def after(self, given: Input) -> "tuple[ActiveGame, Step[Any]]":
        """Return the game after the input *given*, and the rules' step with its state and messages.

        Nothing is written to the journal.

        Raises:
            RulesError: the rules refuse *given*.
        """
        ...

    def apply(self, given: Input, left: Sequence[Tap] = (), phone: Phone | None = None) -> Outcome:
        """Give the input *given* to the rules, write it to the journal, and return the outcome.

        *left* are the unplayed taps of the same stack. *phone* gave the input; it is None for an
        input at the mat.
        """
        ...

    def objection(self, given: Tap) -> Message | None:
        """Return why the rules refuse *given* now, or would punish it; None if they do neither."""
        ...

    def lesson_about(self, piece: Piece) -> str:
        """Return what *piece* does, if the game is taught and this was not told yet; else ""."""
        ...

    def wants_on(self, spot: str) -> bool:
        """Return True if the game asks for a piece on *spot* now."""
        ...

    def end(self, how: str, phone: Phone | None = None) -> Outcome:
        """Close the game in the journal, for *phone* unless that is None.

        *how* is ``over`` or ``abandoned``.
        """
        ...

    def scores_in_words(self) -> tuple[str, ...]:
        """Return one sentence per player with their score, for the display."""
        ...

    def spoken_scores(self) -> tuple[SpeechLine, ...]:
        """Return the same for the voice."""
        ...

    def text(self, code: str, **facts: Any) -> str:
        """Return the text for *code* from this game's catalogue; see ``TableContext.text``."""
        ...

    def notice(self, code: str, **facts: Any) -> Notice:
        """Return the notice of a refusal; see ``TableContext.notice``."""
        ...
