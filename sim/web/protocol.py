"""The protocol of the pages: parses and checks their JSON messages.

Every message is checked here, and only here. No part of a message reaches a shell, a path or a
format string. ``protocol.schema.json`` describes the messages of both sides. This module takes its
limits and the names of fields from there; tests show that it accepts what the schema accepts.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeGuard

from engines.common.grid import Place
from firmware.common.errors import did_you_mean
from sim.deal import requests
from sim.deal.layout import HandAct, Value, Values

SCHEMA: Mapping[str, Any] = json.loads(
    files(__package__).joinpath("protocol.schema.json").read_text(encoding="utf-8")
)
TYPES: Mapping[str, Any] = SCHEMA["$defs"]  # of messages and of their parts, by name

_HAND_VALUES = TYPES["Value"]["anyOf"]  # a word, a list of words, or a whole number
MOST_TAGS: int = TYPES["LayRequest"]["properties"]["tags"]["maxItems"]  # in one message
MOST_CARGO: int = _HAND_VALUES[1]["maxItems"]  # pieces of cargo that fall at once
MOST_INPUTS: int = TYPES["Inputs"]["maximum"]  # of a game
MOST_FIELDS: int = TYPES["ByHandRequest"]["maxProperties"]  # in one by-hand message
MOST_OPTIONS: int = TYPES["BeginRequest"]["properties"]["options"]["maxProperties"]  # house rules
MOST_PLACES: int = _HAND_VALUES[2]["maximum"]  # in a spread
MOST_SEATS: int = TYPES["Ordinal"]["maximum"]
MOST_STEPS: int = TYPES["TurnRequest"]["properties"]["steps"]["maximum"]  # of the encoder
FARTHEST: int = TYPES["Place"]["items"]["maximum"]  # columns or rows from the middle of a map
LONGEST_WORD: int = TYPES["Word"]["maxLength"]  # letters in the name of a card, spot or part

# The fields of each kind of message, except ``by-hand``, whose fields are the layout's.
FIELDS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(message["properties"])
    for message in (TYPES[each["$ref"].split("/")[-1]] for each in TYPES["PageRequest"]["anyOf"])
    for kind in message["properties"]["type"]["enum"]
    if message["additionalProperties"] is False
}


class BadMessage(Exception):
    """An invalid message. *about* is its id, if that could be read."""

    def __init__(self, text: str, about: int | None = None) -> None:
        super().__init__(text)
        self.about = about


def read(text: str) -> tuple[requests.Request, int | None]:
    """Parse a message; return the request, and the message's id or None.

    Raises:
        BadMessage: the text is not one of the messages; the error says what is expected.
    """
    try:
        shape = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("That is not JSON. Send one JSON object per message.") from None
    if not isinstance(shape, dict):
        raise BadMessage("That is not a JSON object. Send one JSON object per message.")
    about = shape.get("id")
    if "id" in shape and type(about) is not int:
        raise BadMessage("The id is not a whole number. Leave it out, or number the messages.")
    fields = Fields(shape, about)
    kind = fields.text("type")
    if kind not in READERS:
        hint = did_you_mean(kind, READERS) or f"The messages are: {', '.join(READERS)}."
        raise BadMessage(f"There is no message {kind[:LONGEST_WORD]}. {hint}", about)
    fields.refuse_unknown(FIELDS.get(kind, shape))
    return READERS[kind](fields), about


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one message.

    Each method checks one field, and raises BadMessage if it is wrong.
    """

    shape: Mapping[str, Any]
    about: int | None

    def text(self, name: str) -> str:
        """Return the string in field *name*.

        Raises:
            BadMessage: it is missing, or not a string of 1 to ``LONGEST_WORD`` characters.
        """
        value = self.shape.get(name)
        if not _is_word(value):
            raise self._wrong(name, f"a string of 1 to {LONGEST_WORD} characters")
        return value

    def text_or_none(self, name: str) -> str | None:
        """Return the string in field *name*, or None if the field is missing or null."""
        return None if self.shape.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        """Return the Boolean in field *name*."""
        value = self.shape.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def flag_or_false(self, name: str) -> bool:
        """Return the Boolean in field *name*, or False if the field is missing."""
        return name in self.shape and self.flag(name)

    def whole(self, name: str, low: int, high: int) -> int:
        """Return the whole number in field *name*, from *low* to *high* inclusive."""
        value = self.shape.get(name)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(name, f"a whole number from {low} to {high}")
        return value

    def count_or_none(self, name: str) -> int | None:
        """Return the count in field *name*, or None if the field is missing."""
        return self.whole(name, 0, MOST_INPUTS) if name in self.shape else None

    def place(self, name: str) -> Place:
        """Return the place in field *name*, a list of column and row."""
        match self.shape.get(name):
            case [column, row] if all(type(n) is int and abs(n) <= FARTHEST for n in (column, row)):
                return Place(column, row)
        raise self._wrong(name, f"a column and a row, each from -{FARTHEST} to {FARTHEST}")

    def texts(self, name: str, low: int = 1, high: int = MOST_TAGS) -> tuple[str, ...]:
        """Return the list of *low* to *high* strings in field *name*, without repeats."""
        values = self.shape.get(name)
        if not isinstance(values, list) or not low <= len(values) <= high:
            raise self._wrong(name, f"a list of {low} to {high} strings")
        if not all(map(_is_word, values)):
            raise self._wrong(name, f"a list of strings of 1 to {LONGEST_WORD} characters")
        return tuple(dict.fromkeys(values))

    def seats(self, name: str) -> tuple[str | None, ...]:
        """Return the list in field *name*, with a string or null for each seat."""
        values = self.shape.get(name)
        if not isinstance(values, list) or not 1 <= len(values) <= MOST_SEATS:
            raise self._wrong(name, f"a list of 1 to {MOST_SEATS} seats")
        if not all(value is None or _is_word(value) for value in values):
            raise self._wrong(name, f"a list of null or strings of 1 to {LONGEST_WORD} characters")
        return tuple(values)

    def words(self, name: str) -> dict[str, str]:
        """Return the object of strings in field *name*; {} if the field is missing."""
        values = self.shape.get(name, {})
        if not isinstance(values, dict) or len(values) > MOST_OPTIONS:
            raise self._wrong(name, f"an object of at most {MOST_OPTIONS} strings")
        if not all(_is_word(word) for pair in values.items() for word in pair):
            raise self._wrong(name, f"an object of strings of 1 to {LONGEST_WORD} characters")
        return values

    def others(self, *known: str) -> Values:
        """Return the fields not named in *known*, by name.

        Each must be a whole number, a string or a list of strings.
        """
        names = [name for name in self.shape if name not in (*known, "type", "id")]
        if len(self.shape) > MOST_FIELDS:
            raise BadMessage(f"Send at most {MOST_FIELDS} fields with an act.", self.about)
        return {name: self._value(name) for name in names}

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raise BadMessage if the message has a field that is not *known*."""
        unknown = next((name for name in self.shape if name not in known), None)
        if unknown is not None:
            hint = did_you_mean(unknown, known) or f"The fields are: {', '.join(known)}."
            raise BadMessage(f"There is no field {unknown[:LONGEST_WORD]}. {hint}", self.about)

    def _value(self, name: str) -> Value:
        match self.shape[name]:
            case list():
                return self.texts(name, 0, MOST_CARGO)
            case str():
                return self.text(name)
        return self.whole(name, -MOST_PLACES, MOST_PLACES)

    def _wrong(self, name: str, right: str) -> BadMessage:
        return BadMessage(f"{name} must be {right}.", self.about)


def _is_word(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_WORD


def _begin(fields: Fields) -> requests.BeginGame:
    names, robots = fields.seats("names"), fields.seats("robots")
    if len(robots) != len(names):
        raise BadMessage("robots and names must be lists of the same length.", fields.about)
    named = tuple(name or "" for name in names)
    game, options = fields.text("game"), fields.words("options")
    flags = (fields.flag_or_false(name) for name in ("quick", "learn", "handsOver"))
    return requests.BeginGame(game, named, robots, options, *flags)


READERS: Mapping[str, Callable[[Fields], requests.Request]] = {
    "lay": lambda f: requests.Lay(f.texts("tags"), f.text("spot")),
    "lift": lambda f: requests.Lift(f.texts("tags"), f.text("spot")),
    "down": lambda f: requests.HoldButton(f.text("button"), f.count_or_none("inputs")),
    "up": lambda f: requests.ReleaseButton(f.text("button")),
    "turn": lambda f: requests.TurnEncoder(f.whole("steps", -MOST_STEPS, MOST_STEPS)),
    "place": lambda f: requests.ChoosePlace(f.place("at")),
    "tilt": lambda f: requests.RockTilt(),
    "power": lambda f: requests.SetPower(f.flag("on")),
    "fault": lambda f: requests.SetFault(f.text("name"), f.text("part")),
    "deal": lambda f: requests.DealCards(
        f.text("game"), f.whole("players", 1, MOST_SEATS), f.flag("hotSeat")
    ),
    "begin": _begin,
    "undeal": lambda f: requests.GatherCards(),
    "take-back": lambda f: requests.TakeBack(),
    "by-hand": lambda f: HandAct(f.text("act"), f.others("act")),
    "report": lambda f: requests.ReportFall(),
    "choose": lambda f: requests.ChooseItem(f.text("value"), f.count_or_none("inputs")),
    "show": lambda f: requests.ShowHand(f.whole("seat", 1, MOST_SEATS)),
    "cover": lambda f: requests.CoverHand(),
    "robot": lambda f: requests.SeatRobot(f.whole("seat", 1, MOST_SEATS), f.text_or_none("style")),
    "language": lambda f: requests.ChooseLanguage(f.text("code")),
    "export": lambda f: requests.Export(),
    "picture": lambda f: requests.Picture(),
    "pair": lambda f: requests.Pair(f.text("code")),
}
