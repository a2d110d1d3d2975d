"""Tests of Camargue on the page: tiles dragged to places, helpers lent, and emergencies."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from engines.common.contract import PlaceAsk, Tap
from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.show.maps import overview
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
    middle,
    reach,
)
from tests.sim.web.camargue_people import CLOSED, People, claiming, helping
from tests.sim.web.test_play import PlayPage, opened
from tests.sim.web.test_play_race import WATCH_BANNER

if browser_path() is None:
    pytest.skip(NO_BROWSER, allow_module_level=True)

HELPING, HELPER, TILE = helping()
CLAIMING = claiming()
ACTION, BACK, OK = (f"[data-button={name}]" for name in ("action", "back", "ok"))


def shuffled_as(people: People) -> pytest.MarkDecorator:
    """Return a mark that makes the table shuffle as it did for *people*."""
    return pytest.mark.parametrize("site", [people.seed], indirect=True, ids=["dealt"])


def tag(piece: Piece) -> str:
    return f"camargue/{piece}"


def held(table: TablePage, piece: Piece) -> Locator:
    """Return the element of a tile in a hand or beside the board."""
    return table.page.locator(f'#hands button.card[data-tag="{tag(piece)}"]')


def place(table: TablePage, at: object) -> Locator:
    return table.page.locator(f'.site[data-at="{at}"]')


def row(table: TablePage, key: str) -> Locator:
    return table.page.locator(f'[data-hand="{key}"]')


def heading(table: TablePage, key: str) -> Locator:
    return row(table, key).locator("h3")


def button(table: TablePage, words: str) -> Locator:
    return table.page.get_by_role("button", name=words)


def offered(table: TablePage) -> dict[str, str]:
    """Return the points shown at each offered place."""
    shown = "all => all.map(one => [one.dataset.at, one.querySelector('.points').textContent])"
    return dict(table.page.locator(".site[data-offered]").evaluate_all(shown))


def places(people: People, piece: Piece) -> dict[str, str]:
    """Return the score of each place for *piece*, starting with the cursor's place."""
    people.give(Tap(piece))
    ask = people.ask(PlaceAsk)
    best = ask.offers[ask.start]
    return {str(offer.place): str(offer.headline) for offer in (best, *ask.offers)}


def dealt_page(open_page: Opener, players: int = 3, is_hot_seat: bool = True) -> TablePage:
    table = open_page()
    table.deal_game("camargue", players, is_hot_seat)
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles, to play")
    return table


def drag(table: TablePage, piece: Piece, at: str) -> list[str]:
    """Drag a tile to its place and return the lines said after it."""
    return table.until_accepted(
        lambda: Mouse(table).drag(held(table, piece), place(table, at)), times=2
    )


def notice(table: TablePage) -> Locator:
    return table.page.locator(".notice p")


# --- dealing and placing --------------------------------------------------------------------------


@shuffled_as(HELPING)
def test_camargue_is_dealt_round_the_start_tile(open_page: Opener) -> None:
    table = dealt_page(open_page)
    people = People(HELPING.seed)
    hand = row(table, "hand-0").locator("button.card")
    tags = hand.evaluate_all("all => all.map(one => one.dataset.tag)")
    assert tags == [tag(piece) for piece in people.tiles.hands[0]]
    expect(table.page.locator(".hand-cards .down")).to_have_count(3 + 3 + 1)
    expect(heading(table, "pile")).to_have_text("Draw pile: 81 tiles")
    expect(heading(table, "apart")).to_have_text("Emergency tiles: 5")
    expect(table.page.locator(".site")).to_have_count(9)
    expect(place(table, "0,0")).to_have_attribute(
        "aria-label", "The start: the start tile, paths top, right, bottom and left"
    )
    expect(place(table, "1,-1")).to_have_attribute("aria-label", "1 right, 1 up: empty")


