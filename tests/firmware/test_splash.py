"""The first screen: on the emulated display, and before the rest of the program is imported."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from firmware.commands.first_screen import DEFAULT_TABLE, table_to_show
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.runtime.splash import first_screen, show_first_screen
from firmware.show.text import TITLE, cells, find_text
from sim.mat.board import EmulatedBoard
from tests.conftest import Golden
from tests.firmware.measure_start import BEFORE, Loaded, measured

START = "from firmware.commands.start import main; main()"

SERVICE = {"NOTIFY_SOCKET": "/run/systemd/notify"}


def board_of(file: Path) -> EmulatedBoard:
    return EmulatedBoard(load_config(file))


def shown(board: EmulatedBoard) -> Image.Image:
    assert board.display is not None
    assert board.display.is_lit
    rows = board.display.visible()
    picture = Image.new("1", (len(rows[0]), len(rows)))
    picture.putdata([pixel for row in rows for pixel in row])
    return picture


@pytest.mark.parametrize("size", ["128x64", "128x32"])
def test_the_name_is_shown_and_stays(golden: Golden, tmp_path: Path, size: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'[readers.play]\nspi = "0.0"\n[display]\nsize = "{size}"\n', encoding="utf-8")
    board = board_of(file)
    show_first_screen(file, board)
    board.close()
    assert find_text(shown(board), "tapmat")
    golden.check("splash", size, shown(board))


@pytest.mark.parametrize("text", ["[readers", '[display]\nsize = "9x9"\n', "[readers.play]\n", ""])
def test_a_table_without_a_usable_display_shows_nothing(tmp_path: Path, text: str) -> None:
    """The table itself reports the problem later."""
    file = tmp_path / "table.toml"
    file.write_text(text, encoding="utf-8")
    board = EmulatedBoard(load_config())
    show_first_screen(file, board)
    assert board.display is not None
    assert not board.display.is_lit


def test_a_display_that_does_not_answer_is_passed_over() -> None:
    board = board_of(DEFAULT_TABLE_TOML)
    assert board.display is not None
    board.display.present = False
    show_first_screen(DEFAULT_TABLE_TOML, board)
    assert not board.display.is_lit


def test_only_a_service_that_plays_shows_it() -> None:
    named = ("play", "--table", "/etc/tapmat/table.toml")
    assert table_to_show(named, SERVICE) == Path("/etc/tapmat/table.toml")
    assert table_to_show(("play",), SERVICE) == DEFAULT_TABLE == DEFAULT_TABLE_TOML
    assert table_to_show(("play", "--table"), SERVICE) == DEFAULT_TABLE
    for words in ((), ("doctor", *named[1:]), ("safe",), ("play", "--sim")):
        assert table_to_show(words, SERVICE) is None
    assert table_to_show(named, {}) is None


def test_the_name_is_that_of_the_font_of_titles() -> None:
    name = cells("tapmat", TITLE)
    assert first_screen(name.size).tobytes() == name.tobytes()


def test_the_picture_is_as_large_as_the_display() -> None:
    assert first_screen((128, 32)).size == (128, 32)


def test_the_first_screen_needs_a_small_part_of_the_program() -> None:
    """The work is counted in modules, because import times depend on how busy the computer is."""
    loaded: Loaded = measured()
    assert loaded.first_screen * 2 < loaded.ready
    assert not loaded.heavy


def test_the_command_is_the_one_that_shows_it() -> None:
    """The installed ``tapmat`` shows the first screen, then exits with 3: the parts are missing."""
    told = subprocess.run(
        [sys.executable, "-c", f"{BEFORE}\n{START}", "play"],
        capture_output=True, text=True, check=False, env={"NOTIFY_SOCKET": "/nowhere"},
    )  # fmt: skip
    assert told.stdout.startswith("first screen\n")
    assert told.returncode == 3, told.stderr
