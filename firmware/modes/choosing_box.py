"""Choosing a box: whose stickers are to be enrolled.

Room: firmware/modes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import Topic
from firmware.boxes import Box
from firmware.desk import TABLE, Desk
from firmware.errors import RegisterError
from firmware.modes.enrolling import Enrolling
from firmware.modes.mode import Mode, Outcome, Tapped, refused
from firmware.picker import Picker
from firmware.register import COMMANDS
from firmware.speech import Line, lines
from firmware.view import Flash, ListView, TableView


@dataclass(frozen=True)
class ChoosingBox(Mode):
    """The list of *boxes*, the command cards last; *then* is the mode this goes back to."""

    desk: Desk
    boxes: Picker[Box]
    then: Mode | None = None

    @classmethod
    def opened(cls, before: Mode, desk: Desk, then: Mode | None = None) -> Outcome:
        """What comes of asking for the list in the mode *before*."""
        try:
            boxes = tuple(box for game in (*desk.games, COMMANDS) for box in desk.boxes(game))
        except RegisterError:
            return refused(before, desk.notice(TABLE, "not-readable"))
        return Outcome(cls(desk, Picker(boxes), then))

    def tap(self, tapped: Tapped) -> Outcome:
        """A card chooses the box it is from."""
        if tapped.was_found:
            return Outcome(self)
        chosen = next(
            box for box in self.boxes.items if (box.game, box.number) == (tapped.game, tapped.box)
        )
        return self._enrolling(chosen)

    def turn(self, steps: int) -> Outcome:
        """Move through the list."""
        return self._moved(lambda picker: picker.turned(steps))

    def press(self, button: str) -> Outcome:
        """OK chooses, action moves on, back leaves."""
        if button == "ok":
            return self._enrolling(self.boxes.chosen)
        if button == "action":
            return self._moved(lambda picker: picker.further(1))
        return Outcome(self.then)

    def number(self, value: int) -> Outcome:
        """The box in that line of the list."""
        if value <= len(self.boxes.items):
            return self._enrolling(self.boxes.items[value - 1])
        return refused(self, self.desk.notice(TABLE, "no-such-value", value=value))

    def seat(self, seat: int) -> Outcome:
        """Nothing here is a seat."""
        return refused(self, self.desk.notice(TABLE, "no-such-value", value=seat + 1))

    def summary(self) -> tuple[Line, ...]:
        """What is to be chosen."""
        return lines(self.desk.say(TABLE, "choose-box"), topic=Topic.QUESTION)

    @property
    def race(self) -> tuple[str, ...]:
        """Nothing is raced for."""
        return ()

    def view(self) -> TableView:
        """The list: each box, and how many of its cards have a sticker."""
        say = self.desk.say
        lines = tuple(map(self._line, self.boxes.items))
        values = tuple(map(_value, self.boxes.items))
        return TableView(
            phase="enrolling",
            title="tapmat",
            choices=ListView(
                say(TABLE, "choose-box"), lines, self.boxes.cursor, values, said=self._said()
            ),
            action=say(TABLE, "label.next"),
        )

    def _moved(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        return Outcome(replace(self, boxes=move(self.boxes)))

    def _enrolling(self, box: Box) -> Outcome:
        mode = Enrolling.of(self.desk, box, self.then)
        return Outcome(mode, mode.summary(), Flash.ACCEPTED)

    def _said(self) -> str:
        """The line under the cursor, as it is said."""
        box = self.boxes.chosen
        value = self.desk.tell(TABLE, "enrol.copy-of", copy=box.done, count=box.total)
        return f"{self.desk.box_title(box.game, box.number)}: {value}"

    def _line(self, box: Box) -> str:
        label = self.desk.box_title(box.game, box.number)
        value = f"{box.done}/{box.total}"
        return self.desk.say(TABLE, "field.line", label=label, value=value)


def _value(box: Box) -> str:
    """The fixed name of a box: ``straw``, ``straw-2``."""
    return box.game if box.number == 1 else f"{box.game}-{box.number}"
