"""Tests in which one person plays against robots in the browser."""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest
from playwright.sync_api import expect

from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.sim.web.browser import PHONE, Finger, Opener, TablePage, chosen, findings, reach

MOST_TURNS = 200


@pytest.fixture
def quickly() -> Iterator[None]:
    """Robots that think fast, because nobody follows them here."""
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3):
        yield


def seat_robots(table: TablePage, *seats: str) -> None:
    """Select a robot as the player of each of *seats*."""
    for name in seats:
        chooser = table.page.get_by_label(f"Who plays for {name}")
        chooser.select_option("good")
        seat = table.page.locator(".seat[data-robot] .seat-name", has_text=name)
        expect(seat).to_be_visible()


# Functions of the page. The journal lists an input a moment after the display shows its outcome.
MOMENT = """() => document.querySelector("#oled").ariaLabel.split(", ", 2).join(", ")"""
MINE_OR_OVER = """() => document.querySelector(".seat[data-wins]") !== null
  || /round-over/.test(document.querySelector("#oled").ariaLabel)
  || (document.querySelector(".seat:not([data-robot]) .lamp:not([data-level='0'])") !== null
    && /Ann to play/.test(document.querySelector("#oled").ariaLabel))"""
HAS_PASSED = f"""([moment, shown]) => document.querySelector(".seat[data-wins]") !== null
  || document.querySelector(`[data-hand=laid] [data-tag="${{shown}}"]`) !== null
  || ({MOMENT})() !== moment"""


def wait_for_me(table: TablePage) -> bool:
    """Wait until it is Ann's turn, or a round is over; return False if the game is over instead."""
    table.page.wait_for_function(MINE_OR_OVER, timeout=60_000)
    return table.page.locator(".seat[data-wins]").count() == 0


@pytest.mark.usefixtures("quickly")
@pytest.mark.long
def test_one_person_and_two_robots_play_straw_to_the_winner(open_page: Opener) -> None:
    table = open_page()
    table.page.click("#tab-deal")
    table.page.select_option("#deal-game", "straw")
    table.page.select_option("#deal-players", "3")
    table.page.click("#deal")
    expect(table.page.locator('[data-hand="hand-1"]')).to_be_visible()
    seat_robots(table, "Ben", "Cem")
    assert table.page.locator('[data-hand="hand-1"] button.card').count() == 0
    for _ in range(MOST_TURNS):
        if not wait_for_me(table):
            break
        moment = table.page.evaluate(MOMENT)
        phase = table.phase()
        if phase in ("lamp", "round-over"):
            table.page.click("[data-button=ok]")
        else:
            expect(table.hand.first).to_be_visible()
            is_first = table.page.locator("[data-hand=laid] button.card").count() == 0
            faces = table.faces()
            face = chosen(faces, 0, is_first) if phase == "play" else faces[0]
            table.card(face.tag).dblclick()
        # When hands are counted, the turn passes only with the last card.
        shown = face.tag if phase == "scoring" else None
        table.page.wait_for_function(HAS_PASSED, arg=[moment, shown])
    expect(table.page.locator(".seat[data-wins]").first).to_be_visible()
    assert table.journal("refused").count() == 0


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("game", [game for game in OURS if game != "straw"])
def test_every_seat_of_every_game_has_its_list_and_robots_play(
    open_page: Opener, game: str
) -> None:
    table = open_page()
    table.page.click("#tab-deal")
    table.page.select_option("#deal-game", game)
    table.page.select_option("#deal-players", "2")
    table.page.click("#deal")
    for name in ("Ann", "Ben"):
        table.page.get_by_label(f"Who plays for {name}").select_option(styles_of(game)[0])
    expect(table.page.locator(".seat[data-robot]")).to_have_count(2)
    expect(table.journal("input").nth(7)).to_be_attached(timeout=60_000)
    assert table.journal("refused").count() == 0
    assert findings(table) == []


@pytest.fixture
def without_robots() -> Iterator[None]:
    """Robots for Straw that can only play among themselves; used before the table opens."""
    with patch.dict(OURS, {"straw": replace(OURS["straw"], from_scene=None)}):
        yield


@pytest.mark.usefixtures("without_robots")
def test_where_robots_cannot_sit_the_page_says_so(open_page: Opener) -> None:
    table = open_page()
    table.page.click("#tab-deal")
    table.page.select_option("#deal-game", "straw")
    expect(table.page.locator("#robots-note")).to_be_visible()
    table.page.select_option("#deal-game", "cramel")
    expect(table.page.locator("#robots-note")).to_be_hidden()


def test_seats_can_be_given_to_robots_by_finger(open_page: Opener) -> None:
    table = open_page(PHONE, is_phone=True)
    table.deal(3)
    seat_robots(table, "Ben")
    assert "Who plays for Ben" in reach(table, "deal")
    assert findings(table) == []
    other = open_page()
    other.page.click("#tab-deal")
    expect(other.page.get_by_label("Who plays for Ben")).to_have_value("good")
    other.page.get_by_label("Who plays for Ben").select_option("")
    expect(table.page.locator(".seat[data-robot]")).to_have_count(0)
    Finger(table).ok()
