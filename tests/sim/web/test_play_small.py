"""Play on the smallest phones: in every language, texts are seen whole and cover nothing."""

import pytest
from playwright.sync_api import Page, expect

from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.voice.words import ENGLISH, languages
from sim.web.table import table_message
from tests.sim.web.browser import Opener
from tests.sim.web.test_play import WITH_STRAW, begin, opened
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


# The words on the cards of Ciao! that cross an edge of their card, or are smaller than the figure.
TOO_WIDE = """async ([card, printed, kinds, least]) => {
  const { face } = await import("/static/cards/faces.js");
  return kinds.flatMap((kind) => {
    const shown = face({ game: "ciao", face: "card", ...kind, tag: card, printed });
    document.querySelector("#hands").append(shown);
    const texts = [...shown.querySelectorAll(".name, .special")].filter((text) => {
      const { x, width } = text.getBBox();
      return x < 1 || x + width > 59 || parseFloat(getComputedStyle(text).fontSize) < least;
    });
    shown.remove();
    return texts.map((text) => text.textContent);
  });
}"""
LEAST_SIZE = 9  # of the 84 units of a card's height


@pytest.mark.parametrize("language", languages())
def test_the_words_on_cards_are_inside_their_cards_and_large_enough(
    open_page: Opener, language: str
) -> None:
    page = opened(open_page, SMALLEST).page
    game = next(
        game for game in table_message(load_config(), language)["games"] if game["name"] == "ciao"
    )
    kinds = [{"kind": kind["name"], "value": 0, "traits": {}, **kind} for kind in game["kinds"]]
    asked = ["ciao/any#1", game["printed"], kinds, LEAST_SIZE]
    begin(open_page.site, "ciao")
    expect(page.locator("#hands .card").first).to_be_attached()
    assert page.evaluate(TOO_WIDE, asked) == []


@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
def test_back_leads_from_lab_to_the_game_and_the_pile_says_who_draws(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, SMALLEST)
    play.page.click("#view-switch")
    expect(play.page.locator("body")).to_have_attribute("data-view", "lab")
    play.page.go_back()
    expect(play.page.locator("body")).to_have_attribute("data-view", "play")
    play.page.locator("[data-hand=pile] .card").click()
    expect(play.page.locator(".notice")).to_contain_text("The table draws for you.")


# How far the marks on cards reach into the card, in pixels: the one above and the one below.
REACH = """() => [["::before", "top"], ["::after", "bottom"]].map(([mark, side]) => {
  const card = document.querySelector("[data-turn] button.card");
  card.dataset.fresh = "new";
  card.dataset.warning = "bad";
  const style = getComputedStyle(card, mark);
  return parseFloat(style[side]) + parseFloat(style.height);
})"""
MOST_REACH = 8  # there is nothing to read so near to the edge


@pytest.mark.parametrize("screen", [SMALLEST, (1280, 800)])
def test_marks_on_cards_cover_nothing_to_read(open_page: Opener, screen: tuple[int, int]) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    expect(play.page.locator("[data-turn] button.card").first).to_be_visible()
    assert max(play.page.evaluate(REACH)) <= MOST_REACH


# The names of the games that are not whole above the start button.
HIDDEN_GAMES = """() => {
  const { top } = document.querySelector(".start-bar").getBoundingClientRect();
  return [...document.querySelectorAll(".start-game")]
    .filter((game) => [...game.children].some((part) => {
      const box = part.getBoundingClientRect();
      return part.matches("span") && (box.bottom > top + 1 || box.right > innerWidth);
    }))
    .map((game) => game.textContent);
}"""


@pytest.mark.parametrize(("width", "height"), [(568, 320), (740, 360), (844, 390)])
def test_all_games_are_whole_on_the_start_page_of_a_phone_held_across(
    open_page: Opener, width: int, height: int
) -> None:
    page = opened(open_page, (width, height)).page
    expect(page.locator(".start-game:visible")).to_have_count(len(games()))
    assert page.evaluate(HIDDEN_GAMES) == []
