"""The companion as a real process: killed while people play, and on a television and a phone."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.docs.pages import page as document
from tests.ports import free_port
from tests.sim.photo import codes_in, photo
from tests.sim.web.companion import (
    FAR,
    SCANNED,
    Evening,
    evening,
    is_served_at,
    megabytes,
    modules_of_companion,
    state_at,
    until,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

KILLS = 10
MOST_MEGABYTES = 60.0
TELEVISION = ViewportSize(width=1920, height=1080)
PHONE = ViewportSize(width=390, height=844)
PICTURES = Path(__file__).parents[3] / "build" / "companion"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        yield made


def journal(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as read:
        rows = read.execute("SELECT kind, body FROM entry WHERE game != 0 ORDER BY seq")
        return list(rows)


def play(table: Evening, kills: int) -> list[tuple[str, str]]:
    """Play twelve cards with *kills* deaths of the companion; return the journal."""
    table.people.begin("straw", 3)
    for number in range(12):
        if number < kills:
            table.kill()
        table.people.move("tap", [f"weight-{number % 3 + 1}"], "play", "straw")
    assert table.mat.view.headline == "24"
    return journal(table.folder)


@pytest.mark.long
def test_a_companion_that_is_killed_touches_nothing_and_is_back(
    table: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.commands.beside.LONGEST_AGAIN_S", 0.1)
    until(lambda: table.state)
    with_deaths = play(table, KILLS)
    table.until_shown("24")
    assert not list(table.mat.refused)
    with evening(tmp_path / "other") as alone:
        alone.child.close()
        assert play(alone, 0) == with_deaths


@pytest.mark.long
def test_it_is_small_and_knows_no_journal_no_table_and_no_driver(table: Evening) -> None:
    until(lambda: table.state)
    assert table.child.pid is not None
    if sys.platform == "linux":
        assert megabytes(table.child.pid) < MOST_MEGABYTES
    found = modules_of_companion()
    refused = re.compile(
        r"firmware\.(journal\.journal|table\.|outlet\.|runtime\.|boxes\.)|hardware\.(?!errors)|PIL|sqlite3"
        r"|nacl|gpiozero|sim\.(?!commands)"
    )
    assert "firmware.companion.server" in found
    assert [name for name in found if refused.match(name)] == []


def test_it_ends_with_the_table(table: Evening) -> None:
    until(lambda: table.state)
    assert table.child._child is not None
    assert table.child._child.stdin is not None
    table.child._stopped.set()
    table.child._child.stdin.close()  # as the end of the table's process does
    until(lambda: table.child.pid is None)


@pytest.mark.long
def test_the_program_in_the_document_shows_a_score(table: Evening) -> None:
    (program,) = [fence for fence in document("docs/companion.md").fences if "urllib" in fence.text]
    assert len(program.text.splitlines()) <= 20
    text = program.text.replace("http://127.0.0.1:8738/", table.address)
    until(lambda: table.state)
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", text], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        table.people.begin("straw", 2)
        table.people.move("tap", ["weight-7"], "play", "straw")
        for line in process.stdout:
            if line == "Straw 7: Ann 0, Ben 0. Ben to play\n":
                break
        else:
            pytest.fail("the program ended")
        process.kill()


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def pictures() -> None:
    """Make the folder for pictures, to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)


def opened(browser: Browser, table: Evening, size: ViewportSize, path: str = "") -> Page:
    page = browser.new_context(viewport=size).new_page()
    page.goto(f"{table.address}{path}")
    return page


def is_whole(page: Page) -> bool:
    """Return True if nothing is cut off at the right, and every text is inside the window."""
    return bool(
        page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )


