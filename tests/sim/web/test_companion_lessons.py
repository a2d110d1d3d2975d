"""Learn by playing, on a phone and a television: a lesson has a picture of its piece."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.sim.test_private_ear import config
from tests.sim.web.browser import TablePage, findings
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PICTURES, PLACES, TELEVISION, is_whole
from tests.sim.web.test_companion import opened as page_at
from tests.sim.web.test_companion_ear import hold, listen, phone_of, told
from tests.sim.web.test_companion_phones import stepping

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

TOTAL = "The table adds up the load. Above 50, the camel's back breaks."
HEAVY = "At exactly 50 the camel still stands. Only a heavier load breaks its back."
HAND = "Now each hand is counted. Lay its cards one by one."
COPY = "Copy: Repeats the card before it."
COPY_MAY = f"{COPY} You can play it."


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state", config=config("hand")) as made:
        until(lambda: made.state)
        made.people.start("straw", ("Ann", "Ben"), None, {}, is_lesson=True)
        yield made


def lay(table: Evening, kind: str) -> None:
    table.people.move("tap", [kind], "play", "straw")


def shows(table: Evening, page: Page, text: str) -> None:
    """Wait until *page* shows the lesson *text* in its notice."""
    notice = page.locator("#notice-text")
    stepping(table, lambda: (notice.text_content() or "").strip() == text, page)
    expect(page.locator("#notice")).to_be_visible()
    expect(page.locator("#notice")).to_be_in_viewport(ratio=1)


def test_a_phone_and_the_television_show_a_lesson_with_its_piece(
    browser: Browser, table: Evening
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    board = page_at(browser, table, TELEVISION)
    ann = phone_of(browser, table, "Ann", [])
    stepping(table, board.locator("#notice").is_hidden, board)
    before = board.evaluate(PLACES)
    lay(table, "weight-3")
    for name, page in (("board", board), ("phone", ann)):
        shows(table, page, TOTAL)
        expect(page.locator("#notice .look-weight")).to_be_visible()
        expect(page.locator("#notice-piece")).to_have_attribute("aria-hidden", "true")
        page.screenshot(path=PICTURES / f"{name}-lesson.png")
        assert is_whole(page)
        assert findings(TablePage(page)) == []
    assert board.evaluate(PLACES) == before, "nothing moves on the television"
    lay(table, "weight-2")
    for page in (board, ann):
        stepping(table, page.locator("#notice").is_hidden, page)
        expect(page.locator("#notice .face")).to_have_count(0)
        page.context.close()


def test_a_lesson_about_no_piece_has_no_picture(browser: Browser, table: Evening) -> None:
    board = page_at(browser, table, TELEVISION)
    for kind in ["weight-10"] * 4:
        lay(table, kind)
    lay(table, "weight-9")
    shows(table, board, HEAVY)
    expect(board.locator("#notice .face")).to_have_count(1)
    lay(table, "weight-2")
    shows(table, board, HAND)
    expect(board.locator("#notice .face")).to_have_count(0)
    board.context.close()


def test_a_lesson_about_a_held_card_is_on_that_phone_alone(
    browser: Browser, table: Evening
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    ann, ben = (phone_of(browser, table, name, []) for name in ("Ann", "Ben"))
    board = page_at(browser, table, TELEVISION)
    lay(table, "weight-3")
    lay(table, "weight-2")
    listen(table, ann)
    hold(table, "copy")
    stepping(table, lambda: ann.locator("#told-text").text_content() == COPY_MAY, ann)
    expect(ann.locator("#told .look-copy")).to_be_visible()
    ann.screenshot(path=PICTURES / "phone-held-lesson.png", full_page=True)
    assert findings(TablePage(ann)) == []
    for page in (ben, board):
        expect(page.locator("body")).not_to_contain_text(COPY)
        expect(page.locator(":is(#told, #notice) .face")).to_have_count(0)
    hold(table, "weight-7")
    told(table, ann, "The 7. You can play it.")
    expect(ann.locator("#told .face")).to_have_count(0)
    for page in (ann, ben, board):
        page.context.close()
