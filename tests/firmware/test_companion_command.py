"""The places where table and companion meet, and the child process that is kept running."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firmware.commands import beside, companion, play
from firmware.commands.beside import ChildProgram, programs_beside
from firmware.config.companion_config import CompanionConfig, load_companion
from firmware.config.mqtt_config import MqttConfig
from firmware.config.table_config import load_config
from firmware.outlet.queue import Outlet
from firmware.runtime.inbox import Inbox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

PATIENCE_S = 40.0
READER = '[readers.play]\nspi = "0.0"\n'
SLEEPS = (sys.executable, "-c", "import sys; sys.stdin.read()")
FAILS = (sys.executable, "-c", "raise SystemExit(1)")


def until(happened: Callable[[], object]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, "it never happens"
        time.sleep(0.01)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start an ended companion again without a pause."""
    monkeypatch.setattr(beside, "AGAIN_S", 0.01)
    monkeypatch.setattr(beside, "LONGEST_AGAIN_S", 0.01)


@pytest.mark.usefixtures("at_once")
def test_a_killed_companion_is_started_again_and_ends_with_the_table() -> None:
    with closing(ChildProgram(SLEEPS)) as child:
        until(lambda: child.pid)
        first = child.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        until(lambda: child.pid not in (None, first))
    assert child.pid is None
    assert not child._thread.is_alive()


def test_one_that_fails_again_and_again_is_started_less_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    with closing(ChildProgram(SLEEPS)) as child:
        until(lambda: child.pid)

        def wait(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 6:
                child._stopped.set()

        monkeypatch.setattr(child._stopped, "wait", wait)
        child._command = FAILS
        assert child._child is not None
        child._child.kill()
        child._thread.join(PATIENCE_S)
    assert pauses == [1, 2, 4, 8, 10, 10]


@pytest.mark.usefixtures("at_once")
def test_a_companion_that_cannot_be_started_stops_no_table(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with closing(ChildProgram(["/nowhere/python"])):
        until(lambda: "No such file" in caplog.text)


def test_a_table_without_a_companion_starts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("it is off")

    monkeypatch.setattr(beside, "ChildProgram", forbidden)
    with programs_beside(load_config(), tmp_path):
        pass
    with (
        pytest.raises(AssertionError),
        programs_beside(replace(load_config(), companion=CompanionConfig(on=True)), tmp_path),
    ):
        pass


class Started:
    """A stand-in for a child, which remembers its command."""

    commands: list[list[str]]

    def __init__(self, command: list[str], _title: str) -> None:
        self.commands.append(command)

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of the companions that were started."""
    Started.commands = []
    monkeypatch.setattr(beside, "ChildProgram", Started)
    return Started.commands


def controller() -> Any:
    return SimpleNamespace(loop=SimpleNamespace(outlet=Outlet(), inbox=Inbox()))


def test_on_a_laptop_the_table_listens_in_its_folder_and_starts_the_companion(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    config = replace(load_config(), companion=CompanionConfig(on=True))
    with play._programs(config, tmp_path, controller()):
        file = tmp_path / "companion.sock"
        assert file.stat().st_mode & 0o777 == 0o600
        ((*_, word, _child, _table, table, _state, state),) = started
        assert (word, table, state) == ("companion", str(config.file), str(tmp_path))
        assert companion._places({}, tmp_path) == (file, tmp_path / "companion")
    assert not file.exists()


def test_under_systemd_the_table_listens_for_its_group_and_starts_nothing(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    config = replace(load_config(), companion=CompanionConfig(on=True))
    with play._programs(config, tmp_path / "games", controller()):
        file = tmp_path / "companion.sock"
        assert file.stat().st_mode & 0o777 == 0o660
        assert started == []
    unit = {"TAPMAT_COMPANION_SOCKET": str(file), "STATE_DIRECTORY": "/var/lib/own"}
    assert companion._places(unit, None) == (file, Path("/var/lib/own"))


def test_the_connection_to_a_broker_is_started_with_or_without_the_companion(
    tmp_path: Path, started: list[list[str]]
) -> None:
    alone = replace(load_config(), mqtt=MqttConfig(on=True))
    both = replace(alone, companion=CompanionConfig(on=True))
    for config in (alone, both):
        with programs_beside(config, tmp_path):
            pass
    assert [command[3] for command in started] == ["mqtt", "companion", "mqtt"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", CompanionConfig(on=False, port=8738)),
        ("[companion]\n", CompanionConfig(on=False, port=8738)),
        ("[companion]\non = true\nport = 9000\n", CompanionConfig(on=True, port=9000)),
    ],
)
def test_table_and_companion_read_the_same(
    tmp_path: Path, text: str, expected: CompanionConfig
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(READER + text, encoding="utf-8")
    assert load_config(file).companion == load_companion(file) == expected


def test_the_default_table_has_it_off() -> None:
    assert load_config().companion == load_companion(None) == CompanionConfig()
