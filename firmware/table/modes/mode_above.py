"""The base class of modes that are open over another mode and go back to it."""

from dataclasses import dataclass, replace

from engines.common.contract import Input, Seat, Sensor
from firmware.journal.codec import Phone
from firmware.table.answers import Answer
from firmware.table.context import TableContext
from firmware.table.events import GameChosen
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces


@dataclass(frozen=True)
class ModeAbove(Mode):
    """A mode that is open over the mode *return_to*, in which a game or its start continues.

    Cards and command cards go to that mode, and this one closes when they are accepted.
    """

    context: TableContext
    return_to: Mode

    @property
    def unreadable_remedy(self) -> str:
        """The text code of the mode below's advice for a tag that cannot be read."""
        return self.return_to.unreadable_remedy

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Pass the tags to the mode below; return its outcome."""
        return self._kept_open(self.return_to.handle_tags(tags, was_found))

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Pass the pieces to the mode below."""
        return self._keep_open(self.return_to.tap(tapped))

    def number(self, value: int) -> Outcome:
        """Pass the number to the mode below."""
        return self._keep_open(self.return_to.number(value))

    def seat(self, seat: int) -> Outcome:
        """Pass the seat to the mode below."""
        return self._keep_open(self.return_to.seat(seat))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Pass the sensor's signal to the mode below; return its outcome."""
        return self._kept_open(self.return_to.sense(sensor))

    def end_game(self, phone: Phone | None = None) -> Outcome | None:
        """End the game below; return None if there is none."""
        return self.return_to.end_game(phone)

    def answers(self, seat: Seat) -> tuple[Answer, ...]:
        """Return what the player at *seat* can answer in the mode below."""
        return self.return_to.answers(seat)

    @property
    def question(self) -> str:
        """The question of the mode below."""
        return self.return_to.question

    def answer(self, given: Input, phone: Phone) -> Outcome | None:
        """Pass the answer to the mode below; this mode closes if it is accepted."""
        return self._kept_open(self.return_to.answer(given, phone))

    def take_back(self, phone: Phone) -> Outcome | None:
        """Undo the last input in the mode below; this mode closes if that is possible."""
        return self._kept_open(self.return_to.take_back(phone))

    @property
    def can_start(self) -> bool:
        """True if a phone can start a game in the mode below."""
        return self.return_to.can_start

    def start_game(self, chosen: GameChosen) -> Outcome | None:
        """Start the game in the mode below."""
        return self.return_to.start_game(chosen)

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the race in the mode below; empty if there is none."""
        return self.return_to.race

    def _keep_open(self, outcome: Outcome) -> Outcome:
        """Return *outcome*, the result of the mode below, but stay open if that did not change."""
        return replace(outcome, mode=self) if outcome.mode is self.return_to else outcome

    def _kept_open(self, outcome: Outcome | None) -> Outcome | None:
        return None if outcome is None else self._keep_open(outcome)
