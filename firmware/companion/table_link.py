"""The link to the table: reads its local socket, and reconnects whenever the connection ends.

The state is None while the table is off, which means that no program serves the socket.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

RETRY_S = 0.5  # between two attempts to connect
LONGEST_LINE = 1 << 20  # bytes; the table sends a few thousand at most
LONGEST_REQUEST = 4000  # bytes; the table disconnects a sender of more
ASKED_S = 70.0  # the table answers a question within a minute

log = logging.getLogger(__name__)

# ("state", state or None), ("event", event), ("missed", number), ("private", player and its state)
News = Callable[[str, Any], None]
Answer = Mapping[str, Any]  # "yes": True or False; "text": the reason of a refused act
NO: Answer = {"yes": False}


class TableLink:
    """The connection to the table's socket at *path*.

    *hear* is called with the kind and the value of each message.
    """

    def __init__(self, path: Path, hear: News) -> None:
        self.state: dict[str, Any] | None = None
        self._path, self._hear = path, hear
        self._writer: asyncio.StreamWriter | None = None
        self._offers: dict[str, dict[str, str]] = {}  # by what is offered
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._wanted: frozenset[str | None] = frozenset()
        self._asked = 0  # the number of the last question

    async def run(self) -> None:
        """Read the socket until this task is cancelled."""
        while True:
            try:
                await self._read_until_it_ends()
            except (OSError, ValueError) as fault:  # ValueError: a line is too long, or not JSON
                log.debug("The table's socket: %s", fault)
            finally:
                self._end()
            await asyncio.sleep(RETRY_S)

    def show_code(self, code: str) -> bool:
        """Ask the table to show *code*; return False if the table is off."""
        return self._send({"show": "code", "code": code})

    def show_message(self, text: str) -> bool:
        """Ask the table to show *text*, a hall's message; return False if the table is off."""
        return self._send({"show": "message", "text": text})

    def offer(self, url: str, place: str, code: str) -> None:
        """Send the table the address at which people can join.

        *url* is for the QR code, *place* is the short address to type, and *code* has the six
        digits. They are sent again after each new connection.
        """
        self._make_offer({"offer": "join", "url": url, "place": place, "code": code})

    def offer_hall(self) -> None:
        """Tell the table that it is in a hall, now and after each new connection."""
        self._make_offer({"offer": "hall"})

    def _make_offer(self, offer: dict[str, str]) -> None:
        if offer != self._offers.get(offer["offer"]):
            self._offers[offer["offer"]] = offer
            self._send_offers()

    async def people_agree(self, address: str) -> bool:
        """Ask the people at the table if a page at *address* may join; False if nobody answers."""
        return _is_yes(await self._answer_to({"ask": "join", "address": address}))

    async def people_agree_to_phone(self, code: str, player: str | None) -> tuple[bool, str]:
        """Ask the people at the table if the phone with *code* may be *player*'s, or the host's.

        Return True if they agree. Otherwise the text is ``refused`` if somebody has refused it,
        and empty if nobody answered.
        """
        answer = await self._answer_to({"ask": "phone", "code": code, "player": player})
        return _is_yes(answer), str(answer.get("text", ""))

    async def act(self, act: Any, player: str | None, moment: int) -> tuple[bool, str]:
        """Ask the table to do *act* for *player*, or for the host (None).

        *moment* is the number of the journal entry that the phone showed. Return True if the act
        was done, and the reason if not.
        """
        answer = await self._answer_to({"act": act, "player": player, "moment": moment})
        return _is_yes(answer), str(answer.get("text", ""))

    async def results(self) -> list[Any] | None:
        """Return the newest results; None if the table does not tell them."""
        found = (await self._answer_to({"want": "results"})).get("results")
        return found if isinstance(found, list) else None

    async def box(self, game: str) -> Any:
        """Return the box of *game* in the table's language; None if the table does not tell it."""
        return (await self._answer_to({"want": "box", "game": game})).get("box")

    def want(self, players: Collection[str | None]) -> None:
        """Ask the table for the private states of *players*, now and after each connection."""
        if players != self._wanted:
            self._wanted = frozenset(players)
            self._send_wanted()

    def _send_wanted(self) -> None:
        self._write({"want": sorted(self._wanted, key=str)})

    async def _answer_to(self, request: dict[str, Any]) -> Answer:
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            if not self._send({**request, "id": number}):
                return NO
            async with asyncio.timeout(ASKED_S):
                return await answer
        except TimeoutError:
            return NO
        finally:
            del self._answers[number]

    def _send(self, request: dict[str, Any]) -> bool:
        if self._writer is None or self.state is None or self._writer.is_closing():
            return False
        line = _line(request)
        if len(line) > LONGEST_REQUEST:
            return False
        self._writer.write(line)
        return True

    def _send_offers(self) -> None:
        self._write(*self._offers.values())

    def _write(self, *requests: dict[str, Any]) -> None:
        """Write *requests* if the table is connected."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(b"".join(map(_line, requests)))

    async def _read_until_it_ends(self) -> None:
        reader, self._writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
        self._send_offers()
        if self._wanted:
            self._send_wanted()
        while line := await reader.readline():
            match json.loads(line):
                case {"state": state}:
                    self.state = state
                    self._hear("state", state)
                case {"event": event}:
                    self._hear("event", event)
                case {"missed": number}:
                    self._hear("missed", number)
                case {"private": private}:
                    self._hear("private", private)
                case {"answer": {"id": int(number)} as answer} if number in self._answers:
                    with suppress(asyncio.InvalidStateError):
                        self._answers[number].set_result(answer)

    def _end(self) -> None:
        """Close the connection. Open questions are answered with no, and the state becomes None."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(NO)
        if self.state is not None:
            self.state = None
            self._hear("state", None)


def _is_yes(answer: Answer) -> bool:
    return bool(answer.get("yes"))


def _line(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode("ascii") + b"\n"
