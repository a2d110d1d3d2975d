"""A table without a mat for the companion's tests: a real local socket, and an outlet to fill."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, CookieJar, DummyCookieJar, web

from engines.common.contract import Seat
from firmware.companion.server import CompanionServer
from firmware.outlet.queue import Outlet
from firmware.outlet.state import PublicState
from firmware.runtime.inbox import Inbox
from firmware.runtime.local_socket import LocalSocket
from firmware.table.events import Event
from firmware.web.serving import IDLE_S
from hardware.ports import Pressed

PATIENCE_S = 60.0
IDLE = PublicState(
    *("idle", "", "", "en", "", "", "Lay a card of a game, or press OK.", (), (), None, ()),
    *(None, (), None, None, "", None),
)
STRAW = replace(
    IDLE,
    phase="play",
    game="straw",
    title="Straw",
    headline="21",
    caption="on the camel",
    hint="Ben, play a card.",
    names=("Ann", "Ben"),
    scores=(3, 0),
    turn=Seat(1),
    active=(Seat(1),),
    direction="clockwise",
    limit=50,
)


class QuietTable:
    """The table's side of the socket in *folder*, without a loop: the test takes the requests."""

    def __init__(self, folder: Path, state: PublicState = STRAW) -> None:
        self.outlet, self.inbox = Outlet(), Inbox()
        self.outlet.state = state
        self.path = folder / "companion.sock"
        self.socket = LocalSocket(self.path, self.outlet, self.inbox).open()
        self.requests: list[Event] = []

    def take(self) -> list[Event]:
        """Take what came in, as the loop does, and return everything so far."""
        self.requests += self.inbox.take(0.0)
        return self.requests

    def press(self, button: str) -> None:
        self.inbox.unanswering((Pressed(button),))

    def close(self) -> None:
        self.socket.close()


class Phone:
    """A companion's server, and a page that talks to it from *address*."""

    def __init__(self, port: int, session: ClientSession, server: CompanionServer) -> None:
        self.port, self.session, self.server = port, session, server
        self.now_s = 0.0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def join(self, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        sent = {"Origin": self.origin} | headers
        async with self.session.post(f"{self.origin}/join", json=body, headers=sent) as answer:
            is_json = answer.content_type == "application/json"
            return answer.status, await answer.json() if is_json else {}

    async def status(self, path: str = "/state", **headers: str) -> int:
        async with self.session.get(f"{self.origin}{path}", headers=headers) as answer:
            return answer.status


async def until(happened: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(
    folder: Path, idle_s: float = IDLE_S, port: int = 0, *, keeps_cookies: bool = False
) -> AsyncIterator[Phone]:
    """Yield a phone at a running server for the table in *folder*.

    *port* is for the address that the table shows; 0 if it shows none. With *keeps_cookies*, the
    phone sends its cookies as a browser does.
    """
    jar = CookieJar(unsafe=True) if keeps_cookies else DummyCookieJar()  # unsafe: at an IP address
    made: list[Phone] = []
    server = CompanionServer(
        *(folder / "companion.sock", folder / "keys", port),
        clock=lambda: made[0].now_s if made else 0.0,
    )
    runner = web.AppRunner(server.app, keepalive_timeout=idle_s, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with ClientSession(cookie_jar=jar) as session:
            made.append(Phone(runner.addresses[0][1], session, server))
            yield made[0]
    finally:
        await runner.cleanup()
