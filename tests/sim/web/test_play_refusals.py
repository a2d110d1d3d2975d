"""Refusals in Play: its own, because it knows the hands; and the place of every refusal."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Locator, expect

from tests.sim.web.browser import Finger, Opener, TablePage
from tests.sim.web.test_play import WITH_STRAW, PlayPage, begin, opened
from tests.sim.web.test_play_guests import PHONE_SIZE, SETTLES_MS, box, plays
from tests.sim.web.test_play_told import Box, begun, open_box, until_lifted

__all__ = ["open_box"]

pytestmark = pytest.mark.browser

STRAW = "straw/straw#1"
AGAIN = {"rock-green-again": 20, "joker-green": 20}  # jokers beat it
LIT = "[data-turn] button.card:not([data-idle])"


def in_hand(play: PlayPage, kind: str) -> Locator:
    return play.page.locator(f'[data-turn] button.card[data-tag^="ciao/{kind}#"]')


def points(play: PlayPage, seat: int) -> Locator:
    return play.page.locator(".player-points").nth(seat)


def in_straw(play: PlayPage, kind: str) -> Locator:
    return play.page.locator(f'[data-turn] button.card[data-tag^="straw/{kind}#"]').first


def begun_with(open_box: Box, counts: Mapping[str, int]) -> tuple[Opener, PlayPage]:
    opener = open_box("ciao", counts)
    return opener, begun(opener, "ciao")


# --- cards that the mat would accept --------------------------------------------------------------


def test_a_question_is_answered_before_the_next_card(open_box: Box) -> None:
    opener, play = begun_with(open_box, AGAIN)
    in_hand(play, "rock-green-again").first.click()
    expect(play.act("Reverse")).to_be_visible()
    expect(points(play, 0)).to_have_text("6 cards")
    expect(play.page.locator(LIT)).to_have_count(0)
    in_hand(play, "joker-green").first.click()
    wrong = play.page.locator("#banner-wrong")
    expect(wrong).to_have_text("Not now. Ann: First choose: again, or reverse.")
    expect(play.page.locator("#banner-why")).to_be_visible()
    play.page.wait_for_timeout(SETTLES_MS)
    assert plays(opener.site) == 1
    play.act("Reverse").click()
    expect(play.page.locator(".player[data-turn]")).to_contain_text("Cleo")
    expect(wrong).to_be_empty()
    assert [points(play, seat).inner_text() for seat in range(3)] == [
        "6 cards",
        "7 cards",
        "7 cards",
    ]


def test_a_second_card_waits_until_the_first_is_played_and_is_refused_then(open_box: Box) -> None:
    opener, play = begun_with(open_box, AGAIN)
    cards = [box(in_hand(play, kind).first) for kind in AGAIN]
    for place in cards:
        play.page.mouse.click(place["x"] + 20, place["y"] + 20)
    expect(play.act("Reverse")).to_be_visible()
    play.page.wait_for_timeout(SETTLES_MS)
    assert plays(opener.site) == 1


def test_after_a_draw_only_the_drawn_card_may_be_played(open_box: Box) -> None:
    opener = open_box("ciao", {"joker-green": 60})
    begun(opener, "ciao").page.context.close()
    play = opened(opener, PHONE_SIZE)
    play.act("Draw").click()
    expect(points(play, 0)).to_have_text("8 cards")
    lit = play.page.locator(LIT)
    expect(lit).to_have_count(1)
    expect(lit).to_have_attribute("data-fresh", "new")
    expect(lit).to_be_in_viewport(ratio=0.9)
    before = plays(opener.site)
    old = play.page.locator("[data-turn] button.card[data-idle]").first
    old.scroll_into_view_if_needed()
    old.click()
    expect(play.page.locator("#banner-wrong")).to_have_text(
        "You have drawn a card. Play the drawn card, or pass."
    )
    play.page.click("#banner-why")
    rule = play.page.locator("#rules [data-rule='3.4']")
    expect(rule).to_have_attribute("aria-current", "true")
    play.page.keyboard.press("Escape")
    assert plays(opener.site) == before
    lit.click()
    play.act("Rock").click()
    expect(points(play, 0)).to_have_text("7 cards")


# --- answers without a button ---------------------------------------------------------------------


def test_a_click_on_the_pile_takes_the_cards_that_are_owed(open_box: Box) -> None:
    _, play = begun_with(open_box, {"rock-green-plus3": 60})
    play.playable.click()
    expect(play.act("Take 3")).to_be_visible()
    play.page.locator("[data-hand=pile] .card").click()
    expect(points(play, 1)).to_have_text("10 cards")


def test_a_click_on_a_players_box_answers_who_gets_the_card(open_box: Box) -> None:
    _, play = begun_with(open_box, {"rock-green-give": 60})
    boxes = play.page.locator(".player")
    play.playable.click()
    expect(play.act("Ben")).to_be_visible()
    boxes.nth(0).click()  # Ann cannot get her own card
    boxes.nth(2).click()
    expect(play.page.locator("button[data-give]")).to_have_count(6)
    expect(play.page.locator(".hand[data-gift] h3")).to_contain_text("Cleo")
    news = play.page.locator("#news")
    expect(news).not_to_contain_text("Cleo")
    play.page.locator("button[data-give]").first.click()
    expect(news).to_contain_text("Cleo")
    play.act("Take back").click()
    expect(play.page.locator("button[data-give]")).to_have_count(6)
    expect(news).not_to_contain_text("Cleo")


# --- where and how long a refusal is shown --------------------------------------------------------


def test_a_question_of_the_page_replaces_an_old_refusal(open_box: Box) -> None:
    """With cards of 8 only, the camel carries 48 after two turns of all three players."""
    opener = open_box("straw", {"weight-8": 30, "straw": 14})
    begun(opener, "straw").page.close()
    play = opened(opener, PHONE_SIZE)
    wrong = play.page.locator("#banner-wrong")
    for weight in range(8, 49, 8):
        play.playable.click()
        expect(play.page.locator("#banner-figure")).to_have_text(str(weight))
    eight, straw = in_straw(play, "weight-8"), in_straw(play, "straw")
    straw.click()
    expect(wrong).not_to_be_empty()
    refusal = wrong.inner_text()
    eight.click()
    expect(play.hint).to_be_visible()
    expect(play.hint).to_have_text("The 8 would break the camel's back. Play it anyway?")
    expect(wrong).to_be_empty()
    play.act("Keep it").click()
    expect(play.hint).to_contain_text("Ann:")
    expect(play.hint).to_be_visible()
    expect(wrong).to_be_empty()
    straw.click()
    expect(wrong).to_have_text(refusal)


@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
@pytest.mark.parametrize("screen", [PHONE_SIZE, (844, 390), (1280, 800)])
def test_why_moves_no_other_button(open_page: Opener, screen: tuple[int, int]) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    acts = play.page.locator("#banner-acts button")
    expect(acts).to_have_count(1)
    before = [box(act) for act in acts.all()]
    play.card(STRAW).click()
    why = play.page.locator("#banner-why")
    expect(why).to_be_visible()
    assert [box(act) for act in acts.all()] == before
    place, banner = box(why), box(play.page.locator("#banner"))
    assert place["x"] + place["width"] <= banner["x"] + banner["width"]
    for other in (*before, box(play.page.locator(".banner-text"))):
        is_beside = (
            other["x"] >= place["x"] + place["width"] - 1
            or place["x"] >= other["x"] + other["width"] - 1
        )
        is_below = other["y"] >= place["y"] + place["height"] - 1
        is_above = place["y"] >= other["y"] + other["height"] - 1
        assert is_beside or is_below or is_above, (place, other)
        assert (
            not is_beside
            or screen != (1280, 800)
            or other not in before
            or (round(other["y"]) == round(place["y"]))
        )


# --- the laid cards -------------------------------------------------------------------------------


def test_a_swipe_on_a_laid_card_plays_nothing(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, PHONE_SIZE)
    laid = play.page.locator('[data-hand="laid"] button.card')
    play.page.locator('[data-turn] [data-tag*="weight"]:not([data-idle])').first.click()
    expect(laid).to_have_count(1)
    expect(play.page.locator(".player[data-turn]")).to_contain_text("Ben")
    until_lifted(open_page.site)
    expect(laid).not_to_have_attribute("aria-disabled", "true")
    Finger(TablePage(play.page)).drag(laid, play.hint)
    play.page.wait_for_timeout(SETTLES_MS)
    assert play.page.locator("#banner-wrong").inner_text() == ""
    assert open_page.site.live.state["view"]["notice"] is None
