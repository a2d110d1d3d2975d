"""Tests of Cramel in Play: tiles that stay open for a while, Mrs. Bloom, and one's own tiles."""

from random import Random

import pytest
from playwright.sync_api import Locator, expect

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from sim.deal import requests
from sim.deal.transitions import shuffle
from tests.sim.web.browser import SEED, Opener, Site
from tests.sim.web.test_never_stuck import SlowNetwork
from tests.sim.web.test_play import SEEN_WHOLE, PlayPage, begin, opened

pytestmark = pytest.mark.browser

PLACES = [str(tile) for tile in shuffle(load_deck(game_named("cramel")), Random(SEED))]
PATIENCE_S = 30.0
READ_S = 0.5  # until a reader has noticed a tile
REMEMBERED_MS = 2500


def tag(tile: str) -> str:
    """Return the tag of the place of *tile*."""
    return f"cramel/@{PLACES.index(tile) + 1}"


def place(play: PlayPage, tile: str) -> Locator:
    return play.page.locator(f'.place[data-tag="{tag(tile)}"]')


def turned(site: Site, *tiles: str) -> None:
    """Turn *tiles* over, as robots do."""
    for tile in tiles:
        for act in (requests.Lay, requests.Lift):
            site.live.do(act((tag(tile),), "play")).result(PATIENCE_S)
            site.in_mat(lambda mat: mat.wait(READ_S))
    site.live.do(requests.CoverHand()).result(PATIENCE_S)  # a turn later, so the state is published


def clocked(open_page: Opener) -> PlayPage:
    """Return a page whose time stands still."""
    page = open_page.blank().page
    page.clock.install(time=0)
    play = PlayPage(page, open_page.site.address)
    expect(play.page.locator(".place")).to_have_count(49)
    page.clock.pause_at(3_600)
    return play


def test_a_tile_can_be_seen_for_a_while_although_the_next_player_goes_on(
    open_page: Opener,
) -> None:
    begin(open_page.site, "cramel")
    play = clocked(open_page)
    turned(open_page.site, "cramel#1", "roby#1", "jane#1")  # Cramel and Roby end Ann's turn
    expect(place(play, "jane#1")).to_have_attribute("data-state", "open")
    seen = place(play, "roby#1")
    assert open_page.site.live.state["deal"]["places"][PLACES.index("roby#1")] == "down"
    expect(seen).to_have_attribute("data-state", "past")
    assert seen.locator(".face").evaluate("face => getComputedStyle(face).opacity") == "1"
    play.page.clock.run_for(REMEMBERED_MS - 100)
    expect(seen).to_have_attribute("data-state", "past")
    play.page.clock.run_for(200)
    expect(seen).to_have_attribute("data-state", "down")


