"""Play, the view of the page for players, in a real browser: start, hand, banner, every screen."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from firmware.boxes.games import games
from firmware.show.view import JoinAddress
from sim.deal import requests
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.photo import codes_in
from tests.sim.web.browser import WIDE, Opener, Site, TablePage, findings

pytestmark = pytest.mark.browser

SCREENS = [(320, 568), (390, 844), (568, 320), (768, 1024), (1280, 800), (2560, 1440)]
SMALLEST_TARGET = 44
MINE = '[data-hand="hand-0"]'  # the hand of Ann, whose turn it is first
WITH_STRAW = 32  # a seed that deals Ann the card straw
WITH_BOTH = 50  # a seed that deals Ann a lamp too
SEEN_WHOLE = """element => {
  const { left, top, right, bottom, width } = element.getBoundingClientRect();
  return width > 0 && left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
}"""
SMALL = """least => [...document.querySelectorAll("button, select, input, summary")]
  .filter((target) => target.checkVisibility() && !target.matches(".site:not([data-offered])"))
  .map((target) => target.closest("label.start-game, label.start-quick") ?? target)
  .filter((target) => Math.min(target.offsetWidth, target.offsetHeight) < least)
  .map((target) => target.id || target.className || target.textContent)"""


# Shows notices, as if a guest had tapped again and again.
NOTIFY = """async texts => {
  const { notify } = await import("/static/notices.js");
  for (const text of texts) notify(text, { rule: "4.2" });
}"""
# The buttons and the parts of Play that a notice covers.
COVERED = """() => {
  const box = (element) => element.getBoundingClientRect();
  const notices = [...document.querySelectorAll(".notice")].map(box).filter(({ width }) => width);
  const wanted = "button, select, input, summary, #banner, .hand, #start-form";
  return [...document.querySelectorAll(wanted)]
    .filter((element) => element.checkVisibility() && !element.closest(".notice, #start *"))
    .filter((element) => notices.some((notice) => {
      const { left, top, right, bottom } = box(element.closest(".start") ?? element);
      const isBeside = right <= notice.left + 1 || left >= notice.right - 1;
      return !isBeside && bottom > notice.top + 1 && top < notice.bottom - 1;
    }))
    .map((element) => element.id || element.className || element.textContent);
}"""


# Notes each robot that is said to think while the place of another player is lit.
WATCH_THINKING = """() => {
  window.thought = [];
  const all = { subtree: true, childList: true, characterData: true, attributes: true };
  const watch = new MutationObserver(() => {
    const says = /(.*) is thinking/.exec(document.querySelector("#banner-hint").innerText);
    const lit = document.querySelector(".player[data-turn] .player-name")?.innerText;
    if (says) window.thought.push([says[1], lit]);
  });
  for (const id of ["banner", "round-players"]) watch.observe(document.getElementById(id), all);
}"""


class PlayPage:
    """The page in Play."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)
        expect(page.locator("body[data-view=play]")).to_be_visible()

    @property
    def hand(self) -> Locator:
        """The cards of the open hand."""
        return self.page.locator('[data-hand^="hand-"] button.card').filter(visible=True)

    @property
    def playable(self) -> Locator:
        """The first card that may be played."""
        return self.page.locator("[data-turn] button.card:not([data-idle])").first

    @property
    def newest(self) -> Locator:
        """The card that was laid last."""
        return self.page.locator('[data-hand="laid"] button.card').first

    @property
    def buttons(self) -> list[str]:
        """The words on the banner's buttons."""
        return self.page.locator("#banner-acts button").all_inner_texts()

    @property
    def hint(self) -> Locator:
        return self.page.locator("#banner-hint")

    def card(self, tag: str | None) -> Locator:
        """Return the card *tag* in a hand."""
        return self.page.locator(f'[data-hand^="hand-"] [data-tag="{tag}"]')

    def act(self, words: str) -> Locator:
        """Return the button of the banner with these *words*."""
        return self.page.locator("#banner-acts").get_by_role("button", name=words, exact=True)

    def start(self, game: str) -> None:
        """Start *game* as the start page suggests: one person and two robots."""
        self.page.get_by_role("radio", name=re.compile(game)).check(force=True)
        self.page.click("#start-begin")
        expect(self.page.locator("body[data-start]")).to_have_count(0)


def opened(
    open_page: Opener, screen: tuple[int, int] = (WIDE["width"], WIDE["height"])
) -> PlayPage:
    width, height = screen
    blank = open_page.blank({"width": width, "height": height}, is_phone=width < 700)
    return PlayPage(blank.page, open_page.site.address)


