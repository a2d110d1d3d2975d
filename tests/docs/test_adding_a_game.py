"""The game built in docs/adding-a-game.md keeps the engine contract and is played as shown."""

import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.common.contract import Game
from firmware.config.table_config import load_config
from sim.rehearsal.command import rehearse
from tests.docs.pages import MANUAL, page
from tests.engines.contract import check_game
from tests.firmware.installing import installed

PAGE = page("docs/adding-a-game.md")


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


def test_its_game_keeps_the_contract(shown: Path) -> None:
    """Runs the test that the page itself shows."""
    importlib.import_module("test_nine").test_nine_keeps_the_contract()


def test_its_rehearsal_is_played_as_stated(shown: Path) -> None:
    (fence,) = (fence for fence in PAGE.fences if fence.is_rehearsal)
    file = shown / "nine.mat"
    file.write_text(fence.text, encoding="utf-8")
    with installed("nine", "nine"):
        report = rehearse(file, load_config())
    assert report.failure is None, str(report.failure)


def test_its_entry_point_names_the_game(shown: Path) -> None:
    project = tomllib.loads((shown / "pyproject.toml").read_text("utf-8"))["project"]
    ((name, value),) = project["entry-points"]["tapmat.games"].items()
    module, _, attribute = value.partition(":")
    game: Game[object] = getattr(importlib.import_module(module), attribute)
    assert game.name == name


def test_a_rule_that_is_broken_is_found(shown: Path) -> None:
    """The contract's checks reject a game that asks for nothing although it accepts plays."""
    game = importlib.import_module("nine").GAME
    taking_less = type("TakingLess", (type(game),), {"asks": lambda _, state: ()})()
    with pytest.raises(AssertionError):
        check_game(taking_less)


def test_all_python_that_pages_show_is_run_here() -> None:
    run = (PAGE, page("docs/adding-a-reader.md"))
    elsewhere = [
        p.name for p in MANUAL for f in p.fences if f.language == "python" and p not in run
    ]
    assert not elsewhere
    assert all(fence.file for fence in PAGE.fences if fence.language in ("python", "toml", "po"))