@shuffled_as(HELPING)
def test_a_tile_is_dragged_to_its_place_and_the_board_grows(open_page: Opener) -> None:
    table = dealt_page(open_page)
    people = People(HELPING.seed)
    at = next(iter(places(people, TILE)))
    said = drag(table, TILE, at)
    assert said[0].startswith("Where does the ")
    assert said[1].endswith("times 1 is 1. Ben to play.")
    expect(table.lying).to_have_count(0)
    expect(place(table, at)).to_have_attribute("data-lit", "")
    expect(table.page.locator(".site")).to_have_count(12)
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles")
    expect(heading(table, "pile")).to_have_text("Draw pile: 80 tiles")
    table.page.click(BACK)
    table.page.click(BACK)
    expect(table.page.locator(".site")).to_have_count(9)
    expect(held(table, TILE)).to_be_visible()
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles, to play")


@shuffled_as(HELPING)
def test_places_are_dotted_with_their_points_and_the_controls_go_through_them(
    open_page: Opener,
) -> None:
    table = dealt_page(open_page)
    wanted = places(People(HELPING.seed), TILE)
    table.until_accepted(lambda: held(table, TILE).dblclick())
    expect(table.page.locator(".site[data-offered]")).to_have_count(len(wanted))
    assert offered(table) == wanted
    expect(held(table, TILE)).to_have_attribute("data-mark", "now")
    cursor = table.page.locator(".site[data-cursor]")
    first = next(iter(wanted))
    expect(cursor).to_have_attribute("data-at", first)
    expect(cursor.locator(".trial svg")).to_have_count(1)
    table.page.click("[aria-label='Turn counter-clockwise']")
    expect(cursor).not_to_have_attribute("data-at", first)
    there = cursor.get_attribute("data-at")
    table.until_accepted(lambda: table.page.click(OK))
    expect(place(table, there)).to_have_attribute("data-lit", "")


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("0,0", "There is a tile there already. Choose an empty place."),
        ("1,1", "corners do not count. Lay it edge to edge with a tile."),
    ],
)
@shuffled_as(HELPING)
def test_a_place_that_will_not_do_is_refused_with_its_rule_and_nothing_is_lost(
    at: str, why: str, open_page: Opener
) -> None:
    table = dealt_page(open_page)
    legal = next(iter(places(People(HELPING.seed), TILE)))
    table.until_accepted(lambda: Mouse(table).drag(held(table, TILE), place(table, at)))
    expect(notice(table)).to_contain_text(why)
    expect(held(table, TILE)).to_have_attribute("data-mark", "now")
    expect(table.lying).to_have_count(0)
    table.until_accepted(lambda: Mouse(table).drag(held(table, TILE), place(table, legal)))
    expect(place(table, legal)).to_have_attribute("data-lit", "")


@shuffled_as(HELPING)
def test_a_tile_is_placed_by_clicks_and_by_keyboard(open_page: Opener) -> None:
    table = dealt_page(open_page)
    people = People(HELPING.seed)
    place(table, "0,1").click()
    expect(notice(table)).to_have_text("Choose a tile first, then its place.")
    at = next(iter(places(people, TILE)))
    held(table, TILE).click()
    table.until_accepted(lambda: place(table, at).click(), times=2)
    expect(heading(table, "hand-1")).to_have_text("Ben: 3 tiles, to play")
    people = People(HELPING.seed)
    people.play(TILE)
    mine = people.fitting()[0]
    wanted = places(people, mine)
    keys = Keyboard(table)
    held(table, mine).focus()
    keys.press("Enter")
    expect(table.page.locator(".site[data-offered]")).to_have_count(len(wanted))
    expect(table.lying).to_have_count(0)
    table.page.focus("#undeal")
    keys.walk("Shift+Tab", ".site[data-cursor]")
    assert table.page.evaluate("document.activeElement.dataset.at") == next(iter(wanted))
    table.until_accepted(lambda: keys.press("Enter"))
    expect(place(table, next(iter(wanted)))).to_have_attribute("data-lit", "")
    expect(row(table, "hand-2").locator(":focus")).to_have_count(1)


