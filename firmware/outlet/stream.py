"""The stream: what readers outside this process get, as lines of JSON; and the lines they send.

A reader gets one object in each line, with one key:

- ``state``: the public state, or null while the table is off;
- ``event``: an event of the outlet;
- ``missed``: the number of events that were replaced before they could be sent;
- ``answer``: the answer to the reader's own question.

It may send one object in each line: ``{"show": "code", "code": "123456"}`` shows a pairing code on
the display, and ``{"ask": "join", "id": 7, "address": "192.0.2.7"}`` asks the people at the mat if
a page may join. ``{"offer": "join", "url": ..., "place": ..., "code": "123456"}`` is the address at
which people can join, until the reader offers another one or disconnects. Nothing here waits; the
caller moves the bytes.
"""

import json
import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from firmware.outlet.queue import Outlet
from firmware.outlet.state import PublicState
from firmware.show.qr import MOST_BYTES
from firmware.show.view import JoinAddress
from firmware.table.events import CodeRequested, JoinRequested

LONGEST_LINE = 200  # bytes that a reader may send in one line
CODE = re.compile(r"[0-9]{6}")
IDS = range(1 << 31)
JOIN_URL = re.compile(r"http://([0-9.]{7,15}):[0-9]{1,5}/j#[A-Za-z0-9_-]{22}")  # with its secret
PLACE = re.compile(r"[a-z0-9.:-]{1,32}")


class BadRequest(ValueError):
    """A reader sent a line that is not a request."""


@dataclass(frozen=True, slots=True)
class JoinQuestion:
    """The question if a page may join. *number* is the reader's own number for it."""

    number: int
    event: JoinRequested


class Stream:
    """The lines about one outlet, in order, from the creation of this object on."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._after = outlet.last
        self._state = outlet.state

    @property
    def state_line(self) -> bytes:
        """The line with the state after all lines so far."""
        return _line("state", None if self._state is None else self._state.to_json())

    def new_lines(self) -> bytes:
        """Return the lines about everything since the last call, the state last.

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


def answer_line(number: int, *, is_yes: bool) -> bytes:
    """Return the line that answers the question *number* of the reader who asked it."""
    return _line("answer", {"id": number, "yes": is_yes})


def read_request(line: bytes) -> CodeRequested | JoinQuestion | JoinAddress:
    """Return the request in a *line* that a reader has sent.

    Raises:
        BadRequest: the line is not a request.
    """
    if len(line) > LONGEST_LINE:
        raise BadRequest("The line is too long.")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        raise BadRequest("The line is not JSON.") from wrong
    match found:
        case {"show": "code", "code": str(code), **others} if not others and CODE.fullmatch(code):
            return CodeRequested(code)
        case {"ask": "join", "id": int(number), "address": str(address), **others} if (
            not others and number is not True and number is not False and number in IDS
        ):
            return JoinQuestion(number, JoinRequested(_address(address)))
        case {
            "offer": "join",
            "url": str(url),
            "place": str(place),
            "code": str(code),
            **others,
        } if not others and CODE.fullmatch(code) and PLACE.fullmatch(place):
            return JoinAddress(_join_url(url), code, place)
    raise BadRequest("The line has no known request.")


def _join_url(text: str) -> str:
    """Return *text* if it is empty, or an address with a secret that fits into a QR code.

    Raises:
        BadRequest: it is neither.
    """
    found = JOIN_URL.fullmatch(text)
    if text and (found is None or len(text) > MOST_BYTES):
        raise BadRequest("The address to join at is not one.")
    if found is not None:
        _address(found[1])
    return text


def _address(text: str) -> str:
    """Return *text* if it is an IP address, without the interface of a link-local one.

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
