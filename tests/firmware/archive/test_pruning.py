"""The journal's size limits: old games move to the archive, and nothing is lost."""

import logging
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from firmware.archive import pruning
from firmware.archive.files import open_archive
from firmware.archive.past import ARCHIVE, histories, replay
from firmware.archive.pruning import Limits, prune, prune_if_too_large
from firmware.common.errors import FolderInUse, JournalError
from firmware.journal.journal import SEAL, Journal, check_file, health_entries, health_in
from firmware.journal.store import connect
from firmware.runtime.controller import JOURNAL
from tests.firmware.archive.kept import BEGAN, clock, play, scribble, start_of

NOW = BEGAN + timedelta(days=100)


@pytest.fixture
def days(tmp_path: Path) -> list[int]:
    """The numbers of ten games, one a day from ``BEGAN`` on; the last one is still open."""
    return [play(tmp_path, acts=6, began=BEGAN + timedelta(days=day)) for day in range(10)]


def in_journal(folder: Path) -> list[int]:
    with closing(Journal(folder / JOURNAL)) as journal:
        return [entry.seq for entry in journal.entries() if entry.kind == "start"]


def everything(folder: Path) -> list[object]:
    """Return every game with all its entries, from the journal and the archive."""
    return [(history.number, history.entries) for history in histories(folder)]


@pytest.mark.parametrize(
    ("limits", "stay"),
    [
        (Limits(), 10),
        (Limits(games=4), 4),
        (Limits(games=99), 10),
        (Limits(since=BEGAN + timedelta(days=7)), 3),
        (Limits(since=NOW), 1),
        (Limits(since=BEGAN + timedelta(days=7), games=2), 2),
        (Limits(size=1), 1),
    ],
)
def test_the_oldest_games_go_and_none_is_lost(
    limits: Limits, stay: int, days: list[int], tmp_path: Path
) -> None:
    before = everything(tmp_path)
    kept = prune(tmp_path, limits, NOW)
    assert kept.moved == 10 - stay
    assert in_journal(tmp_path) == days[10 - stay :]
    assert everything(tmp_path) == before
    check_file(tmp_path / JOURNAL)


def test_a_wrong_date_takes_no_other_game_along(days: list[int], tmp_path: Path) -> None:
    """A Pi that did not know the time dated the sixth game 1970: only that game is moved."""
    scribble(tmp_path, f"UPDATE entry SET at = '1970' || substr(at, 5) WHERE game = {days[5]}")
    with connect(tmp_path / JOURNAL) as sealing:
        sealing.execute(f"UPDATE entry SET seal = {SEAL}")
    sealing.close()
    assert prune(tmp_path, Limits(since=BEGAN), NOW).moved == 1
    assert in_journal(tmp_path) == [number for number in days if number != days[5]]


def test_a_game_that_is_on_goes_on(days: list[int], tmp_path: Path) -> None:
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        before = journal.open_game()
    prune(tmp_path, Limits(games=1), NOW)
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        assert journal.open_game() == before
        assert before is not None
        assert journal.begin(start_of()).number > max(days)


def test_the_last_game_of_each_kind_stays(days: list[int], tmp_path: Path) -> None:
    with closing(Journal(tmp_path / JOURNAL, clock())) as journal:
        cramel = journal.begin(start_of(("Cem", "Dora"), "cramel")).number
        straw = journal.begin(start_of()).number
        last = journal.begin(start_of()).number
    prune(tmp_path, Limits(since=NOW), NOW)
    assert in_journal(tmp_path) == [cramel, last]
    assert straw not in in_journal(tmp_path)
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        start = journal.last_start("cramel")
    assert start is not None
    assert start.names == ("Cem", "Dora")


def test_the_file_becomes_as_small_as_was_asked(tmp_path: Path) -> None:
    for day in range(60):
        play(tmp_path, began=BEGAN + timedelta(days=day))
    size = (tmp_path / JOURNAL).stat().st_size
    limit = size // 2
    kept = prune(tmp_path, Limits(size=limit), NOW)
    assert kept.before == size
    assert limit // 2 < kept.after == (tmp_path / JOURNAL).stat().st_size <= limit


def test_pruning_twice_adds_to_the_archive(days: list[int], tmp_path: Path) -> None:
    before = everything(tmp_path)
    for games in (8, 5, 5, 2):
        prune(tmp_path, Limits(games=games), NOW)
    assert everything(tmp_path) == before
    assert in_journal(tmp_path) == days[-2:]


