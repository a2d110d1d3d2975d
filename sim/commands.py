"""The commands that this room adds to ``tapmat``: each is parsed here and done elsewhere.

Room: sim. Found through the entry points ``tapmat.commands``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.cli import AsJson, TableFile
from firmware.config import load_config

rehearse = typer.Typer(add_completion=False)
bench = typer.Typer(add_completion=False)


@rehearse.command("rehearse")
def _rehearse(
    files: Annotated[list[Path], typer.Argument(help="Rehearsals (*.mat).")],
    table: TableFile = None,
    state: Annotated[
        Path | None, typer.Option("--state", help="Play on this state folder; else on a new one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run rehearsals through the whole stack, emulated chips included."""
    from sim.rehearsal.command import run_rehearsals

    raise typer.Exit(run_rehearsals(files, load_config(table), state, as_json))


@bench.command("bench")
def _bench(as_json: AsJson = False) -> None:
    """Measure the drivers on the virtual clock, beside the stock libraries."""
    from sim.bench import run_bench

    raise typer.Exit(run_bench(as_json))
