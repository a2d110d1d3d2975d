"""The commands that ``sim`` adds to ``tapmat``: this module only parses their arguments.

``tapmat`` finds them through the entry points ``tapmat.commands``, ``.journal`` and ``.hall``. A
command imports the module that does the work only when it is called, because ``tapmat --help``
imports this module and should not load everything.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.commands.hall_interface import HallFolder
from firmware.commands.options import (
    BLANK,
    SIM,
    STDOUT,
    AsJson,
    GameNumber,
    ResultFormat,
    StateFolder,
    TableFile,
)

PORT = 8737


def _command() -> typer.Typer:
    return typer.Typer(add_completion=False, rich_markup_mode=None)


sim, rehearse, bench, robots = (_command() for _ in range(4))  # commands of tapmat
replay, export, dataset = (_command() for _ in range(3))  # commands of tapmat journal
simulate, record = (_command() for _ in range(2))  # commands of tapmat hall


@sim.command("sim")
def _sim(
    table: TableFile = None,
    state: StateFolder = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = PORT,
    game: Annotated[
        str | None, typer.Option(help="Start this game for two players if no game is in progress.")
    ] = None,
    opens_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    is_blank: Annotated[
        bool, typer.Option("--blank", help="Start without enrolled cards, to try enrolling.")
    ] = False,
    robots: Annotated[
        int, typer.Option(min=0, help="Number of robots that play --game with you.")
    ] = 0,
) -> None:
    """Play at the virtual table in a browser."""
    from firmware.commands.in_use import refuse_if_in_use
    from firmware.config.table_config import load_config
    from firmware.journal.state_folder import state_folder
    from firmware.web.listening import listen

    config = load_config(table)
    folder = state or state_folder() / (BLANK if is_blank else SIM)
    refuse_if_in_use(folder)  # before the port, because the other tapmat may use that too
    sockets = listen(host, port)
    from sim.web.command import run_sim

    raise typer.Exit(
        run_sim(
            *(config, folder, host, port, game, opens_browser),
            is_blank=is_blank,
            robots=robots,
            sockets=sockets,
        )
    )


@rehearse.command("rehearse")
def _rehearse(
    files: Annotated[list[Path], typer.Argument(help="Rehearsals (*.mat).")],
    table: TableFile = None,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Play in this state folder, not in a temporary one."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run rehearsals: scripted games on emulated chips."""
    from firmware.config.table_config import load_config
    from sim.rehearsal.command import run_rehearsals

    raise typer.Exit(run_rehearsals(files, load_config(table), state, as_json))


@bench.command("bench")
def _bench(
    as_json: AsJson = False,
    taps: Annotated[int, typer.Option(min=1, help="Number of taps at each table.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of all random choices.")] = 1,
    has_cpu: Annotated[
        bool, typer.Option("--cpu/--no-cpu", help="Also measure this computer's CPU time.")
    ] = True,
) -> None:
    """Measure drivers and taps next to the stock libraries.

    Except for CPU times, all times are on the emulated chips' clock, so they are the same on every
    computer.
    """
    from sim.bench import Effort, run_bench

    raise typer.Exit(run_bench(Effort(taps, seed, has_cpu), as_json))


@replay.command("replay")
def _replay(
    number: GameNumber,
    table: TableFile = None,
    state: StateFolder = None,
    pace_s: Annotated[
        float, typer.Option("--pace", min=0.0, help="Seconds from one play to the next.")
    ] = 1.0,
    is_at_once: Annotated[
        bool, typer.Option("--at-once", help="Show only the end of the game.")
    ] = False,
) -> None:
    """Play a recorded game again, at an emulated table."""
    from firmware.config.table_config import load_config
    from sim.rehearsal.replay import run_replay

    config = load_config(table)
    raise typer.Exit(run_replay(number, config, state, None if is_at_once else pace_s))


@export.command("export")
def _export(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[NUMBER]...",
            help="The numbers of the games; by default, the last finished game.",
        ),
    ] = None,
    has_all: Annotated[bool, typer.Option("--all", help="Export every finished game.")] = False,
    form: Annotated[
        ResultFormat | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="csv, json, bgstats or bgstats-link; by default, by FILE's ending, else csv.",
        ),
    ] = None,
    by_round: Annotated[
        bool, typer.Option("--rounds", help="With csv: a row for each player and round.")
    ] = False,
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="A new file; - prints the results.")
    ] = STDOUT,
    rehearsal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write one game, with all its plays, as a rehearsal (*.mat); - prints it.",
        ),
    ] = None,
    table: TableFile = None,
    state: StateFolder = None,
) -> None:
    """Write the results of games, or one game as a rehearsal."""
    from firmware.config.table_config import load_config

    wanted = tuple(numbers or ())
    if wanted and has_all:
        raise typer.BadParameter("Give numbers or --all, not both.")
    if rehearsal is None:
        from firmware.commands.journal_export import WantedResults, run_export_results

        what = WantedResults(wanted, has_all, form, by_round)
        raise typer.Exit(run_export_results(what, output, load_config(table), state))
    if len(wanted) != 1 or form is not None or by_round or output != STDOUT:
        raise typer.BadParameter("With --rehearsal, give one number and no option for results.")
    from sim.rehearsal.replay import run_export

    raise typer.Exit(run_export(wanted[0], rehearsal, load_config(table), state))


