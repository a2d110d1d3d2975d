"""The table's words: messages of the engines and the table as text in the table's language.

Room: firmware. A catalogue is a gettext ``.po`` file whose msgids are codes, one a language:
``words/<language>.po`` in the firmware for the table, in a game's package for the game. A code is
looked up in the game's words, then the table's; then in English, so a gap in a translation reads as
English. A code that is nowhere is told as it is, and logged once: a missing word stops no game.

Where a language wants a fact in another form, its text names the form: ``{piece:acc}`` is filled
with the words under ``piece.<kind>.acc``, if there are any. Where what is said aloud differs from
what is shown, it stands under ``<code>.spoken``.
"""

import io
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Message as CatalogueLine
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from engines.common.contract import Message
from engines.common.errors import Fact, RulesError
from engines.common.pieces import Piece
from firmware.errors import WordsError

log = logging.getLogger(__name__)

ENGLISH = "en"
TABLE_PACKAGE = "firmware"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal in words: what *happened*, what to *do* now, and the *rule* it rests on."""

    happened: str
    do: str
    rule: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The words of one file: the *codes* it has, those with a plural, and their texts."""

    codes: frozenset[str]
    plurals: frozenset[str]
    texts: GNUTranslations

    def text(self, code: str, n: object = None) -> str:
        """The text of *code*, which the catalogue has, in the plural form for *n*, or for one."""
        if code in self.plurals:
            # Asked for without a number, Bookworm's Python 3.11.2 finds no text with a plural.
            return self.texts.ngettext(code, code, abs(n) if isinstance(n, int) else 1)
        return self.texts.gettext(code)


def read_catalogue(file: Path | Traversable) -> Catalogue:
    """Read the ``.po`` file *file*. A text that is empty or marked fuzzy is not there.

    Raises:
        WordsError: it cannot be read, or is no such file.
    """
    try:
        parsed = read_po(io.BytesIO(file.read_bytes()), abort_invalid=True)
    except OSError as wrong:
        found = f"cannot be read ({wrong.strerror or wrong})"
        raise WordsError(str(file), "", found, "Install tapmat, or the game, anew.") from wrong
    except (PoFileError, ValueError, LookupError) as wrong:
        found = f"is no catalogue of words ({wrong})"
        raise WordsError(
            str(file), "", found, "Correct that line, or take the file away."
        ) from wrong
    compiled = io.BytesIO()
    write_mo(compiled, parsed)
    compiled.seek(0)
    codes = {_code(m): m.pluralizable for m in parsed if m.id and not m.fuzzy and _is_told(m)}
    plurals = frozenset(code for code, is_plural in codes.items() if is_plural)
    return Catalogue(frozenset(codes), plurals, GNUTranslations(compiled))


def _code(message: CatalogueLine) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _is_told(message: CatalogueLine) -> bool:
    """Whether every form of *message* has a text."""
    texts = message.string
    return all(texts) if isinstance(texts, tuple | list) else bool(texts)


def languages() -> tuple[str, ...]:
    """The languages the table has words in, as codes (``en``), in order."""
    folder = files(TABLE_PACKAGE) / "words"
    return tuple(
        sorted(f.name.removesuffix(".po") for f in folder.iterdir() if f.name.endswith(".po"))
    )


