"""Files of stickers: which UID is on which piece of a box, one piece a line, to keep and compare.

Room: firmware. Plain text in the order of the deck, so that two of them differ where the boxes do::

    # The stickers of a box: a piece and the UID of its sticker.
    game straw
    weight-1#1 04 A1 B2 C3 D4 E5 F6
    weight-1#2 04 A1 B2 C3 D4 E5 F7
    closed

``closed`` is there if somebody said that nothing else is in the box. Which box it is does not stand
in it: it may be read into another one. Reading is strict: a file is right in every line, or nothing
of it is taken.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.common.pieces import Deck, Piece
from firmware.boxes import Box
from firmware.errors import StickersError, did_you_mean
from firmware.register import UID_SIZES, is_random_uid

HEADING = "# The stickers of a box: a piece and the UID of its sticker."
GAME, CLOSED = "game", "closed"
UID = re.compile(r"[0-9A-Fa-f]{2}(?: ?[0-9A-Fa-f]{2})*")
EXAMPLE = "04 A1 B2 C3 D4 E5 F6"


@dataclass(frozen=True, slots=True)
class Stickers:
    """What a file says: the UID of each piece, and whether nothing else is in the box."""

    uids: Mapping[Piece, bytes]
    is_closed: bool


def written(box: Box) -> str:
    """The stickers of *box* as the text of a file."""
    lines = [HEADING, f"{GAME} {box.game}"]
    for kind in box.deck.kinds:
        lines += (f"{piece} {hexed(box.stickers[piece])}" for piece in box.copies(kind.name))
    if box.is_closed:
        lines.append(CLOSED)
    return "\n".join(lines) + "\n"


def hexed(uid: bytes) -> str:
    """*uid* as people and files write it."""
    return uid.hex(" ").upper()


def read(file: Path, deck: Deck) -> Stickers:
    """Read the stickers of a box of *deck*'s game.

    Raises:
        StickersError: the file cannot be read, or a line of it is wrong.
    """
    reading = _Reading(file, deck)
    for number, line in enumerate(_text(file).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            reading.take(number, line.strip())
    return reading.finished()


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as wrong:
        raise StickersError(file, "", "does not exist", "Check the path.") from wrong
    except OSError as wrong:
        found = f"cannot be read ({wrong.strerror or wrong})"
        raise StickersError(file, "", found, "Name a file that you may read.") from wrong
    except UnicodeDecodeError as wrong:
        remedy = "Save the file with the encoding UTF-8."
        raise StickersError(file, f"byte {wrong.start}", "is not UTF-8", remedy) from wrong


class _Reading:
    """A file of stickers, as far as it is read."""

    def __init__(self, file: Path, deck: Deck) -> None:
        self._file, self._deck = file, deck
        self._uids: dict[Piece, bytes] = {}
        self._lines: dict[Piece | bytes, int] = {}  # where each piece and each UID stood first
        self._number = 0
        self._has_game = self._is_closed = False

    def take(self, number: int, line: str) -> None:
        """Take the next line that says something."""
        self._number = number
        word, _, rest = line.partition(" ")
        if not self._has_game:
            self._take_game(word, rest.strip())
        elif self._is_closed:
            raise self._wrong(f'is "{line}", after "{CLOSED}"', f'"{CLOSED}" is the last line.')
        elif line == CLOSED:
            self._is_closed = True
        else:
            self._take_piece(self._piece(word), self._uid(rest.strip()))

    def finished(self) -> Stickers:
        """What the whole file says."""
        if not self._has_game:
            raise self._wrong(
                "does not say of which game it is", f"Write: {GAME} {self._deck.game}"
            )
        for piece in self._uids:
            before = Piece(piece.kind, piece.copy - 1)
            if before.copy and before not in self._uids:
                self._number = self._lines[piece]
                remedy = f"Number the copies from 1 on: write {before}"
                raise self._wrong(f"is of {piece}, and {before} is missing", f"{remedy}.")
        return Stickers(self._uids, self._is_closed)

    def _take_game(self, word: str, game: str) -> None:
        right = f"Write: {GAME} {self._deck.game}"
        if word != GAME:
            raise self._wrong(f'is "{word}"; the first line says of which game it is', right)
        if game != self._deck.game:
            raise self._wrong(f'says "{game}", but {self._deck.game} is to be enrolled', right)
        self._has_game = True

    def _take_piece(self, piece: Piece, uid: bytes) -> None:
        for what, words in ((piece, str(piece)), (uid, f"the UID {hexed(uid)}")):
            first = self._lines.setdefault(what, self._number)
            if first != self._number:
                raise self._wrong(f"is of {words}, as line {first} is", "Leave one of them out.")
        self._uids[piece] = uid

    def _piece(self, word: str) -> Piece:
        kind, mark, copy = word.partition("#")
        if not mark or not (copy.isascii() and copy.isdecimal() and copy[0] != "0"):
            raise self._wrong(f'begins with "{word}"', "A piece is written as in: weight-7#2")
        known = self._deck.by_name
        if kind not in known:
            names = ", ".join(known)
            remedy = did_you_mean(kind, known) or f"It can be: {names}."
            raise self._wrong(f'is of "{kind}", which {self._deck.game} does not have', remedy)
        piece, count = Piece(kind, int(copy)), known[kind].count
        if self._deck.is_verified and piece.copy > count:
            remedy = "Leave it out, or correct the deck file."
            raise self._wrong(f"is of {piece}, and the deck holds {count} of them", remedy)
        return piece

    def _uid(self, text: str) -> bytes:
        remedy = f"Write its bytes as in: {EXAMPLE}"
        if not UID.fullmatch(text):
            raise self._wrong(f'has the UID "{text}", which is not in hexadecimal bytes', remedy)
        uid = bytes.fromhex(text)
        if len(uid) not in UID_SIZES:
            raise self._wrong(f"has a UID of {len(uid)} bytes; it has 4, 7 or 10", remedy)
        if is_random_uid(uid):
            remedy = "Such a tag makes up another one whenever it wakes: take a sticker."
            raise self._wrong(f"has the UID {hexed(uid)}, which is random", remedy)
        return uid

    def _wrong(self, found: str, remedy: str) -> StickersError:
        return StickersError(
            self._file, f"line {self._number}" if self._number else "", found, remedy
        )
