"""A loop that hangs is ended by the watchdog, and the game goes on after the restart.

The test uses real processes and a real socket, and plays the service manager itself. It measures no
times: it waits for messages, and a loop that hangs sends none.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, decks_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="systemd and its signals")

WATCHDOG_S = 2.0
PATIENCE_S = 60.0  # seconds after which the test fails, enough for the slowest computer
# Runs ``tapmat play`` on an emulated board in real time. SIGUSR1 hangs the loop: its thread sleeps
# for good, as if it waited for a chip, while the process lives.
PLAY = """
import signal, sys, time
from pathlib import Path

import firmware.commands.play
from firmware.config.table_config import load_config
from firmware.runtime.loop import Loop
from sim.mat.board import EmulatedBoard

step, shown = Loop.step, []

def stepped(loop):
    step(loop)
    time.sleep(0.01)
    if not shown:
        shown.append(loop.view)
        print(loop.view.phase, loop.view.headline, flush=True)

class Board(EmulatedBoard):
    def close(self):
        pass

Loop.step = stepped
firmware.commands.play.open_computer = lambda: Board(load_config())
signal.signal(signal.SIGUSR1, lambda *_: time.sleep(10_000))
sys.exit(firmware.commands.play.run_table(load_config(), Path(sys.argv[1])))
"""


class Manager:
    """A service manager: receives messages, and kills a process that is silent for too long."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self._address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self._address)

    def close(self) -> None:
        self._socket.close()

    @contextmanager
    def started(self) -> Iterator["subprocess.Popen[str]"]:
        """Start the table's process, and kill it at the end of the block if it still runs."""
        environment = {
            **os.environ,
            "NOTIFY_SOCKET": self._address,
            "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6)),
        }
        process = subprocess.Popen(
            [sys.executable, "-c", PLAY, str(self.state)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def hears(self, message: str) -> bool:
        """Wait for *message*; return False if it does not come."""
        self._socket.settimeout(PATIENCE_S)
        try:
            while self._socket.recv(100).decode() != message:
                pass
        except TimeoutError:
            return False
        return True

    def watch(self, process: "subprocess.Popen[str]") -> None:
        """Wait until the watchdog's time passes without a message, then end the process."""
        self._socket.settimeout(WATCHDOG_S)
        try:
            while True:
                self._socket.recv(100)
        except TimeoutError:
            assert process.poll() is None, "it was to hang, not to end"
            process.send_signal(signal.SIGABRT)
            assert process.wait(PATIENCE_S) == -signal.SIGABRT


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    with closing(Manager(tmp_path)) as made:
        yield made


def begin_a_game(state: Path) -> None:
    """Leave an open game of Straw in the folder *state*, with 10 on the camel."""
    state.mkdir()
    deck = decks_of(load_config())["straw"]
    with closing(Journal(state / JOURNAL)) as journal:
        journal.begin(GameStart("straw", ("Ann", "Ben"), 1, {}, deck))
        journal.append(Tap(Piece("weight-10")))


def test_a_loop_that_hangs_is_ended_and_the_game_goes_on(manager: Manager) -> None:
    begin_a_game(manager.state)
    with manager.started() as process:
        assert manager.hears("READY=1")
        assert manager.hears("WATCHDOG=1")
        process.send_signal(signal.SIGUSR1)
        manager.watch(process)
    with manager.started() as process:
        assert manager.hears("READY=1")
        assert process.stdout is not None
        assert process.stdout.readline() == "play 10\n"


def test_a_table_that_is_stopped_says_so(manager: Manager) -> None:
    with manager.started() as process:
        assert manager.hears("READY=1")
        process.send_signal(signal.SIGTERM)
        assert manager.hears("STOPPING=1")
        # The files are closed last, which may take as long as the disk likes.
        assert manager.hears("WATCHDOG=1\nWATCHDOG_USEC=60000000")
        assert manager.hears("WATCHDOG=1\nWATCHDOG_USEC=2000000")
        assert process.wait(PATIENCE_S) == 0
