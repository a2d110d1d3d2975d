"""The commands that this room adds to ``tapmat``: each is parsed here and done elsewhere.

Room: sim. Found through the entry points ``tapmat.commands``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.cli import AsJson, StateFolder, TableFile
from firmware.config import load_config

sim = typer.Typer(add_completion=False)
rehearse = typer.Typer(add_completion=False)
bench = typer.Typer(add_completion=False)


@sim.command("sim")
def _sim(
    table: TableFile = None,
    state: StateFolder = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8737,
    game: Annotated[
        str | None, typer.Option(help="Begin with this game, dealt for two, if none is on.")
    ] = None,
    opens_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    is_blank: Annotated[
        bool, typer.Option("--blank", help="Nobody has enrolled the cards yet: try that.")
    ] = False,
) -> None:
    """Open the virtual table: the emulated mat in a browser."""
    from sim.web.command import run_sim

    config = load_config(table)
    raise typer.Exit(run_sim(config, state, host, port, game, opens_browser, is_blank=is_blank))


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
def _bench(
    as_json: AsJson = False,
    taps: Annotated[int, typer.Option(min=1, help="Taps at each table.")] = 1000,
    seed: Annotated[int, typer.Option(help="Draws UIDs, cards and moments.")] = 1,
    has_cpu: Annotated[
        bool, typer.Option("--cpu/--no-cpu", help="Also show this machine's CPU times.")
    ] = True,
) -> None:
    """Measure the drivers and taps on the virtual clock, beside the stock libraries."""
    from sim.bench import Effort, run_bench

    raise typer.Exit(run_bench(Effort(taps, seed, has_cpu), as_json))
