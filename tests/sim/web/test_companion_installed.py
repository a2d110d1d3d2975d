"""The companion's pages on a home screen, and on a television that is on for days."""

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, Route, expect

from firmware.companion.page import STATIC
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PHONE, PICTURES, TELEVISION
from tests.sim.web.test_companion import opened as page_at
from tests.sim.web.test_companion_phones import sit, stepping, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

MOST_BYTES = 150_000
HOURS = 72
DRIFT_PX = 12
WAKE_LOCKS = """
  window.locks = [];
  WakeLock.prototype.request = async function () {
    if (window.refuses) throw new DOMException("The battery is low.", "NotAllowedError");
    const lock = { released: false, async release() { this.released = true; } };
    window.locks.push(lock);
    return lock;
  };
"""
HELD = "locks.filter((lock) => !lock.released).length"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


# --- on a home screen -----------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "start"), [("", "/"), ("phone", "/phone")])
def test_the_browser_finds_nothing_that_hinders_installing(
    browser: Browser, table: Evening, path: str, start: str
) -> None:
    page = page_at(browser, table, PHONE, path)
    browsing = page.context.new_cdp_session(page)
    found = browsing.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = json.loads(found["data"])
    assert (manifest["start_url"], manifest["id"], manifest["name"]) == (start, start, "tapmat")
    for icon in manifest["icons"]:
        answer = page.request.get(f"{table.address.rstrip('/')}{icon['src']}")
        assert answer.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            width, height = Image.open(io.BytesIO(answer.body())).size
            assert icon["sizes"] == f"{width}x{height}"
    hindering = browsing.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # A context of a test is as a private window, in which nothing can be installed.
    assert [each["errorId"] for each in hindering if each["errorId"] != "in-incognito"] == []
    page.context.close()


def test_there_is_no_manifest_of_other_pages(browser: Browser, table: Evening) -> None:
    page = page_at(browser, table, PHONE)
    assert page.request.get(f"{table.address}join.webmanifest").status == 404
    page.context.close()


@pytest.mark.parametrize("size", [192, 512])
def test_the_icons_are_the_drawing_without_round_corners(browser: Browser, size: int) -> None:
    drawing = (STATIC / "icon.svg").read_text("utf-8").replace('rx="3" ', "")
    page = browser.new_page(viewport={"width": size, "height": size})
    style = f"body {{ margin: 0 }} svg {{ display: block; width: {size}px }}"
    page.set_content(f"<style>{style}</style>{drawing}")
    drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    kept = Image.open(STATIC / f"icon-{size}.png").convert("RGB")
    assert kept.size == (size, size)
    differences = ImageChops.difference(drawn, kept).convert("L").histogram()
    assert sum(differences[40:]) < size, "the drawing has changed"


def test_the_start_page_of_an_installed_phone_is_the_same_seat(
    browser: Browser, table: Evening
) -> None:
    first = page_at(browser, table, PHONE, "phone")
    table.people.begin("straw", 2)
    wait_for(table, first, first.locator("#seats"), "Ann")
    sit(table, first, "Ann")
    href = first.locator("link[rel=manifest]").get_attribute("href")
    start = first.request.get(f"{table.address.rstrip('/')}{href}").json()["start_url"]
    first.close()
    again = first.context.new_page()
    again.goto(f"{table.address.rstrip('/')}{start}")
    wait_for(table, again, again.locator("#you"), "This phone: Ann")
    again.context.close()


def test_a_phone_of_player_and_host_is_light(browser: Browser, table: Evening) -> None:
    page = page_at(browser, table, PHONE, "phone")
    sizes: dict[str, int] = {}

    def weigh(request: Any) -> None:
        with suppress(Exception):  # the stream has no end
            got = request.sizes()
            sizes[request.url] = got["responseBodySize"] + got["responseHeadersSize"]

    page.on("requestfinished", weigh)
    table.people.begin("straw", 2)
    wait_for(table, page, page.locator("#seats"), "Ann")
    sit(table, page, "Ann")
    sit(table, page, "Host")
    page.reload()
    wait_for(table, page, page.locator("#you"), "Ann, Host")
    asked = {re.sub(r".*/", "", url) for url in sizes}
    assert {"phone", "phone.js", "host.js", "results.js", "nacl-fast.min.js"} <= asked
    assert sum(sizes.values()) < MOST_BYTES
    page.context.close()


# --- the screen -----------------------------------------------------------------------------------