def test_a_plug_pulled_before_the_games_left_the_journal(
    days: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut leaves games in both files; they are listed once, and pruned next time."""
    before = everything(tmp_path)
    journal = (tmp_path / JOURNAL).read_bytes()
    prune(tmp_path, Limits(games=3), NOW)
    (tmp_path / JOURNAL).write_bytes(journal)
    assert everything(tmp_path) == before
    assert prune(tmp_path, Limits(games=3), NOW).moved == 7
    assert everything(tmp_path) == before


def test_another_game_under_its_number_is_not_overwritten(days: list[int], tmp_path: Path) -> None:
    prune(tmp_path, Limits(games=9), NOW)
    with closing(open_archive(tmp_path / ARCHIVE)) as archive, archive.change() as connection:
        connection.execute("UPDATE entry SET seq = seq + ?, game = ?", (days[1] - 1, days[1]))
    with pytest.raises(JournalError, match=f"has another game under number {days[1]}"):
        prune(tmp_path, Limits(games=5), NOW)
    assert in_journal(tmp_path) == days[1:]


def test_a_table_that_is_playing_keeps_its_journal(days: list[int], tmp_path: Path) -> None:
    with closing(Journal(tmp_path / JOURNAL)), pytest.raises(FolderInUse):
        prune(tmp_path, Limits(games=1), NOW)
    assert in_journal(tmp_path) == days


def test_without_a_journal_there_is_nothing_to_prune(tmp_path: Path) -> None:
    assert prune(tmp_path, Limits(games=1), NOW).moved == 0
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_journal_is_left_as_it_is(days: list[int], tmp_path: Path) -> None:
    scribble(tmp_path, "UPDATE entry SET body = '{' WHERE seq = 60")
    before = (tmp_path / JOURNAL).read_bytes()
    with pytest.raises(JournalError):
        prune(tmp_path, Limits(games=1), NOW)
    assert (tmp_path / JOURNAL).read_bytes() == before
    assert not (tmp_path / ARCHIVE).exists()


def test_a_pruned_journal_is_mended_like_any_other(days: list[int], tmp_path: Path) -> None:
    """Gaps in the journal, left by games that moved to the archive, are not reported as damage."""
    prune(tmp_path, Limits(games=3), NOW)
    scribble(tmp_path, f"UPDATE entry SET body = '{{' WHERE seq = {days[-1] + 3}")
    with closing(Journal(tmp_path / JOURNAL, repairs=True)) as journal:
        record = journal.open_game()
    assert record is not None
    assert len(record.inputs) == 2
    assert in_journal(tmp_path) == days[-3:]


# --- counts of the parts' polls and faults -------------------------------------------------------


def noted(folder: Path, at: datetime, polls: int) -> None:
    with closing(Journal(folder / JOURNAL, lambda: at)) as journal:
        journal.note_health({"reader play": {"polls": polls, "silent": 1}, "display": {"lost": 2}})


def test_old_counts_are_added_up_and_recent_ones_keep_their_dates(tmp_path: Path) -> None:
    for day in range(5):
        noted(tmp_path, BEGAN + timedelta(days=day), 100)
    play(tmp_path, acts=3)
    noted(tmp_path, NOW - timedelta(days=1), 7)
    counts, notes = health_in(tmp_path / JOURNAL), health_entries(tmp_path / JOURNAL)
    assert prune(tmp_path, Limits(), NOW).merged == 10
    assert health_in(tmp_path / JOURNAL) == counts
    assert len(health_entries(tmp_path / JOURNAL)) == 4
    assert health_entries(tmp_path / JOURNAL)[2:] == notes[-2:]
    check_file(tmp_path / JOURNAL)
    assert prune(tmp_path, Limits(), NOW).merged == 0


def test_counts_among_the_plays_of_the_last_game_stay(tmp_path: Path) -> None:
    """Counts stored during the last game stay: a gap since its start would look like damage."""
    play(tmp_path, acts=3)
    for day in range(5):
        noted(tmp_path, BEGAN + timedelta(days=day), 100)
    assert prune(tmp_path, Limits(), NOW).merged == 0
    check_file(tmp_path / JOURNAL)


# --- automatic pruning ---------------------------------------------------------------------------


def test_a_table_keeps_its_journal_within_a_limit(
    days: list[int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = everything(tmp_path)
    size = (tmp_path / JOURNAL).stat().st_size
    prune_if_too_large(tmp_path, NOW, most=size)
    assert in_journal(tmp_path) == days
    assert caplog.text == ""
    prune_if_too_large(tmp_path, NOW, most=1)
    assert in_journal(tmp_path) == days[-1:]
    assert "9 games were moved to journal-archive.sqlite" in caplog.text
    assert everything(tmp_path) == before


def test_a_table_starts_even_if_the_journal_cannot_be_made_smaller(
    days: list[int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ARCHIVE).mkdir()
    with caplog.at_level(logging.WARNING):
        prune_if_too_large(tmp_path, NOW, most=1)
    assert "The journal was not made smaller" in caplog.text
    assert in_journal(tmp_path) == days


def test_a_game_moved_away_can_still_be_played_again(days: list[int], tmp_path: Path) -> None:
    prune(tmp_path, Limits(games=1), NOW)
    with closing(sqlite3.connect(tmp_path / ARCHIVE)) as archive:
        (count,) = archive.execute("SELECT count(*) FROM entry WHERE kind = 'start'").fetchone()
    assert count == 9
    assert [replay(history).ending for history in histories(tmp_path)] == ["abandoned"] * 9 + [
        "open"
    ]
    assert pruning.MAX_BYTES > 1_000_000
