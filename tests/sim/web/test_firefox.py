"""Play in Firefox: each game begins, is played and fits on a phone and on a laptop."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from sim.robots.games import OURS
from tests.sim.web.browser import PHONE, WIDE, Opener
from tests.sim.web.firefox import NO_FIREFOX, firefox, firefox_path
from tests.sim.web.player import Player
from tests.sim.web.test_play import SMALL, SMALLEST_TARGET

pytestmark = pytest.mark.browser
if firefox_path() is None:
    pytest.skip(NO_FIREFOX, allow_module_level=True)

PLAYS = 3
DENSITY = 3  # of a phone's screen, in pixels per CSS pixel
# The parts of the page that are wider than what is seen of them. Hands may be.
SIDEWAYS = """() => ["html", "#start", "#panel-deal", ".spread"]
  .map((part) => document.querySelector(part))
  .filter((part) => part?.checkVisibility() && part.scrollWidth > part.clientWidth)
  .map(({ id, className, scrollWidth, clientWidth }) =>
    `${id || className}: ${scrollWidth} > ${clientWidth}`)"""


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Firefox for this file, in place of Chromium."""
    with firefox(playwright) as opened:
        yield opened


@pytest.mark.parametrize("game", OURS)
def test_a_game_begins_is_played_and_fits(open_page: Opener, game: str) -> None:
    phone, laptop = open_page.blank(PHONE, density=DENSITY).page, open_page.blank(WIDE).page
    for page in (phone, laptop):
        page.goto(open_page.site.address)
        expect(page.locator("#start")).to_be_visible()
        fits(page)
    Player(phone, "mouse", seed=1).start(game, players=2)
    for page in (phone, laptop):
        expect(page.locator("#banner-hint")).not_to_be_empty()
        play(page)


def play(page: Page) -> None:
    """Play some cards, tiles or pieces with the mouse; the banner changes, and all fits."""
    player = Player(page, "mouse", seed=1)
    banners = {page.locator("#banner").inner_text()}
    while len([offer for offer in player.taken if offer.kind != "act"]) < PLAYS:
        player.play(acts=len(player.taken) + 1)
        banners.add(page.locator("#banner").inner_text())
        fits(page)
    assert player.findings == []
    assert len(banners) > 1


def fits(page: Page) -> None:
    """Assert that nothing scrolls sideways and that every target is large enough."""
    assert page.evaluate(SIDEWAYS) == []
    assert page.evaluate(SMALL, SMALLEST_TARGET) == []
