"""Guests at the companion: how they join, how they get a seat, and how they keep it."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, expect

from engines.common.contract import Seat
from tests.sim.web.companion import FAR, Evening, evening, until
from tests.sim.web.test_companion import TELEVISION, opened
from tests.sim.web.test_companion_phones import SMALL, advice, shown, sit, stepping, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

PHONES = [(390, 844), (844, 390)]
LEAST_VMIN = 3.0  # the height of the smallest letters on a television, in percent of the screen
BOX = "each => each.getBoundingClientRect().toJSON()"
FONT = "each => parseFloat(getComputedStyle(each, {part}).fontSize)"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


def phone_at(browser: Browser, table: Evening, size: tuple[int, int] = PHONES[0]) -> Page:
    """Return the plain address on a phone with a touchscreen."""
    viewport = ViewportSize(width=size[0], height=size[1])
    context = browser.new_context(viewport=viewport, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(table.address)
    return page


def box_of(page: Page, selector: str) -> dict[str, float]:
    box: dict[str, float] = page.locator(selector).first.evaluate(BOX)
    return box


def test_a_guest_with_the_digits_chooses_to_watch_or_to_play(
    browser: Browser, tmp_path: Path
) -> None:
    with evening(tmp_path / "state", FAR) as table:
        until(table.is_served)
        page = phone_at(browser, table)
        watch, play = page.locator("#send"), page.locator("#send-player")
        expect(watch).to_have_text("Watch")
        expect(play).to_have_text("Use this phone to play")
        look = "each => [each.offsetWidth, getComputedStyle(each).backgroundColor]"
        assert watch.evaluate(look) == play.evaluate(look), "they are equal choices"
        expect(page.locator("#here")).to_be_hidden()

        def is_shown() -> bool:
            page.locator("#show").click()
            return advice(table).isdigit()

        stepping(table, is_shown, page)
        expect(page.locator("#answer")).to_have_text("Look at the table's display.")
        page.locator("#code").fill(advice(table))
        play.click()
        expect(page.locator("#wait")).to_have_text("Your seat appears here when a game starts.")
        assert page.url == f"{table.address}phone"
        page.context.close()


def test_what_is_asked_at_the_mat_is_on_no_other_screen(browser: Browser, table: Evening) -> None:
    board = opened(browser, table, TELEVISION)
    table.people.begin("straw", 2)
    guest = phone_at(browser, table)
    guest.locator("#here").click()
    wait_for(table, guest, guest.locator("#seats"), "Ann")
    guest.locator("#seats").get_by_role("button", name="Ann", exact=True).click()
    stepping(table, lambda: "for Ann?" in shown(table), guest)
    wait_for(table, guest, guest.locator("#said"), "Ask someone at the table to let phone")
    for page in (board, guest):
        expect(page.locator("#title")).to_have_text("Straw")
        expect(page.locator("#notice")).to_have_text("")
        page.context.close()


def test_the_plain_address_opens_the_seat_until_it_is_given_up(
    browser: Browser, table: Evening
) -> None:
    table.people.begin("straw", 2)
    page = phone_at(browser, table)
    page.locator("#here").click()
    wait_for(table, page, page.locator("#seats"), "Ann")
    sit(table, page, "Ann")
    again = page.context.new_page()
    again.goto(table.address)
    wait_for(table, again, again.locator("#you"), "This phone: Ann")
    assert again.url == f"{table.address}phone"
    assert box_of(again, "#rules-open")["bottom"] < box_of(again, "#ear")["top"]
    again.on("dialog", lambda dialog: dialog.accept())
    again.get_by_role("button", name="Not my phone any more").click()
    wait_for(table, again, again.locator("#seats-title"), "Whose phone is this?")
    again.goto(table.address)
    expect(again.locator("#here")).to_be_visible()
    assert again.url == table.address
    sit_again(table, again)
    page.context.close()


def sit_again(table: Evening, page: Page) -> None:
    """Sit down once more at a phone that has given up its seat; the seat outlasts a reload."""
    page.locator("#here").click()
    wait_for(table, page, page.locator("#seats"), "Ben")
    sit(table, page, "Ben")
    page.reload()
    wait_for(table, page, page.locator("#you"), "This phone: Ben")


def test_a_seat_is_taken_over_only_after_a_question_and_its_phone_says_so(
    browser: Browser, table: Evening
) -> None:
    table.people.begin("straw", 2)
    old, new = (phone_at(browser, table) for _ in "ab")
    for page in (old, new):
        page.locator("#here").click()
        wait_for(table, page, page.locator("#seats"), "Ann")
    sit(table, old, "Ann")
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept()

    new.on("dialog", agree)
    sit(table, new, "Ann")
    assert asked == ["Ann has a phone already. Use this one instead?"]
    wait_for(table, old, old.locator("#said"), r"^Another phone is Ann now\.$")
    for page in (old, new):
        assert page.evaluate(SMALL) == []
        page.context.close()


# --- the board ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", PHONES, ids=str)
def test_on_a_phone_the_board_is_neither_cut_nor_covered(
    browser: Browser, table: Evening, size: tuple[int, int]
) -> None:
    table.people.begin("straw", 3)
    for kind in ("weight-1", "weight-2", "weight-3", "copy", "weight-4", "weight-5", "copy"):
        table.people.move("tap", [kind], "play", "straw")
    page = phone_at(browser, table, size)
    expect(page.locator("#plays li")).to_have_count(6)
    for card in page.locator("#plays li").all():
        box = card.evaluate(BOX)
        assert box["left"] >= 0
        assert box["right"] <= size[0]
    assert box_of(page, "#here")["bottom"] <= box_of(page, "#table")["top"]
    assert page.locator("#here").evaluate("each => getComputedStyle(each).position") == "static"
    page.context.close()


def test_a_television_is_read_from_afar_also_with_many_players(
    browser: Browser, table: Evening
) -> None:
    page = opened(browser, table, TELEVISION)
    expect(page.locator("#turn")).to_have_text("Start a game at the table or on the host's phone.")
    table.people.begin("straw", 6)
    for kind in ("weight-1", "copy", "weight-2"):
        table.people.move("tap", [kind], "play", "straw")
    expect(page.locator("#plays li")).to_have_count(3)
    least = LEAST_VMIN * TELEVISION["height"] / 100
    for selector, pseudo in (("#scores", "'::before'"), ("#plays li:last-child span", "null")):
        assert page.locator(selector).evaluate(FONT.format(part=pseudo)) >= least, selector
    assert page.evaluate("document.documentElement.scrollHeight") <= TELEVISION["height"]
    badge, picture = box_of(page, "#plays b"), box_of(page, "#plays li:nth-child(2) svg")
    assert badge["bottom"] - picture["top"] < picture["height"] / 4, "the picture can be seen"
    state: Any = table.mat.outlet.state
    table.mat.outlet.state = replace(state, winners=(Seat(1),), headline="0")
    expect(page.locator("#turn")).to_have_text("Winner: Ben")
    expect(page.locator("#headline")).to_be_hidden()
    page.context.close()


def test_the_rules_use_the_whole_width(browser: Browser, table: Evening) -> None:
    table.people.begin("straw", 2)
    page = phone_at(browser, table)
    page.locator("#here").click()
    wait_for(table, page, page.locator("#seats"), "Ann")
    page.locator("#rules-open").click()
    expect(page.locator("#rules-text h2")).to_have_text("Straw")
    text, rules = box_of(page, "#rules-text section:last-of-type p"), box_of(page, "#rules")
    assert re.match("Straw", page.locator("#rules-text").inner_text())
    assert text["right"] > rules["right"] - 20
    page.context.close()
