"""Learn by playing, in Play: the page shows a lesson at the piece that it is about."""

import pytest
from playwright.sync_api import Page, expect

from sim.deal import requests
from sim.robots.games import OURS
from tests.sim.web.browser import Opener, TablePage, findings
from tests.sim.web.test_play import PlayPage, opened
from tests.sim.web.test_play_cramel import place
from tests.sim.web.test_play_ship import tapped

pytestmark = pytest.mark.browser

SCREENS = [(320, 568), (390, 844), (1280, 800)]
NEAR_PX = 48  # from the piece; the heading of a hand may be between
TOTAL = "The table adds up the load. Above 50, the camel's back breaks."
REVEAL = "Choose a card and lay it face down."

AT_PIECE = {  # for each game, the first words of the first lesson about a piece
    "straw": TOTAL,
    "ciao": "Paper beats rock",
    "riff-raff": "The highest card makes its player captain.",
    "cramel": "Four of them make a set.",
    "camargue": "Do not turn the tile",
}
# The distance between the bubble and the framed piece, in CSS pixels.
DISTANCE = """() => {
  const [one, other] = [".lesson", "[data-lesson]"]
    .map((selector) => document.querySelector(selector).getBoundingClientRect());
  const across = Math.max(one.left - other.right, other.left - one.right, 0);
  const down = Math.max(one.top - other.bottom, other.top - one.bottom, 0);
  return Math.hypot(across, down);
}"""
# What the bubble covers of the piece, the banner, the bar at the top and the hands, or "off page".
COVERED = """() => {
  const bubble = document.querySelector(".lesson").getBoundingClientRect();
  const panel = document.querySelector("#panel-deal").getBoundingClientRect();
  const isOn = bubble.left >= 0 && bubble.top >= 0
    && bubble.right <= innerWidth && bubble.bottom <= innerHeight;
  const free = '[data-lesson], .bar, #banner, #banner button, .hand[data-hand^="hand-"]';
  const covered = [...document.querySelectorAll(free)]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const end = element.matches(".hand") ? Math.min(bottom, panel.bottom) : bottom;
      return left < bubble.right && right > bubble.left && top < bubble.bottom && end > bubble.top;
    })
    .map((element) => element.id || element.className);
  return [...covered, ...(isOn ? [] : ["off page"])];
}"""
FRAMED = "element => getComputedStyle(element).outlineStyle"
LETS_THROUGH = "element => getComputedStyle(element).pointerEvents"


def taught(open_page: Opener, game: str, screen: tuple[int, int]) -> PlayPage:
    """Begin *game* for Ann and Ben to learn it; return a page that shows it."""
    live = open_page.site.live
    names = ("Ann", "Ben")
    live.do(requests.BeginGame(game, names, (None, None), {}, is_lesson=True)).result(30)
    live.do(requests.CoverHand()).result(30)  # a turn later, so the new state is published
    play = opened(open_page, screen)
    expect(play.hint).not_to_be_empty()
    return play


def lay_first(play: PlayPage) -> None:
    """Lay the first card of the open hand that may be played."""
    play.playable.click()


def reveal(open_page: Opener) -> None:
    """Let Ann and Ben show their colours and reveal a card each."""
    tapped(open_page.site, "red-1", "blue-1", "red-9", "blue-4")


def lead_to_lesson(open_page: Opener, play: PlayPage, game: str) -> None:
    """Play until the table tells the first lesson about a piece."""
    if game == "riff-raff":
        reveal(open_page)
    elif game == "cramel":
        place(play, "ring-box#1").click()
    else:
        lay_first(play)


def bubble_says(page: Page, text: str) -> None:
    expect(page.locator(".lesson")).to_be_visible()
    expect(page.locator(".lesson")).to_contain_text(text)
    expect(page.locator("[data-lesson]")).to_have_count(1)


@pytest.mark.parametrize("screen", [(390, 844), (1280, 800)])
def test_a_game_can_be_learnt_by_playing(open_page: Opener, screen: tuple[int, int]) -> None:
    play = opened(open_page, screen)
    play.page.get_by_role("radio", name="Straw").check(force=True)
    play.page.get_by_label("Explain the rules in the game").check()
    play.page.reload()  # the page remembers it
    play.start("Straw")
    banner = play.page.locator("#banner")
    expect(banner).to_contain_text("Do not be the one who breaks the camel's back")
    expect(play.page.locator(".banner-state")).to_be_visible()
    play.page.locator('[data-turn] button.card[data-tag*="weight"]').first.click()
    bubble_says(play.page, TOTAL)
    expect(banner).not_to_contain_text(TOTAL)


