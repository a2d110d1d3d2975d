"""The tag register: which tag sticks on which piece.

Room: firmware. An SQLite file beside the journal. Only UIDs are used; nothing is written to a tag.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engines.common.pieces import Piece
from firmware.errors import BadUid, PieceTaken, RandomUid, RegisterError, TagTaken
from firmware.store import Store

COMMANDS: Final = "commands"  # the game name under which command cards are bound
UID_SIZES = (4, 7, 10)  # bytes; single, double and triple size. ISO/IEC 14443-3:2001, 6.4.4
RANDOM_UID_START = 0x08  # uid0 of a single-size UID made up anew. ISO/IEC 14443-3:2001, 6.4.4

VERSION = 1
SCHEMA = (
    """CREATE TABLE tag (
        uid BLOB PRIMARY KEY,
        game TEXT NOT NULL,
        kind TEXT NOT NULL,
        copy INTEGER NOT NULL,
        UNIQUE (game, kind, copy)
    ) WITHOUT ROWID""",
)


@dataclass(frozen=True, slots=True)
class Registered:
    """The *piece* of *game* that a tag sticks on."""

    game: str
    piece: Piece

    def __str__(self) -> str:
        return f"{self.piece} of {self.game}"


def is_random_uid(uid: bytes) -> bool:
    """Whether *uid* is one its tag makes up anew whenever it wakes, and so names nothing."""
    return len(uid) == 4 and uid[0] == RANDOM_UID_START


class TagRegister:
    """The tags bound to pieces, kept in the file *path*.

    Raises:
        RegisterError: from every call, when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._store = Store(path, SCHEMA, VERSION, "the tag register", RegisterError)

    def bind(self, uid: bytes, game: str, piece: Piece) -> None:
        """Bind the tag *uid* to *piece*; on disk when this returns.

        Raises:
            TagRefused: the UID is random or of no known size, or tag or piece is taken.
        """
        self.bind_all([(uid, game, piece)])

    def bind_all(self, tags: Iterable[tuple[bytes, str, Piece]]) -> None:
        """Bind many tags at once, all of them or none.

        Raises:
            TagRefused: one of them cannot be bound.
        """
        with self._store.change() as connection:
            for uid, game, piece in tags:
                self._refuse_unless_free(uid, game, piece)
                row = (uid, game, piece.kind, piece.copy)
                connection.execute("INSERT INTO tag VALUES (?, ?, ?, ?)", row)

    def unbind(self, uid: bytes) -> bool:
        """Forget the tag *uid*; whether it was bound."""
        with self._store.change() as connection:
            return connection.execute("DELETE FROM tag WHERE uid = ?", (uid,)).rowcount > 0

    def piece_of(self, uid: bytes) -> Registered | None:
        """What the tag *uid* sticks on, or None when it is not bound."""
        for game, kind, copy in self._store.rows(
            "SELECT game, kind, copy FROM tag WHERE uid = ?", uid
        ):
            return Registered(game, Piece(kind, copy))
        return None

    def uid_of(self, game: str, piece: Piece) -> bytes | None:
        """The tag on *piece* of *game*, or None when it has none."""
        query = "SELECT uid FROM tag WHERE game = ? AND kind = ? AND copy = ?"
        for (uid,) in self._store.rows(query, game, piece.kind, piece.copy):
            return bytes(uid)
        return None

    def pieces(self, game: str) -> dict[Piece, bytes]:
        """The pieces of *game* that have a tag, in order, each with its UID."""
        query = "SELECT kind, copy, uid FROM tag WHERE game = ? ORDER BY kind, copy"
        return {Piece(kind, copy): uid for kind, copy, uid in self._store.rows(query, game)}

    def close(self) -> None:
        """Let go of the file; safe twice."""
        self._store.close()

    def _refuse_unless_free(self, uid: bytes, game: str, piece: Piece) -> None:
        written = uid.hex(" ").upper()
        if len(uid) not in UID_SIZES:
            raise BadUid(
                f"The UID {written or '(empty)'} has {len(uid)} bytes; a UID has 4, 7 or 10. "
                "Lay the tag down once more."
            )
        if is_random_uid(uid):
            raise RandomUid(
                f"The UID {written} is random: it starts with 08h, and this tag makes up another "
                "one whenever it wakes, so it cannot name a piece. Use an NTAG213 sticker."
            )
        bound = self.piece_of(uid)
        if bound is not None:
            raise TagTaken(
                f"The tag {written} sticks on {bound} already. Take a new tag for {piece} of "
                f"{game}, or unbind this one first.",
                game=bound.game,
                piece=bound.piece,
            )
        other = self.uid_of(game, piece)
        if other is not None:
            raise PieceTaken(
                f"{piece} of {game} has the tag {other.hex(' ').upper()} already. Bind the tag "
                f"{written} to another piece, or unbind the old one first.",
                game=game,
                piece=piece,
            )
