"""The journal: every accepted input, on disk before anything of it is shown or said.

Room: firmware. An append-only SQLite file with one writer. A game is the fold of its entries:
``input`` adds one, ``undo`` takes the last one that stands away again, and nothing is ever changed
or deleted, so the same file resumes a game after a pulled plug, replays it and explains it.

Between the games stand entries that belong to no game, and are left out of everything that tells
of games: ``health``, what was counted of each part (``firmware.health``) since the entry before,
``setting``, what people set; the newest of a name counts; and ``lost``, the place of an entry that
could not be read when the journal was mended.

Each entry carries a seal, a checksum of all that it says, since SQLite has none for its pages, and
behind the start of the last game no number is missing: so a play that is gone is missed.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from gettext import gettext as _
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from engines.common.contract import Input, OptionValue, Tap
from engines.common.pieces import Deck, Piece
from firmware import codec
from firmware.codec import UnknownShape, decode, encode
from firmware.errors import JournalError
from firmware.salvage import Mended, Row, is_cut_short, keep_copy, mended, rows_of
from firmware.store import FAULT, Hold, Store, connect, crc32, damaged, explained, version_of

VERSION = 3  # 1: without health entries; 2: without settings, seals and the index of both
SEAL = "crc32(seq, game, kind, body, at)"
OF_NO_GAME = "CREATE INDEX of_no_game ON entry (kind) WHERE game = 0"
SCHEMA = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        game INTEGER NOT NULL, -- seq of the game's start; 0: of no game
        kind TEXT NOT NULL, -- start, input, undo, end; health, setting, lost
        body TEXT NOT NULL, -- JSON
        at TEXT NOT NULL, -- ISO 8601, UTC
        seal INTEGER NOT NULL DEFAULT 0 -- of all the others
    )""",
    "CREATE INDEX start ON entry (kind) WHERE kind = 'start'",
    OF_NO_GAME,
)
STEPS = {
    1: (),
    2: (
        "ALTER TABLE entry ADD COLUMN seal INTEGER NOT NULL DEFAULT 0",
        f"UPDATE entry SET seal = {SEAL}",
        OF_NO_GAME,
    ),
}
ENDINGS = ("over", "abandoned")
N_ = str  # marks a text for the catalogues; it is translated where it is used
WHAT = N_("the journal")
HEALTH, SETTING, LOST, NO_GAME = "health", "setting", "lost", 0

WRITE = """INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, crc32(?1, ?2, ?3, ?4, ?5))"""
LAST = "SELECT coalesce(max(seq), 0) FROM entry"
ENTRIES = "SELECT seq, game, kind, at, body FROM entry"
OF_KIND = f"WHERE game = {NO_GAME} AND kind = ? ORDER BY seq"
LAST_GAME = "SELECT game FROM entry WHERE game != 0 ORDER BY seq DESC LIMIT 1"
# How many entries there are from the start of the last game on, and how many there must be.
SINCE_LAST_START = """SELECT count(*), max(seq) - start + 1
    FROM entry, (SELECT max(seq) AS start FROM entry WHERE kind = 'start')
    WHERE seq >= start GROUP BY start"""

Setting = str | int | float | bool
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameStart:
    """How a game began. The deck is kept whole, so a fold never hangs on today's deck file."""

    game: str
    names: tuple[str, ...]  # of the players, by seat
    dealer: int  # a seat, from 0
    options: Mapping[str, OptionValue]
    deck: Deck


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as the journal holds it: its *number*, its start, and the *inputs* that stand.

    *last_tap* is the piece tapped last, even if that was undone since: when the power comes back
    it may still lie on the reader, and must not be played again.
    """

    number: int
    start: GameStart
    inputs: tuple[Input, ...] = ()
    last_tap: Piece | None = None

    def with_input(self, given: Input) -> "GameRecord":
        """The game after *given*."""
        last_tap = given.piece if isinstance(given, Tap) else self.last_tap
        return replace(self, inputs=(*self.inputs, given), last_tap=last_tap)

    def with_undo(self) -> "GameRecord":
        """The game without its last input that stands.

        Raises:
            ValueError: there is none.
        """
        if not self.inputs:
            raise ValueError(f"game {self.number} has no input to undo")
        return replace(self, inputs=self.inputs[:-1])


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal: the *seq*-th, of game *game*, written *at* (ISO 8601, UTC)."""

    seq: int
    game: int
    kind: str
    at: str
    body: Mapping[str, Any] = field(default_factory=dict)


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


