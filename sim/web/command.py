"""``tapmat sim``: the virtual table in a browser."""

import asyncio
import socket
import sys
import webbrowser
from contextlib import ExitStack, closing
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TextIO

from aiohttp import web

from firmware.archive.recent import find_recent
from firmware.boxes.games import game_named, games
from firmware.commands.beside import programs_beside, programs_of, socket_path
from firmware.commands.options import BLANK, SIM
from firmware.common.errors import TapmatError, word_list
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import box_of, decks_of
from firmware.runtime.local_socket import LocalSocket
from firmware.web.listening import listen
from firmware.web.serving import serve
from sim.players.levels import styles_of
from sim.web.live import LiveMat
from sim.web.server import Server

EXIT_INTERRUPTED = 130
HOST, PORT = "127.0.0.1", 8737


class CannotSit(TapmatError):
    """The game has no room for that many robots, or has no robots."""


def run_sim(
    config: TableConfig,
    state: Path | None,
    host: str = HOST,
    port: int = PORT,
    game: str | None = None,
    opens_browser: bool = True,
    out: TextIO | None = None,
    *,
    is_blank: bool = False,
    robots: int = 0,
    sockets: list[socket.socket] | None = None,
) -> int:
    """Serve the virtual table until Ctrl-C and return the exit code.

    Args:
        config: the table's configuration.
        state: the state folder; by default one beside the real table's.
        host: the address to listen on.
        port: the port to listen on.
        game: the game to start if none is in progress.
        opens_browser: open the page in a browser.
        out: where to print the address; by default standard output.
        is_blank: start without enrolled cards.
        robots: the number of robots that play *game* with one person.
        sockets: listening sockets, if the caller has already opened them.

    Raises:
        CannotSit: that many robots cannot play *game*.
        MatStopped: the mat failed, and restarting it did not help.
        ServerError: the server cannot listen on the address.
        TapmatError: configuration, decks or state folder cannot be used.
    """
    out = out or sys.stdout
    folder = state_folder(state or state_folder() / (BLANK if is_blank else SIM))
    if game is not None:
        game = game_named(game).name
    if robots:
        _check_robots(game, robots)
    sockets = sockets or listen(host, port)
    server = Server(partial(LiveMat, config, folder, is_blank=is_blank), host, game, robots, _end)
    address = f"http://{reachable(host)}:{port}/"

    def ready(*_args: object) -> None:
        print(f"The table is at {address}. Press Ctrl-C to stop it.", file=out, flush=True)
        if opens_browser:
            webbrowser.open(address)

    try:
        with ExitStack() as others:
            if programs_of(config, folder):
                path, mat = socket_path({}, folder), server.mat
                served = LocalSocket(
                    *(path, mat.outlet, mat.inbox),
                    find_results=partial(find_recent, folder),
                    find_box=partial(box_of, decks_of(config)),
                )
                others.enter_context(closing(served.open()))
                others.enter_context(programs_beside(config, folder))
            serve(server.app, sockets, ready)
    except web.GracefulExit:
        return EXIT_INTERRUPTED  # a second Ctrl-C during the shutdown
    if server.failure is not None:
        raise server.failure
    return 0


def reachable(host: str) -> str:
    """Return the host for the URL at which a local browser reaches a server bound to *host*."""
    try:
        address = ip_address(host)
    except ValueError:  # a host name, or empty, which means every address
        return "127.0.0.1" if host in ("", "localhost") else host
    if address.is_unspecified:
        return "[::1]" if address.version == 6 else "127.0.0.1"
    return str(address) if address.version == 4 else f"[{address}]"


def _end() -> None:
    """Schedule the end of the server, as Ctrl-C does."""

    def leave() -> None:
        raise web.GracefulExit

    asyncio.get_running_loop().call_soon(leave)


def _check_robots(game: str | None, robots: int) -> None:
    """Check that *robots* robots can play *game* with one person.

    Raises:
        CannotSit: *game* is None, has no robots that play with people, or has too few seats.
    """
    able = [name for name in games() if styles_of(name)]
    if game not in able:
        what = (
            "the name of the game is missing"
            if game is None
            else f"robots cannot sit with people at {game} yet"
        )
        raise CannotSit(f"--robots {robots}: {what}. Add --game, with one of: {word_list(able)}")
    most = max(game_named(game).seats) - 1
    if robots > most:
        raise CannotSit(
            f"--robots {robots}: {game} has room for {most} robots besides a person. "
            f"Ask for at most {most}."
        )
