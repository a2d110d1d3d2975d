"""The events of the outlet, and their JSON form.

The events contain only what everybody at the table can see or hear: accepted inputs, the text of
the display, and the words of the voice. The referee does not know the players' hands, and no field
names a refused piece.

Several events have the same fields. *entry* is the sequence number of the journal entry that the
event reports, and *number* is the number of its game. *names* and *scores* have one item for each
seat, in order.

The JSON form has a version number. Fields may be added, but never removed or changed, because other
people's programs read them. docs/outlet.md describes the form, and tests/golden/outlet/ has each
version.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum
from typing import Any

from engines.common.contract import (
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
    Topic,
)
from firmware.journal.codec import Phone, encode
from firmware.table.events import PartFailed, PartRecovered
from firmware.voice.announcer import Fate

VERSION = 1


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game began.

    *game* is the game's name, such as ``straw``, and *names* are the players' names. *phone*
    started it, unless that is None.
    """

    entry: int
    number: int
    game: str
    names: tuple[str, ...]
    dealer: Seat
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The table was switched on, and continued a game that began earlier."""

    number: int
    game: str
    names: tuple[str, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class InputPlayed:
    """An input was accepted, and written to the journal.

    *phone* gave the input; it is None for an input at the mat.
    """

    entry: int
    number: int
    input: Input
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class InputUndone:
    """An undo cancelled the newest input that was still in effect.

    *phone* asked for the undo; it is None if a player at the mat did.
    """

    entry: int
    number: int
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game was closed. *how* is ``over``, or ``abandoned`` if it had no winner yet.

    *phone* closed it, unless that is None.
    """

    entry: int
    number: int
    how: str
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class PlayRefused:
    """An input was refused. *code* is the reason, and *rule* the number of the rule.

    *happened* and *do* are the texts on the display, which say what was wrong and what to do.
    """

    code: str
    rule: str
    happened: str
    do: str


@dataclass(frozen=True, slots=True)
class TurnChanged:
    """Another player's turn has begun. *active* are the seats that may play now.

    *active* has only *seat*. In a race, *seat* is None, and *active* may have several seats.
    """

    seat: Seat | None
    active: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ScoreChanged:
    """The players' points have changed. *scores* are the new points."""

    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The phase of the table has changed, for example to ``play``."""

    phase: str


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """The table shows something else, such as a map, a list, or another item of the list.

    *hint* says what to do now. *asks* lists the accepted inputs in words that are the same in every
    language.
    """

    hint: str
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundOver:
    """A round is over, and the game waits for the next one."""

    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game has winners. ``GameEnded`` follows when the players close it."""

    winners: tuple[Seat, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LineSpoken:
    """A line for the voice has a new *fate*.

    The line waits, is being said, was said, was interrupted or was dropped. *why* is the reason if
    it was interrupted or dropped. All lines of one event at the table have the same *group*, and
    are numbered from 0 by *line*. *at_s* is the time of that event in seconds on the table's clock.
    """

    group: int
    line: int
    at_s: float
    language: str
    topic: Topic
    text: str
    fate: Fate
    why: str = ""


OutletEvent = (
    GameStarted
    | GameResumed
    | InputPlayed
    | InputUndone
    | GameEnded
    | PlayRefused
    | TurnChanged
    | ScoreChanged
    | PhaseChanged
    | RoundOver
    | GameOver
    | PartFailed
    | PartRecovered
    | LineSpoken
    | ViewChanged
)

NAMES: Mapping[type, str] = {  # the events' names in JSON
    GameStarted: "started",
    GameResumed: "resumed",
    InputPlayed: "played",
    InputUndone: "undone",
    GameEnded: "ended",
    PlayRefused: "refused",
    TurnChanged: "turn",
    ScoreChanged: "score",
    PhaseChanged: "phase",
    RoundOver: "round-over",
    GameOver: "game-over",
    PartFailed: "part-lost",
    PartRecovered: "part-back",
    LineSpoken: "spoken",
    ViewChanged: "view",
}


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event with its sequence number. *at* is its time in UTC."""

    seq: int
    at: datetime
    event: OutletEvent

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        at = self.at.isoformat(timespec="milliseconds")
        head = {"v": VERSION, "seq": self.seq, "at": at, "event": NAMES[type(self.event)]}
        body = {each.name: _plain(getattr(self.event, each.name)) for each in fields(self.event)}
        return head | body


def _plain(value: object) -> object:
    """Return *value* as a plain value that ``json`` can write."""
    match value:
        case Tap() | Number() | Choice() | SeatChoice() | PlaceChoice() | Press():
            return encode(value)
        case Enum():
            return value.value
        case tuple():
            return [_plain(each) for each in value]
    return value
