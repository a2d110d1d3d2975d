"""The stream: lines of JSON between the table and *clients*, programs outside its process.

A client gets one object in each line, with one key:

- ``state``: the public state, or null while the table is off;
- ``event``: an event of the outlet;
- ``missed``: the number of events that were replaced before they could be sent;
- ``private``: the private state of a player, or of the host, that the client asked for;
- ``answer``: the answer to the client's own question or act.

It may send one object in each line; ``read_request`` has their forms. Nothing here waits; the
caller moves the bytes.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from engines.common.contract import Input, Seat, Tap
from firmware.journal.codec import decode
from firmware.outlet.private import HostState, PlayerState
from firmware.outlet.queue import Outlet
from firmware.outlet.state import PublicState
from firmware.show.qr import MOST_BYTES
from firmware.show.view import JoinAddress
from firmware.table.events import (
    CodeRequested,
    GameChosen,
    HallMessage,
    JoinRequested,
    PhoneAct,
    PhoneCommand,
    PhoneRequested,
    RobotChosen,
    SettingChosen,
    StickersAct,
    StickersDo,
)

LONGEST_LINE = 4000  # bytes that a client may send in one line
LONGEST_NAME = 40  # characters of a player's name
LONGEST_MESSAGE = 60  # characters of a hall's message
MOST_WANTED = 12  # players whose private states one client may want
CODE = re.compile(r"[0-9]{6}")
PHONE_CODE = re.compile(r"[0-9]{2}")
IDS = range(1 << 31)
JOIN_URL = re.compile(r"http://([0-9.]{7,15}):[0-9]{1,5}/j#[A-Za-z0-9_-]{22}")  # with its secret
PLACE = re.compile(r"[a-z0-9.:-]{1,32}")
OF_SETTING = re.compile(r"[a-zA-Z0-9-]{1,30}")
OF_STICKER = re.compile(r"[a-z0-9#-]+")  # a box, button, kind or piece
MOST_RULES = 30  # house rules of one game


class BadRequest(ValueError):
    """A client sent a line that is not a request."""


@dataclass(frozen=True, slots=True)
class JoinQuestion:
    """The question whether a page or phone may join. *number* is the client's own number for it."""

    number: int
    event: JoinRequested | PhoneRequested


@dataclass(frozen=True, slots=True)
class ActRequest:
    """The act of a phone. *number* is the client's own number for it."""

    number: int
    event: PhoneAct


@dataclass(frozen=True, slots=True)
class Wanted:
    """The *players* whose private states the client wants; None stands for the host."""

    players: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class ResultsRequest:
    """The reader wants the newest results. *number* is its own number for the question."""

    number: int


@dataclass(frozen=True, slots=True)
class BoxRequest:
    """The reader wants the box of *game*. *number* is its own number for the question."""

    number: int
    game: str


@dataclass(frozen=True, slots=True)
class HallOffer:
    """The client is connected to a hall, until it disconnects from this socket."""


Request = (
    BoxRequest
    | HallOffer
    | ResultsRequest
    | CodeRequested
    | HallMessage
    | JoinQuestion
    | JoinAddress
    | ActRequest
    | Wanted
)


