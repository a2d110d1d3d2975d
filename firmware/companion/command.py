"""``tapmat companion``: serve the pages until the process is stopped."""

import socket
from pathlib import Path

from firmware.companion.server import CompanionServer
from firmware.web.guard import LOOPBACK, local_name
from firmware.web.serving import serve


def run_companion(socket_file: Path, folder: Path, sockets: list[socket.socket]) -> int:
    """Serve the pages at *sockets* until SIGTERM or Ctrl-C; return the exit code.

    Args:
        socket_file: the table's local socket.
        folder: the companion's own folder.
        sockets: the listening sockets.
    """
    port = sockets[0].getsockname()[1]
    is_reachable = any(one.getsockname()[0] not in LOOPBACK for one in sockets)
    server = CompanionServer(socket_file, folder, port if is_reachable else 0)
    print(f"The board is at http://{local_name()}:{port}/ (port {port}).", flush=True)
    serve(server.app, sockets)
    return 0