def begin(site: Site, game: str) -> None:
    """Begin *game* for Ann and Ben, without robots."""
    site.live.do(requests.BeginGame(game, ("Ann", "Ben"), (None, None), {})).result(30)
    site.live.do(requests.CoverHand()).result(30)  # a turn later, so the new state is published


# --- the start page ------------------------------------------------------------------------------


@pytest.mark.sample
def test_a_game_begins_without_the_instruments_of_the_mat(open_page: Opener) -> None:
    play = opened(open_page)
    expect(play.page.locator("#start")).to_be_visible()
    play.start("Straw")
    expect(play.hand).to_have_count(4)
    for instrument in (".mat", ".console", ".tabs", "#power"):
        expect(play.page.locator(instrument)).to_be_hidden()
    expect(play.page.locator(".player")).to_have_count(3)
    expect(play.page.locator(".player[data-robot]")).to_have_count(2)


def test_the_start_page_remembers_the_game_and_names_the_one_that_it_ends(
    open_page: Opener,
) -> None:
    play = opened(open_page)
    play.start("Straw")
    play.page.reload()
    play.page.click("#new-game")
    expect(play.page.get_by_role("radio", name=re.compile("Straw"))).to_be_checked()
    expect(play.page.locator("#start-begin")).to_have_text("Start Straw again")
    play.page.get_by_role("radio", name=re.compile("Cramel")).check(force=True)
    expect(play.page.locator("#start-begin")).to_have_text("End Straw, and start Cramel")
    expect(play.page.locator("#start-how")).to_have_text("Rules: Cramel")


def players_on(page: Page) -> list[tuple[str, str]]:
    """Return the names on the start page's form, each with the style of a robot or ""."""
    names = page.locator(".start-seat input").evaluate_all("all => all.map(one => one.value)")
    styles = page.locator(".start-seat select").evaluate_all("all => all.map(one => one.value)")
    return list(zip(names, styles, strict=True))


def test_a_new_game_is_offered_with_the_players_of_the_last_one(open_page: Opener) -> None:
    """On the same page, after a reload, on another page, and when the game is put away."""
    first, second = styles_of("cramel")[:2]
    page = opened(open_page).page
    page.get_by_role("radio", name=re.compile("Cramel")).check(force=True)
    page.get_by_label("Name in seat 1").fill("Zoe")
    page.get_by_label("Name in seat 3").fill("Max")
    page.get_by_label("Who plays in seat 3").select_option(second)
    page.get_by_role("radio", name=re.compile("Straw")).check(force=True)
    wanted = [("Zoe", ""), ("Ben", first), ("Max", second)]
    assert players_on(page) == wanted
    page.get_by_role("radio", name=re.compile("Cramel")).check(force=True)
    page.click("#start-begin")
    expect(page.locator(".player-name")).to_have_text(["Zoe", "Ben", "Max"])
    page.click("#new-game")
    assert players_on(page) == wanted
    page.reload()
    other = opened(open_page).page
    for each in (page, other):
        each.click("#new-game")
        expect(each.get_by_role("radio", name=re.compile("Cramel"))).to_be_checked()
        assert players_on(each) == wanted
    open_page.site.live.do(requests.GatherCards()).result(30)
    page.reload()
    expect(page.locator("#start-begin")).to_be_visible()
    expect(page.get_by_role("radio", name=re.compile("Cramel"))).to_be_checked()
    assert players_on(page) == wanted


def test_another_game_keeps_the_number_of_players_if_it_can(open_page: Opener) -> None:
    page = opened(open_page).page
    page.get_by_role("radio", name=re.compile("Straw")).check(force=True)
    page.click("#start-fewer")
    page.get_by_role("radio", name=re.compile("Camargue")).check(force=True)
    expect(page.locator("#start-count")).to_have_text("2")


def test_rules_that_help_only_at_a_mat_are_not_offered(open_page: Opener) -> None:
    page = opened(open_page).page
    for game, rule in (("Camargue", "no-hints"), ("Riff Raff", "tagged-cargo")):
        page.get_by_role("radio", name=re.compile(game)).check(force=True)
        expect(page.locator("#start-options select").first).to_be_attached()
        expect(page.locator(f"#start-options [name={rule}]")).to_have_count(0)
    expect(page.locator("#view-switch")).to_have_attribute(
        "title", "Lab: readers, display, sensors"
    )