@shuffled_as(HELPING)
def test_a_tile_is_dragged_with_a_finger(open_page: Opener) -> None:
    table = open_page(PHONE, is_phone=True)
    table.deal_game("camargue", 3)
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles, to play")
    at = next(iter(places(People(HELPING.seed), TILE)))
    finger = Finger(table)
    table.until_accepted(lambda: finger.drag(held(table, TILE), place(table, at)), times=2)
    expect(place(table, at)).to_have_attribute("data-lit", "")


# --- helpers --------------------------------------------------------------------------------------


def lend(table: TablePage) -> None:
    """Place Ann's tile that matches Cem's helper, and show Cem's hand."""
    drag(table, TILE, next(iter(places(People(HELPING.seed), TILE))))
    expect(heading(table, "hand-2")).to_have_text("Cem: 3 tiles, may join in")
    expect(button(table, "Show Ann")).to_have_count(0)
    expect(row(table, "hand-1").locator("button.card")).to_have_count(3)
    button(table, "Show Cem").click()
    expect(row(table, "hand-2").locator("button.card")).to_have_count(3)
    expect(row(table, "hand-1").locator("button.card")).to_have_count(0)


@shuffled_as(HELPING)
def test_a_helper_of_another_seat_is_lent_and_later_put_aside(open_page: Opener) -> None:
    table = dealt_page(open_page)
    lend(table)
    button(table, "Cover Cem").click()
    expect(row(table, "hand-1").locator("button.card")).to_have_count(3)
    button(table, "Show Cem").click()
    mouse = Mouse(table)
    said = table.until_accepted(lambda: mouse.drag(held(table, HELPER), table.spot))
    assert said == ["Whose helper is that? Ben."]
    expect(row(table, "hand-2").locator("button.card")).to_have_count(0)
    mouse.clear()
    table.page.click("[aria-label='Turn clockwise']")
    table.until_accepted(lambda: table.page.click(OK))
    front = row(table, "hand-2").locator(".in-front")
    expect(front).to_have_attribute("aria-label", f"In front: {words(HELPER)}")
    expect(heading(table, "hand-2")).to_have_text("Cem: 2 tiles")
    assert table.scores() == {"Ann": 1, "Ben": 0, "Cem": 1}
    people = People(HELPING.seed)
    people.play(TILE)
    bens = people.fitting()[0]
    drag(table, bens, next(iter(places(people, bens))))
    table.until_accepted(lambda: table.page.click(ACTION))
    expect(front).to_have_count(0)
    expect(heading(table, "hand-2")).to_have_text("Cem: 3 tiles")
    expect(heading(table, "laid")).to_have_text("Put aside: 1 tile")


def words(helper: Piece) -> str:
    one, other = helper.kind.split("-")[1:]
    return f"the helper for {one} and {other}"


def test_a_helper_is_tapped_at_its_seats_own_reader(browser: Browser, tmp_path: Path) -> None:
    config = with_seats(load_config(), 3, in_turn=False)
    with Site(tmp_path / "state", HELPING.seed, config=config) as site:
        opener = Opener(browser, site)
        table = dealt_page(opener)
        lend(table)
        said = table.until_accepted(lambda: held(table, HELPER).dblclick())
        assert said == ["Cem copies 1 point with a helper."]
        expect(heading(table, "hand-2")).to_have_text("Cem: 2 tiles")
        assert opener.wrong == [[]]
        table.page.context.close()


# --- nothing fits ---------------------------------------------------------------------------------


def close(site: Site, table: TablePage) -> None:
    """Place tiles by hand at the mat, whichever hands they are in, until nothing fits."""

    def act(mat: Any) -> None:
        for kind, column, down in CLOSED:
            site.live._person.move("tap", [Piece(kind)], "play", "camargue")
            site.live._person.choose(f"{column},{down}")

    table.until_accepted(lambda: site.in_mat(act), times=2 * len(CLOSED))


