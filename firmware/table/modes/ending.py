"""The question before a game is ended: a game that is ended cannot be continued."""

from dataclasses import dataclass, replace

from engines.common.contract import Topic
from firmware.show.view import ListView, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import Mode, Outcome
from firmware.table.modes.mode_above import ModeAbove
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine, lines

NO, YES = "no", "yes"
ANSWERS = Picker((NO, YES))


@dataclass(frozen=True)
class Ending(ModeAbove):
    """The question whether to end the game of the mode *return_to*, with *items*, the two answers.

    It closes as soon as that mode accepts an act.
    """

    items: Picker[str] = ANSWERS

    @classmethod
    def open(cls, mode: Mode, context: TableContext) -> Outcome:
        """Return the outcome of asking over *mode*."""
        asked = cls(context, mode)
        return Outcome(asked, asked.summary())

    def turn(self, steps: int) -> Outcome:
        """Move the cursor."""
        return Outcome(replace(self, items=self.items.move(steps)))

    def press(self, button: str) -> Outcome:
        """Answer (OK), move the cursor (action), or play on (back)."""
        if button == "action":
            return Outcome(replace(self, items=self.items.advance(1)))
        if button == "back" or self.items.chosen == NO:
            return Outcome(self.return_to)
        return self.return_to.end_game() or Outcome(self.return_to)

    def number(self, value: int) -> Outcome:
        """Give answer *value*, from 1; pass a higher number to the mode below."""
        if value <= len(self.items.items):
            return replace(self, items=self.items.at(value - 1)).press("ok")
        return super().number(value)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the question."""
        return lines(self.context.text(TABLE, "end"), topic=Topic.QUESTION)

    def view(self) -> TableView:
        """Return the view of the mode below, with the question over it."""
        text, names = self.context.text, self.items.items
        words = tuple(text(TABLE, f"end.{name}") for name in names)
        question = ListView(text(TABLE, "end"), words, self.items.cursor, names)
        action = text(TABLE, "label.next")
        return replace(self.return_to.view(), choices=question, action=action)
