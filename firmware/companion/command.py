"""``tapmat companion``: serve the pages until the process is stopped."""

import os
import signal
import socket
import sys
import threading
from pathlib import Path

from aiohttp import web

from firmware.companion.server import CompanionServer

IDLE_S = 10.0  # after this long without a complete request, a connection is closed
SHUTDOWN_S = 2.0  # the longest that unanswered requests may delay the end


def run_companion(
    socket_file: Path,
    folder: Path,
    sockets: list[socket.socket],
    language: str,
    *,
    is_child: bool = False,
) -> int:
    """Serve the pages at *sockets* until SIGTERM or Ctrl-C; return the exit code.

    Args:
        socket_file: the table's local socket.
        folder: the companion's own folder.
        sockets: the listening sockets.
        language: the language of pages while the table has not been on yet.
        is_child: end with the standard input, which the process that started this one keeps open.
    """
    server = CompanionServer(socket_file, folder, language)
    if is_child:
        threading.Thread(target=_end_with_input, daemon=True).start()
    port = sockets[0].getsockname()[1]
    name = socket.gethostname().partition(".")[0].lower()
    print(f"The board is at http://{name}.local:{port}/ (port {port}).", flush=True)
    web.run_app(
        server.app,
        sock=sockets,
        print=None,
        access_log=None,
        shutdown_timeout=SHUTDOWN_S,
        keepalive_timeout=IDLE_S,
    )
    return 0


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # not buffered: the thread may outlive the stream
        pass
    os.kill(os.getpid(), signal.SIGTERM)
