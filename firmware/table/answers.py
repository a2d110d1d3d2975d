"""Values: the acts that one player or the host can do at a phone."""

from dataclasses import dataclass

from engines.common.contract import Input, Seat


@dataclass(frozen=True, slots=True)
class Answer:
    """An input that a player can give without a piece, and its *text* on a button."""

    given: Input
    text: str


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The acts that the player at *seat* can do at a phone.

    *moment* is the number of the last journal entry about a game. *is_turn* is True if the player
    may act now, perhaps only by laying a piece. *answers* are the inputs that the player may give
    now, and *can_take_back* is True if there is an input to undo.
    """

    seat: Seat
    moment: int
    is_turn: bool
    answers: tuple[Answer, ...]
    can_take_back: bool


@dataclass(frozen=True, slots=True)
class SettingList:
    """A setting of the table: its *name*, its *title*, and its values, each with a text.

    *now* is the current value.
    """

    name: str
    title: str
    now: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HostAsked:
    """The acts that the host can do at a phone.

    *moment* and *can_take_back* are as in ``PlayerAsked``. *can_end* is True if there is a game to
    end, and *settings* are those that the host may change.
    """

    moment: int
    can_take_back: bool
    can_end: bool
    settings: tuple[SettingList, ...]
