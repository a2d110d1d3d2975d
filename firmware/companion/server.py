"""The companion's server: the board, the overlay, and the stream of server-sent events.

A page on another computer must first send the code on the table's display
(``firmware.web.pairing``). After that, the page has a key in a cookie. All pages show the public
state; the phone of a player or host also gets and sends sealed messages
(``firmware.companion.phone_desk``). Requests are refused if they are meant for another server, come
from another site's page, or are too long, too slow or too many. A viewer that reads too slowly, or
never, is disconnected and delays no other.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from http import HTTPStatus
from importlib.metadata import version
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any

from aiohttp import web

from firmware.companion.joining import JoinSecret, join_url
from firmware.companion.network import own_address
from firmware.companion.network_name import NetworkName
from firmware.companion.page import SCRIPTS, STARTS, STATIC, manifest_of, page_of, text_of
from firmware.companion.phone_book import PhoneBook
from firmware.companion.phone_desk import PhoneDesk, Refused
from firmware.companion.table_link import TableLink
from firmware.companion.viewers import ViewerKeys
from firmware.companion.watch_link import WatchLink
from firmware.voice.words import languages
from firmware.web.event_stream import EventStream, to_message
from firmware.web.guard import LOOPBACK, guard_response, is_ours
from firmware.web.pairing import PairingGuard, PairingResult
from firmware.web.sources import source_response

COOKIE = "tapmat-viewer"
GAME = re.compile(r"[a-z0-9-]{1,40}")
JOIN_PATH = "/j"  # in the QR code
KEPT_S = 400 * 24 * 3600  # the longest that browsers keep a cookie
LONGEST_BODY = 4096  # bytes
WATCHER = "watch"  # the number of every viewer that the watch link has let in
MOST_STREAMS = 100
MOST_ASKING = 3  # pages that wait for an answer from the people at the table
SHOW_EVERY_S = 10.0  # the code covers the table's display for 8 s
OFFER_EVERY_S = 2.0  # between two looks at this computer's address

log = logging.getLogger(__name__)


class CompanionServer:
    """The server of the pages that show one table.

    Args:
        socket_file: the table's local socket.
        folder: the companion's own folder, for the viewers' keys.
        port: the port of the pages, for the address on the table's display; 0 if phones cannot
        reach it.
        language: the language of pages until the table has been on for the first time.
        clock: returns the time in seconds, for pairing.
    """

    def __init__(
        self,
        socket_file: Path,
        folder: Path,
        port: int = 0,
        language: str = "en",
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.guard = PairingGuard(clock)
        self.secret = JoinSecret(clock)
        self.name = NetworkName(port, clock)
        self._port = port
        self._clock = clock
        self._keys = ViewerKeys(folder)
        self._language = language
        self._link = TableLink(socket_file, self._hear)
        self._streams: set[EventStream] = set()
        self._watch = WatchLink(self._own_place, lambda: self._end_streams(WATCHER))
        self._desk = PhoneDesk(PhoneBook(folder), self._link, self._watch, clock)
        self._boxes: dict[tuple[str, str], Any] = {}  # by game and language, while the table is on
        self._asking = 0
        self._show_again_s = float("-inf")
        self._tasks: list[asyncio.Task[None]] = []
        self.app = web.Application(middlewares=[self._guard], client_max_size=LONGEST_BODY)
        self.app.router.add_get("/", self._board)
        self.app.router.add_get(JOIN_PATH, self._phone)
        self.app.router.add_get("/overlay", self._overlay)
        self.app.router.add_get("/phone", self._phone)
        self.app.router.add_get("/{view}.webmanifest", self._manifest)
        self.app.router.add_post("/act", self._act)
        self.app.router.add_get("/events", self._events)
        self.app.router.add_get("/state", self._state)
        self.app.router.add_get("/box/{game}", self._box)
        self.app.router.add_get("/about", self._about)
        self.app.router.add_get("/viewers", self._viewers)
        self.app.router.add_post("/viewers/{number}/remove", self._remove_viewer)
        self.app.router.add_post("/join", self._join)
        self.app.router.add_get("/static/{name:.+}", self._static)
        self.app.on_response_prepare.append(guard_response)
        self.app.on_startup.append(self._start)
        self.app.on_shutdown.append(self._stop)

    async def _start(self, app: web.Application) -> None:
        self._tasks = [
            asyncio.create_task(one) for one in (self._link.run(), self._keep_offering())
        ]

    async def _stop(self, app: web.Application) -> None:
        for stream in self._streams:
            stream.send(None)
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep_offering(self) -> None:
        try:
            while True:
                self._offer()
                if self._port and (address := own_address()):
                    await self.name.keep(address)
                    self._offer()
                await asyncio.sleep(OFFER_EVERY_S)
        finally:
            await self.name.close()

    def _own_address(self) -> str:
        """Return this computer's address; "" if phones cannot reach it."""
        return own_address() if self._port else ""

    def _own_place(self) -> str:
        address = self._own_address()
        return f"{address}:{self._port}" if address else ""

    def _offer(self) -> None:
        """Tell the table where people can join, if phones can reach this computer."""
        if address := self._own_address():
            url = join_url(address, self._port, self.secret.text)
            self._link.offer(url, f"{self.name.text or address}:{self._port}", self.guard.code)

    def _hear(self, kind: str, value: Any) -> None:
        """Send a message of the table to all pages, or a private state to the player's phones."""
        if kind == "private":
            self._desk.hear(value["player"], value["state"])
            return
        if kind == "state" and value is None:
            self._desk.forget()
            self._boxes.clear()
        if kind == "state" and value is not None and value.get("language") in languages():
            self._language = value["language"]
        message = to_message(kind, value)
        for stream in list(self._streams):
            if stream.takes_events or kind != "event":
                stream.send(message)

    # --- requests ---

    @web.middleware
    async def _guard(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Refuse a request meant for another server or made by another site's page."""
        if not is_ours(request, self.name.text, needs_origin=request.method == "POST"):
            raise web.HTTPForbidden(text="This is not the companion's address.")
        return await handler(request)

    def _viewer_of(self, request: web.Request) -> str | None:
        """Return the number of the viewer that sent *request*; None if it has not joined.

        A page on this computer need not join. Its number is empty if it has not joined. All pages
        that the watch link has opened are WATCHER.
        """
        key = request.cookies.get(COOKIE, "")
        if self._keys.has(key):
            return self._keys.number_of(key)
        if self._watch.has(key):
            return WATCHER
        return "" if request.remote in LOOPBACK else None

    async def _board(self, request: web.Request) -> web.Response:
        return self._page("board")

    async def _overlay(self, request: web.Request) -> web.Response:
        return self._page("overlay")

    async def _phone(self, request: web.Request) -> web.Response:
        must_join = self._viewer_of(request) == WATCHER  # a link for watching is no way to a seat
        return self._page("phone", must_join=must_join)

    def _page(self, view: str, *, must_join: bool = False) -> web.Response:
        html = page_of(view, self._language, must_join=must_join)
        response = web.Response(text=html, content_type="text/html")
        response.enable_compression()
        return response

    async def _manifest(self, request: web.Request) -> web.Response:
        view = request.match_info["view"]
        if view not in STARTS:
            raise web.HTTPNotFound(text="There is no such page.")
        text = json.dumps(manifest_of(view, self._language))
        return web.Response(text=text, content_type="application/manifest+json")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in SCRIPTS:
            raise web.HTTPNotFound(text="There is no such file.")
        if SCRIPTS[name].startswith("image/"):
            return web.FileResponse(STATIC / name, headers={"Content-Type": SCRIPTS[name]})
        response = source_response(request, text_of(name), SCRIPTS[name])
        if response.status == HTTPStatus.OK:
            response.enable_compression()
        return response

    async def _state(self, request: web.Request) -> web.Response:
        """Answer with the state, or null while the table is off."""
        self._known_viewer(request)
        return web.json_response(self._link.state)

    async def _box(self, request: web.Request) -> web.Response:
        """Answer with what everybody may know of the pieces and rules of a game."""
        self._known_viewer(request)
        game = request.match_info["game"]
        if GAME.fullmatch(game) is None:
            raise web.HTTPNotFound(text="There is no such game.")
        key = game, self._language
        box = self._boxes.get(key) or await self._link.box(game)
        if box is None:
            raise web.HTTPNotFound(text="The table does not know this game.")
        self._boxes[key] = box
        response = web.json_response(box)
        response.enable_compression()
        return response

    async def _about(self, request: web.Request) -> web.Response:
        """Answer with facts about the companion; only programs on this computer may ask."""
        _refuse_other_computers(request)
        facts = {
            "tapmat": version("tapmat"),
            "table": self._link.state is not None,
            "name": self.name.text,
            "address": self._own_address(),
            "viewers": len(self._keys),
            "pages": len(self._streams),
        }
        return web.json_response(facts)

    async def _viewers(self, request: web.Request) -> web.Response:
        """Answer with the note on each viewer, by the viewer's number.

        All pages that the watch link has opened are one viewer, WATCHER.
        """
        _refuse_other_computers(request)
        notes = self._keys.notes()
        if self._watch.is_open:
            pages = sum(stream.viewer == WATCHER for stream in self._streams)
            notes[WATCHER] = f"the link for watching, open pages: {pages}"
        return web.json_response(notes)

    async def _remove_viewer(self, request: web.Request) -> web.Response:
        """Forget a viewer and end its streams; it must then join again."""
        _refuse_other_computers(request)
        number = request.match_info["number"]
        if number == WATCHER and self._watch.is_open:
            self._desk.end_link()
            return _answer()
        if not self._keys.remove(number):
            raise web.HTTPNotFound(text="There is no such viewer.")
        self._desk.remove_viewer(number)
        self._end_streams(number)
        return _answer()

    def _end_streams(self, viewer: str) -> None:
        for stream in list(self._streams):
            if stream.viewer == viewer:
                stream.send(None)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Answer with a stream: first the state, then each change of it and every event.

        With ``?only=state`` in the URL, the events are left out.
        """
        viewer = self._known_viewer(request)
        if len(self._streams) >= MOST_STREAMS:
            raise web.HTTPServiceUnavailable(text="Too many pages look on. Try again later.")
        takes_events = request.query.get("only") != "state"
        stream = EventStream(request.transport, viewer, takes_events=takes_events)
        self._streams.add(stream)  # before it waits, so that the limit holds
        try:
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            stream.send(to_message("state", self._link.state))
            with suppress(ConnectionError), self._session(request, viewer, stream):
                await stream.write_to(response)
        finally:
            self._streams.discard(stream)
        return response

    @contextmanager
    def _session(self, request: web.Request, viewer: str, stream: EventStream) -> Iterator[None]:
        """Run a block with a session of the phone whose key is in the request's URL.

        Messages for the phone go to *stream*. If the URL has no key, or the page may only watch, it
        is not a phone, and the block runs without a session.
        """
        key = request.query.get("key")
        if key is None or viewer == WATCHER:
            yield
            return
        try:
            session = self._desk.open(
                key, viewer, lambda kind, value: stream.send(to_message(kind, value))
            )
        except Refused:
            stream.send(None)
            yield
            return
        try:
            yield
        finally:
            self._desk.close(session)

    def _known_viewer(self, request: web.Request) -> str:
        viewer = self._viewer_of(request)
        if viewer is None:
            raise web.HTTPUnauthorized(text="First send the code that is on the table's display.")
        return viewer

    # --- phones ---

    async def _act(self, request: web.Request) -> web.Response:
        """Handle a sealed message from a phone, and answer with the sealed reply."""
        viewer = self._known_viewer(request)
        if viewer == WATCHER:
            raise web.HTTPForbidden(text="This page may only watch.")
        match await _json_of(request):
            case {"key": str(key), "sealed": str(sealed), **others} if not others:
                try:
                    reply = await self._desk.receive(key, viewer, sealed)
                except Refused:
                    raise web.HTTPForbidden(text="Open the stream of this phone first.") from None
                return web.json_response({"sealed": reply})
        raise web.HTTPBadRequest(text='Send {"key": "...", "sealed": "..."}.')

    # --- pairing ---

    async def _join(self, request: web.Request) -> web.Response:
        """Show the code if the body is ``{}``; otherwise check the code or the secret in it."""
        match body := await _json_of(request):
            case {"code": str(code)} if len(body) == 1:
                return await self._check(request.remote or "", code)
            case {"secret": str(secret)} if len(body) == 1 and self._watch.has(secret):
                is_new = self._viewer_of(request) is None
                return _with_key(_answer(), secret) if is_new else _answer()
            case {"secret": str(secret)} if len(body) == 1:
                is_right = self.secret.check(secret)
                return self._let_in(request.remote or "") if is_right else _answer("wrong")
            case {} if body == {}:
                return _answer() if self._show_code() else _answer("off")
        raise web.HTTPBadRequest(text='Send {"code": "123456"}, or {} to see the code.')

    def _show_code(self) -> bool:
        """Show the code at the table if it is not shown yet; return False if the table is off."""
        now_s = self._clock()
        if now_s < self._show_again_s:
            return self._link.state is not None
        if not self._link.show_code(self.guard.code):
            return False
        self._show_again_s = now_s + SHOW_EVERY_S
        return True

    async def _check(self, address: str, code: str) -> web.Response:
        before = self.guard.code
        match self.guard.check(address, code):
            case PairingResult.TOO_SOON:
                return _answer("too-soon", wait_s=ceil(self.guard.wait_s(address)))
            case PairingResult.WRONG:
                if self.guard.code != before:
                    self._show_again_s = float("-inf")
                    self._offer()
                self._show_code()
                return _answer("wrong", wait_s=ceil(self.guard.wait_s(address)))
            case PairingResult.ASK if not await self._people_agree(address):
                return _answer("refused")
        return self._let_in(address)

    def _let_in(self, address: str) -> web.Response:
        key = self._keys.new_key(f"{datetime.now():%Y-%m-%d %H:%M}, from {address}")
        return _with_key(_answer(), key)

    async def _people_agree(self, address: str) -> bool:
        if self._asking >= MOST_ASKING:
            return False
        self._asking += 1
        try:
            return await self._link.people_agree(address)
        finally:
            self._asking -= 1


def _with_key(response: web.Response, key: str) -> web.Response:
    """Return *response*, which lets the page store *key*."""
    response.set_cookie(COOKIE, key, max_age=KEPT_S, httponly=True, samesite="Strict", path="/")
    return response


def _refuse_other_computers(request: web.Request) -> None:
    if request.remote not in LOOPBACK:
        raise web.HTTPForbidden(text="Only programs on the table's computer may ask.")


async def _json_of(request: web.Request) -> Any:
    """Return the JSON value in the body of *request*.

    Raises:
        HTTPUnsupportedMediaType, HTTPBadRequest: the body is not JSON.
    """
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="Send JSON.")
    try:
        return json.loads(await request.text())
    except (ValueError, RecursionError, LookupError):
        raise web.HTTPBadRequest(text="The body is not valid JSON.") from None


def _answer(error: str = "", **others: Any) -> web.Response:
    """Return the answer to a page that wants to join.

    *error* is the code of the reason why it may not join, or empty. *others* are further fields.
    """
    status = HTTPStatus.FORBIDDEN if error else HTTPStatus.OK
    return web.json_response({"error": error, **others} if error else {}, status=status)