@dataset.command("dataset")
def _dataset(
    has_consent: Annotated[
        bool, typer.Option("--consent", help="Say that all players of these games agree.")
    ] = False,
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="A new file; - prints the episodes.")
    ] = STDOUT,
    state: StateFolder = None,
) -> None:
    """Write finished games as episodes, without names."""
    from sim.envs.dataset import run_dataset

    raise typer.Exit(run_dataset(output, state, has_consent=has_consent))


@robots.command("robots")
def _robots(
    game: Annotated[str, typer.Argument(help='The name of a game, or "all".')],
    games: Annotated[int, typer.Option(min=1, help="Number of games of each kind.")] = 10,
    seed: Annotated[
        int, typer.Option(help="The seed of the first game; the other games' seeds follow from it.")
    ] = 1,
    players: Annotated[
        int | None, typer.Option(help="Number of players (default: random for each game).")
    ] = None,
    mistakes: Annotated[
        float, typer.Option(min=0, max=1, help="Probability of a mistake at each act.")
    ] = 0.0,
    faults: Annotated[
        float, typer.Option(min=0, max=1, help="Probability of a broken part at each act.")
    ] = 0.0,
    is_fast: Annotated[
        bool, typer.Option("--fast", help="Play by the rules alone, without a table.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of games to run in parallel.")] = 1,
    table: TableFile = None,
    as_json: AsJson = False,
) -> None:
    """Let robots play games, and check the table's scores."""
    from firmware.config.table_config import load_config
    from sim.robots.command import Run, run_robots

    run = Run(game, games, seed, players or 0, mistakes, faults, is_fast, jobs)
    raise typer.Exit(run_robots(run, load_config(table), as_json))


@simulate.command("simulate")
def _simulate(
    folder: HallFolder = None,
    tables: Annotated[int, typer.Option(min=1, help="Number of tables.")] = 10,
    first: Annotated[int, typer.Option(min=1, help="Number of the first table.")] = 1,
    rate: Annotated[
        float, typer.Option(min=0.001, help="Entries that each table writes in a second.")
    ] = 1.0,
    minutes: Annotated[float, typer.Option(min=0.01, help="How long the tables write.")] = 1.0,
    since: Annotated[
        float, typer.Option(help="When the tables began, in seconds since 1970. 0 means now.")
    ] = 0.0,
    recording: Annotated[
        Path | None, typer.Option(help="A file of tapmat hall record. Without it, robots play.")
    ] = None,
    forgets: Annotated[
        bool, typer.Option("--forget", help="Only take the credentials of these tables back.")
    ] = False,
    table: TableFile = None,
) -> None:
    """Send robots' games to a hall, as many tables would.

    The same options send the same entries again, so a run that was stopped can be continued.
    """
    from firmware.commands.hall import hall_folder
    from firmware.config.table_config import load_config
    from firmware.hall.settings import load_hall
    from sim.hall.command import forget_tables, run_simulate
    from sim.hall.simulated import Schedule

    if forgets:
        forget_tables(load_hall(hall_folder(folder)))
        raise typer.Exit
    numbers = range(first, first + tables)
    schedule = Schedule(since, since + 60 * minutes, rate)
    raise typer.Exit(
        run_simulate(hall_folder(folder), load_config(table), numbers, schedule, recording)
    )


@record.command("record")
def _record(
    file: Annotated[Path, typer.Argument(help="The file for the games.")],
    games: Annotated[int, typer.Option(min=1, help="Number of games of each kind.")] = 2,
    seed: Annotated[int, typer.Option(help="The seed of the first games.")] = 1,
    table: TableFile = None,
) -> None:
    """Let robots play at emulated chips, and save their journals for tapmat hall simulate."""
    from firmware.config.table_config import load_config
    from sim.hall.recorded import record_games, save_games

    save_games(list(record_games(load_config(table), games, seed)), file)
