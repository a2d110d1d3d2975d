"""A list that is open over a game. The game can still be played while the list is open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engines.common.contract import Input, Seat, Sensor
from firmware.journal.codec import Phone
from firmware.show.view import ListView, TableView
from firmware.table.answers import Answer
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.mode import Mode, Outcome, TappedPieces
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine


@dataclass(frozen=True)
class GameOverlay(Mode):
    """The base class of lists that are shown on top of the running game, *playing*.

    The list closes as soon as the game accepts an act.
    """

    playing: ActiveGame

    @cached_property
    def _below(self) -> ActiveGame:
        """The game as shown below this list, without the game's own list of answers."""
        return self.playing.without_choice()

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Pass the pieces to the game."""
        return self._keep_open(self.playing.tap(tapped))

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the list."""
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Choose an item (OK), move the cursor (action), or close the list (back)."""
        if button == "back":
            return self._close()
        if button == "action":
            return self._move(lambda picker: picker.advance(1))
        return self._choose()

    def number(self, value: int) -> Outcome:
        """Pass the number to the game."""
        return self._keep_open(self.playing.number(value))

    def seat(self, seat: int) -> Outcome:
        """Pass the seat to the game."""
        return self._keep_open(self.playing.seat(seat))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Pass the sensor's signal to the game; return its outcome."""
        return self._kept_open(self.playing.sense(sensor))

    def end_game(self, phone: Phone | None = None) -> Outcome | None:
        """End the game below this list."""
        return self.playing.end_game(phone)

    def answers(self, seat: Seat) -> tuple[Answer, ...]:
        """Return what the player at *seat* can answer in the game below this list."""
        return self.playing.answers(seat)

    @property
    def question(self) -> str:
        """The game's question."""
        return self.playing.question

    def answer(self, given: Input, phone: Phone) -> Outcome | None:
        """Pass the answer to the game; return its outcome."""
        return self._kept_open(self.playing.answer(given, phone))

    def take_back(self, phone: Phone) -> Outcome | None:
        """Undo the last input of the game; return the outcome."""
        return self._kept_open(self.playing.take_back(phone))

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the game's summary."""
        return self._below.summary()

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the game's race; empty if there is none."""
        return self.playing.race

    def view(self) -> TableView:
        """Return the game's view with the list over it."""
        action = self.playing.text("label.next")
        return replace(self._below.view(), choices=self._list(), action=action)

    def _keep_open(self, outcome: Outcome) -> Outcome:
        """Return *outcome*, the game's result, but keep this list open if the game is unchanged."""
        return replace(outcome, mode=self) if outcome.mode is self.playing else outcome

    def _kept_open(self, outcome: Outcome | None) -> Outcome | None:
        return None if outcome is None else self._keep_open(outcome)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        raise NotImplementedError

    def _choose(self) -> Outcome:
        raise NotImplementedError

    def _close(self) -> Outcome:
        return Outcome(self.playing)

    def _list(self) -> ListView:
        raise NotImplementedError


@dataclass(frozen=True)
class ItemsOverlay(GameOverlay):
    """The base class of lists over the running game whose *items* are names, with a cursor."""

    items: Picker[str]

    def number(self, value: int) -> Outcome:
        """Choose item *value* of the list, from 1; pass a higher number to the game."""
        if value <= len(self.items.items):
            return replace(self, items=self.items.at(value - 1))._choose()
        return super().number(value)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        return Outcome(replace(self, items=move(self.items)))
