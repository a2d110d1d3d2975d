"""Every command that prints a table fits the terminal: 80 columns, or those of ``COLUMNS``.

The table of ``tapmat bench`` is in tests/sim/test_bench.py.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware.commands.interface import app
from tests.firmware.archive.kept import play, play_at_random

COMMANDS = (
    *("journal list", "journal show STRAW", "journal show CIAO", "journal stats"),
    *("pieces", "pieces straw", "pieces riff-raff"),
    *("wiring", "wiring --template smallest", "wiring --template family"),
    *("wiring --template five-readers", "doctor --sim --quick", "robots all --games 1 --fast"),
)
WITH_STATE = ("journal", "doctor")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A state folder with two games, and the numbers of the games by name."""

    folder: Path
    numbers: dict[str, str]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Games of Straw, by players with long names, and of Ciao!, which has the longest texts."""
    folder = tmp_path_factory.mktemp("state")
    straw = play(folder, names=("Bartholomew", "Maximiliane"))
    ciao = play_at_random(folder, "ciao", seed=1, limit=60)
    return Recorded(folder, {"STRAW": str(straw), "CIAO": str(ciao)})


def printed(command: str, recorded: Recorded, columns: str | None) -> list[str]:
    """Return the lines that *command* prints to a file."""
    words = [recorded.numbers.get(word, word) for word in command.split()]
    if words[0] in WITH_STATE:
        words += ["--state", str(recorded.folder)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": columns})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stdout.splitlines()


@pytest.mark.parametrize("columns", ["80", None])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_fits_80_columns(recorded: Recorded, command: str, columns: str | None) -> None:
    lines = printed(command, recorded, columns)
    assert len(lines) > 1
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if re.search(r"\S…", line)] == [], "no cell is cut off"


def test_a_table_uses_a_wider_terminal(recorded: Recorded) -> None:
    assert any(len(line) > 100 for line in printed("journal show STRAW", recorded, "160"))
