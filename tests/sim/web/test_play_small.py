"""Play on the smallest phones: in every language, texts are seen whole and cover nothing."""

import pytest
from playwright.sync_api import Page, expect

from firmware.voice.words import ENGLISH, languages
from tests.sim.web.browser import Opener
from tests.sim.web.test_play import opened
from tests.sim.web.test_play_guests import SETTLES_MS
from tests.sim.web.test_play_languages import SMALLEST, speak
from tests.sim.web.test_play_told import Box, begun, open_box

__all__ = ["open_box"]

pytestmark = pytest.mark.browser

LONGEST = {"scissors-green-": 0, "scissors-green": 30, "joker-red": 30}  # jokers have a question

# The parts of the banner that are cut or cover each other.
COVERED = """() => {
  const parts = [".banner-text", "#banner-figure", "#banner-why", "#banner-acts button"];
  const shown = parts.flatMap((part) => [...document.querySelectorAll(part)])
    .filter((part) => part.checkVisibility({ visibilityProperty: true }) && part.textContent);
  const boxes = shown.map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return part.matches("#banner-figure") ? range.getBoundingClientRect()
      : part.getBoundingClientRect();
  });
  const cut = shown.filter((part) => part.matches(".banner-text")
    && part.scrollHeight > part.clientHeight + 1);
  const covered = shown.filter((_, n) => boxes.some((box, m) => m !== n
    && box.left < boxes[n].right - 1 && box.right > boxes[n].left + 1
    && box.top < boxes[n].bottom - 1 && box.bottom > boxes[n].top + 1));
  return [...cut, ...covered].map((part) => part.textContent);
}"""
# The gaps in pixels between the names of the tools in the top bar.
GAPS = """() => {
  const boxes = [...document.querySelectorAll(".bar .tool-name")]
    .filter((name) => name.checkVisibility()).map((name) => name.getBoundingClientRect());
  return boxes.slice(1).map(({ left }, n) => Math.round(left - boxes[n].right));
}"""
LEAST_GAP = 3


def in_every_language(opener: Opener, page: Page) -> None:
    """Fail if the banner or the top bar is cut or covered in any language."""
    found = {}
    for language in [*languages(), ENGLISH]:
        speak(opener.site, page, language)
        page.wait_for_timeout(SETTLES_MS)
        found[language] = page.evaluate(COVERED)
        found[language] += [gap for gap in page.evaluate(GAPS) if gap < LEAST_GAP]
    assert not any(found.values()), found


def test_the_questions_of_ciao_are_seen_whole(open_box: Box) -> None:
    """Before a card that costs cards, and after a joker."""
    opener = open_box("ciao", LONGEST)
    begun(opener, "ciao").page.context.close()
    play = opened(opener, SMALLEST)
    play.page.locator('[data-turn] button.card[data-tag*="scissors"]').first.click()
    expect(play.page.locator(".player[data-turn]")).to_contain_text("Ben")
    in_every_language(opener, play.page)
    play.page.wait_for_timeout(700)  # until the card is lifted
    play.page.locator('[data-turn] button.card[data-tag*="scissors"]').first.click()
    expect(play.act("Keep it")).to_be_visible()
    in_every_language(opener, play.page)
    play.act("Keep it").click()
    play.page.locator('[data-turn] button.card[data-tag*="joker"]').first.click()
    expect(play.act("Scissors")).to_be_visible()
    in_every_language(opener, play.page)
