"""The game built in docs/adding-a-game.md keeps the engine contract and is played as shown."""

import importlib
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from engines.common.contract import Game, Seat, Setup
from firmware.boxes.decks import load_deck
from firmware.config.table_config import load_config
from sim.deal.layouts import misfit_of
from sim.players.levels import styles_of
from sim.rehearsal.command import rehearse
from sim.robots.run import GameOrder, play
from tests.docs.pages import MANUAL, page
from tests.engines.contract import check_game
from tests.firmware.installing import installed
from tests.sim.robots.test_added_robots import offered
from tests.sim.web.test_seats import Table

PAGE = page("docs/adding-a-game.md")
WHOLE_GAME_S = 600.0


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that the page shows, on Python's import path."""
    for fence in PAGE.fences:
        if fence.file:
            file = tmp_path / fence.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence.text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] in ("nine", "test_nine")]:
        del sys.modules[name]


def entry_points_of(folder: Path) -> dict[str, dict[str, str]]:
    """Return the entry points of the project in *folder*, by group and name."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, dict[str, str]] = project["entry-points"]
    return found


def test_its_game_keeps_the_contract(shown: Path) -> None:
    """Test the page by the test that it shows."""
    importlib.import_module("test_nine").test_nine_keeps_the_contract()


def test_its_rehearsal_is_played_as_stated(shown: Path) -> None:
    (fence,) = (fence for fence in PAGE.fences if fence.is_rehearsal)
    file = shown / "nine.mat"
    file.write_text(fence.text, encoding="utf-8")
    with installed("nine", "nine"):
        report = rehearse(file, load_config())
    assert report.failure is None, str(report.failure)


def test_its_entry_point_names_the_game(shown: Path) -> None:
    ((name, value),) = entry_points_of(shown)["tapmat.games"].items()
    module, _, attribute = value.partition(":")
    game: Game[object] = getattr(importlib.import_module(module), attribute)
    assert game.name == name


def test_its_cards_are_dealt_at_the_virtual_table(shown: Path) -> None:
    with installed("nine", "nine"):
        game = importlib.import_module("nine").GAME
        deck = load_deck(game)
        for players in game.seats:
            first = game.view(game.start(Setup(players, Seat(0), deck, {})))
            assert misfit_of("nine", deck, first) == ""


def test_its_robots_agree_with_its_rules_and_a_mat(shown: Path) -> None:
    robots = entry_points_of(shown)["tapmat.robots"]["nine"]
    with installed("nine", "nine"), offered(robots, name="nine"):
        for seed in range(20):
            game = play(GameOrder("nine", mistakes=0.2, is_fast=True), seed, load_config())
            assert game.failure is None, game.failure.what
        game = play(GameOrder("nine", mistakes=0.2), 1, load_config())
        assert game.failure is None, game.failure.what
        assert game.counts["refusals"] > 0


@pytest.mark.long
def test_its_robots_take_seats_at_the_virtual_table(shown: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    robots = entry_points_of(shown)["tapmat.robots"]["nine"]
    with (
        installed("nine", "nine"),
        offered(robots, name="nine"),
        patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3),
        closing(Table(tmp_path / "state")) as table,
    ):
        table.deal("nine", 2, dict(enumerate(styles_of("nine"), start=1)))
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
        assert not list(table.mat.refused)


def test_a_rule_that_is_broken_is_found(shown: Path) -> None:
    """The contract's checks reject a game that asks for nothing although it accepts plays."""
    game = importlib.import_module("nine").GAME
    taking_less = type("TakingLess", (type(game),), {"asks": lambda _, state: ()})()
    with pytest.raises(AssertionError):
        check_game(taking_less)


RUN_ELSEWHERE = (
    "docs/adding-a-reader.md",
    "docs/adding-an-led-strip.md",
    "docs/companion.md",
    "docs/environments.md",
)


def test_all_python_that_pages_show_is_run_by_a_test() -> None:
    run = [PAGE, *map(page, RUN_ELSEWHERE)]
    elsewhere = [
        p.name for p in MANUAL for f in p.fences if f.language == "python" and p not in run
    ]
    assert not elsewhere
    assert all(fence.file for fence in PAGE.fences if fence.language in ("python", "toml", "po"))
