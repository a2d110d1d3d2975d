"""Whole games in Play: by mouse, by keyboard and by touch, with robots in the other seats.

Nobody uses Lab, and the page gets only input of people. The boxes of Cramel and Camargue are
small, so that a game is short.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Position, expect

from firmware.config.table_config import load_config
from sim.deal import requests
from tests.effort import long_unless
from tests.sim.web import monkey
from tests.sim.web.browser import PHONE, WIDE, Opener, Site, middle
from tests.sim.web.player import WAYS, ByKeyboard, Player, write_small_box
from tests.sim.web.test_play import PlayPage, begin, opened

pytestmark = pytest.mark.browser

GAMES = {"straw": 2, "ciao": 3, "riff-raff": 3, "cramel": 2, "camargue": 2}  # players by game
# The number of pieces by the beginning of the kind's name; other kinds are left out.
SMALL_BOXES = {
    "cramel": {"jane": 4, "helena": 2, "roby": 4, "bloom": 2, "cramel": 4},
    "camargue": {
        "start": 1,
        "emergency": 3,
        "forest": 1,
        "water": 1,
        "helper-forest-water": 2,
        "helper-grain": 1,
    },
}
SPREADS = {"cramel": (4, 4)}
LAID = '[data-hand="laid"]'
PATIENCE_S = 30.0
DENSITY = 3  # of a phone's screen, in pixels per CSS pixel
MOST_PRESSES = 25  # of keys, to reach the next card, place or button


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """An opener of pages of a table with small boxes."""
    boxes = {
        game: write_small_box(tmp_path, game, counts, SPREADS.get(game))
        for game, counts in SMALL_BOXES.items()
    }
    config = replace(load_config(), decks=boxes)
    with Site(tmp_path / "state", config=config) as site:
        opener = Opener(browser, site)
        yield opener
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[] for _ in opener.contexts]
        assert site.live.failure is None


def seated(open_page: Opener, way: str, seed: int = 1) -> Player:
    """Return a player on a new page, who uses it in one *way*."""
    is_phone = way == "touch"
    table = open_page.blank(PHONE if is_phone else WIDE, is_phone, DENSITY if is_phone else 1)
    table.page.goto(open_page.site.address)
    expect(table.page.locator("#start")).to_be_visible()
    return Player(table.page, way, seed)


CASES = [(game, way) for game in GAMES for way in WAYS]


@pytest.mark.parametrize(("game", "way"), long_unless(lambda case: case[0] == "ciao", CASES))
def test_a_whole_game_is_played_in_one_way(open_page: Opener, game: str, way: str) -> None:
    player = seated(open_page, way)
    player.start(game, GAMES[game])
    player.play()
    assert player.findings == []
    if isinstance(player.way, ByKeyboard):
        assert max(player.way.presses) <= MOST_PRESSES


# --- what happens in the middle of a game ---------------------------------------------------------


def tags(play: PlayPage) -> list[str | None]:
    """Return the cards of the open hand."""
    return [card.get_attribute("data-tag") for card in play.hand.all()]


def goes_on(play: PlayPage) -> None:
    """Play a card and wait until it is on the table."""
    tag = play.playable.get_attribute("data-tag")
    play.playable.click()
    expect(play.page.locator(f'[data-hand="laid"] [data-tag="{tag}"]')).to_be_visible()


def test_a_card_that_another_page_plays_leaves_the_hand_even_while_it_is_dragged(
    open_page: Opener,
) -> None:
    begin(open_page.site, "straw")
    play, other = opened(open_page), opened(open_page)
    tag = play.playable.get_attribute("data-tag")
    mouse = play.page.mouse
    mouse.move(*middle(play.card(tag)))
    mouse.down()
    mouse.move(*middle(play.page.locator(LAID)), steps=3)
    other.card(tag).click()
    expect(play.newest).to_have_attribute("data-tag", tag or "")
    mouse.up()
    expect(play.page.locator(".ghost")).to_have_count(0)
    expect(play.hint).to_contain_text("Ben")
    expect(play.page.locator("#notices")).to_be_empty()
    goes_on(play)


def test_after_a_power_cut_the_banner_switches_the_table_on_and_the_game_goes_on(
    open_page: Opener,
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    goes_on(play)
    expect(play.hint).to_contain_text("Ben")
    hand = tags(play)
    open_page.site.live.do(requests.SetPower(is_on=False)).result(PATIENCE_S)
    expect(play.act("Switch the table on")).to_be_visible()
    expect(play.hint).to_have_text("The table is off.")
    play.act("Switch the table on").click()
    expect(play.hint).to_contain_text("Ben")
    assert tags(play) == hand
    goes_on(play)


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", GAMES))
def test_after_a_reload_the_table_looks_as_before(open_page: Opener, game: str) -> None:
    player = seated(open_page, "mouse")
    player.start(game, GAMES[game])
    player.play(acts=4)
    before = len(player.taken)
    player.page.reload()
    expect(player.page.locator(".player")).to_have_count(GAMES[game])
    player.play(acts=before + 2)
    assert player.findings == []


def test_a_monkey_finds_no_error(open_page: Opener) -> None:
    assert monkey.run(open_page, acts=200, seed=1) == []


def test_a_player_who_has_chosen_a_tile_may_choose_another(open_page: Opener) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    expect(play.hand.nth(1)).to_be_visible()
    one, other, *_ = open_page.site.live.state["deal"]["playable"]
    for tag in (one, other):
        play.card(tag).click()
        expect(play.page.locator(f'[data-tag="{tag}"][data-mark=now]')).to_have_count(1)
        expect(play.hint).to_have_text("Ann: Choose a dotted place. Tiles may not be turned.")
        expect(play.page.locator("#banner[data-refused]")).to_have_count(0)
    expect(play.card(one)).not_to_have_attribute("data-mark", "now")


def test_a_click_where_no_tile_may_go_is_answered(open_page: Opener) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    told, board = play.page.locator("#banner-wrong"), play.page.locator(".board")
    corner = Position(x=12, y=12)  # far from all places
    expect(play.page.locator("button.site").first).to_be_visible()
    board.click(position=corner)
    expect(told).to_have_text("Choose a tile first, then its place.")
    play.page.locator("[data-turn] button.card:not([data-idle], [data-tag*=helper])").first.click()
    expect(play.page.locator("button.site[data-offered]").first).to_be_visible()
    board.click(position=corner)
    expect(told).to_contain_text("There is no tile beside that place")
    expect(play.page.locator(".notice")).to_have_count(0)  # it would cover the scores
    play.page.locator("button.site[data-offered]").first.click()
    expect(play.hint).to_contain_text("Ben")
    expect(told).to_be_empty()


def test_all_places_for_a_tile_look_alike_until_the_mouse_is_over_one(open_page: Opener) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    play.playable.click()
    offered = play.page.locator("button.site[data-offered]")
    expect(offered.nth(1)).to_be_visible()
    frames = "all => all.map(one => getComputedStyle(one).borderTopStyle)"
    assert set(offered.evaluate_all(frames)) == {"dotted"}
    expect(offered.locator(".trial svg")).to_have_count(0)
    offered.last.hover()
    assert offered.evaluate_all(frames).count("solid") == 1
    empty = play.page.locator("button.site:not([data-offered])").first
    before = empty.evaluate("one => getComputedStyle(one).borderTopColor")
    empty.hover()
    assert empty.evaluate("one => getComputedStyle(one).borderTopColor") == before


def test_after_take_back_the_banner_says_what_and_the_tile_is_marked_in_the_hand(
    open_page: Opener,
) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    told = play.page.locator("#banner-wrong")
    expect(play.hand.nth(1)).to_be_visible()
    one, other, *_ = open_page.site.live.state["deal"]["playable"]
    marked = play.page.locator("button.card[data-fresh]")
    play.card(one).click()
    play.page.locator("button.site[data-offered]").first.click()
    expect(play.hint).to_contain_text("Ben")
    play.act("Take back").click()
    expect(told).to_have_text("Taken back: the place of the tile.")
    expect(play.page.locator(f'[data-tag="{one}"][data-mark=now]')).to_have_count(1)
    expect(marked).to_have_count(0)
    play.act("Take back").click()
    expect(told).to_have_text(re.compile("^Taken back: the .* (curve|straight|branch|crossing).$"))
    expect(marked).to_have_attribute("data-tag", one)
    play.card(other).click()
    expect(play.page.locator(f'[data-tag="{other}"][data-mark=now]')).to_have_count(1)
    expect(marked).to_have_count(0)
