"""Bring the catalogues of the command line up to date: ``make words``.

Room: tests. What is new comes in empty, what is gone is left out, and each is compiled.
"""

import io
import os
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from firmware import LOCALE, WORDS
from tests.words.sources import template

NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # the same words give the same file, whenever
HEADER = r"""# What the command line says; the English is the msgid. Made complete by: make words
msgid ""
msgstr ""
"Project-Id-Version: tapmat\n"
"Language: {language}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: {plurals}\n"

"""


def catalogues() -> dict[str, Path]:
    """The catalogue of each language, by its code."""
    return {file.parts[-3]: file for file in sorted(LOCALE.glob(f"*/LC_MESSAGES/{WORDS}.po"))}


def read(file: Path) -> Catalog:
    """The catalogue in *file*."""
    with file.open("rb") as opened:
        return read_po(opened)


def strings(message: Message) -> tuple[str, ...]:
    """The translation of *message*, in each of its plural forms."""
    string = message.string or ""
    return (string,) if isinstance(string, str) else tuple(string)


def write(catalog: Catalog, file: Path) -> None:
    """Write *catalog* to *file*, and compiled beside it; no dates and no lines, for small diffs."""
    body = io.BytesIO()
    write_po(body, catalog, no_location=True, omit_header=True, ignore_obsolete=True, width=100)
    header = HEADER.format(language=catalog.locale_identifier, plurals=catalog.plural_forms)
    file.write_text(header + body.getvalue().decode(), encoding="utf-8", newline="\n")
    file.with_suffix(".mo").write_bytes(compiled(file))


def compiled(file: Path) -> bytes:
    """The catalogue in *file* as gettext reads it."""
    opened = io.BytesIO()
    catalog = read(file)
    catalog.creation_date = catalog.revision_date = NEVER
    write_mo(opened, catalog)
    return opened.getvalue()


def main() -> None:
    """Bring every catalogue up to date."""
    os.environ["LANGUAGE"] = "en"
    texts = template()
    for language, file in catalogues().items():
        catalog = read(file)
        catalog.update(texts, no_fuzzy_matching=True)
        write(catalog, file)
        empty = sum(1 for message in catalog if not all(strings(message)))
        print(f"{language}: {len(catalog)} texts, {empty} of them to be translated")


if __name__ == "__main__":
    main()
