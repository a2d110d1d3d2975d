"""``tapmat companion``, and the child process in which ``tapmat play`` and ``tapmat sim`` run it.

Under systemd the companion is a separate service. Elsewhere it is a child of the table's process.
That process starts the companion again if it ends. The companion ends when the table's process
ends, because that closes its standard input.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic

from firmware.commands.options import EXIT_BAD_INPUT
from firmware.common.state_path import state_path
from firmware.config.companion_config import CompanionConfig, load_companion

SOCKET_VARIABLE = "TAPMAT_COMPANION_SOCKET"  # set by the companion's unit
SOCKET = "companion.sock"
FOLDER = "companion"  # of the viewers' keys, in the state folder
AGAIN_S = 1.0  # before an ended companion is started again ...
LONGEST_AGAIN_S = 10.0  # ... twice as long each time, if it ends soon
SOON_S = 10.0
GOODBYE_S = 5.0  # for a companion to end

log = logging.getLogger(__name__)


def run(table: Path | None, state: Path | None, host: str, port: int | None, is_child: bool) -> int:
    """Serve the pages of the table whose state folder is *state*, until the process is stopped.

    *host* and *port* are the address to listen on: every address if *host* is empty, and the port
    in *table* if *port* is None. If *is_child*, the process also ends when its standard input ends.

    Raises:
        ConfigError: the file *table* cannot be used.
        ServerError: the port cannot be listened on.
    """
    from firmware.web.listening import listen

    if sys.platform == "win32":
        log.warning("There is no companion on Windows: Python has no Unix sockets there.")
        return EXIT_BAD_INPUT
    config = load_companion(table)
    socket_file, folder = _places(os.environ, state)
    sockets = listen(host, config.port if port is None else port, "tapmat companion")
    from firmware.companion.command import run_companion

    return run_companion(socket_file, folder, sockets, is_child=is_child)


def socket_path(environment: Mapping[str, str], state: Path) -> Path:
    """Return the path of the table's socket: in its runtime folder under systemd, or in *state*."""
    return Path(environment.get("RUNTIME_DIRECTORY") or state) / SOCKET


def is_service(environment: Mapping[str, str]) -> bool:
    """Return True if systemd runs this process, and thus the companion as a separate unit."""
    return "NOTIFY_SOCKET" in environment


def _places(environment: Mapping[str, str], state: Path | None) -> tuple[Path, Path]:
    """Return two paths: of the table's socket, and of the companion's own folder.

    A systemd unit finds them in *environment*; otherwise they are in the state folder *state*.
    """
    if SOCKET_VARIABLE in environment:  # the unit has no access to the state folder
        return Path(environment[SOCKET_VARIABLE]), Path(environment["STATE_DIRECTORY"])
    folder = state_path(state)  # of the table, which creates it
    return socket_path({}, folder), folder / FOLDER


class CompanionChild:
    """A companion as a child process, which is started again whenever it ends, until ``close``.

    A separate thread waits for the child, so the table never does.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._stopped = Event()
        self._gate = Lock()  # so that no child is started after close()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._run, name="companion", daemon=True)
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
            log.warning("The companion has ended (%s), and is started again.", code)
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


@contextmanager
def companion_child(config: CompanionConfig, table: Path, state: Path) -> Iterator[None]:
    """Run a block with a companion, if *config* has one, for the table with the folder *state*."""
    if not config.on:
        yield
        return
    command = [sys.executable, "-m", "firmware.commands.cli", "companion", "--child"]
    with closing(CompanionChild([*command, "--table", str(table), "--state", str(state)])):
        yield
