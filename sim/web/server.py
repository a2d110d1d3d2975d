"""Lets pages in: the static files, and one WebSocket a page.

Room: sim/web.

Whoever may reach the port may play, so: by default only this computer can; a request must name this
server as its Host and, for the WebSocket, as its Origin (so no other site's script and no rebound
name gets through); messages are small and not too many; and a page from another computer must first
send the code that stands on the mat's display.
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from firmware.errors import TapmatError
from hardware.errors import HardwareFault
from sim.mat import CannotDo
from sim.web.live import LiveMat
from sim.web.protocol import BadMessage, Export, Pair, Picture, read
from sim.web.table import table_message

STATIC = Path(__file__).parent / "static"
LONGEST_MESSAGE = 4096  # bytes; the longest honest one is a few hundred
MESSAGES_A_SECOND = 50  # one page may send, with ten seconds' worth saved up
SAVED_UP_S = 10
BACKLOG = 200  # messages a page may be behind before it is let go of
WRONG_CODES = 5  # then there is a new code
WRONG_CODE_S = 1.0  # after each: whoever guesses a million codes needs days
LOOPBACK = ("127.0.0.1", "::1", "localhost")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


@dataclass(eq=False)
class Page:
    """One open page: its messages wait in a bounded queue, so a slow page delays nobody."""

    socket: web.WebSocketResponse
    is_paired: bool
    waiting: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(BACKLOG))
    allowance: float = MESSAGES_A_SECOND * SAVED_UP_S
    counted_s: float = field(default_factory=monotonic)

    def may_send(self) -> bool:
        """Count one message against what the page may send."""
        now_s = monotonic()
        earned = (now_s - self.counted_s) * MESSAGES_A_SECOND
        self.allowance = min(self.allowance + earned, MESSAGES_A_SECOND * SAVED_UP_S)
        self.counted_s = now_s
        if self.allowance < 1:
            return False
        self.allowance -= 1
        return True

    def send(self, message: dict[str, Any]) -> None:
        """Queue *message*; a page that does not keep up is dropped, and comes back by itself."""
        try:
            self.waiting.put_nowait(
                json.dumps(message)
            )  # in ASCII: half a surrogate cannot be sent
        except asyncio.QueueFull:
            asyncio.get_running_loop().create_task(self.socket.close())

    async def write(self) -> None:
        """Send what is queued, until the page is gone."""
        while not self.socket.closed:
            await self.socket.send_str(await self.waiting.get())


class Server:
    """The pages of one mat, for whoever reaches *host*; it begins with *game* if none is on.

    So many *robots* sit there then.
    """

    def __init__(
        self,
        mat_of: Callable[[Callable[[str, Any], None]], LiveMat],
        host: str,
        game: str | None = None,
        robots: int = 0,
    ) -> None:
        self._mat = mat_of(self._heard)
        self._game, self._robots = game, robots
        self._table = table_message(self._mat.config)
        self._is_open = host not in LOOPBACK
        self.code = new_code()
        self._wrong_codes = 0
        self._pairing = asyncio.Lock()
        self._pages: set[Page] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.app = web.Application(middlewares=[self._guard], client_max_size=LONGEST_MESSAGE)
        self.app.router.add_get("/", self._index)
        self.app.router.add_get("/ws", self._socket)
        self.app.router.add_static("/static", STATIC)
        self.app.on_startup.append(self._start)
        self.app.on_shutdown.append(self._stop)

    async def _start(self, app: web.Application) -> None:
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._mat.start, self._game, self._robots)

    async def _stop(self, app: web.Application) -> None:
        for page in set(self._pages):
            await page.socket.close()
        await asyncio.to_thread(self._mat.stop)

    @property
    def page_count(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    # --- what the mat tells, in its own thread ---

    def _heard(self, kind: str, news: Any) -> None:
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # the loop closes while the mat takes its last turn
                self._loop.call_soon_threadsafe(self._spread, kind, news)

    def _spread(self, kind: str, news: Any) -> None:
        message = {"type": kind, **(news if kind == "state" else {"entries": news})}
        for page in self._pages:
            if page.is_paired:
                page.send(message)

    # --- requests ---

    @web.middleware
    async def _guard(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Refuse a request that was meant for another server, or made by another's page."""
        if not self._is_ours(request):
            raise web.HTTPForbidden(text="This address is not the table's own. Open its own page.")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    def _is_ours(self, request: web.Request) -> bool:
        origin = request.headers.get("Origin")
        if request.path == "/ws" and origin is None:
            return False  # every browser sends one; whoever does not is no page of ours
        try:
            name = urlsplit(f"//{request.host}").hostname
            is_same = origin is None or urlsplit(origin).netloc == request.host
        except ValueError:  # an address that is none
            return False
        return is_same and name in (*LOOPBACK, _local_address(request))

    async def _index(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=LONGEST_MESSAGE, heartbeat=20)
        await socket.prepare(request)
        page = Page(socket, is_paired=not self._is_open or request.remote in LOOPBACK)
        self._pages.add(page)
        writing = asyncio.create_task(page.write())
        try:
            self._welcome(page)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._take(page, message.data)
                else:
                    page.send(_error("Messages are JSON text."))
        finally:
            self._pages.discard(page)
            writing.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await writing
        return socket

    def _welcome(self, page: Page) -> None:
        """Send everything, or ask for the code."""
        if not page.is_paired:
            self._mat.show_code(self.code)
            page.send({"type": "state", "pairing": True})
            return
        page.send(self._table)
        page.send({"type": "state", "pairing": False, **self._mat.state})
        page.send({"type": "said", "entries": list(self._mat.said)})
        page.send({"type": "journal", "entries": list(self._mat.journal)})

    async def _take(self, page: Page, text: str) -> None:
        """Do what one message asks, and answer it."""
        if not page.may_send():
            page.send(_error("That is too many messages. Wait a moment."))
            await asyncio.sleep(1.0)
            return
        try:
            ask, about = read(text)
        except BadMessage as bad:
            page.send(_error(str(bad), bad.about))
            return
        if isinstance(ask, Pair):
            await self._pair(page, ask, about)
            return
        if not page.is_paired:
            page.send(_error("Send the code that stands on the display first.", about))
            return
        try:
            answer = await asyncio.wrap_future(self._mat.do(ask))
        except CannotDo as error:
            found = error.found[:1].upper() + error.found[1:]
            page.send(_error(f"{found}. {error.remedy}.", about))
            return
        except (TapmatError, HardwareFault) as error:
            page.send(_error(str(error), about))
            return
        match ask:
            case Export():
                page.send({"type": "rehearsal", "text": answer})
            case Picture():
                page.send({"type": "picture", "png": answer})
        page.send({"type": "done", "about": about})

    async def _pair(self, page: Page, ask: Pair, about: int | None) -> None:
        """Let *page* in if it knows the code; all pages together get one wrong try a moment."""
        async with self._pairing:
            tried = ask.code.encode(errors="replace")
            if secrets.compare_digest(tried, self.code.encode()):
                page.is_paired = True
                self._welcome(page)
                page.send({"type": "done", "about": about})
                return
            await asyncio.sleep(WRONG_CODE_S)
        self._wrong_codes += 1
        if self._wrong_codes >= WRONG_CODES:
            self.code, self._wrong_codes = new_code(), 0
        self._mat.show_code(self.code)
        page.send(_error("That is not the code on the display. Look again.", about))


def new_code() -> str:
    """A pairing code of six digits."""
    return f"{secrets.randbelow(1_000_000):06}"


def _error(text: str, about: int | None = None) -> dict[str, Any]:
    return {"type": "error", "about": about, "text": text}


def _local_address(request: web.Request) -> str | None:
    """The address of this computer that the request came in on."""
    if request.transport is None:
        return None
    return str(request.transport.get_extra_info("sockname")[0])
