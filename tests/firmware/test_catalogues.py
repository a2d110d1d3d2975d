"""The catalogues of words: complete in every language, in the fonts, and short enough to display.

The texts that games show come from random games in every language, with the longest possible names.
The texts that the table shows by itself are listed here.
"""

import io
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

import pytest
from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.pofile import read_po
from PIL import Image

from engines.common.contract import Message, Seat
from engines.common.errors import RulesError
from engines.common.lessons import lessons_of
from engines.common.pieces import Piece
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.games import games
from firmware.boxes.register import COMMANDS
from firmware.common.errors import TagRefused
from firmware.journal.journal import GameStart
from firmware.runtime.controller import words_for
from firmware.runtime.loop import PAGE_S
from firmware.show import screens
from firmware.show import text as screen_text
from firmware.show.names import NAME_LENGTH
from firmware.show.screens import SIZES
from firmware.show.text import Typeface, legible
from firmware.show.view import ListView, Notice, Progress, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.playing import Playing
from firmware.table.table import NOTICE_S
from firmware.voice.settings import Hints, Settings
from firmware.voice.settings_store import SettingsStore
from firmware.voice.words import ENGLISH, TABLE_PACKAGE, languages
from tests.conftest import Golden
from tests.effort import long_unless
from tests.engines.contract import Case
from tests.firmware.playouts import Moment, moments

LOW, HIGH = min(SIZES), max(SIZES)
OTHERS = [language for language in languages() if language != ENGLISH]
PACKAGES = {TABLE: TABLE_PACKAGE} | {name: game.package for name, game in games().items()}
STRAW = games()["straw"].package
# The catalogues of all rooms and games; the last three are not of the display.
CATALOGUES = (*PACKAGES.values(), "firmware.companion", "firmware.hall", "firmware.mqtt")
PLURALS = {  # CLDR's plural rules for whole numbers, in gettext's form
    "de": "nplurals=2; plural=(n != 1);",
    "en": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "hu": "nplurals=1; plural=0;",
    "it": "nplurals=2; plural=(n != 1);",
}
LONGEST = ("Erzsébetke", "Wilhelmine", "Őszülőfűző", "Maximilien", "Hümmelmann", "Gianmarcos")
assert all(len(name) == NAME_LENGTH for name in LONGEST)


# --- the catalogues ------------------------------------------------------------------------------


@cache
def catalogue(package: str, language: str) -> Catalog:
    """Return the catalogue file of *package* in *language*."""
    file = files(package) / "words" / f"{language}.po"
    return read_po(io.BytesIO(file.read_bytes()), abort_invalid=True)


@cache
def entries(package: str, language: str) -> Mapping[str, Entry]:
    """Return every text of *package* in *language*, by its code."""
    return {code_of(entry): entry for entry in catalogue(package, language) if entry.id}


def code_of(entry: Entry) -> str:
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def texts(entry: Entry) -> tuple[str, ...]:
    """Return the entry's text, or its plural forms."""
    return (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())


