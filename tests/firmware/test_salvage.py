"""A damaged file is set aside unchanged, and its readable rows are saved.

``soak_cuts`` damages many files at random; the tests here check chosen cases one by one.
"""

import errno
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engines.common.contract import Number, Tap
from engines.common.pieces import Deck, Kind, Piece
from firmware.archive.check import findings
from firmware.boxes.register import Registered, TagRegister
from firmware.common.errors import Cause, FolderInUse, JournalError, RegisterError
from firmware.journal import journal as journal_module
from firmware.journal import recovery as salvage
from firmware.journal.entry import Entry
from firmware.journal.journal import SCHEMA, GameStart, Journal, check_file, health_in
from firmware.journal.recovery import copies_of, wal_fault
from firmware.journal.store import beside, connect
from firmware.journal.tail import TAIL, Anchor, Tail, read_tail

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DECK = Deck("straw", (Kind("weight-7", 4, 7), Kind("lamp", 5)), False)
START = GameStart("straw", ("Ann", "Ben"), 1, {}, DECK)
SEVEN, LAMP = Tap(Piece("weight-7", 2)), Tap(Piece("lamp"))
PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def mended(file: Path) -> Journal:
    return Journal(file, lambda: NOON, repairs=True)


def written(file: Path) -> None:
    """Write two games of Straw (entries 1 to 5 and 6 to 11, the second left open) and a setting."""
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
    """Change a row without its checksum, as a flipped bit would."""
    with closing(sqlite3.connect(file)) as meddling, meddling:
        meddling.execute(statement)


def kinds(file: Path) -> list[str]:
    with closing(connect(file, is_read_only=True)) as looking:
        return [kind for (kind,) in looking.execute("SELECT kind FROM entry ORDER BY seq")]


# --- the journal ---


def test_a_sound_journal_is_left_alone(file: Path) -> None:
    written(file)
    before = file.read_bytes()
    with closing(mended(file)) as journal:
        assert journal.recovery is None
    assert file.read_bytes() == before
    names = ["journal.lock", file.name, tail_of(file).name]
    assert sorted(other.name for other in file.parent.iterdir()) == names


def test_the_last_game_goes_on_up_to_the_entry_that_is_damaged(file: Path) -> None:
    written(file)
    change(file, """UPDATE entry SET body = '{"number":2}' WHERE seq = 9""")
    before = file.read_bytes()
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN, LAMP)
        assert journal.settings() == {"volume": 7}
        assert journal.recovery is not None
        assert journal.recovery.found == "entry 9 does not match its checksum"
        assert journal.recovery.copy == file.with_name("journal-damaged-20260301-120000.sqlite")
        assert journal.recovery.copy.read_bytes() == before
        assert journal.append(Number(6)).inputs == (SEVEN, LAMP, Number(6))
    assert kinds(file)[8:] == ["lost", "lost", "lost", "setting", "input"]
    with closing(connect(file, is_read_only=True)) as looking:
        bodies = looking.execute("SELECT DISTINCT body FROM entry WHERE kind = 'lost'").fetchall()
    assert bodies == [('{"copy": "journal-damaged-20260301-120000.sqlite"}',)]
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


def test_a_journal_whose_entries_are_all_damaged_begins_again(file: Path) -> None:
    written(file)
    tail_of(file).unlink()
    change(file, "UPDATE entry SET seal = seal + 1")
    with closing(mended(file)) as journal:
        assert journal.open_game() is None
        assert journal.recovery is not None
        assert journal.recovery.found == "entry 1 does not match its checksum"
    assert kinds(file) == []


def test_a_play_that_is_missing_is_missed(file: Path) -> None:
    written(file)
    change(file, "DELETE FROM entry WHERE seq = 8")
    with pytest.raises(JournalError, match="is missing 1 entry") as told:
        check_file(file)
    assert told.value.is_damage
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN,)
    check_file(file)


def test_a_play_that_is_missing_before_the_last_entry_is_replaced(file: Path) -> None:
    written(file)
    change(file, "DELETE FROM entry WHERE seq = 11")
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (SEVEN, LAMP, Number(3), Number(4))
    assert kinds(file)[-3:] == ["input", "lost", "setting"]


