"""The web server of the board: one page, and a stream of server-sent events for each viewer.

Everybody in the network may look: the page shows only what people at the tables see. It takes no
input, except that a table fetches its credential once (``hall.tables``).
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from aiohttp import web

from firmware.hall.page import FILES, hall_file, hall_page
from firmware.web.event_stream import EventStream, to_message
from firmware.web.guard import guard_response, is_ours
from firmware.web.sources import source_response

MOST_STREAMS = 200
JOIN_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>tapmat</title>
<form method="post"><button>hall.json</button></form>
</html>
"""


class BoardServer:
    """The server of the board.

    *tables* returns all tables, and *tournament* the running tournament or None, as the page gets
    them. *claim* returns the credential for a one-time code, or None.
    """

    def __init__(
        self,
        tables: Callable[[], list[Any]],
        tournament: Callable[[], Any],
        claim: Callable[[str], str | None],
        language: str,
    ) -> None:
        self._tables, self._tournament, self._claim = tables, tournament, claim
        self._language = language
        self._streams: set[EventStream] = set()
        self.app = web.Application(middlewares=[self._guard])
        self.app.router.add_get("/", self._page)
        self.app.router.add_get("/static/{name}", self._static)
        self.app.router.add_get("/events", self._events)
        self.app.router.add_get("/tables", self._all_tables)
        self.app.router.add_get("/join/{code}", self._ask_to_join)
        self.app.router.add_post("/join/{code}", self._join)
        self.app.on_response_prepare.append(guard_response)
        self.app.on_shutdown.append(self._stop)

    def send(self, kind: str, value: Any) -> None:
        """Send *value* to all pages."""
        if self._streams:
            message = to_message(kind, value)
            for stream in list(self._streams):
                stream.send(message)

    async def _stop(self, app: web.Application) -> None:
        for stream in self._streams:
            stream.send(None)

    @web.middleware
    async def _guard(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        if not is_ours(request, needs_origin=False):
            raise web.HTTPForbidden(text="This is not the hall's address.")
        return await handler(request)

    async def _page(self, request: web.Request) -> web.Response:
        return web.Response(text=hall_page(self._language), content_type="text/html")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in FILES:
            raise web.HTTPNotFound(text="There is no such file.")
        response = source_response(request, hall_file(name), FILES[name])
        if response.status == HTTPStatus.OK:
            response.enable_compression()
        return response

    async def _all_tables(self, request: web.Request) -> web.Response:
        return web.json_response(self._tables())

    async def _join(self, request: web.Request) -> web.Response:
        """Give a table its credential, once."""
        credential = self._claim(request.match_info["code"])
        if credential is None:
            raise web.HTTPNotFound(text="This code was used already, or is too old.")
        headers = {"Content-Disposition": 'attachment; filename="hall.json"'}
        return web.Response(text=credential, content_type="application/json", headers=headers)

    async def _ask_to_join(self, request: web.Request) -> web.Response:
        """Answer a phone that has scanned the code; what only looks at links must not use it up."""
        return web.Response(text=JOIN_PAGE, content_type="text/html")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        if len(self._streams) >= MOST_STREAMS:
            raise web.HTTPServiceUnavailable(text="Too many pages are open.")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        stream = EventStream(request.transport, "")
        stream.send(to_message("all", self._tables()))
        stream.send(to_message("tournament", self._tournament()))
        self._streams.add(stream)
        try:
            await stream.write_to(response)
        except ConnectionResetError:
            pass
        finally:
            self._streams.discard(stream)
        return response
