"""The base class of modes that are open over another mode and go back to it."""

from dataclasses import dataclass

from firmware.journal.codec import Phone
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
