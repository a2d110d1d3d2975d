"""Tests of ``python -m sim.nodes``."""

import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sim.nodes.command import main
from tests.sim.nodes.child import LIMIT_S, PiChildren

RUN = (sys.executable, "-m", "sim.nodes")


def run(on_pi: PiChildren, *arguments: str) -> subprocess.CompletedProcess[str]:
    on_pi.ask("")  # skips where nothing can be answered
    return subprocess.run(
        (*RUN, *arguments),
        check=False,
        capture_output=True,
        text=True,
        env=on_pi.environment,
        cwd=on_pi.folder,
        timeout=LIMIT_S,
    )


@pytest.mark.long
def test_a_program_runs_with_its_output_and_exit_code(on_pi: PiChildren) -> None:
    done = run(on_pi, "--", "sh", "-c", "ls /dev/spidev* /dev/gpiochip*; exit 7")
    assert done.stdout.split() == ["/dev/gpiochip0", "/dev/spidev0.0", "/dev/spidev0.1"]
    assert (done.returncode, done.stderr) == (7, "")


def test_a_program_that_a_signal_ends_has_the_shell_s_exit_code(on_pi: PiChildren) -> None:
    assert run(on_pi, "--", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--", "no-such-program"], 127, "no-such-program cannot be started: No such file"),
        (["--", "/dev"], 126, "/dev cannot be started: Permission denied"),
        (["--table", "no-such-table.toml", "--", "true"], 2, "no-such-table.toml"),
        ([], 2, "the following arguments are required: command"),
    ],
)
def test_mistakes_are_explained(
    on_pi: PiChildren, arguments: list[str], code: int, says: str
) -> None:
    done = run(on_pi, *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_it_cannot_run_inside_itself(on_pi: PiChildren, tmp_path: Path) -> None:
    done = run(on_pi, "--", *RUN, "--", "true")
    assert done.returncode == 2
    assert "refuses seccomp user notification" in done.stderr


def test_where_nodes_are_not_supported_it_names_sim(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert main(["--", "true"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "Device nodes need Linux, and this is Darwin. "
        "Use the emulated table inside the program: tapmat play --sim."
    ]
