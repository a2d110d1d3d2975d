"""Tests that the package of a game brings its robots, without a change in ``sim``."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest.mock import patch

import pytest

from firmware.config.table_config import load_config
from sim.players.levels import styles_of
from sim.robots import games
from sim.robots.command import CannotPlay, Run
from sim.robots.run import GameOrder, play
from tests.firmware.installing import installed
from tests.sim.deal.heap.robots import HeapBooks
from tests.sim.web.test_seats import Table

HEAP, ROBOTS = "tests.sim.deal.heap", "tests.sim.deal.heap.robots:ROBOTS"
WHOLE_GAME_S = 300.0


@contextmanager
def offered(*values: str, name: str = "heap") -> Iterator[None]:
    """Offer the robots at *values* as *name*, as if a distribution had these entry points."""
    offers = tuple(EntryPoint(name, value, games.GROUP) for value in values)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(games, "_offers", lambda: offers)
        games.added_robots.cache_clear()
        try:
            yield
        finally:
            games.added_robots.cache_clear()


@pytest.fixture
def heap() -> Iterator[None]:
    """Install the game Heap with its robots."""
    with installed("heap", HEAP), offered(ROBOTS):
        yield


@pytest.mark.long
@pytest.mark.usefixtures("heap")
@pytest.mark.parametrize("is_fast", [True, False], ids=["rules", "mat"])
def test_its_robots_check_the_rules_and_a_mat(is_fast: bool) -> None:
    faults = 0.0 if is_fast else 0.1
    order = GameOrder("heap", mistakes=0.3, faults=faults, is_fast=is_fast)
    game = play(order, 3, load_config())
    assert game.failure is None, game.failure.what
    assert game.counts["plays"] >= 12
    assert game.counts["refusals"] > 0


@pytest.mark.usefixtures("heap")
def test_a_difference_from_its_books_is_reported() -> None:
    with patch.object(HeapBooks, "is_over", False):
        game = play(GameOrder("heap", is_fast=True), 1, load_config())
    assert game.failure is not None
    assert "the books say" in game.failure.what


@pytest.mark.usefixtures("heap")
def test_its_robots_take_seats_at_the_virtual_table(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    table = Table(tmp_path / "state")
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3):
        table.deal("heap", 2, dict.fromkeys((1, 2), styles_of("heap")[0]))
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
    assert not list(table.mat.refused)
    table.close()


@pytest.mark.usefixtures("heap")
def test_they_play_among_all_robots() -> None:
    assert [order.game for order in Run("all", 1).orders()] == [*games.OURS, "heap"]


def test_a_game_without_robots_is_named_with_those_that_have_some() -> None:
    with (
        installed("heap", HEAP),
        offered(),
        pytest.raises(CannotPlay, match="There are no robots for heap yet"),
    ):
        Run("heap", 1).orders()


@pytest.mark.parametrize(
    "value",
    ["tests.sim.deal.nowhere:ROBOTS", f"{HEAP}:GAME", "tests.sim.deal.heap.robots:NAMED_WRONG"],
)
def test_robots_that_cannot_be_used_are_left_out_and_logged(
    value: str, caplog: pytest.LogCaptureFixture
) -> None:
    with offered(value):
        assert games.robots_of("heap") is None
    assert value in caplog.text


def test_ours_win_over_others_of_the_same_game() -> None:
    with offered(ROBOTS, name="straw"):
        assert games.robots_of("straw") is games.OURS["straw"]
