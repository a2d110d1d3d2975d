"""Sticker files: text files with the pieces of a box and their UIDs, one piece on each line.

The pieces are in the order of the deck, so a diff of two files shows how their boxes differ::

    # The stickers of a box: a piece and the UID of its sticker.
    game straw
    weight-1#1 04 A1 B2 C3 D4 E5 F6
    weight-1#2 04 A1 B2 C3 D4 E5 F7
    closed

``closed`` says that no other pieces are in the box. The file does not name the box, so it can be
read into any box of the game. If one line is wrong, nothing in the file is used.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.common.pieces import Deck, Piece
from firmware.boxes.box import Box
from firmware.boxes.register import UID_SIZES, is_random_uid
from firmware.common.bounded_file import read_bounded
from firmware.common.errors import StickersError, did_you_mean, word_list
from firmware.common.toml_sections import line_number

HEADING = "# The stickers of a box: a piece and the UID of its sticker."
GAME, CLOSED = "game", "closed"
UID = re.compile(r"[0-9A-Fa-f]{2}(?: ?[0-9A-Fa-f]{2})*")
EXAMPLE = "04 A1 B2 C3 D4 E5 F6"


@dataclass(frozen=True, slots=True)
class Stickers:
    """The contents of a sticker file: the UID of each piece.

    *is_closed* is True if the file says ``closed``.
    """

    uids: Mapping[Piece, bytes]
    is_closed: bool


def stickers_text(box: Box) -> str:
    """Return the text of the sticker file for *box*."""
    lines = [HEADING, f"{GAME} {box.game}"]
    for kind in box.deck.kinds:
        lines += (f"{piece} {hex_of(box.stickers[piece])}" for piece in box.copies(kind.name))
    if box.is_closed:
        lines.append(CLOSED)
    return "\n".join(lines) + "\n"


def hex_of(uid: bytes) -> str:
    """Return *uid* in hexadecimal, such as ``04 A1 B2 C3``."""
    return uid.hex(" ").upper()


def read(file: Path, deck: Deck) -> Stickers:
    """Read the sticker file *file*, which must be for *deck*'s game.

    Raises:
        StickersError: the file cannot be read, or one of its lines is wrong.
    """
    reading = _Reading(file, deck)
    for number, line in enumerate(_text(file).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            reading.take(number, line.strip())
    return reading.stickers()


def _text(file: Path) -> str:
    try:
        return read_bounded(file).decode("utf-8-sig")
    except FileNotFoundError as wrong:
        raise StickersError(file, "", "does not exist", "Check the path.") from wrong
    except OSError as wrong:
        found = f"cannot be read ({wrong.strerror or wrong})"
        raise StickersError(file, "", found, "Name a file that you may read.") from wrong
    except UnicodeDecodeError as wrong:
        place = f"byte {wrong.start}"
        remedy = "Save the file with the encoding UTF-8."
        raise StickersError(file, place, "is not UTF-8", remedy) from wrong


class _Reading:
    """A parser of a sticker file. It gets one line after the other."""

    def __init__(self, file: Path, deck: Deck) -> None:
        self._file, self._deck = file, deck
        self._uids: dict[Piece, bytes] = {}
        self._lines: dict[Piece | bytes, int] = {}  # line number of each piece and each UID
        self._number = 0
        self._has_game = self._is_closed = False

    def take(self, number: int, line: str) -> None:
        """Read line *number*, which is neither empty nor a comment."""
        self._number = number
        word, _blank, rest = line.partition(" ")
        if not self._has_game:
            self._take_game(word, rest.strip())
        elif self._is_closed:
            found = f'is "{line}", after "{CLOSED}"'
            raise self._wrong(found, f'"{CLOSED}" is the last line.')
        elif line == CLOSED:
            self._is_closed = True
        else:
            self._take_piece(self._piece(word), self._uid(rest.strip()))

    def stickers(self) -> Stickers:
        """Return the contents of the whole file."""
        if not self._has_game:
            raise self._wrong("does not name its game", self._right_game())
        for piece in self._uids:
            before = Piece(piece.kind, piece.copy - 1)
            if before.copy and before not in self._uids:
                self._number = self._lines[piece]
                found = "has {piece}, but {before} is missing"
                remedy = f"Copies are numbered from 1: write {before}."
                raise self._wrong(found.format(piece=piece, before=before), remedy)
        return Stickers(self._uids, self._is_closed)

    def _take_game(self, word: str, game: str) -> None:
        if word != GAME:
            found = f'is "{word}", but the first line must name the game'
            raise self._wrong(found, self._right_game())
        if game != self._deck.game:
            found = 'names "{game}", but you are enrolling {wanted}'
            found = found.format(game=game, wanted=self._deck.game)
            raise self._wrong(found, self._right_game())
        self._has_game = True

    def _right_game(self) -> str:
        return "Write: {line}".format(line=f"{GAME} {self._deck.game}")

    def _take_piece(self, piece: Piece, uid: bytes) -> None:
        for what, found in (
            (piece, "has {piece}, but line {first} has it too"),
            (uid, "has the UID {uid}, but line {first} has it too"),
        ):
            first = self._lines.setdefault(what, self._number)
            if first != self._number:
                twice = found.format(piece=piece, uid=hex_of(uid), first=first)
                raise self._wrong(twice, "Remove one of the two lines.")
        self._uids[piece] = uid

    def _piece(self, word: str) -> Piece:
        kind, mark, copy = word.partition("#")
        if not mark or not (copy.isascii() and copy.isdecimal() and copy[0] != "0"):
            remedy = "Write a piece like: {example}".format(example="weight-7#2")
            raise self._wrong(f'begins with "{word}"', remedy)
        known = self._deck.by_name
        if kind not in known:
            found = 'has "{kind}", which is not a kind of {game}'
            names = f"It can be: {word_list(known)}."
            remedy = did_you_mean(kind, known) or names
            raise self._wrong(found.format(kind=kind, game=self._deck.game), remedy)
        piece, count = Piece(kind, int(copy)), known[kind].count
        if self._deck.is_verified and piece.copy > count:
            found = "has {piece}, but the deck has only {count} of that kind"
            remedy = "Leave the line out, or correct the deck file."
            raise self._wrong(found.format(piece=piece, count=count), remedy)
        return piece

    def _uid(self, text: str) -> bytes:
        remedy = f"Write its bytes like: {EXAMPLE}"
        if not UID.fullmatch(text):
            found = f'has the UID "{text}", which is not written as hexadecimal bytes'
            raise self._wrong(found, remedy)
        uid = bytes.fromhex(text)
        if len(uid) not in UID_SIZES:
            found = (
                "has a UID of {count} byte; it has 4, 7 or 10"
                if len(uid) == 1
                else "has a UID of {count} bytes; it has 4, 7 or 10"
            )
            raise self._wrong(found.format(count=len(uid)), remedy)
        if is_random_uid(uid):
            found = f"has the UID {hex_of(uid)}, which is random"
            remedy = "Such a tag changes its UID at each power-up. Use an NTAG213 sticker."
            raise self._wrong(found, remedy)
        return uid

    def _wrong(self, found: str, remedy: str) -> StickersError:
        place = line_number(self._number) if self._number else ""
        return StickersError(self._file, place, found, remedy)
