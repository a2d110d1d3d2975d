"""The journal: every accepted input, on disk before the table shows or announces it.

An append-only SQLite file with one writer. A game's entries are applied in order: ``input`` adds an
input, ``undo`` takes back the last input that still counts, and ``row`` lays a card into the row of
a seat in which the mat plays, or takes it out. Entries are not changed or deleted
while the table plays. So the file can resume a game after a power cut, and replay and explain it.

Some entries belong to no game, and are skipped by code that reads games: ``health``, one part's
counts (``firmware.runtime.health``) since its previous health entry; ``setting``, a value that a
player has set (the newest entry for each name is used); and ``lost``, which replaces an entry that
could not be read when the journal was repaired.

Each entry has a seal, which is a checksum of its contents. SQLite's pages have no checksum. From
the start of the last game on, entry numbers have no gaps, so a missing play is noticed. A
*checkpoint* moves the entries from SQLite's write-ahead log (``-wal``) into the file itself.
Entries since the last checkpoint are also in a text file, the *tail* (``firmware.journal.tail``),
so a missing log is noticed.
"""

import json
import logging
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from engines.common.contract import Input, OptionValue, Seat, Tap
from engines.common.pieces import Deck, Piece
from firmware.common.errors import Cause, JournalError
from firmware.journal import codec
from firmware.journal.codec import (
    Phone,
    RowChange,
    UnreadableValue,
    decode,
    decode_row,
    encode,
    encode_left,
    encode_phone,
    encode_row,
)
from firmware.journal.entry import Entry
from firmware.journal.fold import EndStep, InputStep, UndoStep, UnreadableEntry, walk
from firmware.journal.lock import Lock
from firmware.journal.recovery import Recovery, Row, recover, rows_of, save_copy, wal_fault
from firmware.journal.store import (
    FILE_ERRORS,
    Store,
    Wait,
    connect,
    crc32,
    damage_error,
    disk_cause,
    error_of,
    error_of_cause,
    identity_of,
    lost_error,
    version_of,
)
from firmware.journal.tail import FIELDS, Anchor, Tail, read_tail

log = logging.getLogger(__name__)