def test_the_board_and_the_overlay_follow_a_game(browser: Browser, table: Evening) -> None:
    until(lambda: table.state)
    wrong: list[str] = []
    pages = {
        "television": opened(browser, table, TELEVISION),
        "phone": opened(browser, table, PHONE),
        "overlay": opened(browser, table, ViewportSize(width=960, height=300), "overlay?size=150"),
    }
    for page in pages.values():
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        expect(page.locator("#turn")).to_have_text(
            "Start a game at the table or on the host's phone."
        )
    table.people.begin("straw", 3)
    for kind in ("weight-10", "weight-7", "reverse"):
        table.people.move("tap", [kind], "play", "straw")
    for name, page in pages.items():
        expect(page.locator("#headline")).to_have_text("17")
        expect(page.locator("#turn")).to_have_text("To play: Ben")
        expect(page.locator("#scores .active")).to_have_text("Ben0")
        expect(page.locator("#last p").first).to_contain_text("Cem plays the Reverse.")
        assert is_whole(page)
        page.screenshot(path=PICTURES / f"{name}.png", omit_background=True)
    expect(pages["television"].locator("#direction")).to_have_text("↺ counter-clockwise")
    background = "getComputedStyle(document.body).backgroundColor"
    assert pages["overlay"].evaluate(background) == "rgba(0, 0, 0, 0)"
    assert pages["overlay"].evaluate("getComputedStyle(document.body).fontSize") == "36px"
    table.kill()  # without a word to its pages, which wait for it
    table.mat.power_cut()
    for page in pages.values():
        expect(page.locator("#trouble")).to_have_text("The table is off.")
        expect(page.locator("#table")).to_be_hidden()
    table.mat.power_on()
    for page in pages.values():
        expect(page.locator("#headline")).to_have_text("17")
        expect(page.locator("#last p")).to_have_count(0)  # it is old by now
        page.context.close()
    refused = [text for text in wrong if "ERR_" not in text]  # the browser reports lost connections
    assert refused == []


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (844, 390)], ids=str)
def test_on_every_phone_the_board_is_whole_and_has_the_link_to_join(
    browser: Browser, table: Evening, size: tuple[int, int]
) -> None:
    until(lambda: table.state)
    table.people.choose_language("de")
    table.people.begin("ciao", 3)
    table.people.move("tap", ["rock-green"], "play", "ciao")
    width, height = size
    viewport = ViewportSize(width=width, height=height)
    context = browser.new_context(viewport=viewport, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(table.address)
    expect(page.locator("#headline")).to_have_text("STEIN")
    page.screenshot(path=PICTURES / f"board-{width}.png")
    assert is_whole(page)
    right = "each => each.getBoundingClientRect().right"
    for text in ("#headline", "#direction", "#turn", "#scores li:last-child span:last-child"):
        assert page.locator(text).evaluate(right) <= width, text
    assert page.locator("#headline").evaluate("each => each.scrollWidth <= each.clientWidth")
    expect(page.get_by_role("link", name="Mit diesem Handy mitspielen")).to_be_in_viewport(ratio=1)
    context.close()


def test_a_page_changes_its_language_with_the_table(browser: Browser, table: Evening) -> None:
    until(lambda: table.state)
    page = opened(browser, table, PHONE)
    expect(page.locator("#table")).to_be_visible()
    table.people.choose_language("de")
    table.people.begin("straw", 2)
    expect(page.locator("#turn")).to_have_text("Am Zug: Ann")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.context.close()


def test_a_phone_on_another_computer_sends_the_code_once(browser: Browser, tmp_path: Path) -> None:
    with evening(tmp_path / "state", FAR) as table:
        until(table.is_served)
        page = opened(browser, table, PHONE, "phone")
        expect(page.locator("#send")).to_have_text("Join")
        expect(page.locator("#join label")).to_have_text(
            "Enter the six digits on the table's display."
        )
        code = ""
        while not code:
            page.locator("#show").click()  # the first request may have come before the table was on
            page.wait_for_timeout(20)
            table.mat.wait(0.1)
            notice = table.mat.view.notice
            code = "" if notice is None else notice.do.replace(" ", "")
        page.screenshot(path=PICTURES / "code.png")
        page.locator("#code").fill("000000" if code != "000000" else "000001")
        page.locator("#send").click()
        expect(page.locator("#answer")).to_have_text(re.compile("Those are not the digits"))
        page.locator("#code").fill(code)
        while page.locator("#table").is_hidden():  # it is too soon at first
            page.locator("#send").click()
            page.wait_for_timeout(200)
        assert [cookie["name"] for cookie in page.context.cookies()] == ["tapmat-viewer"]
        table.kill()
        until(table.is_served)
        page.reload()
        expect(page.locator("#table")).to_be_visible()
        expect(page.locator("#join")).to_be_hidden()
        page.context.close()


def test_a_phone_that_scans_the_display_is_in_without_typing(
    browser: Browser, tmp_path: Path
) -> None:
    with evening(tmp_path / "state", SCANNED) as table:
        until(table.is_served)
        until(lambda: table.mat.inbox.address)
        table.mat.wait(0.1)
        table.mat.press("ok")
        choices = table.mat.view.choices
        assert choices is not None
        table.mat.turn(choices.values.index("join"))
        table.mat.press("ok")
        table.mat.wait(0.5)
        (url,) = codes_in(photo(table.mat.pixels, 4, degrees=5, blur=0.3, noise=20))
        page = browser.new_context(viewport=PHONE).new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url)
        expect(page.locator("#table")).to_be_visible()
        assert page.url == f"{table.address}phone", "the secret is gone from the address"
        assert not [address for address in asked if url.rpartition("#")[2] in address]
        assert [cookie["name"] for cookie in page.context.cookies()] == ["tapmat-viewer"]
        page.reload()
        expect(page.locator("#table")).to_be_visible()
        late = browser.new_context(viewport=PHONE).new_page()
        late.goto(f"{url[:-1]}{'A' if url[-1] != 'A' else 'B'}")  # as one that has expired
        expect(late.locator("#join label")).to_have_text(
            "Enter the six digits on the table's display."
        )
        page.context.close()
        late.context.close()


