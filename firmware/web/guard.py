"""The guard of a web server: refuses requests meant for others, and adds the security headers.

A request must name this server as its Host and, if it has an Origin, as its Origin. This keeps out
other sites' scripts and DNS rebinding.
"""

import logging
import socket
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http import HttpProcessingError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def is_ours(request: web.Request, own_name: str = "", *, needs_origin: bool) -> bool:
    """Return True if *request* was meant for this server and was not made by another site's page.

    *own_name* is another name of this computer in the network, or empty. With *needs_origin*, a
    request without an Origin is refused, because browsers always send one with such a request.
    """
    origin = request.headers.get("Origin")
    if origin is None and needs_origin:
        return False
    try:
        name = urlsplit(f"//{request.host}").hostname
        is_same = origin is None or urlsplit(origin).netloc == request.host
    except ValueError:  # malformed Host or Origin
        return False
    return is_same and name in (*LOOPBACK, _local_address(request), local_name(), own_name)


async def guard_response(_request: web.Request, response: web.StreamResponse) -> None:
    """Add the security headers to *response*; a signal handler for ``on_response_prepare``."""
    response.headers.update(HEADERS)
    response.headers.popall("Server", None)


def _guard_errors(handle: Callable[..., web.StreamResponse]) -> Callable[..., web.StreamResponse]:
    """Return *handle* with the security headers on its response.

    aiohttp answers a malformed request itself, so ``on_response_prepare`` misses that answer. The
    answer would also name aiohttp's version, unless it has a Server header already.
    """

    @wraps(handle)
    def respond(*args: Any, **kwargs: Any) -> web.StreamResponse:
        response = handle(*args, **kwargs)
        response.headers.update(HEADERS, Server="tapmat")
        return response

    return respond


web.RequestHandler.handle_error = _guard_errors(  # type: ignore[method-assign]
    web.RequestHandler.handle_error
)


class _NoTraceback(logging.Filter):
    """A log filter that drops tracebacks of malformed requests, which anyone can send."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if *record* should be logged."""
        return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


logging.getLogger("aiohttp.server").addFilter(_NoTraceback())


def local_name() -> str:
    """Return this computer's name in multicast DNS, such as ``raspberrypi.local``."""
    return f"{socket.gethostname().partition('.')[0].lower()}.local"


def _local_address(request: web.Request) -> str | None:
    """Return the local IP address that the request arrived at, or None."""
    if request.transport is None:
        return None
    address = str(request.transport.get_extra_info("sockname")[0])
    return address.partition("%")[0].lower()  # without the interface of a link-local address
