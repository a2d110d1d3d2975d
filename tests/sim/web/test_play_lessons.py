"""Learn by playing, in Play: the banner shows what the table teaches."""

import pytest
from playwright.sync_api import expect

from tests.sim.web.browser import Opener
from tests.sim.web.test_play import opened

pytestmark = pytest.mark.browser


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
    expect(banner).to_contain_text("The table adds up the load. Above 50, the camel's back breaks.")


def test_a_game_is_not_explained_unless_somebody_wants_that(open_page: Opener) -> None:
    play = opened(open_page)
    play.start("Straw")
    expect(play.page.locator("#banner")).not_to_contain_text("Put one card on the camel")
