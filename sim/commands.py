"""The commands that this room adds to ``tapmat``: each is parsed here and done elsewhere.

Room: sim. Found through the entry points ``tapmat.commands`` and ``tapmat.journal``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.cli import AsJson, StateFolder, TableFile
from firmware.config import load_config

sim = typer.Typer(add_completion=False)
rehearse = typer.Typer(add_completion=False)
bench = typer.Typer(add_completion=False)
replay = typer.Typer(add_completion=False)
export = typer.Typer(add_completion=False)

Number = Annotated[int, typer.Argument(help="The game's number, as tapmat journal list has it.")]
robots = typer.Typer(add_completion=False)


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
    robots: Annotated[int, typer.Option(min=0, help="So many robots play that game with you.")] = 0,
) -> None:
    """Open the virtual table: the emulated mat in a browser."""
    from sim.web.command import run_sim

    config = load_config(table)
    raise typer.Exit(
        run_sim(config, state, host, port, game, opens_browser, is_blank=is_blank, robots=robots)
    )


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


@replay.command("replay")
def _replay(
    number: Number,
    table: TableFile = None,
    state: StateFolder = None,
    pace_s: Annotated[
        float, typer.Option("--pace", min=0.0, help="Seconds from one play to the next.")
    ] = 1.0,
    is_at_once: Annotated[
        bool, typer.Option("--at-once", help="Show nothing but how it ends.")
    ] = False,
) -> None:
    """Play a game of the journal again, at an emulated mat."""
    from sim.rehearsal.replay import run_replay

    config = load_config(table)
    raise typer.Exit(run_replay(number, config, state, None if is_at_once else pace_s))


@export.command("export")
def _export(
    number: Number,
    rehearsal: Annotated[
        Path, typer.Option(metavar="FILE", help="A new file (*.mat); - prints it.")
    ],
    table: TableFile = None,
    state: StateFolder = None,
) -> None:
    """Write a game of the journal as a rehearsal, which plays it again."""
    from sim.rehearsal.replay import run_export

    raise typer.Exit(run_export(number, rehearsal, load_config(table), state))


@robots.command("robots")
def _robots(
    game: Annotated[str, typer.Argument(help="A game, or all.")],
    games: Annotated[int, typer.Option(min=1, help="So many of each.")] = 10,
    seed: Annotated[int, typer.Option(help="Draws everything; the first game has it itself.")] = 1,
    players: Annotated[int | None, typer.Option(help="So many; else drawn anew each game.")] = None,
    mistakes: Annotated[
        float, typer.Option(min=0, max=1, help="How likely before each act.")
    ] = 0.0,
    faults: Annotated[float, typer.Option(min=0, max=1, help="How likely before each act.")] = 0.0,
    is_fast: Annotated[
        bool, typer.Option("--fast", help="The rules alone, without a mat.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="So many games beside each other.")] = 1,
    table: TableFile = None,
    as_json: AsJson = False,
) -> None:
    """Have robots play whole games, and compare the mat with their own books."""
    from sim.robots.command import Run, run_robots

    run = Run(game, games, seed, players or 0, mistakes, faults, is_fast, jobs)
    raise typer.Exit(run_robots(run, load_config(table), as_json))
