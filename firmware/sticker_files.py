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
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from engines.common.pieces import Deck, Piece
from firmware.boxes import Box
from firmware.errors import StickersError, did_you_mean, listed
from firmware.register import UID_SIZES, is_random_uid
from firmware.sections import line_number

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
        raise StickersError(file, "", _("does not exist"), _("Check the path.")) from wrong
    except OSError as wrong:
        found = _("cannot be read ({reason})").format(reason=wrong.strerror or wrong)
        raise StickersError(file, "", found, _("Name a file that you may read.")) from wrong
    except UnicodeDecodeError as wrong:
        place = _("byte {number}").format(number=wrong.start)
        remedy = _("Save the file with the encoding UTF-8.")
        raise StickersError(file, place, _("is not UTF-8"), remedy) from wrong


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
        word, _blank, rest = line.partition(" ")
        if not self._has_game:
            self._take_game(word, rest.strip())
        elif self._is_closed:
            found = _('is "{line}", after "{closed}"').format(line=line, closed=CLOSED)
            raise self._wrong(found, _('"{closed}" is the last line.').format(closed=CLOSED))
        elif line == CLOSED:
            self._is_closed = True
        else:
            self._take_piece(self._piece(word), self._uid(rest.strip()))

    def finished(self) -> Stickers:
        """What the whole file says."""
        if not self._has_game:
            raise self._wrong(_("does not say of which game it is"), self._right_game())
        for piece in self._uids:
            before = Piece(piece.kind, piece.copy - 1)
            if before.copy and before not in self._uids:
                self._number = self._lines[piece]
                found = _("is of {piece}, and {before} is missing")
                remedy = _("Number the copies from 1 on: write {before}.").format(before=before)
                raise self._wrong(found.format(piece=piece, before=before), remedy)
        return Stickers(self._uids, self._is_closed)

    def _take_game(self, word: str, game: str) -> None:
        if word != GAME:
            found = _('is "{word}"; the first line says of which game it is').format(word=word)
            raise self._wrong(found, self._right_game())
        if game != self._deck.game:
            found = _('says "{game}", but {wanted} is to be enrolled')
            found = found.format(game=game, wanted=self._deck.game)
            raise self._wrong(found, self._right_game())
        self._has_game = True

    def _right_game(self) -> str:
        return _("Write: {line}").format(line=f"{GAME} {self._deck.game}")

    def _take_piece(self, piece: Piece, uid: bytes) -> None:
        for what, found in (
            (piece, _("is of {piece}, as line {first} is")),
            (uid, _("is of the UID {uid}, as line {first} is")),
        ):
            first = self._lines.setdefault(what, self._number)
            if first != self._number:
                twice = found.format(piece=piece, uid=hexed(uid), first=first)
                raise self._wrong(twice, _("Leave one of them out."))
        self._uids[piece] = uid

    def _piece(self, word: str) -> Piece:
        kind, mark, copy = word.partition("#")
        if not mark or not (copy.isascii() and copy.isdecimal() and copy[0] != "0"):
            remedy = _("A piece is written as in: {example}").format(example="weight-7#2")
            raise self._wrong(_('begins with "{word}"').format(word=word), remedy)
        known = self._deck.by_name
        if kind not in known:
            found = _('is of "{kind}", which {game} does not have')
            names = _("It can be: {names}.").format(names=listed(known))
            remedy = did_you_mean(kind, known) or names
            raise self._wrong(found.format(kind=kind, game=self._deck.game), remedy)
        piece, count = Piece(kind, int(copy)), known[kind].count
        if self._deck.is_verified and piece.copy > count:
            found = _("is of {piece}, and the deck holds {count} of them")
            remedy = _("Leave it out, or correct the deck file.")
            raise self._wrong(found.format(piece=piece, count=count), remedy)
        return piece

    def _uid(self, text: str) -> bytes:
        remedy = _("Write its bytes as in: {example}").format(example=EXAMPLE)
        if not UID.fullmatch(text):
            found = _('has the UID "{uid}", which is not in hexadecimal bytes').format(uid=text)
            raise self._wrong(found, remedy)
        uid = bytes.fromhex(text)
        if len(uid) not in UID_SIZES:
            found = ngettext(
                "has a UID of {count} byte; it has 4, 7 or 10",
                "has a UID of {count} bytes; it has 4, 7 or 10",
                len(uid),
            )
            raise self._wrong(found.format(count=len(uid)), remedy)
        if is_random_uid(uid):
            found = _("has the UID {uid}, which is random").format(uid=hexed(uid))
            remedy = _("Such a tag makes up another one whenever it wakes: take a sticker.")
            raise self._wrong(found, remedy)
        return uid

    def _wrong(self, found: str, remedy: str) -> StickersError:
        place = line_number(self._number) if self._number else ""
        return StickersError(self._file, place, found, remedy)
