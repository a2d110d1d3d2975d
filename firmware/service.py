"""Telling systemd how the table is: ready, alive, stopping.

Room: firmware. A message is one datagram to the socket that ``NOTIFY_SOCKET`` names; without that
nothing is told, so the same program runs by hand. That it is alive is told by the loop itself at
its turns, never by a thread beside it: a loop that hangs must fall silent.
Source: systemd, sd_notify(3) and systemd.service(5), ``WatchdogSec``.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

PART_OF_LIMIT = 4  # so often within the watchdog's time it is told that the loop is alive


class Service:
    """The way to the service manager, if one asked for messages."""

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address
        self._every_s = None if watchdog_s is None else watchdog_s / PART_OF_LIMIT
        self._due_s = float("-inf")
        self._is_ready = False

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """The service manager that *environment* tells of."""
        address = environment.get("NOTIFY_SOCKET") or None
        limit = environment.get("WATCHDOG_USEC", "")
        is_watched = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(limit) / 1e6 if limit.isdecimal() and is_watched else None
        return cls(address, watchdog_s)

    def alive(self, now_s: float) -> None:
        """The loop turned at *now_s*: the first time the table is ready, then it is alive.

        It is told as often as the watchdog needs to hear it.
        """
        if not self._is_ready:
            self._is_ready = True
            self._tell("READY=1")
        if self._every_s is not None and now_s >= self._due_s:
            self._due_s = now_s + self._every_s
            self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """The table was told to end, and does."""
        self._tell("STOPPING=1")

    def _tell(self, message: str) -> None:
        """Send *message*; a manager that does not listen is no reason to stop playing."""
        if self._address is None or not hasattr(socket, "AF_UNIX"):
            return
        address = self._address
        if address.startswith("@"):  # of Linux's abstract sockets
            address = "\0" + address[1:]
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_manager:
            to_manager.setblocking(False)
            to_manager.sendto(message.encode(), address)