def test_a_game_whose_plays_were_taken_back_is_kept(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        for given in (SEVEN, LAMP):
            journal.append(given)
        for _ in range(2):
            journal.undo()
        journal.append(Number(3))
        journal.note_setting("volume", 7)
    change(file, "UPDATE entry SET body = '' WHERE kind = 'setting'")
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (Number(3),)
        assert journal.settings() == {}


def test_a_start_with_the_number_of_another_game_is_not_kept(file: Path) -> None:
    """The number of a game is that of its first entry."""
    with closing(Journal(file)) as journal:
        before = journal.begin(START)
    with closing(connect(file)) as meddling:
        meddling.execute(
            "INSERT INTO entry SELECT 2, 9, kind, body, at, crc32(2, 9, kind, body, at) FROM entry"
        )
    with closing(mended(file)) as journal:
        assert journal.recovery is not None
        assert journal.open_game() == before
    assert kinds(file) == ["start"]


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
        assert journal.recovery is not None
        assert "is damaged, or is not an SQLite file" in journal.recovery.found


def test_where_nothing_can_be_read_a_new_journal_is_begun_and_a_copy_kept(file: Path) -> None:
    file.write_text("This is no journal.\n" * 100)
    before = file.read_bytes()
    for number in ("", "-2"):
        with closing(mended(file)) as journal:
            assert journal.open_game() is None
            assert journal.recovery is not None
            copy = file.with_name(f"journal-damaged-20260301-120000{number}.sqlite")
            assert journal.recovery.copy == copy
        assert copy.read_bytes() == before
        file.write_bytes(before)


def test_a_file_of_two_pages_still_gives_its_entries(file: Path) -> None:
    """The rest of the file was cut off, and with it the indexes."""
    written(file)
    rows = salvage.rows_of(file, SCHEMA, "entry")
    file.write_bytes(file.read_bytes()[: 2 * PAGE])
    assert salvage.rows_of(file, SCHEMA, "entry") == rows
    assert len(rows) == 12


@pytest.mark.parametrize(
    ("columns", "before"),
    [
        ("number INTEGER PRIMARY KEY, body TEXT)", b""),
        ("number TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID", b"30"),
    ],
)
def test_a_damaged_row_takes_no_neighbour_with_it(
    tmp_path: Path, columns: str, before: bytes
) -> None:
    schema = (f"CREATE TABLE entry ({columns}",)
    file = tmp_path / "entries.sqlite"
    with closing(sqlite3.connect(file)) as writing, writing:
        writing.execute(schema[0])
        for number in range(10, 50):
            writing.execute(
                "INSERT INTO entry VALUES (?, ?)", (number, f"body {number} {'x' * 200}")
            )
    data = bytearray(file.read_bytes())
    data[data.index(before + b"body 30") - 4] = 0xFF  # a header longer than the row
    file.write_bytes(data)
    assert {int(row[0]) for row in salvage.rows_of(file, schema, "entry")} == {
        *range(10, 30), *range(31, 50)
    }  # fmt: skip


def test_rows_between_two_damaged_ones_are_found(tmp_path: Path) -> None:
    schema = ("CREATE TABLE entry (number INTEGER PRIMARY KEY, body TEXT)",)
    file = tmp_path / "entries.sqlite"
    with closing(sqlite3.connect(file)) as writing, writing:
        writing.execute(schema[0])
        for number in range(10, 50):
            writing.execute(
                "INSERT INTO entry VALUES (?, ?)", (number, f"body {number} {'x' * 200}")
            )
    data = bytearray(file.read_bytes())
    for number in (20, 21, 40):
        data[data.index(b"body %d" % number) - 3] = 0xFF
    file.write_bytes(data)
    found = {row[0] for row in salvage.rows_of(file, schema, "entry")}
    assert set(range(10, 50)) - found == {20, 21, 40}


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def tail_of(file: Path) -> Path:
    return beside(file, TAIL)


@pytest.fixture
def pulled(file: Path, tmp_path: Path) -> Path:
    """The journal of a game after a power cut: most entries are in the write-ahead log."""
    (tmp_path / "before").mkdir()
    first = tmp_path / "before" / file.name
    Journal(first).close()
    with closing(Journal(first)) as journal:
        journal.begin(START)
        for number in range(1, 6):
            journal.append(Number(number))
        for source in (first, log_of(first), tail_of(first)):
            file.with_name(source.name).write_bytes(source.read_bytes())
    return file


def test_a_log_may_end_anywhere_in_a_frame(pulled: Path) -> None:
    """Only its last, incomplete transaction is lost, and that is no damage."""
    log = log_of(pulled)
    whole = log.read_bytes()
    page_size = salvage.HEADER.unpack_from(whole)[2]
    frame = salvage.FRAME.size + page_size
    last = len(whole) - frame
    for kept in (0, 1, salvage.FRAME.size - 1, salvage.FRAME.size, frame - 1):
        log.write_bytes(whole[: last + kept])
        assert not wal_fault(pulled), kept


def test_a_log_that_is_whole_is_no_damage(pulled: Path) -> None:
    assert not wal_fault(pulled)
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert journal.recovery is None
        assert record is not None
        assert len(record.inputs) == 5


@pytest.mark.parametrize("has_file", [True, False])
def test_the_log_of_a_file_with_a_damaged_first_page_is_read(pulled: Path, has_file: bool) -> None:
    data = pulled.read_bytes()
    wrong_size = data[:16] + b"\x00\x01" + data[18:]  # of a page
    pulled.write_bytes(wrong_size if has_file else b"")
    assert len(salvage.rows_of(pulled, SCHEMA, "entry", with_wal=False)) == 0
    assert len(salvage.rows_of(pulled, SCHEMA, "entry")) == 6


FRAME = 24 + PAGE


def flipped(data: bytes, place: int) -> bytes:
    """Return *data* with one bit of the byte at *place* flipped."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


LOGS: dict[
    str, tuple[Callable[[bytes], bytes | None], str]
] = {  # how the log is lost, and the message about it
    "its header is zero": (lambda log: bytes(32) + log[32:], "has a log with a damaged header"),
    "one bit of its header": (lambda log: flipped(log, 20), "has a log with a damaged header"),
    "all of it is zero": (lambda log: bytes(len(log)), "is missing 6 entries"),
    "it is empty": (lambda log: b"", "is missing 6 entries"),
    "it is missing": (lambda log: None, "is missing 6 entries"),
    "it ends between two entries": (lambda log: log[: 32 + FRAME * 3], "is missing "),
    "one bit near its start": (lambda log: flipped(log, 32 + 24), "has a damaged log"),
    "one bit of the last entry": (lambda log: flipped(log, -1), "is missing 1 entry"),
    "one block in the middle": (
        lambda log: log[:8192] + bytes(4096) + log[12288:],
        "has a damaged log",
    ),
}


def lose_log(file: Path, how: str) -> None:
    changed = LOGS[how][0](log_of(file).read_bytes())
    if changed is None:
        log_of(file).unlink()
    else:
        log_of(file).write_bytes(changed)


@pytest.mark.parametrize("how", LOGS)
def test_a_log_that_is_lost_is_told_and_its_entries_are_in_the_tail(pulled: Path, how: str) -> None:
    lose_log(pulled, how)
    left = log_of(pulled).read_bytes() if log_of(pulled).exists() else b""
    with pytest.raises(JournalError, match=LOGS[how][1]) as told:
        check_file(pulled)
    assert told.value.is_damage
    assert str(told.value).startswith(f"{pulled} {LOGS[how][1]}")
    with pytest.raises(JournalError, match=LOGS[how][1]):
        Journal(pulled)  # does not repair, and must not let SQLite open the file
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == tuple(map(Number, range(1, 6)))
        assert journal.recovery is not None
        assert LOGS[how][1] in journal.recovery.found
        copy = journal.recovery.copy
    assert (log_of(copy).read_bytes() if log_of(copy).exists() else b"") == left
    check_file(pulled)


def test_an_entry_that_is_damaged_in_the_file_is_taken_from_the_log(
    file: Path, tmp_path: Path
) -> None:
    """The log still has the whole page, so it is not taken for that of another journal."""
    first = tmp_path / "before" / file.name
    first.parent.mkdir()
    with closing(Journal(first)) as journal:
        journal.begin(START)
        journal.append(Number(1))
    with closing(Journal(first)) as journal:
        journal.append(Number(2))
        journal.append(Number(3))
        for source in (first, log_of(first), tail_of(first)):
            file.with_name(source.name).write_bytes(source.read_bytes())
    file.write_bytes(file.read_bytes().replace(b'{"number":1}', b'{"number":7}'))
    lose_log(file, "one bit of the last entry")
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (Number(1), Number(2), Number(3))


@pytest.fixture
def closed(file: Path) -> Path:
    """A journal of six entries that was closed properly, so it has no write-ahead log."""
    with closing(Journal(file)) as journal:
        journal.begin(START)
        for number in range(1, 6):
            journal.append(Number(number))
    return file


def test_a_file_that_is_gone_or_empty_is_told_though_no_log_was_left(closed: Path) -> None:
    for lose in (lambda: closed.write_bytes(b""), closed.unlink):
        kept = {path: path.read_bytes() for path in (closed, tail_of(closed))}
        lose()
        with pytest.raises(JournalError, match="is missing 6 entries") as told:
            Journal(closed)
        assert told.value.is_damage
        for path, data in kept.items():
            path.write_bytes(data)
        check_file(closed)


def test_a_last_entry_that_was_exchanged_for_another_one_is_reported(closed: Path) -> None:
    """Its own checksum is right, but the tail has the checksum of the entry that was saved."""
    with closing(connect(closed)) as meddling:
        meddling.execute(
            "UPDATE entry SET body = ?1, seal = crc32(seq, game, kind, ?1, at) WHERE seq = 6",
            ('{"number":9}',),
        )
    with pytest.raises(JournalError) as told:
        check_file(closed)
    assert told.value.is_damage
    assert str(told.value).startswith(f"{closed}: entry 6 does not match its checksum")


def test_a_file_of_an_earlier_moment_is_told_and_goes_on(closed: Path) -> None:
    early = closed.read_bytes()
    with closing(Journal(closed)) as journal:
        journal.append(Number(6))
    closed.write_bytes(early)
    with closing(mended(closed)) as journal:
        assert journal.recovery is not None
        assert journal.recovery.found == "is missing 1 entry"
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """Another journal, with more entries."""
    other = tmp_path / "other" / "journal.sqlite"
    other.parent.mkdir()
    with closing(Journal(other)) as journal:
        journal.begin(START)
        for number in range(1, 9):
            journal.append(Number(10 * number))
        for source in (other, tail_of(other)):
            source.with_name(f"kept-{source.name}").write_bytes(source.read_bytes())
    return other


def test_the_tail_of_another_journal_is_told_and_brings_nothing_in(
    pulled: Path, foreign: Path
) -> None:
    tail_of(pulled).write_bytes(foreign.with_name(f"kept-{tail_of(foreign).name}").read_bytes())
    with closing(mended(pulled)) as journal:
        assert journal.recovery is not None
        assert "that its tail belongs to" in journal.recovery.found
        record = journal.open_game()
        assert record is not None
        assert record.inputs == tuple(map(Number, range(1, 6)))


def test_another_journal_in_the_place_of_ours_is_reported(closed: Path, foreign: Path) -> None:
    closed.write_bytes(foreign.read_bytes())
    with pytest.raises(JournalError, match="that its tail belongs to") as told:
        check_file(closed)
    assert told.value.is_damage


def test_a_log_and_a_tail_that_are_damaged_give_what_either_still_holds(pulled: Path) -> None:
    lose_log(pulled, "it ends between two entries")
    lines = tail_of(pulled).read_bytes().split(b"\n")
    tail_of(pulled).write_bytes(b"\n".join([*lines[:-2], lines[-2][:20], flipped(lines[-1], 5)]))
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert record is not None
        assert record.inputs == (Number(1), Number(2), Number(3))
        assert journal.recovery is not None


def test_a_tail_that_the_system_had_not_written_yet_still_tells_of_a_lost_log(pulled: Path) -> None:
    """The loss of the log is reported even if the tail file has only its anchor and first entry."""
    _, anchor, first, *_ = tail_of(pulled).read_bytes().split(b"\n")
    tail_of(pulled).write_bytes(b"\n" + anchor + b"\n" + first)
    for how in ("it is missing", "all of it is zero", "its header is zero"):
        lose_log(pulled, how) if log_of(pulled).exists() else None
        with pytest.raises(JournalError) as told:
            check_file(pulled)
        assert told.value.is_damage


def test_a_tail_that_lost_its_anchor_still_tells_of_a_lost_log(pulled: Path) -> None:
    _, _anchor, *entries = tail_of(pulled).read_bytes().split(b"\n")
    tail_of(pulled).write_bytes(b"\n" + b"\n".join(entries))
    check_file(pulled)
    lose_log(pulled, "it is missing")
    with pytest.raises(JournalError, match="is missing 6 entries"):
        check_file(pulled)


@pytest.mark.parametrize("missing", [1, 24 + 100, FRAME, FRAME + 512, 2 * FRAME - 1])
def test_a_write_that_the_power_cut_short_is_no_damage(
    pulled: Path, tmp_path: Path, missing: int
) -> None:
    """An incomplete last entry is not reported as damage: nobody was told that it was saved."""
    with closing(mended(pulled)):
        pass
    with closing(mended(pulled)) as journal:
        journal.append(Number(6))
        tail = tail_of(pulled).read_bytes()
        size = log_of(pulled).stat().st_size
        journal.append(Number(7))
        log = log_of(pulled).read_bytes()
        later = tmp_path / "later"
        later.mkdir()
        (later / pulled.name).write_bytes(pulled.read_bytes())
    file = later / pulled.name
    log_of(file).write_bytes(log[: max(size, len(log) - missing)])
    tail_of(file).write_bytes(tail)
    with closing(mended(file)) as journal:
        record = journal.open_game()
        assert journal.recovery is None
        assert record is not None
        assert record.inputs == tuple(map(Number, range(1, 7)))


def test_the_log_of_an_earlier_moment_or_of_another_journal_brings_nothing_in_and_takes_nothing(
    pulled: Path, tmp_path: Path
) -> None:
    rows = [(entry.seq, entry.kind, entry.body) for entry in entries_of(pulled)]
    foreign = tmp_path / "foreign.sqlite"
    with closing(Journal(foreign)) as journal:
        journal.begin(START)
        older = log_of(foreign).read_bytes()
        for number in range(50, 70):
            journal.append(Number(number))
        others = log_of(foreign).read_bytes()
    for log in (older, others):
        mended(pulled).close()
        with closing(mended(pulled)) as journal:
            journal.note_setting("volume", len(log))
            left = {end: beside(pulled, end).read_bytes() for end in ("", TAIL)}
        for end, data in left.items():
            beside(pulled, end).write_bytes(data)
        log_of(pulled).write_bytes(log)
        with closing(mended(pulled)) as journal:
            assert journal.recovery is not None
            assert journal.settings() == {"volume": len(log)}
        assert [(e.seq, e.kind, e.body) for e in entries_of(pulled)] == rows


def entries_of(file: Path) -> list[Entry]:
    with closing(Journal(file, repairs=True)) as journal:
        return list(journal.entries())


def test_every_start_moves_the_log_into_the_file(pulled: Path) -> None:
    assert log_of(pulled).stat().st_size > 0
    with closing(mended(pulled)):
        assert log_of(pulled).stat().st_size == 0
        anchor, rows = read_tail(pulled)
        assert anchor is not None
        assert (anchor.seq, rows) == (6, [])


def test_a_checkpoint_leaves_a_lost_log_nothing_to_lose(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin(START)
        journal.append(SEVEN)
        journal.checkpoint()
        with closing(connect(file, is_read_only=True)) as reader:  # complete without its log
            assert log_of(file).stat().st_size == 0
            assert reader.execute("SELECT count(*) FROM entry").fetchone() == (2,)


def test_a_journal_that_is_missing_beside_its_log_is_reported(pulled: Path) -> None:
    pulled.unlink()
    with closing(mended(pulled)) as journal:
        record = journal.open_game()
        assert journal.recovery is not None
        assert record is not None
        assert len(record.inputs) == 5


def test_of_copies_the_newest_five_stay_and_the_rest_is_reported(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1, 8):
        with closing(spoiled(file, 100, day=number)) as journal:
            assert journal.recovery is not None
            assert journal.recovery.copies == min(number, 5)
    assert [copy.name for copy in copies_of(file)] == [
        f"journal-damaged-2026030{day}-120000.sqlite" for day in range(7, 2, -1)
    ]
    (counted,) = (found for found in findings(file.parent) if found.part == "copies")
    # 2,000 bytes of each file, and the anchor of each tail
    assert re.match(
        r"copies of damaged files: 5, 10,\d{3} bytes; newest journal-dam", counted.found
    )
    names = [file.with_name(f"journal-damaged-2026030{day}-120000.sqlite") for day in range(1, 8)]
    found = "is damaged, or is not an SQLite file (file is not a database)"
    gone = [f"{name} was deleted: an old copy of a damaged file." for name in names[:2]]
    told = [
        f"{file}: {found}. A copy of it is {copy}; copies kept: {kept}"
        for copy, kept in zip(names, (1, 2, 3, 4, 5, 5, 5), strict=True)
    ]
    assert caplog.messages == [*told[:5], gone[0], told[5], gone[1], told[6]]


def test_copies_of_one_second_are_ordered_by_their_numbers(file: Path) -> None:
    stem = "journal-damaged-20260301-120000"
    names = [f"{stem}{number}.sqlite" for number in ("-10", "-9", "-3", "-2", "")]
    for name in reversed(names):
        file.with_name(name).touch()
    assert [copy.name for copy in copies_of(file)] == names


def test_copies_have_fifty_megabytes_and_the_newest_stays_however_large(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvage, "MAX_BYTES", 5000)
    for day, size in enumerate((100, 120, 400), 1):
        spoiled(file, size, day).close()
    assert [copy.stat().st_size for copy in copies_of(file)] == [8000]
    spoiled(file, 50, day=4).close()
    assert [copy.stat().st_size for copy in copies_of(file)] == [1000]
    spoiled(file, 60, day=3).close()  # the clock was set back, but this copy is the newest
    assert sorted(copy.stat().st_size for copy in copies_of(file)) == [1000, 1200]
    spoiled(file, 160, day=2).close()
    assert sorted(copy.stat().st_size for copy in copies_of(file)) == [1000, 3200]


def spoiled(file: Path, lines: int, day: int) -> Journal:
    """Overwrite *file* with *lines* lines of 20 bytes, then open it as a journal on *day*."""
    file.write_text("This is no journal.\n" * lines)
    return Journal(file, lambda: NOON.replace(day=day), repairs=True)


def test_a_log_of_an_empty_file_is_reported(pulled: Path) -> None:
    pulled.write_bytes(b"")
    with closing(mended(pulled)) as journal:
        assert journal.recovery is not None
        assert journal.recovery.found == "is empty, but its log is not"
        record = journal.open_game()
        assert record is not None
        assert len(record.inputs) == 5


@pytest.mark.parametrize("moved", range(5))
def test_a_cut_while_files_swap_in_changes_nothing(
    pulled: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    """A power cut while files are replaced, after *moved* of them, changes nothing."""
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
        assert journal.recovery is not None
        # The first move completes the new file. Before that, nothing of the repair is left.
        found = "was being repaired when the power failed" if moved else "is missing 1 entry"
        assert journal.recovery.found == found
        assert record is not None
        assert len(record.inputs) == 5
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

    monkeypatch.setattr(salvage, "_swap_in", full)
    with pytest.raises(JournalError, match="No space left on device"):
        mended(file)
    assert file.read_bytes() == before
    monkeypatch.undo()
    with closing(mended(file)) as journal:
        assert journal.recovery is not None


def test_a_repair_that_finds_no_room_leaves_no_half_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table tries again and again, and must not fill the disk with the attempts."""
    written(file)
    change(file, "UPDATE entry SET at = 'noon' WHERE seq = 2")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal_module, "_rows_to_keep", full)
    with pytest.raises(JournalError) as told:
        mended(file)
    assert told.value.cause is Cause.NO_ROOM
    assert not list(file.parent.glob("*-mended-*"))