@shuffled_as(CLAIMING)
def test_in_an_emergency_the_hand_is_shown_and_an_emergency_tile_is_dragged(
    site: Site, open_page: Opener
) -> None:
    table = dealt_page(open_page)
    close(site, table)
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles, to play")
    hand = CLAIMING.tiles.hands[0]
    before = len(table.said())
    Mouse(table).drag(held(table, hand[0]), place(table, "2,0"))
    expect(table.page.locator("#transcript-lines li")).to_have_count(before + 1)
    assert table.said()[-1].startswith("There is no place for ")
    expect(table.lying).to_have_count(0)
    table.until_accepted(lambda: table.page.click(ACTION))
    for number, piece in enumerate(hand, start=1):
        table.until_accepted(lambda piece=piece: held(table, piece).dblclick())  # type: ignore[misc]
        expect(table.lying).to_have_count(0)
        expect(table.page.locator('[data-mark="shown"]')).to_have_count(number % 3)
    assert table.said()[-1] == "Ann is right. Take an emergency tile and tap it."
    emergency = Piece("emergency", 2)
    said = drag(table, emergency, "2,0")
    assert said[-1] == "The emergency tile is placed. Ann, take your normal turn."
    expect(place(table, "2,0")).to_have_attribute(
        "aria-label", "2 right: the emergency tile, paths top, right and bottom"
    )
    expect(heading(table, "apart")).to_have_text("Emergency tiles: 4")
    expect(heading(table, "hand-0")).to_have_text("Ann: 3 tiles, to play")


@shuffled_as(CLAIMING)
def test_play_offers_to_say_that_nothing_fits_only_if_it_is_so(
    site: Site, open_page: Opener
) -> None:
    table = dealt_page(open_page)
    table.page.click("#view-switch")
    acts = table.page.locator("#banner-acts button")
    expect(acts).to_have_text(["Take back"])
    close(site, table)
    expect(acts).to_have_text(["None fits", "Take back"])


# --- the whole board ------------------------------------------------------------------------------


@shuffled_as(CLAIMING)
def test_a_game_begun_at_the_mat_has_its_board_too_and_it_can_be_saved(
    site: Site, open_page: Opener
) -> None:
    table = open_page()
    expect(button(table, "Save the board")).to_have_count(0)
    site.in_mat(lambda mat: site.live._person.begin("camargue", 3))
    close(site, table)
    table.page.click("#tab-deal")
    expect(table.page.locator("span.site")).to_have_count(7)
    with table.page.expect_download() as download:
        button(table, "Save the board").click()
    grid = site.in_mat(lambda mat: mat.view.grid)
    assert grid is not None
    saved = Image.open(BytesIO(Path(download.value.path()).read_bytes()))
    assert saved.tobytes() == overview(grid.board).tobytes()


@shuffled_as(HELPING)
def test_a_board_shuts_nobody_out(open_page: Opener) -> None:
    table = dealt_page(open_page)
    table.until_accepted(lambda: held(table, TILE).dblclick())
    expect(table.lying).to_have_count(0)
    assert findings(table) == []
    table.page.set_viewport_size(PHONE)
    assert findings(table) == []
    reach(table, "deal")


# --- in Play --------------------------------------------------------------------------------------


def play_begins(open_page: Opener) -> None:
    begun = requests.BeginGame("camargue", ("Ann", "Ben", "Cem"), (None, None, None), {})
    open_page.site.live.do(begun).result(30)
    open_page.site.live.do(requests.CoverHand()).result(30)


def playing(open_page: Opener) -> PlayPage:
    """Return a page in Play on which Ann begins."""
    play_begins(open_page)
    return opened(open_page)


