"""``tapmat journal``: list, inspect, back up and restore recorded games."""

import io
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from firmware.archive.automatic import COPIES, Copy, copies_in
from firmware.archive.bundle import bundle_files, write_bundle
from firmware.archive.check import findings
from firmware.archive.copies import backup, restore
from firmware.archive.describer import Describer
from firmware.archive.figures import figures_json, figures_of, print_figures
from firmware.archive.listing import (
    game_json,
    lines_of,
    list_json,
    past_game,
    print_game,
    print_json,
    print_list,
)
from firmware.archive.page import page_of
from firmware.archive.past import local
from firmware.archive.pruning import MEGABYTE, Limits, prune
from firmware.commands.doctor import run_doctor
from firmware.commands.options import BLANK, EXIT_FAILED, EXIT_OK, SIM
from firmware.commands.progress import progress
from firmware.common.errors import TapmatError, unwritable
from firmware.config.table_config import DEFAULT_TABLE_TOML, TableConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions
from firmware.doctor.findings import Verdict
from firmware.doctor.printing import print_findings
from firmware.journal.journal import utc_now
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import words_for
from hardware.errors import MissingPart


def run_list(
    config: TableConfig,
    state: Path | None,
    count: int | None,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Print the last *count* games; all games if *count* is None."""
    out = out or sys.stdout
    lines = lines_of(state_folder(state), count)
    if as_json:
        print_json(list_json(lines), out)
    elif lines:
        print_list(lines, _describer(config), out)
    else:
        print(no_games_text(state_folder(state), "list"), file=out)
    return EXIT_OK


def run_show(
    number: int, config: TableConfig, state: Path | None, as_json: bool, out: TextIO | None = None
) -> int:
    """Print every play of game *number*.

    Raises:
        UnknownNumber: there is no such game.
        JournalError: the journal cannot be read.
    """
    out = out or sys.stdout
    past = past_game(state_folder(state), number)
    if as_json:
        print_json(game_json(past, _describer(config)), out)
    else:
        print_game(past, _describer(config), out)
    return EXIT_OK


def run_verify(state: Path | None, out: TextIO | None = None) -> int:
    """Check the journal, its archive and the sticker register, and print the findings.

    Returns:
        The exit code: 1 if a check failed, else 0.
    """
    out = out or sys.stdout
    folder = state_folder(state)
    print(f"In {folder}:", file=out)
    with _replaying() as begin:
        found = list(findings(folder, begin))
    print_findings(found, out)
    return EXIT_FAILED if any(one.verdict is Verdict.FAIL for one in found) else EXIT_OK


def run_stats(
    config: TableConfig,
    state: Path | None,
    html: Path | None,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Print the statistics of all games, or write them as a page with charts to *html*.

    Raises:
        OutputError: the page cannot be written.
    """
    out = out or sys.stdout
    describer = _describer(config)
    with _replaying() as begin:
        found = figures_of(state_folder(state), begin)
    if html is not None:
        try:
            html.write_text(page_of(found, describer), encoding="utf-8")
        except OSError as wrong:
            raise unwritable(html, wrong) from wrong
        print(f"The page is in {html}.", file=out)
    elif as_json:
        print_json(figures_json(found), out)
    else:
        if not found.games:
            print(no_games_text(state_folder(state), "stats"), file=out)
        print_figures(found, describer, out)
    return EXIT_OK


@contextmanager
def _replaying() -> Iterator[Callable[[int], None]]:
    """Show on a terminal which game is being replayed; yield a function to call with its number."""
    with progress(None, sys.stderr) as advance:
        yield lambda number: advance(f"Game {number}", 1)


def no_games_text(folder: Path, command: str) -> str:
    """Return what to print if no game was played on the mat.

    If virtual tables, whose state folders are in *folder*, have games, the text has lines such as
    ``tapmat journal list --state FOLDER`` to show them; *command* is the ``list`` in that line.
    """
    found = {}
    for name, table in ((SIM, "the virtual table"), (BLANK, "the virtual table without stickers")):
        emulated = folder / name
        count = len(lines_of(emulated, None)) if emulated.is_dir() else 0
        if count:
            found[emulated] = f"{table} has {'1 game' if count == 1 else f'{count} games'}"
    if not found:
        return "No game was played yet."
    return "\n".join(
        (
            f"No game was played on the mat yet, but {' and '.join(found.values())}.",
            "To see them:",
            *(f"  tapmat journal {command} --state {shlex.quote(str(one))}" for one in found),
        )
    )


def run_bundle(
    file: Path, table: Path | None, state: Path | None, out: TextIO | None = None
) -> int:
    """Write a bundle of logs and games to *file*, and print what it contains.

    Raises:
        OutputError: *file* cannot be written.
    """
    folder = state_folder(state)
    files = bundle_files(
        folder, table or DEFAULT_TABLE_TOML, lambda: _doctor(table, state), Computer().run
    )
    write_bundle(files, file)
    print(f"{file} was written. Look through it before you share it.", file=out or sys.stdout)
    print(files["README.txt"], end="", file=out or sys.stdout)
    return EXIT_OK


def run_backup(file: Path, state: Path | None, out: TextIO | None = None) -> int:
    """Save all games, and the list of which sticker is on which card, to *file*.

    Print the size of each part.
    """
    sizes = backup(state_folder(state), file)
    for name, size in sizes.items():
        print(f"{name}: {size:,} bytes", file=out or sys.stdout)
    print(f"{file} was written and checked.", file=out or sys.stdout)
    return EXIT_OK


def run_list_copies(config: TableConfig, state: Path | None, out: TextIO | None = None) -> int:
    """Print the automatic copies, newest first, and the command that restores one."""
    out = out or sys.stdout
    folders = _copy_folders(config, state_folder(state))
    copies = copies_in(folders)
    if not copies:
        places = " or ".join(map(str, folders))
        print(f"There is no automatic copy in {places} yet.", file=out)
        print(
            "A copy is made after each game, and after each day on which somebody played.", file=out
        )
        return EXIT_OK
    for folder in dict.fromkeys(copy.file.parent for copy in copies):
        print(f"In {folder}:", file=out)
        for copy in copies:
            if copy.file.parent == folder:
                print(f"  {copy.file.name:<26}  {_copy_in_words(copy)}", file=out)
    newest = next((copy for copy in copies if copy.contents is not None), None)
    if newest is not None:
        print("To restore one, first stop the table. Then, for example:", file=out)
        print(f"  tapmat journal restore {newest.file.name}", file=out)
    return EXIT_OK


def _copy_in_words(copy: Copy) -> str:
    """Return a description of *copy*: when it was made and what it contains."""
    made = f"made {copy.made:%Y-%m-%d %H:%M}"
    if copy.contents is None:
        return f"{made}; it cannot be read"
    contents = copy.contents
    counts = [
        f"{count} {thing}" if count == 1 else f"{count} {thing}s"
        for count, thing in (
            (contents.games, "game"),
            (contents.plays, "play"),
            (contents.stickers, "sticker"),
        )
    ]
    last = f"; last play {local(contents.last_play):%Y-%m-%d %H:%M}" if contents.last_play else ""
    return f"{made}: {', '.join(counts)}{last}"


def _copy_folders(config: TableConfig, folder: Path) -> list[Path]:
    """Return the folders that may contain automatic copies."""
    return [*([config.copies] if config.copies is not None else []), folder / COPIES]


def run_restore(
    file: Path, config: TableConfig, state: Path | None, out: TextIO | None = None
) -> int:
    """Restore the backup *file*, or the automatic copy of that name."""
    folder = state_folder(state)
    if len(file.parts) == 1 and not file.exists():
        copies = (place / file for place in _copy_folders(config, folder))
        file = next((copy for copy in copies if copy.exists()), file)
    replaced = restore(folder, file, datetime.now())
    print(f"{file} was restored.", file=out or sys.stdout)
    if replaced is not None:
        print(f"The data that it replaced is in {replaced}.", file=out or sys.stdout)
    return EXIT_OK


def run_prune(
    state: Path | None,
    days: int | None,
    games: int | None,
    megabytes: float | None,
    out: TextIO | None = None,
) -> int:
    """Move the games beyond any of the limits from the journal to the archive.

    *days*, *games* and *megabytes* are the limits; None means no limit.
    """
    now = utc_now()
    since = None if days is None else now - timedelta(days=days)
    size = None if megabytes is None else int(megabytes * MEGABYTE)
    result = prune(state_folder(state), Limits(since, games, size), now)
    out = out or sys.stdout
    moved = "1 game was" if result.moved == 1 else f"{result.moved} games were"
    print(f"{moved} moved to the archive. Every command finds archived games too.", file=out)
    print(f"The journal had {result.before:,} bytes; now it has {result.after:,}.", file=out)
    return EXIT_OK


def _describer(config: TableConfig) -> Describer:
    return Describer(words_for(config.settings.language))


def _doctor(table: Path | None, state: Path | None) -> Mapping[str, Any]:
    """Return the doctor's report as JSON data, or the error that prevented one."""
    printed = io.StringIO()
    try:
        run_doctor(
            load_config(table), state, DoctorOptions(is_quick=True), as_json=True, out=printed
        )
    except (TapmatError, MissingPart) as wrong:
        return {"error": str(wrong)}
    report: Mapping[str, Any] = json.loads(printed.getvalue())
    return report
