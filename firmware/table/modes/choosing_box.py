"""The mode in which people choose the box whose stickers they will enrol."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import Topic
from firmware.boxes.box import Box
from firmware.boxes.register import COMMANDS
from firmware.common.errors import RegisterError
from firmware.journal.codec import Phone
from firmware.show.view import Flash, ListView, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.mode import Mode, Outcome, TappedPieces, refuse
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine, lines


@dataclass(frozen=True)
class ChoosingBox(Mode):
    """The list of *boxes*.

    The command cards are a box too, and come last. After the enrolment, the table goes back to the
    mode *return_to*; None means idle.
    """

    context: TableContext
    boxes: Picker[Box]
    return_to: Mode | None = None

    @classmethod
    def open(cls, before: Mode, context: TableContext, return_to: Mode | None = None) -> Outcome:
        """Return the outcome of opening the list in the mode *before*.

        If the tag register cannot be read, *before* stays, with a refusal.
        """
        try:
            boxes = tuple(box for game in (*context.games, COMMANDS) for box in context.boxes(game))
        except RegisterError:
            return refuse(before, context.notice(TABLE, "not-readable"))
        return Outcome(cls(context, Picker(boxes), return_to))

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Choose the box of the tapped card, unless the card was on the reader at switch-on."""
        if tapped.was_found:
            return Outcome(self)
        chosen = next(
            box for box in self.boxes.items if (box.game, box.number) == (tapped.game, tapped.box)
        )
        return self._enrol(chosen)

    def choose(self, value: str) -> Outcome | None:
        """Choose the box with the name *value*; return None if there is none."""
        chosen = next((box for box in self.boxes.items if box_value(box) == value), None)
        return None if chosen is None else self._enrol(chosen)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor."""
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Choose the box (OK), move the cursor (action), or leave the list (back)."""
        if button == "ok":
            return self._enrol(self.boxes.chosen)
        if button == "action":
            return self._move(lambda picker: picker.advance(1))
        return Outcome(self.return_to)

    def number(self, value: int) -> Outcome:
        """Choose box *value* of the list, counted from 1."""
        if value <= len(self.boxes.items):
            return self._enrol(self.boxes.items[value - 1])
        return refuse(self, self.context.notice(TABLE, "no-such-value", value=value))

    def seat(self, seat: int) -> Outcome:
        """Refuse a seat's command card: this list has no seats."""
        return refuse(self, self.context.notice(TABLE, "no-such-value", value=seat + 1))

    def end_game(self, phone: Phone | None = None) -> Outcome | None:
        """End the game to which this mode would go back; return None if there is none."""
        return None if self.return_to is None else self.return_to.end_game(phone)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the question that the list asks."""
        return lines(self.context.text(TABLE, "choose-box"), topic=Topic.QUESTION)

    def view(self) -> TableView:
        """Return the list: each box with its number of stickers."""
        text = self.context.text
        lines = tuple(box_line(self.context, box) for box in self.boxes.items)
        values = tuple(map(box_value, self.boxes.items))
        return TableView(
            phase="enrolling",
            title="tapmat",
            choices=ListView(
                text(TABLE, "choose-box"),
                lines,
                self.boxes.cursor,
                values,
                said=self._spoken_line(),
            ),
            action=text(TABLE, "label.next"),
        )

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        return Outcome(replace(self, boxes=move(self.boxes)))

    def _enrol(self, box: Box) -> Outcome:
        mode = Enrolling.of(self.context, box, self.return_to)
        return Outcome(mode, mode.summary(), Flash.ACCEPTED)

    def _spoken_line(self) -> str:
        """Return the selected line for the voice."""
        box = self.boxes.chosen
        value = self.context.spoken_text(TABLE, "enrol.copy-of", copy=box.done, count=box.total)
        return f"{self.context.box_title(box.game, box.number)}: {value}"


def box_line(context: TableContext, box: Box) -> str:
    """Return the line of *box* in the list: its title, and its number of stickers."""
    label, value = context.box_title(box.game, box.number), f"{box.done}/{box.total}"
    return context.text(TABLE, "field.line", label=label, value=value)


def box_value(box: Box) -> str:
    """Return the name of a box that is the same in every language: ``straw``, ``straw-2``."""
    return box.game if box.number == 1 else f"{box.game}-{box.number}"
