"""Tests of Ciao! on the page: wrong cards, gifts, swapped hands, and a race on one screen."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from sim.deal import requests
from sim.people.race import with_seats
from tests.sim.web.browser import (
    NO_BROWSER,
    PHONE,
    Finger,
    Keyboard,
    Mouse,
    Opener,
    Site,
    TablePage,
    browser_path,
    findings,
    reach,
)
from tests.sim.web.ciao_people import bears, dealt, first, holding, is_joker, without
from tests.sim.web.test_play import opened

if browser_path() is None:
    pytest.skip(NO_BROWSER, allow_module_level=True)

OBSTACLE = Piece("obstacle", 1)
WITH_OBSTACLE, OPEN_HANDS = dealt(lambda hands: OBSTACLE in hands[0][:-1])
GIVING, GIVERS_HANDS = dealt(
    lambda hands: any(bears(p, "give") for p in hands[0]) and OBSTACLE in hands[0][:-1]
)
GIFT = first(GIVERS_HANDS[0], "give")
SWAPPING, SWAPPED_HANDS, SWAP = holding("swap", players=2)
RACING, RACERS_HANDS = dealt(
    lambda hands: any(bears(p, "speed") for p in hands[0]) and any(map(is_joker, hands[2]))
)
SPEED, JOKER = first(RACERS_HANDS[0], "speed"), next(filter(is_joker, RACERS_HANDS[2]))
ACTION, BACK, OK = (f"[data-button={name}]" for name in ("action", "back", "ok"))


def shuffled_as(seed: int) -> pytest.MarkDecorator:
    """Return a mark that makes the table shuffle with *seed*."""
    return pytest.mark.parametrize("site", [seed], indirect=True, ids=["dealt"])


def tags(cards: list[Piece]) -> list[str]:
    return [f"ciao/{card}" for card in cards]


def row(table: TablePage, seat: int) -> Locator:
    return table.page.locator(f'[data-hand="hand-{seat}"]')


def open_cards(table: TablePage, seat: int) -> list[str]:
    """Return the tags of the visible cards of a hand."""
    cards = row(table, seat).locator("button.card")
    return list(cards.evaluate_all("all => all.map(one => one.dataset.tag)"))


def heading(table: TablePage, seat: int) -> Locator:
    return row(table, seat).locator("h3")


def undo(table: TablePage) -> None:
    undone = table.journal("undo").count()
    table.page.click(BACK)
    expect(table.journal("undo")).to_have_count(undone + 1)


def dealt_page(open_page: Opener, players: int = 3, is_hot_seat: bool = True) -> TablePage:
    table = open_page()
    table.deal_game("ciao", players, is_hot_seat)
    expect(heading(table, 0)).to_have_text("Ann: 7 cards, to play")
    return table


# --- dealing, and a wrong card --------------------------------------------------------------------


@shuffled_as(WITH_OBSTACLE.seed)
def test_ciao_is_dealt_and_only_the_current_player_sees_cards(open_page: Opener) -> None:
    table = dealt_page(open_page)
    assert open_cards(table, 0) == tags(OPEN_HANDS[0])
    for seat in (1, 2):
        assert open_cards(table, seat) == []
        expect(row(table, seat).locator(".down")).to_have_count(7)
    expect(table.page.locator('[data-hand="pile"] h3')).to_have_text("Draw pile: 87 cards")
    table.page.click("#tab-cards")
    expect(table.page.locator("#tray .card[data-tag^='ciao/']:visible")).to_have_count(0)
    table.page.click("#tab-deal")
    table.until_accepted(lambda: table.page.click(ACTION))
    assert open_cards(table, 0) == tags([*OPEN_HANDS[0], WITH_OBSTACLE.cards.pile[-1]])


@shuffled_as(WITH_OBSTACLE.seed)
def test_a_wrong_card_is_taken_back_to_its_hand_and_costs_three(open_page: Opener) -> None:
    table = dealt_page(open_page, is_hot_seat=False)
    mouse = Mouse(table)
    said = table.until_accepted(lambda: mouse.play(f"ciao/{OBSTACLE}"))
    assert said[0].startswith("Ann: an obstacle can never be played. Take the card back")
    expect(table.lamp("refused")).not_to_have_attribute("data-level", "0")
    expect(heading(table, 0)).to_have_text("Ann: 10 cards")
    expect(heading(table, 1)).to_have_text("Ben: 7 cards, to play")
    drawn = list(reversed(WITH_OBSTACLE.cards.pile[-3:]))
    assert open_cards(table, 0) == tags([*OPEN_HANDS[0], *drawn])
    expect(table.page.locator('[data-hand="laid"]')).to_be_hidden()
    mouse.clear()
    undo(table)
    expect(heading(table, 0)).to_have_text("Ann: 7 cards, to play")
    assert open_cards(table, 0) == tags(OPEN_HANDS[0])


# --- giving a card away ---------------------------------------------------------------------------


def give(table: TablePage) -> None:
    """Play a card whose effect is to give another card away, and choose Ben as the receiver."""
    table.until_accepted(lambda: table.card(f"ciao/{GIFT}").dblclick())
    expect(table.lying).to_have_count(0)
    table.until_accepted(lambda: table.page.click(OK))
    expect(heading(table, 0)).to_have_text("Ann gives Ben a card. Which one?")


def choices(table: TablePage) -> list[str]:
    """Return the labels of the cards to choose from, as a screen reader reads them."""
    names = table.page.locator(".choice").evaluate_all("all => all.map(one => one.ariaLabel)")
    return [str(name) for name in names]


def chosen(table: TablePage) -> Locator:
    return table.page.locator(".choice[aria-pressed=true]")


@shuffled_as(GIVING.seed)
def test_a_giver_chooses_the_card_and_an_undo_drops_the_choice(open_page: Opener) -> None:
    table = dealt_page(open_page)
    left = without(GIVERS_HANDS[0], GIFT)
    give(table)
    assert len(choices(table)) == 6
    assert any(name.startswith("The obstacle (50), 1") for name in choices(table))
    expect(chosen(table)).to_have_count(0)
    for seat in range(3):
        assert open_cards(table, seat) == []
    table.page.click(f'.choice[data-give="ciao/{OBSTACLE}"]')
    expect(chosen(table)).to_have_attribute("data-give", f"ciao/{OBSTACLE}")
    expect(chosen(table)).to_contain_text("for Ben")
    expect(row(table, 0).locator(".note")).to_have_text(
        "It is the obstacle, until you choose another."
    )
    with open_page.server_stopped():
        expect(table.connection).to_have_text("no connection")
    expect(chosen(table)).to_have_attribute("data-give", f"ciao/{OBSTACLE}")
    table.until_accepted(lambda: table.page.click(OK))  # thank you
    expect(heading(table, 1)).to_have_text("Ben: 8 cards, to play")
    assert open_cards(table, 1) == tags([*GIVERS_HANDS[1], OBSTACLE])
    expect(table.page.locator(".choice")).to_have_count(0)
    undo(table)
    expect(chosen(table)).to_have_attribute("data-give", f"ciao/{OBSTACLE}")
    undo(table)
    expect(table.page.locator(".choice")).to_have_count(0)
    assert open_cards(table, 0) == tags(left)
    table.until_accepted(lambda: table.page.click(OK))
    expect(table.page.locator(".choice")).to_have_count(6)
    expect(chosen(table)).to_have_count(0)


@shuffled_as(GIVING.seed)
def test_in_play_the_banner_asks_which_card_while_robots_think(open_page: Opener) -> None:
    robots = (None, "greedy", "greedy")
    begun = requests.BeginGame("ciao", ("Ann", "Ben", "Cem"), robots, {})
    open_page.site.live.do(begun).result(30)
    play = opened(open_page)
    play.card(f"ciao/{GIFT}").click()
    play.act("Ben").click()
    expect(play.hint).to_have_text("Ann: click the card for Ben.")
    assert play.buttons == ["Take back"]
    expect(play.page.locator(".choice[aria-pressed=true]")).to_have_count(0)
    points, news = play.page.locator(".player-points"), play.page.locator("#news")
    expect(points).to_have_text(["6 cards", "7 cards", "7 cards"])
    expect(play.page.locator(".player[data-turn] .player-name")).to_have_text("Ann")
    expect(news).not_to_contain_text("gives")
    play.page.locator(".choice").first.click()
    expect(points.nth(1)).to_have_text("8 cards")
    expect(news).to_contain_text("Ann gives Ben a card.")
    expect(play.page.locator(".choice[aria-pressed=true]")).to_have_count(1)


@shuffled_as(GIVING.seed)
def test_a_card_to_give_is_chosen_by_keyboard(open_page: Opener) -> None:
    table = dealt_page(open_page)
    give(table)
    keys = Keyboard(table)
    table.page.focus("#undeal")
    keys.walk("Tab", ".choice")
    at = without(GIVERS_HANDS[0], GIFT).index(OBSTACLE)
    for _ in range(at):
        keys.press("ArrowRight")
    keys.press("Enter")
    expect(chosen(table)).to_have_attribute("data-give", f"ciao/{OBSTACLE}")
    keys.press("ArrowLeft")
    keys.press(" ")
    expect(chosen(table)).not_to_have_attribute("data-give", f"ciao/{OBSTACLE}")


# --- swapping hands -------------------------------------------------------------------------------


@shuffled_as(SWAPPING.seed)
def test_hands_of_the_same_size_are_swapped(open_page: Opener) -> None:
    table = dealt_page(open_page, players=2)
    table.until_accepted(lambda: table.page.click(ACTION))
    mine = [*without(SWAPPED_HANDS[0], SWAP), SWAPPING.cards.pile[-1]]
    table.until_accepted(lambda: table.card(f"ciao/{SWAP}").dblclick())
    expect(heading(table, 1)).to_have_text("Ben: 7 cards, to play")
    assert open_cards(table, 1) == tags(mine)
    table.until_accepted(lambda: table.page.click(ACTION), 1)
    table.until_accepted(lambda: table.page.click(ACTION), 1)
    expect(heading(table, 0)).to_have_text("Ann: 7 cards, to play")
    assert open_cards(table, 0) == tags(SWAPPED_HANDS[1])


# --- a race ---------------------------------------------------------------------------------------


def race(table: TablePage) -> None:
    table.until_accepted(lambda: table.card(f"ciao/{SPEED}").dblclick())
    expect(heading(table, 1)).to_have_text("Ben: 7 cards, races")
    expect(heading(table, 2)).to_have_text("Cem: 7 cards, races")


def button(table: TablePage, words: str) -> Locator:
    return table.page.get_by_role("button", name=words)


@shuffled_as(RACING.seed)
def test_in_a_race_on_one_screen_no_hand_lies_open_but_the_one_that_is_shown(
    open_page: Opener,
) -> None:
    table = dealt_page(open_page)
    race(table)
    lamps = table.page.locator(".seat .lamp:not([data-level='0'])")
    expect(lamps).to_have_count(2)
    cards = table.page.locator("#hands .hand:not([data-hand=laid]) button.card")
    expect(cards).to_have_count(0)
    expect(button(table, "Show Ann")).to_have_count(0)
    expect(button(table, "Show Ben")).to_be_focused()
    button(table, "Show Ben").click()
    expect(row(table, 1).locator("button.card")).to_have_count(7)
    assert open_cards(table, 1) == tags(RACERS_HANDS[1])
    button(table, "Show Cem").click()
    expect(row(table, 2).locator("button.card")).to_have_count(7)
    expect(cards).to_have_count(7)
    button(table, "Cover Cem").click()
    expect(cards).to_have_count(0)
    button(table, "Show Cem").click()
    mouse = Mouse(table)
    table.until_accepted(lambda: mouse.play(f"ciao/{JOKER}"))
    assert table.said()[-1] == "Whose card is that? Ben."
    expect(cards).to_have_count(0)
    expect(button(table, "Show Cem")).to_have_count(0)
    mouse.clear()
    table.page.click("[aria-label='Turn clockwise']")
    table.until_accepted(lambda: table.page.click(OK))
    expect(heading(table, 2)).to_have_text("Cem: 6 cards, to play")
    assert open_cards(table, 2) == tags(without(RACERS_HANDS[2], JOKER))


@shuffled_as(RACING.seed)
def test_another_page_sees_nothing_of_the_hand_that_they_race_with(open_page: Opener) -> None:
    table = dealt_page(open_page)
    race(table)
    other = open_page(PHONE, is_phone=True)
    other.page.tap("#tab-deal")
    expect(other.page.locator("#hands .down")).to_have_count(6 + 7 + 7 + 1)
    reach(other, "deal")
    button(other, "Show Cem").tap()
    expect(row(other, 2).locator("button.card")).to_have_count(7)
    expect(row(table, 2).locator("button.card")).to_have_count(0)
    expect(row(other, 2)).to_be_in_viewport()
    finger = Finger(other)
    other.until_accepted(lambda: finger.play(f"ciao/{JOKER}"))
    expect(row(table, 2).locator("button.card")).to_have_count(0)


def test_a_card_of_the_race_is_tapped_at_its_seats_own_reader(
    browser: Browser, tmp_path: Path
) -> None:
    config = with_seats(load_config(), 3, in_turn=False)
    with Site(tmp_path / "state", RACING.seed, config=config) as site:
        opener = Opener(browser, site)
        table = dealt_page(opener)
        race(table)
        button(table, "Show Cem").click()
        table.until_accepted(lambda: table.card(f"ciao/{JOKER}").dblclick())
        expect(heading(table, 2)).to_have_text("Cem: 6 cards, to play")
        assert opener.wrong == [[]]
        table.page.context.close()


# --- accessibility --------------------------------------------------------------------------------


@shuffled_as(GIVING.seed)
def test_a_gift_shuts_nobody_out(open_page: Opener) -> None:
    table = dealt_page(open_page)
    assert findings(table) == []
    give(table)
    assert findings(table) == []
    table.page.set_viewport_size(PHONE)
    assert findings(table) == []
    reach(table, "deal")


@shuffled_as(RACING.seed)
def test_a_race_shuts_nobody_out(open_page: Opener) -> None:
    table = dealt_page(open_page)
    race(table)
    button(table, "Show Ben").click()
    expect(row(table, 1).locator("button.card")).to_have_count(7)
    assert findings(table) == []
    table.page.set_viewport_size(PHONE)
    assert findings(table) == []
