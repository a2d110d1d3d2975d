"""Tests of Riff Raff on the page: hands, the ship, and cargo that holds or falls."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, Locator, WebSocket, WebSocketRoute, expect

from firmware.config.table_config import TableConfig, load_config
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.engines.riff_raff_table import DECK
from tests.sim.web.browser import (
    NO_BROWSER,
    PHONE,
    Keyboard,
    Mouse,
    Opener,
    Site,
    TablePage,
    browser_path,
    findings,
    reach,
)

if browser_path() is None:
    pytest.skip(NO_BROWSER, allow_module_level=True)

BACK, OK, FELL = "[data-button=back]", "[data-ship=ok]", "[data-ship=action]"
RAT, BOAT, BARREL = (f"riff-raff/red-{shape}#1" for shape in ("rat", "boat", "barrel"))
PERHAPS = "0\N{EN DASH}1"
PLAYERS = ("Ann", "Ben", "Cem")


@pytest.fixture
def tilting(browser: Browser, tmp_path: Path) -> Iterator[TablePage]:
    """A page of a table with a tilt switch."""
    yield from page_of(browser, tmp_path, replace(load_config(), tilt_pin=15), {})


@pytest.fixture
def tagged(browser: Browser, tmp_path: Path) -> Iterator[TablePage]:
    """A page of a table where Riff Raff with tagged cargo has begun but is not dealt."""
    yield from page_of(browser, tmp_path, load_config(), {"tagged-cargo": "on"})


def page_of(
    browser: Browser, folder: Path, config: TableConfig, options: dict[str, str]
) -> Iterator[TablePage]:
    """Yield a page of a table with *config*; fail at the end if the page reported an error."""

    def begin(mat: Mat) -> None:
        EmulatedPerson(mat, {"riff-raff": DECK}).start("riff-raff", PLAYERS, "Cem", options)

    with Site(folder / "other", config=config) as site:
        site.in_mat(begin)
        opener = Opener(browser, site)
        yield opener()
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[]]


# --- acts, and elements of the page ---------------------------------------------------------------


def row(table: TablePage, seat: int) -> Locator:
    return table.page.locator(f'[data-hand="hand-{seat}"]')


def heading(table: TablePage, seat: int) -> Locator:
    return row(table, seat).locator("h3")


def bay(table: TablePage, area: int) -> Locator:
    return table.page.locator(f'.bay[data-area="{area}"]')


def piece(table: TablePage, tag: str) -> Locator:
    return table.page.locator(f'button[data-piece="{tag}"]')


def answer(table: TablePage, value: str) -> None:
    table.until_accepted(table.page.locator(f'[data-answer="{value}"]').click)


def press(table: TablePage, button: str) -> None:
    table.until_accepted(lambda: table.page.click(button))


def tap(table: TablePage, card: str) -> None:
    """Tap a card of a face-up hand."""
    table.until_accepted(table.card(f"riff-raff/{card}#1").dblclick)
    expect(table.lying).to_have_count(0)


def show_colours(table: TablePage) -> None:
    for card in ("red-1", "blue-1", "green-1"):
        tap(table, card)


def reveal(table: TablePage, *numbers: int) -> None:
    """Show each hand in turn and reveal a card from it."""
    for seat, (colour, number) in enumerate(zip(("red", "blue", "green"), numbers, strict=True)):
        table.page.click(f'[data-show="{seat + 1}"]')
        tap(table, f"{colour}-{number}")


def loading(open_page: Opener, *numbers: int) -> TablePage:
    """Return a page on which the cards with these numbers are revealed."""
    table = open_page()
    table.deal_game("riff-raff", 3)
    show_colours(table)
    reveal(table, *numbers)
    return table


# --- taps -----------------------------------------------------------------------------------------


def test_a_tapped_card_is_lifted_though_news_of_it_comes_late(open_page: Opener) -> None:
    """A busy table accepts a placed card before it tells pages which cards are on the mat."""
    table, held = open_page.blank(), list[str | bytes]()
    is_busy = Event()

    def relay(page: WebSocketRoute) -> None:
        def deliver(message: str | bytes) -> None:
            is_news = is_busy.is_set() and "lying" in json.loads(message)
            held.append(message) if is_news else page.send(message)

        page.connect_to_server().on_message(deliver)

    table.page.route_web_socket(re.compile("/ws$"), relay)
    table.open(open_page.site.address)
    table.deal_game("riff-raff", 3)
    is_busy.set()
    table.until_accepted(table.card("riff-raff/red-1#1").dblclick)
    for _ in range(100):
        if not open_page.site.in_mat(lambda mat: mat.tags_on("play")):
            break
        table.page.wait_for_timeout(50)
    assert held
    assert open_page.site.in_mat(lambda mat: mat.tags_on("play")) == ()


# --- dealing and revealing ------------------------------------------------------------------------


def test_everybody_gets_the_cards_and_the_cargo_of_a_colour(open_page: Opener) -> None:
    table = open_page()
    table.deal_game("riff-raff", 3)
    expect(heading(table, 0)).to_have_text("Ann: 10 cards, 8 pieces, to play")
    expect(row(table, 0).locator("button.card")).to_have_count(10)
    expect(row(table, 1).locator("button.card")).to_have_count(0)
    expect(row(table, 1).locator(".stock [aria-label='the blue rat']")).to_be_visible()
    expect(table.page.locator(".bay")).to_have_count(10)
    table.page.click("#tab-cards")
    expect(table.page.locator("#tray .card[data-tag^='riff-raff/']:visible")).to_have_count(0)
    table.page.click("#tab-deal")
    show_colours(table)
    for seat in range(3):
        expect(row(table, seat).locator(".hand-cards > *")).to_have_count(10)


def test_who_still_has_to_reveal_is_lit_and_shows_the_own_hand_alone(open_page: Opener) -> None:
    table = open_page()
    table.deal_game("riff-raff", 3)
    show_colours(table)
    lit = table.page.locator(".seat:has(.lamp:not([data-level='0'])) .seat-name")
    expect(lit).to_have_text(["Ann", "Ben", "Cem"])
    expect(table.page.locator("#hands button.card")).to_have_count(0)
    expect(heading(table, 1)).to_have_text("Ben: 10 cards, 8 pieces, to play")
    table.page.click('[data-show="2"]')
    expect(row(table, 1).locator("button.card")).to_have_count(10)
    tap(table, "blue-6")
    expect(lit).to_have_text(["Ann", "Cem"])
    expect(heading(table, 1)).to_have_text("Ben: 9 cards, 8 pieces")
    expect(row(table, 1).locator(".revealed [aria-label='the blue 6']")).to_be_visible()
    expect(table.page.locator("#hands button.card")).to_have_count(0)
    table.page.click(BACK)
    expect(heading(table, 1)).to_have_text("Ben: 10 cards, 8 pieces, to play")
    expect(row(table, 1).locator(".revealed > *")).to_have_count(0)


def test_a_tie_is_decided_beside_the_ship(open_page: Opener) -> None:
    table = loading(open_page, 7, 7, 2)
    expect(table.page.locator(".ship-answers button")).to_have_text(["Ann", "Ben"])
    expect(table.page.locator(FELL)).to_be_hidden()
    answer(table, "Ben")
    expect(heading(table, 1)).to_have_text("Ben: 9 cards, 8 pieces, to play")
    expect(row(table, 1).locator(".note")).to_have_text("captain")


# --- loading --------------------------------------------------------------------------------------


def test_a_piece_is_dragged_to_the_lit_area_and_holds(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    expect(bay(table, 9)).to_have_attribute("data-lit", "")
    Mouse(table).drag(piece(table, RAT), bay(table, 9))
    expect(bay(table, 9).locator("[data-how=in-hand]")).to_be_visible()
    expect(row(table, 0).locator("button.piece")).to_have_count(7)
    press(table, OK)
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: the red rat")
    expect(bay(table, 3)).to_have_attribute("aria-label", "Area 3: empty; to load")
    expect(heading(table, 0)).to_have_text("Ann: 9 cards, 7 pieces")


def test_a_piece_dropped_elsewhere_stays_where_it_was(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    for elsewhere in (bay(table, 3), table.spot):
        Mouse(table).drag(piece(table, RAT), elsewhere)
        expect(table.page.locator(".ghost")).to_have_count(0)
        expect(row(table, 0).locator("button.piece")).to_have_count(8)
    expect(table.lying).to_have_count(0)


SLOW = """document.addEventListener("pointerup", () => {
  for (const start = performance.now(); performance.now() - start < 500; );
})"""


def test_on_a_slow_computer_a_dropped_piece_is_not_taken_for_a_clicked_one(
    open_page: Opener,
) -> None:
    table = loading(open_page, 9, 3, 2)
    table.page.evaluate(SLOW)
    Mouse(table).drag(piece(table, RAT), bay(table, 3))
    table.page.wait_for_timeout(300)
    expect(row(table, 0).locator("button.piece")).to_have_count(8)
    piece(table, RAT).click()
    expect(row(table, 0).locator("button.piece")).to_have_count(7)


def test_another_piece_may_be_taken_until_it_holds(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    piece(table, RAT).click()
    expect(piece(table, RAT)).to_have_count(0)
    piece(table, BOAT).click()
    expect(piece(table, RAT)).to_be_visible()
    accepted = table.journal("input").count()
    table.page.reload()
    table.page.click("#tab-deal")
    expect(piece(table, BOAT)).to_have_count(0)
    expect(table.journal("input")).to_have_count(accepted)  # the page has them again
    press(table, OK)
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: the red boat")
    table.page.click(BACK)
    expect(bay(table, 9)).to_have_attribute("data-lit", "")
    expect(bay(table, 9).locator("[data-how=in-hand]")).to_be_visible()


def test_a_piece_is_loaded_by_keyboard(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    keyboard = Keyboard(table)
    keyboard.walk("Tab", "button.piece", at_most=80)
    keyboard.walk("ArrowRight", f'[data-piece="{BARREL}"]')
    keyboard.press("Enter")
    expect(bay(table, 9).locator("[data-how=in-hand]")).to_be_visible()
    table.until_accepted(lambda: keyboard.press("o"))
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: the red barrel")


# --- falling cargo --------------------------------------------------------------------------------


def test_cargo_falls_and_what_lies_there_is_known_no_more(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    for card in (RAT, "riff-raff/blue-boat#1"):
        piece(table, card).click()
        press(table, OK)
    piece(table, "riff-raff/green-boat#1").click()
    press(table, FELL)
    expect(table.page.locator(".ship")).to_have_attribute("data-falling", "")
    expect(table.page.locator(".ship-says")).to_have_text("How many fell? None: press Back.")
    expect(table.page.locator(".ship-answers button")).to_have_text(["1", "2", "3"])
    answer(table, "2")
    answer(table, "0")
    for area in (2, 3, 9):
        expect(bay(table, area).locator(".bay-tally")).to_have_text(PERHAPS)
        expect(bay(table, area).locator("[data-how=perhaps]")).to_be_visible()
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: perhaps 1 more")
    expect(heading(table, 2)).to_have_text("Cem: 9 cards, 9 pieces, to play")
    expect(row(table, 2).locator(".stock [aria-label=cargo]")).to_have_count(2)


def test_a_piece_that_fell_alone_is_named_and_the_rest_is_known(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    piece(table, RAT).click()
    press(table, OK)
    piece(table, "riff-raff/blue-boat#1").click()
    press(table, FELL)
    answer(table, "1")
    answer(table, "0")
    expect(table.page.locator(".ship-says")).to_have_text("Which one fell?")
    answer(table, "other")
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: empty")
    expect(bay(table, 3)).to_have_attribute("aria-label", "Area 3: the blue boat")
    expect(heading(table, 1)).to_have_text("Ben: 9 cards, 8 pieces")


def test_what_was_caught_lies_in_the_box(open_page: Opener) -> None:
    table = loading(open_page, 9, 3, 2)
    press(table, OK)
    press(table, FELL)
    answer(table, "2")
    answer(table, "2")
    expect(table.page.locator('[data-hand="box"] h3')).to_have_text("Out of the game: 2")


def test_cargo_falls_only_while_somebody_loads(open_page: Opener) -> None:
    table = open_page()
    table.deal_game("riff-raff", 3)
    show_colours(table)
    expect(table.page.locator(FELL)).to_be_hidden()
    reveal(table, 9, 3, 2)
    expect(table.page.locator(FELL)).to_be_enabled()
    table.page.click(FELL)
    expect(table.page.locator(FELL)).to_be_hidden()  # the controls ask for the number


def test_a_table_with_a_tilt_switch_is_rocked(tilting: TablePage) -> None:
    tilting.page.click("#tab-deal")
    tilting.page.click("#deal")
    show_colours(tilting)
    reveal(tilting, 9, 3, 2)
    sent: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda text: sent.append(json.loads(text)["type"]))

    tilting.page.on("websocket", listen)
    tilting.page.reload()
    tilting.page.click("#tab-deal")
    expect(tilting.journal("input")).not_to_have_count(0)  # the page has its journal again
    press(tilting, FELL)
    assert sent == ["tilt"]
    expect(tilting.page.locator(".ship-says")).to_have_text("How many fell? None: press Back.")


# --- tagged cargo, without a deal -----------------------------------------------------------------


def test_tagged_cargo_is_tapped_when_it_is_loaded_and_when_it_fell(tagged: TablePage) -> None:
    table = tagged
    table.page.click("#tab-deal")
    table.page.click("#deal")
    show_colours(table)
    reveal(table, 9, 3, 2)
    expect(table.page.locator(FELL)).to_be_disabled()
    table.until_accepted(piece(table, RAT).click)
    expect(table.lying).to_have_count(0)
    press(table, OK)
    table.until_accepted(
        lambda: Mouse(table).drag(piece(table, "riff-raff/blue-boat#1"), bay(table, 3))
    )
    expect(table.lying).to_have_count(0)
    press(table, FELL)
    table.until_accepted(table.page.locator(".ship-pieces").locator(f'[data-piece="{RAT}"]').click)
    expect(bay(table, 9).locator("[data-how=fell]")).to_be_visible()
    expect(table.page.locator(OK)).to_have_text("That is all")
    press(table, OK)
    press(table, OK)
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: empty")
    expect(bay(table, 3)).to_have_attribute("aria-label", "Area 3: the blue boat")
    box = table.page.locator('[data-hand="box"]')
    expect(box.locator("[aria-label='the red rat']")).to_be_visible()


def test_without_a_deal_the_ship_is_the_referees_map(tagged: TablePage) -> None:
    table = tagged
    for card in ("red-1", "blue-1", "green-1", "red-9", "blue-3", "green-2", "red-rat"):
        table.page.fill("#filter", card)
        table.page.select_option("#tray-game", "riff-raff")
        table.until_accepted(table.card(f"riff-raff/{card}#1").dblclick)
        expect(table.lying).to_have_count(0)
    table.page.click("#tab-deal")
    expect(bay(table, 9)).to_have_attribute("data-lit", "")
    press(table, OK)
    expect(bay(table, 9)).to_have_attribute("aria-label", "Area 9: cargo")


# --- accessibility --------------------------------------------------------------------------------


def test_a_finger_reaches_the_ship_and_nobody_is_shut_out(open_page: Opener) -> None:
    table = open_page(PHONE, is_phone=True)
    table.deal_game("riff-raff", 3)
    assert findings(table) == []
    for card in ("red-1", "blue-1", "green-1"):
        tap(table, card)
    reveal(table, 9, 3, 2)
    assert {"the red rat", "It holds", "Let cargo fall"} <= reach(table, "ship")
    piece(table, RAT).tap()
    expect(bay(table, 9).locator("[data-how=in-hand]")).to_be_visible()
    assert findings(table) == []
