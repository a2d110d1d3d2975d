"""Real servers for the tests of the hall: mosquitto, nats-server and PostgreSQL."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from firmware.hall.settings import SETTINGS, HallSettings
from tests.ports import free_port

USUAL_BOARD_PORT = "port = 8740"
START_S = 20.0  # the longest that a server may take to listen
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
OWNER = "nobody"  # PostgreSQL refuses to run as root

needs_mosquitto = pytest.mark.skipif(
    shutil.which("mosquitto") is None, reason="needs mosquitto (apt install mosquitto)"
)
needs_nats = pytest.mark.skipif(
    shutil.which("nats-server") is None, reason="needs nats-server (apt install nats-server)"
)
needs_postgres = pytest.mark.skipif(
    not POSTGRES, reason="needs PostgreSQL (apt install postgresql)"
)


def give_board_port(folder: Path) -> int:
    """Write a free port for the board into the settings of the hall in *folder*; return it."""
    file, port = folder / SETTINGS, free_port()
    text = file.read_text(encoding="utf-8")
    assert USUAL_BOARD_PORT in text
    file.write_text(text.replace(USUAL_BOARD_PORT, f"port = {port}"), encoding="utf-8")
    return port


class Server:
    """A process that can be killed and started again.

    It listens on *host* and *port*, unless that is 0.

    If it has a folder for its *data*, ``close`` deletes that.
    """

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        log: Path,
        user: str | None = None,
        data: Path | None = None,
        host: str = "127.0.0.1",
    ) -> None:
        self.port = port
        self._host = host
        self._command, self._log, self._user, self._data = command, log, user, data
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> "Server":
        """Start the process and wait until it listens.

        A database that was killed may refuse to start until its other processes have noticed.
        """
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            if self._process is None or self._process.poll() is not None:
                self._begin()
            with closing(socket.socket()) as one:
                if self.port == 0 or one.connect_ex((self._host, self.port)) == 0:
                    return self
            time.sleep(0.05)
        raise AssertionError(f"{self._command[0]} does not listen: {self._log.read_text()[-2000:]}")

    def _begin(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, user=self._user
            )

    def cpu_s(self) -> float:
        """Return the processor time of the process since it was started last, on Linux."""
        if self._process is None:
            return 0.0
        path = Path(f"/proc/{self._process.pid}/stat")
        fields = path.read_text("ascii").rpartition(")")[2].split() if path.exists() else []
        ticks = sum(map(int, fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def has_ended(self) -> bool:
        """Return True if the process has ended by itself, with the exit code 0."""
        return self._process is not None and self._process.poll() == 0

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill the process and all that it has started, and wait for it."""
        if self._process is not None:
            for pid in (self._process.pid, *_children_of(self._process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the server. May be called twice."""
        self.kill(signal.SIGKILL)
        if self._data is not None:
            shutil.rmtree(self._data, ignore_errors=True)


def _children_of(pid: int) -> list[int]:
    """Return the processes that *pid* has started. Those of PostgreSQL have other groups."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text("ascii").split()] if path.exists() else []


def mosquitto(folder: Path, more: Sequence[str] = ("allow_anonymous true",)) -> Server:
    """Start a mosquitto with the lines *more* in its configuration."""
    port = free_port()
    config = folder / "mosquitto.conf"
    lines = [f"listener {port} 127.0.0.1", *more]
    if os.geteuid() == 0:
        lines.append("user root")  # else it becomes a user who cannot read the folder
    config.write_text("\n".join([*lines, ""]), encoding="utf-8")
    command = ["mosquitto", "-c", str(config)]
    return Server(command, port, folder / "mosquitto.log").start()


def postgres(folder: Path) -> tuple[Server, str]:
    """Start a PostgreSQL in *folder* and return it with the address of its database."""
    # Not in *folder*, which the user of the database may not enter.
    port, data = free_port(), Path(tempfile.mkdtemp(prefix="hall-postgres-"))
    user = OWNER if os.geteuid() == 0 else None
    if user is not None:
        os.chown(data, pwd.getpwnam(user).pw_uid, -1)
    tools = POSTGRES[-1].parent
    command = [str(tools / "initdb"), "-D", str(data), "-U", "hall", "-A", "trust", "-N"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=user)
    options = ["-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1"]
    run = [str(tools / "postgres"), "-D", str(data), "-p", str(port), *options]
    server = Server(run, port, folder / "postgres.log", user, data).start()
    ready = [str(tools / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(ready, check=False).returncode:
        time.sleep(0.05)
    return server, f"postgresql://hall@127.0.0.1:{port}/postgres"


def broker_of(hall: HallSettings, name: str) -> Server:
    """Start the broker *name*, mosquitto or nats-server, with the files of *hall*."""
    folder = hall.folder
    config = folder / ("mosquitto.conf" if name == "mosquitto" else "nats.conf")
    text = config.read_text(encoding="utf-8")
    if name == "nats-server":
        text = text.replace("127.0.0.1:4222", f"127.0.0.1:{free_port()}")
    mine = folder / f"test-{config.name}"  # the command writes the other one again
    mine.write_text(text, encoding="utf-8")
    return Server([name, "-c", str(mine)], hall.broker.port, folder / f"{name}.log").start()
