"""The interface of a mode, and the values that its methods take and return."""

from dataclasses import dataclass
from typing import Protocol

from engines.common.contract import Input, Seat, Sensor, Topic
from engines.common.pieces import Piece
from firmware.boxes.register import Registered
from firmware.journal.codec import Phone
from firmware.show.view import Flash, Notice, TableView
from firmware.table.answers import Answer
from firmware.table.events import GameChosen
from firmware.voice.speech import SpeechLine, lines


@dataclass(frozen=True, slots=True)
class LookedUpTag:
    """The tag *uid* on *spot*.

    *enrolled* is the piece with that tag; None if it is not enrolled.
    """

    uid: bytes
    spot: str
    enrolled: Registered | None


@dataclass(frozen=True, slots=True)
class TappedPieces:
    """Pieces of one *game* that were placed on readers together, each with its spot.

    *box* is the number of the first piece's box. *was_found* is true if the pieces were already on
    the readers when the table was switched on.
    """

    game: str
    pieces: tuple[tuple[Piece, str], ...]
    was_found: bool = False
    box: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one act of a person.

    *mode* is the next mode; None means idle. *say* are lines for the voice, *flash* is a short
    light of a lamp, and *notice* a message for the display. If *says_everything* is True, the table
    also says everything that it shows.
    """

    mode: "Mode | None"
    say: tuple[SpeechLine, ...] = ()
    flash: Flash | None = None
    notice: Notice | None = None
    says_everything: bool = False

    @property
    def refusal(self) -> Notice | None:
        """The notice if it is a refusal, which is a notice with a code; otherwise None."""
        return self.notice if self.notice is not None and self.notice.code else None


def refuse(mode: "Mode", notice: Notice) -> Outcome:
    """Return the outcome of a refused act: stay in *mode*, and show and say *notice*."""
    said = notice.said or f"{notice.happened} {notice.do}".strip()
    return Outcome(mode, lines(said, topic=Topic.REFUSAL), Flash.REFUSED, notice)


class Mode(Protocol):
    """A state of the table, which decides the outcome of everything that people do.

    Its methods return at once and raise nothing: if the rules refuse an act, or it cannot be saved,
    the outcome has a notice. Modes derive from this class.
    """

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Handle all tags that arrived together, enrolled or not.

        Return None to leave them to the table. In that case, the table refuses unknown tags, runs
        command cards, and calls ``tap`` with the pieces.
        """
        return None

    @property
    def unreadable_remedy(self) -> str:
        """The text code of the advice for a tag that cannot be read."""
        return "unreadable.do"

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Handle pieces that were placed on readers."""
        ...

    def turn(self, steps: int) -> Outcome:
        """Handle a turn of the encoder by *steps* detents. Clockwise is positive."""
        ...

    def press(self, button: str) -> Outcome:
        """Handle a press of *button*: ``ok``, ``back`` or ``action``."""
        ...

    def number(self, value: int) -> Outcome:
        """Handle the command card with the number *value*."""
        ...

    def seat(self, seat: int) -> Outcome:
        """Handle the command card of a seat. *seat* counts from 0."""
        ...

    def learn(self) -> Outcome | None:
        """Handle the command card that starts a game and teaches it.

        Return None, the default, if no game that teaches is being set up.
        """
        return None

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Handle a signal of *sensor*; return None, the default, if the mode ignores it now."""
        return None

    def end_game(self, phone: Phone | None = None) -> Outcome | None:
        """End the game in progress, for *phone* unless that is None.

        Return None, the default, if this mode is over no game.
        """
        return None

    @property
    def can_start(self) -> bool:
        """True if a phone can start a game now; by default, it cannot."""
        return False

    def start_game(self, chosen: GameChosen) -> Outcome | None:
        """Start the game that a host has *chosen* at a phone.

        Return None, the default, if that is impossible now.
        """
        return None

    def answers(self, seat: Seat) -> tuple[Answer, ...]:
        """Return what the player at *seat* can answer at a phone now; by default, nothing."""
        return ()

    @property
    def question(self) -> str:
        """The question of the ``answers``; empty, the default, if the hint asks it."""
        return ""

    def answer(self, given: Input, phone: Phone) -> Outcome | None:
        """Handle *given*, one of the ``answers``, from *phone*.

        Return None, the default, if that is impossible now.
        """
        return None

    def take_back(self, phone: Phone) -> Outcome | None:
        """Undo the last input, as *phone* asks; return None, the default, if that is impossible."""
        return None

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return lines that describe the situation briefly, for the command "say again"."""
        ...

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the current race, in which only the first piece counts; else empty."""
        return ()

    def view(self) -> TableView:
        """Return what the display and the lamps show in this mode."""
        ...
