"""The newest results for the host's phone, and the process that finds them."""

import json
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware.archive.describer import Describer
from firmware.archive.recent import MOST, find_recent, recent_results
from firmware.journal.journal import Journal
from firmware.outlet.stream import BadRequest, ResultsRequest, read_request, results_line
from firmware.runtime.controller import JOURNAL, words_for
from tests.firmware.archive.kept import play, start_of

TITLE = Describer(words_for("en")).title


def test_the_newest_are_first_and_only_finished_games_are_there(tmp_path: Path) -> None:
    numbers = [play(tmp_path, ("Ann", f"Ben {n}")) for n in range(MOST + 1)]
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.begin(start_of())
        journal.end("abandoned")
        journal.begin(start_of())  # still on
    found = recent_results(tmp_path, TITLE)
    assert [each["number"] for each in found] == numbers[:0:-1]
    assert found[0]["players"] == [["Ann", 17, True], [f"Ben {MOST}", 13, False]]
    assert found[0]["title"] == "Straw"


def test_a_game_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    import sqlite3

    damaged, fine = play(tmp_path), play(tmp_path)
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as connection, connection:
        connection.execute(
            "UPDATE entry SET body = '{}' WHERE kind = 'input' AND game = ?", (damaged,)
        )
    assert [each["number"] for each in recent_results(tmp_path, TITLE)] == [fine]


@pytest.mark.long
def test_the_process_prints_them_in_the_language_and_without_games_nothing(tmp_path: Path) -> None:
    assert json.loads(find_recent(tmp_path, "de")) == []
    play(tmp_path)
    title = Describer(words_for("de")).title
    assert json.loads(find_recent(tmp_path, "de")) == recent_results(tmp_path, title)


def test_a_process_that_fails_is_noticed(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b"no journal" * 200)
    with pytest.raises(subprocess.CalledProcessError):
        find_recent(tmp_path, "en")


def test_the_lines_about_results() -> None:
    assert read_request(b'{"want": "results", "id": 9}') == ResultsRequest(9)
    wrong: list[Any] = [{"want": "results"}, {"want": "all", "id": 9}]
    for shape in (*wrong, {"want": "results", "id": -1}, {"want": "results", "id": 9, "most": 1}):
        with pytest.raises(BadRequest):
            read_request(json.dumps(shape).encode())
    answer = {"answer": {"id": 9, "yes": True, "results": [{"number": 1}]}}
    assert json.loads(results_line(9, [{"number": 1}])) == answer
