"""Values: what a phone at the table may answer, for one player or for the host."""

from dataclasses import dataclass

from engines.common.contract import Input, Seat
from firmware.table.private_ear import PrivateLine


@dataclass(frozen=True, slots=True)
class Answer:
    """An input that a player can give without a piece, and its *text* on a button."""

    given: Input
    text: str


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The questions of the table to the player at *seat*, and what goes with them.

    *moment* is the number of the last journal entry about a game. *is_turn* is True if the player
    may act now, perhaps only by laying a piece. *hand* has the names of the pieces in the player's
    hand; None if the table does not know them, as a real one. If *is_listening*, the player hears
    the cards that they hold to a reader. *line* is the last line for this player alone.
    """

    seat: Seat
    moment: int
    is_turn: bool
    answers: tuple[Answer, ...]
    can_take_back: bool
    hand: tuple[str, ...] | None = None
    is_listening: bool = False
    line: PrivateLine | None = None


@dataclass(frozen=True, slots=True)
class SettingList:
    """A setting of the table: its *name*, its *title*, and its values, each with a text."""

    name: str
    title: str
    now: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HostAsked:
    """The acts that the host can do. *moment* is as in ``PlayerAsked``."""

    moment: int
    can_take_back: bool
    can_end: bool
    settings: tuple[SettingList, ...]
