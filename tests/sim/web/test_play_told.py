"""The texts by which Play helps somebody who has not read the rules: aims, reasons and warnings."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.voice.words import ENGLISH, words_of
from sim.deal import requests
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.browser import Opener, Site
from tests.sim.web.player import write_small_box
from tests.sim.web.test_play import (
    IS_FREE,
    SEEN_WHOLE,
    SMALLEST_TARGET,
    PlayPage,
    begin,
    opened,
)
from tests.sim.web.test_play_guests import box

pytestmark = pytest.mark.browser

PATIENCE_S = 30.0
Box = Callable[[str, Mapping[str, int]], Opener]


@pytest.fixture
def open_box(browser: Browser, tmp_path: Path) -> Iterator[Box]:
    """A function that opens a table with a box of one game that has only some kinds."""
    opened_boxes: list[tuple[Site, Opener]] = []

    def opener_of(game: str, counts: Mapping[str, int]) -> Opener:
        spread = (4, 4) if game == "cramel" else None
        box = write_small_box(tmp_path, game, counts, spread)
        config = replace(load_config(), decks={game: box})
        site = Site(tmp_path / "state", config=config).__enter__()
        opened_boxes.append((site, Opener(browser, site)))
        return opened_boxes[0][1]

    yield opener_of
    for site, opener in opened_boxes:
        for context in opener.contexts:
            context.close()
        site.__exit__(None, None, None)
        assert opener.wrong == [[] for _ in opener.contexts]


def begun(open_page: Opener, game: str, robots: int = 0) -> PlayPage:
    """Begin *game* for Ann, two other people, or *robots* instead; return a page that shows it."""
    styles = (*(None,) * (3 - robots), *(styles_of(game)[0],) * robots)
    asked = requests.BeginGame(game, ("Ann", "Ben", "Cleo"), styles, {}, is_quick=True)
    open_page.site.live.do(asked).result(PATIENCE_S)
    return opened(open_page)


def score(play: PlayPage, seat: int) -> str:
    return play.page.locator(".player-points").nth(seat).inner_text()


def until_lifted(site: Site) -> None:
    """Wait until the tile that was tapped is no longer on the reader."""
    end = time.monotonic() + PATIENCE_S
    while any(site.live.state["lying"].values()):
        assert time.monotonic() < end, "a tile stays on the reader"
        time.sleep(0.02)


# --- the aim --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_the_banner_tells_the_aim_before_the_first_play(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    aim = words_of(ENGLISH, games()[game].package).plain("rules.goal")
    expect(opened(open_page).page.locator("#banner-goal")).to_have_text(aim)


def test_after_the_first_play_the_aim_is_not_told_again(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    aim = play.page.locator("#banner-goal")
    expect(aim).to_contain_text("Do not be the one who breaks the camel's back")
    play.playable.click()
    expect(aim).to_be_empty()
    play.act("Take back").click()
    expect(aim).not_to_be_empty()


def test_a_page_that_is_opened_during_a_game_does_not_tell_how_to_deal(open_page: Opener) -> None:
    begin(open_page.site, "camargue")
    play = opened(open_page)
    name = play.page.locator(".player[data-turn] .player-name").inner_text()
    play.playable.click()
    play.page.locator("button.site[data-offered]").last.click()
    expect(play.page.locator(".player[data-turn] .player-name")).not_to_have_text(name)
    later = opened(open_page).page.locator("#news")
    expect(later).not_to_be_empty()
    expect(later).not_to_contain_text("draws 3 tiles")
    expect(later).not_to_contain_text("start tile")


def test_the_start_page_names_what_is_usual(open_page: Opener) -> None:
    play = opened(open_page)
    play.page.get_by_role("radio", name=re.compile("Straw")).check(force=True)
    play.page.locator("#start-form details summary").click()
    rule = play.page.locator('#start-options select[name="skip-empty-hands"]')
    expect(rule.locator("option:checked")).to_have_text("on (usual)")
    expect(rule.locator("option:not(:checked)")).to_have_text("off")


# --- after a round -------------------------------------------------------------------------------


def test_the_start_button_is_in_view_on_the_way_from_a_result_to_a_new_game(
    open_box: Box,
) -> None:
    """With cards of 10 only, the sixth breaks the camel's back."""
    play = begun(open_box("straw", {"weight-10": 40}), "straw")
    play.page.set_viewport_size({"width": 1280, "height": 680})
    for weight in range(10, 51, 10):
        play.playable.click()
        expect(play.page.locator("#banner-figure")).to_have_text(str(weight))
    play.playable.click()
    play.act("Play it anyway").click()
    for name in ("Ann", "Ben"):
        expect(play.hint).to_contain_text(f"{name}'s hand is counted.")
        play.act("Count the hand").click()
    expect(play.page.locator("body[data-result]")).to_be_attached(timeout=10_000)
    play.page.click("#new-game")
    play.page.locator(".start-rules summary").click()
    play.page.locator(".start-option").last.scroll_into_view_if_needed()
    for part in (".start-option >> nth=-1", "#start-begin"):
        assert play.page.locator(part).evaluate(SEEN_WHOLE), part
    assert play.page.locator("#start-begin").evaluate(IS_FREE)


