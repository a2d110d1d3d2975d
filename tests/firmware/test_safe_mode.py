"""What a table shows that could not be started: on the emulated display, pixel by pixel."""

from pathlib import Path

import pytest
from PIL import Image

from firmware.config import load_config
from firmware.safe_mode import show_safe_mode
from firmware.screen_text import find_text
from hardware.silence import SilentVoice
from sim.board import EmulatedBoard


class Heard(SilentVoice):
    """A voice that remembers."""

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
