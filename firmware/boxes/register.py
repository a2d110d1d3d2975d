"""The tag register: an SQLite file that says which tag is stuck on which piece.

Tags are identified by their UIDs; nothing is written to a tag.

A household may have several copies of a game. Each copy is a *box*, numbered from 1. The rules do
not distinguish boxes; only the register does, because each box has its own stickers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection, IntegrityError
from typing import Final

from engines.common.pieces import Piece
from firmware.common.errors import BadUid, PieceTaken, RandomUid, RegisterError, TagTaken
from firmware.journal.recovery import Row, recover, rows_of
from firmware.journal.store import (
    FILE_ERRORS,
    Store,
    Wait,
    connect,
    damage_error,
    error_of,
    version_of,
)

COMMANDS: Final = "commands"  # the name under which command cards are registered, like a game
UID_SIZES = (4, 7, 10)  # bytes; single, double and triple size. ISO/IEC 14443-3:2001, 6.4.4
RANDOM_UID_START = 0x08  # uid0 of a random single-size UID. ISO/IEC 14443-3:2001, 6.4.4

BOXES = range(1, 10)  # possible numbers of boxes of one game

WHAT = "the tag register"
VERSION = 2  # version 1 had no boxes
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
# The columns of each table, in order, by version.
COLUMNS = """SELECT made.name, columns.name
    FROM sqlite_master AS made, pragma_table_info(made.name) AS columns
    WHERE made.name IN ('tag', 'closed_box') ORDER BY made.name DESC, columns.cid"""
COLUMNS_OF = {
    1: [("tag", name) for name in ("uid", "game", "kind", "copy")],
    2: [
        *(("tag", name) for name in ("uid", "game", "box", "kind", "copy")),
        *(("closed_box", name) for name in ("game", "box")),
    ],
}


@dataclass(frozen=True, slots=True)
class Registered:
    """The piece that a tag is stuck on, with its game and box."""

    game: str
    piece: Piece
    box: int = 1

    def __str__(self) -> str:
        label = "{piece} of {game}" if self.box == 1 else "{piece} of {game}, box {box}"
        return label.format(piece=self.piece, game=self.game, box=self.box)


def is_random_uid(uid: bytes) -> bool:
    """Return True if *uid* is random: the tag changes it at each power-up.

    Such a UID cannot identify a piece.
    """
    return len(uid) == 4 and uid[0] == RANDOM_UID_START


def _refuse_unless_usable(uid: bytes) -> None:
    """Raise BadUid or RandomUid if *uid* cannot identify a piece."""
    written = uid.hex(" ").upper()
    if len(uid) not in UID_SIZES:
        found = "The UID {uid} has {count} bytes; a UID has 4, 7 or 10. Lay the tag down again."
        raise BadUid(found.format(uid=written or "(-)", count=len(uid)))
    if is_random_uid(uid):
        found = (
            "The UID {uid} is random: it starts with 0x08. This tag changes its UID at each "
            "power-up, so it cannot identify a piece. Use an NTAG213 sticker."
        )
        raise RandomUid(found.format(uid=written))


def check_file(path: Path) -> None:
    """Check the whole file *path*, if it exists, for damage.

    Raises:
        RegisterError: the file is damaged, or cannot be read.
    """
    try:
        version = version_of(path, VERSION, WHAT, RegisterError)
        if version == 0:
            return
        with closing(connect(path, is_read_only=True)) as looking:
            # The index of pieces has all columns of the table, so damage to either is found.
            (found,) = looking.execute("PRAGMA integrity_check(1)").fetchone()
            columns = looking.execute(COLUMNS).fetchall()
    except FILE_ERRORS as fault:
        raise error_of(fault, path, RegisterError) from fault
    if found == "ok" and columns != COLUMNS_OF.get(version):
        found = "its tables are not those of a register"
    if found != "ok":
        raise damage_error(path, "", f"is damaged ({found})", RegisterError)


class TagRegister:
    """The register of tags and their pieces in the file *path*.

    If *repairs* is True, the file is checked first. A damaged file is set aside, and every readable
    tag is copied to a new one. No other program may use the file at that time.

    Raises:
        RegisterError: from any method, if the file cannot be read or written.
    """

    def __init__(self, path: Path, *, repairs: bool = False) -> None:
        self.path = path
        self.recovery = None
        if repairs:
            self.recovery = recover(path, check_file, datetime.now(UTC), self._save, RegisterError)
        self._store = Store(path, SCHEMA, VERSION, WHAT, RegisterError, STEPS)

    @property
    def connection(self) -> Connection:
        """The SQLite connection; tests emulate a failing disk with it."""
        return self._store.connection

    @property
    def version(self) -> tuple[int, int]:
        """A value that differs after each change of the file, also by another program.

        Source: SQLite, "PRAGMA data_version" (changes of others) and "total_changes" (own ones).
        """
        ((others,),) = self._store.rows("PRAGMA data_version")
        return self.connection.total_changes, others

    def wait_in(self, waiting_for_disk: Wait) -> None:
        """Run each later write inside the context manager that *waiting_for_disk* returns."""
        self._store.waiting_for_disk = waiting_for_disk

    # --- looking up ---

    def piece_of(self, uid: bytes) -> Registered | None:
        """Return the piece with the tag *uid*, or None if the tag is not registered."""
        query = "SELECT game, kind, copy, box FROM tag WHERE uid = ?"
        for game, kind, copy, box in self._store.rows(query, uid):
            return Registered(game, Piece(kind, copy), box)
        return None

    def uid_of(self, game: str, piece: Piece, box: int = 1) -> bytes | None:
        """Return the UID of the tag on *piece* of *game*; None if the piece has no tag."""
        query = "SELECT uid FROM tag WHERE game = ? AND box = ? AND kind = ? AND copy = ?"
        for (uid,) in self._store.rows(query, game, box, piece.kind, piece.copy):
            return bytes(uid)
        return None

    def pieces(self, game: str, box: int = 1) -> dict[Piece, bytes]:
        """Return the UID of each piece with a tag in *box* of *game*, sorted by piece."""
        query = "SELECT kind, copy, uid FROM tag WHERE game = ? AND box = ? ORDER BY kind, copy"
        return {Piece(kind, copy): uid for kind, copy, uid in self._store.rows(query, game, box)}

    def uids(self) -> set[bytes]:
        """Return the UIDs of all tags, of all games."""
        return {uid for (uid,) in self._store.rows("SELECT uid FROM tag")}

    def boxes(self, game: str) -> tuple[int, ...]:
        """Return the numbers of the boxes of *game* in which at least one piece has a tag."""
        query = "SELECT DISTINCT box FROM tag WHERE game = ? ORDER BY box"
        return tuple(box for (box,) in self._store.rows(query, game))

    # --- binding ---

    def bind(self, uid: bytes, game: str, piece: Piece, box: int = 1) -> None:
        """Bind the tag *uid* to *piece* in *box* of *game*. This returns when that is on disk.

        Raises:
            TagRefused: *uid* is random or has a wrong size, or tag or piece is already bound.
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
        """Bind each UID in *tags* to its new piece, or unbind it if the piece is None.

        All of them change in one transaction, or none does.

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
        """Replace all stickers in *box* of *game* by *stickers*, in one transaction.

        If *closed* is True, the box is marked as closed: every piece in it has a tag.

        Raises:
            TagRefused: a UID cannot be bound, or is bound in another game or box.
        """
        with self._store.change() as connection:
            connection.execute("DELETE FROM tag WHERE game = ? AND box = ?", (game, box))
            connection.execute("DELETE FROM closed_box WHERE game = ? AND box = ?", (game, box))
            for piece, uid in stickers.items():
                self._bind(connection, uid, Registered(game, piece, box))
            if closed:
                self._close(connection, game, box)

    # --- closed boxes ---

    def close_box(self, game: str, box: int) -> None:
        """Mark *box* of *game* as closed: every piece in it has a tag."""
        with self._store.change() as connection:
            self._close(connection, game, box)

    def is_closed(self, game: str, box: int) -> bool:
        """Return True if *box* of *game* was closed: every piece in it has a tag."""
        query = "SELECT 1 FROM closed_box WHERE game = ? AND box = ?"
        return bool(self._store.rows(query, game, box))

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._store.close()

    def _save(self, new: Path, copy: Path) -> None:
        """Write the readable tags of the damaged file to the file *new*.

        *copy* is the path to which the damaged file will be moved. It is not used here.
        """
        tags, boxes = _rows_to_keep(rows_of(self.path, (ANY_ROW,), "any_row"))
        with (
            closing(Store(new, SCHEMA, VERSION, WHAT, RegisterError)) as store,
            store.change() as connection,
        ):
            connection.executemany("INSERT INTO tag VALUES (?, ?, ?, ?, ?)", tags)
            connection.executemany("INSERT INTO closed_box VALUES (?, ?)", boxes)

    def _close(self, connection: Connection, game: str, box: int) -> None:
        connection.execute("INSERT OR IGNORE INTO closed_box VALUES (?, ?)", (game, box))

    def _bind(self, connection: Connection, uid: bytes, to: Registered) -> None:
        _refuse_unless_usable(uid)
        row = (uid, to.game, to.box, to.piece.kind, to.piece.copy)
        try:
            connection.execute("INSERT INTO tag VALUES (?, ?, ?, ?, ?)", row)
        except IntegrityError:
            self._refuse_unless_free(uid, to)
            raise

    def _refuse_unless_free(self, uid: bytes, to: Registered) -> None:
        written = uid.hex(" ").upper()
        bound = self.piece_of(uid)
        if bound is not None:
            found = (
                "The tag {uid} is already on {bound}. Use a new tag for {to}, or unbind the "
                "old one."
            )
            raise TagTaken(
                found.format(uid=written, bound=bound, to=to),
                game=bound.game,
                piece=bound.piece,
            )
        other = self.uid_of(to.game, to.piece, to.box)
        if other is not None:
            found = (
                "{to} already has the tag {other}. Bind the tag {uid} to another piece, or unbind "
                "the old one."
            )
            raise PieceTaken(
                found.format(to=to, other=other.hex(" ").upper(), uid=written),
                game=to.game,
                piece=to.piece,
            )


# --- recovering a damaged file -------------------------------------------------------------------

ANY_ROW = "CREATE TABLE any_row (a PRIMARY KEY, b, c, d, e) WITHOUT ROWID"  # any table's columns


def _rows_to_keep(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return the *rows* to keep from a damaged register: a list of tags, one of closed boxes.

    Each tag is in the table and in the index of pieces. If table and index differ, or name a piece
    twice, nobody knows which one is right. In that case both entries are dropped, and the sticker
    must be enrolled again.
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
