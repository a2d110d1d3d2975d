"""The table's words: texts, in one language, for the messages of the games and of the table.

A message is a code and *facts* (numbers, pieces, seats, words); each fact is inserted into the text
at the field with its name, such as ``{weight}``.

A catalogue is a gettext ``.po`` file for one language, with message codes as msgids. The table's
catalogues are ``firmware/table/words/<language>.po``; a game's are ``words/<language>.po`` in its
package. A code is looked up in the game's catalogue, then in the table's, then in both English
ones. If no catalogue has it, the code itself is the text, and that is logged once: a missing text
never stops a game.

A text can ask for a grammatical form of a fact: ``{piece:acc}`` is replaced by the text of
``piece.<kind>.acc``, or of ``piece.<kind>`` if there is no such form. If the voice should say
something else than the screen shows, that text is ``<code>.spoken``. ``<code>.page`` has the text
for a page in a browser, where people click pieces and the page moves them. In a game for small
children (``View.is_for_children``), the table uses the text ``<code>.child`` if there is one, and
the voice says no number above ``MOST``.
"""

import io
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

from engines.common.contract import Message
from engines.common.errors import Fact, RulesError
from engines.common.pieces import Piece
from firmware.common.errors import WordsError

if TYPE_CHECKING:
    from babel.messages.catalog import Message as CatalogueLine

log = logging.getLogger(__name__)

ENGLISH = "en"
TABLE_PACKAGE = "firmware.table"
MOST = 20  # the greatest number that the voice says to small children


@dataclass(frozen=True, slots=True)
class Refusal:
    """The texts about a refused play.

    *happened* says what happened, *do* what to do now, and *rule* is the number of the rule.
    """

    happened: str
    do: str
    rule: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The contents of one ``.po`` file.

    *codes* are all codes in the file, *plurals* are the codes whose texts have plural forms, and
    *texts* looks up the translations.
    """

    codes: frozenset[str]
    plurals: frozenset[str]
    texts: GNUTranslations

    def text(self, code: str, n: object = None) -> str:
        """Return the text of *code*, which must be in ``codes``.

        A code with plurals has a text for each plural form. *n* chooses it; without a number, 1.
        """
        if code in self.plurals:
            # gettext() of Python 3.11.2 (Debian Bookworm) does not find texts with a plural.
            return self.texts.ngettext(code, code, abs(n) if isinstance(n, int) else 1)
        return self.texts.gettext(code)


def read_catalogue(file: Path | Traversable) -> Catalogue:
    """Read the ``.po`` file *file*; skip texts that are empty or marked fuzzy.

    Raises:
        WordsError: the file cannot be read, or is not a ``.po`` file.
    """
    # The installer imports this module, to check table.toml, before Babel is installed.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    try:
        parsed = read_po(io.BytesIO(file.read_bytes()), abort_invalid=True)
    except OSError as wrong:
        found = f"cannot be read ({wrong.strerror or wrong})"
        raise WordsError(str(file), "", found, "Reinstall tapmat or the game.") from wrong
    except (PoFileError, ValueError, LookupError) as wrong:
        found = f"is not a catalogue of words ({wrong})"
        raise WordsError(str(file), "", found, "Correct that line, or delete the file.") from wrong
    compiled = io.BytesIO()
    write_mo(compiled, parsed)
    compiled.seek(0)
    codes = {_code(m): m.pluralizable for m in parsed if m.id and not m.fuzzy and _has_text(m)}
    plurals = frozenset(code for code, is_plural in codes.items() if is_plural)
    return Catalogue(frozenset(codes), plurals, GNUTranslations(compiled))


def _code(message: "CatalogueLine") -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _has_text(message: "CatalogueLine") -> bool:
    """Return True if every plural form of *message* has a text."""
    texts = message.string
    return all(texts) if isinstance(texts, tuple | list) else bool(texts)


def languages() -> tuple[str, ...]:
    """Return the codes (``en``) of the languages that the table has words in, sorted."""
    folder = files(TABLE_PACKAGE) / "words"
    return tuple(
        sorted(f.name.removesuffix(".po") for f in folder.iterdir() if f.name.endswith(".po"))
    )


def language_name(language: str) -> str:
    """Return the name of *language* in that language, such as ``Deutsch`` for ``de``."""
    from babel import Locale

    name = Locale.parse(language).get_display_name() or language
    return name[0].upper() + name[1:]


def words_of(language: str, package: str | None = None) -> "Words":
    """Return the table's words in *language*, and those of the game in *package* if it is given.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    packages = (TABLE_PACKAGE,) if package is None else (package, TABLE_PACKAGE)
    wanted = dict.fromkeys((language, ENGLISH))
    found = (_catalogue_of(name, each) for each in wanted for name in packages)
    return Words(language, [catalogue for catalogue in found if catalogue is not None])


@cache
def _catalogue_of(package: str, language: str) -> Catalogue | None:
    file = files(package) / "words" / f"{language}.po"
    return read_catalogue(file) if file.is_file() else None


LookUp = Callable[[str, object], str | None]  # (code, number for the plural) -> text, or None
InWords = Callable[[int], "str | int"]  # a number -> the number, or words for it


def _as_number(number: int) -> int:
    return number


class FactText:
    """The text of a fact, for ``str.format``: ``{piece:acc}`` gives its grammatical form "acc".

    *in_form* takes a form such as ``.acc``, or an empty text for the basic form, and returns the
    text of the fact in that form.
    """

    def __init__(self, in_form: Callable[[str], str]) -> None:
        self._in_form = in_form

    def __format__(self, form: str) -> str:
        return self._in_form(f".{form}" if form else "")

    def __str__(self) -> str:
        return self._in_form("")


