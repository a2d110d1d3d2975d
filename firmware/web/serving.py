"""Running a web application on listening sockets until the process is stopped."""

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any

from aiohttp import web

IDLE_S = 10.0  # after this long without a complete request, a connection is closed
SHUTDOWN_S = 2.0  # the longest that unanswered requests may delay the end

log = logging.getLogger(__name__)


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
    app.on_startup.append(_expect_closed_pages)
    web.run_app(
        app,
        sock=sockets,
        print=ready,
        access_log=None,
        shutdown_timeout=SHUTDOWN_S,
        keepalive_timeout=IDLE_S,
    )


async def _expect_closed_pages(_app: web.Application) -> None:
    asyncio.get_running_loop().set_exception_handler(on_error)


def on_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error that no task has handled, unless a page was closed while it got a message.

    aiohttp compresses long messages in separate tasks, and nobody waits for these then.
    """
    if isinstance(context.get("exception"), ConnectionResetError):
        log.debug("A page was closed: %s", context["exception"])
    else:
        loop.default_exception_handler(context)
