"""Tests of the page of a table whose lamps are an LED strip."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware.config.table_config import load_config
from tests.docs.installed import installed
from tests.docs.pages import page
from tests.sim.web.browser import SEED, Opener, Site, TablePage

GUIDE = page("docs/adding-an-led-strip.md")


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """An opener of pages of the table in the guide."""
    with installed(GUIDE, tmp_path, "glow1") as folder:
        config = load_config(folder / "glow-table.toml")
        with Site(tmp_path / "state", SEED, config=config) as site:
            opener = Opener(browser, site)
            yield opener
            for context in opener.contexts:
                context.close()
            assert opener.wrong == [[] for _ in opener.contexts]


def drawn(table: TablePage, name: str) -> tuple[str, str]:
    """Return the colours in which the page draws the lamp *name*: its own, and its background's."""
    style = table.lamp(name).evaluate(
        "lamp => [getComputedStyle(lamp).getPropertyValue('--lamp'),"
        " getComputedStyle(lamp).backgroundColor]"
    )
    return style[0].strip(), style[1]


def test_a_lit_lamp_has_the_strips_colour_and_a_dark_one_the_pages(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    expect(table.lamp("accepted")).to_have_attribute("data-level", "0")
    assert drawn(table, "seat-1")[0] == "#ffffff"
    assert drawn(table, "clockwise")[0] == "#0050ff"
    assert drawn(table, "seat-2")[0] == "#ffc247"
    assert drawn(table, "accepted")[0] == "#58e08f"
    assert "1 1 1" in drawn(table, "seat-1")[1]
