"""The listening sockets of a server, opened before slow modules are imported."""

import errno
import socket
import sys

from firmware.common.errors import TapmatError

BACKLOG = 128  # connections that may wait until the server is ready


class ServerError(TapmatError):
    """The page cannot be served."""


OTHER_PORT = "Use another port: tapmat sim --port {port}"


def listen(host: str, port: int, advice: str = OTHER_PORT) -> list[socket.socket]:
    """Listen on *port* of every address of *host* and return the sockets.

    An empty *host* means every address of this computer. Connections wait until a server takes over
    the sockets. *advice* says how to use another port, which is {port} in it.

    Raises:
        ServerError: an address cannot be listened on.
    """
    opened: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _name, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            opened.append(one)
            if sys.platform != "win32":
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind(address)
            one.listen(BACKLOG)
    except OSError as error:
        for one in opened:
            one.close()
        is_taken = error.errno == errno.EADDRINUSE
        why = "another program is using it" if is_taken else str(error)
        remedy = advice.replace("{port}", str(port + 1))
        at = f"{host}:{port}" if host else f"Port {port}"
        raise ServerError(f"{at}: {why}. {remedy}") from None
    return opened