VERSION = 3  # 1: no health entries; 2: no settings, seals or index of entries without a game
SEAL = "crc32(seq, game, kind, body, at)"
OF_NO_GAME = "CREATE INDEX of_no_game ON entry (kind) WHERE game = 0"
SCHEMA = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        game INTEGER NOT NULL, -- seq of the game's start entry; 0: no game
        kind TEXT NOT NULL, -- start, input, undo, row, end; health, setting, lost
        body TEXT NOT NULL, -- JSON
        at TEXT NOT NULL, -- ISO 8601, UTC
        seal INTEGER NOT NULL DEFAULT 0 -- checksum of the other columns
    )""",
    "CREATE INDEX start ON entry (kind) WHERE kind = 'start'",
    OF_NO_GAME,
)
MIGRATIONS = {
    1: (),
    2: (
        "ALTER TABLE entry ADD COLUMN seal INTEGER NOT NULL DEFAULT 0",
        f"UPDATE entry SET seal = {SEAL}",
        OF_NO_GAME,
    ),
}
ENDINGS = ("over", "abandoned")
WHAT = "the journal"
HEALTH, SETTING, LOST, NO_GAME = "health", "setting", "lost", 0

WRITE = """INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, crc32(?1, ?2, ?3, ?4, ?5))"""
ONE = "SELECT seq, game, kind, body, at, seal FROM entry WHERE seq = ?"
LAST = "SELECT coalesce(max(seq), 0) FROM entry"
LAST_OF_GAMES = f"SELECT seq FROM entry WHERE game != {NO_GAME} ORDER BY seq DESC LIMIT 1"
ENTRIES = "SELECT seq, game, kind, at, body FROM entry"
OF_KIND = f"WHERE game = {NO_GAME} AND kind = ? ORDER BY seq"
MAX_NEW_ENTRIES = 1000  # entries kept for ``take_new_entries``
LAST_GAME = "SELECT game FROM entry WHERE game != 0 ORDER BY seq DESC LIMIT 1"
# The number of entries since the last game started, and the number there would be without gaps.
SINCE_LAST_START = """SELECT count(*), max(seq) - start + 1
    FROM entry, (SELECT max(seq) AS start FROM entry WHERE kind = 'start')
    WHERE seq >= start GROUP BY start"""

Setting = str | int | float | bool
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameStart:
    """The start of a game. *options* are the house rules.

    It stores the whole deck, because the deck file may change later. If *is_lesson* is True, the
    table teaches the game while it is played. *mats* are the seats in which the mat plays.
    """

    game: str
    names: tuple[str, ...]  # the players' names, by seat
    dealer: int  # the dealer's seat, from 0
    options: Mapping[str, OptionValue]
    deck: Deck
    is_lesson: bool = False
    mats: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCard:
    """A piece in the row of the mat at *seat*.

    It was laid there unseen after *at* inputs, and taken out after *until* inputs; None if it was
    not taken out.
    """

    seat: Seat
    piece: Piece
    at: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game in the journal. *inputs* are the inputs that were not undone.

    *last_tap* is the last piece tapped, even if that tap was undone. After a power cut this piece
    may still be on the reader, and must not be played again. *left* are the unplayed pieces of its
    stack, which are the pieces that were put on the reader together with it. *row* has the pieces
    that were laid into the rows of the mat's seats, in order, also those that it has played since.
    """

    number: int
    start: GameStart
    inputs: tuple[Input, ...] = ()
    last_tap: Piece | None = None
    left: tuple[Piece, ...] = ()
    row: tuple[RowCard, ...] = ()

    def with_input(self, given: Input, left: tuple[Piece, ...] = ()) -> "GameRecord":
        """Return the game after the input *given*.

        *left* are the unplayed pieces of its stack, which are the pieces that were put on the
        reader together with it.
        """
        last_tap = given.piece if isinstance(given, Tap) else self.last_tap
        return replace(self, inputs=(*self.inputs, given), last_tap=last_tap, left=left)

    def with_undo(self) -> "GameRecord":
        """Return the game without its last input, and without the pieces laid into rows since.

        Raises:
            ValueError: the game has no input.
        """
        if not self.inputs:
            raise ValueError(f"game {self.number} has no input to undo")
        return self.cut(len(self.inputs) - 1)

    def cut(self, count: int) -> "GameRecord":
        """Return the game after its first *count* inputs."""
        row = tuple(
            replace(card, until=None) if (card.until or 0) > count else card
            for card in self.row
            if card.at <= count
        )
        return replace(self, inputs=self.inputs[:count], left=(), row=row)

    def with_row_change(self, change: RowChange) -> "GameRecord":
        """Return the game after *change* of a row."""
        if change.is_laid:
            card = RowCard(change.seat, change.piece, len(self.inputs))
            return replace(self, row=(*self.row, card))
        lifted = change.seat, change.piece
        fitting = (n for n, card in enumerate(self.row) if (card.seat, card.piece) == lifted)
        at = max(fitting, default=None)
        if at is None:
            return self
        card, now = self.row[at], len(self.inputs)
        kept = () if card.at == now else (replace(card, until=now),)
        return replace(self, row=(*self.row[:at], *kept, *self.row[at + 1 :]))


def utc_now() -> datetime:
    """Return the current date and time in UTC."""
    return datetime.now(UTC)


def lock_folder(path: Path) -> Lock:
    """Lock the folder of the journal *path* against other tapmat processes.

    The caller closes the lock to release it.

    Raises:
        FolderInUse: another tapmat process has locked the folder.
        JournalError: the lock file cannot be opened or locked.
    """
    return Lock(path.with_suffix(".lock"))


@dataclass(frozen=True, slots=True)
class HealthEntry:
    """The numbers of polls, faults and repairs of one *part* since its previous health entry.

    *counts* has the numbers by kind. The entry was written *at* (ISO 8601, UTC).
    """

    part: str
    counts: Mapping[str, int]
    at: str