# --- cards ----------------------------------------------------------------------------------------


def test_a_player_whose_cards_all_break_a_rule_can_say_so(open_box: Box) -> None:
    play = begun(open_box("straw", {"straw": 40}), "straw")
    expect(play.page.locator("[data-turn] button.card[data-idle]")).to_have_count(4)
    play.act("Can't play").click()
    expect(play.page.locator(".player[data-turn] .player-name")).to_have_text("Ben")


def test_a_card_that_would_break_the_camel_says_so(open_box: Box) -> None:
    """With cards of 8 only, the camel carries 48 after two turns of all three players."""
    play = begun(open_box("straw", {"weight-8": 30}), "straw", robots=2)
    warned = play.page.locator("button.card[data-warning]")
    for weight in (24, 48):
        expect(warned).to_have_count(0)
        play.playable.click()
        expect(play.page.locator("#banner-figure")).to_have_text(str(weight))
        expect(play.page.locator(".player[data-turn] .player-name")).to_have_text("Ann")
    expect(warned).to_have_count(4)
    assert "would break the camel" in (warned.first.get_attribute("aria-label") or "")
    shown = warned.first.evaluate("card => getComputedStyle(card, '::after').content")
    assert "\u26a0" in shown


def test_a_card_that_would_break_the_camel_is_played_only_if_its_player_means_it(
    open_box: Box,
) -> None:
    play = begun(open_box("straw", {"weight-10": 26, "weight-1": 26}), "straw")
    load = play.page.locator("#banner-figure")
    hand = play.page.locator("[data-turn] button.card")
    risky = play.page.locator("[data-turn] button.card[data-warning]")
    while not 0 < risky.count() < hand.count():
        carried = load.inner_text()
        hand.and_(play.page.locator('[data-tag*="weight-10"]')).or_(hand).first.click()
        expect(load).not_to_have_text(carried)
        play.page.wait_for_timeout(700)
    carried = load.inner_text()
    risky.first.click()
    expect(play.hint).to_have_text("The 10 would break the camel's back. Play it anyway?")
    play.act("Keep it").click()
    expect(play.hint).to_contain_text("Click a card")
    assert load.inner_text() == carried
    risky.first.click()
    play.act("Play it anyway").click()
    expect(play.page.locator("#banner-caption")).to_contain_text("broke")