class Stream:
    """The lines about one *outlet*, in order. They begin when this object is created."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._after = outlet.last
        self._state = outlet.state

    @property
    def state_line(self) -> bytes:
        """The line with the state that is valid after all lines returned so far."""
        return _line("state", None if self._state is None else self._state.to_json())

    def new_lines(self) -> bytes:
        """Return the lines about everything since the last call. The state is last.

        The state is read after the events, so it is never older than they are.
        """
        batch = self._outlet.read(self._after)
        lines = [_line("missed", batch.missed)] if batch.missed else []
        lines += [_line("event", each.to_json()) for each in batch.events]
        if batch.events:
            self._after = batch.events[-1].seq
        state: PublicState | None = self._outlet.state
        if state is not self._state:
            self._state = state
            lines.append(self.state_line)
        return b"".join(lines)


def private_line(player: str | None, state: PlayerState | HostState | None) -> bytes:
    """Return the line with the private *state* of *player*, or of the host if *player* is None.

    If *state* is None, the line says that there is no such state any more.
    """
    shown = None if state is None else state.to_json()
    return _line("private", {"player": player, "state": shown})


def answer_line(number: int, *, is_yes: bool, text: str = "") -> bytes:
    """Return the line with the answer to the question or act *number* of a client.

    *is_yes* is the answer to a question, or True if an act was done. *text* says why an act was
    refused.
    """
    return _line("answer", {"id": number, "yes": is_yes} | ({"text": text} if text else {}))


def results_line(number: int, results: list[Any]) -> bytes:
    """Return the line that answers the request *number* for the newest *results*."""
    return _line("answer", {"id": number, "yes": True, "results": results})


def box_line(number: int, box: dict[str, Any]) -> bytes:
    """Return the line that answers the request *number* for a *box*."""
    return _line("answer", {"id": number, "yes": True, "box": box})


def read_request(line: bytes) -> Request:
    """Return the request in *line*, which a client has sent.

    ``{"show": "code", "code": "123456"}`` shows a pairing code on the display.

    ``{"ask": "join", "id": 7, "address": "192.0.2.7"}`` asks the people at the mat if a page may
    join. ``{"ask": "phone", "id": 8, "code": "42", "player": "Ann"}`` asks them if a phone may play
    for Ann.

    ``{"offer": "join", "url": ..., "place": ..., "code": "123456"}`` is the address at which people
    can join, until the client offers another one or disconnects.

    ``{"offer": "hall"}`` says that the client is connected to a hall, until it disconnects: people
    can then call the hall for help.

    ``{"want": ["Ann", null]}`` asks for the private states of Ann and the host, and
    ``{"want": "results", "id": 9}`` for the newest results. ``{"want": "box", "id": 9, "game":
    "straw"}`` asks for what everybody may know of a game's pieces and rules.

    ``{"act": {"choice": "yes"}, "id": 9, "player": "Ann", "moment": 120}`` is Ann's answer at her
    phone. In place of the input there may be a command, such as ``"take-back"``, a setting,
    ``{"setting": "language", "value": "de"}``, a robot for a seat (or a person, if it is empty),
    ``{"robot": "careful", "seat": 1}``, an act with stickers,
    ``{"stickers": "open", "value": "straw", "step": 0}``, or a game to start, ``{"start": "straw",
    "names": ["Ann", "Ben"], "dealer": 1, "rules": {"floor-at-zero": "on"}, "who": ["", "good"]}``;
    *who* can be left out.

    Raises:
        BadRequest: the line is not a request.
    """
    if len(line) > LONGEST_LINE:
        raise BadRequest("The line is too long.")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        raise BadRequest("The line is not valid JSON.") from wrong
    match found:
        case {"show": "code", "code": str(code), **others} if not others and CODE.fullmatch(code):
            return CodeRequested(code)
        case {"show": "message", "text": str(text), **others} if not others and is_message(text):
            return HallMessage(text)
        case {"ask": "join", "id": number, "address": str(address), **others} if not others:
            return JoinQuestion(_number(number), JoinRequested(_address(address)))
        case {"ask": "phone", "id": number, "code": str(code), "player": player, **others} if (
            not others and PHONE_CODE.fullmatch(code)
        ):
            return JoinQuestion(_number(number), PhoneRequested(code, _player(player)))
        case {"want": _}:
            return _want_in(found)
        case {"act": act, "id": number, "player": player, "moment": moment, **others} if not others:
            event = PhoneAct(_player(player), _number(moment), _act(act))
            return ActRequest(_number(number), event)
        case {"offer": _}:
            return _offer_in(found)
    raise BadRequest("The line has no known request.")


def _offer_in(found: dict[str, Any]) -> Request:
    """Return the offer in *found*.

    Raises:
        BadRequest: it is none.
    """
    match found:
        case {"offer": "hall", **others} if not others:
            return HallOffer()
        case {
            "offer": "join",
            "url": str(url),
            "place": str(place),
            "code": str(code),
            **others,
        } if not others and CODE.fullmatch(code) and PLACE.fullmatch(place):
            return JoinAddress(_join_url(url), code, place)
    raise BadRequest("The line offers nothing known.")


def is_message(text: str) -> bool:
    """Return True if *text* can be a hall's message on the display."""
    return len(text) <= LONGEST_MESSAGE and (not text or text.isprintable())


