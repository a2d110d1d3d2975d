"""The guest: a Debian system under User Mode Linux, whose power can be cut at any moment.

User Mode Linux is the kernel as an ordinary program. SIGKILL ends it with all that is in its
memory, and its disks are files that keep what the kernel had written to them.
"""

import base64
import select
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

KERNEL = "linux.uml"
MEMORY = "400M"
PATIENCE_S = 600.0  # seconds without any sign after which a test fails, on the slowest computer
LOGS, FORGETFUL = "cuts.log", "cuts.forgetful"  # on the kernel's command line
# Ends with this process. The kernel's own processes end with the first one in their namespace.
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child")
OPTIONS = ("root=/dev/ubda", "rw", "con=null", "con0=null,fd:1", "audit=0", "panic=-1")


class GuestFailed(AssertionError):
    """The guest did not do what it must: it says nothing more, or its table ended by itself."""


class Guest:
    """A running guest with the *disks* root, state and perhaps a log; *log* gets its console.

    ``pictures`` has every picture that the display has shown, with its number, from 1.
    """

    def __init__(self, disks: list[Path], log: Path, *words: str) -> None:
        self.pictures: dict[int, bytes] = {}
        self.has_booted = self.has_started = self.has_ended = False
        self._log = log
        ours, theirs = socket.socketpair()
        self._line, self._rest = ours, b""
        files = [f"ubd{n}={disk}" for n, disk in enumerate(disks)]
        with log.open("ab") as console, theirs:
            line = f"ssl0=fd:{theirs.fileno()}"
            self._process = subprocess.Popen(
                [*DIES_WITH_US, KERNEL, f"mem={MEMORY}", *files, line, *OPTIONS, *words],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._line.close()

    @property
    def shown(self) -> bytes | None:
        """The last picture; None if there was none yet."""
        return self.pictures[max(self.pictures)] if self.pictures else None

    def order(self, *orders: str) -> None:
        """Send *orders* to the board."""
        with suppress(BrokenPipeError):
            self._line.sendall("".join(f"{order}\n" for order in orders).encode())

    def wait_until(self, what: str, is_so: Callable[[], bool]) -> None:
        """Confirm pictures until *is_so* returns True. Raises GuestFailed after ``PATIENCE_S``."""
        while not is_so():
            came = self._receive(PATIENCE_S)
            if came is None or not came or self.has_ended:
                why = "nothing happened for too long" if came is None else "it ended"
                raise GuestFailed(f"waiting until {what}: {why}\n{self.console()}")

    def run_for(self, seconds: float) -> None:
        """Confirm pictures for *seconds*."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._receive(left)

    def wait(self) -> int:
        """Wait until the guest has shut down; return the exit code of its kernel."""
        return self._process.wait(PATIENCE_S)

    def cut(self) -> None:
        """Cut the power, then read the pictures that had left the guest before."""
        self._process.kill()
        self._process.wait()
        while self._receive(PATIENCE_S):
            pass

    def console(self) -> str:
        """Return the end of what the kernel and systemd have printed."""
        return self._log.read_text(errors="replace")[-4000:]

    def _receive(self, patience_s: float) -> bytes | None:
        """Take what comes next; return it, b"" at the end, or None if nothing comes in time."""
        if not select.select([self._line], [], [], patience_s)[0]:
            return None
        try:
            came = self._line.recv(1 << 16)
        except ConnectionResetError:  # the guest has ended, with orders that it had not read
            return b""
        *lines, self._rest = (self._rest + came).split(b"\n")
        for line in lines:
            self._take(line.decode())
        return came

    def _take(self, line: str) -> None:
        match line.split():
            case ["booted"]:
                self.has_booted = True
            case ["started"]:
                self.has_started = True
            case ["ended"]:
                self.has_ended = True
            case [number, "picture", *data]:
                self.pictures[int(number)] = base64.b64decode("".join(data))
                self.order("ok")
            case _:
                raise GuestFailed(f"the agent said {line!r}")


def kernel() -> str:
    """Return the version of the guest's kernel."""
    return subprocess.check_output([KERNEL, "--version"], text=True).strip()
