"""Idle: no game is on. A card of any game offers that game; OK lists the games.

Room: firmware/modes.
"""

from dataclasses import dataclass, replace

from engines.common.contract import Sensor
from firmware.desk import TABLE, Desk
from firmware.modes.mode import Mode, Outcome, Tapped, refused
from firmware.modes.preparing import Preparing
from firmware.picker import Picker
from firmware.view import Flash, ListView, TableView


@dataclass(frozen=True)
class Idle:
    """The table waits; *choosing* is the list of games while it is open."""

    desk: Desk
    choosing: Picker[str] | None = None

    def tap(self, tapped: Tapped) -> Outcome:
        """Offer the game the piece is of; a card that lay there at switch-on offers nothing."""
        if tapped.was_found:
            return Outcome(self)
        return self._offer(tapped.game)

    def turn(self, steps: int) -> Outcome:
        """Move through the list of games."""
        if self.choosing is None:
            return Outcome(self)
        return Outcome(replace(self, choosing=self.choosing.turned(steps)))

    def press(self, button: str) -> Outcome:
        """OK opens the list and chooses from it; back closes it; action moves on in it."""
        if button == "ok":
            if self.choosing is None:
                return Outcome(replace(self, choosing=Picker(tuple(self.desk.games))))
            return self._offer(self.choosing.chosen)
        if button == "action" and self.choosing is not None:
            return Outcome(replace(self, choosing=self.choosing.further(1)))
        return Outcome(replace(self, choosing=None))

    def number(self, value: int) -> Outcome:
        """Nothing here is a number."""
        return refused(self, self.desk.notice(TABLE, "no-game"))

    def seat(self, seat: int) -> Outcome:
        """Nothing here is a seat."""
        return refused(self, self.desk.notice(TABLE, "no-game"))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Nothing is to be seen before a game is on."""
        return None

    def summary(self) -> tuple[str, ...]:
        """How to begin."""
        return (self.desk.say(TABLE, "idle"),)

    @property
    def race(self) -> tuple[str, ...]:
        """Nothing is raced for."""
        return ()

    def view(self) -> TableView:
        """The name of the house, and how to begin."""
        say = self.desk.say
        choices = None
        if self.choosing is not None:
            titles = tuple(say(game, "title") for game in self.choosing.items)
            prompt = say(TABLE, "choose-game")
            choices = ListView(prompt, titles, self.choosing.cursor, self.choosing.items)
        return TableView(
            phase="idle",
            title="tapmat",
            hint=say(TABLE, "idle"),
            choices=choices,
            action=say(TABLE, "label.next") if choices else "",
        )

    def _offer(self, game: str) -> Outcome:
        mode: Mode = Preparing.of(self.desk, game)
        return Outcome(mode, (self.desk.offer(game),), Flash.ACCEPTED)