def hold(path: Path) -> Hold:
    """Keep every other tapmat out of the folder of the journal *path*, until it is closed.

    Raises:
        FolderInUse: one is in it.
        JournalError: the folder cannot be used.
    """
    return Hold(path.with_suffix(".lock"), JournalError)


@dataclass(frozen=True, slots=True)
class Noted:
    """What one health entry, written *at* (ISO 8601, UTC), counted of *part*."""

    part: str
    counts: Mapping[str, int]
    at: str


def notes_in(path: Path) -> list[Noted]:
    """Every health entry of the journal *path*, in order; none when there is no journal.

    It is read without being touched or held, so another tapmat may be writing to it.

    Raises:
        JournalError: it cannot be read, or is a newer version's.
    """
    with _looking(path) as looking:
        if looking is None:
            return []
        rows = looking.execute(f"{ENTRIES} {OF_KIND}", (HEALTH,)).fetchall()
    entries = [entry_of(path, *row) for row in rows]
    return [Noted(*_read(path, entry, _health), entry.at) for entry in entries]


def added_up(notes: Iterable[Noted], since: datetime | None = None) -> dict[str, Counter[str]]:
    """The counts of *notes* by part; with *since*, a moment in UTC, only from then on."""
    first = "" if since is None else since.isoformat(timespec="milliseconds")
    totals: dict[str, Counter[str]] = {}
    for note in notes:
        if note.at >= first:
            totals.setdefault(note.part, Counter()).update(note.counts)
    return totals


def health_in(path: Path) -> dict[str, Counter[str]]:
    """What the journal *path* has counted of each part in all; see ``notes_in``."""
    return added_up(notes_in(path))


def entries_in(path: Path) -> Iterator[tuple[Entry, JournalError | None]]:
    """Every game's entries of the journal *path*, in order; none when there is no journal.

    It is read without being touched or held. With an entry that cannot be read, whose body is
    empty, comes what is wrong with it.

    Raises:
        JournalError: the file cannot be read, or is a newer version's.
    """
    with _looking(path) as looking:
        query = f"{ENTRIES} WHERE game != {NO_GAME} ORDER BY seq"
        rows = [] if looking is None else looking.execute(query).fetchall()
    for row in rows:
        try:
            yield entry_of(path, *row), None
        except JournalError as wrong:
            yield Entry(*row[:4]), wrong


def check_file(path: Path) -> None:
    """Look through the whole file of the journal *path* for damage, if there is one.

    Raises:
        JournalError: it is damaged, cannot be read, or is a newer version's.
    """
    with _looking(path) as looking:
        if is_cut_short(path):
            raise damaged(path, "", _("ends in the middle of an entry"), JournalError)
        if looking is None:
            return
        (found,) = looking.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise damaged(path, "", _("is damaged ({reason})").format(reason=found), JournalError)
        (version,) = looking.execute("PRAGMA user_version").fetchone()
        if version == VERSION:
            for (seq,) in looking.execute(
                f"SELECT seq FROM entry WHERE seal IS NOT {SEAL} LIMIT 1"
            ):
                raise _unreadable(path, seq, _("is not as it was written"))
        for row in looking.execute(f"{ENTRIES} WHERE game = {NO_GAME} ORDER BY seq"):
            entry = entry_of(path, *row)
            _read(path, entry, READS.get(entry.kind, dict))
        for there, span in looking.execute(SINCE_LAST_START):
            if there != span:
                found = _("lacks entries: {count}").format(count=span - there)
                raise damaged(path, "", found, JournalError)
        for (game,) in looking.execute(LAST_GAME):
            entries = looking.execute(
                f"{ENTRIES} WHERE seq >= ?1 AND game = ?1 ORDER BY seq", (game,)
            )
            _fold(path, game, (entry_of(path, *row) for row in entries))


