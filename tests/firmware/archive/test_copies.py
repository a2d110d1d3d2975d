"""``tapmat journal backup`` and ``restore`` copy everything or change nothing."""

import io
import os
import shutil
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.archive import copies
from firmware.archive.copies import MAX_BYTES, backup, contents_of, restore
from firmware.archive.past import ARCHIVE, histories, replay
from firmware.archive.pruning import Limits, prune
from firmware.boxes.register import Registered, TagRegister
from firmware.commands.journal import run_backup, run_restore
from firmware.common.errors import BackupError, FolderInUse, OutputError, StoreError
from firmware.journal.journal import VERSION, Journal
from firmware.runtime.controller import JOURNAL, REGISTER
from tests.firmware.archive.kept import BEGAN, CONFIG, bytes_of, play, scribble
from tests.sim.known_game import GAME

INPUTS = sum(known.kind == "input" for known in GAME)
UID = bytes.fromhex("04a1b2c3d4e5f6")
NOW = datetime(2026, 3, 2, 9, 0)
VERSION_1 = (  # schema of the first release's journal
    """CREATE TABLE entry (seq INTEGER PRIMARY KEY, game INTEGER NOT NULL, kind TEXT NOT NULL,
        body TEXT NOT NULL, at TEXT NOT NULL)""",
    "CREATE INDEX start ON entry (kind) WHERE kind = 'start'",
    "PRAGMA user_version = 1",
)
TAGS_1 = (
    """CREATE TABLE tag (uid BLOB PRIMARY KEY, game TEXT NOT NULL, kind TEXT NOT NULL,
        copy INTEGER NOT NULL, UNIQUE (game, kind, copy)) WITHOUT ROWID""",
    "PRAGMA user_version = 1",
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with a game in the journal, one in the archive, and one enrolled sticker."""
    folder = tmp_path / "state"
    folder.mkdir()
    play(folder, acts=5)
    play(folder)
    prune(folder, Limits(games=1), BEGAN + timedelta(days=1))
    with closing(TagRegister(folder / REGISTER)) as register:
        register.bind(UID, "straw", Piece("lamp"))
    return folder


def told(folder: Path) -> list[tuple[int, str, int]]:
    """Return for each game recorded in *folder* its number, its ending and its count of plays."""
    past = [replay(history) for history in histories(folder)]
    return [(game.number, game.ending, len(game.inputs)) for game in past]


def stickers(folder: Path) -> Registered | None:
    with closing(TagRegister(folder / REGISTER)) as register:
        return register.piece_of(UID)


def packed(file: Path, **contents: bytes) -> Path:
    """Write a zip *file* with these *contents* by name, ``_`` for a dot; return the *file*."""
    with zipfile.ZipFile(file, "w") as into:
        for name, data in contents.items():
            into.writestr(name.replace("_", "."), data)
    return file


def test_what_was_backed_up_comes_back(state: Path, tmp_path: Path) -> None:
    before = told(state)
    file = tmp_path / "all.zip"
    assert set(backup(state, file)) == {JOURNAL, ARCHIVE, REGISTER}
    new = tmp_path / "new"
    new.mkdir()
    assert restore(new, file, NOW) is None
    assert told(new) == before
    assert stickers(new) == Registered("straw", Piece("lamp"))
    with closing(Journal(new / JOURNAL)) as journal:
        assert journal.open_game() is None
        last = journal.last_start("straw")
    assert last is not None
    assert last.names == ("Ann", "Ben")


def test_a_backup_has_every_play_of_a_game_that_is_on(tmp_path: Path) -> None:
    state, new = tmp_path / "state", tmp_path / "new"
    state.mkdir()
    new.mkdir()
    play(state, acts=4)
    with closing(Journal(state / JOURNAL)) as journal:
        record = journal.undo()  # this entry is still in the write-ahead log
        backup(state, tmp_path / "all.zip")
    restore(new, tmp_path / "all.zip", NOW)
    with closing(Journal(new / JOURNAL)) as journal:
        assert journal.open_game() == record


def test_what_was_there_is_kept_beside(state: Path, tmp_path: Path) -> None:
    backup(state, tmp_path / "all.zip")
    play(state, acts=3)
    later, before = told(state), bytes_of(state)
    kept = restore(state, tmp_path / "all.zip", NOW)
    assert kept == state / "before-restore-20260302-090000"
    assert len(told(state)) == len(later) - 1
    assert bytes_of(kept) == before
    assert told(kept) == later


def test_files_that_a_backup_lacks_are_kept_beside_too(state: Path, tmp_path: Path) -> None:
    empty = tmp_path / "other"
    empty.mkdir()
    play(empty, acts=1)
    backup(empty, tmp_path / "other.zip")
    kept = restore(state, tmp_path / "other.zip", NOW)
    assert kept is not None
    assert not (state / REGISTER).exists()
    assert not (state / ARCHIVE).exists()
    assert stickers(kept) == Registered("straw", Piece("lamp"))


def test_a_damaged_journal_is_kept_beside_as_it_is(state: Path, tmp_path: Path) -> None:
    backup(state, tmp_path / "all.zip")
    before = told(state)
    (state / JOURNAL).write_bytes(b"damaged" * 500)
    kept = restore(state, tmp_path / "all.zip", NOW)
    assert kept is not None
    assert (kept / JOURNAL).read_bytes() == b"damaged" * 500
    assert told(state) == before


def test_an_older_backup_is_brought_forward(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    play(old, acts=4)
    plays = told(old)
    with closing(sqlite3.connect(old / JOURNAL)) as journal:
        rows = journal.execute("SELECT seq, game, kind, body, at FROM entry").fetchall()
    (old / JOURNAL).unlink()
    with closing(sqlite3.connect(old / JOURNAL, isolation_level=None)) as journal:
        for statement in VERSION_1:
            journal.execute(statement)
        journal.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
    with closing(sqlite3.connect(old / REGISTER, isolation_level=None)) as register:
        for statement in TAGS_1:
            register.execute(statement)
        register.execute("INSERT INTO tag VALUES (?, 'straw', 'lamp', 1)", (UID,))
    backup(old, tmp_path / "old.zip")
    restore(new, tmp_path / "old.zip", NOW)
    assert told(new) == plays
    assert stickers(new) == Registered("straw", Piece("lamp"), 1)
    with closing(sqlite3.connect(new / JOURNAL)) as journal:
        assert journal.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_a_newer_backup_is_refused(state: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    shutil.copytree(state, newer)
    scribble(newer, f"PRAGMA user_version = {VERSION + 1}")
    backup(newer, tmp_path / "newer.zip")
    before = bytes_of(state)
    with pytest.raises(BackupError, match=f"its {JOURNAL} has schema version {VERSION + 1}"):
        restore(state, tmp_path / "newer.zip", NOW)
    assert bytes_of(state) == before
    assert list(state.glob("*re*-*")) == []  # no half-written file is left behind


@pytest.mark.parametrize("name", [JOURNAL, REGISTER, ARCHIVE])
def test_a_backup_whose_file_is_damaged_is_refused(name: str, state: Path, tmp_path: Path) -> None:
    whole = (state / name).read_bytes()
    middle = len(whole) // 2
    for data in (b"", b"junk" * 2000, whole[:middle]):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as into:
            into.writestr(name, data)
        before = bytes_of(state)
        if data:
            with pytest.raises(BackupError, match="Nothing was changed"):
                restore(state, tmp_path / "bad.zip", NOW)
            assert bytes_of(state) == before


def test_what_is_no_backup_is_refused(state: Path, tmp_path: Path) -> None:
    text, folder = tmp_path / "notes.txt", tmp_path / "folder"
    text.write_text("no zip")
    folder.mkdir()
    backup(state, tmp_path / "whole.zip")
    cut = tmp_path / "cut.zip"
    cut.write_bytes((tmp_path / "whole.zip").read_bytes()[:-200])
    others = {
        text: "is not a complete backup",
        cut: "is not a complete backup",
        folder: "cannot be read",
        tmp_path / "nowhere.zip": "does not exist",
        packed(tmp_path / "empty.zip"): "is not a backup",
        packed(tmp_path / "strange.zip", evil_sh=b"#!"): "it contains 'evil.sh'",
    }
    before = bytes_of(state)
    for file, found in others.items():
        with pytest.raises(BackupError, match=found):
            restore(state, file, NOW)
    assert bytes_of(state) == before


def test_a_backup_that_is_too_large_is_refused_before_it_is_read(
    state: Path, tmp_path: Path
) -> None:
    large = tmp_path / "large.zip"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(BackupError, match="is too large: 1,073,741,825 bytes"):
        restore(state, large, NOW)


def test_files_that_are_too_large_together_are_not_unpacked(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = backup(state, tmp_path / "all.zip")
    monkeypatch.setattr(copies, "MAX_BYTES", sum(sizes.values()) - 1)
    before = bytes_of(state)
    with pytest.raises(BackupError, match="is too large"):
        restore(state, tmp_path / "all.zip", NOW)
    assert bytes_of(state) == before
    monkeypatch.setattr(copies, "MAX_BYTES", sum(sizes.values()))
    restore(state, tmp_path / "all.zip", NOW)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a named pipe")
def test_what_is_packed_otherwise_or_is_no_file_is_refused(state: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.zip"
    with zipfile.ZipFile(strange, "w", zipfile.ZIP_LZMA) as into:
        into.writestr(JOURNAL, b"")
    with pytest.raises(BackupError, match="is compressed in a way that tapmat never uses"):
        restore(state, strange, NOW)
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(BackupError, match="is not a file"):
        restore(state, tmp_path / "pipe.zip", NOW)


def test_a_backup_says_what_is_in_it(state: Path, tmp_path: Path) -> None:
    backup(state, tmp_path / "all.zip")
    found = contents_of(tmp_path / "all.zip")
    assert found is not None
    assert (found.games, found.plays, found.stickers) == (2, 5 + INPUTS, 1)
    assert datetime.fromisoformat(found.last_play) > BEGAN
    (tmp_path / "text.zip").write_text("no zip")
    assert contents_of(tmp_path / "text.zip") is None
    assert contents_of(packed(tmp_path / "old.zip", journal_sqlite=b"")) is None


def test_a_journal_that_only_its_own_check_finds_damaged_makes_no_backup(
    state: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(state / JOURNAL)) as file, file:
        file.execute("UPDATE entry SET body = '{}' WHERE kind = 'input'")
    with pytest.raises(StoreError, match="does not match its checksum"):
        backup(state, tmp_path / "all.zip")
    assert not (tmp_path / "all.zip").exists()


def test_a_table_that_is_playing_is_not_restored_under(state: Path, tmp_path: Path) -> None:
    backup(state, tmp_path / "all.zip")
    with closing(Journal(state / JOURNAL)):
        before = bytes_of(state)
        with pytest.raises(FolderInUse):
            restore(state, tmp_path / "all.zip", NOW)
        assert bytes_of(state) == before


def test_a_backup_is_never_written_over_a_file(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "photo.jpg"
    file.write_bytes(b"dear to somebody")
    with pytest.raises(OutputError, match="already exists"):
        backup(state, file)
    assert file.read_bytes() == b"dear to somebody"
    with pytest.raises(OutputError, match="cannot be written"):
        backup(state, tmp_path / "nowhere" / "all.zip")


def test_a_damaged_journal_makes_no_backup(state: Path, tmp_path: Path) -> None:
    (state / JOURNAL).write_bytes(b"damaged" * 500)
    with pytest.raises(StoreError, match="damaged"):
        backup(state, tmp_path / "all.zip")
    assert not (tmp_path / "all.zip").exists()


def test_without_room_to_keep_it_beside_nothing_is_overwritten(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(state, tmp_path / "all.zip")
    play(state, acts=2)
    before = bytes_of(state)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(OutputError, match="No space left on device"):
        restore(state, tmp_path / "all.zip", NOW)
    assert bytes_of(state) == before


def test_both_say_what_they_did(state: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    run_backup(tmp_path / "all.zip", state, out)
    run_restore(tmp_path / "all.zip", CONFIG, state, out)
    text = out.getvalue()
    assert f"{tmp_path / 'all.zip'} was written and checked." in text
    assert f"The data that it replaced is in {state / 'before-restore-'}" in text
