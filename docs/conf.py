"""How ``make docs`` builds the site: Sphinx over the repository's own Markdown.

No page needs the site. Pages are plain Markdown, and links go from file to file; here stands only
in which order the site lists them. Sphinx names the values.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tests read this file where there is no Sphinx
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

CHAPTERS = {
    "Build a mat": ("parts", "building", "image", "wiring", "readers-and-display", "tilt-sensor"),
    "Play": (
        "stickers",
        "enrolling",
        "first-game",
        "house-rules",
        "eyes-free",
        "the-mat-plays",
        "voice",
        "sound",
        "journal",
        "nothing-lost",
        "virtual-table",
        "first-minutes-straw",
        "first-minutes-cramel",
        "first-minutes-ciao",
        "first-minutes-riff-raff",
        "first-minutes-camargue",
    ),
    "When something is wrong": ("doctor", "doctor-faults", "tested-on"),
    "Extend it": (
        "adding-a-game",
        "virtual-table-inside",
        "adding-a-reader",
        "adding-an-led-strip",
        "companion",
        "home-assistant",
        "hall",
        "secrecy",
        "outlet",
        "rehearsals",
        "real-nodes",
        "robots",
        "environments",
        "bench",
    ),
    "Reference": ("commands", "table-toml"),
}

project = "tapmat"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    *("*.md", "docs/*.md", "docs/decisions/*.md", "engines/*/RULES.md"),
    *("sim/fakepi/*.md", "sim/fakepi/docs/*.md", "sim/fakepi/docs/museum/*.md"),
]
exclude_patterns = [".*", "build", "dist", "tests"]
highlight_language = "text"
nitpicky = True

myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # CHANGELOG.md goes from the version to the kind of change

html_theme = "furo"
html_title = "tapmat"
html_show_copyright = False
html_copy_source = False
templates_path = ["templates"]
html_additional_pages = {"index": "to-docs.html"}


def chapters(_app: Sphinx, page: str, text: list[str]) -> None:
    """Add to the first page, for the site alone, the list of all pages."""
    if page != root_doc:
        return
    there = {chapter: list(pages) for chapter, pages in CHAPTERS.items()}
    there["The project"] = ["../README", "../CONTRIBUTING", "../CHANGELOG"]
    fakepi = [*found("sim/fakepi/*.md"), *found("sim/fakepi/docs/**/*.md")]
    there["fakepi"] = [f"../{p.with_suffix('')}" for p in fakepi]
    there["The games' rules"] = [f"../{p.with_suffix('')}" for p in found("engines/*/RULES.md")]
    there["Decisions"] = [f"decisions/{p.stem}" for p in found("docs/decisions/*.md")]
    for chapter, pages in there.items():
        text[0] += "\n".join(
            ["", "```{toctree}", ":hidden:", f":caption: {chapter}", "", *pages, "```", ""]
        )


def found(pattern: str) -> list[Path]:
    """The files of *pattern*, named from the root."""
    return sorted(file.relative_to(ROOT) for file in ROOT.glob(pattern))


def setup(app: Sphinx) -> None:
    """Have Sphinx add the list."""
    app.connect("source-read", chapters)
