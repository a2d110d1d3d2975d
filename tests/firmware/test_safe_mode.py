"""Safe mode, which runs if the table cannot start: its screen and its words."""

import subprocess
from pathlib import Path
from threading import Event

import pytest
from PIL import Image

from firmware.config.table_config import load_config
from firmware.journal.log_file import REPORT, read_saved_file
from firmware.runtime import safe_mode
from firmware.runtime.safe_mode import examine, failure_in, show_safe_mode
from firmware.show.text import find_text
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard


class Heard(SilentVoice):
    """A fake voice that records its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def say(self, text: str, language: str) -> None:
        self.said.append(text)


def shown(board: EmulatedBoard) -> Image.Image:
    assert board.display is not None
    assert board.display.is_lit
    rows = board.display.visible()
    picture = Image.new("1", (len(rows[0]), len(rows)))
    picture.putdata([pixel for row in rows for pixel in row])
    return picture


def table(folder: Path, text: str) -> Path:
    file = folder / "table.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("size", ["128x64", "128x32"])
def test_the_display_and_the_voice_say_what_to_do(tmp_path: Path, size: str) -> None:
    file = table(
        tmp_path,
        f'[readers.play]\nspi = "0.0"\n[display]\nsize = "{size}"\ni2c = 1\naddress = "0x3C"\n'
        '[voice]\nengine = "espeak"\n',
    )
    voice = Heard()
    board = EmulatedBoard(load_config(file), voice)
    show_safe_mode(file, board)
    assert find_text(shown(board), "tapmat doctor")
    assert voice.said == ["tapmat cannot start. Run: tapmat doctor"]


def test_a_table_that_cannot_be_read_is_shown_on_the_default_display(tmp_path: Path) -> None:
    board = EmulatedBoard(load_config(), Heard())
    show_safe_mode(table(tmp_path, "[readers"), board)
    assert find_text(shown(board), "tapmat doctor")


def test_without_a_display_it_is_still_said() -> None:
    voice = Heard()
    board = EmulatedBoard(load_config(), voice)
    assert board.display is not None
    board.display.present = False
    show_safe_mode(None, board)
    assert len(voice.said) == 1


def test_what_systemd_tells_of_the_failure_is_named() -> None:
    killed = {
        "MONITOR_SERVICE_RESULT": "watchdog",
        "MONITOR_EXIT_CODE": "killed",
        "MONITOR_EXIT_STATUS": "ABRT",
    }
    assert failure_in(killed) == "The table's service has failed: watchdog, killed, ABRT"
    assert failure_in({"MONITOR_SERVICE_RESULT": "timeout"}).endswith(": timeout")
    assert failure_in({}) == ""


def test_the_doctor_looks_for_the_cause_and_its_report_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPMAT_STATE", str(tmp_path / "state"))
    examine(table(tmp_path, "[readers"), Event())
    assert "table.toml" in read_saved_file(tmp_path / "state", REPORT)


@pytest.mark.parametrize("is_stopped", [True, False], ids=["told to stop", "too long"])
def test_a_doctor_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, is_stopped: bool) -> None:
    hangs = ["-c", "import time; time.sleep(10_000)"]
    started = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **more: started([command[0], *hangs], **more)
    )
    monkeypatch.setattr(safe_mode, "LIMIT_S", 0)
    stopped = Event()
    if is_stopped:
        stopped.set()
    examine(None, stopped)  # must return


def test_what_to_do_is_shown_again_without_a_word() -> None:
    voice = Heard()
    board = EmulatedBoard(load_config(), voice)
    show_safe_mode(None, board)
    assert board.display is not None
    board.display.power_cycle()
    show_safe_mode(None, board, is_said=False)
    assert find_text(shown(board), "tapmat doctor")
    assert len(voice.said) == 1