@contextmanager
def _looking(path: Path) -> Iterator[sqlite3.Connection | None]:
    """The journal *path* to read from, of this version or an older one; none if there is none."""
    try:
        if version_of(path, VERSION, WHAT, JournalError) == 0:
            yield None
            return
        with closing(connect(path, is_looking=True)) as looking:
            yield looking
    except FAULT as fault:
        raise explained(fault, path, JournalError) from fault


class Journal:
    """The journal in the file *path*, its one writer until ``close``; *now* tells the time of day.

    If it *mends*, it is looked through at first, and a damaged file is put aside: every entry
    before the damage goes on.

    Raises:
        JournalError: from every call, when the file cannot be read or written, is a newer
            version's, or another tapmat holds it. What was committed stays; the call may be tried
            again once the message's remedy is done.
    """

    def __init__(
        self, path: Path, now: Callable[[], datetime] = utc_now, *, mends: bool = False
    ) -> None:
        self.path = path
        self._now = now
        self._hold = hold(path)
        try:
            self.mended = self._mended() if mends else None
            self._store = Store(path, SCHEMA, VERSION, WHAT, JournalError, STEPS)
            try:
                self._open = self._fold_last()
            except BaseException:
                self._store.close()
                raise
        except BaseException:
            self._hold.close()
            raise

    def _mended(self) -> Mended | None:
        """Mend the file if it is damaged; return what was done."""
        return mended(self.path, check_file, self._now(), self._save, JournalError)

    def _save(self, new: Path, copy: Path) -> None:
        """Write to the file *new* what can be read of the damaged one, which will be *copy*."""
        rows = rows_of(self.path, SCHEMA, "entry")
        lost = (json.dumps({"copy": copy.name}), self._now().isoformat(timespec="milliseconds"))
        with (
            closing(Store(new, SCHEMA, VERSION, WHAT, JournalError)) as store,
            store.change() as connection,
        ):
            connection.executemany(WRITE, _saved(rows, lost))

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file, for whoever measures or emulates the disk under it."""
        return self._store.connection

    def open_game(self) -> GameRecord | None:
        """The last game with its inputs that stand, unless it has ended."""
        return self._open

    def last_start(self, game: str | None = None) -> GameStart | None:
        """How the last game, or the last one called *game*, began."""
        for entry in self._entries("WHERE kind = 'start' ORDER BY seq DESC"):
            start = start_of(self.path, entry)
            if game in (None, start.game):
                return start
        return None

    def begin(self, start: GameStart) -> GameRecord:
        """Begin a game; one that is still open is abandoned in the same breath."""
        with self._store.change() as connection:
            if self._open is not None:
                self._write(connection, self._open.number, "end", {"how": "abandoned"})
            number = connection.execute(LAST).fetchone()[0] + 1
            self._write(connection, number, "start", _start_shape(start))
        self._open = GameRecord(number, start)
        return self._open

    def append(self, given: Input) -> GameRecord:
        """Add an input that the rules accepted; it is on disk when this returns."""
        after = self._game().with_input(given)
        return self._commit(after, "input", encode(given))

    def undo(self) -> GameRecord:
        """Take the last input that stands away.

        Raises:
            ValueError: there is none.
        """
        return self._commit(self._game().with_undo(), "undo", {})

    def end(self, how: str) -> None:
        """End the game: it is ``over``, or ``abandoned``."""
        if how not in ENDINGS:
            raise ValueError(f"a game ends in one of {ENDINGS}, not {how!r}")
        self._commit(self._game(), "end", {"how": how})
        self._open = None

    def cut_back(self, kept: int, found: str) -> None:
        """Let only the first *kept* inputs stand, since of the next one *found* is true.

        The journal as it was is kept beside it.
        """
        inputs = self._game().inputs
        with self._store.explained():
            copy = keep_copy(self.path, self._now())
        with self._store.change() as connection:
            for _input in inputs[kept:]:
                self._write(connection, self._game().number, "undo", {})
        self._open = replace(self._game(), inputs=inputs[:kept])
        self.mended = Mended(found, copy)

    def entries(self, game: int | None = None, after: int = 0) -> Iterator[Entry]:
        """Every game's entries behind the *after*-th in order, or those of one game."""
        if game is None:
            return self._entries(f"WHERE seq > ? AND game != {NO_GAME} ORDER BY seq", after)
        first = max(game, after + 1)
        return self._entries("WHERE seq >= ? AND game = ? ORDER BY seq", first, game)

    def note_health(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add what was counted since the last such entries, by part; one entry a part."""
        with self._store.change() as connection:
            for part, counted in counts.items():
                body = {"part": part, "counts": dict(counted)}
                self._write(connection, NO_GAME, HEALTH, body)

    def settings(self) -> Mapping[str, Setting]:
        """What people set, by name; the newest of a name counts."""
        entries = self._entries(OF_KIND, SETTING)
        return dict(_read(self.path, entry, _setting) for entry in entries)

    def note_setting(self, name: str, value: Setting) -> None:
        """Remember that *name* was set to *value*; nothing is written where it is so already."""
        known = self.settings().get(name)
        if known == value and type(known) is type(value):
            return
        with self._store.change() as connection:
            self._write(connection, NO_GAME, SETTING, {"name": name, "value": value})

    def close(self) -> None:
        """Let go of the file; safe twice."""
        self._store.close()
        self._hold.close()

    # --- writing ---

    def _game(self) -> GameRecord:
        if self._open is None:
            raise ValueError("no game is open")
        return self._open

    def _commit(self, after: GameRecord, kind: str, body: Mapping[str, Any]) -> GameRecord:
        with self._store.change() as connection:
            self._write(connection, after.number, kind, body)
        self._open = after
        return after

    def _write(self, connection: Any, game: int, kind: str, body: Mapping[str, Any]) -> None:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        at = self._now().isoformat(timespec="milliseconds")
        seq = connection.execute(LAST).fetchone()[0] + 1
        connection.execute(WRITE, (seq, game, kind, text, at))

    # --- reading ---

    def _entries(self, which: str, *values: object) -> Iterator[Entry]:
        rows = self._store.rows(f"{ENTRIES} {which}", *values)
        return (entry_of(self.path, *row) for row in rows)

    def _fold_last(self) -> GameRecord | None:
        """The last game as its entries leave it; None when it has ended, or there is none."""
        for (game,) in self._store.rows(LAST_GAME):
            return _fold(self.path, game, self.entries(game))
        return None


# --- what entries say ----------------------------------------------------------------------------


def entry_of(path: Path, seq: int, game: int, kind: str, at: str, text: str) -> Entry:
    """The entry of the journal *path* that stands in one row.

    Raises:
        JournalError: its body cannot be read.
    """
    try:
        body = json.loads(text)
    except (ValueError, TypeError) as wrong:
        raise _unreadable(path, seq, _("is not JSON ({reason})").format(reason=wrong)) from wrong
    if not isinstance(body, dict):
        raise _unreadable(path, seq, _("is {value!r}, not an object").format(value=body))
    return Entry(seq, game, kind, at, body)


def start_of(path: Path, entry: Entry) -> GameStart:
    """How the game began that *entry* of the journal *path* is the start of.

    Raises:
        JournalError: it cannot be read.
    """
    return _read(path, entry, _start)


def _fold(path: Path, game: int, entries: Iterator[Entry]) -> GameRecord | None:
    """Game *game* as its *entries* leave it; None when it has ended."""
    start = next(entries, None)
    if start is None or start.kind != "start":
        raise _unreadable(path, game, _("is not the start of a game"))
    record = GameRecord(game, start_of(path, start))
    for entry in entries:
        try:
            match entry.kind:
                case "input":
                    record = record.with_input(decode(entry.body))
                case "undo":
                    record = record.with_undo()
                case "end":
                    return None
                case _:
                    raise UnknownShape(f"{entry.kind!r} is no kind of entry")
        except ValueError as wrong:
            raise _unread(path, entry.seq, wrong) from wrong
    return record


def _read(path: Path, entry: Entry, read: Callable[[Mapping[str, Any]], T]) -> T:
    """What *read* makes of the body of *entry*."""
    try:
        return read(entry.body)
    except UnknownShape as wrong:
        raise _unread(path, entry.seq, wrong) from wrong


def _unread(path: Path, seq: int, wrong: Exception) -> JournalError:
    return _unreadable(path, seq, _("cannot be read: {reason}").format(reason=wrong))


def _unreadable(path: Path, seq: int, found: str) -> JournalError:
    return damaged(path, _("entry {number}").format(number=seq), found, JournalError)


def _health(body: Mapping[str, Any]) -> tuple[str, dict[str, int]]:
    """The part and the counts of a health entry."""
    counts = codec.field(dict, body, "counts")
    return codec.field(str, body, "part"), {k: codec.field(int, counts, k) for k in counts}


def _setting(body: Mapping[str, Any]) -> tuple[str, Setting]:
    """The name and the value of a setting."""
    value = body.get("value")
    if not isinstance(value, Setting):
        raise UnknownShape(f"value is {value!r}; it must be a switch, number or word")
    return codec.field(str, body, "name"), value


def _ending(body: Mapping[str, Any]) -> str:
    """How a game ended."""
    how = codec.field(str, body, "how")
    if how not in ENDINGS:
        raise UnknownShape(f"how is {how!r}; it must be one of {ENDINGS}")
    return how


def _start_shape(start: GameStart) -> dict[str, Any]:
    return {
        "game": start.game,
        "names": list(start.names),
        "dealer": start.dealer,
        "options": dict(start.options),
        "deck": codec.encode_deck(start.deck),
    }


def _start(shape: Mapping[str, Any]) -> GameStart:
    names = codec.field(list, shape, "names")
    dealer = codec.field(int, shape, "dealer")
    if not all(isinstance(name, str) for name in names) or not 0 <= dealer < len(names):
        raise UnknownShape(f"names are {names!r} and dealer is {dealer}")
    return GameStart(
        game=codec.field(str, shape, "game"),
        names=tuple(names),
        dealer=dealer,
        options=codec.decode_options(codec.field(dict, shape, "options")),
        deck=codec.decode_deck(codec.field(dict, shape, "deck")),
    )


# --- what a damaged file leaves ------------------------------------------------------------------

READS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {  # what a body must be, by kind
    "start": _start,
    "input": decode,
    "undo": dict,
    "end": _ending,
    HEALTH: _health,
    SETTING: _setting,
    LOST: dict,
}
OF_NO_GAME_KINDS = (HEALTH, SETTING, LOST)


def _saved(rows: Sequence[Row], lost: tuple[str, str]) -> Iterator[Row]:
    """What goes on of the *rows* of a damaged journal, in order, without their seals.

    Of a game that is each entry before the first that makes no sense, and its end; so is what is
    missing of the last one. The other games are whole. In the place of each entry that does not go
    on stands one of no game, with the body and the time of *lost*.
    """
    has_seals = any(row[5:] and row[5] for row in rows)
    sound = {row[0]: row[1:5] for row in rows if _is_sound(row, has_seals=has_seals)}
    broken = {row[0]: row[1:3] for row in rows if row[0] not in sound}
    # Without seals a number may be a wrong one: then only what follows on each other is believed.
    last = max(sound, default=0) if has_seals else next(n for n in count() if n + 1 not in sound)
    starts = [seq for seq, (_, kind, *_) in sound.items() if kind == "start" and seq <= last]
    there = {seq for seq in (*sound, *broken) if seq <= last}
    standing: dict[int, int] = {}  # inputs that stand, of each game that goes on
    current = NO_GAME
    for seq in sorted(there.union(range(max(starts, default=1), last + 1))):
        game, kind, *_rest = sound.get(seq) or broken.get(seq) or (current, "")
        if seq not in sound:
            if game != NO_GAME or kind not in OF_NO_GAME_KINDS:
                standing.pop(current, None)  # it may have been a play
            yield (seq, NO_GAME, LOST, *lost)
            continue
        if kind == "start":
            current = game
            standing[game] = 0
        elif game in standing and kind != "end":
            standing[game] += 1 if kind == "input" else -1
            if standing[game] < 0:
                del standing[game]
        if game in (NO_GAME, *standing) or (kind == "end" and game in starts):
            yield (seq, *sound[seq])
        else:
            yield (seq, NO_GAME, LOST, *lost)


def _is_sound(row: Row, *, has_seals: bool) -> bool:
    """Whether an entry says what was written, and that makes sense."""
    seq, game, kind, body, at, seal = (*row, 0)[:6]
    if has_seals and seal != crc32(seq, game, kind, body, at):
        return False
    try:
        body.encode()
        READS[kind](dict(json.loads(body)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    return type(game) is int and type(at) is str and (kind != "start" or game == seq)
