"""Tests of the server: access, the data sent to pages, and floods of malformed messages."""

import asyncio
import gc
import json
import random
import re
import socket
import tracemalloc
from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSServerHandshakeError, web
from PIL import Image
from yarl import URL

from engines.common.pieces import Piece
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.boxes.register import Registered, TagRegister
from firmware.config.table_config import load_config
from firmware.runtime.controller import REGISTER
from firmware.show.text import find_text
from firmware.web.guard import HEADERS
from firmware.web.pairing import MOST_WRONG, PairingResult
from firmware.web.serving import IDLE_S
from sim.deal.transitions import shuffle
from sim.mat.tags import uid_of
from sim.web.command import reachable
from sim.web.live import LiveMat
from sim.web.server import LONGEST_MESSAGE, MOST_UNPAIRED, Server
from tests.effort import some
from tests.sim.web import aside
from tests.sim.web.ciao_people import holding

PATIENCE_S = 20  # the timeout for anything that must happen
SEED = 29
PAIR = (Piece("jane"), Piece("roby"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


class Page:
    """A page as the server sees it: a WebSocket that stores the messages received."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.said: list[str] = []
        self.journal: list[str] = []
        self.rehearsal = ""
        self.errors: list[dict[str, Any]] = []
        self.done: set[int] = set()
        self.table: dict[str, Any] = {}
        self.heard = ""  # the text of every message except "table"

    def pixels(self) -> Image.Image:
        """Return the picture on the display of the default table."""
        return Image.frombytes("1", (128, 64), b64decode(self.state["oled"]["rows"]))

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not happened():
                self.take(await self.socket.receive_str())

    def take(self, text: str) -> None:
        message = json.loads(text)
        if message["type"] != "table":
            self.heard += text
        match message.pop("type"):
            case "table":
                self.table = message
            case "state":
                self.state |= message
            case "said":
                for entry in message["entries"]:
                    self.said.append(" ".join(line["text"] for line in entry["lines"]))
            case "journal":
                self.journal += [f"{e['kind']} {e['text']}" for e in message["entries"]]
            case "rehearsal":
                self.rehearsal = message["text"]
            case "error":
                self.errors.append(message)
            case "done":
                self.done.add(message["about"])

    async def ask(self, number: int, **message: Any) -> None:
        """Send a message and wait until it is carried out."""
        await self.socket.send_json({**message, "id": number})
        await self.until(lambda: number in self.done)

    async def refused(self, **message: Any) -> str:
        """Send a message and return the reason for its refusal."""
        return await self.refused_text(json.dumps(message))

    async def refused_text(self, text: str) -> str:
        """Send *text* and return the error in it."""
        before = len(self.errors)
        await self.socket.send_str(text)
        await self.until(lambda: len(self.errors) > before)
        return str(self.errors[-1]["text"])


class Site:
    """A running server that pages can connect to; *now_s* is the time for its pairing waits."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.server: Server
        self.session: ClientSession
        self.port = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        async with self.session.ws_connect(f"{self.origin}/ws", origin=self.origin) as socket:
            page = Page(socket)
            await page.until(lambda: bool(page.state))
            yield page


@asynccontextmanager
async def site(
    folder: Path, host: str = "127.0.0.1", game: str | None = None, *, is_blank: bool = False
) -> AsyncIterator[Site]:
    here = Site()
    mat = partial(LiveMat, load_config(), folder, is_blank=is_blank)
    here.server = Server(mat, host, game, clock=lambda: here.now_s)
    runner = web.AppRunner(here.server.app, keepalive_timeout=IDLE_S)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    here.port = runner.addresses[0][1]
    try:
        async with ClientSession() as here.session:
            yield here
    finally:
        await runner.cleanup()


def test_a_page_learns_the_table_and_plays_at_it(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            assert page.table["spots"] == ["play"]
            assert page.state["view"]["phase"] == "idle"
            await page.ask(1, type="deal", game="straw", players=3, hotSeat=True)
            await page.until(lambda: page.state["deal"] is not None)
            deal = page.state["deal"]
            assert [len(hand) for hand in deal["hands"]] == [4, 4, 4]
            assert deal["hands"][1] == [None] * 4  # face down: another seat's turn
            assert page.state["lamps"]["seat-1"] == {"level": 1}
            await page.ask(2, type="lay", tags=["straw/weight-7#1"], spot="play")
            await page.until(lambda: page.state["lamps"]["seat-2"]["level"] == 1)
            assert page.state["lying"] == {"play": ["straw/weight-7#1"]}
            assert page.state["deal"]["laid"] == ["straw/weight-7#1"]
            await page.until(lambda: "7. Ben to play." in page.said)
            await page.ask(3, type="lift", tags=["straw/weight-7#1"], spot="play")
            await page.until(lambda: page.state["lying"] == {"play": []})
            await page.until(lambda: "input tap weight-7#1" in page.journal)

    aside.run(play())


def test_two_pages_see_the_same_table_and_a_late_one_catches_up(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here:
            async with here.page() as one, here.page() as two:
                await one.ask(1, type="deal", game="straw", players=2, hotSeat=False)
                await one.ask(2, type="lay", tags=["straw/weight-9#1"], spot="play")
                await one.until(lambda: "9. Ben to play." in one.said)
                await two.until(lambda: "9. Ben to play." in two.said)
                assert one.state["oled"] == two.state["oled"]
            async with here.page() as late:
                assert late.state["view"]["turn"] == 1
                await late.until(lambda: "9. Ben to play." in late.said)

    aside.run(play())


def test_a_deck_that_is_put_back_is_played_from_the_tray(folder: Path) -> None:
    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["view"]["game"] == "cramel")
            await page.ask(1, type="undeal")
            await page.until(lambda: page.state["deal"] is None)
            await page.ask(2, type="lay", tags=["cramel/roby#1"], spot="play")
            await page.until(lambda: "Roby: 1 to win." in " ".join(page.said))
            await page.ask(3, type="lift", tags=["cramel/roby#1"], spot="play")
            await page.ask(4, type="down", button="action")
            await page.ask(5, type="up", button="action")
            await page.until(lambda: page.state["view"]["scores"] == [1, 0])

    aside.run(play())


def test_at_a_blank_table_a_game_is_enrolled_before_it_is_dealt(folder: Path) -> None:
    async def play() -> None:
        async with site(folder, game="straw", is_blank=True) as here, here.page() as page:
            await page.until(lambda: page.state["view"]["phase"] == "enrolling")
            assert page.state["view"]["game"] == "straw"
            await page.ask(1, type="lay", tags=["straw/weight-1#1"], spot="play")
            await page.until(lambda: "2 of 4." in " ".join(page.said))
            await page.ask(2, type="lift", tags=["straw/weight-1#1"], spot="play")
            refused = await page.refused(type="deal", game="straw", players=2, hotSeat=True)
            assert refused.startswith("The table is enrolling stickers. Leave that first")

    aside.run(play())


def test_what_is_dealt_is_what_the_stickers_say(folder: Path) -> None:
    """Two cards of a kind have swapped stickers, and another card has one of a different kind."""
    cards = load_deck(game_named("straw")).pieces()
    on = {card: card for card in cards} | {
        Piece("weight-7", 1): Piece("weight-7", 3),
        Piece("weight-7", 3): Piece("weight-3", 1),
        Piece("weight-3", 1): Piece("weight-7", 1),
    }
    register = TagRegister(folder / REGISTER)
    register.bind_all((uid_of("straw", on[card]), Registered("straw", card)) for card in cards)
    register.close()

    async def play() -> None:
        async with site(folder, game="straw", is_blank=True) as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            for number, card in enumerate(("weight-7#1", "weight-7#3", "weight-3#1")):
                await page.ask(10 + number, type="lay", tags=[f"straw/{card}"], spot="play")
                await page.until(partial(page.journal.__contains__, f"input tap {card}"))
                assert page.state["lying"] == {"play": [f"straw/{card}"]}
                await page.ask(20 + number, type="lift", tags=[f"straw/{card}"], spot="play")

    aside.run(play())


def laid_out() -> list[Piece]:
    """Return the tiles of Cramel by place, as SEED shuffles them."""
    return shuffle(load_deck(game_named("cramel")), random.Random(SEED))


async def turn(page: Page, number: int) -> None:
    """Turn the tile at place *number* over by tapping it on the mat."""
    inputs = len(page.journal)
    await page.ask(number, type="lay", tags=[f"cramel/@{number}"], spot="play")
    await page.until(lambda: len(page.journal) > inputs)
    await page.ask(100 + number, type="lift", tags=[f"cramel/@{number}"], spot="play")


TAG = re.compile(r"(?:cramel/|tap )([a-z-]+#\d+)")


def test_no_message_names_a_tile_that_was_not_turned_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tested with a dead reader, a power cut, refusals, and a page that connects late."""
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)
    tiles = laid_out()
    first, second = (next(n for n, t in enumerate(tiles, 1) if t == p) for p in PAIR)
    hidden = [n for n in range(1, 50) if n not in (first, second)]

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            for name in ("cramel/jane#1", "jane", "straw/jane#1"):
                assert "face down" in await page.refused(type="lay", tags=[name], spot="play")
            await page.ask(200, type="fault", name="reader-dead", part="play")
            dead = f"cramel/@{hidden[0]}"
            await page.ask(201, type="lay", tags=[dead], spot="play")
            await page.until(lambda: page.state["lying"] == {"play": [dead]})
            assert "already" in await page.refused(type="lay", tags=[dead], spot="play")
            assert "Lay it first" in await page.refused(type="lift", tags=["x/@1"], spot="play")
            await page.ask(202, type="power", on=False)
            await page.until(lambda: page.state["power"] is False)
            assert page.state["lying"] == {"play": [dead]}
            await page.ask(203, type="lift", tags=[dead], spot="play")
            await page.ask(204, type="fault", name="none", part="play")
            await page.ask(205, type="power", on=True)
            await page.until(lambda: page.state["deal"] is not None)
            assert set(TAG.findall(page.heard)) == set()
            await turn(page, first)
            await page.until(lambda: page.state["deal"]["places"][first - 1] == "cramel/jane#1")
            await page.ask(206, type="down", button="action")
            await page.ask(207, type="up", button="action")
            await page.until(lambda: page.state["deal"]["past"] == [first])
            await turn(page, second)
            await page.until(lambda: page.state["deal"]["places"][first - 1] == "down")
            assert set(TAG.findall(page.heard)) == {"jane#1", "roby#1"}
            async with here.page() as late:
                await late.until(lambda: "input tap roby#1" in late.journal)
                assert late.state["deal"] == page.state["deal"]
                assert "jane" not in json.dumps(late.state)

    aside.run(play())


def test_in_a_race_no_message_names_a_card_of_a_hand_that_is_covered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages get a hand only while its player shows it, and a gift only while its giver chooses."""
    racing, hands, speed = holding("speed")
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: racing.seed)

    def told(page: Page) -> list[int]:
        """Return the seats whose hands *page* has received."""
        return [n for n, hand in enumerate(hands) if f"ciao/{hand[-1]}" in page.heard]

    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            await page.ask(1, type="deal", game="ciao", players=3, hotSeat=True)
            await page.until(lambda: page.state["view"]["active"] == [0])
            assert told(page) == [0]
            assert "cannot be shown" in await page.refused(type="show", seat=2)
            await page.ask(2, type="lay", tags=[f"ciao/{speed}"], spot="play")
            await page.until(lambda: page.state["view"]["active"] == [1, 2])
            assert page.state["view"]["turn"] is None
            await page.until(lambda: page.state["deal"]["mayShow"] == [1, 2])
            lamps = page.state["lamps"]
            assert [lamps[f"seat-{n}"]["level"] for n in (1, 2, 3)] == [0, 1, 1]
            assert told(page) == [0]
            async with here.page() as late:
                assert told(late) == []
                await late.ask(3, type="show", seat=3)
                await late.until(lambda: None not in late.state["deal"]["hands"][2])
                await page.ask(3, type="show", seat=2)
                await page.until(lambda: None not in page.state["deal"]["hands"][1])
                assert (told(page), told(late)) == ([0, 1], [2])
                await late.ask(4, type="cover")
                await late.until(lambda: late.state["deal"]["hands"][2] == [None] * 7)
                await late.ask(5, type="show", seat=2)  # its player goes to the other page
                await page.until(lambda: page.state["deal"]["hands"][1] == [None] * 7)
                await late.until(lambda: None not in late.state["deal"]["hands"][1])
                assert told(late) == [1, 2]
            assert "cannot be shown" in await page.refused(type="show", seat=1)
            assert "cannot be given away" in await page.refused(
                type="by-hand", act="give", card=f"ciao/{hands[0][-1]}"
            )

    aside.run(play())


def test_what_lies_on_the_mat_is_shuffled_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a visible tile kept its place, everybody would know where it is in the new deal."""
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            await page.ask(1, type="undeal")
            await page.ask(2, type="lay", tags=["cramel/roby#1"], spot="play")
            await page.until(lambda: page.state["lying"] == {"play": ["cramel/roby#1"]})
            await page.ask(3, type="deal", game="cramel", players=2, hotSeat=True)
            await page.until(lambda: page.state["lying"] == {"play": []})

    aside.run(play())


def test_a_moved_tile_stays_where_it_is_after_a_restart(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)
    tiles = laid_out()
    roby, bloom = (tiles.index(Piece(kind)) + 1 for kind in ("roby", "bloom"))

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            assert "That tile cannot be moved" in await page.refused(
                type="by-hand", act="move", **{"from": 1, "to": 2}
            )
            await turn(page, roby)
            await page.ask(200, type="down", button="action")
            await page.ask(201, type="up", button="action")
            await page.until(lambda: page.state["view"]["scores"] == [1, 0])
            await turn(page, bloom)
            await page.until(lambda: page.state["deal"]["movable"] == bloom)
            await page.ask(202, type="by-hand", act="move", **{"from": bloom, "to": roby})
            await page.until(lambda: page.state["deal"]["movable"] == roby)
            deal = page.state["deal"]
            assert (deal["places"][roby - 1], deal["places"][bloom - 1]) == (
                "cramel/bloom#1",
                "free",
            )
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            assert page.state["deal"] == deal

    aside.run(play())


def test_the_plug_may_be_pulled_and_the_game_goes_on(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            await page.ask(1, type="deal", game="straw", players=2, hotSeat=False)
            await page.ask(2, type="lay", tags=["straw/weight-9#1"], spot="play")
            await page.until(lambda: "9. Ben to play." in page.said)
            hands = page.state["deal"]["hands"]
            await page.ask(3, type="power", on=False)
            await page.until(lambda: page.state["power"] is False)
            assert not any(lamp["level"] for lamp in page.state["lamps"].values())
            refused = await page.refused(type="down", button="ok")
            assert refused == "The mat has no power. Plug it in: power on."
            await page.ask(4, type="power", on=True)
            await page.until(lambda: page.state["power"] and page.state["deal"] is not None)
            assert page.state["view"]["turn"] == 1
            assert page.state["deal"]["hands"] == hands
            await page.ask(5, type="export")
            assert "tap weight-9#1" in page.rehearsal

    aside.run(play())


def test_a_restarted_server_still_knows_the_dealt_hands(folder: Path) -> None:
    async def play() -> None:
        async with site(folder, game="straw") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            await page.ask(1, type="lay", tags=["straw/weight-9#1"], spot="play")
            await page.until(lambda: "9. Ben to play." in page.said)
            deal = page.state["deal"]
        async with site(folder, game="straw") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            assert page.state["deal"] == deal

    aside.run(play())


@pytest.mark.long
def test_buttons_encoder_and_faults_reach_the_chips(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            await page.ask(1, type="down", button="ok")
            await page.ask(2, type="up", button="ok")
            await page.ask(3, type="turn", steps=1)
            await page.ask(4, type="down", button="back")
            await page.ask(5, type="up", button="back")
            await page.ask(6, type="fault", name="reader-dead", part="play")
            await page.until(lambda: any("No answer: reader play" in s for s in page.said))
            assert page.state["faults"] == [{"name": "reader-dead", "part": "play"}]
            await page.ask(7, type="fault", name="none", part="play")
            await page.until(lambda: "Back again: reader play." in page.said)
            assert page.state["faults"] == []
            await page.ask(8, type="fault", name="button-stuck", part="back")
            await page.ask(9, type="fault", name="reader-brownout", part="play")
            await page.until(
                lambda: page.state["faults"] == [{"name": "button-stuck", "part": "back"}]
            )

    aside.run(play())


def test_what_cannot_be_done_is_said_to_the_page_that_asked(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            assert "no spot shelf" in await page.refused(type="lay", tags=["ok"], spot="shelf")
            assert "weight-11" in await page.refused(
                type="lay", tags=["straw/weight-11#1"], spot="play"
            )
            assert "strw" in await page.refused(type="deal", game="strw", players=2, hotSeat=False)
            assert "no fault" in await page.refused(type="fault", name="fire", part="play")
            assert "is not on play" in await page.refused(
                type="lift", tags=["straw/weight-1#1"], spot="play"
            )
            assert page.state["power"]

    aside.run(play())


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Host": "[::1"},
    ],
)
def test_another_sites_page_is_refused(folder: Path, headers: dict[str, str]) -> None:
    """DNS rebinding sends a wrong Host, a cross-site script a wrong Origin."""

    async def knock() -> None:
        async with site(folder) as here:
            async with here.session.get(f"{here.origin}/", headers=headers) as answer:
                assert answer.status == 403
            with pytest.raises(WSServerHandshakeError, match="403"):
                await here.session.ws_connect(f"{here.origin}/ws", headers=headers)

    aside.run(knock())


def test_a_socket_without_an_origin_is_refused(folder: Path) -> None:
    async def knock() -> None:
        async with site(folder) as here:
            with pytest.raises(WSServerHandshakeError, match="403"):
                await here.session.ws_connect(f"{here.origin}/ws")

    aside.run(knock())


def test_a_file_that_has_not_changed_is_answered_without_a_body(folder: Path) -> None:
    """A body would be taken for the beginning of the next answer."""

    async def reload() -> None:
        async with site(folder) as here:
            address = f"{here.origin}/static/main.js"
            async with here.session.get(address) as first:
                assert first.headers["Content-Encoding"] in ("gzip", "deflate")
                tag = first.headers["ETag"]
            for _ in range(2):  # on the same connection
                async with here.session.get(address, headers={"If-None-Match": tag}) as again:
                    assert again.status == 304
                    assert "Transfer-Encoding" not in again.headers
                    assert await again.read() == b""

    aside.run(reload())


def test_the_page_may_load_nothing_from_elsewhere(folder: Path) -> None:
    async def look() -> None:
        async with site(folder) as here, here.session.get(f"{here.origin}/") as answer:
            assert answer.status == 200
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "http://" not in (await answer.text()).replace("http://www.w3.org/", "")

    aside.run(look())


def test_from_another_computer_a_page_needs_the_code_on_the_display(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")

    async def join() -> None:
        async with site(folder, host="0.0.0.0") as here, here.page() as page:
            assert page.state == {"pairing": True}
            assert "code" in await page.refused(type="turn", steps=1)
            assert "not the code" in await page.refused(type="pair", code="12345x")
            assert "Wait 1 s" in await page.refused(type="pair", code=here.server.guard.code)
            here.now_s += 1
            shown = here.server.guard.code
            await page.ask(9, type="pair", code=shown)
            await page.until(lambda: page.state["pairing"] is False)
            assert page.state["view"]["phase"] == "idle"

    aside.run(join())


def test_the_guesses_of_a_page_that_has_left_do_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would make the next page from that address wait."""
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
    monkeypatch.setattr("sim.web.server.ASKED_S", 0.3)
    checked: list[str] = []

    def check(_address: str, code: str) -> PairingResult:
        checked.append(code)
        return PairingResult.ASK

    async def guess() -> None:
        async with site(folder, host="0.0.0.0") as here:
            monkeypatch.setattr(here.server.guard, "check", check)
            async with here.page() as page:
                for code in ("first", "second"):  # the second waits while people are asked
                    await page.socket.send_json({"type": "pair", "code": code})
                await page.until(lambda: bool(page.errors))
                connection = page.socket._response.connection
                assert connection is not None
                assert connection.transport is not None
                connection.transport.abort()
            async with asyncio.timeout(PATIENCE_S):
                while here.server.page_count:
                    await asyncio.sleep(0.01)

    aside.run(guess())
    assert checked == ["first"]


def test_guessing_the_code_changes_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")

    async def guess() -> None:
        async with site(folder, host="0.0.0.0") as here, here.page() as page:
            first = here.server.guard.code
            for _ in range(5):
                await page.refused(type="pair", code="no")
                here.now_s += 1000
            assert here.server.guard.code != first
            assert "not the code" in await page.refused(type="pair", code=first)

    aside.run(guess())


@pytest.mark.long
def test_after_twenty_wrong_codes_ok_at_the_mat_lets_a_page_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def join() -> None:
        async with site(folder, host="0.0.0.0") as here, here.page() as mine:
            monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
            for n in range(MOST_WRONG):
                here.server.guard.check(f"192.0.2.{n}", "no")
            for button, is_in in (("back", False), ("ok", True)):
                here.now_s += 1000
                async with here.page() as page:
                    pair = {"type": "pair", "code": here.server.guard.code, "id": 1}
                    await page.socket.send_json(pair)
                    await page.until(lambda page=page: bool(page.errors))  # type: ignore[misc]
                    assert "Press OK at the mat" in page.errors[0]["text"]
                    await mine.until(lambda: "Another device wants to join" in " ".join(mine.said))
                    await mine.until(lambda: find_text(mine.pixels(), "192.0.2.7"))
                    await mine.ask(2, type="down", button=button)
                    await mine.ask(3, type="up", button=button)
                    await page.until(lambda page=page: 1 in page.done or len(page.errors) == 2)  # type: ignore[misc]
                    assert (page.state["pairing"] is False) is is_in
                mine.said.clear()
                mine.done.clear()
            assert mine.state["view"]["phase"] == "idle"  # OK opened no list

    aside.run(join())


def test_only_a_limited_number_of_pages_may_wait_for_the_code(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")

    async def crowd() -> None:
        async with site(folder, host="0.0.0.0") as here, AsyncExitStack() as opened:
            for _ in range(MOST_UNPAIRED):
                page = await opened.enter_async_context(here.page())
            with pytest.raises(WSServerHandshakeError, match="503"):
                await here.session.ws_connect(f"{here.origin}/ws", origin=here.origin)
            await page.ask(1, type="pair", code=here.server.guard.code)
            async with here.page() as late:
                assert late.state == {"pairing": True}

    aside.run(crowd())


def test_the_computers_own_name_is_accepted(folder: Path) -> None:
    name = socket.gethostname().partition(".")[0]

    async def knock() -> None:
        async with site(folder) as here:
            for host, status in ((f"{name}.local", 200), (f"x{name}.local", 403)):
                headers = {"Host": f"{host}:{here.port}"}
                async with here.session.get(f"{here.origin}/", headers=headers) as answer:
                    assert answer.status == status

    aside.run(knock())


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::", "[::1]"),
        ("::1", "[::1]"),
        ("fd00::7", "[fd00::7]"),
        ("localhost", "127.0.0.1"),
        ("192.0.2.7", "192.0.2.7"),
        ("table.local", "table.local"),
    ],
)
def test_the_address_that_is_printed_answers(host: str, shown: str) -> None:
    assert reachable(host) == shown


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/../server.py", "/ws"])
def test_every_answer_keeps_the_page_to_itself(folder: Path, path: str) -> None:
    async def look() -> None:
        async with site(folder) as here:
            answer = await here.session.get(URL(f"{here.origin}{path}", encoded=True))
            assert (answer.status == 200) is (path == "/")
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "Server" not in answer.headers
            answer.close()

    aside.run(look())


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_a_request_that_stays_half_open_is_closed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr("tests.sim.web.test_server.IDLE_S", 0.05)

    async def hang() -> None:
        async with site(folder) as here, asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            writer.write(begun)
            assert await reader.read() == b""
            writer.close()

    aside.run(hang())


@pytest.mark.parametrize(
    "nonsense",
    [b"GET / HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n"],
)
def test_what_is_no_http_is_answered_like_all_else_and_leaves_no_traceback(
    folder: Path, caplog: pytest.LogCaptureFixture, nonsense: bytes
) -> None:
    async def shout() -> None:
        async with site(folder) as here, asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            writer.write(nonsense)
            answer = (await reader.read()).decode()
            assert answer.startswith("HTTP/1.0 400")
            for header in (
                *(f"{name}: {text}" for name, text in HEADERS.items()),
                "Server: tapmat",
            ):
                assert f"\r\n{header}\r\n" in answer
            assert "aiohttp" not in answer
            writer.close()

    aside.run(shout())
    assert "Traceback" not in caplog.text


@pytest.mark.long
def test_binary_messages_are_limited_like_text(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.web.server.MESSAGES_A_SECOND", 0.2)

    async def hurry() -> None:
        async with site(folder) as here, here.page() as page:
            for _ in range(3):
                await page.socket.send_bytes(b"x")
            await page.until(lambda: any("Too many" in e["text"] for e in page.errors))
            assert [e["text"] for e in page.errors[:2]] == ["Send messages as JSON text."] * 2

    aside.run(hurry())


def test_half_a_surrogate_is_refused_and_the_page_goes_on(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            half = '{"type": "lay", "tags": ["straw/\\ud800#1"], "spot": "play"}'
            assert "No deck has" in await page.refused_text(half)
            await page.ask(1, type="turn", steps=1)

    aside.run(play())


def nonsense(chance: random.Random) -> str | bytes:
    """Return a malformed, oversized or unknown message."""
    match chance.randrange(5):
        case 0:
            return chance.randbytes(chance.randrange(200))
        case 1:
            return "".join(chance.choices('{}[]",:abc0', k=chance.randrange(300)))
        case 2:
            return json.dumps({"type": chance.choice(["lay", "turn", "deal", "x"]), "tags": [1]})
        case 3:
            return json.dumps({"type": "lay", "tags": ["../../etc/passwd"], "spot": "$(reboot)"})
    return "x" * chance.randrange(LONGEST_MESSAGE * 3)


async def pour(here: Site, count: int) -> None:
    """Send *count* malformed messages; the server disconnects a page whose message is too long."""
    chance = random.Random(count)
    while count > 0:
        async with here.page() as page:
            for _ in range(100):
                count -= 1
                message = nonsense(chance)
                if isinstance(message, bytes):
                    await page.socket.send_bytes(message)
                else:
                    await page.socket.send_str(message)
                if len(message) > LONGEST_MESSAGE:
                    break


def traced() -> int:
    """Return the traced memory in bytes after a garbage collection."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.long
def test_ten_thousand_messages_of_nonsense_and_the_table_plays_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message is answered or disconnects its page, and memory use does not grow with them."""
    monkeypatch.setattr("sim.web.server.MESSAGES_A_SECOND", 1e9)

    async def flood() -> None:
        async with site(folder) as here:
            tracemalloc.start()
            await pour(here, some(5_000))
            half = traced()
            await pour(here, some(5_000))
            assert traced() - half < 500_000
            tracemalloc.stop()
            async with here.page() as page:
                await page.ask(1, type="deal", game="straw", players=2, hotSeat=False)
                await page.ask(2, type="lay", tags=["straw/weight-9#1"], spot="play")
                await page.until(lambda: "9. Ben to play." in page.said)
            assert here.server.page_count <= 1

    aside.run(flood())


@pytest.mark.long
def test_too_many_messages_are_slowed_down(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.web.server.MESSAGES_A_SECOND", 0.5)

    async def hurry() -> None:
        async with site(folder) as here, here.page() as page:
            for _ in range(5):
                assert "not JSON" in await page.refused_text("x")
            assert "Too many" in await page.refused_text("x")

    aside.run(hurry())
