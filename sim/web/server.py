"""The virtual table's server: static files, and one WebSocket for each page.

Anyone who can reach the port can play. So by default only this computer can reach it. A request
must name this server as its Host and, for the WebSocket, as its Origin; this keeps out other sites'
scripts and DNS rebinding. The size and rate of messages are limited. A page on another computer
must first send the code on the mat's display (``firmware.web.pairing``).
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any

from aiohttp import WSMsgType, web

from firmware.common.allowance import Allowance
from firmware.common.errors import TapmatError
from firmware.companion.page import STATIC as COMPANION_STATIC
from firmware.voice.words import languages
from firmware.web.guard import LOOPBACK, guard_response, is_ours
from firmware.web.pairing import PairingGuard, PairingResult
from firmware.web.sources import source_response, without_comments
from hardware.errors import HardwareFault
from sim.deal.layouts import layouts
from sim.deal.requests import Export, Pair, Picture, Request
from sim.mat.mat import CannotDo
from sim.web.live import LiveMat, MatStopped
from sim.web.protocol import BadMessage, read
from sim.web.rules import rules_card
from sim.web.table import table_message, words_message

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
DRAWINGS = COMPANION_STATIC / "cards"  # of cards and tiles; the companion's pages have them too
LONGEST_MESSAGE = 4096  # bytes; the page itself sends a few hundred at most
MESSAGES_A_SECOND = 50  # that one page may send on average
SAVED_UP_S = 10  # a page that was quiet may send the messages of this many seconds at once
BACKLOG = 200  # unsent messages after which a slow page is disconnected
MOST_UNPAIRED = 20  # pages that may be connected without having sent the code
ASKED_S = 60.0  # the time to press OK at the mat to let a page in
GOODBYE_S = 1.0  # the most that sending the last messages to a page may take
CONTENT_TYPES = {".js": "text/javascript", ".css": "text/css"}
# Headers of requests whose answer may be a part of a file, or "not modified" without a body.
CONDITIONS = frozenset({"If-Modified-Since", "If-None-Match", "Range"})
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)  # no string has several lines: a test checks that


def to_json(message: dict[str, Any]) -> str:
    """Return *message* as JSON in ASCII, because a lone surrogate cannot be sent as UTF-8."""
    return json.dumps(message)


def message_of(kind: str, news: Any) -> dict[str, Any]:
    """Return a piece of news from the mat (``sim.web.live.Listener``) as a message to pages.

    What a single page shows (``shown``) is left out.
    """
    match kind:
        case "state":
            return {"type": kind, **{key: value for key, value in news.items() if key != "shown"}}
        case "failed" | "stopped":
            return {"type": kind, "text": news}
    return {"type": kind, "entries": news}


@dataclass(eq=False)
class Page:
    """A connected page, with a bounded queue of messages, so that a slow page delays no other."""

    socket: web.WebSocketResponse
    connection: asyncio.BaseTransport | None
    is_paired: bool
    address: str
    number: int  # counted from 1, in the order in which pages have connected
    waiting: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(BACKLOG))
    allowance: Allowance = field(
        default_factory=lambda: Allowance(MESSAGES_A_SECOND, MESSAGES_A_SECOND * SAVED_UP_S)
    )

    @property
    def has_left(self) -> bool:
        """True once the page has disconnected, even if messages from it are still unread."""
        return self.socket.closed or self.connection is None or self.connection.is_closing()

    def send(self, message: dict[str, Any]) -> None:
        """Queue *message*. If the queue is full, disconnect the page; it reconnects by itself."""
        self.send_text(to_json(message))

    def send_text(self, text: str) -> None:
        """Queue a message that is JSON already, as ``send`` does."""
        try:
            self.waiting.put_nowait(text)
        except asyncio.QueueFull:
            asyncio.get_running_loop().create_task(self.socket.close())

    async def write(self) -> None:
        """Send messages as they are queued, until the page disconnects."""
        while not self.socket.closed:
            await self.socket.send_str(await self.waiting.get())
            self.waiting.task_done()

    async def close(self) -> None:
        """Send the queued messages and close, within ``GOODBYE_S``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.waiting.join()
                await self.socket.close()


