"""The programs that run beside the table: the companion, and the connections to brokers.

Under systemd each is a separate service. Elsewhere they are children of the table's process, which
starts them again if they end. They end when the table's process ends, because that closes their
standard input.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from firmware.common.state_path import HALL_CREDENTIAL, state_path

if TYPE_CHECKING:  # the programs beside the table must not load the table
    from firmware.config.table_config import TableConfig

SOCKET_VARIABLE = "TAPMAT_COMPANION_SOCKET"  # set by the units
SOCKET = "companion.sock"
COMPANION, MQTT, HALL = "companion", "mqtt", "hall send"  # their commands
AGAIN_S = 1.0  # before an ended program is started again ...
LONGEST_AGAIN_S = 10.0  # ... twice as long each time, if it ends soon
SOON_S = 10.0
GOODBYE_S = 5.0  # for a program to end
TITLES = {
    COMPANION: "The companion",
    MQTT: "The connection to the broker",
    HALL: "The connection to the hall",
}

log = logging.getLogger(__name__)


def socket_path(environment: Mapping[str, str], state: Path) -> Path:
    """Return the path of the table's socket: in its runtime folder under systemd, or in *state*."""
    return Path(environment.get("RUNTIME_DIRECTORY") or state) / SOCKET


def is_service(environment: Mapping[str, str]) -> bool:
    """Return True if systemd runs this process, and thus the companion as a separate unit."""
    return "NOTIFY_SOCKET" in environment


def socket_to_read(environment: Mapping[str, str], state: Path | None) -> Path:
    """Return the path of the table's socket, for a program beside the table.

    A systemd unit finds it in *environment*; otherwise it is in the state folder *state*.
    """
    if SOCKET_VARIABLE in environment:  # the unit has no access to the state folder
        return Path(environment[SOCKET_VARIABLE])
    return socket_path({}, state_path(state))


def end_with_input() -> None:
    """End this process when its standard input ends, which the table's process keeps open."""
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # not buffered: the thread may outlive the stream
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class ChildProgram:
    """A child process that is started again whenever it ends, until ``close``.

    A separate thread waits for the child, so the table never does.
    """

    def __init__(self, command: Sequence[str], title: str = TITLES[COMPANION]) -> None:
        self._command, self._title = command, title
        self._stopped = Event()
        self._gate = Lock()  # so that no child is started after close()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._run, name=title, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The child's process number; None while there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def close(self) -> None:
        """End the child and the thread."""
        self._stopped.set()
        with self._gate:
            if self._child is not None:
                self._child.terminate()
        self._thread.join(GOODBYE_S)
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._thread.join()

    def _run(self) -> None:
        again_s = AGAIN_S
        while not self._stopped.is_set():
            began_s = monotonic()
            code = self._run_once()
            if self._stopped.is_set():
                return
            again_s = AGAIN_S if monotonic() - began_s > SOON_S else again_s
            log.warning("%s has ended (%s), and is started again.", self._title, code)
            self._stopped.wait(again_s)
            again_s = min(again_s * 2, LONGEST_AGAIN_S)

    def _run_once(self) -> int | str:
        """Start the child and wait for its end; return its exit code or why it cannot start."""
        with self._gate:
            if self._stopped.is_set():
                return 0
            try:  # in a separate session: Ctrl-C ends the table, and that ends the child
                self._child = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, start_new_session=True
                )
            except OSError as fault:
                return fault.strerror or str(fault)
        with self._child:
            return self._child.wait()


def programs_of(config: "TableConfig", state: Path) -> tuple[str, ...]:
    """Return the commands of the programs that run beside the table of *config*.

    *state* is its state folder, which has a credential if the table has joined a hall.
    """
    has_hall = (state / HALL_CREDENTIAL).exists()
    is_on = {COMPANION: config.companion.on, MQTT: config.mqtt.on, HALL: has_hall}
    return tuple(command for command, on in is_on.items() if on)


@contextmanager
def programs_beside(config: "TableConfig", state: Path) -> Iterator[None]:
    """Run a block with the programs beside the table of *config* with the state folder *state*."""
    start = [sys.executable, "-m", "firmware.commands.cli"]
    options = ["--child", "--table", str(config.file), "--state", str(state)]
    with ExitStack() as running:
        for name in programs_of(config, state):
            child = ChildProgram([*start, *name.split(), *options], TITLES[name])
            running.enter_context(closing(child))
        yield