def test_a_log_that_cannot_be_read_for_lack_of_room_is_not_taken_for_empty(
    pulled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder for temporary files may be on another disk, and that one may be full."""
    lose_log(pulled, "one bit near its start")
    left = {other.name: other.read_bytes() for other in pulled.parent.glob("journal.sqlite*")}

    class Full(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            fault = sqlite3.OperationalError("database or disk is full")
            fault.sqlite_errorname = "SQLITE_FULL"
            raise fault

    monkeypatch.setattr(salvage, "connect", lambda path: sqlite3.connect(path, factory=Full))
    with pytest.raises(JournalError) as told:
        mended(pulled)
    assert told.value.cause is Cause.NO_ROOM
    full = f"[Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}: "
    copied = told.value.found.partition(full)[2]
    assert re.fullmatch(rf"'.+/{pulled.name}'\)", copied), told.value.found
    assert {o.name: o.read_bytes() for o in pulled.parent.glob("journal.sqlite*")} == left


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
    with closing(TagRegister(tags, repairs=True)) as register:
        assert register.recovery is not None
        assert register.recovery.copy.exists()
        return register.pieces("straw"), register.is_closed("straw", 1)


def test_a_sound_register_is_left_alone(tags: Path) -> None:
    with closing(TagRegister(tags, repairs=True)) as register:
        assert register.recovery is None


def test_a_register_without_its_beginning_is_found_whole(tags: Path) -> None:
    data = tags.read_bytes()
    tags.write_bytes(bytes(PAGE) + data[PAGE:])
    assert found(tags) == ({piece: uid for uid, piece in TAGS.items()}, True)


def test_a_tag_with_another_piece_in_the_index_must_be_enrolled_again(tags: Path) -> None:
    data = tags.read_bytes()
    uid = next(iter(TAGS))
    place = data.index(uid + b"straw")  # in the table; in the index the UID follows its piece
    tags.write_bytes(data[: place + 6] + bytes([200]) + data[place + 7 :])
    pieces, is_closed = found(tags)
    assert pieces == {piece: tag for tag, piece in TAGS.items() if tag != uid}
    assert is_closed


@pytest.mark.parametrize(
    ("found_there", "damage"),
    [
        (b"SQLite format 3\0\x10\0\x02", b"SQLite format 3\0\x10\0\x03"),
        (b"uid BLOB", b"ujd BLOB"),
        (b"closed_box (", b"clothed_box("),
    ],
    ids=["how it may be written", "a column's name", "a table's name"],
)
def test_damage_that_sqlite_calls_by_another_name_is_mended(
    tags: Path, found_there: bytes, damage: bytes
) -> None:
    """Such damage once stopped every start, and the advice in the message did not help."""
    data = tags.read_bytes()
    assert found_there in data
    tags.write_bytes(data.replace(found_there, damage))
    pieces, _is_closed = found(tags)
    assert pieces == {piece: uid for uid, piece in TAGS.items()}


def test_the_tail_is_synced_when_it_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tail = Tail(tmp_path / "journal.sqlite3")
    tail.restart(Anchor(1, 4, 7))
    tail.add([])  # syncs it for the first time
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    tail.restart(Anchor(1, 5, 8))
    tail.close()
    assert synced


def test_a_register_whose_version_and_tables_do_not_go_together_is_mended(tags: Path) -> None:
    for version in (1, -2):
        change(tags, f"PRAGMA user_version = {version}")
        assert found(tags) == ({piece: uid for uid, piece in TAGS.items()}, True)


def test_a_register_of_a_newer_version_is_no_damage(tags: Path) -> None:
    change(tags, "PRAGMA user_version = 99")
    with pytest.raises(RegisterError, match="has schema version 99"):
        TagRegister(tags, repairs=True)
