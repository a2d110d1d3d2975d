"""The documents, as their tests read them: fences, links, headings and tables.

Room: tests.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
COMMANDS = ("tapmat", "make", "./install-pi")  # what a shown line may begin with and is tried
SYSTEM = ("sudo", "git")  # what stands beside them and is not ours

COMMENT = re.compile(r"(?:^|\s)#.*")  # to the shell; weight-7#2 has none

# In an order that does not depend on the disk: pytest-xdist compares what its workers collect.
FILES = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "engines").glob("*/RULES.md")),
)


@dataclass(frozen=True)
class Fence:
    """One fenced block: *language*, *text*, and the *file* that the words before it name."""

    language: str
    text: str
    file: str = ""

    @property
    def is_rehearsal(self) -> bool:
        """Whether it states what a mat must answer."""
        return not self.language and bool(re.search(r"^expect ", self.text, re.MULTILINE))

    @property
    def lines(self) -> Iterator[tuple[str, ...]]:
        """Its lines as a shell reads them; one that ends in a backslash goes on."""
        for line in self.text.replace("\\\n", " ").splitlines():
            if words := shlex.split(COMMENT.sub("", line)):
                yield tuple(words)

    @property
    def is_commands(self) -> bool:
        """Whether it shows commands to type."""
        if self.language or self.is_rehearsal:
            return False
        first = self.text.split(maxsplit=1)[0]
        return first in (*COMMANDS, *SYSTEM)


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """Its name from the root: ``docs/parts.md``."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tokens(self) -> list[Token]:
        """What a reader of Markdown makes of it."""
        return MarkdownIt("commonmark").enable("table").parse(self.text)

    @property
    def fences(self) -> Iterator[Fence]:
        """Its fenced blocks, in order."""
        before = ""
        for token in self.tokens:
            if token.type == "fence":
                named = re.search(r"`([\w./-]+)`:$", before)
                yield Fence(token.info.strip(), token.content, named[1] if named else "")
            before = token.content if token.type == "inline" else before

    @property
    def links(self) -> Iterator[str]:
        """Where its links and pictures lead."""
        for token in self.tokens:
            for part in token.children or ():
                target = part.attrs.get("href", part.attrs.get("src"))
                if target is not None:
                    yield str(target)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The places on it that a link can name, spelt as repositories spell them."""
        headings = (
            after.content
            for token, after in zip(self.tokens, self.tokens[1:], strict=False)
            if token.type == "heading_open"
        )
        return frozenset(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings)


PAGES = tuple(map(Page, FILES))
MANUAL = tuple(p for p in PAGES if p.path.parent in (ROOT, ROOT / "docs"))  # what people follow


def page(name: str) -> Page:
    """The page called *name*, from the root."""
    return Page(ROOT / name)