def health_entries(path: Path) -> list[HealthEntry]:
    """Return every health entry of the journal *path*, in order; empty if there is no journal.

    This neither changes nor locks the file, so another tapmat process may be writing to it.

    Raises:
        JournalError: the file cannot be read, or a newer version wrote it.
    """
    with _open_for_reading(path) as connection:
        if connection is None:
            return []
        rows = connection.execute(f"{ENTRIES} {OF_KIND}", (HEALTH,)).fetchall()
    entries = [entry_of(path, *row) for row in rows]
    return [HealthEntry(*_read_body(path, entry, _decode_health), entry.at) for entry in entries]


def sum_by_part(
    notes: Iterable[HealthEntry], since: datetime | None = None
) -> dict[str, Counter[str]]:
    """Return the total counts of each part in *notes*, which are health entries.

    Entries older than *since* (UTC) are not counted.
    """
    first = "" if since is None else since.isoformat(timespec="milliseconds")
    totals: dict[str, Counter[str]] = {}
    for note in notes:
        if note.at >= first:
            totals.setdefault(note.part, Counter()).update(note.counts)
    return totals


def health_in(path: Path) -> dict[str, Counter[str]]:
    """Return the total counts of each part in the journal *path*; see ``health_entries``."""
    return sum_by_part(health_entries(path))


def entries_in(path: Path) -> Iterator[tuple[Entry, JournalError | None]]:
    """Yield the entries of all games in the journal *path*, in order; none if there is no journal.

    Each entry is paired with None, or with an error if the entry is unreadable. An unreadable entry
    has an empty body. This neither changes nor locks the file.

    Raises:
        JournalError: the file cannot be read, or a newer version wrote it.
    """
    with _open_for_reading(path) as connection:
        query = f"{ENTRIES} WHERE game != {NO_GAME} ORDER BY seq"
        rows = [] if connection is None else connection.execute(query).fetchall()
    for row in rows:
        try:
            yield entry_of(path, *row), None
        except JournalError as wrong:
            yield Entry(*row[:4]), wrong


def check_file(path: Path) -> None:
    """Check the whole file of the journal *path* for damage, if there is one.

    Raises:
        JournalError: it is damaged, cannot be read, or a newer version wrote it.
    """
    check_wal(path)
    with _open_for_reading(path) as connection:
        if connection is None:
            return
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise damage_error(path, "", f"is damaged ({found})", JournalError)
        _check_seals(path, connection)
        for row in connection.execute(f"{ENTRIES} WHERE game = {NO_GAME} ORDER BY seq"):
            entry = entry_of(path, *row)
            _read_body(path, entry, DECODERS.get(entry.kind, dict))
        for there, span in connection.execute(SINCE_LAST_START):
            if there != span:
                raise _missing_entries_error(path, span - there)
        for (game,) in connection.execute(LAST_GAME):
            entries = connection.execute(
                f"{ENTRIES} WHERE seq >= ?1 AND game = ?1 ORDER BY seq", (game,)
            )
            _fold(path, game, (entry_of(path, *row) for row in entries))


def check_wal(path: Path) -> None:
    """Check that SQLite finds every entry in the write-ahead log (WAL) of the journal *path*.

    Call this before SQLite opens the file, because SQLite drops all entries after damage in the
    WAL.

    Raises:
        JournalError: entries are missing.
    """
    try:
        anchor, rows = read_tail(path)  # before the WAL, since another process may be writing
        if found := wal_fault(path):
            raise damage_error(path, "", found, JournalError)
        if not _belongs_to(anchor, path):
            raise damage_error(
                path, "", "is not the journal that its tail belongs to", JournalError
            )
    except OSError as fault:
        raise error_of(fault, path, JournalError) from fault
    if anchor is None and not rows:
        return
    with _open_for_reading(path) as connection:
        _check_tail(path, connection, anchor or Anchor(), rows)


def _check_tail(
    path: Path, connection: sqlite3.Connection | None, anchor: Anchor, rows: Sequence[Row]
) -> None:
    """Check that the journal *path* has the entry in the tail's *anchor* and the tail's *rows*.

    Raises:
        JournalError: entries are missing, or the anchor's entry has another checksum.
    """
    last, found = 0, []
    if connection is not None:
        (last,) = connection.execute(LAST).fetchone()
        found = [connection.execute(ONE, row[:1]).fetchone() for row in rows]
        at_anchor = connection.execute(ONE, (anchor.seq,)).fetchone()
        if at_anchor is not None and at_anchor[-1] != anchor.seal:
            raise _entry_error(path, anchor.seq, "does not match its checksum")
    missing = max(0, anchor.seq - last) + sum(row not in found for row in rows)
    if missing:
        raise _missing_entries_error(path, missing)


