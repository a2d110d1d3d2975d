"""Server-sent events: the messages, and the queue of those for one page.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import json
from typing import Any

from aiohttp import web

BACKLOG = 200  # unsent messages after which a viewer is disconnected
BEAT_S = 10.0  # a quiet stream sends a sign of life this often
WRITE_S = 20.0  # the longest that one write may wait for a viewer


def to_message(kind: str, value: Any) -> bytes:
    """Return a server-sent event named *kind*, whose data is *value* as JSON on one line."""
    return f"event: {kind}\ndata: {json.dumps(value)}\n\n".encode("ascii")


class EventStream:
    """The server-sent events for one page: a bounded queue of messages.

    *viewer* is the viewer's number.
    """

    def __init__(
        self, connection: asyncio.BaseTransport | None, viewer: str, *, takes_events: bool = True
    ) -> None:
        self.viewer = viewer
        self.takes_events = takes_events
        self._connection = connection
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue(BACKLOG)

    def send(self, message: bytes | None) -> None:
        """Queue *message*; None ends the stream. If the queue is full, disconnect the page."""
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            self._abort()

    async def write_to(self, response: web.StreamResponse) -> None:
        """Send messages as they are queued, until the page leaves or the stream ends."""
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    message = await self._waiting.get()
            except TimeoutError:
                message = to_message("beat", None)
            if message is None:
                return
            try:
                async with asyncio.timeout(WRITE_S):
                    await response.write(message)
            except TimeoutError:
                self._abort()
                return

    def _abort(self) -> None:
        if isinstance(self._connection, asyncio.Transport):
            self._connection.abort()
