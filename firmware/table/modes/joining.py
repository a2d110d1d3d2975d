"""The mode that shows where people can join with a phone: a QR code, an address and six digits.

It is open over any other mode. Cards and command cards go to the mode below, and the screen closes
when that mode accepts them. A button closes it too.
"""

from dataclasses import dataclass, replace

from engines.common.contract import Sensor, Topic
from firmware.show.view import TableView
from firmware.table.announcements import join_text
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces, refuse
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

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Pass the tags to the mode below; return its outcome."""
        return self._kept_open(self.return_to.handle_tags(tags, was_found))

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Pass the pieces to the mode below."""
        return self._keep_open(self.return_to.tap(tapped))

    def turn(self, steps: int) -> Outcome:
        """Do nothing: there is no list."""
        return Outcome(self)

    def press(self, button: str) -> Outcome:
        """Close the screen."""
        return Outcome(self.return_to)

    def number(self, value: int) -> Outcome:
        """Pass the number to the mode below."""
        return self._keep_open(self.return_to.number(value))

    def seat(self, seat: int) -> Outcome:
        """Pass the seat to the mode below."""
        return self._keep_open(self.return_to.seat(seat))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Pass the sensor's signal to the mode below; return its outcome."""
        return self._kept_open(self.return_to.sense(sensor))

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the line that says how to join."""
        address = self.context.companion.address
        said = "" if address is None else join_text(address, self.context)
        return lines(said, topic=Topic.QUESTION)

    def view(self) -> TableView:
        """Return the view of the mode below, with the address over it."""
        below = replace(self.return_to.view(), choices=None, action="")
        return replace(below, join=self.context.companion.address)
