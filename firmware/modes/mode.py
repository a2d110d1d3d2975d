"""What a mode is, and what it answers.

Room: firmware/modes.
"""

from dataclasses import dataclass
from typing import Protocol

from engines.common.contract import Sensor, Topic
from engines.common.pieces import Piece
from firmware.register import Registered
from firmware.speech import Line, lines
from firmware.view import Flash, Notice, TableView


@dataclass(frozen=True, slots=True)
class Seen:
    """A tag on a spot, and what it sticks on; nothing, if nobody enrolled it."""

    uid: bytes
    spot: str
    enrolled: Registered | None


@dataclass(frozen=True, slots=True)
class Tapped:
    """Enrolled pieces of one *game* that arrived together, each on its spot.

    *box* is that of the first of them.
    """

    game: str
    pieces: tuple[tuple[Piece, str], ...]
    was_found: bool = False
    box: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one act led to: the mode from now on (none: idle), and what to say, light and read."""

    mode: "Mode | None"
    say: tuple[Line, ...] = ()
    flash: Flash | None = None
    notice: Notice | None = None

    @property
    def refusal(self) -> Notice | None:
        """The notice, when it says that the act does not count; only such a one has a code."""
        return self.notice if self.notice is not None and self.notice.code else None


def refused(mode: "Mode", notice: Notice) -> Outcome:
    """*mode* stands; *notice* is lit, shown and said."""
    said = notice.said or f"{notice.happened} {notice.do}".strip()
    return Outcome(mode, lines(said, topic=Topic.REFUSAL), Flash.REFUSED, notice)


class Mode(Protocol):
    """How the table takes what people do. Every method returns at once and raises nothing.

    What the rules refuse, or the disk, is an Outcome with a notice. A mode derives from this class.
    """

    def arrived(self, tags: tuple[Seen, ...], was_found: bool) -> Outcome | None:
        """Tags arrived together, enrolled or not.

        None, as here: they are nothing to this mode as tags. Then strangers are refused, command
        cards obeyed, and pieces tapped.
        """
        return None

    @property
    def unreadable(self) -> str:
        """The code of what to do about something that lies there and cannot be read."""
        return "unreadable.do"

    def tap(self, tapped: Tapped) -> Outcome:
        """Pieces arrived on a spot."""
        ...

    def turn(self, steps: int) -> Outcome:
        """The encoder was turned."""
        ...

    def press(self, button: str) -> Outcome:
        """``ok``, ``back`` or ``action`` went down."""
        ...

    def number(self, value: int) -> Outcome:
        """A number card was tapped: the number is chosen outright, or the cursor moves by it."""
        ...

    def seat(self, seat: int) -> Outcome:
        """A seat card was tapped; *seat* counts from 0."""
        ...

    def sense(self, sensor: Sensor) -> Outcome | None:
        """A sensor of the table saw something; none when that means nothing now."""
        ...

    def summary(self) -> tuple[Line, ...]:
        """How things stand, in a breath; what "say again" says."""
        ...

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which whoever is first counts now; none when nothing is raced for."""
        ...

    def view(self) -> TableView:
        """What to show."""
        ...
