"""Ports for servers that tests start."""

import socket
from contextlib import closing, suppress
from random import choice

PORTS = range(20_000, 32_768)  # below those that Linux gives to connections


def free_port() -> int:
    """Return a port of this computer that nobody listens on.

    No connection can get it, which would keep a server from starting again.
    """
    while True:
        port = choice(PORTS)
        with closing(socket.socket()) as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
