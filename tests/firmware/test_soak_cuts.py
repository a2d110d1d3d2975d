"""A small run of ``soak_cuts``, and tests that it would notice losses."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware.boxes.games import games
from firmware.journal.journal import Journal
from firmware.journal.store import Store
from firmware.runtime.controller import JOURNAL
from tests.firmware.soak_cuts import Failed, acts_of, cuts, damaged, kills, play, taken_up


@pytest.mark.parametrize("name", sorted(games()))
def test_a_cut_at_any_write_loses_nothing_that_was_told_and_repeats_nothing(name: str) -> None:
    counts = cuts(name, seed=1, most=8)
    assert counts["cut points"] == 8
    assert counts["writes, syncs and the like"] > 100


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_process_loses_nothing_that_was_told_and_repeats_nothing() -> None:
    assert kills(2, seed=1)["kills"] == 2


def test_damage_is_told_and_what_can_be_read_goes_on() -> None:
    counts = damaged(20, seed=3)
    assert counts["damaged journals"] == 20
    assert sum(counts[kind] for kind in counts if kind.startswith("mended")) > 5


# --- the soak notices losses ---


@pytest.fixture
def name() -> str:
    return "cramel"


def test_a_journal_that_is_not_synced_is_reported(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    set_up = Store._set_up

    def careless(store: Store, *given: Any) -> None:
        set_up(store, *given)
        store.rows("PRAGMA synchronous = OFF")

    monkeypatch.setattr(Store, "_set_up", careless)
    with pytest.raises(Failed, match=r"entries|damage"):
        cuts(name, seed=1, most=60)


def test_a_play_that_is_shown_before_it_is_on_disk_is_reported(tmp_path: Path, name: str) -> None:
    acts = acts_of(name, 1)
    reference = play(tmp_path / JOURNAL, acts)
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as file, file:
        file.execute("DELETE FROM entry WHERE seq > 5")
    with pytest.raises(Failed, match="5 entries"):
        taken_up(tmp_path / JOURNAL, reference, len(acts), "here")


def test_a_play_that_comes_twice_is_reported(tmp_path: Path, name: str) -> None:
    acts = acts_of(name, 1)[:5]
    reference = play(tmp_path / JOURNAL, acts)
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        acts[-1].do(journal)
        acts[-1].do(journal)
    with pytest.raises(Failed, match="entries that were not written"):
        taken_up(tmp_path / JOURNAL, reference, len(acts), "here")


def test_damage_that_nobody_looks_for_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.journal.journal.read_tail", lambda path: (None, []))
    with pytest.raises(Failed, match="nobody said so"):
        damaged(200, seed=3)