def test_the_start_page_shows_no_notice_of_the_game(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    play.playable.click()
    expect(play.hint).to_contain_text("Ben")
    play.act("Take back").click()
    expect(play.hint).to_contain_text("Ann")
    assert open_page.site.live.state["view"]["notice"], "the table says what was taken back"
    play.page.click("#new-game")
    expect(play.page.locator("body")).to_have_attribute("data-start", "")
    expect(play.page.locator("#start-notice")).to_be_empty()
    open_page.site.live.show_code("417032")
    expect(play.page.locator("#start-notice")).to_contain_text("417 032")


def test_names_robots_and_house_rules_are_those_that_were_chosen(open_page: Opener) -> None:
    play = opened(open_page)
    play.page.get_by_role("radio", name=re.compile("Straw")).check(force=True)
    play.page.click("#start-fewer")
    play.page.get_by_label("Name in seat 1").fill("Zoe")
    quick = play.page.get_by_label("Robots play quickly")
    expect(quick).to_be_visible()
    play.page.get_by_label("Who plays in seat 2").select_option("")
    expect(quick).to_be_hidden()
    play.page.click("summary")
    play.page.get_by_label(re.compile("^Cannot play")).select_option("passes")
    play.page.click("#start-begin")
    expect(play.page.locator(".player-name")).to_have_text(["Zoe", "Ben"])
    record = open_page.site.live._record()
    assert record is not None
    assert record.start.names == ("Zoe", "Ben")
    assert record.start.options["cannot-play"] == "passes"
    assert open_page.site.live.state["deal"]["robots"] == [None, None]


def test_people_at_one_page_pass_it_on(open_page: Opener) -> None:
    play = opened(open_page)
    play.page.get_by_role("radio", name=re.compile("Straw")).check(force=True)
    play.page.click("#start-fewer")
    play.page.get_by_label("Who plays in seat 2").select_option("")
    play.page.click("#start-begin")
    expect(play.hint).to_have_text("Pass the screen to Ann.")
    expect(play.hand).to_have_count(0)
    assert play.buttons == ["Show Ann\u2019s hand", "Take back"]
    play.act("Show Ann\u2019s hand").click()
    expect(play.hand).to_have_count(4)
    cover = play.page.get_by_role("button", name="Cover Ann\u2019s hand")
    cover.click()
    expect(play.hand).to_have_count(0)
    play.act("Show Ann\u2019s hand").click()
    expect(play.hand).to_have_count(4)
    other = opened(open_page)
    expect(other.hint).to_have_text("Pass the screen to Ann.")
    expect(other.hand).to_have_count(0)
    play.playable.click()
    expect(play.hint).to_have_text("Pass the screen to Ben.")
    expect(cover).to_have_count(0)
    expect(play.hand).to_have_count(0)
    other.page.locator('[data-hand="hand-1"] .down').first.click()
    expect(other.hand).to_have_count(4)
    expect(play.hand).to_have_count(0)
    other.playable.click()
    expect(play.hand).to_have_count(4)  # this page is Ann's
    expect(other.hand).to_have_count(0)


def handed_over(open_page: Opener, game: str) -> PlayPage:
    """Return a page that Ann and Ben share, at the beginning of *game*."""
    play = opened(open_page)
    begins = requests.BeginGame(game, ("Ann", "Ben"), (None, None), {}, hands_over=True)
    open_page.site.live.do(begins).result(30)
    return play


def test_a_double_click_does_not_press_the_button_that_comes_next(open_page: Opener) -> None:
    play = handed_over(open_page, "ciao")
    before = open_page.site.live.state["view"]["inputs"]
    play.act("Show Ann\u2019s hand").dblclick()
    expect(play.hand).to_have_count(7)
    play.page.wait_for_timeout(300)
    assert open_page.site.live.state["view"]["inputs"] == before


def test_two_quick_presses_of_a_key_do_not_show_the_next_hand(open_page: Opener) -> None:
    play = handed_over(open_page, "straw")
    play.act("Show Ann\u2019s hand").click()
    play.playable.focus()
    play.page.keyboard.press("Enter")
    show = play.act("Show Ben\u2019s hand")
    expect(show).to_be_focused()
    show.evaluate("button => button.click()")  # as the second press does
    play.page.wait_for_timeout(600)
    expect(play.hand).to_have_count(0)
    play.page.keyboard.press("Enter")
    expect(play.hand).to_have_count(4)


def test_a_hand_is_covered_when_somebody_looks_at_the_start_page(open_page: Opener) -> None:
    play = handed_over(open_page, "straw")
    play.act("Show Ann\u2019s hand").click()
    expect(play.hand).to_have_count(4)
    play.page.click("#new-game")
    expect(play.page.locator("#start")).to_be_visible()
    play.page.get_by_role("button", name="Go on").click()
    expect(play.hint).to_have_text("Pass the screen to Ann.")
    expect(play.hand).to_have_count(0)


def test_who_takes_back_does_not_see_the_hand_of_the_player_before(open_page: Opener) -> None:
    play = handed_over(open_page, "straw")
    play.act("Show Ann\u2019s hand").click()
    play.playable.click()
    expect(play.hint).to_have_text("Pass the screen to Ben.")
    play.act("Take back").click()
    expect(play.hint).to_have_text("Pass the screen to Ann.")
    expect(play.hand).to_have_count(0)


def test_a_hand_can_be_shown_again_while_a_place_is_asked_for(open_page: Opener) -> None:
    play = handed_over(open_page, "camargue")
    play.act("Show Ann\u2019s hand").click()
    play.playable.click()
    expect(play.page.locator(".site[data-next]").first).to_be_visible()
    play.page.get_by_role("button", name="Cover Ann\u2019s hand").click()
    expect(play.hint).to_have_text("Pass the screen to Ann.")
    expect(play.page.locator(".site[data-next]")).to_have_count(0)
    play.act("Show Ann\u2019s hand").click()
    expect(play.hand.first).to_be_visible()
    play.hand.nth(1).click()  # another tile
    expect(play.page.locator(".site[data-next]").first).to_be_visible()
    expect(play.hand.first).to_be_visible()
    play.page.get_by_role("button", name="Cover Ann\u2019s hand").click()
    play.page.locator('[data-hand="hand-0"] .down').first.click()
    expect(play.hand.first).to_be_visible()


def test_a_game_that_is_not_over_goes_on_or_is_ended_by_another(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    play.hand.first.click()
    expect(play.newest).to_be_visible()
    play.page.click("#new-game")
    play.page.click("#start-go-on")
    expect(play.newest).to_be_visible()
    play.page.click("#new-game")
    play.start("Cramel")
    expect(play.page.locator(".spread")).to_be_visible()


def test_the_start_page_and_a_game_are_accessible(open_page: Opener) -> None:
    play = opened(open_page)
    assert findings(TablePage(play.page)) == []
    play.start("Straw")
    assert findings(TablePage(play.page)) == []


def test_the_code_for_a_phone_is_shown_in_either_part_of_play(open_page: Opener) -> None:
    play = opened(open_page)
    open_page.site.live.show_code("417032")
    expect(play.page.locator("#start-notice")).to_contain_text("417 032")
    begin(open_page.site, "straw")
    open_page.site.live.show_code("938114")
    expect(play.page.locator("#banner-wrong")).to_contain_text("938 114")


def test_the_start_page_tells_how_to_join_with_a_phone(open_page: Opener) -> None:
    open_page.site.live.inbox.address = JoinAddress("", "417032", "tapmat.local:8738")
    play = opened(open_page)
    expect(play.page.locator("#start-notice")).to_have_text(
        "To play with a phone, open tapmat.local:8738 on it. If asked, enter 417 032."
    )
    begin(open_page.site, "straw")
    expect(play.hint).to_have_text("Ann: Click a card to play it.")
    expect(play.page.locator("#banner-wrong")).to_be_empty()


@pytest.mark.parametrize("screen", [(1280, 800), (844, 390)])
def test_a_guest_joins_with_a_phone_during_a_game_too(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    play = opened(open_page, screen)
    opener = play.page.get_by_role("button", name="Phones")
    expect(opener).to_be_hidden()
    begin(open_page.site, "straw")
    url = "http://192.168.1.7:8738/phone#ABCDEFGHIJKLMNOPQRSTUV"
    open_page.site.live.inbox.address = JoinAddress(url, "417032", "tapmat.local:8738")
    opener.click()
    dialog = play.page.get_by_role("dialog", name="Join with a phone")
    expect(dialog).to_contain_text("open tapmat.local:8738 on it")
    expect(dialog).to_contain_text("If the phone asks for digits: 417 032.")
    assert findings(TablePage(play.page)) == []
    picture = Image.open(BytesIO(play.page.screenshot()))
    assert codes_in(picture) == [url], "another project's decoder reads the code on the screen"
    play.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    open_page.site.live.inbox.address = None
    expect(opener).to_be_hidden()


# True if nothing lies on an element, such as a button below which it was scrolled.
IS_FREE = """element => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) =>
    element.contains(document.elementFromPoint((left + right) / 2, y)));
}"""


@pytest.mark.parametrize("screen", [(320, 568), (568, 320), (1366, 560)])
def test_the_start_button_names_the_game_is_always_in_view_and_hides_no_seat(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    play = opened(open_page, screen)
    play.page.get_by_role("radio", name=re.compile("Cramel")).check(force=True)
    begins = play.page.get_by_role("button", name="Start Cramel")
    for part in (".start-game:first-child", "#start-quick"):
        play.page.locator(part).scroll_into_view_if_needed()
        assert begins.evaluate(SEEN_WHOLE)
        assert play.page.locator("#start").evaluate(SEEN_WHOLE)
    play.page.locator(".start-game:first-child").scroll_into_view_if_needed()
    for chair in play.page.locator(".start-seat select").all():
        if screen[0] < 1000:
            chair.focus()
        assert chair.evaluate(SEEN_WHOLE)
        assert chair.evaluate(IS_FREE)


@pytest.mark.sample
def test_the_game_that_is_chosen_at_first_has_a_button_for_its_rules(open_page: Opener) -> None:
    play = opened(open_page, (1280, 800))
    rules, begins = play.page.locator("#start-how"), play.page.locator("#start-begin")
    expect(rules).to_be_visible()
    before = begins.bounding_box()
    play.page.get_by_role("radio").first.check(force=True)
    expect(rules).to_be_visible()
    assert begins.bounding_box() == before


# --- playing -------------------------------------------------------------------------------------


@pytest.mark.sample
def test_a_click_plays_a_card_and_take_back_returns_it(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    tag = play.playable.get_attribute("data-tag")
    play.card(tag).click()
    expect(play.newest).to_have_attribute("data-tag", tag or "")
    expect(play.hint).to_contain_text("Ben")
    play.act("Take back").click()
    expect(play.hint).to_contain_text("Ann")
    expect(play.card(tag)).to_be_visible()


def test_a_card_can_be_dragged_onto_the_table(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    tag = play.playable.get_attribute("data-tag")
    play.playable.drag_to(play.page.locator('[data-hand="laid"]'))
    expect(play.newest).to_have_attribute("data-tag", tag or "")


@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
def test_a_refused_card_is_still_in_the_hand_and_the_banner_says_why(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    tag = "straw/straw#1"  # allowed from 50 on
    play = opened(open_page)
    expect(play.card(tag)).to_have_attribute("data-idle", "")
    play.card(tag).click()
    expect(play.page.locator("#banner-wrong")).not_to_be_empty()
    expect(play.card(tag)).to_be_visible()


@pytest.mark.sample
def test_a_question_is_answered_with_words(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    play.card("straw/lamp#1").click()
    play.act("7").click()
    expect(play.page.locator("#banner-figure")).to_have_text("7")
    expect(play.hint).to_contain_text("Ben")


@pytest.mark.sample
def test_before_a_card_that_costs_cards_the_banner_asks(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    play = opened(open_page)
    first = play.playable.get_attribute("data-tag")
    play.playable.click()
    expect(play.newest).to_have_attribute("data-tag", first or "")
    wrong = play.page.locator("[data-turn] button.card[data-idle]").first
    tag = wrong.get_attribute("data-tag")
    before = play.hand.count()
    hint = play.hint.inner_text()
    wrong.click()
    expect(play.hint).to_have_text(
        re.compile(r"^Ben: .* can't beat .*\. This costs you 3 cards\. Play it anyway\?$")
    )
    play.page.click("#banner-why")
    rule = play.page.locator("#rules [data-rule='4.1']")
    expect(rule).to_have_attribute("aria-current", "true")
    expect(rule).to_contain_text("Paper beats rock")
    play.page.keyboard.press("Escape")
    play.act("Keep it").click()
    expect(play.hint).to_have_text(hint)
    assert play.hand.count() == before
    play.card(tag).click()
    play.act("Play it anyway").click()
    expect(play.page.locator("#banner-wrong")).not_to_be_empty()
    expect(play.page.locator(".player").nth(1).locator(".player-points")).to_have_text(
        f"{before + 3} cards"
    )


@pytest.mark.sample
@pytest.mark.parametrize("game", ["camargue", "straw"])
def test_it_is_not_offered_to_say_that_nothing_fits_while_a_piece_does(
    open_page: Opener, game: str
) -> None:
    begin(open_page.site, game)
    play = opened(open_page)
    expect(play.playable).to_be_visible()
    assert open_page.site.live.state["view"]["isClaim"]
    assert play.buttons == ["Take back"]


def test_a_tap_on_the_draw_pile_draws_as_its_button_does(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    play = opened(open_page)
    pile = play.page.locator("[data-hand=pile][data-draws] .card")
    held = play.page.locator(".player").first.locator(".player-points")
    expect(held).to_have_text("7 cards")
    pile.click()
    expect(held).to_have_text("8 cards")
    expect(play.act("Draw")).to_have_count(0)
    expect(pile).to_have_count(0)
    play.page.locator("[data-hand=pile] .card").click()
    expect(held).to_have_text("8 cards")


def test_the_robot_that_is_said_to_think_is_the_one_whose_place_is_lit(
    open_page: Opener,
) -> None:
    asked = requests.BeginGame("straw", ("Ann", "Ben", "Cem"), (None, "good", "good"), {})
    open_page.site.live.do(asked).result(30)
    play = opened(open_page)
    play.page.evaluate(WATCH_THINKING)
    play.playable.click()
    lit = play.page.locator(".player[data-turn]")
    expect(lit).to_contain_text("Cem")
    expect(lit).to_contain_text("Ann")
    thought = play.page.evaluate("window.thought")
    assert {name for name, _ in thought} == {"Ben", "Cem"}
    assert [pair for pair in thought if pair[0] != pair[1]] == []


def test_two_clicks_on_lab_do_not_pull_the_plug(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    lab = play.page.locator("#view-switch").bounding_box()
    play.page.click("#view-switch")
    power = play.page.locator("#power").bounding_box()
    assert lab is not None
    assert power is not None
    assert power["x"] + power["width"] <= lab["x"] or power["x"] >= lab["x"] + lab["width"]


def test_the_camel_shows_how_close_the_weight_is_to_its_limit(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    gauge = play.page.locator("#gauge")
    expect(gauge).to_have_attribute("aria-label", "0, at most 50")
    unloaded = gauge.locator(".camel-body").get_attribute("d")
    weight = play.page.locator("#banner-figure")
    for name in ("Ben", "Ann", "Ben"):
        play.playable.click()
        expect(play.hint).to_contain_text(name)
        expect(gauge).to_have_attribute("aria-label", f"{weight.inner_text()}, at most 50")
    assert int(weight.inner_text()) > 0
    assert gauge.locator(".camel-body").get_attribute("d") != unloaded
    expect(gauge).not_to_have_attribute("data-over", "")


@pytest.mark.parametrize("screen", [(390, 844), (320, 568)])
def test_on_a_phone_the_camel_is_above_its_number_and_the_sentence_beside_both(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    play.playable.click()
    expect(play.hint).to_contain_text("Ben")
    camel, number, sentence, banner = (
        play.page.locator(part).bounding_box()
        for part in ("#gauge", ".banner-state", ".banner-text", "#banner")
    )
    assert camel is not None
    assert number is not None
    assert sentence is not None
    assert banner is not None
    assert camel["y"] + camel["height"] <= number["y"] + 1
    assert sentence["width"] > 0.6 * banner["width"]


def test_a_switch_that_is_off_can_be_read(open_page: Opener) -> None:
    page = opened(open_page, (390, 844)).page
    page.click("#speech")
    stroke, word = page.locator("#speech").evaluate(
        """tool => {
          const { top, width, height } = getComputedStyle(tool, "::after");
          const word = tool.querySelector(".tool-name").getBoundingClientRect();
          const half = (parseFloat(width) + parseFloat(height)) * Math.SQRT1_2 / 2;
          const middle = parseFloat(top) + parseFloat(height) / 2;
          return [tool.getBoundingClientRect().top + middle + half, word.top];
        }"""
    )
    assert stroke <= word + 1


def test_a_game_without_a_limit_has_no_gauge(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    expect(opened(open_page).page.locator("#gauge")).to_be_hidden()


def test_a_place_is_not_forgotten_if_it_is_clicked_before_the_table_asks(
    open_page: Opener,
) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    expect(play.playable).to_be_visible()
    play.page.evaluate(
        """() => {
          document.querySelector("[data-turn] button.card:not([data-idle])").click();
          document.querySelector('.site[data-at="0,0"]').click();
        }"""
    )
    told = play.page.locator("#banner-wrong")
    expect(told).to_contain_text("There is a tile there already.")


# --- phones --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", long_unless(lambda game: game == "ciao", ("ciao", "riff-raff")))
def test_a_long_hand_fades_and_arrows_lead_to_its_ends(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    play = opened(open_page, (320, 568))
    cards = play.page.locator(f"{MINE} .hand-cards")
    expect(cards).to_have_attribute("data-more", "right")
    last = play.page.locator(f"{MINE} button.card").last
    assert not last.evaluate(SEEN_WHOLE)
    back, onward = play.page.locator(f"{MINE} .slide").all()
    for _ in range(3):
        onward.tap()
    expect(cards).to_have_attribute("data-more", "left")
    assert last.evaluate(SEEN_WHOLE)
    for _ in range(3):
        back.tap()
    expect(cards).to_have_attribute("data-more", "right")
    play.page.set_viewport_size(WIDE)
    expect(cards).not_to_have_attribute("data-more", "right")
    expect(onward).to_be_hidden()


# The names and scores of players that are not seen whole, or that lie on the strip of a colour.
CUT_PLAYERS = """() => [...document.querySelectorAll(".player")].flatMap((player) => {
  const strip = player.dataset.colour ? parseFloat(getComputedStyle(player, "::before").width) : 0;
  return [...player.querySelectorAll(".player-name, .player-score")].filter((part) =>
    part.scrollWidth > part.clientWidth || part.offsetLeft < strip);
}).map((part) => part.textContent)"""


LONG_NAMES = ("Annabella", "Bartolomeo", "Constanze", "Maximilian", "Wilhelmina", "Alexandra")
LONG_NAMES_SCREENS = [
    *((320, 568), (390, 844), (568, 320), (844, 390), (700, 500), (768, 600), (768, 1024)),
    *((900, 640), (1024, 600), (1024, 768), (1280, 800)),
]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_no_name_is_cut_on_any_screen(open_page: Opener, game: str, players: int) -> None:
    if players not in games()[game].seats:
        players = max(games()[game].seats)
    names = LONG_NAMES[:players]
    robots = (None, *(styles_of(game)[0],) * (players - 1))
    open_page.site.live.do(requests.BeginGame(game, names, robots, {})).result(30)
    play = opened(open_page)
    expect(play.page.locator(".player")).to_have_count(len(names))
    expect(play.page.locator(".player-points").last).not_to_be_empty()
    current = play.page.locator(".player[data-turn]").first
    for language in ("en", "de", "hu"):
        open_page.site.live.do(requests.ChooseLanguage(language)).result(30)
        expect(play.page.locator("html")).to_have_attribute("lang", language)
        for width, height in LONG_NAMES_SCREENS:
            play.page.set_viewport_size({"width": width, "height": height})
            play.page.evaluate("() => new Promise(done => setTimeout(done, 50))")
            assert play.page.evaluate(CUT_PLAYERS) == [], (language, width, height)
            expect(current).to_be_visible()
            assert current.evaluate(SEEN_WHOLE), (language, width, height)


@pytest.mark.parametrize("site", [WITH_BOTH], indirect=True)
@pytest.mark.parametrize("screen", [(320, 568), (390, 844), (568, 320), (1280, 800)])
def test_nothing_moves_between_a_prompt_a_refusal_and_a_question(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    expect(play.hint).to_contain_text("Ann")
    places = [play.page.locator(part) for part in ("#banner", ".panels", MINE)]
    before = [place.bounding_box() for place in places]
    play.card("straw/straw#1").click()
    expect(play.page.locator("#banner-wrong")).not_to_be_empty()
    assert [place.bounding_box() for place in places] == before
    play.card("straw/lamp#1").click()
    expect(play.act("7")).to_be_visible()
    assert [place.bounding_box() for place in places] == before
    for answer in play.page.locator("#banner-acts .act").all():
        answer.scroll_into_view_if_needed()
        assert answer.evaluate(SEEN_WHOLE)


# --- notices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}x{screen[1]}")
@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", [*OURS, "start"]))
def test_a_notice_covers_no_button_and_no_hand(
    open_page: Opener, game: str, screen: tuple[int, int]
) -> None:
    if game != "start":
        begin(open_page.site, game)
    play = opened(open_page, screen)
    expect(play.page.locator("#banner-hint, .start-game:first-child").first).to_be_attached()
    play.page.evaluate(
        NOTIFY, [f"It is the turn of {name}." for name in ("Ben", "Cleo", "Dora") * 7]
    )
    expect(play.page.locator(".notice").filter(visible=True)).to_have_count(1)
    assert play.page.evaluate(COVERED) == []
    assert play.page.evaluate(SMALL, SMALLEST_TARGET) == []
    assert play.page.locator(".notice").last.evaluate(SEEN_WHOLE)
    play.page.get_by_role("button", name="Close this notice").click()
    expect(play.page.locator(".notice")).to_have_count(0)


def test_a_guest_who_taps_again_and_again_is_told_once(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, (320, 568))
    expect(play.hand.first).to_be_visible()
    with open_page.server_stopped():
        play.hand.first.tap()
        expect(play.page.locator(".notice")).to_have_count(1)
        play.page.locator(".notice").evaluate("notice => notice.setAttribute('data-first', '')")
        for _ in range(20):
            play.hand.first.tap()
        shown = [play.page.locator(notice).count() for notice in (".notice", ".notice[data-first]")]
    assert shown == [1, 1]


# --- every screen --------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}x{screen[1]}")
@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_hand_and_banner_are_seen_whole_on_every_screen(
    open_page: Opener, game: str, screen: tuple[int, int]
) -> None:
    begin(open_page.site, game)
    play = opened(open_page, screen)
    expect(play.page.locator("#banner-hint")).not_to_be_empty()
    width = play.page.evaluate("document.documentElement.scrollWidth")
    assert width <= screen[0]
    for seen in ("#banner", ".round", ".panels"):
        assert play.page.locator(seen).evaluate(SEEN_WHOLE), seen
    if game in ("straw", "ciao"):
        assert play.page.locator('[data-hand="hand-0"]').evaluate(SEEN_WHOLE)
    assert play.page.evaluate(SMALL, SMALLEST_TARGET) == []


# --- news ----------------------------------------------------------------------------------------


def test_what_robots_play_is_said_in_words_and_not_in_the_next_game(open_page: Opener) -> None:
    play = opened(open_page)
    robots = (None, "good")
    open_page.site.live.do(requests.BeginGame("straw", ("Ann", "Ben"), robots, {})).result(30)
    news = play.page.locator("#news")
    play.playable.click()
    expect(news).to_contain_text("Ann plays ")
    expect(play.hint).to_have_text("Ben is thinking")
    expect(news).to_contain_text("Ben plays ")
    expect(play.hint).to_have_text("Ann: Click a card to play it.")
    begin(open_page.site, "straw")
    expect(news).to_be_empty()  # the cards are dealt already


def test_a_tile_that_is_turned_over_is_named_once(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    play.page.locator("#hands .place:not([aria-disabled])").first.click()
    news = play.page.locator("#news span")
    expect(news.first).to_contain_text("turns over")
    name = news.first.inner_text().removeprefix("Ann turns over ")
    assert name not in news.all_inner_texts()


# The element with the focus: its name and size; null if nothing has it.
FOCUSED = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const { width, height } = element.getBoundingClientRect();
  return [element.id || element.textContent, width, height];
}"""


@pytest.mark.parametrize("game", ["straw", "riff-raff"])
def test_the_tab_key_stops_only_where_something_is_seen(open_page: Opener, game: str) -> None:
    play = opened(open_page)
    begin(open_page.site, game)
    expect(play.page.locator(".card").first).to_be_visible()
    stops = []
    for _ in range(16):
        play.page.keyboard.press("Tab")
        stops.append(play.page.evaluate(FOCUSED))
    seen = [stop for stop in stops if stop is not None]
    assert len(seen) > 10
    assert [stop for stop in seen if min(stop[1:]) < 2] == []


def test_the_word_to_beat_does_not_touch_the_sentence_beside_it(open_page: Opener) -> None:
    play = opened(open_page, (390, 844))
    begin(open_page.site, "ciao")
    expect(play.page.locator("#banner-figure")).to_be_visible()
    ends = play.page.evaluate("""() => {
      const figure = document.querySelector("#banner-figure");
      figure.textContent = "SCISSORS";
      figure.style.setProperty("--letters", "8");
      const range = document.createRange();
      range.selectNodeContents(figure);
      const hint = document.querySelector("#banner-hint").getBoundingClientRect();
      return [range.getBoundingClientRect().right, hint.left];
    }""")
    assert ends[0] <= ends[1]