def test_the_screen_stays_on_during_a_game_where_browsers_allow_it(
    browser: Browser, table: Evening
) -> None:
    board = browser.new_context(viewport=TELEVISION).new_page()
    board.add_init_script(WAKE_LOCKS)
    board.goto(table.address)
    expect(board.locator("#turn")).to_be_visible()
    assert board.evaluate("locks.length") == 0, "no game is on"
    table.people.begin("straw", 2)
    stepping(table, lambda: board.evaluate(HELD) == 1, board)
    board.evaluate("locks[0].released = true")  # as when the page was hidden
    board.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    stepping(table, lambda: board.evaluate(HELD) == 1, board)
    table.people.move("tap", ["weight-7"], "play", "straw")
    expect(board.locator("#headline")).to_have_text("7")
    assert board.evaluate("locks.length") == 2, "it was asked for without need"
    table.people.end_game()
    stepping(table, lambda: board.evaluate(HELD) == 0, board)
    board.evaluate("window.refuses = true")
    table.people.begin("straw", 2)
    stepping(table, lambda: board.locator("#scores .active").count(), board)
    assert board.evaluate(HELD) == 0
    board.context.close()


def test_over_plain_http_there_is_nothing_to_ask_for(browser: Browser, table: Evening) -> None:
    board = browser.new_context(viewport=TELEVISION).new_page()
    wrong: list[str] = []
    board.on("pageerror", lambda error: wrong.append(str(error)))
    board.add_init_script("delete Navigator.prototype.wakeLock")
    table.people.begin("straw", 2)
    board.goto(table.address)
    stepping(table, lambda: board.locator("#scores .active").count(), board)
    assert board.evaluate("navigator.wakeLock") is None
    assert wrong == []
    board.context.close()


# --- on a television for days ---------------------------------------------------------------------


def counts(page: Page) -> dict[str, float]:
    """Return the numbers of nodes, listeners and timers' objects that are alive in *page*."""
    browsing = page.context.new_cdp_session(page)
    browsing.send("HeapProfiler.collectGarbage")
    browsing.send("Performance.enable")
    metrics = browsing.send("Performance.getMetrics")["metrics"]
    browsing.detach()
    found = {each["name"]: each["value"] for each in metrics}
    return {name: found[name] for name in ("Nodes", "JSEventListeners", "Documents")}


def test_a_board_is_as_small_after_three_days_as_before(browser: Browser, table: Evening) -> None:
    board = browser.new_context(viewport=TELEVISION).new_page()
    wrong: list[str] = []
    board.on("pageerror", lambda error: wrong.append(str(error)))
    board.clock.install()
    table.people.begin("straw", 3)
    board.goto(table.address)
    expect(board.locator("#headline")).to_have_text("0")
    places: set[str] = set()

    def hours(count: int) -> None:
        for _ in range(count):
            for card in ("weight-1", "weight-2"):
                table.people.move("tap", [card], "play", "straw")
                board.clock.fast_forward("30:00")
            places.add(board.evaluate("document.getElementById('table').style.transform"))
            for _ in "ab":
                table.mat.press("back")
            table.mat.wait(0.05)

    hours(3)
    table.people.move("tap", ["weight-7"], "play", "straw")
    expect(board.locator("#headline")).to_have_text("7")
    elements, before = board.locator("*").count(), counts(board)
    hours(HOURS)
    table.mat.press("back")
    table.people.move("tap", ["weight-8"], "play", "straw")  # one card is drawn, as before
    expect(board.locator("#headline")).to_have_text("8")
    after = counts(board)
    assert board.locator("*").count() == elements
    assert {name: after[name] <= before[name] + 60 for name in after} == dict.fromkeys(
        after, True
    ), (
        before,
        after,
    )
    assert len(places) > HOURS / 2, "the picture stays where it is"
    moved = [[abs(int(n)) for n in re.findall(r"-?\d+(?=px)", place)] for place in places if place]
    assert max(map(max, moved)) <= DRIFT_PX
    assert wrong == []
    board.screenshot(path=PICTURES / "board-after-days.png")
    board.context.close()


def test_answers_that_come_late_open_one_stream_only(browser: Browser, table: Evening) -> None:
    board = browser.new_context(viewport=TELEVISION).new_page()
    board.clock.install()
    board.goto(table.address)
    expect(board.locator("#turn")).to_be_visible()
    waiting: list[Route] = []
    board.route("**/events*", lambda route: route.fulfill(status=503))
    board.route("**/state", lambda route: waiting.append(route))  # noqa: PLW0108
    for number in range(12):
        board.clock.fast_forward(30_000)
        until_asked(board, lambda number=number: len(waiting) > number)
    asked: list[str] = []
    board.unroute("**/events*")
    board.on("request", lambda request: asked.append(request.url))
    for route in waiting:
        route.fulfill(json=None)
    board.wait_for_timeout(300)
    board.clock.fast_forward(3000)
    expect(board.locator("#trouble")).to_be_hidden()
    board.wait_for_timeout(300)
    assert len([url for url in asked if "/events?" in url]) == 1
    board.context.close()


def until_asked(page: Page, happened: Any) -> None:
    for _ in range(200):
        if happened():
            return
        page.wait_for_timeout(20)
    pytest.fail("it never happens")
