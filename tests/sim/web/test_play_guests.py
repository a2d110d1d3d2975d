"""Play for guests who have read nothing: quick fingers, *Take back*, and the news."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from firmware.config.table_config import load_config
from firmware.outlet.stream import JoinQuestion
from firmware.table.events import PhoneRequested
from firmware.voice.words import ENGLISH
from sim.deal import requests
from sim.players.levels import styles_of
from sim.web.page_words import page_words
from tests.firmware.test_catalogues import PACKAGES, entries, texts
from tests.sim.web.browser import PHONE, Finger, Opener, Site, TablePage
from tests.sim.web.player import write_small_box
from tests.sim.web.test_play import PlayPage, begin, opened
from tests.sim.web.test_seats import Table

pytestmark = pytest.mark.browser

SETTLES_MS = 1500  # for a second play, if there were one
SEEN_S = 1.5
PHONE_SIZE = (PHONE["width"], PHONE["height"])
VERBS = (("Click", "Tap"), ("click", "tap"))


def plays(site: Site) -> int:
    """Return the number of pieces that were played."""
    record = site.live._record()
    return 0 if record is None else len(record.inputs)


def box(of: Locator) -> FloatRect:
    found = of.bounding_box()
    assert found is not None
    return found


def begin_with_robots(site: Site) -> None:
    """Begin Straw for Ann and two quick robots."""
    robots = (None, *(styles_of("straw")[0],) * 2)
    asked = requests.BeginGame("straw", ("Ann", "Ben", "Cleo"), robots, {}, is_quick=True)
    site.live.do(asked).result(30)


# --- two quick clicks -----------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["straw", "cramel"])
def test_a_double_click_plays_once(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    play = opened(open_page)
    wanted = play.page.locator(".place").first if game == "cramel" else play.playable
    wanted.dblclick()
    play.page.wait_for_timeout(SETTLES_MS)
    assert plays(open_page.site) == 1
    assert play.page.locator(".notice").all_inner_texts() == []


def test_two_quick_touches_play_once(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, PHONE_SIZE)
    place = box(play.playable)
    Finger(TablePage(play.page)).double_tap(place["x"] + 20, place["y"] + 20)
    play.page.wait_for_timeout(SETTLES_MS)
    assert plays(open_page.site) == 1
    assert play.page.locator(".notice").all_inner_texts() == []


def test_a_double_click_on_new_game_presses_no_other_button(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    place = box(play.page.locator("#new-game"))
    mouse = play.page.mouse
    mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(play.page.locator("#start")).to_be_visible()
    mouse.down(click_count=2)  # the second click, where the button Sounds is now
    mouse.up(click_count=2)
    play.page.wait_for_timeout(SETTLES_MS)
    expect(play.page.locator("#buzzer")).to_have_attribute("aria-checked", "true")


def test_a_card_that_lies_there_already_is_not_named_as_the_server_does(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    tag = play.playable.get_attribute("data-tag")
    assert tag is not None
    site = open_page.site
    site.live.do(requests.Lay((tag,), "play")).result(30)
    with pytest.raises(Exception, match=r"^That card is already on the reader"):
        site.live.do(requests.Lay((tag,), "play")).result(30)


# --- take back ------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", [PHONE_SIZE, (1280, 800)])
def test_after_take_back_the_banner_shows_the_turn(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    for name in ("Ben", "Ann"):
        play.playable.click()
        expect(play.hint).to_contain_text(f"{name}:")
    play.act("Take back").click()
    expect(play.page.locator("#banner-wrong")).to_have_text(re.compile("^Taken back: the "))
    expect(play.hint).to_contain_text("Ben:")
    for part in ("#banner-hint", "#banner-figure", "#gauge", "#banner-wrong"):
        expect(play.page.locator(part)).to_be_visible()
    large, small = (
        play.page.locator(part).evaluate("part => parseFloat(getComputedStyle(part).fontSize)")
        for part in ("#banner-hint", "#banner-wrong")
    )
    assert small <= large


@pytest.mark.parametrize("screen", [PHONE_SIZE, (320, 568), (844, 390), (1280, 800)])
def test_take_back_keeps_its_place(open_page: Opener, screen: tuple[int, int]) -> None:
    """Before the first play, after it, and while the page asks."""
    begin(open_page.site, "ciao")
    play = opened(open_page, screen)
    back = play.page.locator('#banner-acts [data-key^="back"]')
    expect(back).to_be_disabled()
    places = [box(back)]
    play.playable.click()
    expect(play.newest).to_be_visible()
    places.append(box(back))
    costs = open_page.site.live.state["deal"]["costs"]
    if risky := next(iter(costs), None):
        play.card(risky).click()
        expect(play.act("Play it anyway")).to_be_visible()
        expect(back).to_be_hidden()  # it would undo the play before
        if screen[0] < 360:  # there is no room for its place, and no answer lies there
            answers = [box(play.act(words)) for words in ("Keep it", "Play it anyway")]
            assert all(each["x"] + each["width"] <= places[-1]["x"] for each in answers)
        elif screen[0] < 700 or screen[1] < 480:  # elsewhere the safe answer has its place
            places.append(box(back))
        first, second, _ = play.page.locator("#banner-acts button").all_inner_texts()
        assert (first, second) == ("Keep it", "Play it anyway")
        play.act("Keep it").click()
        expect(back).to_be_visible()
        places.append(box(back))
    corners = {(round(each["x"] + each["width"]), round(each["y"])) for each in places}
    assert len(corners) == 1, corners


# --- the news -------------------------------------------------------------------------------------


def until_turn(play: PlayPage, name: str) -> None:
    expect(play.page.locator(".player[data-turn] .player-name")).to_have_text(name)


def test_a_phone_lists_what_the_robots_did_since_ones_own_turn(
    browser: Browser, tmp_path: Path
) -> None:
    box_file = write_small_box(tmp_path, "straw", {"weight-1": 30}, None)  # nothing special
    config = replace(load_config(), decks={"straw": box_file})
    with Site(tmp_path / "state", config=config) as site:
        begin_with_robots(site)
        opener = Opener(browser, site)
        play = opened(opener, PHONE_SIZE)
        for _ in range(2):
            until_turn(play, "Ann")
            before = plays(site)
            play.playable.click()
            end_s = time.monotonic() + 30
            while plays(site) < before + 3 and time.monotonic() < end_s:
                play.page.wait_for_timeout(50)
            until_turn(play, "Ann")
        shown = play.page.locator("#news span").filter(visible=True).all_inner_texts()
        for name in ("Ben", "Cleo"):
            assert any(name in text for text in shown), shown
        play.page.context.close()


# --- the players' boxes ---------------------------------------------------------------------------


def test_the_direction_is_shown_among_three_and_points_to_the_next_player(
    open_page: Opener,
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    expect(play.page.locator("#round-way")).to_be_hidden()
    begin_with_robots(open_page.site)
    way = play.page.locator("#round-way")
    expect(way.locator("svg")).to_be_visible()
    expect(way).to_have_attribute("data-way", "clockwise")
    assert way.inner_text() == ""


def test_the_boxes_of_cramel_keep_their_order(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    rows = play.page.locator('[data-hand^="won-"]')

    def tops() -> list[int]:
        return [round(box(row)["y"]) for row in rows.all()]

    play.page.locator(".place").first.click()
    play.page.locator("#banner-acts .act").first.click()
    expect(play.page.locator(".player[data-turn] .player-name")).to_have_text("Ben")
    assert tops() == sorted(tops())


# --- words for a finger ---------------------------------------------------------------------------

STEMS = {"en": "click", "de": "klick", "es": "clic", "fr": "cliqu", "hu": "katt", "it": "clicc"}


@pytest.mark.parametrize("language", STEMS)
def test_no_text_of_a_game_tells_a_finger_to_click(language: str) -> None:
    words = page_words(language) if language != ENGLISH else {}
    pairs = [
        (str(words.get(mouse, mouse)), str(words.get(finger, finger))) for mouse, finger in VERBS
    ]
    assert len({*pairs}) == len(VERBS)
    for package in PACKAGES.values():
        for entry in entries(package, language).values():
            for text in texts(entry):
                for mouse, finger in pairs:
                    text = text.replace(mouse, finger)  # noqa: PLW2901
                assert STEMS[language] not in text.lower()


@pytest.mark.parametrize(("screen", "verb"), [(PHONE_SIZE, "Tap"), ((1280, 800), "Click")])
def test_a_phone_says_tap_and_a_desktop_click(
    open_page: Opener, screen: tuple[int, int], verb: str
) -> None:
    begin(open_page.site, "straw")
    expect(opened(open_page, screen).hint).to_have_text(f"Ann: {verb} a card to play it.")


# --- the keyboard ---------------------------------------------------------------------------------


def test_skip_leads_to_the_first_card_and_home_and_end_through_the_hand(
    open_page: Opener,
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    expect(play.hand.first).to_be_visible()
    play.page.locator(".skip").focus()
    play.page.keyboard.press("Enter")
    expect(play.hand.first).to_be_focused()
    for key, at in (("ArrowRight", 1), ("End", 3), ("End", 3), ("Home", 0), ("Home", 0)):
        play.page.keyboard.press(key)
        expect(play.hand.nth(at)).to_be_focused()


def test_after_a_joker_the_focus_is_on_its_symbols(browser: Browser, tmp_path: Path) -> None:
    box_file = write_small_box(tmp_path, "ciao", {"joker": 30}, None)
    config = replace(load_config(), decks={"ciao": box_file})
    with Site(tmp_path / "state", config=config) as site:
        begin(site, "ciao")
        opener = Opener(browser, site)
        play = opened(opener)
        play.playable.focus()
        play.page.keyboard.press("Enter")
        symbols = play.page.locator('#banner-acts [data-key^="choose"]')
        expect(symbols).to_have_count(3)
        expect(symbols.first).to_be_focused()
        play.page.context.close()


# --- room and time --------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [560, 600, 660])
def test_in_a_low_window_the_newest_card_is_the_largest_and_the_pile_is_whole(
    open_page: Opener, height: int
) -> None:
    begin(open_page.site, "ciao")
    play = opened(open_page, (1366, height))
    play.playable.click()
    expect(play.newest).to_be_visible()
    newest = box(play.newest)
    pile, room = (box(play.page.locator(f"[data-hand=pile]{part}")) for part in (" .down", ""))
    assert newest["width"] >= max(60, box(play.hand.first)["width"] * 0.9)
    assert pile["y"] + pile["height"] <= room["y"] + room["height"]


def test_tiles_that_go_back_are_seen_even_if_robots_are_quick(table: Table) -> None:
    """The first tile of a turn is laid at least 1.5 s after the last one was turned over."""
    styles = (styles_of("cramel")[0],) * 3
    table.ask(requests.BeginGame("cramel", ("Ann", "Ben", "Cleo"), styles, {}, is_quick=True))
    turns, turned_s = 0, table.now_s
    while turns < 6:
        inputs, is_first = len(table.record.inputs), table.mat.view.counts["open"] == 0
        table.until(lambda: bool(table.lying) or len(table.record.inputs) > inputs)  # noqa: B023
        if is_first and table.lying:
            assert table.now_s - turned_s >= SEEN_S
            turns += 1
        table.until(table.done(inputs + 1))
        turned_s = table.now_s
        table.until(lambda: not table.lying)


# --- a phone that asks for a seat -----------------------------------------------------------------


def asking(site: Site, player: str | None) -> list[tuple[int, bool, str]]:
    """Let a phone ask if it may be *player*'s, or the host's; return its answers as they come."""
    answers: list[tuple[int, bool, str]] = []
    question = JoinQuestion(1, PhoneRequested("42", player))
    site.live.inbox.put(question, lambda *answer: answers.append(answer))
    return answers


def test_a_phone_is_let_in_by_a_button_in_words(open_page: Opener) -> None:
    play = opened(open_page)
    host = asking(open_page.site, None)
    expect(play.page.locator("#start-notice")).to_have_text("Phone 42 as the host?")
    play.page.locator("#start-answers").get_by_role("button", name="No", exact=True).click()
    expect(play.page.locator("#start-answers button")).to_have_count(0)
    assert host == [(1, False, "refused")]
    begin(open_page.site, "straw")
    expect(play.hint).not_to_be_empty()
    ann = asking(open_page.site, "Ann")
    expect(play.page.locator("#banner-wrong")).to_have_text("Phone 42 for Ann?")
    play.page.get_by_role("button", name="Let phone 42 be Ann").click()
    expect(play.page.locator("#banner-wrong")).to_be_empty()
    assert ann == [(1, True, "")]
    assert plays(open_page.site) == 0
