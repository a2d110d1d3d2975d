"""Idle: no game is on. A card of any game offers that game; OK lists the games, and the stickers.

Room: firmware/modes.
"""

from dataclasses import dataclass, replace
from enum import Enum

from engines.common.contract import Sensor, Topic
from firmware.desk import TABLE, Desk
from firmware.errors import RegisterError
from firmware.modes.adjusting import Adjusting
from firmware.modes.choosing_box import ChoosingBox
from firmware.modes.enrolling import Enrolling
from firmware.modes.mode import Mode, Outcome, Tapped, refused
from firmware.modes.preparing import Preparing
from firmware.picker import Picker
from firmware.speech import Line
from firmware.view import Flash, ListView, TableView


class Other(Enum):
    """What else there is beside the games; no text, since a game may have any name."""

    STICKERS = "stickers"
    SETTINGS = "settings"


@dataclass(frozen=True)
class Idle(Mode):
    """The table waits; *choosing* is the list of games and what else there is, while it is open."""

    desk: Desk
    choosing: Picker[str | Other] | None = None

    def tap(self, tapped: Tapped) -> Outcome:
        """Offer the game the piece is of; a card that lay there at switch-on offers nothing."""
        if tapped.was_found:
            return Outcome(self)
        return self._offer(tapped.game, tapped.box)

    def turn(self, steps: int) -> Outcome:
        """Move through the list of games."""
        if self.choosing is None:
            return Outcome(self)
        return Outcome(replace(self, choosing=self.choosing.turned(steps)))

    def press(self, button: str) -> Outcome:
        """OK opens the list and chooses from it; back closes it; action moves on in it."""
        if button == "ok":
            if self.choosing is None:
                lines: tuple[str | Other, ...] = (*self.desk.games, *Other)
                return Outcome(replace(self, choosing=Picker(lines)))
            return self._chosen(self.choosing.chosen)
        if button == "action" and self.choosing is not None:
            return Outcome(replace(self, choosing=self.choosing.further(1)))
        return Outcome(replace(self, choosing=None))

    def number(self, value: int) -> Outcome:
        """The line of the list with that number, while it is open."""
        if self.choosing is not None and value <= len(self.choosing.items):
            return self._chosen(self.choosing.items[value - 1])
        return refused(self, self.desk.notice(TABLE, "no-game"))

    def seat(self, seat: int) -> Outcome:
        """Nothing here is a seat."""
        return refused(self, self.desk.notice(TABLE, "no-game"))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Nothing is to be seen before a game is on."""
        return None

    def summary(self) -> tuple[Line, ...]:
        """How to begin."""
        return (self.desk.line(TABLE, "idle", Topic.QUESTION),)

    @property
    def race(self) -> tuple[str, ...]:
        """Nothing is raced for."""
        return ()

    def view(self) -> TableView:
        """The name of the house, and how to begin."""
        say = self.desk.say
        choices = None
        if self.choosing is not None:
            items = self.choosing.items
            titles = tuple(
                say(TABLE, f"menu.{item.value}") if isinstance(item, Other) else say(item, "title")
                for item in items
            )
            values = tuple(item.value if isinstance(item, Other) else item for item in items)
            item = self.choosing.chosen
            said = None if isinstance(item, Other) else self.desk.tell(item, "title")
            prompt = say(TABLE, "choose-game")
            choices = ListView(prompt, titles, self.choosing.cursor, values, said=said)
        return TableView(
            phase="idle",
            title="tapmat",
            hint=say(TABLE, "idle"),
            choices=choices,
            action=say(TABLE, "label.next") if choices else "",
        )

    def _chosen(self, item: str | Other) -> Outcome:
        """A game is offered; one of which no card has a sticker yet is enrolled first."""
        if item is Other.STICKERS:
            return ChoosingBox.opened(self, self.desk)
        if item is Other.SETTINGS:
            return Adjusting.over(replace(self, choosing=None), self.desk)
        assert isinstance(item, str), "whatever else is in the list is a game"
        try:
            begun = self.desk.register.boxes(item)
            if begun:
                return self._offer(item, begun[0])
            enrolling = Enrolling.of(self.desk, self.desk.box(item))
        except RegisterError:
            return refused(self, self.desk.notice(TABLE, "not-readable"))
        return Outcome(enrolling, enrolling.summary(), Flash.ACCEPTED)

    def _offer(self, game: str, box: int) -> Outcome:
        preparing = Preparing.of(self.desk, game, box)
        return Outcome(preparing, preparing.summary(), Flash.ACCEPTED)
