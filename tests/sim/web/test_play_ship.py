"""Tests of the ship in Play: it tilts, cargo falls into the sea, and one button reports it."""

import re
import time
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import Locator, expect

from sim.deal import requests
from sim.players.levels import styles_of
from tests.sim.web.browser import Opener, Site
from tests.sim.web.test_play import SEEN_WHOLE, PlayPage, begin, opened
from tests.sim.web.test_seats_riff_raff import GAME, HOLDS, LOSES, SAVES, playing

pytestmark = pytest.mark.browser

CHOOSE = "Choose a piece and load it. The ship decides what falls."
ACCEPTED_S = 10.0
RAT, BLUE_RAT = f"{GAME}/red-rat#1", f"{GAME}/blue-rat#1"
MOVING = """ship => ship.getAnimations({ subtree: true })
  .filter(({ playState }) => playState === "running").length"""
TURNED = "vessel => new DOMMatrix(getComputedStyle(vessel).transform).b"


def tapped(site: Site, *cards: str) -> None:
    """Tap *cards* on the table, one after the other."""
    for card in cards:
        before = inputs(site)
        site.live.do(requests.Lay((f"{GAME}/{card}#1",), "play")).result(30)
        end_s = time.monotonic() + ACCEPTED_S
        while inputs(site) == before and time.monotonic() < end_s:
            time.sleep(0.02)
        site.in_mat(lambda mat: mat.wait(0.5))
        site.live.do(requests.Lift((f"{GAME}/{card}#1",), "play")).result(30)
        site.in_mat(lambda mat: mat.wait(0.5))
    site.live.do(requests.CoverHand()).result(30)  # a turn later, so the new state is published


def inputs(site: Site) -> int:
    def count(mat: Any) -> int:
        record = mat.running.journal.open_game()
        return 0 if record is None else len(record.inputs)

    return site.in_mat(count)


def loading(open_page: Opener, screen: tuple[int, int] = (1280, 800)) -> PlayPage:
    """Return a page on which Ann loads area 9, and then Ben area 4."""
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1", "red-9", "blue-4")
    play = opened(open_page, screen)
    expect(play.hint).to_have_text(f"Ann: {CHOOSE}")
    return play


def piece(play: PlayPage, tag: str) -> Locator:
    return play.page.locator(f'button[data-piece="{tag}"]')


def aboard(play: PlayPage, tag: str) -> Locator:
    return play.page.locator(f'[data-aboard="{tag}"]')


def second(open_page: Opener, screen: tuple[int, int] = (1280, 800)) -> PlayPage:
    """Return a page on which Ann's rat holds, and Ben loads."""
    play = loading(open_page, screen)
    piece(play, RAT).click()
    play.act("Go on").click()
    expect(play.hint).to_have_text(f"Ben: {CHOOSE}")
    return play


# Notes what the page says aloud.
LISTEN = """() => {
  window.spoken = [];
  window.speechSynthesis.speak = ({ text }) => window.spoken.push(text);
}"""


def chosen_first(open_page: Opener) -> tuple[PlayPage, Locator]:
    """Return a page on which only Ben has chosen, the 4, and the voice's line about it."""
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1")
    play = opened(open_page)
    lines = play.page.locator("#transcript-lines")
    expect(lines.get_by_text("Round 1")).to_have_attribute("data-fate", "said")
    play.page.evaluate(LISTEN)
    tapped(open_page.site, "blue-4")
    line = lines.locator("li", has_text="Ben: 4.")
    expect(line.locator("[data-fate=said]")).to_be_attached()
    return play, line


def test_numbers_are_told_when_all_cards_are_revealed(open_page: Opener) -> None:
    """Neither the voice nor the lines for screen readers tell them to those who still choose."""
    play, line = chosen_first(open_page)
    expect(line).to_have_attribute("hidden", "")
    assert play.page.evaluate("window.spoken") == []
    tapped(open_page.site, "red-9")
    expect(line).not_to_have_attribute("hidden", "")
    last = play.page.locator("#transcript-lines").get_by_text("Ann: 9.")
    expect(last).to_have_attribute("data-fate", "said")
    assert play.page.evaluate("window.spoken")[:2] == ["Ben: 4.", "Ann: 9."]


