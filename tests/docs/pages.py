"""The documents as their tests read them: fenced blocks, links, headings and commands."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
COMMANDS = ("tapmat", "make", "./install-pi")  # first words of lines that the tests run
SYSTEM = ("sudo", "git", "tar", "cd")  # first words of lines that the tests do not run

COMMENT = re.compile(r"(?:^|\s)#.*")  # a shell comment; the # of weight-7#2 begins none

# Sorted, because pytest-xdist requires that all workers collect the same order.
FILES = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "engines").glob("*/RULES.md")),
)


@dataclass(frozen=True)
class Fence:
    """A fenced block of a page; *file* is the file that the text before it names, or empty."""

    language: str
    text: str
    file: str = ""

    @property
    def is_rehearsal(self) -> bool:
        """True if the block is a rehearsal: commands for a mat and the expected answers."""
        return not self.language and bool(re.search(r"^expect ", self.text, re.MULTILINE))

    @property
    def lines(self) -> Iterator[tuple[str, ...]]:
        """The words of each command line, as a shell reads them, without comments."""
        for line in self.text.replace("\\\n", " ").splitlines():
            if words := shlex.split(COMMENT.sub("", line)):
                yield tuple(words)

    @property
    def is_commands(self) -> bool:
        """True if the block shows commands to type."""
        if self.language or self.is_rehearsal:
            return False
        first = self.text.split(maxsplit=1)[0]
        return first in (*COMMANDS, *SYSTEM)


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """The path from the project's root: ``docs/parts.md``."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """The whole text of the page."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tokens(self) -> list[Token]:
        """The Markdown tokens of the page."""
        return MarkdownIt("commonmark").enable("table").parse(self.text)

    @property
    def fences(self) -> Iterator[Fence]:
        """The fenced blocks of the page, in order."""
        before = ""
        for token in self.tokens:
            if token.type == "fence":
                named = re.search(r"`([\w./-]+)`:$", before)
                yield Fence(token.info.strip(), token.content, named[1] if named else "")
            before = token.content if token.type == "inline" else before

    @property
    def links(self) -> Iterator[str]:
        """The targets of the page's links and pictures."""
        for token in self.tokens:
            for part in token.children or ():
                target = part.attrs.get("href", part.attrs.get("src"))
                if target is not None:
                    yield str(target)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The names of the page's headings in links, spelt as GitHub spells them."""
        headings = (
            after.content
            for token, after in zip(self.tokens, self.tokens[1:], strict=False)
            if token.type == "heading_open"
        )
        return frozenset(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings)


PAGES = tuple(map(Page, FILES))
MANUAL = tuple(p for p in PAGES if p.path.parent in (ROOT, ROOT / "docs"))  # pages to follow


def page(name: str) -> Page:
    """Return the page with the path *name* from the project's root."""
    return Page(ROOT / name)
