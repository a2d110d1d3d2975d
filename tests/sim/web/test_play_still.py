"""Parts of Play that stay where they are: buttons under a finger, and the ship."""

import re

import pytest
from playwright.sync_api import expect

from tests.sim.web.browser import Opener
from tests.sim.web.test_play import SMALLEST_TARGET, PlayPage, begin, opened
from tests.sim.web.test_play_ship import (
    BLUE_RAT,
    CHOOSE,
    IS_FREE,
    RAT,
    piece,
    second,
    tapped,
)
from tests.sim.web.test_seats_riff_raff import GAME, HOLDS, LOSES, playing

pytestmark = pytest.mark.browser

SCREENS = [(320, 568), (390, 844), (768, 1024), (844, 390), (1366, 768)]
NUMBER = re.compile(r"^\d+$")
Boxes = list[tuple[float, ...]]


def boxes(play: PlayPage, selector: str) -> Boxes:
    """Return the boxes of the visible elements: left, top, width and height."""
    expect(play.page.locator(selector).filter(visible=True).first).to_be_visible()
    found = [box.bounding_box() for box in play.page.locator(selector).filter(visible=True).all()]
    return [(box["x"], box["y"], box["width"], box["height"]) for box in found if box]


def number_boxes(play: PlayPage, count: int) -> Boxes:
    """Return the boxes of the first *count* numbers and of *Take back*."""
    numbers = play.page.locator("#banner-acts .act").filter(has_text=NUMBER)
    expect(numbers.nth(count - 1)).to_be_visible()
    return [*boxes(play, "#banner-acts .act:not([data-key=back])")[:count], back_box(play)]


def back_box(play: PlayPage) -> tuple[float, ...]:
    return boxes(play, "#banner-acts [data-key=back]")[0]


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_numbers_stay_where_they_are_from_one_question_to_the_next(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    """And neither they nor the answers in words lie on the ship, which keeps its size."""
    with playing(LOSES):
        with playing(HOLDS):
            play = second(open_page, screen)
        ship = boxes(play, ".ship")
        piece(play, BLUE_RAT).click()
        expect(play.act("Go on")).to_be_visible()
        assert boxes(play, ".ship") == ship
        open_page.site.in_mat(lambda mat: mat.press("action"))  # people tell the mat otherwise
        how_many = number_boxes(play, 2)
        assert boxes(play, ".ship") == ship
        play.act("1").click()
        expect(play.hint).to_contain_text(re.compile("caught", re.IGNORECASE))
        assert number_boxes(play, 2) == how_many
        play.act("0").click()
        expect(play.hint).to_contain_text("Which one fell?")
        for answer in play.page.locator("#banner-acts .act").all():
            answer.scroll_into_view_if_needed()
            assert answer.evaluate(IS_FREE)
        assert boxes(play, ".ship") == ship
    [banner] = boxes(play, "#banner")
    [acts] = boxes(play, "#banner-acts")
    assert acts[1] + acts[3] <= banner[1] + banner[3]


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_ship_keeps_its_size_while_cards_are_revealed_and_cargo_is_loaded(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, GAME)
    tapped(open_page.site, "red-1", "blue-1")
    play = opened(open_page, screen)
    expect(play.hint).to_contain_text("reveal")
    ship = boxes(play, ".ship")
    tapped(open_page.site, "red-9", "blue-4")
    expect(play.hint).to_have_text(f"Ann: {CHOOSE}")
    assert boxes(play, ".ship") == ship
    piece(play, RAT).click()
    expect(play.act("Go on")).to_be_visible()
    assert boxes(play, ".ship") == ship


@pytest.mark.parametrize("screen", [(320, 568), (1280, 800)])
def test_lab_is_a_small_word_at_the_end_of_the_bar(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    begin(open_page.site, "straw")
    play = opened(open_page, screen)
    expect(play.hint).not_to_be_empty()
    expect(play.page.locator("#view-name")).to_be_visible()
    expect(play.page.locator("#view-switch svg")).to_be_hidden()
    targets = boxes(play, ".bar .tool")
    lab = boxes(play, "#view-switch")[0]
    assert max(targets) == lab
    assert min(lab[2:]) >= SMALLEST_TARGET
    assert lab[2] == min(width for _, _, width, _ in targets)
    play.page.get_by_role("button", name="Lab", exact=True).click()
    expect(play.page.locator("#view-name")).to_have_text("Play")