def test_a_number_that_was_taken_back_is_never_said(open_page: Opener) -> None:
    play, _ = chosen_first(open_page)
    play.act("Take back").click()
    expect(play.hint).to_contain_text("2 players have not chosen yet")
    tapped(open_page.site, "blue-5", "red-9")
    last = play.page.locator("#transcript-lines").get_by_text("Ann: 9.")
    expect(last).to_have_attribute("data-fate", "said")
    assert "Ben: 4." not in play.page.evaluate("window.spoken")


def test_a_phone_says_where_the_cards_are_while_cargo_is_loaded(open_page: Opener) -> None:
    play = second(open_page, (390, 844))
    kept = play.page.locator('[data-hand="hand-1"] .kept')
    expect(kept).to_have_text("The other cards are for the next round.")
    for screen, is_shown in {(390, 844): 1, (320, 568): 1, (844, 390): 1, (1280, 800): 0}.items():
        play.page.set_viewport_size({"width": screen[0], "height": screen[1]})
        expect(kept).to_be_visible(visible=bool(is_shown))
        cards = play.page.locator('[data-hand="hand-1"] .hand-cards')
        expect(cards).to_be_visible(visible=not is_shown)
        if is_shown and screen[0] < screen[1]:  # across, all cargo of two colours is above it
            assert kept.evaluate(SEEN_WHOLE), screen


def test_nothing_can_be_said_of_a_piece_before_one_is_chosen(open_page: Opener) -> None:
    with playing(HOLDS):
        play = loading(open_page)
        expect(play.act("Go on")).to_have_count(0)
        piece(play, RAT).click()
        expect(play.hint).to_have_text(
            "The red rat holds. Click another piece to change it, or go on."
        )
        assert play.buttons == ["Go on", "Take back"]


def test_a_piece_is_taken_back_before_the_card_that_was_revealed(open_page: Opener) -> None:
    with playing(HOLDS):
        play = loading(open_page)
        piece(play, RAT).click()
        expect(play.hint).to_contain_text("The red rat holds.")
        play.act("Take back").click()
        expect(play.hint).to_have_text(f"Ann: {CHOOSE}")
        play.act("Take back").click()
        expect(play.hint).to_contain_text("Pass the screen to Ben.")  # who reveals a card again


@pytest.mark.sample
def test_what_falls_is_seen_said_and_reported_with_one_button(open_page: Opener) -> None:
    with playing(LOSES):
        with playing(HOLDS):
            play = second(open_page)
        piece(play, BLUE_RAT).click()
        expect(play.hint).to_have_text(
            "The ship tipped. Ben was loading, and takes what fell: the red rat and the blue rat."
        )
        for tag in (RAT, BLUE_RAT):
            expect(aboard(play, tag)).to_have_attribute("data-how", "fell")
        play.act("Go on").click()
        marked = play.page.locator("#news [data-result]")
        expect(marked).to_contain_text("Ben takes 2 pieces that fell")
        expect(play.page.locator("[data-aboard]")).to_have_count(0)


def test_what_was_taken_back_is_not_told_any_more(open_page: Opener) -> None:
    with playing(LOSES):
        with playing(HOLDS):
            play = second(open_page)
        piece(play, BLUE_RAT).click()
        play.act("Go on").click()
        expect(play.page.locator("#news")).to_contain_text("Ben takes 2 pieces that fell")
        play.act("Take back").click()
        expect(play.act("Go on")).to_be_visible()
        expect(play.page.locator("#news")).not_to_contain_text("fell")
        expect(play.page.locator("#news")).not_to_contain_text("overboard")