# --- beside the virtual table ---------------------------------------------------------------------


@pytest.mark.long
def test_the_virtual_table_starts_it_and_even_a_killed_one_leaves_none_behind(
    tmp_path: Path,
) -> None:
    pages, port = free_port(), free_port()
    file = tmp_path / "table.toml"
    file.write_text(f'[readers.play]\nspi = "0.0"\n[companion]\non = true\nport = {port}\n')
    command = [sys.executable, "-m", "firmware.commands.cli", "sim", "--no-open"]
    options = ["--table", str(file), "--state", str(tmp_path / "state"), "--port", str(pages)]
    with subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL) as process:
        until(lambda: state_at(f"http://127.0.0.1:{port}/"))
        process.kill()
    until(lambda: not is_served_at(f"http://127.0.0.1:{port}/"))


# The places on the television, which stay where they are. What is drawn in them may change.
PLACES = """
  () => "title total caption load scores now ask plays last".split(" ").map((id) => {
    const { top, height } = document.getElementById(id).getBoundingClientRect();
    return `${id} ${top} ${height}`;
  })
"""


def test_the_television_tells_the_whole_game_and_nothing_on_it_moves(
    browser: Browser, table: Evening
) -> None:
    until(lambda: table.state)
    page = opened(browser, table, TELEVISION)
    table.people.begin("straw", 2)
    expect(page.locator("#ask")).to_contain_text("Lay a card, then draw one. Do not be the one")
    expect(page.locator("#round")).to_have_text("Round 1")
    expect(page.locator("#figure")).to_have_text("0")
    expect(page.locator("#caption")).to_have_text("of 50 on the camel")
    expect(page.locator("#scores")).to_have_attribute("data-unit", "points")
    places = page.evaluate(PLACES)
    for number in range(3):
        table.people.move("tap", ["weight-10"], "play", "straw")
        expect(page.locator("#plays li")).to_have_count(number + 1)
        assert page.evaluate(PLACES) == places
    expect(page.locator("#ask")).to_have_text("Lay a card, then draw one.")
    expect(page.locator("#plays li").first).to_contain_text("Ann")
    assert page.locator("#plays .look-weight").count() == 3, "they are pictures of the cards"
    table.mat.press("back")
    expect(page.locator("#notice")).to_contain_text("Taken back.")
    expect(page.locator("#plays li")).to_have_count(2)
    assert page.evaluate(PLACES) == places
    for kind in ("weight-10", "weight-9"):
        table.people.move("tap", [kind], "play", "straw")
    expect(page.locator("#load")).not_to_have_class("near")
    table.people.move("tap", ["weight-9"], "play", "straw")
    expect(page.locator("#load")).to_have_class("near")
    table.people.move("tap", ["weight-8"], "play", "straw")
    expect(page.locator("#turn")).to_have_text("Ben breaks the camel's back.")
    page.screenshot(path=PICTURES / "television-scoring.png")
    for kind in ("weight-1", "weight-2", "weight-3", "weight-4"):
        table.people.move("tap", [kind], "play", "straw")
        if kind == "weight-3":
            expect(page.locator("#turn")).to_have_text("Ann counts: 6")
            expect(page.locator("#last p").first).to_have_text("Ann counts: the 3")
    expect(page.locator("#turn")).to_have_text("Round 1 is over.")
    page.screenshot(path=PICTURES / "television-round.png")
    expect(page.locator("#scores li").first).to_have_text("Ann+1010")
    expect(page.locator("#ask")).to_contain_text("Ben")
    assert page.evaluate(PLACES) == places
    table.mat.press("ok")
    expect(page.locator("#turn")).to_have_text(re.compile("To play"))
    expect(page.locator("#plays li")).to_have_count(0)
    table.people.move("tap", ["lamp"], "play", "straw")
    table.people.choose("7")
    expect(page.locator("#plays li")).to_contain_text(["= 7"])
    table.people.end_game()
    expect(page.locator("#ask")).to_contain_text("choose Join by phone")
    expect(page.locator("#scores li").first).to_have_text("Ann10")
    page.context.close()