def _belongs_to(anchor: Anchor | None, path: Path) -> bool:
    """Return False if the tail's *anchor* certainly belongs to a journal other than *path*."""
    known = identity_of(path)
    return anchor is None or 0 in (known, anchor.identity) or known == anchor.identity


def _missing_entries_error(path: Path, count: int) -> JournalError:
    entries = "1 entry" if count == 1 else f"{count} entries"
    return damage_error(path, "", f"is missing {entries}", JournalError)


def _check_seals(path: Path, connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        for (seq,) in connection.execute(f"SELECT seq FROM entry WHERE seal IS NOT {SEAL} LIMIT 1"):
            raise _entry_error(path, seq, "does not match its checksum")


@contextmanager
def _open_for_reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Yield a read-only connection to the journal *path*; None if there is no journal.

    The file may have an older schema version than ``VERSION``.
    """
    try:
        if version_of(path, VERSION, WHAT, JournalError) == 0:
            yield None
            return
        with closing(connect(path, is_read_only=True)) as connection:
            yield connection
    except FILE_ERRORS as fault:
        raise error_of(fault, path, JournalError) from fault


def _open_store(path: Path) -> Store:
    """Open the journal *path*. Create the file if it does not exist."""
    return Store(path, SCHEMA, VERSION, WHAT, JournalError, MIGRATIONS)


class Journal:
    """The journal in the file *path*, locked against other tapmat processes until ``close``.

    If *repairs* is True, a damaged file is first set aside, and a new file gets its readable
    entries. In that case, ``recovery`` describes the repair. *now* returns the current time in UTC.

    Raises:
        JournalError: from every method, if the file cannot be read or written, has a newer version,
            or is locked by another tapmat process. Committed entries stay; the caller may try again
            after following the message's remedy.
    """

    def __init__(
        self, path: Path, now: Callable[[], datetime] = utc_now, *, repairs: bool = False
    ) -> None:
        self.path = path
        self._now = now
        self._lock = lock_folder(path)
        self._tail = Tail(path)
        self._lost: JournalError | None = None  # raised by every later change
        self._is_closed = False
        self._new_entries: deque[Entry] = deque(maxlen=MAX_NEW_ENTRIES)
        try:
            self.recovery = self._recover() if repairs else None
            if not repairs:
                check_wal(path)
            self._store = _open_store(path)
            try:
                self._last = self._last_seq()
                self._moment = max(
                    (int(seq) for (seq,) in self._store.rows(LAST_OF_GAMES)), default=0
                )
                self._identity = self._store.identity()
                self._open = self._fold_last()
                self.checkpoint()
            except BaseException:
                self._store.close()
                raise
        except BaseException:
            self._lock.close()
            raise

    def _recover(self) -> Recovery | None:
        """Repair the file if it is damaged; return the repair, or None."""
        return recover(self.path, check_file, self._now(), self._save, JournalError)

    def _save(self, new: Path, copy: Path) -> None:
        """Write the damaged file's readable entries to the new file *new*.

        The damaged file will be renamed to *copy*, whose name goes into the ``lost`` entries.
        """
        rows = _readable_rows(self.path)
        lost = (json.dumps({"copy": copy.name}), self._now().isoformat(timespec="milliseconds"))
        with (
            closing(_open_store(new)) as store,
            store.change() as connection,
        ):
            connection.executemany(WRITE, _rows_to_keep(rows, lost))

    @property
    def connection(self) -> sqlite3.Connection:
        """The SQLite connection, for tests that measure or emulate the disk."""
        return self._store.connection

    def wait_in(self, waiting_for_disk: Wait) -> None:
        """Run each later write inside the context manager that *waiting_for_disk* returns."""
        self._store.waiting_for_disk = waiting_for_disk

    @property
    def trouble(self) -> JournalError | None:
        """The reason why the disk cannot be written at present; None if it can be written."""
        cause = disk_cause(self.path)
        return None if cause is None else error_of_cause(self.path, cause, JournalError)

    def checkpoint(self) -> None:
        """Move the entries in the write-ahead log into the file, and empty the tail.

        The table calls this at its start and at the end of each round. Entries in the file are
        safer, because later damage to the log cannot reach them.
        """
        with self._store.waiting_for_disk():
            if self._store.checkpoint():
                self._anchor_tail()

    def _anchor_tail(self) -> None:
        row = self._store.rows(ONE, self._last)
        seal = row[0][-1] if row else 0
        self._tail.restart(Anchor(self._identity, self._last, seal))

    def check_ownership(self) -> None:
        """Check that no other program has deleted, replaced or written the file.

        Raises:
            JournalError: with the cause ``LOST``, also from every later change. A copy of all
                entries is saved beside the journal.
        """
        with self._watching_for_loss():
            self._store.check_same_file()
            self._check_last_seq()

    def open_game(self) -> GameRecord | None:
        """Return the game that has not ended, with its inputs; None if there is none."""
        return self._open

    def last_start(self, game: str | None = None) -> GameStart | None:
        """Return the start of the last game, or of the last game of *game*.

        Return None if there is none.
        """
        for entry in self._entries("WHERE kind = 'start' ORDER BY seq DESC"):
            start = start_of(self.path, entry)
            if game in (None, start.game):
                return start
        return None

    def begin(self, start: GameStart, phone: Phone | None = None) -> GameRecord:
        """Begin a game, for *phone* if it is not None.

        A game that is still open is abandoned in the same transaction.
        """
        number = self._last + 1
        with self._change() as write:
            if self._open is not None:
                write(self._open.number, "end", {"how": "abandoned"})
                number += 1
            write(number, "start", _encode_start(start) | encode_phone(phone))
        self._open = GameRecord(number, start)
        return self._open

    @property
    def moment(self) -> int:
        """The number of the last entry that belongs to a game; 0 if there is none."""
        return self._moment

    def append(
        self, given: Input, left: tuple[Piece, ...] = (), phone: Phone | None = None
    ) -> GameRecord:
        """Add *given*, an input that the rules accepted. It is on disk when this returns.

        After a tap, *left* are the pieces that were put on the reader together with this one, and
        are not played yet. *phone* gave the input; it is None for an input at the mat.
        """
        after = self._game().with_input(given, left)
        body = encode(given) | encode_left(left) | encode_phone(phone)
        return self._commit(after, "input", body)

    def undo(self, phone: Phone | None = None) -> GameRecord:
        """Take back the last input; return the game without it.

        *phone* asked for the undo; it is None if a player at the mat did.

        Raises:
            ValueError: no game is open, or it has no input.
        """
        return self._commit(self._game().with_undo(), "undo", encode_phone(phone))

    def change_rows(self, changes: Iterable[RowChange]) -> GameRecord:
        """Lay pieces into the rows of the mat's seats, or take them out; return the game then.

        The *changes* are made together.
        """
        after = self._game()
        with self._change() as write:
            for change in changes:
                after = after.with_row_change(change)
                write(after.number, "row", encode_row(change))
        self._open = after
        return after

    def end(self, how: str, phone: Phone | None = None) -> None:
        """End the open game, for *phone* if it is not None. *how* is ``over`` or ``abandoned``."""
        if how not in ENDINGS:
            raise ValueError(f"the end of a game must be one of {ENDINGS}, not {how!r}")
        self._commit(self._game(), "end", {"how": how} | encode_phone(phone))
        self._open = None

    def cut_back(self, count: int, reason: str) -> None:
        """Undo all inputs of the open game after the first *count*.

        A copy of the journal is saved first, and its name is logged together with *reason*.
        """
        inputs = self._game().inputs
        with self._store.translating_errors():
            copied = save_copy(self.path, reason, self._now(), self._store.connection)
        with self._change() as write:
            for _input in inputs[count:]:
                write(self._game().number, "undo", {})
        self._open = self._game().cut(count)
        self.recovery = copied

    def entries(self, game: int | None = None, after: int = 0) -> Iterator[Entry]:
        """Yield the entries with numbers above *after*, of all games or of game number *game*."""
        if game is None:
            return self._entries(f"WHERE seq > ? AND game != {NO_GAME} ORDER BY seq", after)
        first = max(game, after + 1)
        return self._entries("WHERE seq >= ? AND game = ? ORDER BY seq", first, game)

    def take_new_entries(self) -> tuple[Entry, ...]:
        """Return the game entries written since the last call; at most the last 1,000.

        Entries that belong to no game, such as settings, are left out.
        """
        fresh = tuple(self._new_entries)
        self._new_entries.clear()
        return fresh

    def note_health(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add a health entry for each part in *counts*.

        The counts begin after its previous entry.
        """
        with self._change() as write:
            for part, counted in counts.items():
                write(NO_GAME, HEALTH, {"part": part, "counts": dict(counted)})

    def settings(self) -> Mapping[str, Setting]:
        """Return the current value of each setting, by name."""
        entries = self._entries(OF_KIND, SETTING)
        return dict(_read_body(self.path, entry, _decode_setting) for entry in entries)

    def note_setting(self, name: str, value: Setting) -> None:
        """Set the setting *name* to *value*. Nothing is written if it has that value already."""
        known = self.settings().get(name)
        if known == value and type(known) is type(value):
            return
        with self._change() as write:
            write(NO_GAME, SETTING, {"name": name, "value": value})

    def close(self) -> None:
        """Close the file and release the lock. May be called twice."""
        if not self._is_closed:
            if self._lost is None:
                with suppress(JournalError):  # the next start reads the log, or reports the damage
                    self.checkpoint()
            self._store.close()
            self._tail.close()
            self._lock.close()
        self._is_closed = True

    # --- writing ---

    def _game(self) -> GameRecord:
        if self._open is None:
            raise ValueError("no game is open")
        return self._open

    def _commit(self, after: GameRecord, kind: str, body: Mapping[str, Any]) -> GameRecord:
        with self._change() as write:
            write(after.number, kind, body)
        self._open = after
        return after

    @contextmanager
    def _change(self) -> Iterator[Callable[[int, str, Mapping[str, Any]], None]]:
        """Run one transaction; yield the function that writes an entry in it.

        The function takes the number of the game, the kind of entry and its body.
        """
        rows: list[Row] = []
        entries: list[Entry] = []

        def write(game: int, kind: str, body: Mapping[str, Any]) -> None:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            at = self._now().isoformat(timespec="milliseconds")
            row = (self._last + len(rows) + 1, game, kind, text, at)
            connection.execute(WRITE, row)
            rows.append((*row, crc32(*row)))
            if game != NO_GAME:
                entries.append(Entry(row[0], game, kind, at, body))

        with self._store.waiting_for_disk():
            with self._watching_for_loss(), self._store.change() as connection:
                self._check_last_seq()
                yield write
            self._last += len(rows)
            self._tail.add(rows)
        self._new_entries.extend(entries)
        if entries:
            self._moment = entries[-1].seq

    def _check_last_seq(self) -> None:
        if self._last_seq() != self._last:
            raise lost_error(self.path, "was written by another program", JournalError)

    @contextmanager
    def _watching_for_loss(self) -> Iterator[None]:
        """Run a block that uses the journal's file.

        If a call in the block finds that another program replaced the file, save a copy of all
        entries and refuse later changes.
        """
        if self._lost is not None:
            raise self._lost
        try:
            yield
        except JournalError as wrong:
            if wrong.cause is Cause.LOST:
                self._lost = wrong
                self._try_to_copy(wrong.found)
            raise

    def _try_to_copy(self, found: str) -> None:
        try:
            with self._store.translating_errors():
                save_copy(self.path, found, self._now(), self._store.connection)
        except JournalError as wrong:
            log.warning("The journal cannot be copied: %s", wrong)

    # --- reading ---

    def _last_seq(self) -> int:
        ((seq,),) = self._store.rows(LAST)
        return int(seq)

    def _entries(self, which: str, *values: object) -> Iterator[Entry]:
        rows = self._store.rows(f"{ENTRIES} {which}", *values)
        return (entry_of(self.path, *row) for row in rows)

    def _fold_last(self) -> GameRecord | None:
        """Return the last game; None if it has ended, or there is none."""
        for (game,) in self._store.rows(LAST_GAME):
            return _fold(self.path, game, self.entries(game))
        return None


# --- the bodies of entries -----------------------------------------------------------------------


def entry_of(path: Path, seq: int, game: int, kind: str, at: str, text: str) -> Entry:
    """Return one row of the journal *path* as an entry. *text* is the entry's body in JSON.

    Raises:
        JournalError: *text* is not a JSON object.
    """
    try:
        body = json.loads(text)
    except (ValueError, TypeError) as wrong:
        raise _entry_error(path, seq, f"is not JSON ({wrong})") from wrong
    if not isinstance(body, dict):
        raise _entry_error(path, seq, f"is {body!r}, not an object")
    return Entry(seq, game, kind, at, body)


def start_of(path: Path, entry: Entry) -> GameStart:
    """Return the start of a game that *entry* of the journal *path* describes.

    Raises:
        JournalError: the body of the entry cannot be read.
    """
    return _read_body(path, entry, _decode_start)


def _fold(path: Path, game: int, entries: Iterator[Entry]) -> GameRecord | None:
    """Return the game with the number *game*, built from its *entries*; None if it has ended."""
    start = next(entries, None)
    if start is None or start.kind != "start":
        raise _entry_error(path, game, "is not the start of a game")
    record = GameRecord(game, start_of(path, start))
    try:
        for _entry, step in walk(entries):
            match step:
                case InputStep(given, left):
                    record = record.with_input(given, left)
                case UndoStep():
                    record = record.with_undo()
                case RowChange() as change:
                    record = record.with_row_change(change)
                case EndStep():
                    return None
    except UnreadableEntry as wrong:
        raise _body_error(path, wrong.seq, wrong) from wrong
    return record


def _read_body(path: Path, entry: Entry, read: Callable[[Mapping[str, Any]], T]) -> T:
    """Return the body of *entry*, decoded by *read*; raise JournalError if it is malformed."""
    try:
        return read(entry.body)
    except UnreadableValue as wrong:
        raise _body_error(path, entry.seq, wrong) from wrong


def _body_error(path: Path, seq: int, wrong: Exception) -> JournalError:
    return _entry_error(path, seq, f"cannot be read: {wrong}")


def _entry_error(path: Path, seq: int, found: str) -> JournalError:
    return damage_error(path, f"entry {seq}", found, JournalError)


def _decode_health(body: Mapping[str, Any]) -> tuple[str, dict[str, int]]:
    """Return the part's name and the counts in a health entry."""
    counts = codec.field(dict, body, "counts")
    return codec.field(str, body, "part"), {k: codec.field(int, counts, k) for k in counts}


def _decode_setting(body: Mapping[str, Any]) -> tuple[str, Setting]:
    """Return the name and the value in a setting entry."""
    value = body.get("value")
    if not isinstance(value, Setting):
        raise UnreadableValue(f"value is {value!r}; it must be true, false, a number or a string")
    return codec.field(str, body, "name"), value


def _decode_ending(body: Mapping[str, Any]) -> str:
    """Return how a game ended: one of ``ENDINGS``."""
    how = codec.field(str, body, "how")
    if how not in ENDINGS:
        raise UnreadableValue(f"{how!r} is not a way to end a game; it must be one of {ENDINGS}")
    return how


def _encode_start(start: GameStart) -> dict[str, Any]:
    return {
        "game": start.game,
        "names": list(start.names),
        "dealer": start.dealer,
        "options": dict(start.options),
        "deck": codec.encode_deck(start.deck),
        **({"lesson": True} if start.is_lesson else {}),
        **({codec.MATS: list(start.mats)} if start.mats else {}),
    }


def _decode_start(shape: Mapping[str, Any]) -> GameStart:
    names = codec.field(list, shape, "names")
    dealer = codec.field(int, shape, "dealer")
    if not all(isinstance(name, str) for name in names) or not 0 <= dealer < len(names):
        raise UnreadableValue(f"names are {names!r} and dealer is {dealer}")
    return GameStart(
        game=codec.field(str, shape, "game"),
        names=tuple(names),
        dealer=dealer,
        options=codec.decode_options(codec.field(dict, shape, "options")),
        deck=codec.decode_deck(codec.field(dict, shape, "deck")),
        is_lesson="lesson" in shape and codec.field(bool, shape, "lesson"),
        mats=codec.decode_mats(shape, len(names)),
    )


# --- repair of a damaged file --------------------------------------------------------------------

DECODERS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {  # by kind of entry
    "start": _decode_start,
    "input": decode,
    "undo": dict,
    "row": decode_row,
    "end": _decode_ending,
    HEALTH: _decode_health,
    SETTING: _decode_setting,
    LOST: dict,
}
NO_GAME_KINDS = (HEALTH, SETTING, LOST)


def _readable_rows(path: Path) -> list[Row]:
    """Return every readable entry of the journal *path*, from its file, write-ahead log and tail.

    Entries in the log are compared with the tail or, if the tail lacks them, with the file. If an
    entry differs, the log is ignored, because it is outdated or belongs to another journal. If the
    file and the tail belong to different journals, the one that fits the log is used.
    """
    anchor, tail = read_tail(path)
    filed = rows_of(path, SCHEMA, "entry", with_wal=False)
    logged = rows_of(path, SCHEMA, "entry")
    if not _belongs_to(anchor, path):
        of_log = set(logged).difference(filed)
        return logged if of_log.isdisjoint(tail) else [*of_log, *tail]
    kept = [*filed, *tail]
    known = {row[0]: row for row in kept if _has_valid_seal(row)}
    is_ours = all(known.get(row[0], row) == row for row in logged if _has_valid_seal(row))
    return [*logged, *kept] if is_ours else kept


def _has_valid_seal(row: Row) -> bool:
    """Return True if the checksum of *row* matches its contents."""
    return len(row) == FIELDS and row[-1] == crc32(*row[:-1])


def _rows_to_keep(rows: Sequence[Row], lost: tuple[str, str]) -> Iterator[Row]:
    """Yield the *rows* of a damaged journal that can be kept, in order, without their seals.

    A game keeps its entries up to the first invalid or missing one, and its end. Each other entry
    is replaced by a ``lost`` entry, whose body and time are in *lost*.
    """
    has_seals = any(row[5:] and row[5] for row in rows)
    sound = {row[0]: row[1:5] for row in rows if _is_valid(row, has_seals=has_seals)}
    broken = {row[0]: row[1:3] for row in rows if row[0] not in sound}
    # Without seals an entry's number may be wrong, so only consecutive entries are trusted.
    last = max(sound, default=0) if has_seals else next(n for n in count() if n + 1 not in sound)
    starts = [seq for seq, (_, kind, *_) in sound.items() if kind == "start" and seq <= last]
    there = {seq for seq in (*sound, *broken) if seq <= last}
    standing: dict[int, int] = {}  # the number of inputs not undone, for each game that is kept
    current = NO_GAME
    for seq in sorted(there.union(range(max(starts, default=1), last + 1))):
        game, kind, *_rest = sound.get(seq) or broken.get(seq) or (current, "")
        if seq not in sound:
            if game != NO_GAME or kind not in NO_GAME_KINDS:
                standing.pop(current, None)  # the unreadable entry may have been a play
            yield (seq, NO_GAME, LOST, *lost)
            continue
        if kind == "start":
            current = game
            standing[game] = 0
        elif game in standing and kind in ("input", "undo"):
            standing[game] += 1 if kind == "input" else -1
            if standing[game] < 0:
                del standing[game]
        if game in (NO_GAME, *standing) or (kind == "end" and game in starts):
            yield (seq, *sound[seq])
        else:
            yield (seq, NO_GAME, LOST, *lost)


def _is_valid(row: Row, *, has_seals: bool) -> bool:
    """Return True if the entry *row* has the right checksum and its body can be decoded.

    If *has_seals* is False, the file has an older format without checksums, so none is checked.
    """
    seq, game, kind, body, at, seal = (*row, 0)[:6]
    if has_seals and seal != crc32(seq, game, kind, body, at):
        return False
    try:
        body.encode()
        DECODERS[kind](dict(json.loads(body)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    return type(game) is int and type(at) is str and (kind != "start" or game == seq)