@shuffled_as(HELPING)
def test_in_play_the_frame_of_a_helper_says_who_can_copy_and_nobody_is_asked_whose_it_is(
    open_page: Opener,
) -> None:
    play = playing(open_page)
    table = TablePage(play.page)
    others, framed = (
        "others may copy these points",
        "Cem: click a framed helper to copy 1 point from Ann;"
        " then you lay no tile in your next turn.",
    )
    expect(play.hint).to_have_text("Ann: Click a tile, then its place.")
    held(table, TILE).click()
    place(table, next(iter(places(People(HELPING.seed), TILE)))).click()
    expect(play.hint).to_contain_text(others)
    expect(play.hint).not_to_contain_text(framed)
    button(table, "Show Cem").click()
    expect(play.hint).to_contain_text(framed)
    rim = held(table, HELPER).locator("rect.rim")
    assert rim.evaluate("rim => getComputedStyle(rim).stroke") == "rgb(224, 138, 0)"
    play.page.evaluate(WATCH_BANNER)
    held(table, HELPER).click()
    expect(play.page.locator(".player-points").nth(2)).to_have_text("1 point")
    assert not [text for text in play.page.evaluate("window.banners") if "Whose" in text]
    expect(play.page.locator("#news")).to_have_text(re.compile("Cem plays .*Cem copies 1 point"))


def test_in_play_a_helper_is_put_aside_for_points_only_after_a_question(
    open_page: Opener,
) -> None:
    playable: list[str] = []
    for seed in range(50):
        with patch("sim.web.live.secrets.randbits", return_value=seed):
            play_begins(open_page)
        playable = open_page.site.live.state["deal"]["playable"]
        if any("helper" in tag for tag in playable):
            break
    play = opened(open_page)
    helper = play.card(next(tag for tag in playable if "helper" in tag))
    hint = "Ann: Click a tile, then its place. Or click a helper."
    expect(play.hint).to_have_text(hint)
    helper.click()
    expect(play.hint).to_contain_text("Put the helper aside for 10 points?")
    play.act("Keep it").click()
    expect(play.hint).to_have_text(hint)
    helper.click()
    play.act("Yes").click()
    expect(play.page.locator(".player-points").first).to_have_text("10 points")


@shuffled_as(HELPING)
def test_in_play_a_dragged_tile_shows_its_places_and_their_points(open_page: Opener) -> None:
    play = playing(open_page)
    table = TablePage(play.page)
    wanted = places(People(HELPING.seed), TILE)
    mouse = play.page.mouse
    mouse.move(*middle(held(table, TILE)))
    mouse.down()
    mouse.move(400, 400, steps=3)
    expect(play.page.locator(".site[data-offered]")).to_have_count(len(wanted))
    assert offered(table) == wanted
    mouse.move(*middle(place(table, next(iter(wanted)))), steps=3)
    mouse.up()
    expect(play.page.locator(".player").first.locator(".player-points")).to_have_text("1 point")


@shuffled_as(HELPING)
def test_a_helper_in_front_of_its_player_says_what_it_does_and_costs(open_page: Opener) -> None:
    play = playing(open_page)
    table = TablePage(play.page)
    held(table, TILE).click()
    place(table, next(iter(places(People(HELPING.seed), TILE)))).click()
    button(table, "Show Cem").click()
    held(table, HELPER).click()
    expect(play.page.locator(".player-points").nth(2)).to_have_text("1 point")
    expect(play.hint).to_contain_text("Ben")
    play.page.locator("[data-turn] button.card:not([data-idle], [data-tag*=helper])").first.click()
    play.page.locator("button.site[data-offered]").first.click()
    expect(play.hint).to_contain_text("Cem")
    phone = opened(open_page, (390, 844)).page
    play.page.locator(".in-front").hover()
    phone.locator(".in-front").tap()
    for page in (play.page, phone):
        expect(page.locator("#tip")).to_contain_text("it costs your next turn")
