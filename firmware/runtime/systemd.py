"""Notifications to systemd: the table is ready, alive, or stopping.

A notification is one datagram to the socket that ``NOTIFY_SOCKET`` names. Without that variable
nothing is sent, so the same program can be started by hand. The loop itself reports that it is
alive, at each pass. A separate thread must not do this, because it would continue to report
while the loop hangs.

A write to a memory card can take longer than the watchdog's timeout: some cards stall for 10 s and
more while they move their data. So the timeout is longer while the loop waits for the disk, and
only then. A write that never ends is still ended by the watchdog.
Source: systemd, sd_notify(3), ``WATCHDOG_USEC``, and systemd.service(5), ``WatchdogSec``.
"""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Self

DISK_S = 60.0  # the watchdog's timeout while the loop waits for the disk, in seconds
REPORTS_PER_TIMEOUT = 4  # the loop reports this often within the watchdog's timeout


class SystemdNotifier:
    """A sender of notifications to the systemd socket *address*; if that is None, none are sent.

    *watchdog_s* is the watchdog's timeout in seconds; None if there is no watchdog.
    """

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address
        self._watchdog_s = watchdog_s
        self._is_waiting = False  # for the disk
        self._every_s = None if watchdog_s is None else watchdog_s / REPORTS_PER_TIMEOUT
        self._due_s = float("-inf")
        self._is_ready = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Return a notifier with the address and timeout that systemd puts into *environment*."""
        address = environment.get("NOTIFY_SOCKET") or None
        limit = environment.get("WATCHDOG_USEC", "")
        is_watched = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(limit) / 1e6 if limit.isdecimal() and is_watched else None
        return cls(address, watchdog_s)

    def notify_alive(self, now_s: float) -> None:
        """Report that the loop is alive at *now_s*, and the first time that the table is ready.

        Call this at each pass. A notification is sent only as often as the watchdog needs one.
        """
        if not self._is_ready:
            self._is_ready = True
            self._send("READY=1")
        if self._every_s is not None and now_s >= self._due_s:
            self._due_s = now_s + self._every_s
            self._send("WATCHDOG=1")

    @contextmanager
    def waiting_for_disk(self) -> Iterator[None]:
        """Run a block that writes to the disk. The watchdog waits up to ``DISK_S`` for its end.

        After the block, the usual timeout applies again and starts from the end of the block. A
        nested block has no effect.
        """
        if self._watchdog_s is None or self._is_waiting:
            yield
            return
        self._is_waiting = True
        self._set_timeout(max(DISK_S, self._watchdog_s))
        try:
            yield
        finally:
            self._is_waiting = False
            self._set_timeout(self._watchdog_s)

    def _set_timeout(self, seconds: float) -> None:
        """Report that the loop is alive, and set the watchdog's timeout."""
        self._send(f"WATCHDOG=1\nWATCHDOG_USEC={int(seconds * 1e6)}")

    def notify_stopping(self) -> None:
        """Report that the program is about to exit."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        """Send *message*. Errors are ignored, so that they do not stop the game."""
        if self._address is None or not hasattr(socket, "AF_UNIX"):
            return
        address = self._address
        if address.startswith("@"):  # a Linux abstract socket
            address = "\0" + address[1:]
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_manager:
            to_manager.setblocking(False)
            to_manager.sendto(message.encode(), address)
