"""Every link in the documents has a target, and the site is built without a warning."""

import os
import runpy
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, Page

CONF = runpy.run_path(str(ROOT / "docs" / "conf.py"))


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    for link in page.links:
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        file = Path(os.path.normpath(page.path.parent / path)) if path else page.path
        assert file.is_file(), f"{page.name} leads to {link}, which is not there"
        assert not anchor or anchor in Page(file).anchors, f"{page.name}: no heading for {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_picture_says_what_it_shows(page: Page) -> None:
    pictures = (p for token in page.tokens for p in token.children or () if p.type == "image")
    assert all(picture.content for picture in pictures)


def test_every_page_can_be_reached_from_the_first() -> None:
    """Links alone lead from the first page to every other, without the site's menu."""
    reached: set[Path] = set()
    waiting = [ROOT / "docs" / "index.md"]
    while waiting:
        file = waiting.pop()
        if file in reached or file.suffix != ".md" or not file.is_file():
            continue
        reached.add(file)
        links = (link.partition("#")[0] for link in Page(file).links if "://" not in link)
        waiting += [Path(os.path.normpath(file.parent / link)) for link in links if link]
    pages = {page.path for page in PAGES if page.path.parent == ROOT / "docs"}
    assert pages <= reached, sorted(page.name for page in PAGES if page.path in pages - reached)


def test_the_site_lists_every_page() -> None:
    listed = {f"docs/{name}.md" for names in CONF["CHAPTERS"].values() for name in names}
    pages = {page.name for page in PAGES if page.path.parent == ROOT / "docs"}
    assert listed == pages - {"docs/index.md"}
