"""The names, options and help texts of ``tapmat hall``; see ``firmware.commands.interface``.

``sim`` and other distributions add commands in the entry-point group ``tapmat.hall``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.commands.group import HallGroup
from firmware.commands.options import StateFolder, TableFile

HALL_HELP = "Show many tables on one board, keep their games, and hold tournaments."

hall = typer.Typer(
    cls=HallGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help=HALL_HELP,
)

HallFolder = Annotated[
    Path | None,
    typer.Option("--folder", help="The hall's folder. Without it: hall in the state folder."),
]
TableName = Annotated[str, typer.Argument(metavar="NAME", help="The table's name.")]


@hall.callback()
def _hall() -> None:
    """Show many tables on one board, keep their games, and hold tournaments."""


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
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The board's port."),
    ] = None,
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
    raise typer.Exit(run_board(folder, host, port, only, group))


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
