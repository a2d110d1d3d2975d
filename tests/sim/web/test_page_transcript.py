"""Tests of the transcript on the page: lines that were said, and lines dropped with the reason."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from engines.common.contract import Topic
from firmware.config.table_config import load_config
from tests.sim.web.browser import SEED, Mouse, Opener, Site


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """An opener of pages of a table that never announces whose turn it is."""
    config = load_config()
    settings = replace(config.settings, silent=frozenset({Topic.TURN}))
    config = replace(config, settings=settings)
    with Site(tmp_path / "state", SEED, config=config) as site:
        opener = Opener(browser, site)
        yield opener
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[] for _ in opener.contexts]


def test_a_dropped_line_is_struck_through_with_the_reason(open_page: Opener) -> None:
    """A total that waited is marked as said or dropped as soon as this is known."""
    table = open_page()
    table.deal(2)
    card = max(table.faces(), key=lambda face: face.number or 0)
    table.until_accepted(partial(Mouse(table).play, card.tag))
    event = table.page.locator("#transcript-lines li").last
    expect(event).to_have_text(f"{card.number}. Ben to play.")
    total, turn = event.locator("[data-topic=total]"), event.locator("[data-topic=turn]")
    expect(turn).to_have_attribute("data-why", "silent")
    expect(turn).to_have_css("text-decoration-line", "line-through")
    behind = turn.evaluate("line => getComputedStyle(line, '::after').content")
    assert "silent" in behind
    expect(total).to_have_attribute("data-fate", "said")
    expect(total).to_have_css("text-decoration-line", "none")
    later = open_page()
    kept = later.page.locator("#transcript-lines li").last.locator("[data-topic=turn]")
    expect(kept).to_have_attribute("data-why", "silent")
