"""The tag register: which tag sticks on which piece.

Room: firmware. An SQLite file beside the journal. Only UIDs are used; nothing is written to a tag.

A household may have several copies of a game: each is a *box* of its own, numbered from 1. A piece
is a piece whichever box it is from; boxes keep apart only whose stickers are whose.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from gettext import gettext as _
from pathlib import Path
from sqlite3 import Connection
from typing import Final

from engines.common.pieces import Piece
from firmware.errors import BadUid, PieceTaken, RandomUid, RegisterError, TagTaken
from firmware.salvage import Row, mended, rows_of
from firmware.store import FAULT, Store, connect, damaged, explained, version_of

COMMANDS: Final = "commands"  # the game name under which command cards are bound
UID_SIZES = (4, 7, 10)  # bytes; single, double and triple size. ISO/IEC 14443-3:2001, 6.4.4
RANDOM_UID_START = 0x08  # uid0 of a single-size UID made up anew. ISO/IEC 14443-3:2001, 6.4.4

BOXES = range(1, 10)  # copies of one game that are told apart

N_ = str  # marks a text for the catalogues; it is translated where it is used
WHAT = N_("the tag register")
VERSION = 2  # 1: without boxes
CLOSED_BOXES = """CREATE TABLE closed_box (
        game TEXT NOT NULL,
        box INTEGER NOT NULL,
        PRIMARY KEY (game, box)
    ) WITHOUT ROWID"""
TAGS = """CREATE TABLE tag (
        uid BLOB PRIMARY KEY,
        game TEXT NOT NULL,
        box INTEGER NOT NULL, -- from 1
        kind TEXT NOT NULL,
        copy INTEGER NOT NULL,
        UNIQUE (game, box, kind, copy)
    ) WITHOUT ROWID"""
SCHEMA = (TAGS, CLOSED_BOXES)
STEPS = {
    1: (
        "ALTER TABLE tag RENAME TO tag_without_box",
        TAGS,
        "INSERT INTO tag SELECT uid, game, 1, kind, copy FROM tag_without_box",
        "DROP TABLE tag_without_box",
        CLOSED_BOXES,
    )
}


@dataclass(frozen=True, slots=True)
class Registered:
    """The *piece* of *game* that a tag sticks on, and which *box* of that game it is from."""

    game: str
    piece: Piece
    box: int = 1

    def __str__(self) -> str:
        told = _("{piece} of {game}") if self.box == 1 else _("{piece} of {game}, box {box}")
        return told.format(piece=self.piece, game=self.game, box=self.box)


def is_random_uid(uid: bytes) -> bool:
    """Whether *uid* is one its tag makes up anew whenever it wakes, and so names nothing."""
    return len(uid) == 4 and uid[0] == RANDOM_UID_START


def check_file(path: Path) -> None:
    """Look through the whole file of the register *path* for damage, if there is one.

    Raises:
        RegisterError: it is damaged, or cannot be read.
    """
    try:
        if version_of(path, VERSION, WHAT, RegisterError) == 0:
            return
        with closing(connect(path, is_looking=True)) as looking:
            # The index of pieces has all columns of its table, so a change in one is found.
            (found,) = looking.execute("PRAGMA integrity_check(1)").fetchone()
            looking.execute("SELECT 1 FROM tag").fetchone()
    except FAULT as fault:
        raise explained(fault, path, RegisterError) from fault
    if found != "ok":
        raise damaged(path, "", _("is damaged ({reason})").format(reason=found), RegisterError)


class TagRegister:
    """The tags bound to pieces, kept in the file *path*.

    If it *mends*, the file is looked through at first, and a damaged one is put aside: every tag
    that can be read goes on. Nobody else may be using it then.

    Raises:
        RegisterError: from every call, when the file cannot be read or written.
    """

    def __init__(self, path: Path, *, mends: bool = False) -> None:
        self.path = path
        self.mended = None
        if mends:
            self.mended = mended(path, check_file, datetime.now(UTC), self._save, RegisterError)
        self._store = Store(path, SCHEMA, VERSION, WHAT, RegisterError, STEPS)

    @property
    def connection(self) -> Connection:
        """The open file, for whoever emulates the disk under it."""
        return self._store.connection

    # --- which tag is which piece ---

    def piece_of(self, uid: bytes) -> Registered | None:
        """What the tag *uid* sticks on, or None when it is not bound."""
        query = "SELECT game, kind, copy, box FROM tag WHERE uid = ?"
        for game, kind, copy, box in self._store.rows(query, uid):
            return Registered(game, Piece(kind, copy), box)
        return None

    def uid_of(self, game: str, piece: Piece, box: int = 1) -> bytes | None:
        """The tag on *piece* of *game*, or None when it has none."""
        query = "SELECT uid FROM tag WHERE game = ? AND box = ? AND kind = ? AND copy = ?"
        for (uid,) in self._store.rows(query, game, box, piece.kind, piece.copy):
            return bytes(uid)
        return None

    def pieces(self, game: str, box: int = 1) -> dict[Piece, bytes]:
        """The pieces of a box of *game* that have a tag, in order, each with its UID."""
        query = "SELECT kind, copy, uid FROM tag WHERE game = ? AND box = ? ORDER BY kind, copy"
        return {Piece(kind, copy): uid for kind, copy, uid in self._store.rows(query, game, box)}

    def boxes(self, game: str) -> tuple[int, ...]:
        """The boxes of *game* of which some piece has a tag."""
        query = "SELECT DISTINCT box FROM tag WHERE game = ? ORDER BY box"
        return tuple(box for (box,) in self._store.rows(query, game))

    # --- binding ---

    def bind(self, uid: bytes, game: str, piece: Piece, box: int = 1) -> None:
        """Bind the tag *uid* to *piece*; on disk when this returns.

        Raises:
            TagRefused: the UID is random or of no known size, or tag or piece is taken.
        """
        self.bind_all([(uid, Registered(game, piece, box))])

    def bind_all(self, tags: Iterable[tuple[bytes, Registered]]) -> None:
        """Bind many tags at once, all of them or none.

        Raises:
            TagRefused: one of them cannot be bound.
        """
        with self._store.change() as connection:
            for uid, to in tags:
                self._bind(connection, uid, to)

    def rebind(self, tags: Mapping[bytes, Registered | None]) -> None:
        """Let each of *tags* stick on what is given, or on nothing, whatever it stuck on before.

        All of them change in one moment, or none does.

        Raises:
            TagRefused: a UID cannot be bound, or a piece has another tag.
        """
        with self._store.change() as connection:
            for uid in tags:
                connection.execute("DELETE FROM tag WHERE uid = ?", (uid,))
            for uid, to in tags.items():
                if to is not None:
                    self._bind(connection, uid, to)

    def fill(self, game: str, box: int, stickers: Mapping[Piece, bytes], *, closed: bool) -> None:
        """Let a box have just these *stickers*, in place of those it had: all of them or none.

        Raises:
            TagRefused: a UID cannot be bound, or is of another game or box.
        """
        with self._store.change() as connection:
            connection.execute("DELETE FROM tag WHERE game = ? AND box = ?", (game, box))
            connection.execute("DELETE FROM closed_box WHERE game = ? AND box = ?", (game, box))
            for piece, uid in stickers.items():
                self._bind(connection, uid, Registered(game, piece, box))
            if closed:
                self._close(connection, game, box)

    # --- boxes that hold no more ---

    def close_box(self, game: str, box: int) -> None:
        """Note that a box holds nothing but what has a tag."""
        with self._store.change() as connection:
            self._close(connection, game, box)

    def is_closed(self, game: str, box: int) -> bool:
        """Whether somebody said that a box holds nothing but what has a tag."""
        query = "SELECT 1 FROM closed_box WHERE game = ? AND box = ?"
        return bool(self._store.rows(query, game, box))

    def close(self) -> None:
        """Let go of the file; safe twice."""
        self._store.close()

    def _save(self, new: Path, copy: Path) -> None:
        """Write to the file *new* what can be read of the damaged one."""
        tags, boxes = _saved(rows_of(self.path, (ANY_ROW,), "any_row"))
        with (
            closing(Store(new, SCHEMA, VERSION, WHAT, RegisterError)) as store,
            store.change() as connection,
        ):
            connection.executemany("INSERT INTO tag VALUES (?, ?, ?, ?, ?)", tags)
            connection.executemany("INSERT INTO closed_box VALUES (?, ?)", boxes)

    def _close(self, connection: Connection, game: str, box: int) -> None:
        connection.execute("INSERT OR IGNORE INTO closed_box VALUES (?, ?)", (game, box))

    def _bind(self, connection: Connection, uid: bytes, to: Registered) -> None:
        self._refuse_unless_free(uid, to)
        row = (uid, to.game, to.box, to.piece.kind, to.piece.copy)
        connection.execute("INSERT INTO tag VALUES (?, ?, ?, ?, ?)", row)

    def _refuse_unless_free(self, uid: bytes, to: Registered) -> None:
        written = uid.hex(" ").upper()
        if len(uid) not in UID_SIZES:
            found = _(
                "The UID {uid} has {count} bytes; a UID has 4, 7 or 10. Lay the tag down once more."
            )
            raise BadUid(found.format(uid=written or "(-)", count=len(uid)))
        if is_random_uid(uid):
            found = _(
                "The UID {uid} is random: it starts with 08h, and this tag makes up another one "
                "whenever it wakes, so it cannot name a piece. Use an NTAG213 sticker."
            )
            raise RandomUid(found.format(uid=written))
        bound = self.piece_of(uid)
        if bound is not None:
            found = _(
                "The tag {uid} sticks on {bound} already. Take a new tag for {to}, or give up the "
                "one it has."
            )
            raise TagTaken(
                found.format(uid=written, bound=bound, to=to),
                game=bound.game,
                piece=bound.piece,
            )
        other = self.uid_of(to.game, to.piece, to.box)
        if other is not None:
            found = _(
                "{to} has the tag {other} already. Bind the tag {uid} to another piece, or give up "
                "the old one."
            )
            raise PieceTaken(
                found.format(to=to, other=other.hex(" ").upper(), uid=written),
                game=to.game,
                piece=to.piece,
            )


# --- what a damaged file leaves ------------------------------------------------------------------

ANY_ROW = (
    "CREATE TABLE any_row (a PRIMARY KEY, b, c, d, e) WITHOUT ROWID"  # of each table and index
)


def _saved(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The tags and the closed boxes that go on of the *rows* of a damaged register.

    A tag stands in the table and in the index of pieces. Where they differ, or name a piece twice,
    nobody knows which is right: then neither goes on, and that sticker is enrolled anew.
    """
    tags: set[Row] = set()
    boxes: set[Row] = set()
    for row in rows:
        match row:
            case (bytes(uid), str(game), int(box), str(kind), int(copy)):
                tags.add((uid, game, box, kind, copy))
            case (str(game), int(box), str(kind), int(copy), bytes(uid)):  # the index
                tags.add((uid, game, box, kind, copy))
            case (bytes(uid), str(game), str(kind), int(copy), None):  # version 1
                tags.add((uid, game, 1, kind, copy))
            case (str(game), int(box), None, None, None):
                boxes.add((game, box))
    of_uid = Counter(uid for uid, *_ in tags)
    of_piece = Counter(tuple(piece) for _uid, *piece in tags)
    return (
        [
            (uid, *piece)
            for uid, *piece in sorted(tags)
            if len(uid) in UID_SIZES and of_uid[uid] == 1 == of_piece[tuple(piece)]
        ],
        sorted(boxes),
    )
