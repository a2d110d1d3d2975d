"""What pages may ask of the virtual table: JSON text in, values out, or what is wrong with it.

Room: sim/web. Every message is checked here, once; nothing of it reaches a shell, a path or a
format string. docs/virtual-table.md lists the messages.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.common.grid import Place
from firmware.errors import did_you_mean

MOST_TAGS = 12  # in one message; more cards than that lie on no spot
MOST_CARGO = 32  # that falls at once; no more is in the box
MOST_PLACES = 9999  # in rows and columns; no box holds more
MOST_SEATS = 6
MOST_STEPS = 20  # of the encoder in one message
FARTHEST = 999  # columns and rows from the middle of a map; no board grows so far
LONGEST_WORD = 60  # letters of a card, a spot or a part


class BadMessage(Exception):
    """A message that is none; *about* is its id, where one could be read."""

    def __init__(self, text: str, about: int | None = None) -> None:
        super().__init__(text)
        self.about = about


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
class Down:
    """A button goes down."""

    button: str


@dataclass(frozen=True, slots=True)
class Up:
    """A button is let go of."""

    button: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The encoder is turned; clockwise is above zero."""

    steps: int


@dataclass(frozen=True, slots=True)
class ChoosePlace:
    """The encoder is turned to a place of the map, and pressed."""

    at: Place


@dataclass(frozen=True, slots=True)
class Tilt:
    """What the tilt switch is fixed to is rocked."""


@dataclass(frozen=True, slots=True)
class Power:
    """The plug is pulled, or put back."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """A part breaks; ``none`` mends it."""

    name: str
    part: str


@dataclass(frozen=True, slots=True)
class Deal:
    """A shuffled deck is dealt, and the game set up for it if the table is idle."""

    game: str
    players: int
    is_hot_seat: bool


@dataclass(frozen=True, slots=True)
class Undeal:
    """The dealt cards go back to the tray."""


@dataclass(frozen=True, slots=True)
class Move:
    """A tile that may be moved is put on a free place; places count from 1."""

    start: int
    to: int


@dataclass(frozen=True, slots=True)
class Give:
    """A card is the one that was given away with the last input."""

    card: str


@dataclass(frozen=True, slots=True)
class Load:
    """A piece without a tag is the one that is loaded now."""

    piece: str


@dataclass(frozen=True, slots=True)
class Spill:
    """With the piece that is loaded these have fallen, and of them these were caught."""

    fallen: tuple[str, ...]
    caught: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """The encoder is turned to something in the display's list, and pressed."""

    value: str


@dataclass(frozen=True, slots=True)
class Show:
    """A hand is turned face up, for its player to see; seats count from 1."""

    seat: int


@dataclass(frozen=True, slots=True)
class Cover:
    """The hand that was to be seen is turned face down again."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot that plays in this style takes a seat, or a person does; seats count from 1."""

    seat: int
    style: str | None


@dataclass(frozen=True, slots=True)
class Export:
    """Give the game as a rehearsal."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Give the whole map as a picture."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The code that stands on the display."""

    code: str


Ask = (
    Lay
    | Lift
    | Down
    | Up
    | Turn
    | ChoosePlace
    | Tilt
    | Power
    | Fault
    | Deal
    | Undeal
    | Move
    | Give
    | Load
    | Spill
    | Choose
    | Show
    | Cover
    | Robot
    | Export
    | Picture
    | Pair
)


def read(text: str) -> tuple[Ask, int | None]:
    """Read a message and its id, if it has one.

    Raises:
        BadMessage: it is no JSON object, or none of the messages; the text says what would be.
    """
    try:
        shape = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("That is no JSON. Send one JSON object a message.") from None
    if not isinstance(shape, dict):
        raise BadMessage("That is no JSON object. Send one JSON object a message.")
    about = shape.get("id")
    if about is not None and type(about) is not int:
        raise BadMessage("The id is no whole number. Leave it out, or number the messages.")
    fields = Fields(shape, about)
    kind = fields.text("type")
    if kind not in READERS:
        hint = did_you_mean(kind, READERS) or f"There are: {', '.join(READERS)}."
        raise BadMessage(f"There is no message {kind[:LONGEST_WORD]}. {hint}", about)
    return READERS[kind](fields), about


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one message, taken out one by one, each checked."""

    shape: Mapping[str, Any]
    about: int | None

    def text(self, name: str) -> str:
        """A word of moderate length."""
        value = self.shape.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= LONGEST_WORD:
            raise self._wrong(name, f"a text of 1 to {LONGEST_WORD} letters")
        return value

    def text_or_none(self, name: str) -> str | None:
        """A word of moderate length, or null."""
        return None if self.shape.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.shape.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        """A whole number in a range."""
        value = self.shape.get(name)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(name, f"a whole number from {low} to {high}")
        return value

    def place(self, name: str) -> Place:
        """A place of a map, as its column and row."""
        match self.shape.get(name):
            case [column, row] if all(type(n) is int and abs(n) <= FARTHEST for n in (column, row)):
                return Place(column, row)
        raise self._wrong(name, f"a column and a row, each from -{FARTHEST} to {FARTHEST}")

    def texts(self, name: str, low: int = 1, high: int = MOST_TAGS) -> tuple[str, ...]:
        """So many words, none twice."""
        values = self.shape.get(name)
        if not isinstance(values, list) or not low <= len(values) <= high:
            raise self._wrong(name, f"a list of {low} to {high} texts")
        if not all(isinstance(v, str) and 0 < len(v) <= LONGEST_WORD for v in values):
            raise self._wrong(name, f"a list of texts of 1 to {LONGEST_WORD} letters")
        return tuple(dict.fromkeys(values))

    def _wrong(self, name: str, right: str) -> BadMessage:
        return BadMessage(f"{name} must be {right}.", self.about)


READERS: Mapping[str, Callable[[Fields], Ask]] = {
    "lay": lambda f: Lay(f.texts("tags"), f.text("spot")),
    "lift": lambda f: Lift(f.texts("tags"), f.text("spot")),
    "down": lambda f: Down(f.text("button")),
    "up": lambda f: Up(f.text("button")),
    "turn": lambda f: Turn(f.whole("steps", -MOST_STEPS, MOST_STEPS)),
    "place": lambda f: ChoosePlace(f.place("at")),
    "tilt": lambda f: Tilt(),
    "power": lambda f: Power(f.flag("on")),
    "fault": lambda f: Fault(f.text("name"), f.text("part")),
    "deal": lambda f: Deal(f.text("game"), f.whole("players", 1, MOST_SEATS), f.flag("hotSeat")),
    "undeal": lambda f: Undeal(),
    "move": lambda f: Move(f.whole("from", 1, MOST_PLACES), f.whole("to", 1, MOST_PLACES)),
    "give": lambda f: Give(f.text("card")),
    "load": lambda f: Load(f.text("piece")),
    "spill": lambda f: Spill(f.texts("fallen", 0, MOST_CARGO), f.texts("caught", 0, MOST_CARGO)),
    "choose": lambda f: Choose(f.text("value")),
    "show": lambda f: Show(f.whole("seat", 1, MOST_SEATS)),
    "cover": lambda f: Cover(),
    "robot": lambda f: Robot(f.whole("seat", 1, MOST_SEATS), f.text_or_none("style")),
    "export": lambda f: Export(),
    "picture": lambda f: Picture(),
    "pair": lambda f: Pair(f.text("code")),
}
