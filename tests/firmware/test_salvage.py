"""A damaged file is put aside as it is, and what can be read of it goes on.

Room: tests. ``soak_cuts`` damages many files at random; here is what comes of it, one by one.
"""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engines.common.contract import Number, Tap
from engines.common.pieces import Deck, Kind, Piece
from firmware import salvage
from firmware.errors import FolderInUse, JournalError, RegisterError
from firmware.journal import GameStart, Journal, check_file, health_in
from firmware.register import Registered, TagRegister
from firmware.salvage import is_cut_short
from firmware.store import connect

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DECK = Deck("straw", (Kind("weight-7", 4, 7), Kind("lamp", 5)), False)
START = GameStart("straw", ("Ann", "Ben"), 1, {}, DECK)
SEVEN, LAMP = Tap(Piece("weight-7", 2)), Tap(Piece("lamp"))
PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def mended(file: Path) -> Journal:
    return Journal(file, lambda: NOON, mends=True)


def written(file: Path) -> None:
    """Two games of Straw, 1 to 5 and 6 to 11, and 12, a setting; the last game is open."""
    with closing(Journal(file, lambda: NOON)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
        journal.note_health({"display": {"lost": 1}})
        journal.append(LAMP)
        journal.end("over")
        journal.begin(START)
        for given in (SEVEN, LAMP, Number(3), Number(4), Number(5)):
            journal.append(given)
        journal.note_setting("volume", 7)


def change(file: Path, statement: str) -> None:
    """Meddle with a row, as a bit that flipped would."""
    with closing(sqlite3.connect(file)) as meddling, meddling:
        meddling.execute(statement)


def kinds(file: Path) -> list[str]:
    with closing(connect(file, is_looking=True)) as looking:
        return [kind for (kind,) in looking.execute("SELECT kind FROM entry ORDER BY seq")]


# --- the journal ---


def test_a_sound_journal_is_left_alone(file: Path) -> None:
    written(file)
    before = file.read_bytes()
    with closing(mended(file)) as journal:
        assert journal.mended is None
    assert file.read_bytes() == before
    assert sorted(other.name for other in file.parent.iterdir()) == ["journal.lock", file.name]


def test_the_last_game_goes_on_up_to_the_entry_that_is_damaged(file: Path) -> None:
    written(file)
    change(file, """UPDATE entry SET body = '{"number":2}' WHERE seq = 9""")
    before = file.read_bytes()
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN, LAMP)
        assert journal.settings() == {"volume": 7}
        assert journal.mended is not None
        assert journal.mended.found == "entry 9 is not as it was written"
        assert journal.mended.copy == file.with_name("journal-damaged-20260301-120000.sqlite")
        assert journal.mended.copy.read_bytes() == before
        assert journal.append(Number(6)).inputs == (SEVEN, LAMP, Number(6))
    assert kinds(file)[8:] == ["lost", "lost", "lost", "setting", "input"]
    assert health_in(file) == {"display": {"lost": 1}}
    check_file(file)


def test_an_old_game_that_is_damaged_hurts_no_other(file: Path) -> None:
    written(file)
    change(file, "UPDATE entry SET at = 'noon' WHERE seq = 2")
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5
        assert [entry.kind for entry in journal.entries(1)] == ["start", "end"]
    assert kinds(file)[:5] == ["start", "lost", "health", "lost", "end"]


def test_a_game_that_was_over_is_not_open_again(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
        journal.end("over")
    change(file, "UPDATE entry SET kind = 'inqut' WHERE seq = 2")
    with closing(mended(file)) as journal:
        assert journal.open_game() is None
        assert journal.last_start() == START


def test_a_play_that_is_missing_is_missed(file: Path) -> None:
    written(file)
    change(file, "DELETE FROM entry WHERE seq = 8")
    with pytest.raises(JournalError, match="lacks entries: 1") as told:
        check_file(file)
    assert told.value.is_damage
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN,)
    check_file(file)


def test_health_that_is_damaged_costs_no_play(file: Path) -> None:
    written(file)
    change(file, "UPDATE entry SET body = '[]' WHERE kind = 'health'")
    with closing(mended(file)) as journal:
        assert [entry.kind for entry in journal.entries(1)] == ["start", "input", "input", "end"]
    assert health_in(file) == {}


def test_where_the_beginning_of_the_file_is_gone_all_the_rest_is_found(file: Path) -> None:
    written(file)
    data = file.read_bytes()
    file.write_bytes(bytes(PAGE) + data[PAGE:])
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5
        assert journal.mended is not None
        assert "is damaged, or no SQLite file" in journal.mended.found


def test_where_nothing_can_be_read_a_new_journal_is_begun_and_a_copy_kept(file: Path) -> None:
    file.write_text("This is no journal.\n" * 100)
    before = file.read_bytes()
    for number in ("", "-2"):
        with closing(mended(file)) as journal:
            assert journal.open_game() is None
            assert journal.mended is not None
            copy = file.with_name(f"journal-damaged-20260301-120000{number}.sqlite")
            assert journal.mended.copy == copy
        assert copy.read_bytes() == before
        file.write_bytes(before)


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


