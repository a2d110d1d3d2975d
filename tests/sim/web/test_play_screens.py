"""Play on every screen, in five states of each game: nothing is cut, covered or too small.

`sheets.py` draws the same looks as contact sheets, for people.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.sheets import Screen, Screens
from tests.sim.web.states import OVER, STATES, Saved, played, showing
from tests.sim.web.test_play import SEEN_WHOLE, SMALL, SMALLEST_TARGET
from tests.sim.web.test_play_languages import CUT

pytestmark = pytest.mark.browser

# The targets, the ship and the newest card that something else covers, at any of five points. A
# part that can be scrolled to is not covered.
COVERED = """() => {
  const isShown = (element, x, y) => {
    for (let around = element; around; around = around.parentElement) {
      const { left, top, right, bottom } = around.getBoundingClientRect();
      const isClipped = getComputedStyle(around).overflowY !== "visible";
      const isInside = x > left + 3 && x < right - 3 && y > top + 3 && y < bottom - 3;
      if (isClipped && !isInside) return false;
    }
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  };
  const isFree = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [[0.5, 0.5], [0.5, 0.1], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5]].every(([across, down]) => {
      const [x, y] = [left + across * width, top + down * height];
      if (!isShown(element, x, y)) return !element.matches(".ship");
      const hit = document.elementFromPoint(x, y);
      const isOverlap = element.matches(".card") && hit?.closest(".hand-cards button.card");
      return element.contains(hit) || isOverlap || hit?.closest("#result");
    });
  };
  const wanted = ".bar button, #banner button, .hand button, .place, button.site, .ship";
  return [...document.querySelectorAll(wanted)]
    .filter((element) => element.checkVisibility() && !isFree(element))
    .map((element) => element.id || element.getAttribute("aria-label") || element.className);
}"""
PLAYERS = "() => [...document.querySelectorAll('.player')].map((one) => one.offsetWidth)"
# True if the card that was laid last is whole.
NEWEST_WHOLE = """() => {
  const card = document.querySelector('[data-hand="laid"] .hand-cards > .card');
  if (!card?.checkVisibility()) return true;
  const [box, room] = [card, card.parentElement].map((one) => one.getBoundingClientRect());
  return box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
}"""

# The texts of the banner of which a part is out of sight, or under a button.
TOLD_IN_PART = """() => {
  const buttons = [...document.querySelectorAll("#banner button")]
    .map((button) => button.getBoundingClientRect()).filter(({ width }) => width);
  const banner = document.querySelector("#banner").getBoundingClientRect();
  return [...document.querySelectorAll("#banner :is(p, b, .gauge)")]
    .filter((part) => part.checkVisibility() && part.offsetHeight && part.innerText !== "")
    .filter((part) => {
      const words = document.createRange();
      words.selectNodeContents(part);
      const room = part.closest(".banner-text")?.getBoundingClientRect() ?? banner;
      const { left, right, top, bottom } = words.getBoundingClientRect();
      const isUnder = buttons.some((button) => button.left < right - 1 && button.right > left + 1
        && button.top < bottom - 1 && button.bottom > top + 1);
      return isUnder || top < room.top - 2 || bottom > room.bottom + 2;
    })
    .map((part) => part.textContent);
}"""


def looked_at(page: Page, saved: Saved, screen: Screen) -> Iterator[str]:
    """Yield what is wrong with *page* on *screen*."""
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > screen.width:
        yield f"scrolls sideways, {width} px"
    hand = f'[data-hand="hand-{saved.turn}"]'
    # Beside a ship, a hand may be higher than the smallest screens, and scrolls.
    hands = (f".hands:not(:has(.spread, .voyage)) {hand}", f".hands:has(.voyage) {hand} .card")
    for part in ("#banner", ".round", ".panels", *hands):
        shown = page.locator(part).filter(visible=True).first
        if shown.count() and not shown.evaluate(SEEN_WHOLE):
            yield f"{part} is not seen whole"
    for what, script, argument in (
        ("cut", CUT, None),
        ("small", SMALL, SMALLEST_TARGET),
        ("covered", COVERED, None),
        ("told in part", TOLD_IN_PART, None),
    ):
        found = page.evaluate(script, argument)
        if saved.state == OVER:
            found = [one for one in found if one != "site"]  # no place can be chosen any more
        if found:
            yield f"{what}: {found}"
    if not page.evaluate(NEWEST_WHOLE):
        yield "the newest card is cut"


@pytest.mark.parametrize("game", long_unless(lambda game: game == "ciao", OURS))
def test_every_state_is_seen_whole_on_every_screen(
    browser: Browser, tmp_path: Path, game: str
) -> None:
    wrong = []
    widths: dict[Screen, list[int]] = {}  # of the players' places in the first state
    saved_in = played(tmp_path, game)
    assert [saved.state for saved in saved_in] == list(STATES)
    for saved in saved_in:
        with showing(browser, saved) as page:
            for screen in Screens(page):
                found = [*looked_at(page, saved, screen)]
                players = page.evaluate(PLAYERS)
                if widths.setdefault(screen, players) != players:
                    found.append(f"players {players} px wide, not {widths[screen]}")
                wrong += [f"{saved.state}, {screen}: {each}" for each in found]
    assert not wrong, "\n".join(wrong)
