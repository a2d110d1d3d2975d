"""The link to the table: reads its local socket, and connects again for ever.

The state is None while the table is off. A socket at which nobody listens means that the table is
off.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

RETRY_S = 0.5  # between two attempts to connect
LONGEST_LINE = 1 << 20  # bytes; the table sends a few thousand at most
ASKED_S = 70.0  # the table answers a question within a minute

log = logging.getLogger(__name__)

News = Callable[[str, Any], None]  # ("state", state or None), ("event", event), ("missed", number)


class TableLink:
    """The connection to the table's socket at *path*. *hear* is called with each piece of news."""

    def __init__(self, path: Path, hear: News) -> None:
        self.state: dict[str, Any] | None = None
        self._path, self._hear = path, hear
        self._writer: asyncio.StreamWriter | None = None
        self._offer: dict[str, str] | None = None
        self._answers: dict[int, asyncio.Future[bool]] = {}
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

    def offer(self, url: str, place: str, code: str) -> None:
        """Tell the table where people can join: *url* for the QR code, *place* to type, and *code*.

        It is told again after each new connection.
        """
        offer = {"offer": "join", "url": url, "place": place, "code": code}
        if offer != self._offer:
            self._offer = offer
            self._send_offer()

    async def people_agree(self, address: str) -> bool:
        """Ask the people at the table if a page at *address* may join; False if nobody answers."""
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            if not self._send({"ask": "join", "id": number, "address": address}):
                return False
            async with asyncio.timeout(ASKED_S):
                return await answer
        except TimeoutError:
            return False
        finally:
            del self._answers[number]

    def _send(self, request: dict[str, Any]) -> bool:
        if self._writer is None or self.state is None or self._writer.is_closing():
            return False
        self._writer.write(json.dumps(request).encode("ascii") + b"\n")
        return True

    def _send_offer(self) -> None:
        if self._offer is not None and self._writer is not None and not self._writer.is_closing():
            self._writer.write(json.dumps(self._offer).encode("ascii") + b"\n")

    async def _read_until_it_ends(self) -> None:
        reader, self._writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
        self._send_offer()
        while line := await reader.readline():
            match json.loads(line):
                case {"state": state}:
                    self.state = state
                    self._hear("state", state)
                case {"event": event}:
                    self._hear("event", event)
                case {"missed": number}:
                    self._hear("missed", number)
                case {"answer": {"id": number, "yes": is_yes}} if number in self._answers:
                    with suppress(asyncio.InvalidStateError):
                        self._answers[number].set_result(bool(is_yes))

    def _end(self) -> None:
        """Close the connection. Open questions get the answer no, and the table counts as off."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(False)
        if self.state is not None:
            self.state = None
            self._hear("state", None)