@pytest.fixture
def pulled(file: Path, tmp_path: Path) -> Path:
    """The two games as they lie there when the plug was pulled: most is in the log."""
    (tmp_path / "before").mkdir()
    first = tmp_path / "before" / file.name
    Journal(first).close()
    with closing(Journal(first)) as journal:
        journal.begin(START)
        for number in range(1, 6):
            journal.append(Number(number))
        for source in (first, log_of(first)):
            file.with_name(source.name).write_bytes(source.read_bytes())
    return file


def test_a_log_that_is_whole_is_no_damage(pulled: Path) -> None:
    assert not is_cut_short(pulled)
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert journal.mended is None
        assert record is not None
        assert len(record.inputs) == 5


def test_the_last_entry_of_a_log_that_does_not_fit_its_checksum_is_dropped_and_told(
    pulled: Path,
) -> None:
    data = bytearray(log_of(pulled).read_bytes())
    data[-1] ^= 1
    log_of(pulled).write_bytes(data)
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 4
        assert journal.mended is not None
        assert journal.mended.found == "ends in the middle of an entry"
        copy = journal.mended.copy
    assert log_of(copy).read_bytes() == data


def test_entries_behind_the_damage_of_a_log_are_found(pulled: Path) -> None:
    """SQLite takes nothing of a log behind the first page that does not fit its checksum."""
    data = bytearray(log_of(pulled).read_bytes())
    data[32 + 24] ^= 1
    log_of(pulled).write_bytes(data)
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5


def test_a_log_of_an_empty_file_is_told(pulled: Path) -> None:
    pulled.write_bytes(b"")
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5


@pytest.mark.parametrize("moved", range(4))
def test_a_cut_while_files_change_places_changes_nothing(
    pulled: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    """The power goes after so many of the files have been moved."""
    data = bytearray(log_of(pulled).read_bytes())
    data[-1] ^= 1
    log_of(pulled).write_bytes(data)
    left = iter(range(moved))
    replace = Path.replace

    class PlugPulled(BaseException):
        pass

    def move(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise PlugPulled
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", move)
    with pytest.raises(PlugPulled):
        mended(pulled)
    monkeypatch.undo()
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert journal.mended is not None
        assert record is not None
        assert len(record.inputs) == 4
    copies = list(pulled.parent.glob("journal-damaged-*.sqlite-wal"))
    assert [copy.read_bytes() for copy in copies] == [data]


def test_a_newer_journal_a_foreign_file_and_one_in_use_are_no_damage(file: Path) -> None:
    written(file)
    with closing(Journal(file)), pytest.raises(FolderInUse):
        mended(file)
    change(file, "PRAGMA user_version = 99")
    before = file.read_bytes()
    with pytest.raises(JournalError, match="has schema version 99") as told:
        mended(file)
    assert not told.value.is_damage
    assert file.read_bytes() == before
    file.unlink()
    change(file, "CREATE TABLE recipe (name TEXT)")
    with pytest.raises(JournalError, match="but not the journal of tapmat"):
        mended(file)
    assert not list(file.parent.glob("*damaged*"))


def test_a_disk_that_is_full_while_mending_leaves_the_journal_as_it_is(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(file)
    change(file, "UPDATE entry SET at = 'noon' WHERE seq = 2")
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(salvage, "_change_places", full)
    with pytest.raises(JournalError, match="No space left on device"):
        mended(file)
    assert file.read_bytes() == before
    monkeypatch.undo()
    with closing(mended(file)) as journal:
        assert journal.mended is not None


# --- the tag register ---

TAGS = {bytes([4, *range(5), number]): Piece("weight-7", number) for number in range(1, 100)}


@pytest.fixture
def tags(tmp_path: Path) -> Path:
    file = tmp_path / "tags.sqlite"
    with closing(TagRegister(file)) as register:
        register.bind_all((uid, Registered("straw", piece)) for uid, piece in TAGS.items())
        register.close_box("straw", 1)
    return file


def found(tags: Path) -> tuple[dict[Piece, bytes], bool]:
    with closing(TagRegister(tags, mends=True)) as register:
        assert register.mended is not None
        assert register.mended.copy.exists()
        return register.pieces("straw"), register.is_closed("straw", 1)


def test_a_sound_register_is_left_alone(tags: Path) -> None:
    with closing(TagRegister(tags, mends=True)) as register:
        assert register.mended is None


def test_a_register_without_its_beginning_is_found_whole(tags: Path) -> None:
    data = tags.read_bytes()
    tags.write_bytes(bytes(PAGE) + data[PAGE:])
    assert found(tags) == ({piece: uid for uid, piece in TAGS.items()}, True)


def test_a_tag_that_the_index_knows_otherwise_is_enrolled_anew(tags: Path) -> None:
    data = tags.read_bytes()
    uid = next(iter(TAGS))
    place = data.index(uid + b"straw")  # in the table; in the index it stands behind its piece
    tags.write_bytes(data[: place + 6] + bytes([200]) + data[place + 7 :])
    pieces, is_closed = found(tags)
    assert pieces == {piece: tag for tag, piece in TAGS.items() if tag != uid}
    assert is_closed


def test_a_register_of_a_newer_version_is_no_damage(tags: Path) -> None:
    change(tags, "PRAGMA user_version = 99")
    with pytest.raises(RegisterError, match="has schema version 99"):
        TagRegister(tags, mends=True)
