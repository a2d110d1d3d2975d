"""``tapmat journal``: the games that were played, told, checked, copied and kept small.

Room: firmware/archive. Rooms above add commands of their own under the entry-point group
``tapmat.journal``, as they do for ``tapmat`` itself.
"""

import io
import json
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Annotated, Any, ClassVar, TextIO

import typer

from firmware.archive.bundle import bundle_files, write_bundle
from firmware.archive.check import findings
from firmware.archive.copies import backup, restore
from firmware.archive.figures import figures_of, print_figures, shape_of
from firmware.archive.keeping import MEGABYTE, Limits, prune
from firmware.archive.listing import (
    game_shape,
    lines_of,
    list_shape,
    past_game,
    print_game,
    print_json,
    print_list,
)
from firmware.archive.page import page_of
from firmware.archive.telling import Teller
from firmware.cli import (
    EXIT_FAILED,
    EXIT_OK,
    AsJson,
    Commands,
    StateFolder,
    TableFile,
    in_english,
    run_doctor,
)
from firmware.config import DEFAULT_TABLE_TOML, TableConfig, load_config
from firmware.controller import words_for
from firmware.doctor.computer import Computer
from firmware.doctor.examination import Manner
from firmware.doctor.findings import Verdict
from firmware.doctor.printing import print_findings
from firmware.errors import TapmatError, unwritable
from firmware.journal import utc_now
from firmware.state_folder import state_folder
from hardware.errors import MissingPart

LISTED = 20

Number = Annotated[int, typer.Argument(help="The game's number, as tapmat journal list has it.")]
NewFile = Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")]


class JournalCommands(Commands):
    """The commands of ``tapmat journal``, and those that other rooms add."""

    added_under: ClassVar[str] = "tapmat.journal"


journal = typer.Typer(
    cls=JournalCommands,
    no_args_is_help=True,
    add_completion=False,
    help="Tell of the games that were played; check, copy and keep them.",
)


@journal.callback()
def _journal() -> None:
    """Tell of the games that were played; check, copy and keep them."""


