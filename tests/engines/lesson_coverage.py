"""Print which share of each game's rules the lessons teach, in each language.

``.venv/bin/python -m tests.engines.lesson_coverage`` prints a row for each game: the number of
paragraphs of its RULES.md, those that are marked as needing no lesson, and for each language those
that a lesson with a text in it teaches. It exits with 1 if a paragraph is neither taught nor
marked.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from engines.common.lessons import lessons_of
from firmware.voice.words import languages, read_catalogue
from tests.engines.contract import Case, installed, paragraphs


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of paragraphs of one game's rules; *taught* is by language."""

    paragraphs: int
    marked: int
    taught: Mapping[str, int]

    @property
    def share(self) -> float:
        """The share of paragraphs that are taught or marked, in the language with the fewest."""
        return (min(self.taught.values()) + self.marked) / self.paragraphs


def coverage_of(case: Case) -> Coverage:
    """Return the coverage of the game *case*, which has lessons."""
    lessons, sheet = lessons_of(case.game), paragraphs(case)
    assert lessons is not None
    taught = {}
    for language in languages():
        codes = read_catalogue(files(case.game.package) / "words" / f"{language}.po").codes
        every = (each for each in (*lessons.opening, *lessons.lessons) if each.code in codes)
        taught[language] = len({rule for lesson in every for rule in lesson.rules} & sheet)
    return Coverage(len(sheet), len(sheet & set(lessons.untaught)), taught)


def main() -> int:
    """Print the table; return 1 if a paragraph is neither taught nor marked."""
    rows = {name: coverage_of(Case(game)) for name, game in sorted(installed().items())}
    print("game       paragraphs  marked ", *(f"{each:>3}" for each in languages()), "  share")
    for name, row in rows.items():
        taught = (f"{n:3}" for n in row.taught.values())
        print(f"{name:10} {row.paragraphs:10}  {row.marked:6} ", *taught, f" {row.share:6.0%}")
    return int(any(row.share < 1 for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