def test_the_page_does_not_choose_a_captain_for_those_who_revealed_the_same(
    open_page: Opener,
) -> None:
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1", "red-9")
    play = opened(open_page)
    expect(play.hint).to_have_text(
        "Pass the screen to Ben. Show your own hand; the others look away."
    )
    expect(play.hand).to_have_count(0)  # the last one chooses in secret too
    play.act("Show Ben\u2019s hand").click()
    play.card(f"{GAME}/blue-9#1").click()
    expect(play.hint).to_contain_text("Several players revealed 9")
    expect(play.act("Ben")).to_be_visible()
    assert [each.inner_text() for each in play.page.locator(".player-revealed").all()] == ["9", "9"]


def test_all_numbers_are_turned_over_together_and_the_order_of_play_stays(
    open_page: Opener,
) -> None:
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1", "blue-4")
    play = opened(open_page)
    play.page.emulate_media(reduced_motion="no-preference")
    numbers, names = play.page.locator(".player-revealed"), play.page.locator(".player-name")
    expect(numbers).to_have_text(["", "?"])
    card = play.page.locator('[data-hand="hand-1"] .revealed svg')
    expect(card).to_have_class(re.compile("back"))
    expect(play.page.locator("#news")).not_to_contain_text("Ben: 4.")
    expect(play.page.locator("[data-place]")).to_have_count(0)
    with playing(HOLDS):
        tapped(open_page.site, "red-9")
        expect(numbers).to_have_text(["9", "4"])
        expect(card).not_to_have_class(re.compile("back"))
        expect(play.page.locator("#news")).to_contain_text("Ann: 9.")
        flip = "number => getComputedStyle(number).animationDuration"
        assert [number.evaluate(flip) for number in numbers.all()] == ["0.25s", "0.25s"]
        for _ in range(2):
            assert [name.get_attribute("data-place") for name in names.all()] == ["1.", "2."]
            piece(play, RAT).or_(piece(play, BLUE_RAT)).click()
            play.act("Go on").click()
            expect(play.hint).not_to_contain_text("holds")
    expect(play.page.locator("[data-place]")).to_have_count(0)
    play.page.emulate_media(reduced_motion="reduce")
    tapped(open_page.site, "red-8", "blue-3")
    expect(numbers).to_have_text(["8", "3"])
    assert numbers.first.evaluate(flip) == "0s"


def test_the_banner_says_which_colour_is_mine(open_page: Opener) -> None:
    begin(open_page.site, GAME)
    play = opened(open_page)
    expect(play.hint).to_have_text("Ann has these cards and this cargo.")
    play.act("Go on").focus()
    play.page.keyboard.press("Enter")
    expect(play.hint).to_contain_text("Ben has these cards")
    assert inputs(open_page.site) == 1


@pytest.mark.parametrize(("screen", "is_word"), [((1280, 800), True), ((390, 844), False)])
def test_each_player_has_a_colour_and_its_name_whole_where_there_is_room(
    open_page: Opener, screen: tuple[int, int], *, is_word: bool
) -> None:
    play = loading(open_page, screen)
    players = play.page.locator(".player")
    for player, colour in zip(players.all(), ("red", "blue"), strict=True):
        expect(player).to_have_attribute("data-colour", colour)
        shown = player.evaluate("box => getComputedStyle(box, '::before').content")
        assert shown == (f'"{colour}"' if is_word else '""')
        expect(player).to_have_class(re.compile(f"look-{colour}"))
        expect(player.locator(".player-note")).to_contain_text(colour)


def test_the_captain_s_choice_is_the_order_on_the_names(open_page: Opener) -> None:
    names = ("Ann", "Ben", "Cem")
    open_page.site.live.do(requests.BeginGame(GAME, names, (None,) * 3, {})).result(30)
    tapped(open_page.site, "red-1", "blue-1", "green-1", "red-9", "blue-4", "green-4")
    play = opened(open_page)
    expect(play.hint).to_have_text(
        "Several players revealed 4. Ann, you are captain: who comes first?"
    )
    play.act("Cem").click()
    expect(play.hint).to_have_text(f"Ann: {CHOOSE}")
    places = [name.get_attribute("data-place") for name in play.page.locator(".player-name").all()]
    assert places == ["1.", "3.", "2."]


