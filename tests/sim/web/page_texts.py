"""The English texts of the page, found in its JavaScript and HTML.

Each must have a translation in ``sim/web/words``. Texts of Lab are left out: in index.html, they
are inside an element with its own ``lang``.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

from sim.web.server import STATIC
from tests.docs.pages import ROOT

TEXT = r'"((?:[^"\\]|\\.)*)"'
ONE = re.compile(rf"\bt\({TEXT}")
SEVERAL = re.compile(rf"\btn\([^\"]*?, {TEXT}, {TEXT}")
TRANSLATED = re.compile(rf"\bt\({TEXT}|\btn\([^\"]*?, {TEXT}, {TEXT}")
COMMENT = re.compile(r"/\*.*?\*/|^ *//.*?$", re.DOTALL | re.MULTILINE)
# Texts for people: what begins with a capital letter and is not a key, or a label.
CAPITAL = re.compile(r'["`](?!Arrow|Backspace|Delete|End|Enter|Escape|Home)([A-Z][a-z]+[^"`]*)["`]')
LABEL = re.compile(
    r'(?:"aria-label"|title|placeholder|words): ["`]([^"`]+)["`]|notify\(["`]([^"`]+)'
)
NOT_LITERAL = re.compile(r"\bt\((?!\")[^)]*\)|\btn\((?![^\"]*?, \")[^)]*\)")
ATTRIBUTES = ("aria-label", "placeholder", "title")
VOID = ("circle", "input", "link", "meta", "path", "rect")  # tags without an end
LETTERS = re.compile(r"[^\W\d_]{2}")

# The scripts whose texts are Lab's own.
LAB = (
    *("catalogue.js", "controls.js", "deal.js", "encoder.js", "journal.js", "mat.js", "oled.js"),
    *("picking.js", "robots.js", "transcript.js", "tray.js", "trouble.js"),
)

# The errors of the server that people can meet in Play, as the page receives them: with the facts,
# here {fields}, filled in.
ERRORS = (
    "Too many messages. Wait a moment.",
    "First send the code that is on the display.",
    "That is not the code on the display. Look again.",
    "Nobody at the mat let this page in.",
    "Many wrong codes were sent. Press OK at the mat to let this page in.",
    "That failed because of an error in tapmat ({kind}: {error}).",
    "Something failed, so the table was restarted. {why}",
    "The table has stopped. {why}",
    "The table was switched off.",
    "The mat has no power. Plug it in: power on.",
    "{card} is already on {spot}. Lift it first.",
    '"{name}" cannot be spelt: there is no "{letter}". The letters are: {letters}.',
    '"{name}" cannot be spelt exactly: the table writes "{spelt}". '
    "Write it like that, or add the name to table.toml.",
    "The cards of {game} are not enrolled. Enrol them first: press OK, then choose Stickers.",
    "The table is enrolling stickers. Leave that first: press ok, choose leave.",
    "The game cannot be ended now. End it at the mat: press OK, then choose End this game.",
    "Another game is in progress. End it at the mat first: press OK, then choose End this game.",
    "No one has played on this page yet. Play first.",
    "The display shows no list now. It shows: {hint}.",
    "{answer} is not in the list. It has: {answers}.",
    "That tile cannot be moved there now. "
    "Move a tile only when the display asks for it, and only to a free place.",
    "That piece cannot be loaded now. Choose one of the current player's.",
    "That card cannot be given away now. Choose one in the giver's hand.",
    "That hand cannot be shown now. If several players may act, each shows their own hand.",
)
SOURCES = ("sim/web", "sim/mat", "sim/people", "sim/deal")  # of the errors


def texts_of_scripts() -> dict[str, str]:
    """Return the texts in the JavaScript, each with its plural or an empty text."""
    found: dict[str, str] = {}
    for source in _scripts():
        found |= dict.fromkeys(ONE.findall(source), "")
        found |= dict(SEVERAL.findall(source))
    return found


def other_calls() -> set[str]:
    """Return the calls in the JavaScript that translate something else than a literal text."""
    return {call for source in _scripts() for call in NOT_LITERAL.findall(source)}


def untranslated_texts() -> set[str]:
    """Return texts in Play's JavaScript that are for people, but are not translated."""
    found = set[str]()
    for file in sorted(STATIC.rglob("*.js")):
        if file.name not in LAB:
            source = TRANSLATED.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))
            found.update(CAPITAL.findall(source), *LABEL.findall(source))
    return {text for text in found if LETTERS.search(re.sub(r"\$\{[^}]*\}", "", text))}


def _scripts() -> Iterator[str]:
    for file in sorted(STATIC.rglob("*.js")):
        if file.name != "words.js":
            yield file.read_text(encoding="utf-8")


def texts_of_html(html: str) -> set[str]:
    """Return the texts in *html* outside Lab."""
    reader = _Reader()
    reader.feed(html)
    return reader.texts


class _Reader(HTMLParser):
    """Collects texts and attributes outside elements with their own ``lang``."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._open: list[bool] = []  # for each open element, True if its texts count

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_ours = bool(self._open) and self._open[-1] and "lang" not in dict(attrs)
        is_read = tag == "body" or is_ours
        if is_read:
            self._add(*(value for name, value in attrs if name in ATTRIBUTES and value))
        if tag not in VOID:
            self._open.append(is_read)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1]:
            self._add(data.strip())

    def _add(self, *texts: str) -> None:
        self.texts.update(text for text in texts if LETTERS.search(text))


@cache
def sentences_of_server() -> set[str]:
    """Return the sentences in the sources of errors, as ``sentences`` returns them."""
    files = [file for room in SOURCES for file in sorted((ROOT / room).rglob("*.py"))]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    texts = (_text(node) for tree in trees for node in ast.walk(tree))
    return {sentence for text in texts if text is not None for sentence in sentences(text)}


def sentences(text: str) -> set[str]:
    """Return the sentences of *text* in lower case, without full stop, with ``{}`` for a field."""
    plain = re.sub(r"\{\w*\}", "{}", text)
    return {each.strip().rstrip(".").lower() for each in plain.split(". ")}


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values):
            return "".join(_text(value) or "{}" for value in values)
    return None
