"""Each bug of the museum has a page and a test of the same name."""

import ast
import re
from pathlib import Path

import pytest

from tests.fakepi.museum.pages import INDEX, index, pages

SECTIONS = ["Why it happens", "Which driver has it", "How to avoid it", "Reports and test"]
REPORT = re.compile(r"^- [\w.-]+/[\w.-]+#\d+$", re.MULTILINE)
HERE = Path(__file__).parent


def files() -> dict[str, str]:
    """Return the file of each test of the museum, by the test's name."""
    found = {}
    for path in HERE.glob("test_*.py"):
        if path == Path(__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = path.name
    return found


def test_each_page_has_a_test_and_each_test_a_page() -> None:
    assert {f"test_{name.replace('-', '_')}" for name in pages()} == set(files())
    assert len(pages()) >= 12


@pytest.mark.parametrize("name", pages())
def test_a_page_says_all_that_it_should(name: str) -> None:
    text = pages()[name]
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == SECTIONS
    assert REPORT.search(text), "names no report as owner/repo#number"
    test = f"test_{name.replace('-', '_')}"
    assert f"[{test}](../../../../tests/fakepi/museum/{files()[test]})" in text


def test_the_index_is_made_from_the_pages() -> None:
    how = "run: python -m tests.fakepi.museum.pages"
    assert INDEX.read_text(encoding="utf-8") == index(), how