def facts_in(text: str) -> set[str]:
    """Return the names of the placeholders in *text*, without their grammatical forms."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def original_of(code: str, english: Mapping[str, Entry]) -> Entry | None:
    """Return the English entry of *code*, without an ending such as ``.acc`` or ``.spoken``."""
    parts = code.split(".")
    stems = (".".join(parts[:length]) for length in range(len(parts), len(parts) - 3, -1))
    return next((english[stem] for stem in stems if stem in english), None)


every_catalogue = pytest.mark.parametrize(
    ("package", "language"),
    [(package, language) for package in CATALOGUES for language in languages()],
)
every_translation = pytest.mark.parametrize(
    ("package", "language"),
    [(package, language) for package in CATALOGUES for language in OTHERS],
)


def test_the_table_speaks_six_languages() -> None:
    assert languages() == tuple(PLURALS)


@every_catalogue
def test_a_catalogue_says_which_language_it_is_in_and_how_that_counts(
    package: str, language: str
) -> None:
    found = catalogue(package, language)
    assert str(found.locale) == language
    header = dict(found.mime_headers)
    assert header["Plural-Forms"] == PLURALS[language]


@every_translation
def test_a_catalogue_has_every_code_in_the_order_of_english(package: str, language: str) -> None:
    """Other codes are only allowed for forms of an English text: ``piece.7.acc``, ``.spoken``."""
    english, translated = entries(package, ENGLISH), entries(package, language)
    assert [code for code in translated if code in english] == list(english)
    further = [code for code in translated if code not in english]
    assert [code for code in further if original_of(code, english) is None] == []


@every_translation
def test_a_text_is_told_with_the_facts_of_the_english_one(package: str, language: str) -> None:
    """A plural form may leave a fact out; no translation may use a fact that English lacks."""
    english = entries(package, ENGLISH)
    for code, entry in entries(package, language).items():
        original = original_of(code, english)
        assert original is not None, code
        known = set().union(*map(facts_in, texts(original)))
        if code in english:
            assert entry.pluralizable == original.pluralizable, code
        for text in texts(entry):
            assert facts_in(text) <= known, f"{code}: {text}"
        if not entry.pluralizable:
            assert facts_in(texts(entry)[0]) == known, code


@every_catalogue
def test_every_text_is_there_and_can_be_filled(package: str, language: str) -> None:
    count = 1 if language == "hu" else 2
    for code, entry in entries(package, language).items():
        assert len(texts(entry)) == (count if entry.pluralizable else 1), code
        assert not entry.fuzzy, code
        for text in texts(entry):
            assert text.strip() == text != "", code


@every_catalogue
def test_the_fonts_have_every_letter(package: str, language: str) -> None:
    for code, entry in entries(package, language).items():
        for text in texts(entry):
            assert legible(text) == text, code


@every_catalogue
def test_a_text_means_only_forms_that_are_there(package: str, language: str) -> None:
    """For ``{piece:acc}`` there is a ``piece.<kind>.acc``; otherwise the form is misspelt."""
    codes = {*entries(package, language), *entries(TABLE_PACKAGE, language)}
    for code, entry in entries(package, language).items():
        for text in texts(entry):
            for _, name, form, _ in string.Formatter().parse(text):
                stem = "piece" if name in ("piece", "pieces") else name
                formed = [c for c in codes if c.startswith(f"{stem}.") and c.endswith(f".{form}")]
                # The table's own texts are filled with pieces of every game, so their forms are not
                # here.
                assert not form or formed or package == TABLE_PACKAGE, f"{code}: {text}"


@pytest.mark.parametrize("name", sorted(games()))
def test_every_refusal_phase_and_choice_has_words(name: str) -> None:
    """Every error class with a code is checked; random play does not meet them all."""
    case = Case(games()[name])
    codes = {*entries(case.game.package, ENGLISH), *entries(TABLE_PACKAGE, ENGLISH)}
    of_game = [e for e in refusals(RulesError) if e.__module__.startswith(case.game.package)]
    shared = [e for e in refusals(RulesError) if e.__module__.startswith("engines.common")]
    for error in (*of_game, *shared):
        assert {
            f"{words}.{part}"
            for words in (error.code, error.own_words or error.code)
            for part in ("happened", "do")
        } <= codes
    for refused in TagRefused.__subclasses__():
        assert {f"{refused.code}.happened", f"{refused.code}.do"} <= codes


def refusals(error: type[RulesError]) -> Iterator[type[RulesError]]:
    """Yield every subclass of *error* that sets ``code`` or ``own_words``."""
    for below in (error, *error.__subclasses__()):
        if below is not error:
            yield from refusals(below)
        elif {"code", "own_words"}.intersection(vars(below)) and below is not RulesError:
            yield below


# --- the wording ---------------------------------------------------------------------------------

PLURAL = ("scissors",)  # names of single pieces that are plural words
AFTER_A_PIECE = ("penalty", "takes-back")  # texts said right after one that may name a piece
OF_A_SEAT = re.compile(r"(?<!in front )\bof \{(?:\w+_)?seat\}")
SINGULAR = re.compile(r"\bits?\b", re.IGNORECASE)
A_PIECE = re.compile(r"\{pieces?\b")
SCREEN = re.compile(
    r"look at|screen|display|bildschirm|anzeige|écran|schermo|pantalla|képernyő|kijelző",
    re.IGNORECASE,
)

every_english_catalogue = pytest.mark.parametrize("package", PACKAGES.values())


@every_english_catalogue
def test_what_is_a_players_is_said_with_an_apostrophe(package: str) -> None:
    """That is "Ann's hand", not "the hand of Ann"."""
    found = [code for code, entry in entries(package, ENGLISH).items() for text in texts(entry)
             if OF_A_SEAT.search(text)]  # fmt: skip
    assert found == []


@every_english_catalogue
def test_no_pronoun_stands_for_a_piece_whose_name_is_plural(package: str) -> None:
    """Both texts of a refusal are read together: "On the discards: the scissors. Take it back"."""
    known = {code: " ".join(texts(entry)) for code, entry in entries(package, ENGLISH).items()}
    if not any(known[code].endswith(PLURAL) for code in known if code.startswith("piece.")):
        return
    read = [f"{text} {known.get(code.replace('.happened', '.do'), '')}"
            for code, text in known.items() if A_PIECE.search(text)]  # fmt: skip
    read += [known[code] for code in AFTER_A_PIECE if code in known]
    assert [text for text in read if SINGULAR.search(text)] == []


@pytest.mark.parametrize(
    ("package", "language"),
    [(package, language) for package in PACKAGES.values() for language in languages()],
)
def test_no_text_sends_people_to_the_screen(package: str, language: str) -> None:
    """They play with closed eyes too, or sit where they cannot see it; a text says it itself."""
    told = {code: " ".join(texts(entry)) for code, entry in entries(package, language).items()}
    assert [code for code, text in told.items() if SCREEN.search(text)] in ([], ["part-display"])


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", ["copy", "lamp", "reverse"])
def test_a_special_card_of_straw_has_one_word_everywhere(kind: str, language: str) -> None:
    """It is printed on the card, and in the language of the table."""
    known = {code: " ".join(texts(entry)) for code, entry in entries(STRAW, language).items()}
    word = known[f"print.{kind}"].casefold()
    assert known[f"does.{kind}.title"].casefold() == word
    assert known[f"piece.{kind}"].casefold().endswith(word)
    if language != ENGLISH:
        english = {code: " ".join(texts(entry)) for code, entry in entries(STRAW, ENGLISH).items()}
        assert word != english[f"print.{kind}"]
        assert not re.search(rf"\b{kind}\b", " ".join(known.values()), re.IGNORECASE)


# --- the display ---------------------------------------------------------------------------------


class Shown:
    """The texts on a display that shows *view*: its lines, from all pages."""

    def __init__(self, view: TableView, size: tuple[int, int]) -> None:
        self.view, self.size = view, size
        drawn: list[tuple[Image.Image, list[str]]] = []
        picture, letters = screens.Canvas, screen_text.cells

        def begun(blank: Image.Image) -> screens.Canvas:
            drawn.append((blank, []))
            return picture(blank)

        def noted(text: str, face: Typeface) -> Image.Image:
            drawn[-1][1].append(legible(text))
            return letters(text, face)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(screens, "Canvas", begun)
            patch.setattr(screens, "cells", noted)
            self.pages = screens.pages(view, size)
        self.lines = [
            line for blank, lines in drawn if any(blank is p for p in self.pages) for line in lines
        ]

    @property
    def text(self) -> str:
        """All lines on the display, joined into one text."""
        return " ".join(self.lines)

    @property
    def cut(self) -> list[str]:
        """The words on the display that are not whole words of the view."""
        return [word for word in self.text.split() if word not in words_of_view(self.view)]

    def has(self, text: str) -> bool:
        """Return True if the display has the whole *text*."""
        return legible(text) in self.text


def words_of_view(view: TableView) -> set[str]:
    """Return every word of *view* that a display may show."""
    told = [view.title, view.headline, view.caption, view.hint, view.action, view.fault]
    told += [*view.names, "& ▶ H"]
    told += [f"{name} {score}" for name, score in zip(view.names, view.scores, strict=False)]
    if view.notice is not None:
        told += [view.notice.happened, view.notice.do]
    if view.choices is not None:
        told += [view.choices.prompt, *view.choices.items]
    if view.progress is not None:
        told += [f"{view.progress.done}/{view.progress.total}"]
    return {word for text in told for word in legible(text).split()}


def wrong_with(view: TableView, size: tuple[int, int]) -> list[str]:
    """Return a message for each text of *view* that a display of *size* cuts or leaves out."""
    shown = Shown(view, size)
    is_list = view.choices is not None  # lines around the cursor of a list may be cut
    wrong = [f"{size[1]}: cut: {shown.lines}"] if shown.cut and not is_list else []
    if len(shown.pages) * PAGE_S > NOTICE_S:
        wrong.append(f"{size[1]}: {len(shown.pages)} pages: {shown.lines}")
    return wrong + [
        f"{size[1]}: not shown: {text!r} {shown.lines}"
        for text in to_be_read(view, size)
        if not shown.has(text)
    ]


def to_be_read(view: TableView, size: tuple[int, int]) -> list[str]:
    """Return the texts of *view* that a display of *size* must show; a low one may omit some."""
    if view.notice is not None:
        return []  # a notice gets as many pages as it needs
    if view.choices is not None and (view.grid is None or view.grid.cursor is None):
        return [view.choices.prompt, view.choices.items[view.choices.cursor]]
    texts = [view.headline, view.action]
    if size == HIGH and view.grid is None:
        texts += [view.caption] if view.winners else [view.caption, view.hint]
    return texts


# --- games ---------------------------------------------------------------------------------------


class Unset:
    """A fake journal without settings."""

    def settings(self) -> dict[str, object]:
        return {}


@cache
def context(language: str, hints: Hints = Hints.REQUESTED) -> TableContext:
    """Return a context with the words of *language*, enough to draw views of games."""
    decks = {name: Case(game).deck for name, game in games().items()}
    settings = Settings(language, hints=hints)
    store = SettingsStore(settings, words_for, Unset())  # type: ignore[arg-type]
    return TableContext(games(), decks, store, None, None)  # type: ignore[arg-type]


def view_of(name: str, moment: Moment, language: str) -> TableView:
    """Return the view of *moment* in *language*, without scores, which are not words."""
    return replace(playing_at(name, moment, language).view(), scores=())


def playing_at(name: str, moment: Moment, language: str, hints: Hints = Hints.REQUESTED) -> Playing:
    """Return the game *name* at *moment*, played by people with the longest names."""
    setup = moment.setup
    names = LONGEST[: setup.seats]
    start = GameStart(name, names, setup.dealer, setup.options, setup.deck)
    return Playing(context(language, hints), games()[name], start, moment.state).with_new_picker()


ALONE = (".caption", ".hint")
every_game = pytest.mark.parametrize("name", sorted(games()))
every_language = pytest.mark.parametrize("language", languages())


# German and Hungarian have the longest words.
@pytest.mark.parametrize("language", long_unless("hu".__eq__, languages()))
@every_game
def test_nothing_that_a_game_shows_is_cut(name: str, language: str) -> None:
    wrong = [line for v in views_of(name, language) for z in SIZES for line in wrong_with(v, z)]
    assert wrong == []


@every_language
@every_game
def test_no_caption_or_hint_is_cut_that_random_games_may_not_reach(
    name: str, language: str
) -> None:
    """Captions and hints that random games may not reach are not cut beside a two-digit number."""
    shown = TableView("play", headline="30", names=LONGEST[:2], turn=Seat(0))
    codes = [code for code in entries(PACKAGES[name], ENGLISH) if code.endswith(ALONE)]
    views = [
        replace(shown, **{code.rpartition(".")[2]: filled(name, language, code)})  # type: ignore[arg-type]
        for code in codes
    ]
    assert [line for v in views for z in SIZES for line in wrong_with(v, z)] == []


def views_of(name: str, language: str) -> Iterator[TableView]:
    """Yield the different views of game *name* in random games."""
    views = (view_of(name, moment, language) for moment in moments(name))
    yield from {repr(view): view for view in views}.values()


# --- what the table shows beside any game --------------------------------------------------------


def longest(game: str, language: str, stem: str, form: str = "") -> str:
    """Return the longest text of the codes under *stem*, such as ``piece``, in *form*."""
    packages = {PACKAGES[game], TABLE_PACKAGE} if stem != "piece" else {PACKAGES[game]}
    known = {
        code: text
        for package in packages
        for code, entry in entries(package, language).items()
        for text in texts(entry)
        if code.startswith(f"{stem}.") and not code.endswith(".spoken")
    }
    formed = {code: text for code, text in known.items() if form and code.endswith(f".{form}")}
    plain = {code: text for code, text in known.items() if code.count(".") == 1}
    return max((formed or plain or {"": stem}).values(), key=len)


class Longest(dict[str, object]):
    """For each name of a fact, the longest value in *game*: a name, words or a two-digit number."""

    def __init__(self, game: str, language: str) -> None:
        self.game, self.language = game, language

    def __missing__(self, name: str) -> object:
        if name == "seat" or name.endswith("_seat"):
            return max(LONGEST, key=len)
        if name in WORDS:
            return InForms(self.game, self.language, WORDS[name])
        return FIXED.get(name, 40)


class InForms:
    """A value that a text may format in any grammatical form; gives the longest words of *stem*."""

    def __init__(self, game: str, language: str, stem: str) -> None:
        self.of, self.stem = (game, language), stem

    def __format__(self, form: str) -> str:
        words = longest(*self.of, self.stem, form)
        return words.format_map(Longest(*self.of))


STEMS = ("piece", "waits", "direction", "place", "card", "side", "landscape", "why", "colour")
WORDS = {name: name for name in STEMS}
WORDS["pieces"] = "piece"
FIXED = {"title": "Riff Raff", "part": "reader seat-6", "spot": "seat-6", "game": "riff-raff"}
FIXED |= {"value": "10", "code": "123456", "headline": "100"}
FIXED["names"] = ", ".join(LONGEST[1:])  # all players but one


def filled(game: str, language: str, code: str) -> str:
    """Return the longest form of the text *code*, filled with the longest facts of *game*."""
    known = entries(PACKAGES[game], language)
    entry = known[code] if code in known else entries(TABLE_PACKAGE, language)[code]
    return max((t.format_map(Longest(game, language)) for t in texts(entry)), key=len)


def notices(game: str, language: str) -> Iterator[Notice]:
    """Yield a notice for every refusal of *game*; for the table, all its other notices too."""
    codes = [code for code in entries(PACKAGES[game], ENGLISH) if code.endswith(".happened")]
    for code in (code.removesuffix(".happened") for code in codes):
        if f"{code}.do" not in entries(PACKAGES[game], ENGLISH):
            continue  # its second text depends on the case: see TOLD
        happened, do = (filled(game, language, f"{code}.{part}") for part in ("happened", "do"))
        yield Notice(happened, do)
    if game == TABLE:
        for happened, do in TOLD:
            yield Notice(filled(game, language, happened), filled(game, language, do))


TOLD = (
    ("unreadable", "unreadable.do"),
    ("unreadable", "enrol.unreadable"),
    ("part-lost", "part-lost.reader"),
    ("part-lost", "part-lost.display"),
    ("part-lost", "part-lost.lamps"),
    ("copy-failed", "copy-failed.missing"),
    ("copy-failed", "copy-failed.full"),
    ("copy-failed", "copy-failed.other"),
    ("pairing", "pairing.code"),
    ("tag-elsewhere.happened", "tag-taken.rename"),
)


def enrolling(game: str, language: str) -> Iterator[TableView]:
    """Yield the views of enrolling the three longest pieces of *game*, in every situation."""

    def told(code: str) -> str:
        return filled(TABLE, language, code)

    kinds = context(language).decks.get(game, COMMAND_CARDS).kinds
    names = [context(language).piece_name(game or COMMANDS, Piece(kind.name)) for kind in kinds]
    for name in sorted(names, key=len)[-3:]:
        of = words_for(language)[TABLE].say(Message("enrol.copy-of", {"copy": 10, "count": 12}))
        new = words_for(language)[TABLE].say(Message("enrol.copy-new", {"copy": of}))
        for caption, hint in ((of, "enrol.hint"), (new, "enrol.hint-new"), ("", "enrol.hint-new")):
            for label in ("label.skip", "label.rename"):
                progress = Progress(101, 108)
                yield TableView(
                    "enrolling",
                    headline=name,
                    caption=caption,
                    hint=told(hint),
                    action=told(label),
                    progress=progress,
                )
        lost = words_for(language)[TABLE].say(Message("enrol.lost", {"piece": name}))
        yield listed(lost, told("enrol.copy"), told("enrol.one-more"))
        line = Message("field.line", {"label": name, "value": "10/12"})
        yield listed(told("enrol.which"), words_for(language)[TABLE].say(line))
    for headline, label in (("enrol.all", "label.change"), ("enrol.left", "label.go-on")):
        yield TableView(
            "enrolling",
            headline=told(headline),
            hint=told(f"{headline}.hint"),
            action=told(label),
            progress=Progress(101, 108),
        )


def listed(prompt: str, *items: str) -> TableView:
    """Return the view of an open list with the cursor on its last line."""
    return TableView("list", choices=ListView(prompt, items, len(items) - 1))


def lists(game: str, language: str) -> Iterator[TableView]:
    """Yield a view for each line of each list that the table can open, with the cursor on it."""
    words = words_for(language)[game]
    labels = {
        code: words.plain(code)
        for code in entries(PACKAGES[game], ENGLISH)
        if code.startswith("option.") and code.count(".") == 1
    }
    for code, label in labels.items():
        values = [c for c in entries(PACKAGES[game], ENGLISH) if c.startswith(f"{code}.")]
        values = [value for value in values if ".help" not in value] or ["on", "off"]
        for value in map(words.plain, values):
            yield listed(label, "1", value)
            line = words.say(Message("field.line", {"label": label, "value": value}))
            yield listed(words.plain("title") if game else "", "1", line)
    for code in (
        "field.start",
        "menu.stickers",
        "commands",
        "enrol.leave",
        "spell",
        "box-of",
        "player",
    ):
        yield listed(words.plain("choose-game"), "1", filled(game, language, code))
    for code in entries(TABLE_PACKAGE, ENGLISH):
        if code.startswith("menu."):
            yield listed(words.plain("menu"), "1", words.plain(code))
        if code.startswith("level."):
            fact = {"label": words.plain("setting.level"), "value": words.plain(code)}
            yield listed(words.plain("menu.settings"), "1", words.say(Message("field.line", fact)))
            yield listed(words.plain("setting.level"), "1", words.plain(code))
    for who in ("field.players", "field.name", "field.dealer"):
        fact = {"label": filled(game, language, who), "value": LONGEST[0]}
        yield listed("", "1", words.say(Message("field.line", fact)))
    yield listed(words.plain("stack"), "1", longest(game, language, "piece"))
    yield listed(words.plain("choose-box"), "1", filled(game, language, "title") if game else "1")


every_package = pytest.mark.parametrize("game", PACKAGES)


@every_language
@every_package
def test_every_notice_can_be_read_while_it_is_shown(game: str, language: str) -> None:
    view = TableView("notice")
    views = [replace(view, notice=notice) for notice in notices(game, language)]
    views += [replace(each, fault=filled(game, language, "part-lost")) for each in views]
    assert [line for v in views for z in SIZES for line in wrong_with(v, z)] == []


@every_language
@every_game
def test_a_notice_that_names_several_awaited_players_can_be_read(name: str, language: str) -> None:
    """Such a notice is the answer to an input that the game does not wait for, as in a race."""
    notices = [notice for moment in moments(name) if (notice := not_now(name, moment, language))]
    views = [TableView("notice", notice=notice) for notice in dict.fromkeys(notices)]
    assert [line for v in views for z in SIZES for line in wrong_with(v, z)] == []
    assert bool(views) == (name in ("ciao", "riff-raff"))


@every_language
@every_game
def test_every_lesson_can_be_read_while_it_is_shown(name: str, language: str) -> None:
    lessons = lessons_of(games()[name])
    if lessons is None:
        pytest.skip("the game has no lessons")
    setup = Case(games()[name]).setup(games()[name].seats[0])
    names = LONGEST[: setup.seats]
    start = GameStart(name, names, setup.dealer, setup.options, setup.deck, is_lesson=True)
    played = Playing.begin(context(language), start)
    notices = [played.first_notice(), *map(played.lesson_notice, lessons.lessons)]
    views = [TableView("notice", notice=notice) for notice in notices]
    assert all(notices)
    assert [line for v in views for z in SIZES for line in wrong_with(v, z)] == []


def not_now(name: str, moment: Moment, language: str) -> Notice | None:
    """Return the answer to a number at *moment* if the game waits for several players, or None."""
    view = view_of(name, moment, language)
    if view.turn is not None or not 1 < len(view.awaited) < len(view.names):
        return None
    return playing_at(name, moment, language).number(99).notice


@every_language
@every_package
def test_nothing_of_a_list_or_an_enrolment_is_cut(game: str, language: str) -> None:
    views = (*lists(game, language), *enrolling(game, language))
    assert [line for v in views for z in SIZES for line in wrong_with(v, z)] == []


@every_language
def test_the_table_says_whole_how_to_begin_and_what_is_lost(language: str) -> None:
    idle = TableView("idle", title="tapmat", hint=filled(TABLE, language, "idle"))
    fault = filled(TABLE, language, "part-lost")
    for view in (idle, replace(idle, fault=fault)):
        for size in SIZES:
            assert wrong_with(view, size) == []
            assert Shown(view, size).has(view.hint)


# --- approved pictures ---------------------------------------------------------------------------


def longest_views(language: str) -> dict[str, TableView]:
    """Return, for each place on the display, the view of any game with the longest text there."""
    played = [view for name in games() for view in views_of(name, language)]
    read = [
        TableView("notice", notice=notice)
        for game in PACKAGES
        for notice in notices(game, language)
    ]
    open_lists = [view for game in PACKAGES for view in lists(game, language)]
    asked = [view for game in PACKAGES for view in enrolling(game, language)]
    playing = [view for view in played if view.choices is None and not view.winners]
    numbers = [view for view in playing if view.headline.lstrip("-").isdigit() and not view.grid]
    return {
        "hint": max(numbers, key=lambda view: (len(view.hint), len(view.caption))),
        "caption": max(numbers, key=lambda view: (len(view.caption), len(view.hint))),
        "action": max(numbers, key=lambda view: (len(view.action), len(view.hint))),
        "word": max(
            (view for view in playing if view not in numbers and not view.grid),
            key=lambda view: (len(view.headline) + len(view.caption), len(view.hint)),
        ),
        "map": max((view for view in playing if view.grid), key=lambda view: len(view.hint)),
        "choice": max(
            (view for view in played if view.choices and not view.grid),
            key=lambda view: view.choices is not None and len(view.choices.prompt),
        ),
        "winner": max((v for v in played if v.winners), key=lambda view: len(view.caption)),
        "refusal": max(read, key=lambda view: len(str(view.notice))),
        "house-rule": max(open_lists, key=chosen_length),
        "enrolment": max(asked, key=lambda view: len(view.headline + view.caption + view.hint)),
        "sticker-lost": max(asked, key=lambda view: view.choices is not None and len(str(view))),
        "fault": TableView(
            "idle",
            title="tapmat",
            hint=filled(TABLE, language, "idle"),
            fault=filled(TABLE, language, "part-lost"),
        ),
    }


def chosen_length(view: TableView) -> int:
    """Return the length of the line under the cursor, with the prompt above it."""
    choices = view.choices
    return 0 if choices is None else len(choices.items[choices.cursor] + choices.prompt)


@every_language
def test_the_longest_texts_draw_their_approved_pictures(language: str, golden: Golden) -> None:
    """For each place on the display, the view with the longest text there draws its pictures."""
    for name, view in longest_views(language).items():
        for width, height in SIZES:
            for number, page in enumerate(screens.pages(view, (width, height)), start=1):
                golden.check(f"{language}-{width}x{height}", f"{name}-{number}", page)
