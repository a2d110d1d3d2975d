"""Write the tables of docs/house-rules.md: ``python -m tests.docs.house_rules``.

They are made from the options of each game and its words for them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.common.contract import Amount, Game, Option, Selection
from firmware.boxes.games import game_named, game_names
from tests.docs.pages import ROOT
from tests.engines.contract import Words

FILE = ROOT / "docs" / "house-rules.md"
HEAD = "| On the display | Its name | It can be | What it does |\n|---|---|---|---|"


def values(option: Option, words: Words) -> str:
    """Return the possible values of *option* as Markdown, with the default in bold."""
    match option:
        case Amount(default=default, low=low, high=high):
            return f"{low} to {high}, **{default}**"
        case Selection(name=name, default=default, names=names):
            shown = {value: words.text(f"option.{name}.{value}") for value in names}
            kept = {v: f"`{v}`" if t == v else f"{t} (`{v}`)" for v, t in shown.items()}
            return ", ".join(f"**{t}**" if v == default else t for v, t in kept.items())
        case _:
            return "**on**, off" if option.default else "on, **off**"


def rows(game: Game[Any]) -> Iterator[str]:
    """Yield a table row for each house rule of *game*."""
    words = Words(game.package)
    for option in game.options:
        title, does = (words.text(f"option.{option.name}{part}") for part in ("", ".help"))
        yield f"| {title} | `{option.name}` | {values(option, words)} | {does} |"


def section(game: Game[Any]) -> str:
    """Return the heading and the table of *game*."""
    title = Words(game.package).text("title")
    return f"### {title}\n\n" + "\n".join((HEAD, *rows(game))) + "\n"


def tables() -> str:
    """Return the headings and tables of all installed games."""
    return "\n".join(section(game_named(name)) for name in game_names())


def with_tables(text: str) -> str:
    """Return *text* with new tables between its two marks."""
    begin, end = "<!-- tables -->\n", "<!-- end of tables -->"
    return re.sub(f"(?s)({begin}).*({end})", lambda m: f"{m[1]}{tables()}{m[2]}", text)


def main(file: Path = FILE) -> None:
    """Write the tables into *file*."""
    file.write_text(with_tables(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
