"""The commands of ``tapmat hall`` on the hall's computer."""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from firmware.commands.options import EXIT_OK, STDOUT
from firmware.common.errors import OutputError, TapmatError
from firmware.common.state_path import state_path

if TYPE_CHECKING:
    from firmware.hall.past_games import TableHistory
    from firmware.voice.words import Words

FOLDER = "hall"  # in the state folder


class NoHallPackages(TapmatError):
    """The packages of the hall are not installed."""


def hall_folder(folder: Path | None) -> Path:
    """Return the hall's folder: *folder*, or the one in the state folder."""
    return folder or state_path() / FOLDER


def need_packages() -> None:
    """Check that aiomqtt is installed.

    Raises:
        NoHallPackages: it is not.
    """
    try:
        import aiomqtt  # noqa: F401
    except ModuleNotFoundError:
        text = "The hall needs more packages. Install them: pip install 'tapmat[hall]'"
        raise NoHallPackages(text) from None


def run_setup(
    folder: Path | None, host: str, port: int | None, is_plain: bool, out: TextIO | None = None
) -> int:
    """Make the hall in *folder* whose broker is at *host* and *port*; print how to go on."""
    need_packages()
    from firmware.hall.broker_files import set_up
    from firmware.hall.settings import SETTINGS

    place = hall_folder(folder).absolute()
    was_there = (place / SETTINGS).exists()
    set_up(place, host, port, tls=not is_plain)
    if was_there:
        print(f"There is a hall in {place} already, and it stays as it is.", file=out or sys.stdout)
    option = "" if folder is None else f" --folder {folder}"
    lines = (
        f"The hall is in {place}. Now run these in two terminals:",
        f"  mosquitto -c {place}/mosquitto.conf",
        f"  tapmat hall run{option}",
        f"and for each table: tapmat hall add-table NAME{option}",
    )
    print("\n".join(lines), file=out or sys.stdout)
    return EXIT_OK


def run_board(folder: Path | None, host: str, only: str | None, group: str) -> int:
    """Run a worker and the board, or *only* one of them, until the process is stopped."""
    need_packages()
    from firmware.companion.network import own_address
    from firmware.hall.running import run_hall
    from firmware.hall.settings import SETTINGS, load_hall
    from firmware.web.listening import listen

    logging.getLogger().setLevel(logging.WARNING)
    settings = load_hall(hall_folder(folder))
    advice = (
        "If this hall runs there already, use that one; if not, change port under [board] in "
        f"{settings.folder / SETTINGS}: port = {{port}}"
    )
    sockets = [] if only == "worker" else listen(host, settings.port, advice)
    if sockets:
        at = host or own_address() or "127.0.0.1"
        print(f"The board is at http://{at}:{settings.port}", flush=True)
    run_hall(settings, sockets, has_worker=only != "board", group=group)
    return EXIT_OK


def run_add_table(folder: Path | None, name: str, out: TextIO | None = None) -> int:
    """Add the table *name*; print the address of its credential, also as a QR code."""
    need_packages()
    from firmware.companion.network import own_address
    from firmware.hall.broker_files import write_broker_files
    from firmware.hall.credentials import CODE_S, add_table
    from firmware.hall.settings import load_hall

    out = out or sys.stdout
    settings = load_hall(hall_folder(folder))
    code = add_table(settings, name)
    write_broker_files(settings)
    address = f"http://{own_address() or '127.0.0.1'}:{settings.port}/join/{code}"
    _print_qr(address, out)
    lines = (
        f"On the table {name}, within {CODE_S / 60:.0f} minutes, while tapmat hall run runs here:",
        f"  tapmat hall join {address}",
        "Or scan the code with a phone, and put the file hall.json on the table's computer:",
        "  tapmat hall join hall.json",
    )
    print("\n".join(lines), file=out)
    return EXIT_OK


def run_revoke(folder: Path | None, name: str, out: TextIO | None = None) -> int:
    """Remove the table *name*, and disconnect it if the broker runs here."""
    need_packages()
    from firmware.hall.broker_files import write_broker_files
    from firmware.hall.credentials import revoke_table
    from firmware.hall.settings import load_hall
    from firmware.hall.tournament_file import TournamentFile

    settings = load_hall(hall_folder(folder))
    revoke_table(settings.folder, name)
    write_broker_files(settings)
    out = out or sys.stdout
    print(f"The table {name} can no longer connect. Its games are kept.", file=out)
    if TournamentFile(settings.folder).take_out(name):
        print("It is out of the tournament; a game there waits for another table.", file=out)
    return EXIT_OK


def run_tables(folder: Path | None, out: TextIO | None = None) -> int:
    """Print the name of each table that has a credential."""
    need_packages()
    from firmware.hall.credentials import users
    from firmware.hall.settings import HALL, load_hall

    settings = load_hall(hall_folder(folder))
    for user in users(settings.folder):
        if user.name != HALL:
            print(user.name, file=out or sys.stdout)
    return EXIT_OK


def run_stats(folder: Path | None, as_json: bool, out: TextIO | None = None) -> int:
    """Print statistics over the games of all tables."""
    from firmware.archive.describer import Describer
    from firmware.archive.figures import figures_json, print_figures

    out = out or sys.stdout
    games, words = _games_and_words(folder)
    from firmware.hall.past_games import figures_over

    found = figures_over(games)
    if as_json:
        print(json.dumps(figures_json(found), ensure_ascii=False), file=out)
    else:
        print_figures(found, Describer(words), out)
    return EXIT_OK


def run_export(folder: Path | None, file: Path, out: TextIO | None = None) -> int:
    """Write the results of all tables to the new *file*, or print them if it is "-"."""
    from firmware.archive.describer import Describer

    games, words = _games_and_words(folder)
    from firmware.hall.past_games import table_results, tables_csv

    text = tables_csv(table_results(games), Describer(words).title)
    if file == STDOUT:
        (out or sys.stdout).write(text)
        return EXIT_OK
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as opened:
            opened.write(text)
        print(f"The results are in {file}.", file=out or sys.stdout)
    except OSError as fault:
        found = f"cannot be written: {fault.strerror}"
        raise OutputError(file, "", found, "Name another file.") from fault
    return EXIT_OK


def _games_and_words(
    folder: Path | None,
) -> "tuple[list[TableHistory], dict[str, Words]]":
    """Return the games of all tables, and the words of the hall's language."""
    need_packages()
    from firmware.hall.past_games import table_histories
    from firmware.hall.running import store_of
    from firmware.hall.settings import load_hall
    from firmware.runtime.controller import words_for

    settings = load_hall(hall_folder(folder))

    async def read() -> "list[TableHistory]":
        store = store_of(settings.store)
        try:
            return await table_histories(store)
        finally:
            await store.close()

    return asyncio.run(read()), words_for(settings.language)


def _print_qr(text: str, out: TextIO) -> None:
    import segno

    code = segno.make_qr(text, error="l")
    if out.isatty():
        code.terminal(out, compact=True)
