"""The rules card and the tips at special cards, in a real browser."""

import pytest
from playwright.sync_api import Locator, Page, expect

from firmware.runtime.controller import words_for
from firmware.voice.words import languages
from sim.robots.games import OURS
from sim.web.page_words import page_words
from tests.effort import long_unless
from tests.sim.web.browser import Opener, TablePage, findings
from tests.sim.web.test_play import (
    SEEN_WHOLE,
    SMALL,
    SMALLEST_TARGET,
    WITH_STRAW,
    begin,
    opened,
)
from tests.sim.web.test_play_languages import speak

pytestmark = pytest.mark.browser

STRAW, LAMP = "straw/straw#1", "straw/lamp#1"
LONGEST = ("en", "de", "hu")
PRESS_MS = 800  # a long press
NOTHING_SIDEWAYS = "page => page.scrollWidth <= page.clientWidth"


def card_of(page: Page) -> Locator:
    """Return the open rules card."""
    return page.locator("#rules[open]")


def held(page: Page, tag: str) -> Locator:
    """Return the card *tag* in a hand."""
    return page.locator(f'[data-hand^="hand-"] [data-tag="{tag}"]')


def started(open_page: Opener, game: str = "straw", screen: tuple[int, int] = (1280, 800)) -> Page:
    """Return a page in the middle of *game*."""
    begin(open_page.site, game)
    play = opened(open_page, screen)
    expect(play.hint).not_to_be_empty()
    return play.page


# --- the rules card ------------------------------------------------------------------------------


def test_the_bar_opens_the_rules_and_escape_gives_the_focus_back(open_page: Opener) -> None:
    page = started(open_page)
    page.click("#rules-open")
    expect(card_of(page).get_by_role("heading", name="Straw")).to_be_visible()
    expect(card_of(page)).to_contain_text("Do not be the one who breaks the camel's back")
    expect(page.get_by_role("tabpanel", name="Learn")).to_contain_text("Flying Carpet")
    expect(page.get_by_role("tab", name="Learn")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card_of(page)).to_have_count(0)
    expect(page.locator("#rules-open")).to_be_focused()


def test_keys_change_the_page_and_press_no_button_of_the_mat(open_page: Opener) -> None:
    page = started(open_page)
    page.click("#rules-open")
    expect(page.get_by_role("tab", name="Learn")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Details")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Details")).to_contain_text("heavier load")
    expect(page.locator("#rules-details .rules-special")).to_have_count(0)
    expect(page.get_by_role("tabpanel", name="Learn")).to_be_hidden()
    page.keyboard.press("a")  # "can't play", for the mat
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Learn")).to_be_focused()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#banner-hint")).to_contain_text("Ann")


def test_the_start_page_shows_the_rules_of_the_chosen_game(open_page: Opener) -> None:
    play = opened(open_page)
    expect(play.page.locator("#rules-open")).to_be_hidden()
    for game in ("Cramel", "Riff Raff"):
        play.page.get_by_role("radio", name=game).check(force=True)
        play.page.click("#start-how")
        expect(card_of(play.page).get_by_role("heading", name=game)).to_be_visible()
        play.page.mouse.click(2, 2)  # beside it
        expect(card_of(play.page)).to_have_count(0)
        expect(play.page.locator("#start-how")).to_be_focused()


@pytest.mark.sample
@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
def test_a_refusal_opens_the_rule_that_it_names(open_page: Opener) -> None:
    page = started(open_page, screen=(390, 844))
    why = page.get_by_role("button", name="Why?")
    expect(why).to_be_hidden()
    held(page, STRAW).click()
    why.click()
    rule = card_of(page).locator("[data-rule='6.1']")
    expect(rule).to_be_focused()
    expect(rule).to_have_attribute("aria-current", "true")
    expect(rule).to_contain_text("exactly 50")
    assert rule.evaluate(SEEN_WHOLE)
    expect(card_of(page).locator("[aria-current]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#banner-why:focus, #rules-open:focus")).to_have_count(1)


def test_a_place_that_is_refused_opens_its_rule(open_page: Opener) -> None:
    page = started(open_page, "camargue")
    page.locator("[data-turn] button.card:not([data-idle])").first.click()
    page.locator('.site[data-at="0,0"]').click()
    banner = page.locator("#banner")
    expect(banner).to_contain_text("There is a tile there already.")
    expect(banner).not_to_contain_text("RULES")
    banner.get_by_role("button", name="Why?").click()
    expect(card_of(page).locator("[data-rule='4.2']")).to_be_focused()


def test_the_rules_are_in_the_tables_language(open_page: Opener) -> None:
    page = started(open_page)
    for language in languages():
        speak(open_page.site, page, language)
        page.click("#rules-open")
        words = words_for(language)["straw"]
        expect(card_of(page)).to_contain_text(words.plain("rules.goal"))
        learn = page_words(language).get("Learn", "Learn")
        expect(page.locator("#rules-tab-learn")).to_have_text(str(learn))
        expect(held(page, LAMP)).to_have_accessible_description(words.plain("does.lamp"))
        page.keyboard.press("Escape")
    speak(open_page.site, page, "en")
    answer = page.request.get(f"{open_page.site.address}rules/straw?language=hu").json()
    assert answer["parts"][0]["title"] == "A cél"
    assert page.request.get(f"{open_page.site.address}rules/chess").status == 404
    unknown = page.request.get(f"{open_page.site.address}rules/straw?language=xx").json()
    assert unknown["parts"][0]["title"] == "Goal"


