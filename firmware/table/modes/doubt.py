"""The question before an input that the rules allow, but that people may not want: do it or not."""

from dataclasses import dataclass

from engines.common.contract import Input, Tap, Topic
from firmware.show.view import Flash, ListView, Notice
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.game_overlay import ItemsOverlay
from firmware.table.modes.mode import Outcome, TappedPieces
from firmware.table.picker import Picker
from firmware.voice.speech import lines

NO, YES = "no", "yes"


@dataclass(frozen=True)
class Doubt(ItemsOverlay):
    """The question in *words*, whether to give the game the input *given*.

    *code* is the text code of the question: those of its answers begin with it. *back* says what
    people do instead. Laying the same piece again means yes. Another piece goes to the game.
    """

    given: Input
    code: str
    words: str
    back: str

    @classmethod
    def of(cls, playing: ActiveGame, given: Input, *, code: str, words: str, back: str) -> Outcome:
        """Return the outcome of asking about *given*."""
        asked = cls(playing, Picker((NO, YES)), given, code, words, back)
        return Outcome(asked, lines(words, topic=Topic.QUESTION), Flash.REFUSED)

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Play the piece if it is laid again; pass any other piece to the game."""
        again = [tap.piece for tap in self.playing.fresh_taps(tapped)]
        if isinstance(self.given, Tap) and again == [self.given.piece]:
            return self.playing.apply(self.given)
        return super().tap(tapped)

    def _choose(self) -> Outcome:
        return self.playing.apply(self.given) if self.items.chosen == YES else self._close()

    def _close(self) -> Outcome:
        return Outcome(self.playing, lines(self.back), notice=Notice(self.back))

    def _list(self) -> ListView:
        text, names = self.playing.text, self.items.items
        answers = tuple(text(f"{self.code}.{name}") for name in names)
        return ListView(self.words, answers, self.items.cursor, names)
