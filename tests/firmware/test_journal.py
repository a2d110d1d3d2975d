"""The journal: every act is committed before it is shown, and none is lost or there twice."""

import json
import os
import random
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
)
from engines.common.grid import Place
from engines.common.pieces import Deck, Kind, Piece
from firmware.common.errors import FolderInUse, JournalError, StateFolderError
from firmware.journal.codec import UnreadableValue, decode, encode
from firmware.journal.entry import Entry
from firmware.journal.journal import (
    VERSION,
    WRITE,
    GameRecord,
    GameStart,
    Journal,
    Setting,
    check_file,
    entries_in,
    health_in,
)
from firmware.journal.state_folder import state_folder
from firmware.journal.store import Store, beside, connect, crc32, error_of, identity_of, sync
from tests.effort import some

DECK = Deck("straw", (Kind("weight-7", 4, 7, {"colour": "red"}), Kind("lamp", 5)), False)
START = GameStart("straw", ("Ann", "Ben"), 1, {"floor-at-zero": True, "ending": "rounds"}, DECK)
SEVEN = Tap(Piece("weight-7", 2))
LAMP = Tap(Piece("lamp"), "seat-2", Seat(1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    with closing(Journal(file)) as journal:
        yield journal


def reopened(journal: Journal) -> GameRecord | None:
    """Return the open game of the journal after closing and opening it."""
    journal.close()
    with closing(Journal(journal.path)) as again:
        return again.open_game()


# --- games ---------------------------------------------------------------------------------------


def test_a_new_journal_holds_no_game(journal: Journal) -> None:
    assert journal.open_game() is None
    assert journal.last_start() is None
    assert list(journal.entries()) == []


def test_a_game_goes_on_after_a_restart(journal: Journal) -> None:
    journal.begin(START)
    journal.append(SEVEN)
    after = journal.append(Number(7))
    assert after.inputs == (SEVEN, Number(7))
    assert reopened(journal) == after
    assert after.start == START


def test_how_a_deck_is_laid_out_is_kept_with_it(journal: Journal) -> None:
    start = replace(START, deck=replace(DECK, spread=(3, 3)))
    assert reopened(journal) is None
    with closing(Journal(journal.path)) as again:
        again.begin(start)
    assert reopened(journal) == GameRecord(1, start)


def test_undo_takes_the_last_input_that_stands(journal: Journal) -> None:
    journal.begin(START)
    for given_input in (SEVEN, Number(1), Number(2)):
        journal.append(given_input)
    journal.undo()
    journal.undo()
    after = journal.append(Number(3))
    assert after.inputs == (SEVEN, Number(3))
    assert reopened(journal) == after


def test_without_an_input_there_is_nothing_to_undo(journal: Journal) -> None:
    journal.begin(START)
    with pytest.raises(ValueError, match=r"^game 1 has no input to undo$"):
        journal.undo()


def test_the_last_tap_is_known_even_when_undone(journal: Journal) -> None:
    journal.begin(START)
    journal.append(SEVEN)
    journal.append(LAMP)
    journal.append(Number(4))
    journal.undo()
    after = journal.undo()
    assert after.inputs == (SEVEN,)
    assert after.last_tap == LAMP.piece
    assert reopened(journal) == after


@pytest.mark.parametrize("how", ["over", "abandoned"])
def test_an_ended_game_is_not_open(journal: Journal, how: str) -> None:
    journal.begin(START)
    journal.end(how)
    assert journal.open_game() is None
    assert reopened(journal) is None


def test_a_game_cannot_end_otherwise(journal: Journal) -> None:
    journal.begin(START)
    with pytest.raises(ValueError, match="the end of a game must be one of"):
        journal.end("somehow")


def test_without_a_game_there_is_nothing_to_append_to(journal: Journal) -> None:
    with pytest.raises(ValueError, match=r"^no game is open$"):
        journal.append(SEVEN)


def test_a_new_game_abandons_the_open_one(journal: Journal) -> None:
    first = journal.begin(START)
    second = journal.begin(START)
    assert [e.kind for e in journal.entries(first.number)] == ["start", "end"]
    assert [e.kind for e in journal.entries(second.number)] == ["start"]
    assert reopened(journal) == second


def test_the_last_start_is_remembered_for_each_game(journal: Journal) -> None:
    ciao = GameStart("ciao", ("Cem", "Dora"), 0, {}, Deck("ciao", (), True))
    journal.begin(START)
    journal.begin(ciao)
    journal.end("over")
    assert journal.last_start() == ciao
    assert journal.last_start("straw") == START
    assert journal.last_start("riff-raff") is None


def test_entries_tell_everything_in_order(file: Path) -> None:
    noon = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
    with closing(Journal(file, now=lambda: noon)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
        journal.undo()
        journal.end("over")
        entries = list(journal.entries())
    assert [(e.seq, e.game, e.kind) for e in entries] == [
        (1, 1, "start"),
        (2, 1, "input"),
        (3, 1, "undo"),
        (4, 1, "end"),
    ]
    assert {e.at for e in entries} == {"2025-03-01T12:00:00.000+00:00"}
    assert entries[1].body == {"tap": "weight-7#2"}
    assert entries[3].body == {"how": "over"}


def test_what_was_appended_is_on_disk_at_once(file: Path, journal: Journal) -> None:
    journal.begin(START)
    journal.append(SEVEN)
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT count(*) FROM entry").fetchone() == (2,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._store.rows("PRAGMA synchronous") == [(3,)]  # 3 is EXTRA: sync at each commit


@settings(max_examples=some(30), deadline=None)  # each example waits for the disk
@given(data=st.data())
def test_the_fold_equals_the_inputs_that_stand(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("fold") / "journal.sqlite"
    standing: list[Input] = []
    with closing(Journal(file)) as journal:
        journal.begin(START)
        for act in data.draw(st.lists(st.one_of(st.none(), INPUTS), max_size=12)):
            if act is not None:
                journal.append(act)
                standing.append(act)
            elif standing:
                journal.undo()
                standing.pop()
    with closing(Journal(file)) as again:
        record = again.open_game()
    assert record is not None
    assert list(record.inputs) == standing


# --- encoded inputs ------------------------------------------------------------------------------

KINDS = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True)
SEATS = st.integers(0, 9).map(Seat)
PIECES = st.builds(Piece, KINDS, st.integers(1, 99))
INPUTS: st.SearchStrategy[Input] = st.one_of(
    st.builds(Tap, PIECES, KINDS, st.none() | SEATS),
    st.builds(Number, st.integers()),
    st.builds(Choice, st.text()),
    st.builds(SeatChoice, SEATS),
    st.builds(PlaceChoice, st.builds(Place, st.integers(), st.integers())),
    st.builds(Press, st.sampled_from(Button)),
)


@given(INPUTS)
def test_an_input_reads_back_as_it_was_written(given_input: Input) -> None:
    shape = json.loads(json.dumps(encode(given_input)))
    assert decode(shape) == given_input


@pytest.mark.parametrize(
    ("shape", "wrong"),
    [
        ({}, "{} is not an input that this tapmat knows"),
        ({"tapped": "lamp#1"}, "{'tapped': 'lamp#1'} is not an input that this tapmat knows"),
        (
            {"number": 1, "seat": 1},
            "{'number': 1, 'seat': 1} is not an input that this tapmat knows",
        ),
        ({"number": "7"}, "number is '7'; it must be of type int"),
        ({"number": True}, "number is True; it must be of type int"),
        ({"seat": -1}, "seat is -1; a seat must be 0 or more"),
        ({"place": [2]}, "place is [2]; it must be a column and a row"),
        ({"place": [2, -1, 0]}, "place is [2, -1, 0]; it must be a column and a row"),
        ({"place": [2, True]}, "place is [2, True]; it must be a column and a row"),
        ({"place": [2, 1.0]}, "place is [2, 1.0]; it must be a column and a row"),
        ({"place": "2,-1"}, "place is '2,-1'; it must be a column and a row"),
        ({"place": None}, "place is None; it must be a column and a row"),
        (
            {"place": [2, -1], "by": 0},
            "{'place': [2, -1], 'by': 0} is not an input that this tapmat knows",
        ),
        ({"press": "back"}, "press is 'back'; there is no such button"),
        ({"press": 1}, "press is 1; it must be of type str"),
        ({"choice": 1}, "choice is 1; it must be of type str"),
        ({"tap": "lamp#x"}, "tap is 'lamp#x'; a piece is written kind#copy"),
        ({"tap": 1}, "tap is 1; it must be of type str"),
        ({"tap": "lamp#1", "by": None}, "by is None; it must be of type int"),
        ({"tap": "lamp#1", "by": -1}, "by is -1; a seat must be 0 or more"),
        ({"tap": "lamp#1", "spot": 1}, "spot is 1; it must be of type str"),
    ],
)
def test_an_unknown_shape_is_reported(shape: dict[str, Any], wrong: str) -> None:
    with pytest.raises(UnreadableValue) as told:
        decode(shape)
    assert str(told.value) == wrong


@pytest.mark.parametrize(
    ("kind", "body", "found"),
    [
        ("input", '{"dance": 1}', "entry 3 cannot be read: {'dance': 1} is not an input"),
        ("input", '{"number"', "entry 3 is not JSON"),
        ("input", "[1]", "entry 3 is [1], not an object"),
        ("leap", "{}", "entry 3 cannot be read: 'leap' is not a kind of entry. Start"),
        (
            "input",
            '{"tap": "lamp#1", "left": 1}',
            "entry 3 cannot be read: left is 1; it must be of type list. Start",
        ),
        (
            "input",
            '{"tap": "lamp#1", "left": ["#"]}',
            "entry 3 cannot be read: tap is '#'; a piece is written kind#copy. Start",
        ),
        ("undo", "{}", None),
    ],
)
def test_an_entry_that_cannot_be_read_is_told_with_its_number(
    file: Path, kind: str, body: str, found: str | None
) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
    insert(file, (3, 1, kind, body, "2025-03-01T12:00:00+00:00"))
    if found is None:
        with closing(Journal(file)) as journal:
            assert journal.open_game() is not None
        return
    with pytest.raises(JournalError) as caught:
        Journal(file)
    assert str(caught.value).startswith(f"{file}: {found}")
    assert caught.value.is_damage


def test_an_entry_that_is_not_json_is_listed_without_its_body(file: Path) -> None:
    at = "2025-03-01T12:00:00+00:00"
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
    insert(file, (3, 1, "input", '{"number"', at))
    *sound, (entry, wrong) = entries_in(file)
    assert [error for _, error in sound] == [None, None]
    assert entry == Entry(3, 1, "input", at, {})
    assert "entry 3 is not JSON" in str(wrong)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"game": 1}, "game is 1; it must be of type str"),
        ({"names": "Ann"}, "names is 'Ann'; it must be of type list"),
        ({"names": ["Ann", 2]}, "names are ['Ann', 2] and dealer is 1"),
        ({"dealer": 2}, "names are ['Ann', 'Ben'] and dealer is 2"),
        ({"dealer": -1}, "names are ['Ann', 'Ben'] and dealer is -1"),
        ({"dealer": "1"}, "dealer is '1'; it must be of type int"),
        ({"options": [1]}, "options is [1]; it must be of type dict"),
        (
            {"options": {"x": [1]}},
            "option x is [1]; it must be true, false, a number or a string",
        ),
        ({"deck": "straw"}, "deck is 'straw'; it must be of type dict"),
        (
            {"deck": {"game": "straw", "kinds": [["lamp"]], "verified": True}},
            "['lamp'] is not a kind of piece; expected [name, count, value, traits]",
        ),
        ({"deck": {"game": "straw", "verified": True}}, "kinds is None; it must be of type list"),
        ({"deck": {"game": 1, "kinds": []}}, "game is 1; it must be of type str"),
        (
            {"deck": {"game": "straw", "kinds": [], "verified": 1}},
            "verified is 1; it must be of type bool",
        ),
        (
            {"deck": {"game": "straw", "kinds": [], "verified": True, "spread": [7]}},
            "spread is [7]; it must be rows and columns",
        ),
    ],
)
def test_a_start_that_cannot_be_read_is_reported(
    file: Path, change: dict[str, Any], wrong: str
) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        (entry,) = journal.entries()
    body = json.dumps({**entry.body, **change})
    insert(file, (2, 2, "start", body, entry.at))
    with pytest.raises(JournalError) as told:
        Journal(file)
    assert (told.value.key, told.value.found) == ("entry 2", f"cannot be read: {wrong}")


