"""Running a web application on listening sockets until the process is stopped."""

import socket
from collections.abc import Callable

from aiohttp import web

IDLE_S = 10.0  # after this long without a complete request, a connection is closed
SHUTDOWN_S = 2.0  # the longest that unanswered requests may delay the end


def serve(
    app: web.Application,
    sockets: list[socket.socket],
    ready: Callable[..., None] | None = None,
) -> None:
    """Serve *app* at *sockets* until SIGTERM or Ctrl-C.

    *ready* is called when the server accepts requests.

    Raises:
        GracefulExit: a second Ctrl-C came during the shutdown.
    """
    web.run_app(
        app,
        sock=sockets,
        print=ready,
        access_log=None,
        shutdown_timeout=SHUTDOWN_S,
        keepalive_timeout=IDLE_S,
    )
