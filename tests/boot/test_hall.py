"""An installed table in a hall: ``make test-boot``.

This computer has the hall, with a real mosquitto; a cable connects it to the machine.
"""

import asyncio
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firmware.hall.broker_files import set_up, write_broker_files
from firmware.hall.credentials import add_table
from firmware.hall.journal_rows import JournalRows
from firmware.hall.messages import SentEntry
from firmware.hall.sqlite_store import SqliteStore
from firmware.pi.service import HALL
from tests.boot.looks import TABLE, begin_game
from tests.boot.machine import STATE, Machine
from tests.firmware.hall.servers import (
    Server,
    broker_of,
    give_board_port,
    needs_mosquitto,
)
from tests.firmware.hall.test_hall_worker import stored_by_table
from tests.ports import free_port

pytestmark = needs_mosquitto


class HallHere:
    """A hall in *folder* on this computer, at the address *host*."""

    def __init__(self, folder: Path, host: str, running: ExitStack) -> None:
        self._settings = set_up(folder, host, free_port(), tls=True)
        self._port = give_board_port(folder)
        self._host = host
        write_broker_files(self._settings)
        self.broker = broker_of(self._settings, "mosquitto")
        running.callback(self.broker.close)
        command = [sys.executable, "-m", "firmware.commands.cli", "hall", "run"]
        options = ["--folder", str(folder), "--host", "0.0.0.0"]
        run = Server([*command, *options], self._port, folder / "run.log").start()
        running.callback(run.close)

    def invite(self, table: str) -> str:
        """Return the address from which *table* can fetch its credential."""
        code = add_table(self._settings, table)
        write_broker_files(self._settings)
        return f"http://{self._host}:{self._port}/join/{code}"

    def entries(self, table: str) -> list[SentEntry]:
        """Return all entries that are stored for *table*."""

        async def read() -> list[SentEntry]:
            store = SqliteStore(self._settings.folder / "hall.sqlite")
            stored = await stored_by_table(store)
            await store.close()
            return stored.get(table, [])

        return asyncio.run(read())


@pytest.fixture
def hall(table: Machine, tmp_path: Path) -> Iterator[HallHere]:
    """A hall on this computer, to which the machine *table* has a cable."""
    host = str(ip_address(table.connect()) - 1)
    with ExitStack() as running:
        yield HallHere(tmp_path / "hall", host, running)


def entries_of(machine: Machine) -> list[SentEntry]:
    """Return all entries of games in the machine's journal."""
    with TemporaryDirectory() as folder:
        for file in machine.path(STATE).glob("journal*"):
            shutil.copyfile(file, Path(folder, file.name))
        return JournalRows(Path(folder)).after(0, 10**6)


def restart(machine: Machine) -> None:
    """Restart the table, as often as a test wants: systemd would stop that for people."""
    machine.run("systemctl", "reset-failed", TABLE)
    machine.run("systemctl", "restart", TABLE)


def test_an_installed_table_joins_a_hall_sends_its_games_and_leaves(
    table: Machine, hall: HallHere
) -> None:
    assert table.state(HALL) == "inactive", "it has joined no hall"
    begin_game(table)
    joined = table.do(f"tapmat hall join {hall.invite('window')}")
    assert joined.code == 0, joined.said
    assert "sudo systemctl restart tapmat" in joined.said
    restart(table)
    table.wait_until("it sends to the hall", lambda: table.state(HALL) == "active")
    entries = entries_of(table)
    assert entries
    table.wait_until("the hall has the game", lambda: hall.entries("window") == entries)

    process = table.show("MainPID", HALL)
    inside = ["nsenter", f"--target={process}", "--mount", "--root", "--", "touch"]
    assert table.run(*inside, f"/{STATE}/touched").code != 0, "it could change the games"

    hall.broker.kill()
    restart(table)
    table.wait_until("the table plays without the broker", lambda: table.state(TABLE) == "active")
    assert table.state(HALL) in ("active", "activating")

    left = table.do("tapmat hall leave")
    assert left.code == 0, left.said
    restart(table)
    table.wait_until("it runs", lambda: table.state(TABLE) == "active")
    assert table.state(HALL) == "inactive"
