"""``tapmat sim``: the virtual table in a browser.

Room: sim/web.
"""

import errno
import sys
import webbrowser
from functools import partial
from gettext import gettext as _
from pathlib import Path
from typing import TextIO

from aiohttp import web

from firmware.cli import BLANK, SIM
from firmware.config import TableConfig
from firmware.errors import TapmatError, listed
from firmware.games import game_named, games
from firmware.state_folder import state_folder
from sim.robots.games import styles_of
from sim.web.live import LiveMat
from sim.web.server import LOOPBACK, Server

HOST, PORT = "127.0.0.1", 8737


class ServerError(TapmatError):
    """The page cannot be served."""


class CannotSit(TapmatError):
    """So many robots cannot sit with one person at that game."""


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
) -> int:
    """Serve the virtual table until it is told to stop; at one that *is_blank*, cards are enrolled.

    With a *game* so many *robots* sit there with one person.

    Raises:
        CannotSit: they cannot, or not so many.
        ServerError: the address cannot be listened on.
        TapmatError: configuration, decks or state folder cannot be used.
    """
    out = out or sys.stdout
    folder = state_folder(state or state_folder() / (BLANK if is_blank else SIM))
    if game is not None:
        game = game_named(game).name
    if robots:
        _check_robots(game, robots)
    server = Server(partial(LiveMat, config, folder, is_blank=is_blank), host, game, robots)
    shown = "127.0.0.1" if host in (*LOOPBACK, "0.0.0.0", "::") else host
    address = f"http://{shown}:{port}/"

    def ready(*_args: object) -> None:
        told = _("The table is at {address} (Ctrl-C ends it).").format(address=address)
        print(told, file=out, flush=True)
        if opens_browser:
            webbrowser.open(address)

    try:
        web.run_app(server.app, host=host, port=port, print=ready, access_log=None)
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = _("another program listens there") if is_taken else str(error)
        remedy = _("Name another address: {command}")
        told = remedy.format(command=f"tapmat sim --port {port + 1}")
        raise ServerError(f"{host}:{port}: {why}. {told}") from None
    return 0


def _check_robots(game: str | None, robots: int) -> None:
    """Refuse robots that could not sit there.

    Raises:
        CannotSit: no game is named, its robots cannot sit with people, or it is not for so many.
    """
    able = [name for name in games() if styles_of(name)]
    if game not in able:
        what = (
            "no game is named" if game is None else f"robots cannot sit with people at {game} yet"
        )
        raise CannotSit(f"--robots {robots}: {what}. Add --game, with one of: {listed(able)}")
    most = max(game_named(game).seats) - 1
    if robots > most:
        raise CannotSit(f"--robots {robots}: at {game} there is room for {most} beside a person")
