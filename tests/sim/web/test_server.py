"""The server: who gets in, what pages see, and what a flood of nonsense does."""

import asyncio
import gc
import json
import random
import re
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSServerHandshakeError, web

from engines.common.pieces import Piece
from firmware.config import load_config
from firmware.controller import REGISTER
from firmware.decks import load_deck
from firmware.games import game_named
from firmware.register import Registered, TagRegister
from sim.tags import uid_of
from sim.web.dealer import mixed
from sim.web.live import LiveMat
from sim.web.server import LONGEST_MESSAGE, Server
from tests.sim.web.ciao_people import holding

PATIENCE_S = 20  # for what must come; how long it takes is no matter
SEED = 29
PAIR = (Piece("jane"), Piece("roby"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


class Page:
    """A page, as far as the server can tell."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.said: list[str] = []
        self.journal: list[str] = []
        self.rehearsal = ""
        self.errors: list[dict[str, Any]] = []
        self.done: set[int] = set()
        self.table: dict[str, Any] = {}
        self.heard = ""  # every message but the table, as it came

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
        """Send a message and return why it is not carried out."""
        return await self.refused_text(json.dumps(message))

    async def refused_text(self, text: str) -> str:
        """Send *text* and return what is wrong with it."""
        before = len(self.errors)
        await self.socket.send_str(text)
        await self.until(lambda: len(self.errors) > before)
        return str(self.errors[-1]["text"])


class Site:
    """A running server and a way to open pages of it."""

    def __init__(self, server: Server, port: int, session: ClientSession) -> None:
        self.server = server
        self.origin = f"http://127.0.0.1:{port}"
        self.session = session

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
    server = Server(partial(LiveMat, load_config(), folder, is_blank=is_blank), host, game)
    runner = web.AppRunner(server.app)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    port = runner.addresses[0][1]
    try:
        async with ClientSession() as session:
            yield Site(server, port, session)
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
            assert deal["hands"][1] == [None] * 4  # face down: it is not this seat's turn
            assert page.state["lamps"]["seat-1"] == 1
            await page.ask(2, type="lay", tags=["straw/weight-7#1"], spot="play")
            await page.until(lambda: page.state["lamps"]["seat-2"] == 1)
            assert page.state["lying"] == {"play": ["straw/weight-7#1"]}
            assert page.state["deal"]["laid"] == ["straw/weight-7#1"]
            await page.until(lambda: "7. Ben to play." in page.said)
            await page.ask(3, type="lift", tags=["straw/weight-7#1"], spot="play")
            await page.until(lambda: page.state["lying"] == {"play": []})
            await page.until(lambda: "input tap weight-7#1" in page.journal)

    asyncio.run(play())


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

    asyncio.run(play())


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

    asyncio.run(play())


def test_at_a_blank_table_a_game_is_enrolled_before_it_is_dealt(folder: Path) -> None:
    async def play() -> None:
        async with site(folder, game="straw", is_blank=True) as here, here.page() as page:
            await page.until(lambda: page.state["view"]["phase"] == "enrolling")
            assert page.state["view"]["game"] == "straw"
            await page.ask(1, type="lay", tags=["straw/weight-1#1"], spot="play")
            await page.until(lambda: "2 of 4." in " ".join(page.said))
            await page.ask(2, type="lift", tags=["straw/weight-1#1"], spot="play")
            refused = await page.refused(type="deal", game="straw", players=2, hotSeat=True)
            assert refused.startswith("Stickers are enrolled. Leave that first")

    asyncio.run(play())


def test_what_is_dealt_is_what_the_stickers_say(folder: Path) -> None:
    """Two cards of a kind have each other's sticker; a third one has that of another kind."""
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

    asyncio.run(play())


def laid_out() -> list[Piece]:
    """The tiles of Cramel, place by place, as SEED shuffles them."""
    return mixed(load_deck(game_named("cramel")), random.Random(SEED))


async def turn(page: Page, number: int) -> None:
    """Turn the tile at place *number* over: tap it on the mat."""
    inputs = len(page.journal)
    await page.ask(number, type="lay", tags=[f"cramel/@{number}"], spot="play")
    await page.until(lambda: len(page.journal) > inputs)
    await page.ask(100 + number, type="lift", tags=[f"cramel/@{number}"], spot="play")


TAG = re.compile(r"(?:cramel/|tap )([a-z-]+#\d+)")


def test_no_message_names_a_tile_that_was_not_turned_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not on a dead reader, not without power, not in a refusal, not to a page that comes late."""
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)
    tiles = laid_out()
    first, second = (next(n for n, t in enumerate(tiles, 1) if t == p) for p in PAIR)
    hidden = [n for n in range(1, 50) if n not in (first, second)]

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            for name in ("cramel/jane#1", "jane", "straw/jane#1"):
                assert "laid out" in await page.refused(type="lay", tags=[name], spot="play")
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

    asyncio.run(play())


def test_in_a_race_no_message_names_a_card_of_a_hand_that_is_covered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand is told to pages when its player shows it, and a gift when its giver may choose it."""
    racing, hands, speed = holding("speed")
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: racing.seed)

    def told(page: Page) -> list[int]:
        """Whose hands *page* has heard of."""
        return [n for n, hand in enumerate(hands) if f"ciao/{hand[-1]}" in page.heard]

    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            await page.ask(1, type="deal", game="ciao", players=3, hotSeat=True)
            await page.until(lambda: page.state["view"]["active"] == [0])
            assert told(page) == [0]
            assert "not to be shown" in await page.refused(type="show", seat=2)
            await page.ask(2, type="lay", tags=[f"ciao/{speed}"], spot="play")
            await page.until(lambda: page.state["view"]["active"] == [1, 2])
            assert page.state["view"]["turn"] is None
            await page.until(lambda: page.state["deal"]["mayShow"] == [1, 2])
            assert [page.state["lamps"][f"seat-{n}"] for n in (1, 2, 3)] == [0, 1, 1]
            assert told(page) == [0]
            async with here.page() as late:
                assert told(late) == []
                await page.ask(3, type="show", seat=3)
                await late.until(lambda: None not in late.state["deal"]["hands"][2])
                assert told(late) == [2]
                await page.ask(4, type="cover")
                await late.until(lambda: late.state["deal"]["hands"][2] == [None] * 7)
            assert "not to be shown" in await page.refused(type="show", seat=1)
            assert "cannot be given away" in await page.refused(
                type="give", card=f"ciao/{hands[0][-1]}"
            )

    asyncio.run(play())


def test_what_lies_on_the_mat_is_shuffled_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else everybody would see whereto a tile they know was laid."""
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            await page.ask(1, type="undeal")
            await page.ask(2, type="lay", tags=["cramel/roby#1"], spot="play")
            await page.until(lambda: page.state["lying"] == {"play": ["cramel/roby#1"]})
            await page.ask(3, type="deal", game="cramel", players=2, hotSeat=True)
            await page.until(lambda: page.state["lying"] == {"play": []})

    asyncio.run(play())


def test_a_moved_tile_stays_where_it_is_after_a_restart(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: SEED)
    tiles = laid_out()
    roby, bloom = (tiles.index(Piece(kind)) + 1 for kind in ("roby", "bloom"))

    async def play() -> None:
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            assert "No tile can be moved" in await page.refused(type="move", **{"from": 1, "to": 2})
            await turn(page, roby)
            await page.ask(200, type="down", button="action")
            await page.ask(201, type="up", button="action")
            await page.until(lambda: page.state["view"]["scores"] == [1, 0])
            await turn(page, bloom)
            await page.until(lambda: page.state["deal"]["movable"] == bloom)
            await page.ask(202, type="move", **{"from": bloom, "to": roby})
            await page.until(lambda: page.state["deal"]["movable"] == roby)
            deal = page.state["deal"]
            assert (deal["places"][roby - 1], deal["places"][bloom - 1]) == (
                "cramel/bloom#1",
                "free",
            )
        async with site(folder, game="cramel") as here, here.page() as page:
            await page.until(lambda: page.state["deal"] is not None)
            assert page.state["deal"] == deal

    asyncio.run(play())


def test_the_plug_may_be_pulled_and_the_game_goes_on(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            await page.ask(1, type="deal", game="straw", players=2, hotSeat=False)
            await page.ask(2, type="lay", tags=["straw/weight-9#1"], spot="play")
            await page.until(lambda: "9. Ben to play." in page.said)
            hands = page.state["deal"]["hands"]
            await page.ask(3, type="power", on=False)
            await page.until(lambda: page.state["power"] is False)
            assert not any(page.state["lamps"].values())
            refused = await page.refused(type="down", button="ok")
            assert refused == "The mat has no power. Plug it in: power on."
            await page.ask(4, type="power", on=True)
            await page.until(lambda: page.state["power"] and page.state["deal"] is not None)
            assert page.state["view"]["turn"] == 1
            assert page.state["deal"]["hands"] == hands
            await page.ask(5, type="export")
            assert "tap weight-9#1" in page.rehearsal

    asyncio.run(play())


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

    asyncio.run(play())


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

    asyncio.run(play())


def test_what_cannot_be_done_is_said_to_the_page_that_asked(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            assert "no spot shelf" in await page.refused(type="lay", tags=["ok"], spot="shelf")
            assert "weight-11" in await page.refused(
                type="lay", tags=["straw/weight-11#1"], spot="play"
            )
            assert "strw" in await page.refused(type="deal", game="strw", players=2, hotSeat=False)
            assert "no fault" in await page.refused(type="fault", name="fire", part="play")
            assert "No such card" in await page.refused(
                type="lift", tags=["straw/weight-1#1"], spot="play"
            )
            assert page.state["power"]

    asyncio.run(play())


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
    """DNS rebinding brings a wrong Host, a cross-site script a wrong Origin."""

    async def knock() -> None:
        async with site(folder) as here:
            async with here.session.get(f"{here.origin}/", headers=headers) as answer:
                assert answer.status == 403
            with pytest.raises(WSServerHandshakeError, match="403"):
                await here.session.ws_connect(f"{here.origin}/ws", headers=headers)

    asyncio.run(knock())


def test_a_socket_without_an_origin_is_refused(folder: Path) -> None:
    async def knock() -> None:
        async with site(folder) as here:
            with pytest.raises(WSServerHandshakeError, match="403"):
                await here.session.ws_connect(f"{here.origin}/ws")

    asyncio.run(knock())


def test_the_page_may_load_nothing_from_elsewhere(folder: Path) -> None:
    async def look() -> None:
        async with site(folder) as here, here.session.get(f"{here.origin}/") as answer:
            assert answer.status == 200
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "http://" not in (await answer.text()).replace("http://www.w3.org/", "")

    asyncio.run(look())


def test_from_another_computer_a_page_needs_the_code_on_the_display(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
    monkeypatch.setattr("sim.web.server.WRONG_CODE_S", 0.0)

    async def join() -> None:
        async with site(folder, host="0.0.0.0") as here, here.page() as page:
            assert page.state == {"pairing": True}
            assert "code" in await page.refused(type="turn", steps=1)
            assert "not the code" in await page.refused(type="pair", code="12345x")
            shown = here.server.code
            await page.ask(9, type="pair", code=shown)
            await page.until(lambda: page.state["pairing"] is False)
            assert page.state["view"]["phase"] == "idle"

    asyncio.run(join())


def test_guessing_the_code_changes_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
    monkeypatch.setattr("sim.web.server.WRONG_CODE_S", 0.0)

    async def guess() -> None:
        async with site(folder, host="0.0.0.0") as here, here.page() as page:
            first = here.server.code
            for _ in range(5):
                await page.refused(type="pair", code="no")
            assert here.server.code != first
            assert "not the code" in await page.refused(type="pair", code=first)

    asyncio.run(guess())


def test_half_a_surrogate_is_refused_and_the_page_goes_on(folder: Path) -> None:
    async def play() -> None:
        async with site(folder) as here, here.page() as page:
            half = '{"type": "lay", "tags": ["straw/\\ud800#1"], "spot": "play"}'
            assert "No deck holds" in await page.refused_text(half)
            await page.ask(1, type="turn", steps=1)

    asyncio.run(play())


def nonsense(chance: random.Random) -> str | bytes:
    """A malformed, oversized or foreign message."""
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
    """Send so much nonsense; the server lets go of a page whose message is too long."""
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
    """How much memory is held now, in bytes."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_ten_thousand_messages_of_nonsense_and_the_table_plays_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered or its page let go of, and memory does not grow with their number."""
    monkeypatch.setattr("sim.web.server.MESSAGES_A_SECOND", 1e9)

    async def flood() -> None:
        async with site(folder) as here:
            tracemalloc.start()
            await pour(here, 5_000)
            half = traced()
            await pour(here, 5_000)
            assert traced() - half < 500_000
            tracemalloc.stop()
            async with here.page() as page:
                await page.ask(1, type="deal", game="straw", players=2, hotSeat=False)
                await page.ask(2, type="lay", tags=["straw/weight-9#1"], spot="play")
                await page.until(lambda: "9. Ben to play." in page.said)
            assert here.server.page_count <= 1

    asyncio.run(flood())


def test_too_many_messages_are_slowed_down(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.web.server.MESSAGES_A_SECOND", 0.5)

    async def hurry() -> None:
        async with site(folder) as here, here.page() as page:
            for _ in range(5):
                assert "no JSON" in await page.refused_text("x")
            assert "too many" in await page.refused_text("x")

    asyncio.run(hurry())
