"""Play in each of the table's languages: nothing is English, and nothing is cut.

The same moment of a game is shown in English and in another language. A text that is the same in
both must be a name, or a word that is the same in both catalogues.
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Page, expect

from firmware.config.table_config import load_config
from firmware.voice.words import ENGLISH, languages
from sim.deal import requests
from sim.robots.games import OURS
from sim.web.page_words import page_words
from tests.effort import long_unless
from tests.firmware.test_catalogues import PACKAGES, entries, texts
from tests.sim.web.browser import PATIENCE_MS, Opener, Site
from tests.sim.web.test_play import (
    SEEN_WHOLE,
    SMALL,
    SMALLEST_TARGET,
    WITH_STRAW,
    PlayPage,
    begin,
    opened,
)
from tests.sim.web.test_words import NAMES

pytestmark = pytest.mark.browser

OTHERS = [language for language in languages() if language != ENGLISH]
LONGEST = ("de", "hu")  # the languages with the longest words
SMALLEST = (320, 568)
LOST = "No connection to the table. Try again when it is back."
WRONG_CODE = "That is not the code on the display. Look again."
AWAY_MS = 1000  # long enough for the reader to notice that a card was lifted
WORD = re.compile(r"[^\W\d_]{2,}")
# The texts and labels on the page, without parts in their own language, such as speech.
SHOWN = """() => {
  const found = new Set();
  const isOurs = element => element.checkVisibility() && !element.closest("body [lang]");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const holder = parent.matches("option") ? parent.closest("select") : parent;
    if (isOurs(holder) && !parent.closest("body [lang]")) found.add(node.nodeValue.trim());
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const element of document.body.querySelectorAll(`[${name}]`)) {
      if (isOurs(element)) found.add(element.getAttribute(name).trim());
    }
  }
  return [...found];
}"""
# The elements whose text does not fit into them, into their list, or on their card. The news may be
# shortened: they are announced too.
CUT = """() => {
  const ruler = document.createElement("canvas").getContext("2d");
  const isCut = element => {
    const style = getComputedStyle(element);
    if (element.matches("select")) {
      ruler.font = style.font;
      const sides = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      const { width } = ruler.measureText(element.selectedOptions[0]?.textContent ?? "");
      return width > element.clientWidth - sides;
    }
    if (element.matches("svg text")) {
      const box = element.getBoundingClientRect();
      const card = element.closest("svg").getBoundingClientRect();
      return box.left < card.left - 1 || box.right > card.right + 1;
    }
    if (element.clientWidth === 1) return false; // for screen readers only
    const words = document.createRange();
    words.selectNodeContents(element);
    const { left, right, top, bottom } = words.getBoundingClientRect();
    for (let around = element; around !== document.body; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around);
      if (["auto", "scroll"].includes(overflowX)) return false; // people can scroll to it
      const box = around.getBoundingClientRect();
      const isBeside = left < box.left - 1 || right > box.right + 1;
      const isBeyond = top < box.top - 1 || bottom > box.bottom + 1;
      const isHidden = overflowX !== "visible";
      if (isHidden ? isBeside || isBeyond : isBeside && around === element) return true;
    }
    return false;
  };
  const isText = node => node.nodeType === 3 && node.nodeValue.trim() !== "";
  return [...document.body.querySelectorAll("*")]
    .filter(element => element.checkVisibility() && !element.closest(".said, .unseen, #news"))
    .filter(element => element.matches("select") || [...element.childNodes].some(isText))
    .filter(isCut)
    .map(element => element.selectedOptions?.[0]?.textContent ?? element.textContent);
}"""


@cache
def same_words(language: str) -> frozenset[str]:
    """Return the words that may be the same in English and in *language*."""
    same = {english for english, text in page_words(language).items() if english == text}
    for package in PACKAGES.values():
        english, other = entries(package, ENGLISH), entries(package, language)
        same |= {
            text for code in english for text in {*texts(english[code])} & {*texts(other[code])}
        }
    same |= {*NAMES, *load_config().names}
    return frozenset(word for text in same for word in WORD.findall(text))


def english_in(shown: set[str], in_english: set[str], language: str) -> list[str]:
    """Return the parts of the texts *shown* that are English."""
    translated = {english for english, text in page_words(language).items() if english != text}
    return sorted(
        part
        for part in parts(shown) & (parts(in_english) | translated)
        if not same_words(language).issuperset(WORD.findall(part))
    )


def parts(found: set[str]) -> set[str]:
    """Return the texts cut at colons, commas and brackets, where the page joins texts."""
    return {part.strip() for text in found for part in re.split(r"[:;,()]", text)}


def shown_on(page: Page) -> set[str]:
    return set(page.evaluate(SHOWN))


def speak(site: Site, page: Page, language: str) -> None:
    """Change the table's language, and wait until the page has it."""
    site.live.do(requests.ChooseLanguage(language)).result(30)
    expect(page.locator("html")).to_have_attribute("lang", language)


