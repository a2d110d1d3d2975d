"""The page's own texts are in its catalogues, and each catalogue has no others."""

import io
import re
import string

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from firmware.voice.words import ENGLISH, languages
from sim.people.person import can_be_spelt
from sim.players.levels import styles_of
from sim.robots.games import OURS
from sim.web.page_words import page_catalogue, page_words
from sim.web.server import STATIC
from tests.firmware.test_catalogues import PLURALS
from tests.sim.web.page_texts import (
    ERRORS,
    other_calls,
    sentences,
    sentences_of_server,
    texts_of_html,
    texts_of_scripts,
    untranslated_texts,
)

OTHERS = [language for language in languages() if language != ENGLISH]
NAMES = {"tapmat"}  # the same in every language


every_language = pytest.mark.parametrize("language", OTHERS)


def catalogue(language: str) -> Catalog:
    return read_po(io.BytesIO(page_catalogue(language).read_bytes()), abort_invalid=True)


def texts(entry: Message) -> tuple[str, ...]:
    """Return the entry's text, or its plural forms."""
    return (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())


def facts(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def used() -> dict[str, str]:
    """Return the texts that the page uses, each with its plural or an empty text."""
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    others = texts_of_html(html) | set(ERRORS)
    return dict.fromkeys(others - NAMES, "") | texts_of_scripts()


@every_language
def test_a_catalogue_has_exactly_the_texts_that_the_page_uses(language: str) -> None:
    found = {}
    for entry in catalogue(language):
        if entry.id:
            one, many = (entry.id, "") if isinstance(entry.id, str) else entry.id
            found[one] = many
    assert found == used()


@every_language
def test_every_text_is_translated_with_the_same_facts(language: str) -> None:
    made = catalogue(language)
    assert str(made.locale) == language
    assert dict(made.mime_headers)["Plural-Forms"] == PLURALS[language]
    for entry in made:
        if not entry.id:
            continue
        english = entry.id if isinstance(entry.id, str) else entry.id[1]
        assert len(texts(entry)) == (made.num_plurals if entry.pluralizable else 1), english
        for text in texts(entry):
            assert text.strip() == text != "", english
            # Facts of an error, such as a card's tag, may be left out.
            assert (
                facts(text) <= facts(english)
                if english in ERRORS
                else facts(text) == facts(english)
            )
    assert [entry.id for entry in made if entry.fuzzy and entry.id] == []


def test_no_text_is_translated_by_a_variable() -> None:
    assert other_calls() == set()


def test_no_script_of_play_has_a_text_that_is_not_translated() -> None:
    assert untranslated_texts() == set()


@every_language
def test_a_suggested_name_can_be_spelt(language: str) -> None:
    text = page_words(language)["Player {n}"]
    assert isinstance(text, str)
    assert can_be_spelt(text.format(n=6))


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_is_one_of_the_servers(error: str) -> None:
    assert sentences(error) <= sentences_of_server()


def test_the_errors_of_the_server_itself_are_in_the_catalogues() -> None:
    source = (STATIC.parent / "server.py").read_text(encoding="utf-8")
    whole = set(re.findall(r'_error\("([^"]+)"', source)) | set(
        re.findall(r'refused = "(.+)"', source)
    )
    assert len(whole) >= 3
    assert whole - set(ERRORS) == {"Send messages as JSON text."}


def test_words_have_a_text_for_each_count() -> None:
    assert page_words("de")["1 card"] == ["{n} Karten", "{n} Karte", "{n} Karten"]
    assert page_words("fr")["1 card"] == ["{n} carte", "{n} carte", "{n} cartes"]
    assert page_words("hu")["1 card"] == ["{n} lap", "{n} lap", "{n} lap"]
    assert page_words("en") == page_words("xx") == {}


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<body><p>Draw a card</p></body>", {"Draw a card"}),
        ("<body><p lang='en'>Pull <b>the plug</b></p><i>Go on</i></body>", {"Go on"}),
        ("<body><button aria-label='One more'>+</button></body>", {"One more"}),
    ],
)
def test_the_texts_of_html_are_found(html: str, found: set[str]) -> None:
    assert texts_of_html(html) == found


@pytest.mark.parametrize("game", OURS)
def test_every_level_of_a_robot_has_words(game: str) -> None:
    script = (STATIC / "styles.js").read_text(encoding="utf-8")
    assert [style for style in styles_of(game) if f'"{style}": () => t(' not in script] == []
