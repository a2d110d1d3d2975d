"""The texts that the page itself shows, from the catalogues ``sim/web/words/<language>.po``.

Their msgids are the English texts in the page's JavaScript and HTML, and in the errors that the
server sends (docs/virtual-table-inside.md).
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from firmware.voice.words import read_catalogue

COUNTS = (0, 1, 2)  # the plural form for 2 is also that for all larger counts


def page_catalogue(language: str) -> Traversable:
    """Return the catalogue file of *language*. There is none for English."""
    return files(__package__) / "words" / f"{language}.po"


@cache
def page_words(language: str) -> dict[str, str | list[str]]:
    """Return the page's texts in *language* by the English text.

    Texts without a translation are left out. A text with a plural is a list of the texts for each
    of ``COUNTS``.

    Raises:
        WordsError: the catalogue cannot be read.
    """
    file = page_catalogue(language)
    if not file.is_file():
        return {}
    found = read_catalogue(file)
    return {
        code: [found.text(code, n) for n in COUNTS] if code in found.plurals else found.text(code)
        for code in sorted(found.codes)
    }
