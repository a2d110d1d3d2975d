"""The documents show the wiring of the current templates."""

import re
from pathlib import Path

import pytest

from firmware.plan.documents import DOCS, PAGE, PICTURES, plan_of_template, section, update_page
from firmware.plan.page import draw
from firmware.plan.svg import to_svg
from firmware.plan.templates import FOLDER, TEMPLATES

# If one of these fails, run python -m firmware.plan.documents and look at what changed.


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_picture_of_the_documents_has_not_drifted(template: str) -> None:
    drawing = draw(plan_of_template(template))
    assert (PICTURES / f"wiring-{template}.svg").read_text(encoding="utf-8") == to_svg(drawing)


def test_the_tables_of_the_page_have_not_drifted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == update_page(page)


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_page_has_every_template(template: str) -> None:
    assert section(template) in PAGE.read_text(encoding="utf-8")


def test_a_table_that_somebody_changed_by_hand_is_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    changed = page.replace("| `SDA` | 24 |", "| `SDA` | 26 |")
    assert changed != page
    assert update_page(changed) == page


def test_what_is_around_the_tables_is_left_as_it_is() -> None:
    page = "By hand\n<!-- wiring of smallest -->\nold\n<!-- end of wiring -->\nby hand too\n"
    made = update_page(page)
    assert made.startswith("By hand\n<!-- wiring of smallest -->\n![")
    assert made.endswith("```\n<!-- end of wiring -->\nby hand too\n")
    assert "old" not in made


def test_every_file_that_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", PAGE.read_text(encoding="utf-8"))
    assert len(links) >= len(TEMPLATES)
    assert [link for link in links if not (DOCS / link).is_file()] == []


def test_every_template_that_comes_with_tapmat_is_offered() -> None:
    assert {file.stem for file in Path(FOLDER).glob("*.toml")} == set(TEMPLATES)
