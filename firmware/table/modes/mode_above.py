"""The base class of modes that are open over another mode and go back to it."""

from dataclasses import dataclass, replace

from engines.common.contract import Input, Seat
from firmware.journal.codec import Phone
from firmware.table.answers import Answer
from firmware.table.context import TableContext
from firmware.table.events import GameChosen
from firmware.table.modes.mode import Mode, Outcome


@dataclass(frozen=True)
class ModeAbove(Mode):
    """A mode that is open over the mode *return_to*, in which a game or its start continues."""

    context: TableContext
    return_to: Mode

    @property
    def unreadable_remedy(self) -> str:
        """The text code of the mode below's advice for a tag that cannot be read."""
        return self.return_to.unreadable_remedy

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
