"""axe-core finds nothing serious in Play, in any language, light and dark."""

import pytest
from playwright.sync_api import expect

from firmware.voice.words import languages
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.browser import Opener, TablePage, findings
from tests.sim.web.test_play import PlayPage, begin, opened
from tests.sim.web.test_play_languages import MOMENTS, speak

pytestmark = pytest.mark.browser


def insist_clean(open_page: Opener, play: PlayPage) -> None:
    """Fail if axe-core finds anything serious on the page, in any language."""
    for language in languages():
        speak(open_page.site, play.page, language)
        assert findings(TablePage(play.page)) == [], language
    speak(open_page.site, play.page, "en")


def test_the_start_page_is_clean(open_page: Opener) -> None:
    play = opened(open_page)
    expect(play.page.locator("#start")).to_be_visible()
    play.page.click("summary")
    insist_clean(open_page, play)


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_a_game_is_clean(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    play = opened(open_page)
    expect(play.hint).not_to_be_empty()
    insist_clean(open_page, play)
    MOMENTS[game](play)
    insist_clean(open_page, play)


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_the_rules_card_of_a_game_is_clean(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    play = opened(open_page)
    expect(play.hint).not_to_be_empty()
    play.page.locator("#rules-open").click()
    expect(play.page.get_by_role("dialog")).to_be_visible()
    insist_clean(open_page, play)


def test_a_button_without_a_name_is_found(open_page: Opener) -> None:
    """The check can fail."""
    play = opened(open_page)
    expect(play.page.locator("#start")).to_be_visible()
    play.page.evaluate("document.querySelector('#start').append(document.createElement('button'))")
    assert [found for found in findings(TablePage(play.page)) if found.startswith("button-name")]
