"""The command ``tapmat``: parses, calls, and turns what is wrong into one message and an exit code.

Room: firmware. Rooms above add commands of their own under the entry-point group
``tapmat.commands`` (each a ``typer.Typer``), and a stand-in for the real table under
``tapmat.play``; neither is named here.
"""

import json
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, TextIO

import click
import typer
from typer.core import TyperGroup

from firmware.config import TableConfig, load_config
from firmware.controller import Controller
from firmware.decks import load_deck
from firmware.errors import TapmatError
from firmware.games import game_named
from firmware.wiring import open_computer
from hardware.errors import MissingPart

EXIT_OK, EXIT_FAILED, EXIT_BAD_INPUT, EXIT_MISSING_PART = 0, 1, 2, 3

TableFile = Annotated[
    Path | None, typer.Option("--table", help="The table's configuration, table.toml.")
]
StateFolder = Annotated[
    Path | None, typer.Option("--state", help="The folder of journal and tag register.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print for programs.")]


class _Commands(TyperGroup):
    """Our commands, and those that other rooms add, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name."""
        return [*super().list_commands(ctx), *entry_points(group="tapmat.commands").names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called *cmd_name*."""
        for entry in entry_points(group="tapmat.commands", name=cmd_name):
            return typer.main.get_command(entry.load())
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A playmat that keeps the rules.",
)


@app.callback()
def _tapmat() -> None:
    """A playmat that keeps the rules."""


@app.command()
def play(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[
        bool, typer.Option("--sim", help="Emulate every chip; type at the mat.")
    ] = False,
    game: Annotated[str | None, typer.Option(help="With --sim: begin with this game.")] = None,
) -> None:
    """Run the table."""
    config = load_config(table)
    raise typer.Exit(_simulated(config, state, game) if sim else run_table(config, state))


@app.command()
def pieces(game: str, table: TableFile = None, as_json: AsJson = False) -> None:
    """Print a game's deck."""
    raise typer.Exit(run_pieces(game, load_config(table), as_json))


def run_table(config: TableConfig, state: Path | None) -> int:
    """Run the table on this computer's own parts until it is told to stop.

    Raises:
        MissingPart: this computer lacks a part.
        TapmatError: configuration or state folder cannot be used.
    """
    with closing(open_computer()) as board, Controller.open(config, state, board) as controller:
        signal.signal(signal.SIGTERM, lambda *_: controller.loop.stop())
        controller.loop.run()
    return EXIT_OK


def run_pieces(name: str, config: TableConfig, as_json: bool, out: TextIO | None = None) -> int:
    """Print the deck of game *name*."""
    out = out or sys.stdout
    game = game_named(name)
    deck = load_deck(game, config.decks.get(game.name))
    kinds = [{"name": k.name, "count": k.count, "value": k.value} for k in deck.kinds]
    if as_json:
        shape = {
            "game": deck.game,
            "total": deck.total,
            "verified": deck.is_verified,
            "kinds": kinds,
        }
        print(json.dumps(shape), file=out)
        return EXIT_OK
    for kind in deck.kinds:
        print(f"{kind.count:3} x {kind.name:<16} {kind.value:4}", file=out)
    doubt = "" if deck.is_verified else " (not verified: compare with your box)"
    print(f"{deck.total:3} pieces{doubt}", file=out)
    return EXIT_OK


def _simulated(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the stand-in for the real table that another room offers."""
    stand_ins = tuple(entry_points(group="tapmat.play", name="sim"))
    if not stand_ins:
        raise MissingPart("--sim", "the emulated table is not installed", "Install all of tapmat")
    run: Callable[..., Any] = stand_ins[0].load()
    return int(run(config, state, game))


def main() -> None:
    """Run the command line; every known fault ends in one message and its exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        app()
    except TapmatError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
    except MissingPart as missing:
        print(missing, file=sys.stderr)
        sys.exit(EXIT_MISSING_PART)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
