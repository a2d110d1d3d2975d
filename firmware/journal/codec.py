"""The JSON form of inputs and starts of games in the journal.

Later versions must read what this version writes, so new forms may be added, but no form is ever
changed. Pieces that were put on a reader together are a *stack*; the table plays these pieces one
after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from engines.common.contract import (
    PLAY_SPOT,
    Button,
    Choice,
    Input,
    Number,
    OptionValue,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
)
from engines.common.grid import Place
from engines.common.pieces import Deck, Kind, Piece

T = TypeVar("T")


LEFT = "left"  # JSON key of the pieces of a stack that are still to be played
MATS = "mats"  # JSON key of the seats in which the mat plays
PHONE = "phone"  # JSON key of the phone that gave an input
HOST: Literal["host"] = "host"

Phone = Seat | Literal["host"]  # the phone of the player at a seat, or the host's


class UnreadableValue(ValueError):
    """A value in the journal that this version cannot read. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A *piece* that is laid into the row of the mat at *seat*, or taken out again."""

    seat: Seat
    piece: Piece
    is_laid: bool


def encode(given: Input) -> dict[str, Any]:
    """Return the input *given* as a JSON object with one key, which names the kind of input."""
    match given:
        case Tap(piece, spot, seat):
            shape: dict[str, Any] = {"tap": str(piece)}
            if spot != PLAY_SPOT:
                shape["spot"] = spot
            if seat is not None:
                shape["by"] = seat
            return shape
        case Number(value):
            return {"number": value}
        case Choice(name):
            return {"choice": name}
        case SeatChoice(seat):
            return {"seat": seat}
        case PlaceChoice(place):
            return {"place": [place.column, place.row]}
        case Press(button):
            return {"press": button.value}


def decode(shape: Mapping[str, Any]) -> Input:
    """Return the input for the JSON object *shape*, which ``encode`` made.

    Raises:
        UnreadableValue: *shape* is not an input.
    """
    match sorted(shape.keys() - {PHONE}):
        case ["number"]:
            return Number(field(int, shape, "number"))
        case ["choice"]:
            return Choice(field(str, shape, "choice"))
        case ["seat"]:
            return SeatChoice(_seat(shape, "seat"))
        case ["place"]:
            return PlaceChoice(_place(shape["place"]))
        case ["press"]:
            return Press(_button(field(str, shape, "press")))
        case keys if "tap" in keys and set(keys) <= {"tap", "spot", "by", LEFT}:
            spot = field(str, shape, "spot") if "spot" in shape else PLAY_SPOT
            seat = _seat(shape, "by") if "by" in shape else None
            return Tap(_piece(field(str, shape, "tap")), spot, seat)
        case _:
            raise UnreadableValue(f"{dict(shape)} is not an input that this tapmat knows")


def encode_row(change: RowChange) -> dict[str, Any]:
    """Return *change* as a JSON object."""
    return {"lay" if change.is_laid else "lift": str(change.piece), "seat": change.seat}


def decode_row(shape: Mapping[str, Any]) -> RowChange:
    """Return the change for the JSON object *shape*, which ``encode_row`` made.

    Raises:
        UnreadableValue: *shape* is not a change of a row.
    """
    key = "lay" if "lay" in shape else "lift"
    return RowChange(_seat(shape, "seat"), _piece(field(str, shape, key)), key == "lay")


def decode_mats(shape: Mapping[str, Any], seats: int) -> tuple[Seat, ...]:
    """Return the seats in which the mat plays, of a game with *seats* players.

    Raises:
        UnreadableValue: the value is not a list of seats.
    """
    mats = field(list, shape, MATS) if MATS in shape else []
    if not all(type(seat) is int and 0 <= seat < seats for seat in mats):
        raise UnreadableValue(f"{MATS} is {mats!r}; it must be a list of seats")
    return tuple(map(Seat, mats))


def encode_left(left: Sequence[Piece]) -> dict[str, Any]:
    """Return *left*, the pieces of a stack that are not played yet, as a JSON object.

    The caller merges it with the JSON object of the tap that was just accepted.
    """
    return {LEFT: [str(piece) for piece in left]} if left else {}


def decode_left(shape: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Return the pieces that ``encode_left`` put into the JSON object *shape*, if any.

    Raises:
        UnreadableValue: the value is not a list of pieces.
    """
    left = field(list, shape, LEFT) if LEFT in shape else []
    return tuple(_piece(str(text)) for text in left)