def words_of(language: str, package: str | None = None) -> "Words":
    """The words of the table, and of the game in *package*, in *language*.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    packages = (TABLE_PACKAGE,) if package is None else (package, TABLE_PACKAGE)
    wanted = dict.fromkeys((language, ENGLISH))
    found = (_catalogue_of(name, spoken) for spoken in wanted for name in packages)
    return Words(language, [catalogue for catalogue in found if catalogue is not None])


@cache
def _catalogue_of(package: str, language: str) -> Catalogue | None:
    file = files(package) / "words" / f"{language}.po"
    return read_catalogue(file) if file.is_file() else None


LookUp = Callable[[str, object], str | None]  # the text of a code, in the plural form for a number


class Told:
    """A fact in words: as it is, or in the form that a text names (``{piece:acc}``)."""

    def __init__(self, in_form: Callable[[str], str]) -> None:
        self._in_form = in_form

    def __format__(self, form: str) -> str:
        return self._in_form(f".{form}" if form else "")

    def __str__(self) -> str:
        return self._in_form("")


def _fact(name: str, fact: Fact, names: Sequence[str], look_up: LookUp) -> Told | str | int:
    """What fills ``{name}`` in a text."""
    match fact:
        case Piece(kind):
            return Told(lambda form: _in_form(look_up, f"piece.{kind}", form) or kind)
        case tuple():
            return Told(lambda form: ", ".join(_counted(fact, look_up, form)))
        case str():
            return Told(lambda form: _in_form(look_up, f"{name}.{fact}", form) or fact)
    if name == "seat" or name.endswith("_seat"):
        return names[fact] if 0 <= fact < len(names) else fact + 1
    return fact


def _in_form(look_up: LookUp, code: str, form: str, n: object = None) -> str | None:
    """The text of *code* in *form* (``.acc``), or as it is where that form has no text."""
    formed = look_up(code + form, n) if form else None
    return look_up(code, n) if formed is None else formed


def _counted(pieces: tuple[Piece, ...], look_up: LookUp, form: str) -> Iterator[str]:
    """Each kind of *pieces* once, with its number; each piece, where no words count it."""
    for kind, n in Counter(piece.kind for piece in pieces).items():
        text = _in_form(look_up, f"piece.{kind}", form, n) or kind
        yield from [text.replace("{n}", str(n))] if "{n}" in text else [text] * n


class Words:
    """Messages as text in *language*, from *catalogues* in the order they are looked through."""

    def __init__(self, language: str, catalogues: Iterable[Catalogue]) -> None:
        self.language = language
        self._catalogues = tuple(catalogues)
        self._logged: set[str] = set()

    def has(self, code: str) -> bool:
        """Whether some catalogue has words for *code*."""
        return any(code in catalogue.codes for catalogue in self._catalogues)

    def missing(self, codes: Iterable[str]) -> tuple[str, ...]:
        """Those of *codes* that no catalogue has words for."""
        return tuple(code for code in codes if not self.has(code))

    @property
    def codes(self) -> frozenset[str]:
        """Every code that some catalogue has words for."""
        return frozenset().union(*(catalogue.codes for catalogue in self._catalogues))

    def facts(self, code: str) -> frozenset[str]:
        """The names of the facts that fill what is said aloud under *code*."""
        text = self._spoken(code) or ""
        return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)

    def say(self, message: Message, names: Sequence[str] = ()) -> str:
        """*message* as it is shown, at a table where *names* sit.

        The facts fill the text: ``seat`` and ``..._seat`` as the player's name, a piece as the
        words under ``piece.<kind>``, several pieces as a list of them, a word (``direction``) as
        the words under ``<fact>.<word>`` if there are any; ``n`` decides the plural.
        """
        return self._filled(message, names, self._template)

    def tell(self, message: Message, names: Sequence[str] = ()) -> str:
        """*message* as it is said aloud; see ``say``."""
        return self._filled(message, names, self._spoken)

    def _filled(self, message: Message, names: Sequence[str], look_up: LookUp) -> str:
        template = look_up(message.code, message.facts.get("n"))
        if template is None:
            self._log(message.code, f"no words in {self.language} for {message.code}")
            return message.code
        filling = {name: _fact(name, fact, names, look_up) for name, fact in message.facts.items()}
        try:
            return template.format_map(filling)
        except (LookupError, ValueError, AttributeError, TypeError) as wrong:
            self._log(message.code, f"{message.code}: {template!r} cannot be filled ({wrong!r})")
            return template

    def plain(self, code: str) -> str:
        """The text of *code*, which needs no facts."""
        return self.say(Message(code))

    def refusal(self, error: RulesError, names: Sequence[str] = ()) -> Refusal:
        """What a refusal by the rules reads like."""
        happened = self.say(Message(f"{error.code}.happened", error.facts), names)
        do = self.say(Message(f"{error.code}.do", error.facts), names)
        return Refusal(happened, do, error.rule)

    def _template(self, code: str, n: object = None) -> str | None:
        for catalogue in self._catalogues:
            if code in catalogue.codes:
                return catalogue.text(code, n)
        return None

    def _spoken(self, code: str, n: object = None) -> str | None:
        aloud = self._template(f"{code}.spoken", n)
        return self._template(code, n) if aloud is None else aloud

    def _log(self, code: str, trouble: str) -> None:
        if code not in self._logged:
            self._logged.add(code)
            log.warning("Words: %s", trouble)