def test_a_click_where_nothing_can_be_done_says_what_comes_first(open_page: Opener) -> None:
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1", "blue-4")
    play = opened(open_page)
    play.page.locator(".ship").click()
    notice = play.page.locator(".notice").last
    expect(notice).to_contain_text("Pass the screen to Ann.")
    with playing(HOLDS):
        tapped(open_page.site, "red-9")
        piece(play, RAT).click()
        play.act("Go on").click()
        piece(play, BLUE_RAT).click()
        play.act("Go on").click()
    tapped(open_page.site, "red-8", "blue-9")
    expect(play.act("Two pieces")).to_be_visible()
    assert "later" not in play.hint.inner_text()
    play.page.locator('[data-hand="hand-1"] .stock .aboard').first.click()
    expect(play.page.locator(".notice").last).to_contain_text("One piece or two?")


def test_a_piece_has_its_weight_and_the_ship_a_scale_of_its_lean(open_page: Opener) -> None:
    play = loading(open_page)
    piece(play, RAT).hover()
    tip = play.page.locator("#tip")
    expect(tip).to_contain_text("light")
    piece(play, f"{GAME}/red-chest#1").hover()
    expect(tip).to_contain_text("very heavy")
    with playing(HOLDS):
        piece(play, RAT).click()
        expect(aboard(play, RAT)).to_be_visible()
    scale = play.page.locator(".lean")
    expect(scale).to_have_attribute("title", re.compile(r"^Lean: [\d.]+°. Cargo slides from \d"))
    heading = play.page.locator('[data-hand="hand-0"] h3')
    score = play.page.locator(".player-points").first.inner_text()
    expect(heading).to_contain_text(score)


def test_the_news_name_the_piece_that_holds(open_page: Opener) -> None:
    with playing(HOLDS):
        play = second(open_page)
    expect(play.page.locator("#news")).to_contain_text("Ann plays the red rat.")


def test_the_hand_stays_while_its_player_loads(open_page: Opener) -> None:
    play = loading(open_page)
    expect(play.page.locator('[data-hand="hand-0"] button.card').first).to_be_visible()


def test_what_was_caught_is_named(open_page: Opener) -> None:
    with playing(SAVES):
        with playing(HOLDS):
            play = second(open_page)
        piece(play, BLUE_RAT).click()
        expect(play.hint).to_have_text("The ship tipped. Caught, and out of the game: the red rat.")
        expect(aboard(play, RAT)).to_have_attribute("data-how", "caught")
        play.act("Go on").click()
        expect(play.page.locator('[data-hand="box"] h3')).to_have_text("Out of the game: 1")


def test_what_falls_is_not_asked_again(open_page: Opener) -> None:
    with playing(LOSES):
        with playing(HOLDS):
            play = second(open_page)
        piece(play, BLUE_RAT).click()
        expect(play.act("Go on")).to_be_visible()
        assert play.buttons == ["Go on", "Take back"]


def test_a_piece_goes_to_the_lit_area_only_and_the_page_says_so(open_page: Opener) -> None:
    with playing(HOLDS):
        play = loading(open_page)
        wrong, notices = play.page.locator('.bay[data-area="1"]'), play.page.locator(".notice")
        says = "Click a piece: it goes to area 9."
        piece(play, RAT).drag_to(wrong)
        expect(notices.last).to_contain_text(says)
        expect(aboard(play, RAT)).to_have_count(0)
        frame = piece(play, RAT).locator(".paper").first
        assert frame.evaluate("paper => getComputedStyle(paper).stroke") == "rgb(224, 138, 0)"
        play.page.reload()
        wrong.click()
        expect(notices.last).to_contain_text(says)
        piece(play, RAT).drag_to(play.page.locator(".bay[data-lit]"))
        expect(aboard(play, RAT)).to_be_visible()


