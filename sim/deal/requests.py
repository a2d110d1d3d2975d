"""The requests that pages and robots send to the virtual table, as values."""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.common.grid import Place
from sim.deal.layout import HandAct


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay cards on a spot."""

    tags: tuple[str, ...]
    spot: str


@dataclass(frozen=True, slots=True)
class Lift:
    """Take cards off a spot."""

    tags: tuple[str, ...]
    spot: str


@dataclass(frozen=True, slots=True)
class HoldButton:
    """Press a button and keep it down.

    *inputs* is the number of inputs of the game that the page has seen. If the game has another
    number, the press answers an older question, and nothing is done. None means that it is not
    compared.
    """

    button: str
    inputs: int | None = None


@dataclass(frozen=True, slots=True)
class ReleaseButton:
    """Release a button."""

    button: str


@dataclass(frozen=True, slots=True)
class TurnEncoder:
    """Turn the encoder by *steps* detents. Clockwise is positive."""

    steps: int


@dataclass(frozen=True, slots=True)
class ChoosePlace:
    """Turn the encoder to a place of the map and press it."""

    at: Place


@dataclass(frozen=True, slots=True)
class RockTilt:
    """Rock the object that holds the tilt switch."""


@dataclass(frozen=True, slots=True)
class SetPower:
    """Plug the mat in, or pull the plug."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class SetFault:
    """Break a part by the fault *name*, or repair it (``none``)."""

    name: str
    part: str


@dataclass(frozen=True, slots=True)
class DealCards:
    """Deal a shuffled deck; if no game is in progress, start *game* first."""

    game: str
    players: int
    is_hot_seat: bool


@dataclass(frozen=True, slots=True)
class BeginGame:
    """End the game in progress, if any, start *game*, and deal it.

    *names* and *robots* are by seat; a robot is the name of its style, and None is a person.
    *options* are house rules by name, as rehearsals write them; options that are left out have
    their defaults. If *is_quick*, robots make short pauses. If *is_lesson*, the table teaches the
    game. If *hands_over*, people at one page pass it on: a hand lies face down until its player
    asks to see it.
    """

    game: str
    names: tuple[str, ...]
    robots: tuple[str | None, ...]
    options: Mapping[str, str]
    is_quick: bool = False
    is_lesson: bool = False
    hands_over: bool = False


@dataclass(frozen=True, slots=True)
class GatherCards:
    """Put the dealt cards back into the tray."""


@dataclass(frozen=True, slots=True)
class ReportFall:
    """Tell the referee which pieces fell and which were caught, as shown on the page."""


@dataclass(frozen=True, slots=True)
class ChooseItem:
    """Turn the encoder to *value* in the display's list and press it.

    *inputs* is as in HoldButton.
    """

    value: str
    inputs: int | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Undo the last play by a person, and all plays by robots after it."""


@dataclass(frozen=True, slots=True)
class ShowHand:
    """Turn a hand face up for its player. Seats count from 1."""

    seat: int


@dataclass(frozen=True, slots=True)
class CoverHand:
    """Turn the face-up hand of a player face down again."""


@dataclass(frozen=True, slots=True)
class SeatRobot:
    """Seat a robot of this style, or a person if there is no style. Seats are numbered from 1."""

    seat: int
    style: str | None


@dataclass(frozen=True, slots=True)
class ChooseLanguage:
    """Change the table's language to *code*, such as ``de``."""

    code: str


@dataclass(frozen=True, slots=True)
class Export:
    """Ask for the game as the text of a rehearsal."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Ask for the whole map as a PNG picture."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Pair the page with the table, by the code that is on the table's display."""

    code: str


Request = (
    Lay
    | Lift
    | HoldButton
    | ReleaseButton
    | TurnEncoder
    | ChoosePlace
    | RockTilt
    | SetPower
    | SetFault
    | DealCards
    | BeginGame
    | GatherCards
    | HandAct
    | ReportFall
    | ChooseItem
    | TakeBack
    | ShowHand
    | CoverHand
    | SeatRobot
    | ChooseLanguage
    | Export
    | Picture
    | Pair
)