@pytest.mark.parametrize("game", long_unless(lambda game: game == "ciao", OURS))
def test_the_card_fits_the_smallest_phone_and_is_accessible(open_page: Opener, game: str) -> None:
    page = started(open_page, game, (320, 568))
    for language in LONGEST:
        speak(open_page.site, page, language)
        page.click("#rules-open")
        expect(page.locator("#rules-close")).to_be_visible()
        close = page.locator("#rules-close").bounding_box()
        for name in ("learn", "details"):
            page.click(f"#rules-tab-{name}")
            panel = page.locator(f"#rules-{name}")
            assert card_of(page).evaluate(SEEN_WHOLE)
            assert panel.evaluate(NOTHING_SIDEWAYS)
            last = panel.locator("p, li").last
            last.scroll_into_view_if_needed()
            assert last.evaluate(SEEN_WHOLE)
            assert page.locator("#rules-close").bounding_box() == close
            assert findings(TablePage(page)) == []
        assert page.evaluate(SMALL, SMALLEST_TARGET) == []
        page.keyboard.press("Escape")


# --- tips ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
def test_the_mouse_on_a_special_card_shows_what_it_does(open_page: Opener) -> None:
    page = started(open_page)
    tip, card = page.locator("#tip"), held(page, STRAW)
    expect(card).to_have_accessible_description(
        "Only at exactly 50: breaks the camel's back, and you alone score."
    )
    card.hover()
    expect(tip).to_contain_text("Only at exactly 50")
    assert tip.evaluate(SEEN_WHOLE)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    card.focus()
    page.keyboard.press("Shift")  # now the focus came from the keyboard
    page.locator('[data-hand^="hand-"] button.card').first.hover()
    expect(tip).to_be_hidden()


def test_a_card_with_a_tip_is_played_as_usual(open_page: Opener) -> None:
    page = started(open_page)
    lamp = held(page, LAMP)
    lamp.hover()
    expect(page.locator("#tip")).to_contain_text("You choose its weight")
    lamp.click()
    expect(page.locator("#banner-acts")).to_contain_text("10")
    expect(page.locator("#tip")).to_be_hidden()


def test_a_card_that_slides_under_the_mouse_opens_no_tip(open_page: Opener) -> None:
    page = started(open_page)
    page.mouse.move(5, 5)
    page.mouse.down()
    page.mouse.up()
    lamp = held(page, LAMP)
    page.wait_for_timeout(100)
    lamp.evaluate("""card => Object.assign(card.style,
        { position: "fixed", left: "0", top: "0", zIndex: 9 })""")
    page.wait_for_function("document.elementFromPoint(5, 5).closest('.card')")
    page.wait_for_timeout(700)
    expect(page.locator("#tip")).to_be_hidden()
    page.mouse.move(8, 8)
    expect(page.locator("#tip")).to_be_visible()


def test_the_page_says_that_the_ship_decides_what_falls(open_page: Opener) -> None:
    begin(open_page.site, "riff-raff")
    play = opened(open_page)
    play.page.click("#rules-open")
    expect(play.page.locator("#rules-learn")).to_contain_text("The ship decides what falls")
    expect(play.page.locator("#rules-learn")).not_to_contain_text("Catch what you can")


def test_a_tip_is_not_on_the_banner_stays_under_the_mouse_and_keeps_no_click(
    open_page: Opener,
) -> None:
    begin(open_page.site, "riff-raff")
    play = opened(open_page)
    tip, card = play.page.locator("#tip"), play.hand.and_(play.page.locator("[aria-describedby]"))
    card.first.hover()
    expect(tip).to_be_visible()
    shown, banner = tip.bounding_box(), play.page.locator("#banner").bounding_box()
    assert shown is not None
    assert banner is not None
    assert shown["y"] >= banner["y"] + banner["height"]
    x, y = shown["x"] + shown["width"] / 2, shown["y"] + shown["height"] / 2
    play.page.mouse.move(x, y)
    play.page.wait_for_timeout(600)
    expect(tip).to_be_visible()
    assert tip.evaluate("(tip, at) => document.elementFromPoint(...at) !== tip", [x, y])


def test_the_keyboard_shows_a_tip_too(open_page: Opener) -> None:
    page = started(open_page)
    page.locator('[data-hand="hand-0"] button.card').first.focus()
    page.keyboard.press("End")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(held(page, LAMP)).to_be_focused()
    expect(page.locator("#tip")).to_contain_text("You choose its weight")


@pytest.mark.sample
def test_a_long_press_reads_a_card_and_a_tap_plays_it(open_page: Opener) -> None:
    page = started(open_page, screen=(390, 844))
    lamp = held(page, LAMP)
    box = lamp.bounding_box()
    assert box is not None
    devices = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 15, "y": box["y"] + 30}

    def touch(kind: str, *points: dict[str, float]) -> None:
        devices.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", point)
    page.wait_for_timeout(PRESS_MS)
    expect(page.locator("#tip")).to_contain_text("You choose its weight")
    assert page.locator("#tip").evaluate(SEEN_WHOLE)
    touch("touchEnd")
    page.wait_for_timeout(300)  # the time in which a tap would play the card
    expect(page.locator("#tip")).to_be_visible()
    expect(page.locator("#banner-acts")).not_to_contain_text("10")
    touch("touchStart", point)
    touch("touchEnd")
    expect(page.locator("#banner-acts")).to_contain_text("10")
    expect(page.locator("#tip")).to_be_hidden()
