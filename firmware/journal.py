"""The journal: every accepted input, on disk before anything of it is shown or said.

Room: firmware. An append-only SQLite file with one writer. A game is the fold of its entries:
``input`` adds one, ``undo`` takes the last one that stands away again, and nothing is ever changed
or deleted, so the same file resumes a game after a pulled plug, replays it and explains it.

Between the games stand the ``health`` entries: what was counted of each part (``firmware.health``)
since the entry before. They belong to no game and are left out of everything that tells of games.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engines.common.contract import Input, OptionValue, Tap
from engines.common.pieces import Deck, Piece
from firmware import codec
from firmware.codec import UnknownShape, decode, encode
from firmware.errors import JournalError
from firmware.store import BEGIN_ANEW, WAIT_S, Hold, Store, explained

VERSION = 2  # 1: without health entries
SCHEMA = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        game INTEGER NOT NULL, -- seq of the game's start; 0: of no game
        kind TEXT NOT NULL, -- start, input, undo, end; health
        body TEXT NOT NULL, -- JSON
        at TEXT NOT NULL -- ISO 8601, UTC
    )""",
    "CREATE INDEX start ON entry (kind) WHERE kind = 'start'",
)
ENDINGS = ("over", "abandoned")
HEALTH, NO_GAME = "health", 0


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
        query = "SELECT seq, body, at FROM entry WHERE kind = ? ORDER BY seq"
        rows = looking.execute(query, (HEALTH,)).fetchall()
    return [Noted(*_health(path, seq, text), at) for seq, text, at in rows]


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


def check_file(path: Path) -> None:
    """Look through the whole file of the journal *path* for damage, if there is one.

    Raises:
        JournalError: it is damaged, cannot be read, or is a newer version's.
    """
    with _looking(path) as looking:
        if looking is None:
            return
        (found,) = looking.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise JournalError(path, "", f"is damaged ({found})", BEGIN_ANEW)


@contextmanager
def _looking(path: Path) -> Iterator[sqlite3.Connection | None]:
    """The journal *path* to read from, of this version or an older one; none if there is none."""
    try:
        if not path.exists() or path.stat().st_size == 0:
            yield None
            return
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT_S)) as looking:
            (version,) = looking.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                found = f"has schema version {version}; this tapmat knows versions up to {VERSION}"
                remedy = "Update tapmat to read it. Nothing was touched."
                raise JournalError(path, "", found, remedy)
            yield looking
    except (sqlite3.Error, OSError) as fault:
        raise explained(fault, path, JournalError) from fault


class Journal:
    """The journal in the file *path*, its one writer until ``close``; *now* tells the time of day.

    Raises:
        JournalError: from every call, when the file cannot be read or written, is a newer
            version's, or another tapmat holds it. What was committed stays; the call may be tried
            again once the message's remedy is done.
    """

    def __init__(self, path: Path, now: Callable[[], datetime] = utc_now) -> None:
        self.path = path
        self._now = now
        self._hold = hold(path)
        try:
            self._store = Store(path, SCHEMA, VERSION, "the journal", JournalError)
            try:
                self._open = self._fold_last()
            except BaseException:
                self._store.close()
                raise
        except BaseException:
            self._hold.close()
            raise

    def open_game(self) -> GameRecord | None:
        """The last game with its inputs that stand, unless it has ended."""
        return self._open

    def last_start(self, game: str | None = None) -> GameStart | None:
        """How the last game, or the last one called *game*, began."""
        for entry in self._entries("WHERE kind = 'start' ORDER BY seq DESC"):
            start = self._start_of(entry)
            if game in (None, start.game):
                return start
        return None

    def begin(self, start: GameStart) -> GameRecord:
        """Begin a game; one that is still open is abandoned in the same breath."""
        with self._store.change() as connection:
            if self._open is not None:
                self._write(connection, self._open.number, "end", {"how": "abandoned"})
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()[0]
            self._write(connection, last + 1, "start", _start_shape(start))
        self._open = GameRecord(last + 1, start)
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

    def entries(self, game: int | None = None, after: int = 0) -> Iterator[Entry]:
        """Every game's entries behind the *after*-th in order, or those of one game."""
        if game is None:
            return self._entries(f"WHERE seq > ? AND game != {NO_GAME} ORDER BY seq", after)
        first = max(game, after + 1)
        return self._entries("WHERE seq >= ? AND game = ? ORDER BY seq", first, game)

    def note_health(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add what was counted since the last such entries, by part; one entry a part."""
        with self._store.change() as connection:
            # A file of an older version becomes this one's with the first entry that one would
            # not know; until then both can go on with it.
            connection.execute(f"PRAGMA user_version = {VERSION:d}")
            for part, counted in counts.items():
                body = {"part": part, "counts": dict(counted)}
                self._write(connection, NO_GAME, HEALTH, body)

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
        row = (game, kind, text, at)
        connection.execute("INSERT INTO entry (game, kind, body, at) VALUES (?, ?, ?, ?)", row)

    # --- reading ---

    def _entries(self, which: str, *values: object) -> Iterator[Entry]:
        query = f"SELECT seq, game, kind, at, body FROM entry {which}"
        for seq, game, kind, at, text in self._store.rows(query, *values):
            try:
                body = json.loads(text)
            except (ValueError, TypeError) as wrong:
                raise self._unreadable(seq, f"is not JSON ({wrong})") from wrong
            if not isinstance(body, dict):
                raise self._unreadable(seq, f"is {body!r}, not an object")
            yield Entry(seq, game, kind, at, body)

    def _fold_last(self) -> GameRecord | None:
        of_games = f"WHERE game != {NO_GAME} ORDER BY seq DESC LIMIT 1"
        last = self._store.rows(f"SELECT game FROM entry {of_games}")
        return self._fold(last[0][0]) if last else None

    def _fold(self, game: int) -> GameRecord | None:
        """Game *game* as its entries leave it; None when it has ended."""
        entries = self.entries(game)
        start = next(entries, None)
        if start is None or start.kind != "start":
            raise self._unreadable(game, "is not the start of a game")
        record = GameRecord(game, self._start_of(start))
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
                raise self._unreadable(entry.seq, f"cannot be read: {wrong}") from wrong
        return record

    def _start_of(self, entry: Entry) -> GameStart:
        try:
            return _start(entry.body)
        except UnknownShape as wrong:
            raise self._unreadable(entry.seq, f"cannot be read: {wrong}") from wrong

    def _unreadable(self, seq: int, found: str) -> JournalError:
        return _unreadable(self.path, seq, found)


def _unreadable(path: Path, seq: int, found: str) -> JournalError:
    remedy = (
        "Update tapmat if a newer one wrote it; "
        "otherwise keep a copy, then move the file away to begin anew."
    )
    return JournalError(path, f"entry {seq}", found, remedy)


def _health(path: Path, seq: int, text: str) -> tuple[str, dict[str, int]]:
    """The part and the counts of the health entry *seq*."""
    try:
        body = json.loads(text)
        counts = codec.field(dict, body, "counts")
        return codec.field(str, body, "part"), {k: codec.field(int, counts, k) for k in counts}
    except (ValueError, TypeError, AttributeError) as wrong:
        raise _unreadable(path, seq, f"cannot be read: {wrong}") from wrong


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
