"""Values: the acts that one player or the host can do at a phone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from engines.common.contract import Input, Seat
from engines.common.grid import Cell
from engines.common.pieces import Piece
from firmware.table.private_ear import PrivateLine

CANNOT, FITS, WARNED = MARKS = ("", "fits", "warned")  # of a piece: cannot be played, or can be


@dataclass(frozen=True, slots=True)
class Answer:
    """An input that a player can give without a piece, and its *text* on a button.

    For a place on a map, *text* is a sentence, and *short* is what fits into a cell of the map.
    *sure* is a question that a phone asks before it gives the answer, or empty. An answer that
    *is_claim* says that no piece of the hand can be played.
    """

    given: Input
    text: str
    short: str = ""
    sure: str = ""
    is_claim: bool = False


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The acts that the player at *seat* can do at a phone.

    *moment* is the number of the last journal entry about a game. *is_turn* is True if the player
    may act now, perhaps only by laying a piece. *answers* are the inputs that the player may give
    now, and *can_take_back* is True if there is an input to undo. *hand* has the names of the
    pieces in the player's hand, and *kinds* those of their kinds; None if the table does not know
    them, as with real cards. If
    *is_listening*, the player hears the cards that they hold to a reader. *line* is the last line
    for this player alone. *question* is the question of the *answers*; it is empty if the hint on
    the display asks it. *cells* are the map around the places in the *answers*, if there are any.
    *marks* has for each piece in *hand* one of ``MARKS``; it is None if *hand* is. *fresh* is True
    for each piece that the player got last. *has_drawn* is True if the player has just drawn one of
    them with a button, and may still play.
    """

    seat: Seat
    moment: int
    is_turn: bool
    answers: tuple[Answer, ...]
    can_take_back: bool
    hand: tuple[str, ...] | None = None
    is_listening: bool = False
    line: PrivateLine | None = None
    question: str = ""
    cells: tuple[Cell, ...] = ()
    kinds: tuple[str, ...] | None = None
    marks: tuple[str, ...] | None = None
    fresh: tuple[bool, ...] = ()
    has_drawn: bool = False


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
class RobotSeats:
    """The seats of the virtual table, in which robots can sit. A real table has none.

    *lists* has a list for each seat, by its number from 0: a robot's style, or "" for a person.
    *choose* takes a seat and a value of its list, and returns why that is refused, or "".
    *count_undone* returns how many inputs an undo takes back: the last play of a person, and all
    robots' plays after it. It is 0 if no person has played. *chooser* is the player who must still
    choose the piece to give away, one of *choices*; None if nobody must. *give* takes the chosen
    piece, and returns why that is refused, or "".
    *before* are the values by seat in the game that was dealt last. *who* returns the values that a
    list would have in a game, each with its text, and *seat_next* takes the values by seat for the
    game that starts now.
    """

    lists: tuple[SettingList, ...]
    choose: Callable[[Seat, str], str] = field(compare=False)
    count_undone: Callable[[], int] = field(compare=False)
    chooser: Seat | None = None
    choices: tuple[Piece, ...] = ()
    give: Callable[[Piece], str] = field(default=lambda _piece: "", compare=False)
    before: tuple[str, ...] = ()
    who: Callable[[str], tuple[tuple[str, str], ...]] = field(
        default=lambda _game: (), compare=False
    )
    seat_next: Callable[[tuple[str, ...]], None] = field(
        default=lambda _values: None, compare=False
    )

    @property
    def taken(self) -> tuple[Seat, ...]:
        """The seats in which robots play."""
        return tuple(Seat(int(each.name)) for each in self.lists if each.now)


@dataclass(frozen=True, slots=True)
class HouseRule(SettingList):
    """A house rule of a game. *help* says what it means."""

    help: str


@dataclass(frozen=True, slots=True)
class GameOffer:
    """A game that the host can start.

    *why_not* is the reason if it cannot be started; the other fields are empty then. *seats* are
    the possible numbers of players. The rest is as in the last game: the number of *players*, the
    *dealer*, and the house rules. *names* has enough names for all seats.
    The names are those of the last players of any game. *is_last* is True for the game that was
    played last. *who* has who can play a seat, each with a text: "" is a person, ``mat`` is the
    mat, and others are levels of robots. *seated* has who played each seat in the last game.
    """

    game: str
    title: str
    why_not: str
    seats: tuple[int, ...] = ()
    players: int = 0
    names: tuple[str, ...] = ()
    dealer: int = 0
    rules: tuple[HouseRule, ...] = ()
    is_last: bool = False
    who: tuple[tuple[str, str], ...] = ()
    seated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenBox:
    """A box whose stickers are being enrolled, for the host's phone.

    *step* is a number that changes with each step of the enrolment. *asked* is the requested card
    or the title of the open list, and *progress* a sentence; *done* of *total* cards have a
    sticker. *buttons* are the table's buttons that do something now, and ``leave``; *items* are
    those of the open list. Each has its text.
    """

    step: int
    asked: str
    progress: str
    done: int
    total: int
    buttons: tuple[tuple[str, str], ...]
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StickersAsked:
    """The boxes whose stickers the host can enrol, each with its text; or why that cannot be now.

    *box* is the box that is open at the table, if there is one.
    """

    boxes: tuple[tuple[str, str], ...] = ()
    why_not: str = ""
    box: OpenBox | None = None


class PartStatus(Enum):
    """The state of a part, as far as the running table knows it."""

    WORKS = "works"
    LOST = "lost"
    UNCHECKED = "unchecked"  # the program cannot sense it, or nobody has used it yet


@dataclass(frozen=True, slots=True)
class PartAsked:
    """A part of the table for the host's phone.

    *part* is its fixed name, such as ``reader play``, and *name* its name in the table's language.
    *state* is the value of a ``PartStatus``. If the part is lost, *since* is the time in UTC, and
    *do* says what to do.
    """

    part: str
    name: str
    state: str
    since: str = ""
    do: str = ""


@dataclass(frozen=True, slots=True)
class CheckAsked:
    """The result of the last ``tapmat doctor`` in words. *at* is its time in UTC, or empty."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class HostAsked:
    """The acts that the host can do at a phone.

    *moment* and *can_take_back* are as in ``PlayerAsked``. *can_end* is True if there is a game to
    end, and *settings* are those that the host may change. *next_round* is the text of the button
    that begins the next round, or empty. *games* can be started now; there are none during a game,
    and while *busy* says what the table does instead. *is_preparing* is True if somebody at the
    table is preparing a game. *hand_reader_of* is the player who alone hears the hand reader, or
    empty. *robots* are the lists of ``RobotSeats``, *parts* those of the table, and *check* is the
    result of their last check.
    """

    moment: int
    can_take_back: bool
    can_end: bool
    settings: tuple[SettingList, ...]
    next_round: str = ""
    can_rematch: bool = False
    games: tuple[GameOffer, ...] = ()
    busy: str = ""
    is_preparing: bool = False
    hand_reader_of: str = ""
    robots: tuple[SettingList, ...] = ()
    stickers: StickersAsked = StickersAsked()
    parts: tuple[PartAsked, ...] = ()
    check: CheckAsked | None = None
