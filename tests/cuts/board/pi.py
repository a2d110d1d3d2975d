"""The emulated board in the guest's service: emulated chips below the real drivers, in real time.

A socket connects it to the agent, and by it to the test on the host. The display's every new
picture goes out there, and the program stands still until the host has confirmed it. So the host
knows for certain what was shown before a power cut, and the disk's log gets its mark before the
program can write anything more. Orders come in: tags enter and leave fields, buttons move.
"""

import os
import select
import socket
import sqlite3
from base64 import b64encode
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

import sim.mat.board
from fakepi.i2c import I2cBus
from fakepi.ntag import Ntag
from fakepi.picc import Picc
from firmware.journal import store
from tests.boot.board.pi import WaitingClock, table_config

SOCKET = "/run/cuts/socket"
CONFIRMED = "ok"
GAP_S = 0.1  # between two orders, so that the program sees what each of them changes
FORGETFUL = "cuts.forgetful"  # on the kernel's command line: the program syncs nothing


class Line:
    """The connection to the agent."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(SOCKET)
        self._rest = b""
        self._orders: deque[str] = deque()
        self._confirmed = 0

    def orders(self) -> list[str]:
        """Return the orders that have come since the last call."""
        while select.select([self._socket], [], [], 0)[0]:
            self._receive()
        came = list(self._orders)
        self._orders.clear()
        return came

    def show(self, picture: bytes) -> None:
        """Send *picture*, and wait until the host has confirmed it."""
        wanted = self._confirmed + 1
        self._socket.sendall(b"picture " + b64encode(picture) + b"\n")
        while self._confirmed < wanted:
            self._receive()

    def _receive(self) -> None:
        came = self._socket.recv(65536)
        if not came:
            raise ConnectionError("the agent has ended")
        *lines, self._rest = (self._rest + came).split(b"\n")
        for line in lines:
            if line.decode() == CONFIRMED:
                self._confirmed += 1
            else:
                self._orders.append(line.decode())


class Clock(WaitingClock):
    """A clock in real time; the orders of the host are carried out when the program pauses."""

    board: "Board | None" = None

    def sleep(self, seconds: float) -> None:
        """Carry out orders, then wait *seconds*."""
        if self.board is not None:
            self.board.obey()
        super().sleep(seconds)


class Board(sim.mat.board.EmulatedBoard):
    """The emulated board of the service."""

    def __init__(self, line: Line) -> None:
        super().__init__(table_config())
        self._line = line
        self._tags: dict[str, Picc] = {}
        self._orders: deque[str] = deque()
        self._next_s = 0.0  # the earliest time of the next order
        self._shown = b""
        assert isinstance(self.clock, Clock)
        self.clock.board = self

    def i2c(self, bus: int) -> I2cBus:
        """Open the bus; from now on the host gets every picture on the display."""
        panel = self.display
        if panel is not None and "write" not in vars(panel):
            write = panel.write

            def write_and_show(data: bytes) -> None:
                write(data)
                self._show()

            panel.write = write_and_show  # type: ignore[method-assign]
        return super().i2c(bus)

    def obey(self) -> None:
        """Carry out the next order, if it is not too soon after the one before.

        A slow program would else miss a button that is pressed and released between two looks.
        """
        self._orders.extend(self._line.orders())
        if self._orders and self.clock.now() >= self._next_s:
            self._next_s = self.clock.now() + GAP_S
            self._carry_out(*self._orders.popleft().split())

    def _carry_out(self, verb: str, what: str, spot: str = "") -> None:
        if verb in ("lay", "lift"):
            field = self.readers[spot].field
            tag = self._tags.setdefault(what, Ntag(bytes.fromhex(what)))
            (field.enter if verb == "lay" else field.leave)(tag)
        else:
            button = self.buttons[what]
            (button.press if verb == "press" else button.release)()

    def _show(self) -> None:
        """Send the host what the display shows if it has changed; off means that all is dark."""
        assert self.display is not None
        picture = self.picture() if self.display.is_lit else b""
        if picture != self._shown:
            self._shown = picture
            self._line.show(picture)

    def picture(self) -> bytes:
        """Return the display's pixels, row by row, eight to a byte, the leftmost highest."""
        assert self.display is not None
        bits = "".join("1" if lit else "0" for row in self.display.visible() for lit in row)
        return int(bits, 2).to_bytes(len(bits) // 8, "big")


def forget_to_sync() -> None:
    """Let SQLite and Python sync nothing, so that a power cut loses what was shown."""
    connect = store.connect

    def connect_without_sync(path: Path, *, is_read_only: bool = False) -> sqlite3.Connection:
        connection = connect(path, is_read_only=is_read_only)
        connection.execute("PRAGMA synchronous = OFF")
        # The store sets EXTRA when it opens the file; no later statement may turn it on again.
        connection.set_authorizer(_deny_synchronous)
        return connection

    vars(store)["connect"] = connect_without_sync
    vars(os)["fsync"] = vars(os)["fdatasync"] = lambda _file: None


def _deny_synchronous(action: int, name: str | None, value: str | None, *_: Any) -> int:
    is_sync = action == sqlite3.SQLITE_PRAGMA and name == "synchronous" and value is not None
    return sqlite3.SQLITE_IGNORE if is_sync else sqlite3.SQLITE_OK


@cache
def the_line() -> Line:
    """Return the process's connection, which ends with it; a start opens more than one board."""
    return Line()


def open_board() -> Board:
    """Return the emulated board for the table on the command line."""
    vars(sim.mat.board)["VirtualClock"] = Clock
    if FORGETFUL in Path("/proc/cmdline").read_text().split():
        forget_to_sync()
    return Board(the_line())
