"""Errors that stop a command of tapmat. Each has a message that tells the user what to do.

A message about a file names the file and the place in it, what was found, what was expected and
what to do. Other errors are elsewhere: failing parts in ``hardware.errors``, plays that the rules
refuse in ``engines.common.errors``.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum
from functools import reduce
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # the first screen does not need it
    from engines.common.errors import Fact


class TapmatError(Exception):
    """An error that ends a command of tapmat. Its text is the complete message."""

    exit_code: ClassVar[int] = 2  # 2: bad input, 3: a part is missing, 4: the state folder


class FileFault(TapmatError):
    """An error in *file*.

    *found* says what is wrong, and *remedy* what to do. *key* is a place in the file, such as "line
    3" or "readers.play"; it is empty for the file as a whole.
    """

    def __init__(self, file: str | PathLike[str], key: str, found: str, remedy: str) -> None:
        place = f"{file}: {key}" if key else str(file)
        super().__init__(f"{place} {found}. {remedy}")
        self.file, self.key, self.found, self.remedy = str(file), key, found, remedy


class ConfigError(FileFault):
    """The table's configuration cannot be used."""


class DeckError(FileFault):
    """A deck file cannot be used."""


class StickersError(FileFault):
    """A file with the stickers of a box cannot be used; nothing was enrolled."""


class WordsError(FileFault):
    """A message catalogue cannot be used, or lacks a message."""


class OutputError(FileFault):
    """An output file, named by the user, cannot be written."""


class Cause(Enum):
    """The reason why a file cannot be read or written. Each has its own remedy."""

    NO_ROOM = "no-room"
    NO_FILES = "no-files"  # there is space, but no free inode
    READ_ONLY = "read-only"  # the whole file system; most memory cards fail like this
    FAILING = "failing"  # the disk reports errors
    NOT_ALLOWED = "not-allowed"
    BUSY = "busy"
    LOST = "lost"  # deleted, replaced or written by another program while it was open
    OTHER = "other"


class StoreError(FileFault):
    """A file in the state folder cannot be read or written. Changes saved before are safe.

    If *is_damage* is True, the file is a damaged database, whose readable rows can be recovered.
    """

    exit_code = 4
    is_damage = False
    cause = Cause.OTHER


class StateFolderError(StoreError):
    """The state folder cannot be used."""


class JournalError(StoreError):
    """The journal cannot be read or written. The failed call has not changed it."""


class FolderInUse(JournalError):
    """Another tapmat process is using the state folder."""


class RegisterError(StoreError):
    """The tag register cannot be read or written. The failed call has not changed it."""


class UnknownGame(TapmatError):
    """No game of this name is installed."""


class UnknownTemplate(TapmatError):
    """No wiring template of this name comes with tapmat."""


class UnknownPiece(TapmatError):
    """A deck has no piece of this name."""


class UnknownNumber(TapmatError):
    """The journal has no game with this number."""


class BackupError(FileFault):
    """A backup cannot be restored; nothing was changed."""


class BoxNotWhole(TapmatError):
    """Some cards of a box have no sticker yet. A box is one copy of a game."""


class TagRefused(TapmatError):
    """A tag cannot be bound to a piece.

    *code* is the key of the reason's text in the message catalogue; *facts* fill in the text.
    """

    code: ClassVar[str]

    def __init__(self, message: str, **facts: "Fact") -> None:
        super().__init__(message)
        self.facts = facts


class BadUid(TagRefused):
    """The UID is not 4, 7 or 10 bytes long."""

    code = "bad-uid"


class RandomUid(TagRefused):
    """The tag has a random UID: a new one each time it enters a reader's field."""

    code = "random-uid"


class TagTaken(TagRefused):
    """The tag is already bound to a piece."""

    code = "tag-taken"


class PieceTaken(TagRefused):
    """The piece already has a tag."""

    code = "piece-taken"


def unwritable(file: str | PathLike[str], wrong: OSError) -> OutputError:
    """Return an OutputError for *file*, which could not be written because of *wrong*."""
    found = f"cannot be written ({wrong.strerror or wrong})"
    return OutputError(file, "", found, "Name a file that you may write.")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word in *known* that is most similar to *word*, ignoring case.

    Return None if no word is similar.
    """
    names = {name.casefold(): name for name in known}
    return next((names[near] for near in get_close_matches(word.casefold(), names, n=1)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``Did you mean "..."?`` with the nearest word in *known*; empty if none is similar."""
    near = nearest(word, known)
    return "" if near is None else f'Did you mean "{near}"?'


def word_list(words: Iterable[str]) -> str:
    """Return *words* joined by commas; ``nothing`` if there are none."""
    return ", ".join(words) or "nothing"


def either(words: Iterable[str]) -> str:
    """Return *words* joined by "or". There must be at least one."""
    return reduce(lambda one, other: f"{one} or {other}", words)
