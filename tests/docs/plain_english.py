"""The word list of the project's prose, and a command that prints what breaks it.

``python -m tests.docs.plain_english`` prints the findings of all rooms, or of the rooms named on
the command line (``engines/straw docs``).
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import FILES, ROOT

ROOMS = ("engines", "hardware", "firmware", "sim", "tests")
OURSELVES = (Path(__file__), Path(__file__).with_name("test_plain_english.py"))

# Files other than Python and pages whose lines are prose or have comments.
OTHERS = (
    *("Makefile", "install-pi", ".ci/*", "image/**/*", "requirements/*.in", "pyproject.toml"),
    *("**/*.mat", "**/RULES.md", "**/*.pyi", "**/*.toml", "**/*.sh", "**/*.service", "**/*.timer"),
    *("**/*.js", "**/*.ts", "**/*.css", "**/*.html", "tests/board/*", "tests/cuts/guest/*"),
)
MADE = {"node_modules", "__pycache__"}  # not written by us
FOLDERS = ("engines", "firmware", "hardware", "sim", "tests", "typings")

# A docstring opens with what the thing is or does.
OPENINGS = re.compile(
    r"(?:What|Whether|How|Who|Whose|Whom|Where|Whatever|Whoever|Wherever)\b"
    r"|(?!\w+(?:ss|us)\b)[A-Z][a-z]+s (?=(?:the|an?|one|each|its|all|if)\b)"  # such as "Draws the"
)
# In lower case, because Python looks for both cases several times slower.
WORDS = re.compile(
    r"""\b(?:
    who(?:m|se)?(?:so)?ever | whatever | whichever\b(?=\ (?:is|was|of)\b) | wherever
    | anew | befall\w* | insofar | thereof | therein | whereof
    | (?:is|are|was|were)\ no\ more(?!\ (?:than|of))\b | of\ (?:which|whom)\ it\ is\ known
    | (?:let|lets|letting)\ go\ of | (?:has|have|had)\ to\ itself
    | (?:what|that)\ (?:becomes?|became|comes?|came)\ of | as\ (?:it|they)\ may\b(?!\ be)
    | none\ that\b | some\ (?=\d) | so\ many(?!\ that)
    | (?:stands?|stood)\ in\ for\b | stands\ in\ the\b
    | (?:that|which)\ (?:is|are)\ (?P<word>none)\b
    | another\ \w+\ than | other\ \w+\ than\ (?:is|are|was|were) | keys?\ of\ ssh
    | lists?\ of\ texts
    | (?:none|empty)\ if\ none(?=[.,;]) | also\ if\b | amid\b | kept\ over
    | knows?\ nothing\ of | answers?\ for\ device\ nodes | and\ so\ (?:does|is|are|do)(?=[^,]*\.$)
    | (?:an?|the|no|each|every|in|on)\ (?:[-\w`]+\ ){1,3}of\ (?:its|their)\ own(?!\ \w)
    | [-\w`]+s\ of\ their\ own(?!\ \w) | (?:is|are|was|were|be)\ (?:not\ )?told(?=[.,;)]|$)
    | of\ our\ own(?!\ \w) | be\ (?:that|it)\ true\ or\ not
    | (?:stands?|stood|lies|lay)\ in\ (?=`|(?:the|this|its)\ (?:file|folder|journal|log|state)\b)
    )""",
    re.VERBOSE,
)


# The end of a line of Python from a "#" on: a comment, seldom a text. It is quicker than tokens.
COMMENT = re.compile(r"(?:^|\s)#\s.*")


@dataclass(frozen=True)
class Prose:
    """A docstring, a comment, a text of the program, or a paragraph of a page."""

    path: Path
    line: int
    text: str
    is_docstring: bool = False

    @property
    def findings(self) -> Iterator[str]:
        """A description of each refused word in the text."""
        if self.is_docstring and (opening := OPENINGS.match(self.text)):
            yield f"opens with {opening[0]!r}"
        for found in WORDS.finditer(self.text.lower()):
            if not found["word"] or self.text[slice(*found.span("word"))] == "none":  # no value
                yield f"says {self.text[slice(*found.span())].strip()!r}"

    @property
    def room(self) -> str:
        """The room of the file: ``engines/straw``, ``docs``, or ``.`` for files at the top."""
        return room_of(self.path)


def room_of(path: Path) -> str:
    """Return the room of the file *path*: two folders deep in the rooms of code, otherwise one."""
    folders = path.relative_to(ROOT).parent.parts
    return "/".join(folders[: 2 if folders[:1] in [(r,) for r in ROOMS] else 1]) or "."


def prose_of_source(path: Path, source: str) -> Iterator[Prose]:
    """Yield the docstrings and comments of a Python file, and its texts of three words or more.

    The name of a test is a sentence, and is read too.
    """
    docstrings = set()
    nodes = _nodes_of(ast.parse(source))
    for node in nodes:
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            docstrings.add(first.value)
            yield Prose(path, first.lineno, first.value.value.strip(), is_docstring=True)
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield Prose(path, node.lineno, node.name.replace("_", " "))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_text = node not in docstrings and len(node.value.split()) >= 3
            yield from [Prose(path, node.lineno, node.value)] if is_text else []
    for number, line in enumerate(source.splitlines(), 1):
        if comment := COMMENT.search(line):
            yield Prose(path, number, comment[0])


def _nodes_of(tree: ast.Module) -> list[ast.AST]:
    """Return all nodes of *tree*. ``ast.walk`` takes several times as long."""
    found: list[ast.AST] = [tree]
    for node in found:
        for value in vars(node).values():
            if type(value) is list:
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def prose_of_page(path: Path, text: str) -> Iterator[Prose]:
    """Yield the lines of a page, a catalogue, or another file with comments."""
    for number, line in enumerate(text.splitlines(), 1):
        yield Prose(path, number, line)


def other_files() -> list[Path]:
    """Return the files of the project, besides Python and pages, that have comments."""
    places = [ROOT / name for name in FOLDERS]
    found = {
        path
        for pattern in OTHERS
        for place in (places if pattern.startswith("**") else [ROOT])
        for path in place.glob(pattern)
    }
    return sorted(p for p in found if p.is_file() and p.suffix != ".py" and not MADE & {*p.parts})


def prose() -> Iterator[Prose]:
    """Yield all prose of the project except the changelog and decisions, which are history."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if path not in OURSELVES:
                yield from prose_of_source(path, path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / room).rglob("words/en.po")):
            yield from prose_of_page(path, path.read_text(encoding="utf-8"))
    for path in other_files():
        if path not in FILES:
            yield from prose_of_page(path, path.read_text(encoding="utf-8"))
    for path in FILES:
        if path.name != "CHANGELOG.md" and path.parent.name != "decisions":
            yield from prose_of_page(path, path.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> None:
    """Print the findings of the rooms named in *arguments*, or of all rooms."""
    for each in prose():
        if not arguments or each.room in arguments:
            for finding in each.findings:
                print(f"{each.path.relative_to(ROOT)}:{each.line}: {finding}")


if __name__ == "__main__":
    main(sys.argv[1:])