def test_the_news_are_the_last_two_and_name_the_player(open_page: Opener) -> None:
    with playing(SAVES):
        with playing(HOLDS):
            play = second(open_page)
        piece(play, BLUE_RAT).click()
        play.act("Go on").click()
        news = play.page.locator("#news span")
        expect(news.last).to_contain_text("Ben caught 1 piece: it leaves the game.")
        assert news.count() == 2


def among_robots(open_page: Opener) -> PlayPage:
    """Begin a game of Ann and two robots; return a page that shows it."""
    robot = styles_of(GAME)[0]
    asked = requests.BeginGame(GAME, ("Ann", "Ben", "Cem"), (None, robot, robot), {})
    open_page.site.live.do(asked).result(30)
    return opened(open_page)


def test_only_people_are_asked_to_reveal_a_card(open_page: Opener) -> None:
    play = among_robots(open_page)
    tapped(open_page.site, "red-1", "blue-1", "green-1")
    expect(play.hint).to_contain_text("Ann: Click a card in secret")
    expect(play.hint).to_contain_text("Robots choose without seeing your card.")


# The cards of the hand that the tip covers.
UNDER_TIP = """() => {
  const tip = document.querySelector("#tip").getBoundingClientRect();
  return [...document.querySelectorAll(".hand button.card")].filter((card) => {
    const { left, right, top, bottom } = card.getBoundingClientRect();
    return left < tip.right && right > tip.left && top < tip.bottom && bottom > tip.top;
  }).map((card) => card.dataset.tag);
}"""


def test_a_hand_keeps_its_size_and_a_tip_covers_none_of_its_cards(open_page: Opener) -> None:
    with patch("sim.deal.seats.THINKS_S", 86_400):  # the robots do not act
        play = among_robots(open_page)
        hand = play.page.locator('[data-hand="hand-0"]')
        for card in (play.hand.first, play.hand.last):
            card.hover()
            expect(play.page.locator("#tip")).to_be_visible()
            assert play.page.evaluate(UNDER_TIP) == []
        expect(hand).to_have_attribute("data-turn", "")
        size = hand.evaluate("hand => [hand.offsetWidth, hand.offsetHeight]")
        play.hand.first.click()
        expect(hand).not_to_have_attribute("data-turn", "")
        assert hand.evaluate("hand => [hand.offsetWidth, hand.offsetHeight]") == size


def test_the_ship_tilts_to_where_its_cargo_lies(open_page: Opener) -> None:
    play = loading(open_page)
    vessel = play.page.locator(".vessel")
    assert vessel.evaluate(TURNED) == 0
    piece(play, RAT).click()  # at the left
    expect(aboard(play, RAT)).to_be_visible()
    play.page.wait_for_function(f"({TURNED})(document.querySelector('.vessel')) < 0")


@pytest.mark.parametrize("is_reduced", [False, True])
def test_the_ship_moves_unless_people_want_less_motion(
    open_page: Opener, *, is_reduced: bool
) -> None:
    with playing(LOSES):
        with playing(HOLDS):
            play = second(open_page)
        play.page.emulate_media(reduced_motion="reduce" if is_reduced else "no-preference")
        play.page.wait_for_function(f"({MOVING})(document.querySelector('.ship')) === 0")
        piece(play, BLUE_RAT).click()
        expect(aboard(play, BLUE_RAT)).to_have_attribute("data-how", "fell")
        assert (play.page.locator(".ship").evaluate(MOVING) == 0) is is_reduced


# --- several people at one phone ------------------------------------------------------------------