@journal.command("list")
def _list(
    table: TableFile = None,
    state: StateFolder = None,
    count: Annotated[int, typer.Option(min=1, help="The last so many games.")] = LISTED,
    has_all: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the last games: who played, when, and who won."""
    raise typer.Exit(run_list(load_config(table), state, None if has_all else count, as_json))


@journal.command("show")
def _show(
    number: Number, table: TableFile = None, state: StateFolder = None, as_json: AsJson = False
) -> None:
    """Show every play of a game, in the table's words."""
    raise typer.Exit(run_show(number, load_config(table), state, as_json))


@journal.command("verify")
def _verify(state: StateFolder = None) -> None:
    """Check the whole journal: the file, and every game by the rules that are installed."""
    raise typer.Exit(run_verify(state))


@journal.command("stats")
def _stats(
    table: TableFile = None,
    state: StateFolder = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with pictures.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell who plays, wins and breaks the camel how often; with --html, with pictures."""
    raise typer.Exit(run_stats(load_config(table), state, html, as_json))


@journal.command("bundle")
def _bundle(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")] = Path(
        "tapmat-bundle.tar.gz"
    ),
    table: TableFile = None,
    state: StateFolder = None,
) -> None:
    """Pack what somebody who helps needs: without names, UIDs and passwords."""
    raise typer.Exit(run_bundle(file, table, state))


@journal.command("backup")
def _backup(file: NewFile, state: StateFolder = None) -> None:
    """Write journal and stickers into one file; a table may be playing meanwhile."""
    raise typer.Exit(run_backup(file, state))


@journal.command("restore")
def _restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of tapmat journal backup.")],
    state: StateFolder = None,
) -> None:
    """Put a backup in place of what is there, which is kept beside."""
    raise typer.Exit(run_restore(file, state))


@journal.command("prune")
def _prune(
    state: StateFolder = None,
    days: Annotated[
        int | None, typer.Option("--keep-days", min=1, help="Games of the last so many days stay.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--keep-games", min=1, help="The last so many games stay.")
    ] = None,
    megabytes: Annotated[
        float | None, typer.Option("--max-mb", min=0.1, help="So many megabytes stay.")
    ] = None,
) -> None:
    """Move old games from the journal to the archive beside it; nothing is dropped."""
    if days is None and games is None and megabytes is None:
        raise typer.BadParameter(_("Say what is to stay: --keep-days, --keep-games or --max-mb."))
    raise typer.Exit(run_prune(state, days, games, megabytes))


def run_list(
    config: TableConfig,
    state: Path | None,
    count: int | None,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Print the last *count* games, or all."""
    out = out or sys.stdout
    lines = lines_of(state_folder(state), count)
    if as_json:
        print_json(list_shape(lines), out)
    else:
        print_list(lines, _teller(config), out)
    return EXIT_OK


def run_show(
    number: int, config: TableConfig, state: Path | None, as_json: bool, out: TextIO | None = None
) -> int:
    """Print every play of game *number*.

    Raises:
        UnknownNumber: there is none.
        JournalError: it cannot be read.
    """
    out = out or sys.stdout
    past = past_game(state_folder(state), number)
    if as_json:
        print_json(game_shape(past, _teller(config)), out)
    else:
        print_game(past, _teller(config), out)
    return EXIT_OK


def run_verify(state: Path | None, out: TextIO | None = None) -> int:
    """Check everything that is kept.

    Returns:
        0: all of it is right; 1: something is not.
    """
    out = out or sys.stdout
    folder = state_folder(state)
    print(_("In {folder}:").format(folder=folder), file=out)
    found = list(findings(folder))
    print_findings(found, out)
    return EXIT_FAILED if any(one.verdict is Verdict.FAIL for one in found) else EXIT_OK


def run_stats(
    config: TableConfig,
    state: Path | None,
    html: Path | None,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Print what the games add up to, or draw it.

    Raises:
        OutputError: the page cannot be written.
    """
    out = out or sys.stdout
    teller = _teller(config)
    found = figures_of(state_folder(state))
    if html is not None:
        try:
            html.write_text(page_of(found, teller), encoding="utf-8")
        except OSError as wrong:
            raise unwritable(html, wrong) from wrong
        print(_("Drawn: {files}").format(files=html), file=out)
    elif as_json:
        print_json(shape_of(found), out)
    else:
        print_figures(found, teller, out)
    return EXIT_OK


def run_bundle(
    file: Path, table: Path | None, state: Path | None, out: TextIO | None = None
) -> int:
    """Write a bundle, and print what is in it.

    Raises:
        OutputError: it cannot be written.
    """
    folder = state_folder(state)
    with in_english():
        files = bundle_files(
            folder, table or DEFAULT_TABLE_TOML, lambda: _doctor(table, state), Computer().run
        )
    write_bundle(files, file)
    told = _("{file} is written. Look through it before you give it away.")
    print(told.format(file=file), file=out or sys.stdout)
    print(files["README.txt"], end="", file=out or sys.stdout)
    return EXIT_OK


def run_backup(file: Path, state: Path | None, out: TextIO | None = None) -> int:
    """Write all that is kept into *file*."""
    sizes = backup(state_folder(state), file)
    for name, size in sizes.items():
        told = _("{name}: {size:,} bytes").format(name=name, size=size)
        print(told, file=out or sys.stdout)
    print(_("{file} is written, and whole.").format(file=file), file=out or sys.stdout)
    return EXIT_OK


def run_restore(file: Path, state: Path | None, out: TextIO | None = None) -> int:
    """Put *file* in place of what is there."""
    kept = restore(state_folder(state), file, datetime.now())
    print(_("{file} is restored.").format(file=file), file=out or sys.stdout)
    if kept is not None:
        told = _("What was there is kept in {folder}.").format(folder=kept)
        print(told, file=out or sys.stdout)
    return EXIT_OK


def run_prune(
    state: Path | None,
    days: int | None,
    games: int | None,
    megabytes: float | None,
    out: TextIO | None = None,
) -> int:
    """Move what is beyond the limits to the archive."""
    now = utc_now()
    since = None if days is None else now - timedelta(days=days)
    size = None if megabytes is None else int(megabytes * MEGABYTE)
    kept = prune(state_folder(state), Limits(since, games, size), now)
    out = out or sys.stdout
    moved = ngettext(
        "{count} game moved to the archive, in which every command finds it.",
        "{count} games moved to the archive, in which every command finds them.",
        kept.moved,
    )
    print(moved.format(count=kept.moved), file=out)
    told = _("The journal had {before:,} bytes, and has {after:,} now.")
    print(told.format(before=kept.before, after=kept.after), file=out)
    return EXIT_OK


def _teller(config: TableConfig) -> Teller:
    return Teller(words_for(config.language))


def _doctor(table: Path | None, state: Path | None) -> Mapping[str, Any]:
    """The doctor's report for programs, or why there is none."""
    said = io.StringIO()
    try:
        run_doctor(load_config(table), state, Manner(is_quick=True), as_json=True, out=said)
    except (TapmatError, MissingPart) as wrong:
        return {"error": str(wrong)}
    report: Mapping[str, Any] = json.loads(said.getvalue())
    return report
