"""The names, options and help texts of ``tapmat hall``; see ``firmware.commands.interface``.

``sim`` and other distributions add commands in the entry-point group ``tapmat.hall``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.commands.group import HallGroup
from firmware.commands.options import STDOUT, AsJson, StateFolder, TableFile

HALL_HELP = "Show many tables on one board, and hold tournaments."

hall = typer.Typer(
    cls=HallGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help=HALL_HELP,
)

tournament = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Hold a tournament of games for two players at the hall's tables.",
)
hall.add_typer(tournament, name="tournament")

HallFolder = Annotated[
    Path | None,
    typer.Option("--folder", help="The hall's folder. Without it: hall in the state folder."),
]
TableName = Annotated[str, typer.Argument(metavar="NAME", help="The table's name.")]


@hall.callback()
def _hall() -> None:
    """Show many tables on one board, and hold tournaments."""


@hall.command()
def setup(
    host: Annotated[
        str,
        typer.Argument(metavar="HOST", help="The name or address at which tables find the broker."),
    ],
    folder: HallFolder = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The broker's port, if not the usual one.")
    ] = None,
    is_plain: Annotated[
        bool, typer.Option("--plain", help="Without TLS: everybody in the network can read along.")
    ] = False,
) -> None:
    """Make a hall: its settings, its certificate, and the files of its broker."""
    from firmware.commands.hall import run_setup

    raise typer.Exit(run_setup(folder, host, port, is_plain))


@hall.command()
def run(
    folder: HallFolder = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Without it, every address.")
    ] = "",
    only: Annotated[
        str | None,
        typer.Option(metavar="worker|board", help="Run only a worker, or only the board."),
    ] = None,
    group: Annotated[
        str,
        typer.Option(help="Share the tables with the other workers of this group (PostgreSQL)."),
    ] = "",
) -> None:
    """Store what tables send, and show their games on a board in browsers."""
    from firmware.commands.hall import run_board

    if only not in (None, "worker", "board"):
        raise typer.BadParameter(f"--only is {only}; it must be worker or board")
    raise typer.Exit(run_board(folder, host, only, group))


@hall.command("add-table")
def add_table(
    name: TableName,
    folder: HallFolder = None,
) -> None:
    """Make a table's credential, and print the code with which the table fetches it once.

    A table that exists gets a new credential; the old one is of no use from then on.
    """
    from firmware.commands.hall import run_add_table

    raise typer.Exit(run_add_table(folder, name))


@hall.command()
def revoke(name: TableName, folder: HallFolder = None) -> None:
    """Take a table's credential back, for example because the table was stolen."""
    from firmware.commands.hall import run_revoke

    raise typer.Exit(run_revoke(folder, name))


@hall.command()
def tables(folder: HallFolder = None) -> None:
    """List the tables that have a credential."""
    from firmware.commands.hall import run_tables

    raise typer.Exit(run_tables(folder))


@hall.command()
def stats(folder: HallFolder = None, as_json: AsJson = False) -> None:
    """Show statistics over the games of all tables."""
    from firmware.commands.hall import run_stats

    raise typer.Exit(run_stats(folder, as_json))


@hall.command()
def export(
    folder: HallFolder = None,
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="A new file, or - for the screen.")
    ] = STDOUT,
) -> None:
    """Write the results of all finished games of all tables as CSV."""
    from firmware.commands.hall import run_export

    raise typer.Exit(run_export(folder, output))


@hall.command()
def join(
    address: Annotated[
        str,
        typer.Argument(metavar="ADDRESS", help="What add-table printed, or the file hall.json."),
    ],
    state: StateFolder = None,
) -> None:
    """Connect this table to a hall. It sends its games from its next start on."""
    from firmware.commands.hall_table import run_join

    raise typer.Exit(run_join(address, state))


@hall.command()
def leave(state: StateFolder = None) -> None:
    """Disconnect this table from its hall."""
    from firmware.commands.hall_table import run_leave

    raise typer.Exit(run_leave(state))


@hall.command()
def send(
    table: TableFile = None,
    state: StateFolder = None,
    is_child: Annotated[bool, typer.Option("--child", hidden=True)] = False,
) -> None:
    """Send this table's games to its hall.

    If this table has joined a hall, tapmat play and tapmat sim run this command by themselves.
    """
    from firmware.commands.hall_table import run_send

    raise typer.Exit(run_send(state, is_child))


@tournament.command()
def start(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game, such as straw.")],
    players: Annotated[
        Path, typer.Argument(metavar="PLAYERS", help="A file with a player's name on each line.")
    ],
    system: Annotated[
        str, typer.Option(metavar="swiss|round-robin", help="How players are paired.")
    ] = "swiss",
    rounds: Annotated[
        int, typer.Option(min=0, help="Number of rounds. 0 means the usual number.")
    ] = 0,
    folder: HallFolder = None,
) -> None:
    """Start a tournament at all tables of the hall, and pair the first round.

    Names are those that the players choose at the tables.
    """
    from firmware.commands.hall_tournament import run_start

    if system not in ("swiss", "round-robin"):
        raise typer.BadParameter(f"--system is {system}; it must be swiss or round-robin")
    raise typer.Exit(run_start(folder, name, game, players, system, rounds))


@tournament.command("next")
def next_round(folder: HallFolder = None) -> None:
    """Pair the next round."""
    from firmware.commands.hall_tournament import run_next

    raise typer.Exit(run_next(folder))


@tournament.command()
def result(
    winner: Annotated[str, typer.Argument(metavar="WINNER", help="The player who has won.")],
    loser: Annotated[str, typer.Argument(metavar="LOSER", help="The other player.")],
    is_draw: Annotated[bool, typer.Option("--draw", help="Both have won.")] = False,
    folder: HallFolder = None,
) -> None:
    """Enter or correct the result of a game of this round by hand."""
    from firmware.commands.hall_tournament import run_result

    raise typer.Exit(run_result(folder, (winner, loser), is_draw))


@tournament.command()
def without(name: TableName, folder: HallFolder = None) -> None:
    """Take a table out of the tournament: its game begins again at another one."""
    from firmware.commands.hall_tournament import run_without

    raise typer.Exit(run_without(folder, name))


@tournament.command()
def show(
    folder: HallFolder = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Only the standings, as CSV.")] = False,
) -> None:
    """Print the games of this round and the standings."""
    from firmware.commands.hall_tournament import run_show

    raise typer.Exit(run_show(folder, as_csv))
