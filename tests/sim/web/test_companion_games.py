"""Whole games with one person at the mat and three at phones, played by the robots' choices.

Pieces are laid on the mat. Every other answer of a player with a phone is a sealed message of that
phone. After each act, the robots compare the mat with their own record of the game.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from engines.common.contract import Input, Tap
from engines.common.pieces import Piece
from firmware.boxes.games import game_named
from firmware.journal.codec import decode, decode_phone, encode
from firmware.journal.journal import GameStart
from sim.robots.contract import Ruling
from sim.robots.games import all_robots
from sim.robots.referees import AtMat
from sim.robots.run import deal_of
from sim.robots.session import Session
from tests.effort import long_unless
from tests.firmware.companion.wire_phone import WirePhone
from tests.sim.web.browser import TablePage, findings
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PHONE, PICTURES, is_whole, journal
from tests.sim.web.test_companion import opened as page_at
from tests.sim.web.test_companion_phones import (  # closed: a fixture for every test
    SMALL,
    at_table,
    closed,
    follow,
    seated,
    sit,
    stepping,
    wait_for,
)

__all__ = ["closed"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

NAMES = ("Ann", "Ben", "Cem", "Dora")
AT_MAT, AT_PHONES = NAMES[0], NAMES[1:]
SEED = 3
SHORT = 30  # acts of a game that is not played to its end
MOST_ACTS = 3000
# The answers that each game asks of phones, by the kind of the input.
ASKED = {
    "camargue": {"place", "press"},
    "ciao": {"choice", "press"},
    "cramel": {"press"},
    "riff-raff": {"choice", "press", "seat"},
    "straw": {"number", "press"},
}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


class AtPhones(AtMat):
    """The mat of *table*, at which only the first player is. The others answer at their phones."""

    def __init__(self, table: Evening, start: GameStart) -> None:
        self.table, self.counts = table, Counter[str]()
        super().__init__(table.mat, game_named(start.game), start)
        self.phones = seated(table, *AT_PHONES)

    def give(self, given: Input) -> Ruling:
        """Lay a piece on the mat; give any other input where its player is asked for it."""
        asked = None if isinstance(given, Tap) else self._asked_at(given)
        if asked is None:
            return super().give(given)
        self._refused_from, self._said_from = len(self.mat.refused), len(self.mat.said)
        assert at_table(self.table, asked.act, encode(given)) == {}
        (kind,) = encode(given)
        self.counts[kind] += 1
        return self.ruling

    def _asked_at(self, given: Input) -> WirePhone | None:
        """Return the phone that can give *given*; None if the person at the mat must give it."""
        follow(self.table, *self.phones)
        able = [
            phone for phone in self.phones if encode(given) in [each for each, _ in answers(phone)]
        ]
        if able:
            return able[0]
        at_mat = self.mat.running.table.asks_of(AT_MAT)
        assert at_mat is not None
        assert given in [answer.given for answer in at_mat.answers], f"nobody can give {given}"
        return None


def answers(phone: WirePhone) -> list[tuple[dict[str, object], str]]:
    found: list[tuple[dict[str, object], str]] = phone.mine["answers"]
    return found


CASES = [(game, acts) for game in ASKED for acts in (SHORT, MOST_ACTS)]


@pytest.mark.parametrize(("game", "most"), long_unless(("camargue", SHORT).__eq__, CASES))
def test_a_game_is_played_by_one_person_at_the_mat_and_three_at_phones(
    table: Evening, game: str, most: int
) -> None:
    robots, chance = all_robots()[game], Random(SEED)
    deal = deal_of(robots, len(NAMES), SEED, chance)
    deck = table.mat.running.table.context.box(game, 1).in_play
    start = GameStart(game, NAMES, deal.dealer, deal.options, deck)
    referee = AtPhones(table, start)
    styles = chance.choices(tuple(robots.styles), k=len(NAMES))
    session = Session(robots, deal, styles, referee, chance)
    while not session.books.is_over and len(session.acts) < most:
        session.do(session.next_act())
    assert session.books.is_over == (most == MOST_ACTS)
    assert most == SHORT or referee.counts.keys() >= ASKED[game]
    record = table.mat.running.journal.open_game()
    assert record is not None
    inputs = [entry.body for entry in table.mat.running.journal.entries() if entry.kind == "input"]
    of_phones = Counter(next(iter(encode(decode(body)))) for body in inputs if decode_phone(body))
    assert of_phones == referee.counts
    assert "tap" not in of_phones


# --- in a browser ---------------------------------------------------------------------------------


def test_places_on_the_map_and_the_order_of_a_stack_are_buttons(
    browser: Browser, table: Evening
) -> None:
    page = page_at(browser, table, PHONE, "phone")
    table.people.begin("camargue", 2)
    wait_for(table, page, page.locator("#seats"), "Ann")
    sit(table, page, "Ann")
    seen = 0
    for _ in range(6):
        fits = (piece for piece in own_deck(table) if table.mat.running.table.takes(Tap(piece)))
        table.people.move("tap", [next(fits)], "play", "camargue")
        places = () if table.mat.view.choices is None else table.mat.view.choices.values
        if table.mat.view.turn != 0:
            table.people.choose(places[0])
            continue
        wait_for(table, page, page.locator("#answers.map button").first, r"\d+")
        assert page.locator("#answers button").count() == len(places)
        expect(page.locator("#question")).to_have_text(
            "Choose a dotted place. Tiles may not be turned."
        )
        expect(page.locator("#hint")).to_be_hidden()
        assert page.locator("#answers .tile svg").count() == len(table.mat.view.grid.board.cells)  # type: ignore[union-attr]
        assert findings(TablePage(page)) == []
        assert is_whole(page)
        assert page.evaluate(SMALL) == []
        page.screenshot(path=PICTURES / f"phone-map-{seen}.png", full_page=True)
        chosen = page.locator("#answers button").first
        label = chosen.get_attribute("aria-label") or ""
        assert re.search(r"\b(right|left|up|down)\b.*: .*\d", label), label
        chosen.click()
        stepping(table, lambda: table.mat.view.choices is None, page)
        seen += 1
    assert seen == 3
    assert not list(table.mat.refused)
    assert [body for kind, body in journal(table.folder) if '"place"' in body and "phone" in body]
    page.context.close()


def test_a_phone_says_which_card_of_a_stack_was_first(browser: Browser, table: Evening) -> None:
    page = page_at(browser, table, PHONE, "phone")
    table.people.begin("straw", 2)
    wait_for(table, page, page.locator("#seats"), "Ann")
    sit(table, page, "Ann")
    table.people.move("tap", ["weight-7", "reverse"], "play", "straw")
    wait_for(table, page, page.locator("#question"), "Which was first")
    page.locator("#answers").get_by_role("button", name="the 7", exact=True).click()
    stepping(table, lambda: table.mat.view.choices is None, page)
    laid = [body for kind, body in journal(table.folder) if kind == "input"]
    assert [json.loads(body)["tap"].partition("#")[0] for body in laid] == ["weight-7", "reverse"]
    expect(page.locator("#question")).to_have_text("")
    page.context.close()


def own_deck(table: Evening) -> list[Piece]:
    """Return the pieces of the game that were not laid yet, in the order of the deck."""
    record = table.mat.running.journal.open_game()
    assert record is not None
    laid = {given.piece for given in record.inputs if isinstance(given, Tap)}
    return [piece for piece in record.start.deck.pieces() if piece not in laid]
