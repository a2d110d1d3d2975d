"""Options, exit codes and folder names that several commands share; ``sim`` uses them too.

``tapmat --help`` imports this module, so its own imports must be quick.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

EXIT_OK, EXIT_FAILED, EXIT_BAD_INPUT, EXIT_MISSING_PART = 0, 1, 2, 3
EXIT_INTERRUPTED = 130  # after Ctrl-C, as in shells

SIM: Final = "sim"  # the name of the emulated table's entry points and of its state folder
BLANK: Final = "sim-blank"  # the state folder of an emulated table without enrolled cards

STDOUT: Final = Path("-")  # this file name means the standard output


class ResultFormat(StrEnum):
    """The formats in which ``tapmat journal export`` writes results."""

    CSV = "csv"
    JSON = "json"
    BGSTATS = "bgstats"
    BGSTATS_LINK = "bgstats-link"


TableFile = Annotated[
    Path | None, typer.Option("--table", help="The table's configuration file, a table.toml.")
]
StateFolder = Annotated[
    Path | None, typer.Option("--state", help="The folder with the recorded games and stickers.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
GameNumber = Annotated[
    int,
    typer.Argument(metavar="NUMBER", help="The game's number, as listed by: tapmat journal list"),
]
