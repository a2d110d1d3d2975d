"""Measure how quick the page is, in a real browser.

``python -m tests.sim.web.speed`` prints, and with ``--json`` as JSON:

- the time from the opening of the page to its first picture, with an empty cache;
- the time from dropping a card on ``play`` to the change of the next player's lamp. It includes
  the WebSocket, the emulated reader and tag with every byte, the rules, and the journal's commit;
- the pictures per second while cards fly in Play, with a processor that is four times slower, as
  Chromium itself reports for each picture that was due whether it was shown; and how often the
  page's scripts could run between two pictures meanwhile (the browser moves the cards itself, so a
  busy script stops none);
- the time from a message of a page to the change of a lamp at the server, with one page and with
  fifty at the table, one after the other in the same run.

A time is a median. The computer should have nothing else to do.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event as EventType
from pathlib import Path

from aiohttp import ClientSession, ClientWebSocketResponse
from playwright.sync_api import Browser, Page, expect

from tests.sim.web.browser import WIDE, Mouse, Site, TablePage, browsing
from tests.sim.web.test_server import Page as Connection
from tests.sim.web.test_server import site as running

TIMES = 15  # of each act
THROTTLED = 4  # times slower
PAGES = 50
PICTURES_PER_S = 60  # of the screen that the browser draws on
SETTLES_MS = 600  # after an act, until the table has noticed that the card was lifted
FIRST_PICTURE = """() => new Promise((resolve) => {
  const tell = (entries) =>
    entries.filter(({ name }) => name === "first-contentful-paint")
      .forEach(({ startTime }) => resolve(startTime));
  new PerformanceObserver((list) => tell(list.getEntries()))
    .observe({ type: "paint", buffered: true });
})"""
# A promise of the time from the next release of the pointer to the next change of a seat's lamp.
NEXT_LAMP = """() => {
  window.untilLamp = new Promise((resolve) => {
    let released = null;
    addEventListener("pointerup", ({ timeStamp }) => { released = timeStamp; },
      { capture: true, once: true });
    const lamps = new MutationObserver((changes) => {
      if (released === null || !changes.some(({ target }) => target.closest(".seat"))) return;
      lamps.disconnect();
      resolve(performance.now() - released);
    });
    lamps.observe(document.querySelector(".mat"),
      { subtree: true, attributes: true, attributeFilter: ["data-level"] });
  });
}"""
# A promise of the times between pictures, in milliseconds, from the start of the next flight of a
# card to its end.
NEXT_FLIGHT = """() => {
  window.flight = new Promise((resolve) => {
    const times = [];
    // A card that the pointer is over moves too, by a transition.
    const isFlight = (move) =>
      !(move instanceof CSSTransition) && move.effect?.target?.matches("button[data-tag]");
    const flights = () => document.getAnimations().filter(isFlight);
    const look = (now) => {
      if (flights().length > 0) times.push(now);
      else if (times.length > 0)
        return resolve(times.slice(1).map((at, index) => at - times[index]));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}"""


def first_picture_ms(browser: Browser, address: str) -> float:
    """Return the median time to the first picture of the page."""
    taken = []
    for _ in range(TIMES):
        page = browser.new_context(viewport=WIDE).new_page()
        page.goto(address)
        taken.append(float(page.evaluate(FIRST_PICTURE)))
        page.context.close()
    return statistics.median(taken)


def drag_ms(browser: Browser, address: str) -> float:
    """Drag a card onto the mat in Lab again and again; return the median time to the lamp."""
    table = TablePage(browser.new_page(viewport=WIDE)).open(address)
    table.deal(2)
    mouse = Mouse(table)
    tag = max(table.faces(), key=lambda face: face.number or 0).tag
    taken = []
    for count in range(1, TIMES + 1):
        table.page.wait_for_timeout(SETTLES_MS)
        table.page.evaluate(NEXT_LAMP)
        mouse.play(tag)
        taken.append(float(table.page.evaluate("window.untilLamp")))
        mouse.clear()
        table.page.keyboard.press("b")
        expect(table.journal("undo")).to_have_count(count)
        expect(table.card(tag)).to_be_visible()
    table.page.context.close()
    return statistics.median(taken)


@contextmanager
def throttled(page: Page) -> Iterator[None]:
    """Make the processor of *page* slower for a while."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
    try:
        yield
    finally:
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})


def share_shown(trace: bytes) -> float:
    """Return the share of the pictures that were shown of those due while something moved.

    Args:
        trace: what Chromium recorded, as JSON. Its frame reporter says for each picture whether it
            was shown (by the compositor alone, too) or dropped.
    """
    reports = [
        event["args"]["frame_reporter"]
        for event in json.loads(trace)["traceEvents"]
        if event["name"] == "PipelineReporter" and "frame_reporter" in event.get("args", {})
    ]
    states = [report["state"] for report in reports if report["has_compositor_animation"]]
    shown = sum(state.startswith("STATE_PRESENTED") for state in states)
    dropped = states.count("STATE_DROPPED")
    return shown / (shown + dropped)


def flights(browser: Browser, address: str) -> tuple[list[float], list[float]]:
    """Play cards in Play; return for each flight the rates of pictures and of scripts, in 1/s."""
    page = browser.new_page(viewport=WIDE)
    page.goto(f"{address}?view=play")
    pictures, scripts = [], []
    expect(page.locator("[data-turn] button.card").first).to_be_visible()
    for _ in range(TIMES):
        page.wait_for_timeout(SETTLES_MS)
        card = page.locator('[data-hand^="hand-"][data-turn] button.card:not([data-idle])').first
        with throttled(page):
            page.evaluate(NEXT_FLIGHT)
            browser.start_tracing(page=page, categories=["benchmark"])
            card.click()
            gaps = page.evaluate("window.flight")
            pictures.append(PICTURES_PER_S * share_shown(browser.stop_tracing()))
        scripts.append(1000 * len(gaps) / sum(gaps))
        page.click("#banner-acts [data-key=back]")
    page.context.close()
    return pictures, scripts


async def turn_ms(page: Connection, number: int) -> float:
    """Lay a card through the connection *page*, take it back, and return the time to the lamp."""
    await page.until(lambda: any(page.state["deal"]["hands"][0]))  # it is face up again
    tag = next(card for card in page.state["deal"]["hands"][0] if card and "weight" in card)
    started_s = time.perf_counter()
    await page.ask(number, type="lay", tags=[tag], spot="play")
    await page.until(lambda: page.state["lamps"]["seat-2"]["level"] == 1)
    taken_ms = 1000 * (time.perf_counter() - started_s)
    await page.ask(number + 1, type="lift", tags=[tag], spot="play")
    await page.ask(number + 2, type="down", button="back")
    await page.ask(number + 3, type="up", button="back")
    await page.until(lambda: page.state["lamps"]["seat-1"]["level"] == 1)
    await asyncio.sleep(SETTLES_MS / 1000)
    return taken_ms


def crowd(address: str, count: int, is_there: EventType) -> None:
    """Open *count* connections, set *is_there*, and read all that comes. It runs in a process."""

    async def read() -> None:
        async with ClientSession() as session:
            sockets = [
                await session.ws_connect(f"{address}/ws", origin=address) for _ in range(count)
            ]
            is_there.set()
            await asyncio.gather(*(take(socket) for socket in sockets))

    async def take(socket: ClientWebSocketResponse) -> None:
        async for _ in socket:
            pass

    asyncio.run(read())


async def turns_ms(folder: Path) -> tuple[float, float]:
    """Return the median time of a turn at the server, with one page and with many."""
    async with running(folder) as here, here.page() as page:
        await page.ask(1, type="deal", game="straw", players=2, hotSeat=True)
        await page.until(lambda: page.state.get("deal") is not None)
        alone = [await turn_ms(page, 10 * (count + 1)) for count in range(TIMES)]
        processes = get_context("spawn")
        is_there = processes.Event()
        others = processes.Process(target=crowd, args=(here.origin, PAGES - 1, is_there))
        others.start()
        try:
            await asyncio.to_thread(is_there.wait)
            crowded = [await turn_ms(page, 10 * (count + TIMES + 1)) for count in range(TIMES)]
        finally:
            others.kill()
            others.join()
    return statistics.median(alone), statistics.median(crowded)


def measure() -> dict[str, float]:
    """Return all figures by name."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder)) as site, browsing() as browser:
        found["first picture, ms"] = first_picture_ms(browser, site.address)
        found["drag to lamp, ms"] = drag_ms(browser, site.address)
        pictures, scripts = flights(browser, site.address)
        found["pictures per second in flight"] = statistics.median(pictures)
        found["the same, at worst"] = min(pictures)
        found["turns of scripts per second"] = statistics.median(scripts)
        found["the same of scripts, at worst"] = min(scripts)
    with tempfile.TemporaryDirectory() as folder:
        alone, crowded = asyncio.run(turns_ms(Path(folder)))
        found["turn with 1 page, ms"], found[f"turn with {PAGES} pages, ms"] = alone, crowded
    return {name: round(figure, 1) for name, figure in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how quick the page is.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args(arguments).json
    found = measure()
    if as_json:
        print(json.dumps(found))
        return
    for name, figure in found.items():
        print(f"{name:32} {figure:8,.1f}")


if __name__ == "__main__":
    main()