def insist_translated(page: Page, in_english: set[str], language: str) -> None:
    """Fail if the page still shows English after a while, in which the table may send its texts."""
    end_s = time.monotonic() + PATIENCE_MS / 4000
    while (found := english_in(shown_on(page), in_english, language)) and time.monotonic() < end_s:
        page.wait_for_timeout(50)
    assert found == [], language


def insist_in_every_language(site: Site, page: Page) -> None:
    """Fail unless the page shows the present moment in every language."""
    speak(site, page, ENGLISH)
    page.wait_for_timeout(300)
    in_english = shown_on(page)
    for language in OTHERS:
        speak(site, page, language)
        insist_translated(page, in_english, language)
    speak(site, page, ENGLISH)


# --- the moments of a game -----------------------------------------------------------------------


def ask_for_weight(play: PlayPage) -> None:
    play.card("straw/lamp#1").click()
    expect(play.act("7")).to_be_visible()


def play_a_card(play: PlayPage) -> None:
    play.playable.click()
    expect(play.newest).to_be_visible()


def turn_a_tile(play: PlayPage) -> None:
    play.page.locator(".place").first.click()
    expect(play.page.locator(".place[data-state=open]")).to_have_count(1)


def ask_for_place(play: PlayPage) -> None:
    play.playable.press("Enter")
    expect(play.page.locator(".site[data-offered]").first).to_be_visible()


def reveal(play: PlayPage) -> None:
    play.playable.click()
    expect(play.page.locator("#banner-hint")).not_to_be_empty()


MOMENTS: dict[str, Callable[[PlayPage], None]] = {
    "straw": ask_for_weight,
    "ciao": play_a_card,
    "cramel": turn_a_tile,
    "camargue": ask_for_place,
    "riff-raff": reveal,
}


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_a_game_shows_no_english(open_page: Opener, game: str) -> None:
    """First before any input, then with an open question or after the first one."""
    begin(open_page.site, game)
    play = opened(open_page)
    expect(play.hint).not_to_be_empty()
    insist_in_every_language(open_page.site, play.page)
    MOMENTS[game](play)
    insist_in_every_language(open_page.site, play.page)


@pytest.mark.parametrize("language", long_unless(lambda language: language == "hu", OTHERS))
def test_the_start_page_shows_no_english(open_page: Opener, language: str) -> None:
    play = opened(open_page)
    expect(play.page.locator("#start")).to_be_visible()
    for radio in play.page.get_by_role("radio").all():
        radio.check(force=True)
        if not play.page.locator("details[open]").count():
            play.page.click("summary")
        speak(open_page.site, play.page, ENGLISH)
        in_english = shown_on(play.page)
        play.page.get_by_label("Language").select_option(language)
        expect(play.page.locator("html")).to_have_attribute("lang", language)
        insist_translated(play.page, in_english, language)


