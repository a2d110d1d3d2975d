"""A real companion process at an emulated table, for tests of pages and of failures."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from firmware.archive.recent import find_recent
from firmware.commands.beside import ChildProgram
from firmware.config.table_config import TableConfig, load_config
from firmware.runtime.controller import box_of, decks_of
from firmware.runtime.local_socket import LocalSocket
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.ports import free_port

PATIENCE_S = 40.0
CONFIG = load_config()
NEAR = ("-m", "firmware.commands.cli")
FAR = (  # every page counts as one on another computer
    "-c",
    "from firmware.companion import server; server.LOOPBACK = ()\n"
    "from firmware.commands.cli import main; main()",
)


SCANNED = (  # the same, and the table's display shows the address in its QR code
    "-c",
    "from firmware.companion import command, server; server.LOOPBACK = command.LOOPBACK = ()\n"
    "server.own_address = lambda: '127.0.0.1'\n"
    "async def keep(*_): pass\n"
    "server.NetworkName.keep = keep\n"
    "from firmware.commands.cli import main; main()",
)


def until(happened: Callable[[], object]) -> None:
    """Wait in real time; raise an error if it never happens."""
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, "it never happens"
        time.sleep(0.02)


def state_at(address: str) -> dict[str, Any] | None:
    """Return the state told by the companion at *address*, or None without an answer."""
    try:
        with urllib.request.urlopen(f"{address}state", timeout=PATIENCE_S) as answer:
            told: dict[str, Any] | None = json.load(answer)
            return told
    except OSError:
        return None


def is_served_at(address: str) -> bool:
    """Return True if a companion answers at *address*."""
    try:
        urllib.request.urlopen(address, timeout=PATIENCE_S).close()
    except OSError:
        return False
    return True


def command(folder: Path, port: int, program: tuple[str, ...] = NEAR) -> list[str]:
    """Return the command that serves the pages of the table with the state folder *folder*."""
    options = ("--state", str(folder), "--host", "127.0.0.1", "--port", str(port))
    return [sys.executable, *program, "companion", "--child", *options]


class Evening:
    """An emulated mat with its socket, people who play at it, and a companion as a child."""

    def __init__(
        self, folder: Path, program: tuple[str, ...] = NEAR, config: TableConfig = CONFIG
    ) -> None:
        self.folder = folder
        self.mat = Mat(config, folder)
        self.mat.power_on()
        self.people = EmulatedPerson(self.mat, decks_of(config))
        self.socket = LocalSocket(
            *(folder / "companion.sock", self.mat.outlet, self.mat.inbox),
            find_results=partial(find_recent, folder),
            find_box=partial(box_of, decks_of(config)),
        ).open()
        self.port = free_port()
        self.child = ChildProgram(command(folder, self.port, program))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def state(self) -> dict[str, Any] | None:
        """The state that the companion tells; None if it does not answer or the table is off."""
        return state_at(self.address)

    def is_served(self) -> bool:
        """Return True once the companion answers."""
        return is_served_at(self.address)

    def until_shown(self, headline: str) -> None:
        """Wait until the companion tells a state with *headline*."""
        until(lambda: (self.state or {}).get("headline") == headline)

    def kill(self) -> None:
        """Kill the companion with a signal that it cannot answer, and wait until it is gone."""
        until(lambda: self.child.pid)
        pid = self.child.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(lambda: self.child.pid != pid)

    def close(self) -> None:
        self.child.close()
        self.socket.close()
        self.mat.close()


@contextmanager
def evening(
    folder: Path, program: tuple[str, ...] = NEAR, config: TableConfig = CONFIG
) -> Iterator[Evening]:
    """Yield a table with a companion, which Python runs by *program*, in *folder*."""
    folder.mkdir(exist_ok=True)
    with closing(Evening(folder, program, config)) as made:
        yield made


def megabytes(pid: int) -> float:
    """Return the memory that the process *pid* has used at most, on Linux."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(kilobytes) / 1024


def modules_of_companion() -> set[str]:
    """Return the modules that the command ``tapmat companion`` has loaded when it serves."""
    program = (
        "import sys, firmware.commands.cli, firmware.commands.companion as c\n"
        "import firmware.companion.command, firmware.web.listening\n"
        "from pathlib import Path\n"
        "c.load_companion(None); c._places({}, Path(sys.argv[1]))\n"
        "from firmware.companion.page import page_of; page_of('board', 'en')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "unused"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())
