"""The transcript on the page: what was said, and what was not and why."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from engines.common.contract import Topic
from firmware.config import load_config
from tests.sim.web.browser import SEED, Mouse, Opener, Site


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages of a table that never says whose turn it is."""
    config = replace(load_config(), silent=frozenset({Topic.TURN}))
    with Site(tmp_path / "state", SEED, config=config) as site:
        opener = Opener(browser, site)
        yield opener
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[] for _ in opener.contexts]


def test_a_dropped_line_is_struck_through_with_the_reason(open_page: Opener) -> None:
    """What became of a total that was waiting is told when it is known."""
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
