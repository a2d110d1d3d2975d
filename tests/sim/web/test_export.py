"""Tests that a game exported as a rehearsal replays to the same state."""

from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from sim.mat.mat import Mat
from sim.rehearsal.export import rehearsal_text
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner, _view_json
from tests.effort import long_unless

STORIES = {
    "undone, a lamp, a round's end": """
        game straw
        players Ann "Ben K" Cem
        option floor-at-zero on
        dealer Ann
        start
        tap weight-9#1
        tap weight-10#1
        press back
        tap lamp
        choose 10
        tap reverse
        tap weight-10#2
        tap weight-10#3
        tap weight-10#4
        tap weight-8#1
        tap weight-1#1, weight-2#1
    """,
    "seat readers": """
        game straw
        players Ann Ben
        start
        tap weight-9 @ seat-1
        tap weight-3 @ seat-2
    """,
}


@pytest.mark.parametrize("story", long_unless(min(STORIES).__eq__, STORIES))
def test_an_exported_game_replays_to_the_same_state(story: str, tmp_path: Path) -> None:
    from sim.rehearsal.command import with_parts

    lines = parse(STORIES[story], story)
    config = with_parts(load_config(), lines)
    first = Mat(config, tmp_path / "first")
    assert Runner(first).play(lines) is None
    journal = first.running.journal
    record = journal.open_game()
    assert record is not None
    text = rehearsal_text(record.start, list(journal.entries(record.number)), first.view)
    second = Mat(config, tmp_path / "second")
    assert Runner(second).play(parse(text, "exported")) is None
    assert _view_json(second.view) == _view_json(first.view)
    again = second.running.journal.open_game()
    assert again is not None
    assert (again.start, again.inputs) == (record.start, record.inputs)
    first.close()
    second.close()
