"""The command line in other languages: catalogues that are whole, and what a terminal then says.

Room: tests.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from tests.words.sources import template
from tests.words.update import catalogues, compiled, read, strings

LANGUAGES = ("de", "es", "fr", "hu", "it")
FIELD = re.compile(r"\{[^{}]*\}|%\([a-z_]+\)s|%s")
BEHIND = "; "  # what stands behind it in a part's text is the remedy


def forms(message: Message) -> tuple[str, ...]:
    """The English of *message*, for one and for many."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def fields(text: str) -> list[str]:
    return sorted(set(FIELD.findall(text)))


def texts(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


@pytest.fixture(scope="module", params=LANGUAGES)
def catalog(request: pytest.FixtureRequest) -> Catalog:
    return read(catalogues()[request.param])


def test_there_is_a_catalogue_of_every_language_beside_english() -> None:
    assert tuple(catalogues()) == LANGUAGES


def test_a_catalogue_has_what_the_source_says_and_nothing_else(catalog: Catalog) -> None:
    in_source = {message.id for message in texts(template())}
    assert len(in_source) > 300
    assert {message.id for message in texts(catalog)} == in_source, "run: make words"


def test_everything_is_translated(catalog: Catalog) -> None:
    empty = [message.id for message in texts(catalog) if not all(strings(message))]
    assert not empty
    assert not [message.id for message in catalog if message.fuzzy and message.id]


def test_a_translation_has_the_facts_of_the_english(catalog: Catalog) -> None:
    for message in texts(catalog):
        wanted = [fields(form) for form in forms(message)]
        for text in strings(message):
            assert fields(text) in wanted, text


def test_a_translation_has_its_remedy_where_the_english_has_it(catalog: Catalog) -> None:
    for message in texts(catalog):
        for text in strings(message):
            assert text.count(BEHIND) == forms(message)[0].count(BEHIND), text


def test_a_translation_begins_and_ends_as_the_english(catalog: Catalog) -> None:
    for message in texts(catalog):
        english = forms(message)[0]
        for text in strings(message):
            assert text[-1].isspace() == english[-1].isspace(), text
            assert text[0].isspace() == english[0].isspace(), text
            assert text.count("\n") == english.count("\n"), text


def test_there_are_as_many_plurals_as_the_language_has(catalog: Catalog) -> None:
    count = {"hu": 1}.get(str(catalog.locale_identifier), 2)
    plurals = [message for message in texts(catalog) if not isinstance(message.id, str)]
    assert plurals
    assert {len(strings(message)) for message in plurals} == {count}


def test_french_counts_nothing_as_one() -> None:
    assert read(catalogues()["fr"]).plural_expr == "(n > 1)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_gettext_reads_is_what_translators_wrote(language: str) -> None:
    file = catalogues()[language]
    assert file.with_suffix(".mo").read_bytes() == compiled(file), "run: make words"


def spoken(language: str, *words: str) -> str:
    """What ``tapmat`` *words* prints, as lines without frames."""
    environment = {**os.environ, "LANGUAGE": language, "COLUMNS": "300", "PYTHONUTF8": "1"}
    command = (sys.executable, "-m", "firmware.cli", *words)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout + done.stderr


def test_help_is_in_the_language_of_the_environment() -> None:
    shown = spoken("de_AT:en", "--help")
    assert "Aufruf: " in shown
    assert "Eine Spielmatte, die auf die Regeln achtet." in shown
    assert "Betreibt den Tisch." in shown
    assert "Öffnet den virtuellen Tisch" in shown, "a command of another room"


def test_help_of_a_command_says_what_its_options_are() -> None:
    shown = spoken("de", "wiring", "--help")
    assert "Optionen" in shown
    assert "In diese Datei zeichnen." in shown


def test_clicks_own_words_are_translated() -> None:
    assert "Den Befehl 'plai' gibt es nicht." in spoken("de", "plai")


def test_a_wrong_file_is_refused_in_german(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text("[displai]\n", encoding="utf-8")
    shown = spoken("de", "wiring", "--table", str(table))
    assert f'{table}: displai ist hier nicht bekannt. Meinst du "display"?' in shown


def test_the_doctor_speaks_german_and_programs_read_english(tmp_path: Path) -> None:
    table = ("--state", str(tmp_path), "--sim", "--quick")
    assert f"MB frei in {tmp_path}" in spoken("de", "doctor", *table)
    report = json.loads(spoken("de", "doctor", *table, "--json"))
    disk = next(found for found in report["findings"] if found["part"] == "disk")
    assert disk["found"].endswith(f"MB free at {tmp_path}")


def test_a_language_without_a_catalogue_gets_english() -> None:
    assert "Run the table." in spoken("fi", "--help")