def test_an_undo_too_many_is_reported(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
    insert(file, (2, 1, "undo", "{}", ""))
    with pytest.raises(JournalError) as told:
        Journal(file)
    assert (told.value.key, told.value.found) == (
        "entry 2", "cannot be read: there is no input to undo"
    )  # fmt: skip


def test_a_game_without_a_start_is_reported(file: Path) -> None:
    Journal(file).close()
    insert(file, (5, 4, "undo", "{}", ""))
    with pytest.raises(JournalError) as caught:
        Journal(file)
    assert str(caught.value).startswith(f"{file}: entry 4 is not the start of a game")


def test_an_end_that_cannot_be_read_is_reported(file: Path) -> None:
    Journal(file).close()
    insert(file, (1, 0, "end", '{"how": "won"}', ""))
    with pytest.raises(JournalError) as caught:
        check_file(file)
    found = "'won' is not a way to end a game; it must be one of ('over', 'abandoned')"
    assert str(caught.value).startswith(f"{file}: entry 1 cannot be read: {found}")


def insert(file: Path, row: tuple[object, ...]) -> None:
    """Write an entry into the journal *file* as the journal does, but with any contents."""
    with closing(connect(file)) as connection:
        connection.execute(WRITE, row)


# --- the health of parts -------------------------------------------------------------------------

MENDED = {"reader play": {"polls": 500, "silent": 1, "re-init": 1}}
LOST = {"reader play": {"offline": 1}, "display": {"lost": 1, "offline": 1}}


def version_of(file: Path) -> int:
    """Return the schema version of *file*."""
    with closing(sqlite3.connect(file)) as looking:
        (version,) = looking.execute("PRAGMA user_version").fetchone()
    return int(version)


def test_health_is_summed_by_part(file: Path, journal: Journal) -> None:
    assert health_in(file) == {}
    journal.note_health(MENDED)
    journal.begin(START)
    journal.note_health(LOST)
    journal.note_health(MENDED)
    totals = {
        "reader play": {"polls": 1000, "silent": 2, "re-init": 2, "offline": 1},
        "display": {"lost": 1, "offline": 1},
    }
    assert health_in(file) == totals
    journal.close()
    assert health_in(file) == totals


def test_entries_of_a_game_are_listed_from_any_number_on(journal: Journal) -> None:
    first = journal.begin(START)
    journal.append(SEVEN)
    journal.append(LAMP)
    second = journal.begin(START)
    kinds = ["start", "input", "input", "end"]
    for after in range(5):
        assert [e.kind for e in journal.entries(first.number, after)] == kinds[after:]
    assert [e.kind for e in journal.entries(second.number, 1)] == ["start"]


def test_each_new_entry_is_taken_once(journal: Journal) -> None:
    journal.begin(START)
    journal.note_health(MENDED)
    journal.append(SEVEN)
    assert [entry.kind for entry in journal.take_new_entries()] == ["start", "input"]
    assert journal.take_new_entries() == ()
    journal.undo()
    assert [entry.kind for entry in journal.take_new_entries()] == ["undo"]


def test_where_there_is_no_journal_nothing_was_counted(file: Path) -> None:
    assert health_in(file) == {}
    assert not file.exists()
    file.touch()
    assert health_in(file) == {}


def test_health_belongs_to_no_game(journal: Journal) -> None:
    """Health entries may come before, in, between and after games without changing them."""
    journal.note_health(MENDED)
    assert reopened(journal) is None
    with closing(Journal(journal.path)) as journal:
        first = journal.begin(START)
        journal.note_health(MENDED)
        journal.append(SEVEN)
        journal.note_health(LOST)
        journal.append(LAMP)
        journal.undo()
        journal.note_health(MENDED)
        journal.note_health(MENDED)
        assert [e.kind for e in journal.entries(first.number)] == [
            "start",
            "input",
            "input",
            "undo",
        ]
        assert [e.kind for e in journal.entries()] == ["start", "input", "input", "undo"]
        assert journal.last_start() == START
        record = journal.open_game()
        assert record is not None
        assert (record.inputs, record.last_tap) == ((SEVEN,), LAMP.piece)
        assert reopened(journal) == record
    with closing(Journal(journal.path)) as journal:
        journal.end("over")
        journal.note_health(MENDED)
        assert journal.open_game() is None
        second = journal.begin(START)
        journal.note_health(LOST)
        assert [e.kind for e in journal.entries(second.number)] == ["start"]
        assert reopened(journal) == second


def test_health_that_cannot_be_written_leaves_the_game_as_it_is(journal: Journal) -> None:
    before = journal.begin(START)
    journal._store.rows("PRAGMA query_only = ON")
    with pytest.raises(JournalError, match="may not be written"):
        journal.note_health(LOST)
    journal._store.rows("PRAGMA query_only = OFF")
    assert health_in(journal.path) == {}
    assert journal.append(SEVEN).inputs == (*before.inputs, SEVEN)


# Schema version 1. Version 2 has the same table, but may contain health entries.
VERSION_1 = """
PRAGMA journal_mode = WAL;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, game INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX start ON entry (kind) WHERE kind = 'start';
"""


def older(file: Path, version: int) -> GameRecord:
    """Create the journal *file* of the older schema *version* with a game; return the game."""
    newer = file.with_name("newer.sqlite")
    with closing(Journal(newer)) as journal:
        journal.begin(START)
        if version > 1:
            journal.note_health(MENDED)
        record = journal.append(SEVEN)
    with closing(sqlite3.connect(file)) as old:
        old.executescript(VERSION_1)
        old.execute("ATTACH ? AS newer", (str(newer),))
        with old:
            old.execute("INSERT INTO entry SELECT seq, game, kind, body, at FROM newer.entry")
        old.execute(f"PRAGMA user_version = {version}")
    return record


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_older_journal_becomes_one_of_this_version(file: Path, version: int) -> None:
    record = older(file, version)
    counted = MENDED if version > 1 else {}
    assert health_in(file) == counted  # reading does not upgrade the file
    assert version_of(file) == version
    with closing(Journal(file)) as journal:
        assert journal.open_game() == record
        assert journal.append(LAMP).inputs == (SEVEN, LAMP)
        journal.note_setting("volume", 7)
    assert version_of(file) == VERSION == 3
    assert health_in(file) == counted
    check_file(file)
    with closing(Journal(file)) as journal:
        assert journal.settings() == {"volume": 7}
        record = journal.append(Number(2))
        assert record.inputs == (SEVEN, LAMP, Number(2))


def test_an_older_journal_with_a_gap_is_repaired_up_to_it(file: Path) -> None:
    """Its entries have no checksums, so those after a missing one are not trusted."""
    older(file, 1)
    with closing(sqlite3.connect(file)) as old, old:
        rows = [(seq, 1, "input", '{"number":3}', "") for seq in (3, 5, 6)]
        old.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
        old.execute("INSERT INTO entry VALUES (7, 1, 'input', 'nonsense', '')")
    with closing(Journal(file, repairs=True)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN, Number(3))


def test_a_journal_made_older_and_one_made_new_are_alike(file: Path, tmp_path: Path) -> None:
    older(file, 1)
    Journal(file).close()
    Journal(tmp_path / "new.sqlite").close()
    named = "SELECT type, name FROM sqlite_master ORDER BY name"
    columns = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('entry')"
    with (
        closing(sqlite3.connect(file)) as grown,
        closing(sqlite3.connect(tmp_path / "new.sqlite")) as new,
    ):
        for query in (named, columns):
            assert grown.execute(query).fetchall() == new.execute(query).fetchall()


def test_a_newer_journals_health_is_not_guessed_at(file: Path, journal: Journal) -> None:
    journal.note_health(MENDED)
    journal.close()
    with closing(sqlite3.connect(file)) as newer:
        newer.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(JournalError, match=f"has schema version {VERSION + 1}; .* Update tapmat"):
        health_in(file)


@pytest.mark.parametrize(
    "body", ["[1]", "{", "{}", '{"part": "display", "counts": {"lost": "often"}}']
)
def test_a_health_entry_that_cannot_be_read_is_told_and_hurts_no_game(
    file: Path, journal: Journal, body: str
) -> None:
    before = journal.begin(START)
    journal.close()
    insert(file, (2, 0, "health", body, "2025-03-01T12:00:00+00:00"))
    with pytest.raises(JournalError, match="entry 2 "):
        health_in(file)
    with closing(Journal(file)) as again:
        assert again.open_game() == before
        assert [e.kind for e in again.entries()] == ["start"]


def test_a_damaged_journals_health_is_reported(file: Path) -> None:
    file.write_text("This is no journal.\n" * 100)
    with pytest.raises(JournalError, match="is damaged, or is not an SQLite file"):
        health_in(file)


@settings(max_examples=some(30), deadline=None)  # each example waits for the disk
@given(data=st.data())
def test_health_anywhere_changes_no_fold(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Two journals of the same acts, one with health entries between them, have the same game."""
    folder = tmp_path_factory.mktemp("fold")
    acts = data.draw(st.lists(st.none() | INPUTS, max_size=8))
    records = []
    for name in ("without", "with"):
        with closing(Journal(folder / f"{name}.sqlite")) as journal:
            journal.begin(START)
            for act in acts:
                if name == "with" and data.draw(st.booleans()):
                    journal.note_health(MENDED)
                if act is not None:
                    journal.append(act)
                elif (record := journal.open_game()) and record.inputs:
                    journal.undo()
            records.append(reopened(journal))
    assert records[0] == records[1]


# --- settings ------------------------------------------------------------------------------------


def test_a_setting_outlives_a_restart_and_the_newest_counts(file: Path) -> None:
    with closing(Journal(file)) as journal:
        assert journal.settings() == {}
        journal.note_setting("volume", 7)
        journal.note_setting("language", "fr")
        journal.note_setting("volume", 9)
        journal.note_setting("captions", True)
        journal.note_setting("rate", 1.5)
        now = {"volume": 9, "language": "fr", "captions": True, "rate": 1.5}
        assert journal.settings() == now
    with closing(Journal(file)) as again:
        assert again.settings() == now


@pytest.mark.parametrize(("was", "value", "writes"), [(7, 7, 0), (1, True, 1), (7, 8, 1)])
def test_a_setting_is_written_when_it_is_another(
    file: Path, journal: Journal, was: Setting, value: Setting, writes: int
) -> None:
    journal.note_setting("volume", was)
    journal.note_setting("volume", value)
    assert journal.settings()["volume"] is value
    with closing(sqlite3.connect(file)) as looking:
        assert looking.execute("SELECT count(*) FROM entry").fetchone() == (1 + writes,)


def test_settings_belong_to_no_game(journal: Journal) -> None:
    """Settings may come before, in, between and after games without changing them."""
    journal.note_setting("volume", 1)
    first = journal.begin(START)
    journal.note_setting("volume", 2)
    journal.append(SEVEN)
    journal.note_setting("volume", 3)
    record = journal.append(LAMP)
    assert [e.kind for e in journal.entries(first.number)] == ["start", "input", "input"]
    assert [e.kind for e in journal.entries()] == ["start", "input", "input"]
    assert health_in(journal.path) == {}
    assert reopened(journal) == record


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('{"name": 1, "value": 2}', "cannot be read: name is 1; it must be of type str"),
        (
            '{"name": "volume"}',
            "cannot be read: value is None; it must be true, false, a number or a string",
        ),
        ("[1]", "is [1], not an object"),
    ],
)
def test_a_setting_that_cannot_be_read_is_reported(
    file: Path, journal: Journal, body: str, found: str
) -> None:
    journal.close()
    insert(file, (1, 0, "setting", body, "2025-03-01T12:00:00+00:00"))
    with closing(Journal(file)) as again, pytest.raises(JournalError) as told:
        again.settings()
    assert (told.value.key, told.value.found) == ("entry 1", found)


# --- errors --------------------------------------------------------------------------------------


def test_a_newer_journal_is_told_and_left_alone(file: Path) -> None:
    Journal(file).close()
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("PRAGMA user_version = 9")
    before = file.read_bytes()
    with pytest.raises(JournalError) as caught:
        Journal(file)
    assert str(caught.value) == (
        f"{file} has schema version 9; this tapmat knows versions up to {VERSION}. "
        "Update tapmat to use it. The file was not changed."
    )
    assert caught.value.exit_code == 4
    assert file.read_bytes() == before


def test_another_programs_file_is_told_and_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
    before = file.read_bytes()
    with pytest.raises(JournalError, match="is an SQLite file, but not the journal of tapmat"):
        Journal(file)
    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_told_and_left_alone(file: Path) -> None:
    file.write_text("This is no journal.\n" * 100)
    before = file.read_bytes()
    with pytest.raises(
        JournalError, match=r"is damaged, or is not an SQLite file \(file is not a data"
    ):
        Journal(file)
    assert file.read_bytes() == before


def test_a_damaged_file_is_reported(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        append_many(journal, 300)
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(
        JournalError, match=r"is damaged \(.+malformed\)\. Start the table: it keeps a copy"
    ):
        Journal(file)


def test_a_second_tapmat_is_kept_out_and_the_first_goes_on(file: Path, journal: Journal) -> None:
    journal.begin(START)
    with pytest.raises(FolderInUse) as caught:
        Journal(file)
    assert str(caught.value) == (
        f"{file.parent} is in use: another tapmat is using this state folder. "
        "Stop it, or use another state folder (--state)."
    )
    journal.append(SEVEN)


def test_a_full_disk_stops_the_input_and_keeps_the_rest(journal: Journal) -> None:
    journal.begin(START)
    journal.append(SEVEN)
    (pages,) = journal._store.rows("PRAGMA page_count")[0]
    journal._store.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match=r"cannot be saved: the disk is full .* Free some space"):
        append_many(journal, 200)
    kept = journal.open_game()
    journal._store.rows("PRAGMA max_page_count = 100000")
    after = journal.append(Number(2))
    assert kept is not None
    assert after.inputs == (*kept.inputs, Number(2))
    assert reopened(journal) == after


def append_many(journal: Journal, count: int) -> None:
    for n in range(count):
        journal.append(Number(n))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sets no limit to a file's size")
def test_a_write_the_disk_refuses_stops_the_input_and_keeps_the_rest(
    file: Path, journal: Journal
) -> None:
    import resource

    journal.begin(START)
    before = journal.append(SEVEN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = file.with_name("journal.sqlite-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
    try:
        with pytest.raises(JournalError, match=r"cannot be read or written \(disk I/O error\)"):
            journal.append(Number(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert journal.open_game() == before
    after = journal.append(Number(2))
    assert reopened(journal) == after
    assert after.inputs == (SEVEN, Number(2))


def test_a_locked_file_is_told_and_can_be_written_later(file: Path, journal: Journal) -> None:
    before = journal.begin(START)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="is in use by another program"):
            journal.append(SEVEN)
    assert journal.open_game() == before
    after = journal.append(SEVEN)
    assert after.inputs == (SEVEN,)
    assert reopened(journal) == after


def test_a_read_only_file_is_reported(journal: Journal) -> None:
    journal.begin(START)
    journal._store.rows("PRAGMA query_only = ON")
    with pytest.raises(JournalError, match="may not be written"):
        journal.append(SEVEN)


def test_a_folder_in_the_files_place_is_reported(file: Path) -> None:
    file.mkdir()
    with pytest.raises(JournalError, match=r"is not a file\. Move it away"):
        Journal(file)
    file.rmdir()
    Journal(file).close()  # a failed opening leaves no lock


def test_a_missing_table_is_damage(file: Path, journal: Journal) -> None:
    journal.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE entry")
    with pytest.raises(
        JournalError,
        match=r"is damaged \(no such table: entry\)\. Start the table: it keeps a copy",
    ):
        Journal(file)


def test_no_room_for_the_shared_memory_is_a_full_disk(file: Path) -> None:
    """On a completely full disk, SQLite reports that it has no room for shared memory."""
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorname = "SQLITE_IOERR_SHMSIZE"
    told = str(error_of(fault, file, JournalError))
    assert told.startswith(
        f"{file} cannot be saved: the disk is full (disk I/O error). Free some space"
    )


def test_the_largest_identity_is_stored_as_it_is(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite stores the identity in 32 bits with a sign."""
    monkeypatch.setattr(secrets, "randbelow", lambda limit: limit - 1)
    for _ in range(2):
        with closing(Store(file, (), 1, "the file", JournalError)) as store:
            assert store.identity() == 2**31 - 1
    assert identity_of(file) == 2**31 - 1


def test_a_file_of_another_kind_has_no_identity(file: Path) -> None:
    assert identity_of(file) == 0
    file.write_bytes(bytes(range(1, 101)))
    assert identity_of(file) == 0


def test_a_seal_is_the_checksum_of_the_texts_with_spaces_between(file: Path) -> None:
    """A journal must stay readable for later versions, so this never changes."""
    values = (3, 1, "input", '{"tap":"Rück"}', "\udcff")
    seal = zlib.crc32(b'3 1 input {"tap":"R\xc3\xbcck"} \xff')
    assert crc32(*values) == seal
    with closing(connect(file)) as connection:
        asked = connection.execute("SELECT crc32(3, 1, 'input', ?)", values[3:4])
        assert asked.fetchone() == (crc32(*values[:4]),)


def test_another_program_is_waited_for_half_a_second_at_most(file: Path) -> None:
    with closing(connect(file)) as connection:
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (500,)


def test_a_change_that_was_interrupted_is_undone_before_the_file_is_read(
    file: Path, tmp_path: Path
) -> None:
    """SQLite has left a rollback journal, which a connection only for reading cannot apply."""
    first = tmp_path / "first.sqlite"
    with closing(sqlite3.connect(first, isolation_level=None)) as writing:
        writing.execute("CREATE TABLE box (size INTEGER, filling BLOB)")
        writing.executemany("INSERT INTO box VALUES (1, zeroblob(?))", [(4000,)] * 20)
        writing.execute("PRAGMA cache_size = 1")  # so that pages are written before the commit
        writing.execute("BEGIN")
        writing.execute("UPDATE box SET size = 2")
        for end in ("", "-journal"):
            beside(file, end).write_bytes(beside(first, end).read_bytes())
        writing.execute("ROLLBACK")
    with closing(connect(file, is_read_only=True)) as reading:
        assert reading.execute("SELECT DISTINCT size FROM box").fetchall() == [(1,)]


def test_a_file_and_a_folder_are_both_synced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.touch()
    synced = list[int]()
    monkeypatch.setattr(os, "fsync", lambda opened: synced.append(os.fstat(opened).st_ino))
    for path in (file, file.parent):
        sync(path)
        assert synced.pop() == path.stat().st_ino


def test_an_identity_that_cannot_be_stored_is_0_and_the_reason_is_logged(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Store(file, (), 1, "the file", JournalError)) as store:
        store.rows("PRAGMA query_only = ON")
        assert store.identity() == 0
    (logged,) = caplog.messages
    assert logged.startswith(f"{file} cannot be opened, or may not be written")


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(tmp_path / "nowhere" / "journal.sqlite")


def test_closing_twice_is_safe(file: Path) -> None:
    journal = Journal(file)
    journal.close()
    journal.close()


# --- power cuts ----------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from engines.common.contract import Number
from engines.common.pieces import Deck
from firmware.journal.journal import GameStart, Journal

journal = Journal(Path(sys.argv[1]))
if journal.open_game() is None:
    journal.begin(GameStart("straw", ("Ann", "Ben"), 0, {}, Deck("straw", (), True)))
n = len(journal.open_game().inputs)
while True:
    journal.append(Number(n))
    print(n, flush=True)
    n += 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_ten_kills_lose_nothing_that_was_told_and_repeat_nothing(file: Path) -> None:
    chance = random.Random(2)
    told = -1
    for _ in range(10):
        told = max(told, told_before_a_kill(file, chance.uniform(0.0, 0.05)))
        with closing(Journal(file)) as journal:
            record = journal.open_game()
            assert record is not None
            assert record.inputs == tuple(Number(n) for n in range(len(record.inputs)))
            assert told + 1 <= len(record.inputs) <= told + 2
            told = len(record.inputs) - 1


def told_before_a_kill(file: Path, delay_s: float) -> int:
    """Let a process append numbers to *file*, each printed once it is stored, then kill it.

    The kill comes *delay_s* seconds after the first number. Returns the last number printed.
    """
    command = [sys.executable, "-c", WRITER, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(delay_s)
        os.kill(writer.pid, signal.SIGKILL)
        told = [first, *writer.stdout.readlines()]
    return int([line for line in told if line.endswith("\n")][-1])


# --- the state folder ----------------------------------------------------------------------------


def test_a_named_folder_is_made(tmp_path: Path) -> None:
    assert state_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_the_environment_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPMAT_STATE", str(tmp_path / "state"))
    assert state_folder() == tmp_path / "state"


def test_else_it_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAPMAT_STATE", raising=False)
    monkeypatch.setattr(platformdirs, "user_state_path", lambda name: tmp_path / name)
    assert state_folder() == tmp_path / "tapmat"


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_file_in_the_way_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateFolderError) as caught:
        state_folder(tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name} cannot be the state folder: {tmp_path / 'file'} is not a folder. "
        "Make it a folder you may write to, or name another one in TAPMAT_STATE."
    )
    assert caught.value.exit_code == 4


def test_a_folder_that_may_not_be_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(StateFolderError, match="cannot be the state folder: Permission denied"):
        state_folder(tmp_path)


def test_a_folder_that_may_not_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StateFolderError, match="you may not write there"):
        state_folder(tmp_path)


def test_what_is_left_of_a_stack_is_known_until_the_next_input(journal: Journal) -> None:
    """The rest of a stack is stored with its first tap, and ends with the next input or undo."""
    journal.begin(START)
    left = (Piece("weight-2"), Piece("copy", 3))
    assert journal.append(SEVEN, left).left == left
    journal.close()
    with closing(Journal(journal.path)) as again:
        record = again.open_game()
        assert record is not None
        assert (record.inputs, record.left) == ((SEVEN,), left)
        assert again.append(LAMP).left == ()
        again.append(SEVEN, left)
        assert again.undo().left == ()
