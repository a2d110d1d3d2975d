"""Recorded tables: the table answers and shows after each act what it did when it was recorded.

If that is changed on purpose, run this file with ``--approve`` and read the differences in
tests/golden/recorded_table.
"""

from pathlib import Path

import pytest

from tests.conftest import Golden
from tests.firmware.record import record_of_game, record_of_lists

GAMES = ("straw", "ciao", "riff-raff", "cramel", "camargue")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_goes_as_it_was_recorded(game: str, tmp_path: Path, golden: Golden) -> None:
    golden.check_text(f"{game}.txt", record_of_game(tmp_path, game, seed=GAMES.index(game)))


@pytest.mark.parametrize("seed", range(3))
def test_every_list_answers_as_it_was_recorded(seed: int, tmp_path: Path, golden: Golden) -> None:
    golden.check_text(f"lists-{seed}.txt", record_of_lists(tmp_path, seed))