def _want_in(found: dict[str, Any]) -> Request:
    """Return the request in *found*, which says what the client wants to have.

    Raises:
        BadRequest: that is unknown.
    """
    match found:
        case {"want": list(players), **others} if not others and len(players) <= MOST_WANTED:
            return Wanted(frozenset(map(_player, players)))
        case {"want": "results", "id": number, **others} if not others:
            return ResultsRequest(_number(number))
        case {"want": "box", "id": number, "game": str(game), **others} if (
            not others and OF_STICKER.fullmatch(game)
        ):
            return BoxRequest(_number(number), game)
    raise BadRequest("The line has no known request.")


def _number(value: object) -> int:
    if type(value) is int and value in IDS:
        return value
    raise BadRequest(f"A number is not an integer from 0 to {IDS[-1]}.")


def _player(value: object) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= LONGEST_NAME):
        return value
    raise BadRequest(f"The player is not a name of 1 to {LONGEST_NAME} letters.")


def _act(
    value: object,
) -> Input | PhoneCommand | SettingChosen | GameChosen | RobotChosen | StickersAct:
    """Return what the phone asks for in *value*.

    That is an input, a command, a new setting, a new game, an act with stickers, or a robot or a
    person for a seat. A tap is not accepted: pieces are laid on the mat, not at a phone.

    Args:
        value: the decoded JSON.

    Raises:
        BadRequest: *value* is none of these.
    """
    try:
        match value:
            case str():
                return PhoneCommand(value)
            case {"setting": str(name), "value": str(chosen), **others} if not others and all(
                map(OF_SETTING.fullmatch, (name, chosen))
            ):
                return SettingChosen(name, chosen)
            case {"start": _}:
                return _game(value)
            case {"robot": str(style), "seat": seat, **others} if (
                not others and len(style) <= LONGEST_NAME
            ):
                return RobotChosen(Seat(_number(seat)), style)
            case {"stickers": do, "value": str(chosen), "step": step, **others} if (
                not others and OF_STICKER.fullmatch(chosen)
            ):
                return StickersAct(StickersDo(do), chosen, _number(step))
            case dict() if len(value) == 1:
                given = decode(value)
                if not isinstance(given, Tap):
                    return given
    except (ValueError, TypeError) as wrong:
        raise BadRequest("The act is unknown.") from wrong
    raise BadRequest("The act is unknown.")


def _game(shape: object) -> GameChosen:
    """Return the game to start in *shape*.

    Raises:
        BadRequest: it is none.
    """
    match shape:
        case {
            "start": str(game),
            "names": list(names),
            "dealer": dealer,
            "rules": dict(rules),
            **others,
        } if (
            others.keys() <= {"who"}
            and len(names) <= MOST_WANTED
            and len(rules) <= MOST_RULES
            and _are_fixed_names((game, *rules, *rules.values()))
        ):
            players = tuple(name for each in names if (name := _player(each)) is not None)
            who = _who(others.get("who", []))
            return GameChosen(game, players, _number(dealer), tuple(rules.items()), who)
    raise BadRequest("The game is unknown.")


def _who(value: object) -> tuple[str, ...]:
    """Return who plays each seat, as *value* has it; a person is an empty string.

    Raises:
        BadRequest: *value* is no such list.
    """
    if not isinstance(value, list) or len(value) > MOST_WANTED:
        raise BadRequest("Who plays is not a short list.")
    if not _are_fixed_names(each for each in value if each != ""):
        raise BadRequest("Somebody who plays is unknown.")
    return tuple(value)


def _are_fixed_names(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and OF_SETTING.fullmatch(value) for value in values)


def _join_url(text: str) -> str:
    """Return *text*, which must be empty or a URL to join at, short enough for a QR code.

    Raises:
        BadRequest: *text* is neither.
    """
    found = JOIN_URL.fullmatch(text)
    if text and (found is None or len(text) > MOST_BYTES):
        raise BadRequest("The address to join at is not valid.")
    if found is not None:
        _address(found[1])
    return text


def _address(text: str) -> str:
    """Return the IP address *text*. The interface name of a link-local address is dropped.

    Raises:
        BadRequest: it is not an IP address.
    """
    try:
        return str(ip_address(text.partition("%")[0]))
    except ValueError as wrong:
        raise BadRequest("The address is not an IP address.") from wrong


def _line(key: str, value: Any) -> bytes:
    # ASCII, because a lone surrogate cannot be sent as UTF-8.
    return json.dumps({key: value}, separators=(",", ":")).encode("ascii") + b"\n"