def encode_phone(phone: Phone | None) -> dict[str, Any]:
    """Return a JSON object with *phone*, which gave an input or undo; empty if *phone* is None.

    The caller merges it with the JSON object of the input.
    """
    return {} if phone is None else {PHONE: phone}


def decode_phone(shape: Mapping[str, Any]) -> Phone | None:
    """Return the phone in the JSON object *shape*, which ``encode_phone`` has put there, or None.

    Raises:
        UnreadableValue: the value is neither a seat nor the host.
    """
    if PHONE not in shape:
        return None
    return HOST if shape[PHONE] == HOST else _seat(shape, PHONE)


def decode_options(shape: Mapping[str, Any]) -> dict[str, OptionValue]:
    """Return the house rules in the JSON object *shape*, as the option values by name.

    Raises:
        UnreadableValue: a value is not a bool, a number or a string.
    """
    for name, value in shape.items():
        if not isinstance(value, bool | int | str):
            raise UnreadableValue(
                f"option {name} is {value!r}; it must be true, false, a number or a string"
            )
    return dict(shape)


def encode_deck(deck: Deck) -> dict[str, Any]:
    """Return *deck* as a JSON object."""
    kinds = [[kind.name, kind.count, kind.value, dict(kind.traits)] for kind in deck.kinds]
    shape = {"game": deck.game, "verified": deck.is_verified, "kinds": kinds}
    return shape if deck.spread is None else {**shape, "spread": list(deck.spread)}


def decode_deck(shape: Mapping[str, Any]) -> Deck:
    """Return the deck for the JSON object *shape*, which ``encode_deck`` made.

    Raises:
        UnreadableValue: *shape* is not a deck.
    """
    kinds = tuple(_kind(row) for row in field(list, shape, "kinds"))
    spread = _spread(shape["spread"]) if "spread" in shape else None
    return Deck(field(str, shape, "game"), kinds, field(bool, shape, "verified"), spread)


def field(kind: type[T], shape: Mapping[str, Any], key: str) -> T:
    """Return ``shape[key]``, which must be of the type *kind*.

    Raises:
        UnreadableValue: the value is missing or of another type.
    """
    value = shape.get(key)
    if type(value) is not kind:  # not isinstance: True is not a number here
        raise UnreadableValue(f"{key} is {value!r}; it must be of type {kind.__name__}")
    return value


def _seat(shape: Mapping[str, Any], key: str) -> Seat:
    seat = field(int, shape, key)
    if seat < 0:
        raise UnreadableValue(f"{key} is {seat}; a seat must be 0 or more")
    return Seat(seat)


def _place(value: object) -> Place:
    match value:
        case [column, row] if type(column) is int and type(row) is int:
            return Place(column, row)
        case _:
            raise UnreadableValue(f"place is {value!r}; it must be a column and a row")


def _button(value: str) -> Button:
    try:
        return Button(value)
    except ValueError as wrong:
        raise UnreadableValue(f"press is {value!r}; there is no such button") from wrong


def _piece(text: str) -> Piece:
    try:
        return Piece.parse(text)
    except ValueError as wrong:
        raise UnreadableValue(f"tap is {text!r}; a piece is written kind#copy") from wrong


def _spread(value: object) -> tuple[int, int]:
    match value:
        case [int(rows), int(columns)]:
            return rows, columns
        case _:
            raise UnreadableValue(f"spread is {value!r}; it must be rows and columns")


def _kind(row: object) -> Kind:
    match row:
        case [str(name), int(count), int(value), dict(traits)]:
            return Kind(name, count, value, traits)
        case _:
            raise UnreadableValue(
                f"{row!r} is not a kind of piece; expected [name, count, value, traits]"
            )
