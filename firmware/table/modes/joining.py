"""The mode that shows where people can join with a phone: a QR code, an address and six digits.

It is open over any other mode. A button closes it.
"""

from dataclasses import dataclass, replace

from engines.common.contract import Topic
from firmware.show.view import TableView
from firmware.table.announcements import join_text
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import Mode, Outcome, refuse
from firmware.table.modes.mode_above import ModeAbove
from firmware.voice.speech import SpeechLine, lines


@dataclass(frozen=True)
class Joining(ModeAbove):
    """The companion's address, shown over the mode *return_to*."""

    @classmethod
    def open(cls, mode: Mode, context: TableContext) -> Outcome:
        """Open this screen on top of *mode*, and return the outcome.

        If no companion is connected any more, *mode* stays open and the outcome is a refusal.
        """
        if context.companion.address is None:
            return refuse(mode, context.notice(TABLE, "join-off"))
        opened = cls(context, mode)
        return Outcome(opened, opened.summary())

    def turn(self, steps: int) -> Outcome:
        """Do nothing: there is no list."""
        return Outcome(self)

    def press(self, button: str) -> Outcome:
        """Close the screen."""
        return Outcome(self.return_to)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the line that says how to join."""
        address = self.context.companion.address
        said = "" if address is None else join_text(address, self.context)
        return lines(said, topic=Topic.QUESTION)

    def view(self) -> TableView:
        """Return the view of the mode below, with the address over it."""
        below = replace(self.return_to.view(), choices=None, action="")
        return replace(below, join=self.context.companion.address)