def test_a_click_on_a_tile_turns_the_remembered_ones_down(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = clocked(open_page)
    turned(open_page.site, "cramel#1", "roby#1", "jane#1")
    expect(place(play, "jane#1")).to_have_attribute("data-state", "open")
    expect(place(play, "roby#1")).to_have_attribute("data-state", "past")
    place(play, "roby#1").click()
    expect(place(play, "cramel#1")).to_have_attribute("data-state", "down")
    expect(place(play, "roby#1")).to_have_attribute("data-state", "open")


def test_a_late_state_does_not_bring_a_remembered_tile_back(open_page: Opener) -> None:
    """A state from before the click comes after it."""
    begin(open_page.site, "cramel")
    page = open_page.blank().page
    network = SlowNetwork(page)
    page.clock.install(time=0)
    play = PlayPage(page, open_page.site.address)
    expect(page.locator(".place")).to_have_count(49)
    page.clock.pause_at(3_600)
    turned(open_page.site, "cramel#1", "roby#1")  # they end Ann's turn
    expect(place(play, "roby#1")).to_have_attribute("data-state", "past")
    network.is_slow = True
    open_page.site.live.do(requests.SeatRobot(1, "rememberer")).result(PATIENCE_S)
    place(play, "jane#1").click()
    open_page.site.in_mat(lambda mat: mat.wait(READ_S))
    turned(open_page.site)
    network.deliver()
    expect(place(play, "jane#1")).to_have_attribute("data-state", "open")
    expect(place(play, "roby#1")).to_have_attribute("data-state", "down")


def test_the_banner_says_how_many_tiles_are_a_set(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    turned(open_page.site, "jane#1")
    expect(opened(open_page).hint).to_have_text(
        "Ann: Jane open, and a set has 2: turn over another tile."
    )


def test_the_banner_says_who_wins_by_stopping(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    turned(open_page.site, "roby#1")
    caption = opened(open_page).page.locator("#banner-caption")
    expect(caption).to_have_text("to win if Ann stops now")


def test_the_banner_says_who_may_move_mrs_bloom_and_her_places_are_lit(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    turned(open_page.site, "roby#1")
    play.act("Stop (1 tile)").click()
    free = play.page.locator(".place[data-state=free]")
    unlit = free.evaluate("place => getComputedStyle(place).backgroundColor")
    expect(play.hint).to_contain_text("Ben: Ann took 1")
    turned(open_page.site, "bloom#1")
    expect(play.hint).to_have_text(
        "Ben may move Mrs. Bloom: click the framed tile, then a lit place."
    )
    assert free.evaluate("place => getComputedStyle(place).backgroundColor") != unlit
    expect(place(play, "bloom#1")).to_have_attribute("data-movable", "")


def test_a_click_on_an_open_tile_of_the_last_turn_turns_it_over(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    turned(open_page.site, "cramel#1", "roby#1")  # Cramel and Roby end Ann's turn
    expect(place(play, "roby#1")).to_have_attribute("data-state", "past")
    place(play, "roby#1").click()
    expect(place(play, "roby#1")).to_have_attribute("data-state", "open")
    expect(place(play, "cramel#1")).to_have_attribute("data-state", "down")
    expect(play.act("Stop (1 tile)")).to_be_visible()


def test_a_click_on_an_open_tile_of_this_turn_says_so(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    turned(open_page.site, "roby#1")
    place(play, "roby#1").click(force=True)
    expect(play.page.locator(".notice p")).to_have_text("Roby is open already.")


def test_news_name_the_tile_that_ends_a_turn_once(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    turned(open_page.site, "roby#1", "cramel#1")
    expect(play.page.locator("#news")).to_contain_text("Cramel stays alone")
    expect(play.page.locator("#news")).not_to_contain_text("Cramel. Cramel mixes")


def test_a_robot_waits_until_a_person_has_left_mrs_bloom(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    turned(open_page.site, "roby#1")
    play.act("Stop (1 tile)").click()
    expect(play.hint).to_contain_text("Ben: Ann took 1")
    open_page.site.live.do(requests.SeatRobot(1, "rememberer")).result(PATIENCE_S)
    turned(open_page.site, "bloom#1")  # by Ben, who is a person
    place(play, "jane#1").click()
    expect(play.page.locator(".notice p")).to_have_text("Ben decides first.")
    expect(place(play, "jane#1")).to_have_attribute("data-state", "down")
    play.act("Leave it here").click()
    expect(play.act("Leave it here")).to_have_count(0)
    expect(place(play, "bloom#1")).to_have_attribute("data-state", "down")  # Ann has gone on


def test_on_a_small_phone_ones_own_tiles_are_always_in_view(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page, (320, 568))
    own = play.page.locator('[data-hand="won-0"]')
    assert own.evaluate(SEEN_WHOLE)
    turned(open_page.site, "roby#1")
    play.act("Stop (1 tile)").click()
    expect(play.page.locator('[data-hand="won-1"]')).to_have_attribute("data-own", "")
    assert play.page.locator('[data-hand="won-1"]').evaluate(SEEN_WHOLE)
    assert play.page.locator("#banner").evaluate(SEEN_WHOLE)
    last = play.page.locator(".place").last
    last.scroll_into_view_if_needed()
    last.click()  # it is not covered
    expect(last).not_to_have_attribute("data-state", "down")


ALL_SETS = ("jane#1", "jane#2", "helena#1", "helena#2", "gol#1", "gol#2", "roby#1", "roby#2")
SEEN_IN_ROW = """row => [...row.querySelectorAll(".stack")].every((stack) => {
  const box = stack.querySelector(".face").getBoundingClientRect();
  const at = document.elementFromPoint(box.left + 3, box.top + box.height / 2);
  return box.right <= innerWidth && stack.contains(at);
})"""


@pytest.mark.parametrize("screen", [(390, 844), (320, 568)])
def test_all_kinds_that_a_player_has_won_are_seen_on_a_phone(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, "cramel")
    open_page.site.live.do(requests.ChooseLanguage("de")).result(PATIENCE_S)
    play = opened(open_page, screen)
    turned(open_page.site, *ALL_SETS, "el-el#1", "el-el#2", "el-el#3")
    play.act("Stopp (11)").click()
    row = play.page.locator('[data-hand="won-0"]')
    expect(row.locator("h3")).to_have_text("Ann: 11 Plättchen")
    expect(row.locator(".stack")).to_have_count(5)
    turned(open_page.site, "roby#3")
    play.act("Stopp (1)").click()
    expect(play.hint).to_contain_text("Ann")  # so her row is the one in view
    row.scroll_into_view_if_needed()
    assert row.evaluate(SEEN_IN_ROW)
