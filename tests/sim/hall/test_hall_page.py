"""The board in a browser: what it shows, how it changes, and that everybody can read it."""

import asyncio
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Page, expect

from firmware.hall.board_server import BoardServer
from firmware.voice.words import languages
from tests.ports import free_port
from tests.sim.web.browser import TablePage, findings

HOSTILE = "<img src=x onerror=alert(1)>"


def table(name: str, *scores: int, winner: int | None = None, **facts: Any) -> dict[str, Any]:
    """Return a table of the board, at which Ann, Ben and so on play Straw; Ann is to play."""
    players = [
        {
            "name": player,
            "score": score,
            "is_active": seat == 0 and winner is None,
            "place": 0 if winner is None else 1 + (seat != winner),
        }
        for seat, (player, score) in enumerate(zip(("Ann", "Ben", HOSTILE), scores, strict=False))
    ]
    game = {"number": 1, "name": "straw", "title": "Straw", "headline": "7", "players": players}
    game |= {"ending": "open", "since": "2026-11-27T18:30:00+00:00", "last": "2026-11-27T18:40:00"}
    shape = {"table": name, "online": True, "fault": "", "calls": False}
    return {**shape, "game": game if scores else None, **facts}


TOURNAMENT = {
    "name": "Cup",
    "round": 2,
    "rounds": 3,
    "over": False,
    "pairings": [
        {"table": "door", "names": ["Ann", "Ben"], "done": False, "won": []},
        {"table": "", "names": ["Cem", "Dora"], "done": False, "won": []},
    ],
    "free": ["Eva"],
    "standings": [{"place": 1, "name": "Ann", "points": 1, "tie": 0.5, "played": 1}],
}


class BoardSite:
    """A board in a thread, in *language*."""

    def __init__(self, language: str = "en") -> None:
        self.tables = [table("window", 3, 12), table("door")]
        self.tournament: Any = None
        self._server = BoardServer(
            lambda: self.tables, lambda: self.tournament, lambda code: None, language
        )
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._runner = web.AppRunner(self._server.app)
        self.port = free_port()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()

    async def _open(self) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    def send(self, kind: str, value: Any) -> None:
        self._loop.call_soon_threadsafe(self._server.send, kind, value)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def site() -> Iterator[BoardSite]:
    made = BoardSite()
    yield made
    made.close()


def opened(browser: Browser, site: BoardSite) -> Page:
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{site.port}/")
    expect(page.locator("#tables > li")).to_have_count(2)
    return page


def test_the_board_shows_each_table_and_its_changes(browser: Browser, site: BoardSite) -> None:
    page = opened(browser, site)
    cards = page.locator("#tables > li")
    expect(cards.nth(0)).to_contain_text("door")
    expect(cards.nth(1)).to_contain_text("To play: Ann")
    site.send("tables", [table("window", 3, 12, 5, winner=2), table("alcove", calls=True)])
    expect(cards).to_have_count(3)
    expect(cards.nth(0)).to_contain_text("Calls for help")
    expect(cards.nth(2)).to_contain_text(f"Winner: {HOSTILE}")
    expect(page.locator("img")).to_have_count(0)
    expect(page.locator("#count")).to_have_text("Tables: 3 · Need help: 1")
    site.send("tables", [table("door", online=False, fault="Reader 1 does not answer.")])
    expect(cards.nth(1)).to_contain_text("Reader 1 does not answer.")
    expect(page.locator("#tournament")).to_be_hidden()
    page.close()


def test_the_board_shows_the_tournament(browser: Browser, site: BoardSite) -> None:
    site.tournament = TOURNAMENT
    page = opened(browser, site)
    expect(page.locator("#pairings li")).to_have_text(
        [
            "door Ann \N{EN DASH} Ben",
            "Waiting for a table: Cem \N{EN DASH} Dora",
            "Free this round: Eva",
        ]
    )
    expect(page.locator("#standings td")).to_have_text(["1", "Ann", "1", "0.5", "1"])
    page.close()


@pytest.mark.parametrize("language", languages())
def test_the_board_is_clean_in_every_language(browser: Browser, language: str) -> None:
    site = BoardSite(language)
    site.tournament = TOURNAMENT
    site.tables[1] = table("door", 9, 4, winner=0, calls=True, fault="Reader 1 does not answer.")
    page = opened(browser, site)
    assert findings(TablePage(page)) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()
    site.close()
