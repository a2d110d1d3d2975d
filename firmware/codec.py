"""How inputs and starts of games are written in the journal: as plain JSON values.

Room: firmware. What is written here is read by every later version, so a shape is only ever added.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

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


class UnknownShape(ValueError):
    """A value of the journal that this version cannot read; the text says what is wrong."""


def encode(given: Input) -> dict[str, Any]:
    """Return *given* as JSON values: one key names what it is."""
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
    """Return the input that ``encode`` wrote as *shape*.

    Raises:
        UnknownShape: it wrote no such thing.
    """
    match sorted(shape):
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
        case keys if "tap" in keys and set(keys) <= {"tap", "spot", "by"}:
            spot = field(str, shape, "spot") if "spot" in shape else PLAY_SPOT
            seat = _seat(shape, "by") if "by" in shape else None
            return Tap(_piece(field(str, shape, "tap")), spot, seat)
        case _:
            raise UnknownShape(f"{dict(shape)} is no input that this tapmat knows")


def decode_options(shape: Mapping[str, Any]) -> dict[str, OptionValue]:
    """Return the house rules kept as *shape*.

    Raises:
        UnknownShape: a value is no switch, number or word.
    """
    for name, value in shape.items():
        if not isinstance(value, bool | int | str):
            raise UnknownShape(f"option {name} is {value!r}; it must be a switch, number or word")
    return dict(shape)


def encode_deck(deck: Deck) -> dict[str, Any]:
    """Return *deck* as JSON values."""
    kinds = [[kind.name, kind.count, kind.value, dict(kind.traits)] for kind in deck.kinds]
    shape = {"game": deck.game, "verified": deck.is_verified, "kinds": kinds}
    return shape if deck.spread is None else {**shape, "spread": list(deck.spread)}


def decode_deck(shape: Mapping[str, Any]) -> Deck:
    """Return the deck that ``encode_deck`` wrote as *shape*.

    Raises:
        UnknownShape: it wrote no such thing.
    """
    kinds = tuple(_kind(row) for row in field(list, shape, "kinds"))
    spread = _spread(shape["spread"]) if "spread" in shape else None
    return Deck(field(str, shape, "game"), kinds, field(bool, shape, "verified"), spread)


def field(kind: type[T], shape: Mapping[str, Any], key: str) -> T:
    """Return ``shape[key]``, which must be a *kind*.

    Raises:
        UnknownShape: it is missing, or something else.
    """
    value = shape.get(key)
    if type(value) is not kind:  # not isinstance: True is no number here
        raise UnknownShape(f"{key} is {value!r}; it must be of type {kind.__name__}")
    return value


def _seat(shape: Mapping[str, Any], key: str) -> Seat:
    seat = field(int, shape, key)
    if seat < 0:
        raise UnknownShape(f"{key} is {seat}; seats count from 0")
    return Seat(seat)


def _place(value: object) -> Place:
    match value:
        case [column, row] if type(column) is int and type(row) is int:
            return Place(column, row)
        case _:
            raise UnknownShape(f"place is {value!r}; it must be a column and a row")


def _button(value: str) -> Button:
    try:
        return Button(value)
    except ValueError as wrong:
        raise UnknownShape(f"press is {value!r}; there is no such button") from wrong


def _piece(text: str) -> Piece:
    try:
        return Piece.parse(text)
    except ValueError as wrong:
        raise UnknownShape(f"tap is {text!r}; a piece is written kind#copy") from wrong


def _spread(value: object) -> tuple[int, int]:
    match value:
        case [int(rows), int(columns)]:
            return rows, columns
        case _:
            raise UnknownShape(f"spread is {value!r}; it must be rows and columns")


def _kind(row: object) -> Kind:
    match row:
        case [str(name), int(count), int(value), dict(traits)]:
            return Kind(name, count, value, traits)
        case _:
            raise UnknownShape(f"{row!r} is no kind of piece")
