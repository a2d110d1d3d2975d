"""The command ``tapmat``: parses, calls, and turns what is wrong into one message and an exit code.

Room: firmware. Rooms above add commands of their own under the entry-point group
``tapmat.commands`` (each a ``typer.Typer``), a stand-in for the real table under ``tapmat.play``,
and one for the computer under ``tapmat.boards``; none is named here.
"""

import errno
import io
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import click
import typer
from typer.core import TyperGroup

from firmware.config import TableConfig, load_config
from firmware.controller import Controller
from firmware.decks import load_deck
from firmware.doctor import Verdict, examine, print_json, print_table
from firmware.errors import TapmatError
from firmware.games import game_named
from firmware.state_folder import state_folder
from firmware.wiring import open_computer
from hardware.errors import MissingPart

EXIT_OK, EXIT_FAILED, EXIT_BAD_INPUT, EXIT_MISSING_PART = 0, 1, 2, 3
SIM = "sim"  # what stands in is called that in every group, and so is its own state folder
PRINT_FAULTS = (errno.EPIPE, errno.EBADF, errno.EIO, errno.ENOSPC, errno.EFBIG)

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


@app.command()
def doctor(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[bool, typer.Option("--sim", help="Look at emulated parts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check every part; one verdict and one remedy a line."""
    raise typer.Exit(run_doctor(load_config(table), state, sim, as_json))


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
    width = max(16, *(len(kind.name) for kind in deck.kinds))
    for kind in deck.kinds:
        print(f"{kind.count:3} x {kind.name:<{width}} {kind.value:4}", file=out)
    doubt = "" if deck.is_verified else " (not verified: compare with your box)"
    print(f"{deck.total:3} pieces{doubt}", file=out)
    return EXIT_OK


def run_doctor(
    config: TableConfig, state: Path | None, sim: bool, as_json: bool, out: TextIO | None = None
) -> int:
    """Check the table of *config*, on this computer's own parts or on emulated ones.

    Returns:
        0: all is well, or works with a warning; 1: a check failed; 3: a part is missing.

    Raises:
        MissingPart: there are no emulated parts here.
    """
    out = out or sys.stdout
    if sim:
        state = state or state_folder() / SIM
    report = examine(
        config, state, _stand_in("tapmat.boards") if sim else lambda _: open_computer()
    )
    (print_json if as_json else print_table)(report, out)
    if report.lacks_part:
        return EXIT_MISSING_PART
    return EXIT_FAILED if report.verdict is Verdict.FAIL else EXIT_OK


def _simulated(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the stand-in for the real table."""
    return int(_stand_in("tapmat.play")(config, state, game))


def _stand_in(group: str) -> Callable[..., Any]:
    """What another room offers under *group* in place of the real thing.

    Raises:
        MissingPart: none does.
    """
    for entry in entry_points(group=group, name=SIM):
        offered: Callable[..., Any] = entry.load()
        return offered
    raise MissingPart("--sim", "the emulated table is not installed", "Install all of tapmat")


def main() -> None:
    """Run the command line; every known fault ends in one message and its exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        _take_streams()
        try:
            app()
        finally:
            sys.stdout.flush()
    except TapmatError as error:
        _end(str(error), error.exit_code)
    except MissingPart as missing:
        _end(str(missing), EXIT_MISSING_PART)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if error.errno not in PRINT_FAULTS or error.filename is not None:
            raise  # it is of another file than the standard output
        _drop_output()
        is_broken_pipe = error.errno == errno.EPIPE  # whoever read it has read enough
        _end("" if is_broken_pipe else f"Nothing can be printed: {error.strerror}.", EXIT_FAILED)


def _take_streams() -> None:
    """Make do with the standard streams: one that is closed is empty, letters they lack are ``?``.

    Raises:
        OSError: there is nothing to print to.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stdout is None:
        raise OSError(errno.EBADF, "the standard output is closed")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Send what is still to be printed nowhere, so that Python's own last flush does not fail."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(message: str, code: int) -> NoReturn:
    """End with *code*; a *message* that cannot be printed either is lost."""
    with suppress(OSError):
        if message:
            print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