# True if a button is seen whole, and nothing lies on it.
IS_FREE = """button => {
  const { left, top, right, bottom } = button.getBoundingClientRect();
  const corners = [[left + 4, top + 4], [right - 4, top + 4], [left + 4, bottom - 4]];
  return bottom <= innerHeight && corners.every(([x, y]) =>
    button.contains(document.elementFromPoint(x, y)));
}"""
# The height in CSS pixels between the banner and the hands that the ship leaves empty.
EMPTY = """() => {
  const box = (wanted) => document.querySelector(wanted).getBoundingClientRect();
  const hands = [...document.querySelectorAll(".hand")].filter((hand) => hand.checkVisibility());
  const below = Math.min(...hands.map((hand) => hand.getBoundingClientRect().top));
  return below - box("#banner").bottom - box(".ship").height;
}"""


@pytest.mark.parametrize("screen", [(320, 568), (390, 844)])
def test_several_people_show_their_hands_at_one_phone(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    names = ("Ann", "Ben", "Cem", "Dora")
    people = requests.BeginGame(GAME, names, (None,) * len(names), {})
    open_page.site.live.do(people).result(30)
    tapped(open_page.site, "red-1", "blue-1", "green-1")  # the last colour is known then
    play = opened(open_page, screen)
    shows = play.page.locator("button[data-show]").filter(visible=True)
    expect(shows).to_have_count(len(names))
    assert [show.evaluate(IS_FREE) for show in shows.all()] == [True] * len(names)
    shows.nth(1).tap()
    cover = play.page.locator('[data-cover="2"]')
    expect(cover).to_be_visible()
    expect(shows).to_have_count(0)  # Ben has the phone until he covers his hand or plays
    assert cover.evaluate(IS_FREE)
    assert play.hand.first.evaluate(IS_FREE)
    cover.tap()
    expect(shows).to_have_count(len(names))


BOX = (
    "element => { const { top, bottom } = element.getBoundingClientRect(); return [top, bottom]; }"
)
# True if nothing of the hand lies outside its frame.
HAS_ALL = """hand => [...hand.querySelectorAll(".card, .piece, .aboard, h3, .kept")]
  .filter((part) => part.checkVisibility())
  .every((part) => part.getBoundingClientRect().bottom <= hand.getBoundingClientRect().bottom)"""


@pytest.mark.parametrize("screen", [(390, 844), (375, 667), (320, 568)])
def test_on_a_phone_the_hand_has_one_size_below_the_ship(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    style = styles_of(GAME)[0]
    begins = requests.BeginGame(GAME, ("Ann", "Ben", "Cem"), (None, style, style), {})
    open_page.site.live.do(begins).result(30)
    play = opened(open_page, screen)
    hand, turn = play.page.locator('[data-hand="hand-0"]'), play.page.locator("#banner-hint")
    play.act("Go on").click()
    expect(play.hint).not_to_contain_text("Ann has these")
    expect(turn).to_contain_text("reveal")
    before = hand.evaluate(BOX)
    assert before[0] >= play.page.locator(".ship").evaluate(BOX)[1]
    play.playable.click()
    for heading in (re.compile("pieces$"), re.compile("to play$")):
        expect(hand.locator("h3")).to_have_text(heading, timeout=30_000)
        assert hand.evaluate(BOX) == before
        assert hand.evaluate(HAS_ALL)


@pytest.mark.parametrize("is_loading", [False, True])
def test_the_ship_has_the_room_of_the_smallest_phone(
    open_page: Opener, *, is_loading: bool
) -> None:
    if is_loading:
        play = loading(open_page, (320, 568))
    else:
        begin(open_page.site, GAME)
        tapped(open_page.site, "red-1", "blue-1", "red-9")
        play = opened(open_page, (320, 568))
    expect(play.page.locator(".hand").filter(visible=True).first).to_be_visible()
    assert play.page.evaluate(EMPTY) <= 16
    width = play.page.locator(".ship").evaluate("ship => ship.clientWidth")
    assert width >= 200
