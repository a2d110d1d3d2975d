"""The question before a play that the rules allow, but that is unwise: play the piece or not."""

from dataclasses import dataclass

from engines.common.contract import Tap, Topic
from firmware.show.view import Flash, ListView, Notice
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.game_overlay import ItemsOverlay
from firmware.table.modes.mode import Outcome, TappedPieces
from firmware.table.picker import Picker
from firmware.voice.speech import lines

NO, YES = "no", "yes"


@dataclass(frozen=True)
class UnwisePlay(ItemsOverlay):
    """The question whether to play *piece_tap* although it is unwise; *why* says why it is.

    Laying the same piece again means yes. Another piece goes to the game.
    """

    piece_tap: Tap
    why: str

    @classmethod
    def of(cls, playing: ActiveGame, tap: Tap, why: str) -> Outcome:
        """Return the outcome of asking about *tap*."""
        asked = cls(playing, Picker((NO, YES)), tap, why)
        return Outcome(asked, lines(asked._question, topic=Topic.QUESTION), Flash.REFUSED)

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Play the piece if it is laid again; pass any other piece to the game."""
        if [tap.piece for tap in self.playing.fresh_taps(tapped)] == [self.piece_tap.piece]:
            return self.playing.apply(self.piece_tap)
        return super().tap(tapped)

    def _choose(self) -> Outcome:
        return self.playing.apply(self.piece_tap) if self.items.chosen == YES else self._close()

    def _close(self) -> Outcome:
        back = self.playing.text("unwise.back", piece=self.piece_tap.piece)
        return Outcome(self.playing, lines(back), notice=Notice(back))

    @property
    def _question(self) -> str:
        return self.playing.text("unwise", piece=self.piece_tap.piece, why=self.why)

    def _list(self) -> ListView:
        text, names = self.playing.text, self.items.items
        words = tuple(text(f"unwise.{name}") for name in names)
        return ListView(self._question, words, self.items.cursor, names)
