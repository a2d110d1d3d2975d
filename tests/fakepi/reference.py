"""Write the reference of fakepi: ``python -m tests.fakepi.reference``.

``sim/fakepi/docs/reference.md`` is made from the docstrings and signatures of what tests use, and
from the tables in ``fakepi.wiring``.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fakepi import board, contacts, desfire, gpio, host, physics, tags, trace, type2, wiring, ws2812
from fakepi.dropins import install
from fakepi.picc import Picc

PAGE = Path(__file__).parents[2] / "sim" / "fakepi" / "docs" / "reference.md"
HEAD = """\
<!-- Made by: python -m tests.fakepi.reference -->
# Reference

Every class and function that a test uses, made from their docstrings. The fixture `fakepi` is a
`FakePi`, whose drop-in modules are in place during the test. The marker `fakepi` takes the tables
of a [wiring](wiring.md), the `seed`, `physics` and `host` of `FakePi`, and three
[arguments](wiring.md#the-arguments-of-the-marker) more. Times are in seconds, unless a name ends in
`_ns`. Methods with which a chip or tag answers are left out.
"""
SECTIONS: Mapping[str, tuple[Any, ...]] = {
    "The board": (board.FakePi, board.PiClock),
    "Readers and tags": (
        board.TracedField,
        tags.Ntag213,
        tags.Ntag215,
        tags.Ntag216,
        tags.Classic1K,
        type2.Ultralight,
        desfire.Desfire,
    ),
    "Displays and LEDs": (board.OledView, ws2812.Ws2812Strip),
    "Pins and contacts": (
        gpio.Pins,
        gpio.PiPin,
        contacts.BouncyContact,
        contacts.BouncyEncoder,
    ),
    "Buses": (board.TracedSpi, board.TracedI2c, board.TracedUart, trace.BusTrace),
    "Programs without pytest": (install.drop_in, install.Undo),
    "Physics and time": (physics.HonestPhysics, physics.ExactPhysics, host.HostProfile),
}
GROUPS = ("Args", "Attributes", "Raises", "Returns", "Yields", "Source")
ENTRY = re.compile(r"([\w.]+): (.*)", re.S)


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD, _wiring()]
    for title, things in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts.extend(_class(each) if inspect.isclass(each) else _entry(each) for each in things)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip() + "\n"


def members(thing: type) -> dict[str, Any]:
    """Return the public methods and properties of a class and its bases in fakepi, by name."""
    found: dict[str, Any] = {}
    if issubclass(thing, Picc):  # tests only lay and lift them
        return found
    for base in thing.__mro__:
        if base.__module__.startswith("fakepi"):
            for name, each in vars(base).items():
                is_member = inspect.isfunction(each) or isinstance(each, property)
                if is_member and not name.startswith("_"):
                    found.setdefault(name, each)
    return found


def _class(thing: type) -> str:
    module = thing.__module__
    lines = [f"### {thing.__name__}\n"]
    lines.append(f"`{module}.{thing.__name__}{_maker(thing)}`\n")
    lines.append(_prose(thing))
    for name, each in members(thing).items():
        call = "" if isinstance(each, property) else _signature(each)
        lines.append(f"#### {thing.__name__}.{name}\n\n`{name}{call}`\n\n{_prose(each)}")
    return "\n".join(lines)


def _maker(thing: type) -> str:
    maker = getattr(thing, "__init__", None)
    return _signature(maker) if inspect.isfunction(maker) else "()"


def _entry(function: Callable[..., Any]) -> str:
    name = function.__name__
    call = f"{function.__module__}.{name}{_signature(function)}"
    return f"### {name}\n\n`{call}`\n\n{_prose(function)}"


def _signature(function: Any) -> str:
    """Return the parameters as they are in the source, with their types."""
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    except OSError:  # a data class makes its own
        names = list(inspect.signature(function).parameters)[1:]
        return f"({', '.join(names)})"
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    arguments = definition.args
    if arguments.args and arguments.args[0].arg == "self":
        del arguments.args[0]
    returns = "" if definition.returns is None else ast.unparse(definition.returns)
    arrow = f" -> {returns}" if returns not in ("", "None") else ""
    return f"({ast.unparse(arguments)}){arrow}"


def _prose(thing: Any) -> str:
    """Return a docstring as Markdown."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(thing) or "")
    return "\n".join(_blocks(text.split("\n\n"))) + "\n"


def _blocks(paragraphs: Iterable[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        head, _, rest = paragraph.partition("\n")
        if head.rstrip(":") in GROUPS and head.endswith(":"):
            entries = list(_list(textwrap.dedent(rest)))
            yield from ([f"{head} {entries[0]}\n"] if head == "Returns:" else [head, "", *entries])
        elif paragraph.startswith("    "):
            yield f"```python\n{textwrap.dedent(paragraph)}\n```\n"
        else:
            yield re.sub(r"::$", ":", paragraph) + "\n"


def _list(text: str) -> Iterator[str]:
    """Yield the entries of a group, whose further lines are indented."""
    for entry in re.split(r"\n(?! )", text):
        words = " ".join(entry.split())
        named = ENTRY.fullmatch(words)
        yield f"- `{named[1]}`: {named[2]}" if named else words
    yield ""


def _wiring() -> str:
    rows = ["| Table | Part | Options |", "|---|---|---|"]
    parts = {
        "spi": wiring.SPI_CHIPS,
        "i2c": wiring.I2C_CHIPS,
        "uart": wiring.UART_CHIPS,
        "pins": wiring.PARTS,
    }
    for table, known in parts.items():
        for part, options in known.items():
            named = ", ".join(f"`{option}`" for option in sorted(options))
            rows.append(f"| `{table}` | `{part}` | {named} |")
    rows += ["", "| Option | Values |", "|---|---|"]
    for option, choices in wiring.CHOICES.items():
        rows.append(f"| `{option}` | {', '.join(f'`{choice}`' for choice in choices)} |")
    return "\n".join(("## Wiring\n", *rows, ""))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
