"""``tapmat companion``: serve the pages, beside the table (``firmware.commands.beside``)."""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from firmware.commands.beside import SOCKET_VARIABLE, end_with_input, socket_to_read
from firmware.commands.options import EXIT_BAD_INPUT
from firmware.common.state_path import state_path
from firmware.config.companion_config import load_companion

FOLDER = "companion"  # of the viewers' keys, in the state folder

OTHER_PORT = "Use another port: tapmat companion --port {port}"

log = logging.getLogger(__name__)


def run(table: Path | None, state: Path | None, host: str, port: int | None, is_child: bool) -> int:
    """Serve the pages of the table whose state folder is *state*, until the process is stopped.

    *host* and *port* are the address to listen on: every address if *host* is empty, and the port
    in *table* if *port* is None. If *is_child*, the process also ends when its standard input ends.

    Raises:
        ConfigError: the file *table* cannot be used.
        ServerError: the port cannot be listened on.
    """
    from firmware.web.listening import listen

    if sys.platform == "win32":
        log.warning("There is no companion on Windows: Python has no Unix sockets there.")
        return EXIT_BAD_INPUT
    config = load_companion(table)
    socket_file, folder = _places(os.environ, state)
    sockets = listen(host, config.port if port is None else port, OTHER_PORT)
    from firmware.companion.command import run_companion

    if is_child:
        end_with_input()
    return run_companion(socket_file, folder, sockets)


def _places(environment: Mapping[str, str], state: Path | None) -> tuple[Path, Path]:
    """Return two paths: of the table's socket, and of the companion's own folder."""
    socket_file = socket_to_read(environment, state)
    if SOCKET_VARIABLE in environment:
        return socket_file, Path(environment["STATE_DIRECTORY"])
    return socket_file, state_path(state) / FOLDER  # the table creates the state folder