FieldValues = dict[str, "FactText | str | int"]  # the value for each {field} of a text


def _field_values(
    facts: Mapping[str, Fact], names: Sequence[str], look_up: LookUp, in_words: InWords
) -> FieldValues:
    """Return the values to insert into a text, by the names of the facts.

    *names* are the players' names by seat, *look_up* returns the text of a code, and *in_words*
    that of a number. The text of a fact may have fields too, with the same values: the text for the
    fact ``waits`` may contain ``{piece}``.
    """
    values: FieldValues = {}

    def text_of(code: str) -> str | None:
        text = look_up(code, None)
        return None if text is None else text.format_map(values)

    def value_of(name: str, fact: Fact) -> FactText | str | int:
        match fact:
            case Piece(kind):
                return FactText(lambda form: _in_form(look_up, f"piece.{kind}", form) or kind)
            case tuple():
                return FactText(lambda form: ", ".join(_piece_texts(fact, look_up, form)))
            case str():
                code = f"{name}.{fact}"
                return FactText(
                    lambda form: (form and text_of(code + form)) or text_of(code) or fact
                )
        if name == "seat" or name.endswith("_seat"):
            return names[fact] if 0 <= fact < len(names) else fact + 1
        return in_words(fact)

    values.update((name, value_of(name, fact)) for name, fact in facts.items())
    return values


def _in_form(look_up: LookUp, code: str, form: str, n: object = None) -> str | None:
    """Return the text of *code* in *form* (``.acc``), or else its basic form; None without a text.

    *n* chooses the plural form.
    """
    formed = look_up(code + form, n) if form else None
    return look_up(code, n) if formed is None else formed


def _piece_texts(pieces: tuple[Piece, ...], look_up: LookUp, form: str) -> Iterator[str]:
    """Yield one text with the count for each kind among *pieces*, in the grammatical form *form*.

    If the text has no field ``{n}`` for the count, yield it once for each piece of the kind.
    """
    for kind, n in Counter(piece.kind for piece in pieces).items():
        text = _in_form(look_up, f"piece.{kind}", form, n) or kind
        yield from [text.replace("{n}", str(n))] if "{n}" in text else [text] * n


class Words:
    """The texts of messages in *language*. A code is looked up in each of *catalogues* in order."""

    def __init__(self, language: str, catalogues: Iterable[Catalogue]) -> None:
        self.language = language
        self._catalogues = tuple(catalogues)
        self._logged: set[str] = set()
        self._is_for_children = False

    def for_children(self) -> "Words":
        """Return these words for a game that small children play."""
        words = copy(self)
        words._is_for_children = True
        return words

    def has(self, code: str) -> bool:
        """Return True if a catalogue has *code*."""
        return any(code in catalogue.codes for catalogue in self._catalogues)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all catalogues."""
        return frozenset().union(*(catalogue.codes for catalogue in self._catalogues))

    def facts(self, code: str) -> frozenset[str]:
        """Return the names of the facts that the spoken text of *code* needs."""
        text = self._spoken(code) or ""
        return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)

    def say(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the text of *message* for the screen. *names* are the players' names by seat.

        Each fact replaces a field of the text. ``seat`` and ``..._seat`` give the player's name, a
        piece the text of ``piece.<kind>``, several pieces a list. A word gives the text of
        ``<fact>.<word>`` (``direction.clockwise``), or itself if there is none. ``n`` decides the
        plural form.
        """
        return self._format(message, names, self._template, _as_number)

    def tell(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the text of *message* for the voice; see ``say``."""
        return self._format(message, names, self._spoken, self.number)

    def number(self, number: int) -> str:
        """Return *number* for the voice. To small children, it says "more than 20" above 20."""
        if self._is_for_children and number > MOST:
            return self.say(Message("more-than", {"most": MOST}))
        return str(number)

    def write(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the text of *message* for a page of the virtual table; see ``say``."""
        return self._format(message, names, self._on_page, _as_number)

    def _format(
        self, message: Message, names: Sequence[str], look_up: LookUp, in_words: InWords
    ) -> str:
        template = look_up(message.code, message.facts.get("n"))
        if template is None:
            self._log(message.code, f"no words in {self.language} for {message.code}")
            return message.code
        try:
            return template.format_map(_field_values(message.facts, names, look_up, in_words))
        except (LookupError, ValueError, AttributeError, TypeError, RecursionError) as wrong:
            self._log(message.code, f"{message.code}: {template!r} cannot be filled ({wrong!r})")
            return template

    def plain(self, code: str) -> str:
        """Return the text of *code* for the screen. It must not need facts."""
        return self.say(Message(code))

    def refusal(self, error: RulesError, names: Sequence[str] = ()) -> Refusal:
        """Return the texts for *error*. *names* are the players' names by seat."""
        happened = self.say(Message(f"{error.words}.happened", error.facts), names)
        do = self.say(Message(f"{error.words}.do", error.facts), names)
        return Refusal(happened, do, error.rule)

    def _template(self, code: str, n: object = None) -> str | None:
        codes = (f"{code}.child", code) if self._is_for_children else (code,)
        for catalogue in self._catalogues:
            for each in codes:
                if each in catalogue.codes:
                    return catalogue.text(each, n)
        return None

    def _spoken(self, code: str, n: object = None) -> str | None:
        spoken = self._template(f"{code}.spoken", n)
        return self._template(code, n) if spoken is None else spoken

    def _on_page(self, code: str, n: object = None) -> str | None:
        written = self._template(f"{code}.page", n)
        return self._template(code, n) if written is None else written

    def _log(self, code: str, trouble: str) -> None:
        if code not in self._logged:
            self._logged.add(code)
            log.warning("Words: %s", trouble)
