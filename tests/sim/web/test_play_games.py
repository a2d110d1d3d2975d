"""Whole games in Play: by mouse, by keyboard and by touch, with robots in the other seats.

Nobody uses Lab, and the page gets only input of people. The boxes of Cramel and Camargue are
small, so that a game is short.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware.config.table_config import load_config
from tests.effort import long_unless
from tests.sim.web.browser import PHONE, WIDE, Opener, Site
from tests.sim.web.player import WAYS, ByKeyboard, Player, write_small_box

pytestmark = pytest.mark.browser

GAMES = {"straw": 2, "ciao": 3, "riff-raff": 3, "cramel": 2, "camargue": 2}  # players by game
# The number of pieces by the beginning of the kind's name; other kinds are left out.
SMALL_BOXES = {
    "cramel": {"jane": 4, "helena": 2, "roby": 4, "bloom": 2, "cramel": 4},
    "camargue": {
        "start": 1,
        "emergency": 3,
        "forest": 1,
        "water": 1,
        "helper-forest-water": 2,
        "helper-grain": 1,
    },
}
SPREADS = {"cramel": (4, 4)}
DENSITY = 3  # of a phone's screen, in pixels per CSS pixel
MOST_PRESSES = 25  # of keys, to reach the next card, place or button


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """An opener of pages of a table with small boxes."""
    boxes = {
        game: write_small_box(tmp_path, game, counts, SPREADS.get(game))
        for game, counts in SMALL_BOXES.items()
    }
    config = replace(load_config(), decks=boxes)
    with Site(tmp_path / "state", config=config) as site:
        opener = Opener(browser, site)
        yield opener
        for context in opener.contexts:
            context.close()
        assert opener.wrong == [[] for _ in opener.contexts]
        assert site.live.failure is None


def seated(open_page: Opener, way: str, seed: int = 1) -> Player:
    """Return a player on a new page, who uses it in one *way*."""
    is_phone = way == "touch"
    table = open_page.blank(PHONE if is_phone else WIDE, is_phone, DENSITY if is_phone else 1)
    table.page.goto(open_page.site.address)
    expect(table.page.locator("#start")).to_be_visible()
    return Player(table.page, way, seed)


CASES = [(game, way) for game in GAMES for way in WAYS]


@pytest.mark.parametrize(("game", "way"), long_unless(lambda case: case[0] == "ciao", CASES))
def test_a_whole_game_is_played_in_one_way(open_page: Opener, game: str, way: str) -> None:
    player = seated(open_page, way)
    player.start(game, GAMES[game])
    player.play()
    assert player.findings == []
    if isinstance(player.way, ByKeyboard):
        assert max(player.way.presses) <= MOST_PRESSES