@pytest.mark.parametrize("game", OURS)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_lesson_is_beside_the_piece_that_it_is_about(
    open_page: Opener, screen: tuple[int, int], game: str
) -> None:
    play = taught(open_page, game, screen)
    lead_to_lesson(open_page, play, game)
    bubble_says(play.page, AT_PIECE[game])
    assert play.page.evaluate(COVERED) == []
    assert play.page.evaluate(DISTANCE) <= NEAR_PX
    assert play.page.locator("[data-lesson]").evaluate(FRAMED) == "solid"
    assert play.page.locator(".lesson").evaluate(LETS_THROUGH) == "none"
    expect(play.page.locator("#banner")).not_to_contain_text(AT_PIECE[game])
    assert findings(TablePage(play.page)) == []


def test_a_lesson_is_read_once(open_page: Opener) -> None:
    play = taught(open_page, "straw", (1280, 800))
    lay_first(play)
    bubble_says(play.page, TOTAL)
    read = play.page.get_by_role("log").get_by_text(TOTAL)
    expect(read).to_have_count(1)
    expect(play.page.locator(".lesson")).to_have_attribute("aria-hidden", "true")
    assert play.page.get_by_text(TOTAL).count() == 2, "in the transcript and in the bubble"


def test_a_tap_ends_a_lesson_and_still_does_what_it_does(open_page: Opener) -> None:
    play = taught(open_page, "straw", (320, 568))
    lay_first(play)
    bubble_says(play.page, TOTAL)
    play.page.locator(".player").first.click()
    expect(play.page.locator(".lesson")).to_be_hidden()
    expect(play.page.locator("[data-lesson]")).to_have_count(0)
    expect(play.page.locator("#banner")).not_to_contain_text(TOTAL)
    lay_first(play)
    expect(play.page.locator('[data-hand="laid"] button.card')).to_have_count(2)


def test_a_lesson_ends_with_the_next_play_and_not_before(open_page: Opener) -> None:
    play = taught(open_page, "straw", (1280, 800))
    lay_first(play)
    bubble_says(play.page, TOTAL)
    open_page.site.in_mat(lambda mat: mat.wait(20))  # the table's notice is over
    play.page.wait_for_function("() => document.querySelector('.lesson').checkVisibility()")
    assert open_page.site.live.state["view"]["notice"] is None
    bubble_says(play.page, TOTAL)
    card = open_page.site.live.state["deal"]["hands"][1][0]
    for act in (requests.Lay, requests.Lift):
        open_page.site.live.do(act((card,), "play")).result(30)
        open_page.site.in_mat(lambda mat: mat.wait(0.5))
    expect(play.page.locator('[data-hand="laid"] button.card')).to_have_count(2)
    expect(play.page.locator(".lesson", has_text=TOTAL)).to_have_count(0)


def test_a_lesson_about_no_piece_is_in_the_banner(open_page: Opener) -> None:
    play = taught(open_page, "riff-raff", (390, 844))
    tapped(open_page.site, "red-1", "blue-1")
    expect(play.page.locator("#banner")).to_contain_text(REVEAL)
    expect(play.page.locator("[data-lesson]")).to_have_count(0)
    assert "tag" not in open_page.site.live.state["view"]["notice"]


def test_the_frame_moves_with_a_tile_from_the_hand_to_the_board(open_page: Opener) -> None:
    play = taught(open_page, "camargue", (1280, 800))
    lay_first(play)
    bubble_says(play.page, AT_PIECE["camargue"])
    assert play.page.locator('[data-hand="hand-0"] [data-lesson]').count() == 1
    play.page.locator(".site[data-offered]").first.click()
    bubble_says(play.page, "A tile scores its area times its edges.")
    assert play.page.locator(".site[data-lesson]").count() == 1
    assert play.page.evaluate(COVERED) == []


def test_lab_shows_the_lesson_on_its_display_alone(open_page: Opener) -> None:
    play = taught(open_page, "straw", (1280, 800))
    lay_first(play)
    bubble_says(play.page, TOTAL)
    play.page.evaluate("() => document.body.setAttribute('data-view', 'lab')")
    expect(play.page.locator(".lesson")).to_be_hidden()


def test_a_game_is_not_explained_unless_somebody_wants_that(open_page: Opener) -> None:
    play = opened(open_page)
    play.start("Straw")
    expect(play.page.locator("#banner")).not_to_contain_text("Put one card on the camel")