@pytest.mark.parametrize("site", [WITH_STRAW], indirect=True)
def test_a_refusal_is_in_every_language(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    wrong, card = play.page.locator("#banner-wrong"), play.card("straw/straw#1")  # from 50 on
    refused = []
    for language in languages():
        speak(open_page.site, play.page, language)
        expect(card).to_have_attribute("data-card", "straw/straw#1")  # it is in the hand again
        play.page.wait_for_timeout(AWAY_MS)
        card.click()
        expect(wrong).not_to_be_empty()
        refused.append(wrong.inner_text())
        play.page.evaluate("document.querySelector('#banner-wrong').textContent = ''")
    assert len(set(refused)) == len(languages())


def test_a_lost_connection_and_an_error_are_in_the_last_language(open_page: Opener) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page)
    speak(open_page.site, play.page, "fr")
    play.page.locator("#new-game").click()
    play.page.get_by_label("Nom à la place 1").fill("Ann+")
    play.page.click("#start-begin")
    notice = play.page.locator(".notice p")
    expect(notice).to_contain_text("« Ann+ » ne va pas : « + » manque. Les signes sont :")
    play.page.get_by_label("Fermer ce message").click()
    with open_page.server_stopped():
        expect(play.page.locator("#connection")).to_have_text("pas de connexion")
        play.page.click("#start-go-on")
        play.playable.click()
        expect(notice).to_have_text(page_words("fr")[LOST])
        assert english_in(shown_on(play.page), set(), "fr") == []
    expect(play.page.locator("#connection")).to_have_text("connecté")


def test_the_pairing_dialog_is_in_the_tables_language(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
    settings = replace(load_config().settings, language="hu")
    config = replace(load_config(), settings=settings)
    with Site(tmp_path / "open", host="0.0.0.0", config=config) as site:
        page = Opener(browser, site).blank().page
        page.goto(site.address)
        expect(page.locator("#pairing-title")).to_have_text(
            page_words("hu")["Pair with this table"]
        )
        page.fill("#code", "no")
        page.keyboard.press("Enter")
        expect(page.locator("#pairing-error")).to_have_text(page_words("hu")[WRONG_CODE])
        assert english_in(shown_on(page), set(), "hu") == []
        page.context.close()


# --- room ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LONGEST)
@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_nothing_is_cut_on_the_smallest_phone(open_page: Opener, game: str, language: str) -> None:
    play = opened(open_page, SMALLEST)
    speak(open_page.site, play.page, language)
    play.page.get_by_role("radio").nth(sorted(OURS).index(game)).check(force=True)
    play.page.click("summary")
    insist_in_room(play.page)
    begin(open_page.site, game)
    expect(play.hint).not_to_be_empty()
    insist_in_room(play.page)
    for seen in ("#banner", ".round", ".panels"):
        assert play.page.locator(seen).evaluate(SEEN_WHOLE), seen
    MOMENTS[game](play)
    insist_in_room(play.page)


def insist_in_room(page: Page) -> None:
    """Fail if the page scrolls sideways, cuts a text, or has a target too small for a finger."""
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALLEST[0]
    assert page.evaluate(CUT) == []
    assert page.evaluate(SMALL, SMALLEST_TARGET) == []


def test_lab_names_the_language_of_its_english_and_of_the_tables_words(
    open_page: Opener,
) -> None:
    """So that a screen reader says both rightly."""
    begin(open_page.site, "straw")
    page = open_page().page
    open_page.site.live.do(requests.ChooseLanguage("de")).result(30)
    expect(page.locator("#connection")).to_have_text("verbunden")
    card = page.locator('#tray [data-tag^="cramel/"]').first
    expect(card).to_have_attribute("aria-label", re.compile(" von "))
    page.click("#tab-deal")
    sitter = page.locator(".sitter").first
    expect(sitter.locator("option").first).to_have_text("Person")
    command = page.locator('#tray [data-tag*="/ok"]').first
    parts = (card, page.locator(".seat-note").first, command, sitter, page.locator("#tray-tools"))
    langs = [part.evaluate("part => part.closest('[lang]').lang") for part in parts]
    assert langs == ["de", "de", "en", "en", "en"]
