"""Tests that games unknown to ``sim`` are dealt and played in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.firmware.installing import installed
from tests.sim.deal.installing import installed_layout
from tests.sim.web.browser import Opener, Site, TablePage

HEAP, FAN = "tests.sim.deal.heap", "tests.sim.deal.fan"


@pytest.fixture
def games(request: pytest.FixtureRequest) -> Iterator[None]:
    """Install Heap and Fan; Fan's layout only if the test's parameter is not False."""
    with installed("heap", HEAP), installed("fan", FAN):
        if getattr(request, "param", True):
            with installed_layout("fan", FAN):
                yield
        else:
            yield


@pytest.fixture
def table(browser: Browser, games: None, tmp_path: Path) -> Iterator[TablePage]:
    """A page of a table with these games; fails at the end if the page reported an error."""
    with Site(tmp_path / "state") as site:
        opener = Opener(browser, site)
        yield opener()
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[]]


def test_a_game_in_an_existing_layout_is_dealt_and_played(table: TablePage) -> None:
    table.deal_game("heap", 2)
    expect(table.hand).to_have_count(3)
    expect(table.page.locator("#pile-name")).to_have_text("Draw pile: 6 cards")
    name = table.turn()
    tag = table.faces()[0].tag
    table.until_accepted(table.card(tag).dblclick)
    expect(table.page.locator("#pile-name")).to_have_text("Draw pile: 5 cards")
    expect(table.page.locator("#laid-name")).to_have_text("Laid: 1 card")
    assert table.turn() != name
    expect(table.hand).to_have_count(3)


def test_a_game_in_a_layout_of_its_own_is_drawn_by_its_own_module(table: TablePage) -> None:
    table.deal_game("fan", 2)
    row = table.page.locator(".fan-row button.card")
    expect(row).to_have_count(12)
    expect(row.first).to_have_attribute("data-tag", "fan/low#1")
    table.page.click("text=Turn round")
    expect(row.first).to_have_attribute("data-tag", "fan/high#6")
    table.until_accepted(row.first.dblclick)
    expect(row).to_have_count(11)
    assert sorted(table.scores().values()) == [0, 2]
    table.page.reload()
    table.page.click("#tab-deal")
    expect(row).to_have_count(11)


@pytest.mark.parametrize("games", [False], indirect=True)
def test_a_layout_that_is_not_installed_is_reported(table: TablePage) -> None:
    table.deal_game("fan", 2)
    notice = table.page.locator(".notice")
    expect(notice).to_contain_text('Fan has the layout "fan", which is not installed')
    expect(notice).to_contain_text("board, hands, ship, spread")
    table.page.click("#tab-cards")
    expect(table.card("fan/low#1")).to_be_visible()  # the tray still shows its cards
