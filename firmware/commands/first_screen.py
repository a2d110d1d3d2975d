"""The first screen, which a service shows before the rest of the program is loaded."""

from collections.abc import Mapping, Sequence
from pathlib import Path

OPTION = "--table"
DEFAULT_TABLE = Path(__file__).parents[1] / "config" / "table.toml"


def table_to_show(words: Sequence[str], environment: Mapping[str, str]) -> Path | None:
    """Return the table.toml whose display shows the first screen; None if no first screen is shown.

    *words* are the command line's arguments. Only a service shows the screen: if somebody types
    the command, another tapmat may be using the display.
    """
    if list(words[:1]) != ["play"] or "--sim" in words or "NOTIFY_SOCKET" not in environment:
        return None
    if OPTION in words[:-1]:
        return Path(words[words.index(OPTION) + 1])
    return DEFAULT_TABLE
