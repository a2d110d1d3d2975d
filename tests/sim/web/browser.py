"""A virtual table and a browser that plays at it, for tests, pictures and measurements.

The state of the game is read off the page, and every act is done with mouse, keyboard or finger, as
people do.
"""

import asyncio
import re
import shutil
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any, Protocol, Self, TypeVar
from unittest.mock import patch

from aiohttp import web
from PIL import Image
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    expect,
    sync_playwright,
)

from firmware.config.table_config import TableConfig, load_config
from sim.mat.mat import Mat
from sim.web.live import LiveMat
from sim.web.server import Server

PATIENCE_MS = 20_000  # the timeout for anything that must happen
# The first one cannot open windows, and needs a third less processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
NO_BROWSER = f"no browser to open the page in (none of {', '.join(NAMES)}): apt install chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SEED = 29  # shuffles the deck unless a test gives another seed
WIDE = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
HAND = "#hands [data-turn] button.card"
MINUS = "\N{MINUS SIGN}"  # the minus sign on cards and in speech
LYING = "[data-spot=play] .lying button.card"

T = TypeVar("T")


# --- the table and the browser --------------------------------------------------------------------


def browser_path() -> str | None:
    """Return the path of a Chromium-based browser on this computer, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def driving() -> Iterator[Playwright]:
    """Yield the starter of browsers. A process can have only one."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        yield playwright


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Yield a headless Chromium.

    Raises:
        FileNotFoundError: it is not installed; the message says how to install it.
    """
    path = browser_path()
    if path is None:
        raise FileNotFoundError(NO_BROWSER)
    browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def browsing() -> Iterator[Browser]:
    """Yield a headless Chromium, the only browser of this process."""
    with driving() as playwright, chromium(playwright) as browser:
        yield browser


class Site:
    """A running virtual table that shuffles with *seed*.

    It keeps its port and its state folder when it is stopped, so it can be started again.
    """

    def __init__(
        self,
        folder: Path,
        seed: int = SEED,
        host: str = "127.0.0.1",
        config: TableConfig | None = None,
    ) -> None:
        self.folder = folder
        self.config = load_config() if config is None else config
        self.host = host  # the host that the server gets; it really listens on 127.0.0.1
        self.port = 0  # any free port
        self.live: LiveMat
        self.server: Server
        self._shuffle = patch("sim.web.live.secrets.randbits", return_value=seed)

    @property
    def address(self) -> str:
        """The URL of the page."""
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._shuffle.start()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="site", daemon=True)
        self._thread.start()
        self._wait_for(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self._wait_for(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._shuffle.stop()

    def in_mat(self, act: Callable[[Mat], T]) -> T:
        """Call *act* in the mat's thread, which alone may touch its chips; return the result."""
        answer: T = self.live._call(lambda: act(self.live._mat)).result()
        return answer

    async def _open(self) -> None:
        self.server = Server(self._mat, self.host)
        self._runner = web.AppRunner(self.server.app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    def _mat(self, listen: Callable[[str, Any], None]) -> LiveMat:
        self.live = LiveMat(self.config, self.folder, listen)
        return self.live

    def _wait_for(self, act: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(act, self._loop).result()


# --- reading the page -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Face:
    """A visible card: its tag, and the number printed on it, if any."""

    tag: str
    number: int | None

    @property
    def family(self) -> str:
        """The type of card, such as ``weight``, ``carpet`` or ``lamp``."""
        return self.tag.partition("/")[2].partition("#")[0].partition("-")[0]


FACES = (
    """cards => cards.map(card => [card.dataset.tag, card.querySelector(".figure")?.textContent])"""
)
LABELS = "places => places.map(place => place.ariaLabel)"
DOTS = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return { width, height, data: [...data] };
}"""


class TablePage:
    """One page of the table, open in the browser."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> Self:
        """Open the page in Lab, wait until it shows the table, and return self."""
        self.page.goto(f"{address}?view=lab")
        expect(self.connection).to_have_text("connected")
        expect(self.page.locator("[data-spot=play]")).to_be_visible()
        return self

    @property
    def connection(self) -> Locator:
        return self.page.locator("#connection")

    @property
    def hand(self) -> Locator:
        """The cards of the current player."""
        return self.page.locator(HAND)

    @property
    def lying(self) -> Locator:
        """The cards on the spot ``play``."""
        return self.page.locator(LYING)

    @property
    def spot(self) -> Locator:
        return self.page.locator("[data-spot=play]")

    def lamp(self, name: str) -> Locator:
        return self.page.locator(f'[data-lamp="{name}"]')

    def card(self, tag: str) -> Locator:
        """Return the visible element of the card *tag*."""
        return self.page.locator(f'button.card[data-card="{tag}"]').filter(visible=True)

    def journal(self, kind: str) -> Locator:
        return self.page.locator(f'#journal li[data-kind="{kind}"]')

    def faces(self) -> list[Face]:
        """Return the visible cards of the current player."""
        seen = self.hand.evaluate_all(FACES)
        return [Face(tag, int(text.replace(MINUS, "-")) if text else None) for tag, text in seen]

    def said(self) -> list[str]:
        """Return all lines of the transcript."""
        return self.page.locator("#transcript-lines li").all_inner_texts()

    def display(self) -> str:
        """Return the display's label for screen readers."""
        return self.page.locator("#oled").get_attribute("aria-label") or ""

    def phase(self) -> str:
        return self.display().removeprefix("Display: ").partition(",")[0]

    def turn(self) -> str:
        """Return the name of the current player, whose seat has the lit lamp."""
        lit = self.page.locator(".seat:has(.lamp:not([data-level='0'])) .seat-name")
        expect(lit).to_have_count(1)
        return lit.inner_text()

    def scores(self) -> dict[str, int]:
        """Return the score shown at each occupied seat, by player."""
        seats = self.page.locator(".seat:not([data-empty])")
        names = seats.locator(".seat-name").all_inner_texts()
        scores = seats.locator(".seat-score").all_inner_texts()
        return {name: int(score) for name, score in zip(names, scores, strict=True) if score}

    def oled(self) -> Image.Image:
        """Return the pixels of the display's canvas."""
        dots = self.page.locator("#oled").evaluate(DOTS)
        size = dots["width"], dots["height"]
        return Image.frombytes("RGBA", size, bytes(dots["data"])).convert("RGB")

    def deal(self, players: int, is_hot_seat: bool = True) -> None:
        """Deal Straw by mouse."""
        self.deal_game("straw", players, is_hot_seat)
        expect(self.hand).to_have_count(4)

    def deal_game(self, game: str, players: int, is_hot_seat: bool = True) -> None:
        """Deal any card game by mouse."""
        self.page.click("#tab-deal")
        self.page.select_option("#deal-game", game)
        self.page.select_option("#deal-players", str(players))
        self.page.set_checked("#hot-seat", is_hot_seat)
        self.page.click("#deal")

    def lay_out(self, players: int) -> None:
        """Lay out the tiles of Cramel by mouse."""
        self.page.click("#tab-deal")
        self.page.select_option("#deal-game", "cramel")
        self.page.select_option("#deal-players", str(players))
        self.page.click("#deal")
        expect(self.places).to_have_count(49)

    @property
    def places(self) -> Locator:
        """All places of a spread."""
        return self.page.locator("#hands .place")

    def place(self, number: int) -> Locator:
        """Return place *number* of a spread, counted from 1."""
        return self.page.locator(f'#hands .place[data-tag$="/@{number}"]')

    def labels(self) -> list[str]:
        """Return the labels of a spread's places for screen readers."""
        return [label or "" for label in self.places.evaluate_all(LABELS)]

    def turn_over(self, number: int, act: Callable[[], None] | None = None) -> list[str]:
        """Turn the tile at a place over, by a click or by *act*; return the lines said after it."""
        said = self.until_accepted(act or self.place(number).click)
        expect(self.lying).to_have_count(0)
        return said

    def until_accepted(self, act: Callable[[], None], times: int = 1) -> list[str]:
        """Call *act*, wait until the journal has *times* more inputs, and return the lines said."""
        heard, accepted = len(self.said()), self.journal("input")
        before = accepted.count()
        act()
        expect(accepted).to_have_count(before + times)
        return self.said()[heard:]

    def until_announced(self, act: Callable[[], None]) -> list[str]:
        """Call *act*, wait until it is accepted and announced, and return the lines said.

        The page gets the announcement and the journal's entry in separate messages.
        """
        heard = len(self.said())
        self.until_accepted(act)
        expect(self.page.locator("#transcript-lines li").nth(heard)).to_be_attached()
        return self.said()[heard:]


# --- hands ----------------------------------------------------------------------------------------


class Hands(Protocol):
    """A way to play at the page: by mouse, keyboard or finger."""

    def play(self, tag: str) -> None:
        """Place the card *tag* of the hand on ``play``."""

    def clear(self) -> None:
        """Lift all cards from ``play``."""

    def ok(self) -> None:
        """Press OK."""


def middle(place: Locator) -> tuple[float, float]:
    """Scroll to *place* and return the coordinates of its middle, in pixels."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None, f"{place} is not to be seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Mouse:
    """Plays with the mouse, by dragging cards on and off the mat."""

    def __init__(self, table: TablePage) -> None:
        self.table = table

    def drag(self, start: Locator, end: Locator) -> None:
        mouse = self.table.page.mouse
        mouse.move(*middle(start))
        mouse.down()
        mouse.move(*middle(end), steps=4)
        mouse.up()

    def play(self, tag: str) -> None:
        self.drag(self.table.card(tag), self.table.spot)

    def clear(self) -> None:
        for _ in range(self.table.lying.count()):
            here = self.table.lying.count()
            self.drag(self.table.lying.last, self.table.page.locator("#said-title"))
            expect(self.table.lying).to_have_count(here - 1)

    def ok(self) -> None:
        self.table.page.click("[data-button=ok]")


class Keyboard:
    """Plays with the keyboard only."""

    def __init__(self, table: TablePage) -> None:
        self.table = table

    def press(self, key: str) -> None:
        self.table.page.keyboard.press(key)

    def walk(self, key: str, wanted: str, at_most: int = 40) -> None:
        """Press *key* until the focused element matches the selector *wanted*.

        Fail after *at_most* presses.
        """
        for _ in range(at_most):
            if self.table.page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
            self.press(key)
        raise AssertionError(f"{key}, pressed {at_most} times, does not lead to {wanted}")

    def play(self, tag: str) -> None:
        tags = [face.tag for face in self.table.faces()]
        focused = (
            "document.activeElement.closest('[data-turn]') && document.activeElement.dataset.tag"
        )
        now = self.table.page.evaluate(focused)
        if now not in tags:
            self.walk("Tab", HAND)
            now = self.table.page.evaluate(focused)
        self.walk(
            "ArrowRight" if tags.index(tag) > tags.index(now) else "ArrowLeft",
            f'#hands [data-tag="{tag}"]',
        )
        self.press("Enter")

    def clear(self) -> None:
        expect(self.table.lying).to_have_count(0)  # Enter places a card and lifts it again

    def ok(self) -> None:
        self.press("o")


class Finger:
    """Plays on a touch screen, by tapping and dragging."""

    def __init__(self, table: TablePage) -> None:
        self.table = table

    def play(self, tag: str) -> None:
        self.table.card(tag).tap()
        self.table.page.locator("[data-spot=play] [data-tap]").tap()

    def clear(self) -> None:
        expect(self.table.lying).to_have_count(0)

    def ok(self) -> None:
        self.table.page.locator("[data-button=ok]").tap()

    def drag(self, start: Locator, end: Locator) -> None:
        """Drag from *start* to *end*; both must be visible at the same time."""
        devices = self.table.page.context.new_cdp_session(self.table.page)
        (x, y), (to_x, to_y) = middle(start), middle(end)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            shape = [{"x": at_x, "y": at_y} for at_x, at_y in points]
            devices.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": shape})

        touch("touchStart", (x, y))
        for part in (0.1, 0.4, 0.7, 1.0):
            touch("touchMove", (x + part * (to_x - x), y + part * (to_y - y)))
        touch("touchEnd")
        devices.detach()

    def double_tap(self, x: float, y: float) -> None:
        """Touch a point twice, 0.1 s apart by the events' own times, however busy the computer."""
        devices = self.table.page.context.new_cdp_session(self.table.page)
        start_s = time.time()
        for at_s in (start_s, start_s + 0.1):
            for kind, points, late_s in (("Start", [{"x": x, "y": y}], 0), ("End", [], 0.05)):
                devices.send(
                    "Input.dispatchTouchEvent",
                    {"type": f"touch{kind}", "touchPoints": points, "timestamp": at_s + late_s},
                )
        devices.detach()


# --- a player of Straw ----------------------------------------------------------------------------

LIKED = ("lamp", "reverse", "copy", "weight", "carpet")  # a simple strategy: special cards first


def chosen(hand: list[Face], weight: int, is_first: bool) -> Face:
    """Return the card of *hand* to play at this *weight*; of numbered cards, the highest."""
    if weight == 50 and (straw := [face for face in hand if face.family == "straw"]):
        return straw[0]
    plays = [
        face for face in hand if face.family in LIKED and not (is_first and face.family == "copy")
    ]
    return min(plays, key=lambda face: (LIKED.index(face.family), -(face.number or 0)))


def announced(said: list[str]) -> int:
    """Return the weight that was announced last."""
    found = [match for text in said if (match := re.match(rf"[-{MINUS}]?\d+", text))]
    assert found, f"no weight in {said}"
    return int(found[-1][0].replace(MINUS, "-"))


class StrawPlayer:
    """Plays Straw with what the page shows, and keeps track of the weight."""

    def __init__(self, table: TablePage, hands: Hands) -> None:
        self.table = table
        self.hands = hands
        self.weight = 0
        self.plays: list[Face] = []
        self.breaker = ""

    def turn(self) -> list[str]:
        """Play one card, check the weight if the card determines it, and return the lines said."""
        name = self.table.turn()
        face = chosen(self.table.faces(), self.weight, is_first=not self.plays)
        said = self.table.until_announced(lambda: self.hands.play(face.tag))
        if self.table.phase() == "lamp":
            said = self.table.until_announced(self.hands.ok)
        self.hands.clear()
        self.plays.append(face)
        if self.table.phase() == "scoring":
            self.breaker = name
            if face.number is not None:
                self.weight += face.number
                assert self.weight > 50
        elif face.family in ("weight", "carpet"):
            self.weight += face.number or 0
            assert announced(said) == self.weight
        else:
            self.weight = announced(said)
        return said

    def until_broken(self) -> None:
        """Play until the camel's back breaks."""
        while self.table.phase() in ("play", "lamp"):
            self.turn()

    def score(self) -> dict[str, int]:
        """Lay down the hands as asked, and return each player's sum of the printed numbers."""
        worth = {self.breaker: 0}
        while self.table.phase() == "scoring":
            name, hand = self.table.turn(), self.table.faces()
            worth[name] = sum(face.number or 0 for face in hand)
            for face in hand:
                self.table.until_accepted(lambda tag=face.tag: self.hands.play(tag))  # type: ignore[misc]
                self.hands.clear()
        return worth


def watched(context: BrowserContext, address: str) -> list[str]:
    """Return a list that collects page errors and requests to other hosts in *context*."""
    wrong: list[str] = []
    context.on(
        "console",
        lambda line: wrong.append(f"console: {line.text}") if line.type == "error" else None,
    )
    context.on("weberror", lambda error: wrong.append(f"error: {error.error}"))

    def asked(url: str) -> None:
        if not url.startswith((address, "data:", "blob:", "about:")):
            wrong.append(f"another host: {url}")

    context.on("request", lambda request: asked(request.url))
    return wrong


class Opener:
    """Opens pages, each in its own browser context, and collects the errors in them."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser = browser
        self.site = site
        self.contexts: list[BrowserContext] = []
        self.wrong: list[list[str]] = []

    def __call__(self, viewport: ViewportSize = WIDE, is_phone: bool = False) -> TablePage:
        return self.blank(viewport, is_phone).open(self.site.address)

    def blank(
        self, viewport: ViewportSize = WIDE, is_phone: bool = False, density: float = 1
    ) -> TablePage:
        """Return a page that has not loaded the table yet; *density* is pixels per CSS pixel."""
        context = self.browser.new_context(
            viewport=viewport,
            has_touch=is_phone,
            is_mobile=is_phone,
            device_scale_factor=density,
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        self.wrong.append(watched(context, self.site.address))
        return TablePage(context.new_page())

    @contextmanager
    def server_stopped(self) -> Iterator[None]:
        """Stop the server until the ``with`` block ends; the pages show that, and connect again.

        The browser reports each refused connection as an error, which is expected here.
        """
        states = [context.pages[0].locator("#connection") for context in self.contexts]
        connected = [state.inner_text() for state in states]
        self.site.__exit__()
        for state, text in zip(states, connected, strict=True):
            expect(state).not_to_have_text(text)
        yield
        self.site.__enter__()
        for state, text in zip(states, connected, strict=True):
            expect(state).to_have_text(text)
        for wrong in self.wrong:
            wrong[:] = [line for line in wrong if "ERR_CONNECTION_REFUSED" not in line]


# --- accessibility --------------------------------------------------------------------------------

TARGETS = """() => {
  const found = [];
  const wanted = "button, select, input, textarea, [role=switch], [role=tab]";
  for (const element of document.querySelectorAll(wanted)) {
    const target = element.matches("[type=checkbox]") ? element.closest("label") : element;
    if (!target.checkVisibility() || element.closest("[inert]")) continue;
    target.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = target.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    const isHit = hit !== null && (target.contains(hit) || hit.contains(target));
    const name = element.id || element.getAttribute("aria-label") || element.textContent.trim();
    found.push({ name, width, height, isHit });
  }
  scrollTo(0, 0);
  return found;
}"""


def reach(table: TablePage, panel: str) -> set[str]:
    """Return the names of all controls on *panel*; assert that each can be hit by a finger."""
    targets = table.page.evaluate(TARGETS)
    small = [at for at in targets if min(at["width"], at["height"]) < 44]
    hidden = [at for at in targets if not at["isHit"]]
    assert small == [], panel
    assert hidden == [], panel
    width = table.page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], panel
    return {at["name"] for at in targets}


AXE = files("axe_playwright_python").joinpath("axe.min.js")
AXE_RUN = """async only =>
  (await axe.run(document, { resultTypes: ['violations'], ...only })).violations"""
SERIOUS = ("serious", "critical")


def findings(table: TablePage) -> list[str]:
    """Return the serious accessibility problems that axe-core finds, in both colour schemes.

    The schemes differ in colours only, so in the dark one only the contrast is checked.
    """
    if not table.page.evaluate("'axe' in window"):
        table.page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = table.page.evaluate(AXE_RUN, {})
    table.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    violations += table.page.evaluate(AXE_RUN, {"runOnly": ["color-contrast"]})
    table.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return [
        f"{found['id']}: {found['help']}: {node['target']} {node['failureSummary']}"
        for found in violations
        if found["impact"] in SERIOUS
        for node in found["nodes"]
    ]


def questions_of(page: Page) -> list[str]:
    """Dismiss the first dialog of *page* and accept the others; return a list of all texts."""
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        if len(asked) == 1:
            dialog.dismiss()
        else:
            dialog.accept()

    page.on("dialog", answer)
    return asked
