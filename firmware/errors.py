"""What can stop tapmat, each as one message a person can act on.

Room: firmware. A message says in which file and at which place something is wrong, what was found,
what would be right and what to do. A part that fails is no error but a state of the table
(``hardware.errors``), and a play the rules refuse is a RulesError (``engines.common.errors``).
"""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import reduce
from gettext import gettext as _
from os import PathLike
from typing import ClassVar

from engines.common.errors import Fact


class TapmatError(Exception):
    """Something tapmat cannot go on with; its text is the whole message."""

    exit_code: ClassVar[int] = 2  # 2: bad input, 3: a part is missing, 4: the state folder


class FileFault(TapmatError):
    """*file* is wrong at *key* (empty: as a whole): what was *found*, and the *remedy*."""

    def __init__(self, file: str | PathLike[str], key: str, found: str, remedy: str) -> None:
        place = f"{file}: {key}" if key else str(file)
        super().__init__(f"{place} {found}. {remedy}")
        self.file, self.key, self.found, self.remedy = str(file), key, found, remedy


class ConfigError(FileFault):
    """The table's configuration cannot be used."""


class DeckError(FileFault):
    """A deck file cannot be used."""


class StickersError(FileFault):
    """A file of stickers cannot be used; nothing of it was enrolled."""


class WordsError(FileFault):
    """A catalogue of words cannot be used, or lacks words that are needed."""


class OutputError(FileFault):
    """A file that was asked for cannot be written."""


class StoreError(FileFault):
    """What the table keeps on disk cannot be read or written; what was committed stays.

    If it *is_damage*, the file itself is broken, and what can be read of it may be saved.
    """

    exit_code = 4
    is_damage = False


class StateFolderError(StoreError):
    """The state folder cannot be used."""


class JournalError(StoreError):
    """The journal cannot be read or written; nothing of this call is in it."""


class FolderInUse(JournalError):
    """Another tapmat is using the state folder."""


class RegisterError(StoreError):
    """The tag register cannot be read or written; nothing of this call is in it."""


class UnknownGame(TapmatError):
    """No game of this name is installed."""


class UnknownTemplate(TapmatError):
    """No template of this name comes with tapmat."""


class UnknownPiece(TapmatError):
    """A deck holds no such piece."""


class UnknownNumber(TapmatError):
    """The journal holds no game of this number."""


class BackupError(FileFault):
    """A file is no backup that can be restored; nothing was changed."""


class BoxNotWhole(TapmatError):
    """Not every card of a box has a sticker yet."""


class TagRefused(TapmatError):
    """A tag cannot be bound. *code* names the reason in a catalogue, *facts* fill its words."""

    code: ClassVar[str]

    def __init__(self, message: str, **facts: Fact) -> None:
        super().__init__(message)
        self.facts = facts


class BadUid(TagRefused):
    """A UID is 4, 7 or 10 bytes long."""

    code = "bad-uid"


class RandomUid(TagRefused):
    """The tag makes up a new UID whenever it wakes."""

    code = "random-uid"


class TagTaken(TagRefused):
    """The tag is bound already."""

    code = "tag-taken"


class PieceTaken(TagRefused):
    """The piece has a tag already."""

    code = "piece-taken"


def unwritable(file: str | PathLike[str], wrong: OSError) -> OutputError:
    """The error to raise when *file* could not be written."""
    found = _("cannot be written ({reason})").format(reason=wrong.strerror or wrong)
    return OutputError(file, "", found, _("Name a file that you may write."))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one of *known* that *word* was probably meant to be, or None.

    Capitals do not count: ``0x3c`` is nearer to ``0x3C`` than to ``0x3D``.
    """
    names = {name.casefold(): name for name in known}
    return next((names[near] for near in get_close_matches(word.casefold(), names, n=1)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``Did you mean "..."?`` with the nearest of *known*, or nothing when none is near."""
    near = nearest(word, known)
    return "" if near is None else _('Did you mean "{word}"?').format(word=near)


def listed(words: Iterable[str]) -> str:
    """Return *words* as one line for a message; ``nothing`` when there are none."""
    return ", ".join(words) or _("nothing")


def either(words: Iterable[str]) -> str:
    """Return *words*, of which there is at least one, as a choice for a message."""
    return reduce(lambda one, other: _("{one} or {other}").format(one=one, other=other), words)