class Server:
    """The server of one mat and its pages.

    Args:
        mat_of: makes the mat; its argument is the listener that the mat calls.
        host: the address listened on; pages on other computers must pair unless it is loopback.
        game: the game to start if none is in progress.
        robots: the number of robots that play *game* with one person.
        ends: called when the mat has stopped by itself.
        clock: the time in seconds, for pairing.
    """

    def __init__(
        self,
        mat_of: Callable[[Callable[[str, Any], None]], LiveMat],
        host: str,
        game: str | None = None,
        robots: int = 0,
        ends: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._ends = ends
        self.mat = mat_of(self._heard)
        self._game, self._robots = game, robots
        self._tables: dict[str, dict[str, Any]] = {}  # the message ``table`` by language
        self._is_open = host not in LOOPBACK
        self.guard = PairingGuard(clock)
        self._pages: set[Page] = set()
        self._numbers = count(1)
        self._deal: dict[str, Any] | None = None  # as all pages see it, but those in _shown
        self._shown: dict[int, dict[str, Any] | None] = {}  # by the page's number
        self._loop: asyncio.AbstractEventLoop | None = None
        self.app = web.Application(middlewares=[self._guard], client_max_size=LONGEST_MESSAGE)
        self.app.router.add_get("/", self._index)
        self.app.router.add_get("/ws", self._socket)
        self.app.router.add_get("/static/layouts/{name}.js", self._layout)
        self.app.router.add_get("/rules/{game}", self._rules)
        self.app.router.add_get("/static/cards/{name}.{kind:js|css}", self._drawing)
        self.app.router.add_static("/static/cards", DRAWINGS)
        self.app.router.add_get("/static/{name}.{kind:js|css}", self._script)
        self.app.router.add_static("/static", STATIC)
        self.app.on_response_prepare.append(guard_response)
        self.app.on_startup.append(self._start)
        self.app.on_shutdown.append(self._stop)

    async def _start(self, app: web.Application) -> None:
        self._loop = asyncio.get_running_loop()
        await asyncio.wrap_future(self.mat.start(self._game, self._robots))

    async def _stop(self, app: web.Application) -> None:
        await asyncio.gather(*(page.close() for page in set(self._pages)))
        with suppress(MatStopped):  # already reported through ``failure``
            await asyncio.to_thread(self.mat.stop)

    @property
    def failure(self) -> MatStopped | None:
        """The error with which the mat stopped by itself, or None."""
        return self.mat.failure

    @property
    def page_count(self) -> int:
        """The number of connected pages."""
        return len(self._pages)

    # --- news from the mat, called in its thread ---

    def _heard(self, kind: str, news: Any) -> None:
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # the event loop was closed in the meantime
                self._loop.call_soon_threadsafe(self._spread, kind, news)

    def _spread(self, kind: str, news: Any) -> None:
        if kind == "state" and "language" in news:
            self._spread_table()
        own = self._own_deals(news) if kind == "state" else {}
        text = to_json(message_of(kind, news))
        for page in self._pages:
            if page.is_paired and page.number in own:
                page.send(message_of(kind, news | {"deal": own[page.number]}))
            elif page.is_paired:
                page.send_text(text)
        if kind == "stopped":
            self._ends()

    def _own_deals(self, news: dict[str, Any]) -> dict[int, dict[str, Any] | None]:
        """Return the deal for pages that have their own, by number, if *news* change one.

        A player has asked there to see their hand, or it is covered again.
        """
        before = self._shown
        self._deal, self._shown = news.get("deal", self._deal), news.get("shown", before)
        if "deal" not in news and self._shown == before:
            return {}
        pages = before.keys() | self._shown.keys()
        return {page: self._shown.get(page, self._deal) for page in pages}

    def _table(self) -> dict[str, Any]:
        """Return the message ``table`` in the table's language."""
        config = self.mat.config
        language = self.mat.state.get("language", config.settings.language)
        if language not in self._tables:
            self._tables[language] = table_message(config, language)
        return self._tables[language]

    def _spread_table(self) -> None:
        """Send the message ``table`` to every page, but only its words to a page not yet paired."""
        for page in self._pages:
            page.send(self._table() if page.is_paired else words_message(self._table()))

    # --- requests ---

    @web.middleware
    async def _guard(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Refuse a request meant for another server or made by another site's page.

        Compress the answers to all others.
        """
        if not is_ours(request, needs_origin=request.path == "/ws"):  # browsers send one there
            raise web.HTTPForbidden(
                text="This is not the table's address. Open the one that tapmat sim printed."
            )
        response = await handler(request)
        if (
            CONDITIONS.isdisjoint(request.headers)
            and response.status == HTTPStatus.OK
            and isinstance(response, web.Response | web.FileResponse)
        ):
            response.enable_compression()
            response.headers["Vary"] = "Accept-Encoding"
        return response

    async def _index(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _script(self, request: web.Request) -> web.StreamResponse:
        """Serve one of the page's JavaScript modules or style sheets."""
        return _script_in(STATIC, request)

    async def _drawing(self, request: web.Request) -> web.StreamResponse:
        """Serve one of the files that draw cards and tiles."""
        return _script_in(DRAWINGS, request)

    async def _layout(self, request: web.Request) -> web.StreamResponse:
        """Serve the JavaScript module of a layout, ours or another distribution's."""
        layout = layouts().get(request.match_info["name"])
        if layout is None:
            raise web.HTTPNotFound(text="There is no such layout.")
        if layout.page is None:
            return _script_response(request, STATIC / "layouts" / f"{layout.name}.js")
        return web.Response(body=layout.page.read_bytes(), content_type="text/javascript")

    async def _rules(self, request: web.Request) -> web.StreamResponse:
        """Serve the rules card of a game, in the table's language or in the requested one."""
        usual = self._table()["language"]
        language = request.query.get("language", usual)
        card = rules_card(
            request.match_info["game"], language if language in languages() else usual
        )
        if card is None:
            raise web.HTTPNotFound(text="There is no rules card for such a game.")
        return web.json_response(card)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        is_paired = not self._is_open or request.remote in LOOPBACK
        if not is_paired and sum(not page.is_paired for page in self._pages) >= MOST_UNPAIRED:
            raise web.HTTPServiceUnavailable(
                text="Too many pages are waiting for the code. Try again later."
            )
        opened = web.WebSocketResponse(max_msg_size=LONGEST_MESSAGE, heartbeat=20)
        page = Page(opened, request.transport, is_paired, request.remote or "", next(self._numbers))
        self._pages.add(page)
        writing: asyncio.Task[None] | None = None
        try:
            await opened.prepare(request)
            writing = asyncio.create_task(page.write())
            self._welcome(page)
            async for message in opened:
                await self._take(page, message.data if message.type is WSMsgType.TEXT else None)
        finally:
            self._pages.discard(page)
            self.mat.forget(page.number)
            if writing is not None:
                writing.cancel()
                with suppress(asyncio.CancelledError, ConnectionError):
                    await writing
        return opened

    def _welcome(self, page: Page) -> None:
        """Send the whole state, or ask for the code if the page is not paired."""
        if not page.is_paired:
            self.mat.show_code(self.guard.code)
            page.send(words_message(self._table()))
            page.send({"type": "state", "pairing": True})
            return
        page.send(self._table())
        page.send(message_of("state", {"pairing": False, **self.mat.state}))
        page.send({"type": "said", "entries": list(self.mat.said)})
        page.send({"type": "journal", "entries": list(self.mat.journal)})

    async def _take(self, page: Page, text: str | None) -> None:
        """Handle one message and answer it. *text* is None if the message was not text."""
        if not page.allowance.take():
            page.send(_error("Too many messages. Wait a moment."))
            await asyncio.sleep(1.0)
            return
        if text is None:
            page.send(_error("Send messages as JSON text."))
            return
        try:
            request, about = read(text)
        except BadMessage as bad:
            page.send(_error(str(bad), bad.about))
            return
        if isinstance(request, Pair):
            await self._pair(page, request, about)
            return
        if not page.is_paired:
            page.send(_error("First send the code that is on the display.", about))
            return
        await self._answer(page, request, about)

    async def _answer(self, page: Page, request: Request, about: int | None) -> None:
        """Give *request* of a paired page to the mat, and send the page the result."""
        try:
            answer = await asyncio.wrap_future(self.mat.do(request, page.number))
        except CannotDo as error:
            rule = {"rule": error.rule} if error.rule else {}
            page.send(_error(error.in_words, about) | rule)
            return
        except (TapmatError, HardwareFault) as error:
            page.send(_error(str(error), about))
            return
        except Exception as error:
            log.exception("The table failed at a page's request.")
            kind = type(error).__name__
            page.send(
                _error(f"That failed because of an error in tapmat ({kind}: {error}).", about)
            )
            return
        match request:
            case Export():
                page.send({"type": "rehearsal", "text": answer})
            case Picture():
                page.send({"type": "picture", "png": answer})
        page.send({"type": "done", "about": about})

    async def _pair(self, page: Page, request: Pair, about: int | None) -> None:
        """Let *page* in if its code is right and, if required, someone at the mat agrees."""
        if page.is_paired or page.has_left:
            return  # a disconnected page's guess is not counted
        match self.guard.check(page.address, request.code):
            case PairingResult.RIGHT:
                refused = ""
            case PairingResult.ASK:
                refused = (
                    "" if await self._people_agree(page) else "Nobody at the mat let this page in."
                )
            case PairingResult.WRONG:
                self.mat.show_code(self.guard.code)
                refused = "That is not the code on the display. Look again."
            case PairingResult.TOO_SOON:
                wait_s = ceil(self.guard.wait_s(page.address))
                refused = f"Wait {wait_s} s after the wrong code, then send the right one."
                page.send(_error(refused, about) | {"wait_s": wait_s})
                return
        if refused:
            page.send(_error(refused, about))
            return
        page.is_paired = True
        self._welcome(page)
        page.send({"type": "done", "about": about})

    async def _people_agree(self, page: Page) -> bool:
        """Ask at the mat if *page* may join; return False if nobody answers in time."""
        page.send(_error("Many wrong codes were sent. Press OK at the mat to let this page in."))
        try:
            async with asyncio.timeout(ASKED_S):
                return await asyncio.wrap_future(self.mat.ask_people(page.address))
        except (TimeoutError, MatStopped):
            return False


def _script_in(folder: Path, request: web.Request) -> web.StreamResponse:
    """Return the JavaScript module or style sheet in *folder* that *request* names."""
    name, kind = request.match_info["name"], request.match_info["kind"]
    found = next((file for file in folder.glob(f"*.{kind}") if file.stem == name), None)
    if found is None:
        raise web.HTTPNotFound(text="There is no such file.")
    return _script_response(request, found)


def _script_response(request: web.Request, file: Path) -> web.Response:
    """Return a script or style sheet without comments and indents. Lines keep their numbers."""
    source = INDENT.sub("", without_comments(file.read_text(encoding="utf-8")))
    return source_response(request, source, CONTENT_TYPES[file.suffix])


def _error(text: str, about: int | None = None) -> dict[str, Any]:
    return {"type": "error", "about": about, "text": text}
