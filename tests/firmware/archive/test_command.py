"""The ``tapmat journal`` commands, run as typed on the command line."""

import io
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware.commands import options
from firmware.commands import play as play_command
from firmware.commands.interface import app
from firmware.commands.journal import run_prune, run_stats, run_verify
from firmware.commands.journal_interface import journal
from firmware.runtime.controller import JOURNAL
from hardware.errors import MissingPart
from tests.firmware.archive.kept import CONFIG, play
from tests.terminal import Terminal

OURS = ("list", "show", "verify", "stats", "bundle", "backup", "restore", "prune")
ADDED = ("export", "replay")  # commands that ``sim`` adds


def test_the_commands_of_other_rooms_are_among_ours() -> None:
    said = CliRunner().invoke(journal, ["--help"]).output
    assert [name for name in (*OURS, *ADDED) if f" {name} " not in said] == []


@pytest.mark.parametrize("name", [*OURS, *ADDED])
def test_each_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(app, ["journal", name, "--help"])
    assert result.exit_code == 0
    assert f"journal {name}" in result.output


def test_what_is_pruned_has_to_be_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["journal", "prune", "--state", str(tmp_path)])
    assert result.exit_code == options.EXIT_BAD_INPUT
    assert "--keep-days" in result.output


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
@pytest.mark.parametrize(
    "replay",
    [
        lambda folder: run_stats(CONFIG, folder, None, True, io.StringIO()),
        lambda folder: run_verify(folder, io.StringIO()),
    ],
    ids=["stats", "verify"],
)
def test_a_terminal_shows_which_game_is_replayed(
    replay: Callable[[Path], int],
    stream: type[io.StringIO],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play(tmp_path)
    err = stream()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    assert replay(tmp_path) == 0
    assert ("Game 1" in err.getvalue()) == err.isatty()


def test_pruning_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        play(tmp_path, acts=2)
    assert run_prune(tmp_path, 365 * 100, 1, 1.0) == 0
    said = capsys.readouterr().out
    assert "2 games were moved to the archive" in said
    assert f"now it has {(tmp_path / JOURNAL).stat().st_size:,}" in said


def test_a_table_looks_at_the_size_of_its_journal_before_it_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []

    def look(folder: Path, now: datetime) -> None:
        assert now.tzinfo is not None
        looked.append(folder)

    def no_computer() -> None:
        assert looked == [tmp_path]
        raise MissingPart("computer", "there is none", "Take one")

    monkeypatch.setattr(play_command, "prune_if_too_large", look)
    monkeypatch.setattr(play_command, "open_computer", no_computer)
    with pytest.raises(MissingPart):
        play_command.run_table(CONFIG, tmp_path)
