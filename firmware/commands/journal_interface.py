"""The names, options and help texts of ``tapmat journal``; see ``firmware.commands.interface``.

``sim`` and other distributions add commands in the entry-point group ``tapmat.journal``.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.commands.group import JournalGroup
from firmware.commands.options import AsJson, GameNumber, StateFolder, TableFile

LISTED = 20  # number of games that `list` prints without --all or --count

NewFile = Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")]

journal = typer.Typer(
    cls=JournalGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="List, inspect, back up and export recorded games.",
)


@journal.callback()
def _journal() -> None:
    """List, inspect, back up and export recorded games."""


@journal.command("list")
def _list(
    table: TableFile = None,
    state: StateFolder = None,
    count: Annotated[int, typer.Option(min=1, help="Number of games to list.")] = LISTED,
    has_all: Annotated[bool, typer.Option("--all", help="List all games.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the last games: when, who played, and who won."""
    from firmware.commands.journal import run_list
    from firmware.config.table_config import load_config

    raise typer.Exit(run_list(load_config(table), state, None if has_all else count, as_json))


@journal.command("show")
def _show(
    number: GameNumber, table: TableFile = None, state: StateFolder = None, as_json: AsJson = False
) -> None:
    """Show every play of a game, in the table's words."""
    from firmware.commands.journal import run_show
    from firmware.config.table_config import load_config

    raise typer.Exit(run_show(number, load_config(table), state, as_json))


@journal.command("verify")
def _verify(state: StateFolder = None) -> None:
    """Check the journal file, and replay every game."""
    from firmware.commands.journal import run_verify

    raise typer.Exit(run_verify(state))


@journal.command("stats")
def _stats(
    table: TableFile = None,
    state: StateFolder = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with charts to FILE (HTML).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print how often each player played and won, and more."""
    from firmware.commands.journal import run_stats
    from firmware.config.table_config import load_config

    raise typer.Exit(run_stats(load_config(table), state, html, as_json))


@journal.command("bundle")
def _bundle(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")] = Path(
        "tapmat-bundle.tar.gz"
    ),
    table: TableFile = None,
    state: StateFolder = None,
) -> None:
    """Pack logs and games into a file for somebody who helps you.

    The file contains no names of players, no sticker numbers and no passwords.
    """
    from firmware.commands.journal import run_bundle

    raise typer.Exit(run_bundle(file, table, state))


@journal.command("backup")
def _backup(file: NewFile, state: StateFolder = None) -> None:
    """Save all games and stickers into one file.

    This works while a table is playing.
    """
    from firmware.commands.journal import run_backup

    raise typer.Exit(run_backup(file, state))


@journal.command("restore")
def _restore(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A backup, or the name of an automatic copy. Without it, the copies are listed.",
        ),
    ] = None,
    table: TableFile = None,
    state: StateFolder = None,
) -> None:
    """Restore a backup, or list the automatic copies.

    The games and stickers that were there are moved aside, not deleted.
    """
    from firmware.commands.journal import run_list_copies, run_restore
    from firmware.config.table_config import load_config

    config = load_config(table)
    if file is None:
        raise typer.Exit(run_list_copies(config, state))
    raise typer.Exit(run_restore(file, config, state))


@journal.command("prune")
def _prune(
    state: StateFolder = None,
    days: Annotated[
        int | None, typer.Option("--keep-days", min=1, help="Keep the games of the last N days.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--keep-games", min=1, help="Keep the last N games.")
    ] = None,
    megabytes: Annotated[
        float | None, typer.Option("--max-mb", min=0.1, help="Keep at most N megabytes.")
    ] = None,
) -> None:
    """Move old games from the journal to the archive beside it.

    Nothing is deleted: every command finds archived games too.
    """
    if days is None and games is None and megabytes is None:
        raise typer.BadParameter("Give --keep-days, --keep-games or --max-mb.")
    from firmware.commands.journal import run_prune

    raise typer.Exit(run_prune(state, days, games, megabytes))
