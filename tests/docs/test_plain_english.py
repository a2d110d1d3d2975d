"""The project's prose avoids the words on the list."""

from collections.abc import Iterable

import pytest

from tests.docs.pages import ROOT
from tests.docs.plain_english import (
    Prose,
    other_files,
    prose,
    prose_of_page,
    prose_of_source,
    room_of,
)


def findings(found: Iterable[Prose]) -> list[str]:
    return [finding for each in found for finding in each.findings]


def test_the_project_has_no_findings() -> None:
    where = [
        f"{each.path.relative_to(ROOT)}:{each.line}: {f}" for each in prose() for f in each.findings
    ]
    assert where == []


@pytest.mark.parametrize(
    "source",
    [
        '"""What the table shows."""',
        'def f():\n    """Whether it is on."""',
        'class A:\n    """Who plays.\n\n    More."""',
        "x = 1  # whoever taps",
        'raise ValueError("give so many cards")',
        'def f():\n    """Return it anew."""',
        '"""It takes some 300 us."""',
        "# this stands in the file",
        '"""A process that is no more."""',
        "# a card that stands in for another",
        "# in another order than before",
        "# a text of other words than were sent",
        "raise ValueError('name a key of SSH')",
        "raise ValueError('send a list of texts')",
        '"""Return the last card; None if none."""',
        '"""Close it, also if it is broken."""',
        "# shuffled amid a draw",
        "# files kept over a restart",
        "# a program that knows nothing of it",
        '"""Claim it, be that true or not."""',
        '"""It cannot answer for device nodes."""',
        '"""Draws the cards."""',
        '"""Run it in a thread of its own."""',
        "# drivers with libraries of their own",
        "# a part that is offline is told",
        '"""A Bloom ends the turn, and so does a Cramel."""',
        "def test_whoever_taps_scores(): ...",
        "def test_a_place_that_is_none_is_refused(): ...",
    ],
)
def test_a_refused_word_is_found(source: str) -> None:
    assert len(findings(prose_of_source(ROOT / "engines/x.py", source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Return what the table shows."""',
        '"""Pass the cards on."""',
        '"""Measurements of the display."""',
        'def f():\n    """Show How."""',
        'x = "What is it?"',
        "x = 1  # there is no more than one, and so many that none fits",
        "# one of its own paths; two cards that can be told apart",
    ],
)
def test_plain_words_are_left_alone(source: str) -> None:
    assert findings(prose_of_source(ROOT / "engines/x.py", source)) == []


def test_a_page_is_read_by_its_lines() -> None:
    text = "Whoever taps plays.\n\nWhat it is for.\n"
    assert [p.line for p in prose_of_page(ROOT / "docs/x.md", text) if list(p.findings)] == [1]


def test_all_files_with_comments_are_read() -> None:
    read = {path.relative_to(ROOT).as_posix() for path in other_files()}
    assert read >= {
        *("Makefile", "install-pi", ".ci/run", "image/config.txt", "firmware/pi/tapmat.service"),
        *("sim/web/static/main.js", "sim/web/static/style.css", "firmware/pi/tapmat.sh"),
        *("tests/rehearsals/straw/stack-of-two.mat", "tests/firmware/slap/RULES.md"),
        *("image/root/usr/lib/tapmat/grow", "tests/board/init"),
    }


def test_rooms_are_those_of_the_house() -> None:
    paths = ("engines/straw/words/en.po", "firmware/show/fonts/x.py", "hardware/x.py", "README.md")
    assert [room_of(ROOT / p) for p in paths] == ["engines/straw", "firmware/show", "hardware", "."]
