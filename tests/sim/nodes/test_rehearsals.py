"""Tests of rehearsals with the unmodified ``tapmat play``.

The sample has no light or message that disappears by itself: on a busy computer, the program may
show it too late.
"""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.config.table_config import load_config
from sim.mat.faults import FAULTS
from sim.mat.mat import Mat
from sim.nodes.pi_table import fewest_transfers
from sim.nodes.rehearsals import TwinRunner, main
from sim.nodes.table_file import without_lamps_on_spi1, write_table
from sim.nodes.twin import Disagreement, TwinMat
from sim.rehearsal.command import faults_on_purpose, with_parts
from sim.rehearsal.grammar import parse
from tests.sim.nodes.child import LIMIT_S, ROOT, PiChildren

REHEARSALS = ROOT / "tests" / "rehearsals"
CONFIG = load_config()


@pytest.mark.real_time
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("straw/carpet-below-zero", marks=pytest.mark.sample),
        "straw/carpet-floor-at-zero",
    ],
)
def test_a_real_program_plays_the_rehearsal(
    on_pi: PiChildren, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert on_pi.ask("") == {}  # skips where nothing can be answered
    assert main([str(REHEARSALS / f"{name}.mat")]) == 0
    assert capsys.readouterr().out.endswith(f"{name}.mat: ok\n")


@pytest.mark.real_time
def test_an_expectation_that_is_not_met_fails(
    on_pi: PiChildren, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert on_pi.ask("") == {}
    file = tmp_path / "wrong.mat"
    lines = ("game straw", "start", 'expect said en "Ann to play"', "expect headline 1")
    file.write_text("\n".join(lines))
    assert main([str(file)]) == 1
    told = capsys.readouterr().out
    assert f"{file}: FAILED" in told
    assert "wrong.mat:4: expect headline 1" in told
    assert "expected: 1\n  shown:    0" in told


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('expect dropped late "9"', '"expect dropped" cannot be checked from outside the program'),
        ("fault disk-full", 'the fault "disk-full" is inside the computer'),
        ("fault clock-jump", 'the fault "clock-jump" is inside the computer'),
    ],
)
def test_what_nobody_sees_from_outside_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, says: str
) -> None:
    file = tmp_path / "unseen.mat"
    file.write_text(f"game straw\nstart\n{line}\n")
    assert main([str(file)]) == 2
    told = capsys.readouterr().err
    assert f"unseen.mat:3: {says}" in told
    assert "tapmat rehearse" in told


def disagreement_at(mat: TwinMat) -> str:
    """Wait until the program shows something else than its twin, and return the difference."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        try:
            mat.agree(0.0)
        except Disagreement as found:
            return str(found)
    raise AssertionError("the program shows the same as its twin")


@pytest.mark.real_time
def test_a_program_that_shows_something_else_is_noticed(on_pi: PiChildren, tmp_path: Path) -> None:
    """Its reader is unplugged, or it ends, and its twin does not know that."""
    assert on_pi.ask("") == {}
    with closing(TwinMat(CONFIG, tmp_path / "mats")) as mat:
        mat.power_on()
        with pytest.raises(Disagreement, match='"en 9" from the loudspeaker'):
            mat.hear("en 9", 0, limit_s=0.1)
        mat.pi.table.strike(FAULTS["reader-unplugged"].strike, "play")
        assert "expected the twin's display" in disagreement_at(mat)
        mat.pi.table.kill()
        mat.pi.table.start(["--table", "no-such-table.toml"], on_pi.environment)
        ended = disagreement_at(mat)
        assert "exit code 2: " in ended
        assert "no-such-table.toml does not exist" in ended


@pytest.mark.real_time
def test_the_program_polls_as_often_as_its_twin(on_pi: PiChildren, tmp_path: Path) -> None:
    assert on_pi.ask("") == {}
    with closing(TwinMat(CONFIG, tmp_path / "mats")) as mat:
        mat.power_on()
        program, twin = mat.pi.table.transfers(), fewest_transfers(mat.board)
        mat.wait(0.3)
        assert mat.pi.table.transfers() - program >= fewest_transfers(mat.board) - twin > 0


class SlowTwin(Mat):
    """A mat at which a second passes after each act, as beside a program on a busy computer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(CONFIG, folder)
        self.loudspeaker = SimpleNamespace(heard=[])

    def catch_up(self) -> None:
        """Do nothing: there is no program."""

    def agree(self) -> None:
        self.wait(1.0)

    def hear(self, _words: str, _since: int) -> None:
        """Do nothing: there is no program."""


def test_what_was_said_too_early_counts_for_a_wait(tmp_path: Path) -> None:
    lines = parse(
        """
game straw
start
tap weight-8
fault reader-hot @ play
wait 1
expect said en "No answer: reader play"
""",
        "a.mat",
    )
    with closing(SlowTwin(tmp_path)) as mat, faults_on_purpose():
        assert TwinRunner(cast(TwinMat, mat)).play(lines) is None
        later = parse('fault none @ play\nexpect said en "No answer"', "b.mat")
        assert TwinRunner(cast(TwinMat, mat)).play(later) is not None


def test_a_written_table_is_read_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    readers = tuple(replace(reader, spi_mhz=4) for reader in CONFIG.readers)
    for config in (CONFIG, replace(CONFIG, readers=readers)):
        assert replace(write_table(config, file), file=CONFIG.file) == config


def test_readers_on_spi1_replace_lamps(tmp_path: Path) -> None:
    lines = parse("game straw\nlay weight-9 @ seat-1\nlay weight-9 @ seat-2\ntilt\n", "a.mat")
    wanted = without_lamps_on_spi1(with_parts(CONFIG, lines))
    written = write_table(wanted, tmp_path / "table.toml")
    assert [reader.spi for reader in written.readers] == ["0.0", "0.1", "1.0"]
    assert "seat-1" not in written.lamps
    assert "accepted" in written.lamps


def test_ctrl_c_ends_it_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.nodes.rehearsals.rehearse_on_pi", interrupt)
    assert main([str(tmp_path / "any.mat")]) == 130
    assert capsys.readouterr().err == ""
