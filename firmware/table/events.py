"""The events that the table receives: tags, controls, the tilt sensor, faults, automatic copies.

Values only. A *spot* is a place with a card reader: ``play``, ``hand``, ``seat-3``. Names of spots
count seats from 1, ``Seat`` counts them from 0.
"""

from dataclasses import dataclass
from enum import Enum

from engines.common.contract import Input, Seat
from firmware.journal.log_file import SavedCheck
from firmware.show.view import JoinAddress
from hardware.ports import Pressed, Rocked, Turned


@dataclass(frozen=True, slots=True)
class TagOnSpot:
    """The tag *uid* on the reader at *spot*."""

    spot: str
    uid: bytes


@dataclass(frozen=True, slots=True)
class TagsArrived:
    """Tags that were placed on readers at the same time, or so shortly after each other.

    The readers cannot tell in which order they were placed. A tag that was certainly placed later
    is in a separate event. *was_found* is True for tags that were already on a reader when the
    table was switched on.
    """

    tags: tuple[TagOnSpot, ...]
    was_found: bool = False


@dataclass(frozen=True, slots=True)
class TagRemoved:
    """The tag *uid* was removed from *spot*."""

    spot: str
    uid: bytes


@dataclass(frozen=True, slots=True)
class TagUnreadable:
    """The reader at *spot* has been failing to read a tag for some time."""

    spot: str


@dataclass(frozen=True, slots=True)
class PartFailed:
    """A *part* (``reader play``, ``display``) stopped working.

    *kind* is the kind of the ``HardwareFault``; it selects the advice to give.
    """

    part: str
    kind: str


@dataclass(frozen=True, slots=True)
class PartRecovered:
    """A failed part works again."""

    part: str


@dataclass(frozen=True, slots=True)
class DoctorReported:
    """The doctor's saved report is new, or was deleted (None)."""

    check: SavedCheck | None


@dataclass(frozen=True, slots=True)
class CodeRequested:
    """A page in a browser asks to join the table with a code.

    Its user must read *code* from the display and enter it.
    """

    code: str


@dataclass(frozen=True, slots=True)
class HallMessage:
    """The hall has a message for the players, such as who sits here. "" takes the last one away."""

    text: str


@dataclass(frozen=True, slots=True)
class CopyFailed:
    """An automatic copy of the games failed. *problem* selects the text of the message."""

    problem: str


@dataclass(frozen=True, slots=True)
class JoinRequested:
    """A page in a browser at *address* asks to join the table. The people at the mat must agree."""

    address: str


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """People can join at another *address* now; None if the companion has disconnected."""

    address: JoinAddress | None


@dataclass(frozen=True, slots=True)
class HallChanged:
    """The table is connected to a hall now, or not any more (*is_there* is False)."""

    is_there: bool


@dataclass(frozen=True, slots=True)
class PhoneRequested:
    """A phone asks to play for *player*, or to be the host's (None). The people must agree.

    The phone shows *code*, two digits, so that people know which phone it is.
    """

    code: str
    player: str | None


@dataclass(frozen=True, slots=True)
class PhoneLetIn:
    """The people have agreed that a phone is *player*'s, or the host's (None)."""

    player: str | None


class PhoneCommand(Enum):
    """The acts of a phone that are not answers to the game."""

    TAKE_BACK = "take-back"
    SAY_AGAIN = "say-again"
    NEXT_ROUND = "next-round"
    REMATCH = "rematch"  # a new game with the players and house rules of the finished one
    END_GAME = "end-game"
    LISTEN = "listen"  # the player wants to hear their cards
    STOP_LISTENING = "stop-listening"
    WHAT_CAN_I_PLAY = "what-can-i-play"
    WHERE_ARE_WE = "where-are-we"
    HERE = "here"  # a sign of life of a phone that listens
    FREE_HAND_READER = "free-hand-reader"  # of the host
    SAFE_TO_UNPLUG = "safe-to-unplug"  # the table says if everything is saved


PRIVATE_COMMANDS = frozenset(
    {
        PhoneCommand.LISTEN,
        PhoneCommand.STOP_LISTENING,
        PhoneCommand.WHAT_CAN_I_PLAY,
        PhoneCommand.WHERE_ARE_WE,
    }
)  # only their player hears the answer


@dataclass(frozen=True, slots=True)
class SettingChosen:
    """A setting of the table, by its *name*, and the chosen *value* as text."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RobotChosen:
    """The *style* of the robot that plays in *seat*; if it is empty, a person plays."""

    seat: Seat
    style: str


@dataclass(frozen=True, slots=True)
class GameChosen:
    """A game to start: its name, the players' *names* by seat, and the seat of the *dealer*.

    *rules* are house rules and their values, as the fixed names that lists at the table have. The
    others have their usual values. *who* has by seat a value of ``GameOffer.who``; if it is empty,
    the same play as before.
    """

    game: str
    names: tuple[str, ...]
    dealer: int
    rules: tuple[tuple[str, str], ...]
    who: tuple[str, ...] = ()


class StickersDo(Enum):
    """The acts of a host with stickers."""

    OPEN = "open"  # a box, from the table's list of boxes
    PRESS = "press"  # a button of the table, or "leave"
    CHOOSE = "choose"  # an item of the open list


@dataclass(frozen=True, slots=True)
class StickersAct:
    """An act with stickers. *step* is the step that the phone showed (``OpenBox.step``)."""

    do: StickersDo
    value: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class PhoneAct:
    """An act at the phone of *player*, or of the host (None).

    *moment* is the number of the journal entry that the phone showed (``Journal.moment``). If
    another entry has followed, the act is too late, and the table refuses it.
    """

    player: str | None
    moment: int
    act: Input | PhoneCommand | SettingChosen | GameChosen | RobotChosen | StickersAct


@dataclass(frozen=True, slots=True)
class PhoneSilent:
    """The phone of *player*, who has the hand reader, has given no sign of life for too long."""

    player: str


@dataclass(frozen=True, slots=True)
class HintDue:
    """Nobody has done anything for a long time in a game that waits for players."""


@dataclass(frozen=True, slots=True)
class MatDue:
    """The mat has thought for long enough about its turn."""


Event = (
    TagsArrived
    | TagRemoved
    | TagUnreadable
    | PartFailed
    | PartRecovered
    | DoctorReported
    | CodeRequested
    | HallMessage
    | HallChanged
    | CopyFailed
    | JoinRequested
    | AddressChanged
    | PhoneRequested
    | PhoneLetIn
    | PhoneAct
    | PhoneSilent
    | HintDue
    | MatDue
    | Turned
    | Pressed
    | Rocked
)