def test_no_card_of_a_hand_lies_on_another_on_a_phone(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    play = opened(open_page, (390, 844))
    expect(play.hand).to_have_count(7)
    boxes = [face.bounding_box() for face in play.hand.locator(".face").all()]
    corners = [(box["x"], box["y"], box["width"]) for box in boxes if box]
    assert max(x + width for x, _, width in corners) <= 390
    for (x, y, width), (next_x, next_y, _) in pairwise(corners):
        assert next_x >= x + width - 1 or next_y > y


def test_the_bar_names_its_pictures_on_a_phone(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, (390, 844))
    expect(play.hint).not_to_be_empty()
    names = play.page.locator(".bar .tool:visible .tool-name")
    expect(names).to_have_text(["English", "Speech", "Sounds", "Rules", "New game", "Lab"])
    assert min(box(name)["width"] for name in names.all()) > 10


def test_a_number_in_the_corner_of_a_card_is_shown_only_if_it_counts(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    corner = opened(open_page).hand.first.locator(".corner")
    expect(corner).to_be_attached()
    expect(corner).to_be_hidden()
    begun = requests.BeginGame("ciao", ("Ann", "Ben"), (None, None), {"scoring": "on"})
    open_page.site.live.do(begun).result(PATIENCE_S)
    expect(corner).to_be_visible()


def test_a_lamp_shows_what_it_may_weigh(open_box: Box) -> None:
    play = begun(open_box("straw", {"lamp": 20}), "straw")
    expect(play.playable).to_contain_text("1\N{EN DASH}10")


def test_a_laid_lamp_shows_the_weight_that_was_chosen(open_box: Box) -> None:
    play = begun(open_box("straw", {"lamp": 20}), "straw")
    figure, news = play.newest.locator(".range"), play.page.locator("#news")
    play.playable.click()
    expect(figure).to_have_text("1\N{EN DASH}10")
    expect(news).to_have_text("Ann plays the Lamp.")
    play.act("9").click()
    expect(figure).to_have_text("= 9")
    expect(news).to_have_text("Ann plays the Lamp (= 9).")
    assert "Lamp = 9" in (play.newest.get_attribute("aria-label") or "")


def test_a_joker_shows_the_symbol_that_was_named_for_it(open_box: Box) -> None:
    play = begun(open_box("ciao", {"joker-green": 30}), "ciao")
    caption = play.page.locator("#banner-caption")
    play.playable.click()
    expect(caption).to_have_text("green")
    expect(play.newest).not_to_contain_text("rock")
    play.act("Rock").click()
    expect(caption).to_have_text("green: the joker stands for it")
    assert "joker: rock" in (play.newest.get_attribute("aria-label") or "")
    expect(play.newest.locator(".band")).to_have_text("joker")
    joker = play.newest.get_attribute("data-tag")
    play.playable.click()
    play.act("Paper").click()
    earlier = play.page.locator(f'[data-hand="laid"] [data-tag="{joker}"]')
    expect(play.newest).not_to_have_attribute("data-tag", joker or "")
    assert "joker: rock" in (earlier.get_attribute("aria-label") or "")


def test_by_keyboard_arrows_go_along_the_answers_and_no_tip_stays(open_box: Box) -> None:
    box = open_box("straw", {"lamp": 4, "reverse": 4, "weight-5": 8})
    play = begun(box, "straw")
    page = play.page
    play.hand.filter(has_text=re.compile("lamp", re.IGNORECASE)).first.focus()
    page.keyboard.press("Enter")
    answers = page.locator("#banner-acts button")
    expect(answers.first).to_be_focused()
    expect(page.locator("#tip")).to_be_hidden()
    for key, number in (("ArrowRight", "2"), ("End", "Take back"), ("ArrowLeft", "10")):
        page.keyboard.press(key)
        expect(page.locator("#banner-acts button:focus")).to_have_text(number)
    page.keyboard.press("Enter")
    expect(page.locator("#banner-figure")).to_have_text("10")


def test_on_a_phone_answers_and_take_back_share_a_row(open_box: Box) -> None:
    opener = open_box("ciao", {"joker-green": 30})
    opener.site.live.do(requests.ChooseLanguage("de")).result(PATIENCE_S)
    play = begun(opener, "ciao")
    play.page.set_viewport_size({"width": 390, "height": 844})
    play.playable.click()
    expect(play.act("Zurücknehmen")).to_be_enabled()
    expect(play.act("Papier")).to_be_visible()
    acts = play.page.locator("#banner-acts button").all()
    assert len({box["y"] for act in acts if (box := act.bounding_box())}) == 1


def test_a_drawn_card_is_marked_and_the_banner_says_if_nothing_fits(open_box: Box) -> None:
    play = begun(open_box("ciao", {"rock-green-": 0, "rock-green": 30}), "ciao")
    fresh = play.page.locator("button.card[data-fresh]")
    play.playable.click()
    expect(play.page.locator(".player[data-turn]")).to_contain_text("Ben")
    expect(fresh).to_have_count(0)
    play.act("Draw").click()
    expect(play.hint).to_have_text("Ben: The new card does not fit: pass.")
    expect(fresh).to_have_count(1)
    assert (fresh.get_attribute("aria-label") or "").endswith(", new")


def test_a_card_is_no_longer_new_when_its_players_next_turn_begins(open_page: Opener) -> None:
    """In Straw, a card is drawn at the end of one's turn."""
    play = begun(open_page, "straw", robots=2)
    fresh = play.page.locator("button.card[data-fresh]")
    play.playable.click()
    expect(fresh).to_have_count(1)
    expect(play.page.locator(".player[data-turn]")).to_contain_text("Ann")
    expect(fresh).to_have_count(0)


# --- buttons --------------------------------------------------------------------------------------


def test_stop_says_what_it_wins_and_shines_only_if_it_wins_something(open_box: Box) -> None:
    opener = open_box("cramel", {"jane": 16})
    play = begun(opener, "cramel")
    down = play.page.locator(".place[data-state=down]")
    down.first.click()
    expect(play.act("Stop (0 tiles)")).to_have_class("act quiet")
    expect(down).to_have_count(15)
    until_lifted(opener.site)
    down.first.click()
    expect(play.act("Stop (2 tiles)")).to_have_class("act")
    expect(play.hint).to_contain_text("You would win 2 Janes.")
    play.act("Stop (2 tiles)").click()
    expect(play.hint).to_contain_text("Ben: Ann took 2")  # Ben is to play
    assert score(play, 0) == "2 tiles"


def test_on_a_phone_won_tiles_lie_beside_their_players_name_and_show_their_own(
    open_box: Box,
) -> None:
    opener = open_box("cramel", {"jane": 16})
    play = begun(opener, "cramel")
    play.page.set_viewport_size({"width": 390, "height": 844})
    down = play.page.locator(".place[data-state=down]")
    for left in (15, 14):
        until_lifted(opener.site)
        down.first.click()
        expect(down).to_have_count(left)
    play.act("Stop (2 tiles)").click()
    won = play.page.locator('[data-hand="won-0"]')
    expect(won.locator(".stack-count")).to_have_text("\N{MULTIPLICATION SIGN}2")
    player, name, count = (
        won.locator(part).bounding_box() for part in ("h3", ".tile-name", ".stack-count")
    )
    assert player is not None
    assert name is not None
    assert count is not None
    assert player["x"] + player["width"] <= name["x"]
    assert count["y"] + count["height"] <= name["y"]


@pytest.mark.parametrize(("kind", "turned"), [("roby", 2), ("bloom", 1)])
def test_a_second_tile_waits_for_the_first_and_is_turned_in_the_same_turn_only(
    open_box: Box, kind: str, turned: int
) -> None:
    """Bloom ends the turn."""
    opener = open_box("cramel", {"jane": 2, kind: 14})
    play = begun(opener, "cramel")
    down = play.page.locator(".place[data-state=down]")
    expect(down).to_have_count(16)
    for place in (down.nth(0).bounding_box(), down.nth(5).bounding_box()):
        assert place is not None
        play.page.mouse.click(place["x"] + 20, place["y"] + 20)
    expect(play.page.locator(".player[data-turn]")).to_contain_text(
        "Ben" if kind == "bloom" else "Ann"
    )
    play.page.wait_for_timeout(1500)
    expect(play.page.locator(".place:not([data-state=down])")).to_have_count(turned)
    record = opener.site.live._record()
    assert record is not None
    assert len(record.inputs) == turned


def test_the_question_for_thanks_says_who_may_answer_and_what_follows(open_box: Box) -> None:
    play = begun(open_box("ciao", {"rock-green-give": 30}), "ciao")
    play.playable.click()
    play.act("Ben").click()
    play.page.locator("button[data-give]").first.click()
    expect(play.hint).to_have_text(
        "Ann gave Ben a card, so Ben must say thank you aloud. Did Ben do so? If not, Ben draws "
        "three cards. Any player may answer."
    )
    expect(play.act("Yes: the game goes on")).to_have_class("act")
    expect(play.act("No: draw 3 cards")).to_have_class("act quiet")
    assert score(play, 1) == "8 cards"
    play.act("No: draw 3 cards").click()
    expect(play.page.locator(".player-points").nth(1)).to_have_text("11 cards")


# --- the board ------------------------------------------------------------------------------------


# The tiles of the board that are not seen whole.
CUT_TILES = """board => {
  const room = board.getBoundingClientRect();
  return [...board.querySelectorAll(".site[role=img]")].filter((site) => {
    const { left, right, top, bottom } = site.getBoundingClientRect();
    return left < room.left || right > room.right || top < room.top || bottom > room.bottom;
  }).map((site) => site.dataset.at);
}"""


@pytest.mark.parametrize("is_touched", [True, False])
def test_on_a_large_board_in_a_low_window_all_tiles_are_whole_or_large_enough_for_a_finger(
    open_box: Box, is_touched: bool
) -> None:
    box = open_box("camargue", {"start": 1, "emergency": 3, "water": 12})
    begun(box, "camargue")
    blank = box.blank({"width": 1000, "height": 490}, is_phone=is_touched)
    play = PlayPage(blank.page, box.site.address)
    board = play.page.locator(".board")
    offered = play.page.locator("button.site[data-offered]")
    for _ in range(10):
        # The number of tiles changes before the turn does.
        turn = play.page.locator(".player[data-turn] .player-name").inner_text()
        expect(offered).to_have_count(0)
        assert board.evaluate(CUT_TILES) == []
        play.playable.click()
        expect(offered.first).to_be_visible()
        sizes = offered.evaluate_all("all => all.map((one) => [one.offsetWidth, one.offsetHeight])")
        if is_touched:
            assert min(min(size) for size in sizes) >= SMALLEST_TARGET
        else:
            assert board.evaluate(CUT_TILES) == []
        offered.last.click()
        expect(play.page.locator(".player[data-turn] .player-name")).not_to_have_text(turn)
    rows = board.evaluate("board => board.style.getPropertyValue('--rows')")
    assert int(rows) >= 8


# --- players --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "points", "held"), [("straw", "0 points", "4"), ("ciao", "7 cards", "")]
)
def test_a_players_box_says_what_is_counted_and_counts_it_once(
    open_page: Opener, game: str, points: str, held: str
) -> None:
    begin(open_page.site, game)
    play = opened(open_page)
    first = play.page.locator(".player").first
    expect(first.locator(".player-points")).to_have_text(points)
    expect(first.locator(".player-hand")).to_have_text(held)


# --- the end of a round ---------------------------------------------------------------------------

# The laid cards of which a part is in sight, and a part is not.
CUT_CARDS = """() => {
  const laid = document.querySelector('[data-hand="laid"] .hand-cards');
  const room = laid.getBoundingClientRect();
  return [...laid.children].map((card) => card.getBoundingClientRect())
    .filter(({ top, bottom, left, right }) => {
      const isOut = top >= room.bottom || bottom <= room.top;
      const isIn = top >= room.top && bottom <= room.bottom
        && left >= room.left && right <= room.right;
      return !isOut && !isIn;
    }).length;
}"""
LIES_MS = 700  # a card lies on the reader before another can be played
MUCH = 41  # a load from which some weights of the Lamp break the camel's back


def carried(play: PlayPage) -> int:
    return int(play.page.locator("#banner-figure").text_content() or 0)


def play_card(play: PlayPage, kind: str) -> None:
    """Play a card of *kind* if the hand has one, or else a Lamp of weight 9."""
    before = play.page.locator('[data-hand="laid"] h3').inner_text()
    hand = play.page.locator("[data-turn] button.card:not([data-idle])")
    wanted = hand.and_(play.page.locator(f'[data-tag*="{kind}"]'))
    (wanted if wanted.count() else hand).first.click()
    expect(play.page.locator('[data-hand="laid"] h3')).not_to_have_text(before)
    play.page.wait_for_timeout(LIES_MS)


def until_lamp(play: PlayPage) -> int:
    """Play until a Lamp is on a load that it may make too heavy; return that load."""
    while (load := carried(play)) < MUCH:
        play_card(play, "weight")
        if play.page.locator("#banner-acts[data-numbers]").count():
            play.act("9").click()
        expect(play.page.locator("#banner-figure")).not_to_have_text(str(load))
    play_card(play, "lamp")
    return load


def test_the_weights_of_a_lamp_that_break_the_camel_say_so(open_box: Box) -> None:
    play = begun(open_box("straw", {"weight-7": 26, "lamp": 26}), "straw")
    load = until_lamp(play)
    assert 50 - 10 < load < 50
    warned = play.page.locator("#banner-acts button[data-warning]")
    names = [name.get_attribute("aria-label") for name in warned.all()]
    assert names == [f"{n}, would break the camel's back" for n in range(51 - load, 11)]
    shown = warned.first.evaluate("button => getComputedStyle(button, '::after').content")
    assert "\u26a0" in shown
    expect(play.hint).to_contain_text("\u26a0\ufe0e would break the camel's back.")
    expect(play.act("1")).not_to_have_attribute("data-warning", re.compile(""))


def test_the_count_of_the_hands_names_their_players_and_sums(open_box: Box) -> None:
    play = begun(open_box("straw", {"weight-7": 26, "lamp": 26}), "straw")
    until_lamp(play)
    breaker = play.page.locator(".player[data-turn] .player-name").inner_text()
    play.page.locator('#banner-acts [data-key^="choose 10"]').click()
    counted = [name for name in ("Ann", "Ben", "Cleo") if name != breaker]
    expect(play.hint).to_contain_text("hand is counted")
    first = play.page.locator(".player[data-turn] .player-name").inner_text()
    assert first in counted
    told = f"{breaker} breaks the camel's back. {first}'s hand is counted. Points so far: 0."
    expect(play.hint).to_have_text(told)
    expect(play.page.locator("#news")).not_to_contain_text("camel")  # it is said once
    expect(play.page.locator("#banner-caption")).to_have_text(f"{breaker} broke its back")
    title = play.page.locator("[data-turn] .hand-head h3")
    expect(title).to_have_text(f"{first}: 4 cards, is counted")
    before = box(play.page.locator(".round"))
    points = 7 * play.page.locator('[data-turn] button.card[data-tag*="weight"]').count()
    play.act("Count the hand").click()
    heading = play.page.locator('[data-hand="laid"] h3')
    expect(heading).to_have_text(f"{first}: 4 cards = {points} points")
    seat = play.page.locator(".player", has_text=first)
    expect(seat.locator(".player-points")).to_have_text("0 points")
    expect(seat.locator(".player-revealed")).to_have_text(f"+{points}")
    assert box(play.page.locator(".round")) == before
    play.act("Count the hand").click()
    expect(play.page.locator("#news")).to_contain_text("Round 1 is over")
    expect(play.page.locator("#result")).to_be_visible()
    expect(play.page.locator("#news")).to_be_hidden()  # the result tells it, once
    expect(play.hint).to_have_text(re.compile("(leads. )?Round 1 of 3."))
    play.act("Next round").click()
    expect(heading).to_have_text("Laid: 0 cards")
    expect(play.page.locator("#news")).to_have_text("Round 2.")
    expect(seat.locator(".player-points")).to_have_text(f"{points} points")


@pytest.mark.parametrize("screen", [(320, 568), (390, 844), (1280, 800)])
def test_a_laid_card_is_seen_whole_or_not_at_all(open_box: Box, screen: tuple[int, int]) -> None:
    opener = open_box("straw", {"weight-2": 60})
    begun(opener, "straw").page.context.close()
    play = opened(opener, screen)
    for laid in range(1, 15):
        play.playable.click()
        expect(play.page.locator('[data-hand="laid"] button.card')).to_have_count(laid)
        play.page.wait_for_timeout(LIES_MS)
        assert play.page.evaluate(CUT_CARDS) == 0, laid


def test_the_language_is_chosen_during_a_game(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    play.playable.click()
    expect(play.page.locator("#news")).to_contain_text("Ann plays")
    play.page.get_by_label("Language").select_option("de")
    expect(play.hint).to_have_text("Ben: Klick eine Karte an, um sie zu spielen.")
    expect(play.act("Zurücknehmen")).to_be_visible()
    expect(play.page.locator("#news")).to_contain_text("Ann spielt")
    expect(play.page.locator("#language-name")).to_have_text("Deutsch")
