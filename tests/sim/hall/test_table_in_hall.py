"""An emulated table in a hall with a real broker: it plays as before, and can call for help."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from firmware.common.together import run_together
from firmware.config.table_config import load_config
from firmware.hall.broker import BrokerAddress
from firmware.hall.desk_link import DeskLink
from firmware.hall.journal_rows import JournalRows
from firmware.hall.sending import HallSender
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.statuses import TableStatus
from firmware.hall.worker import HallWorker
from firmware.runtime.controller import decks_of
from firmware.runtime.local_socket import LocalSocket
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.firmware.hall.servers import mosquitto, needs_mosquitto
from tests.firmware.hall.test_hall_worker import stored_by_table
from tests.sim.test_local_socket import Evening

PATIENCE_S = 30.0
STEP_S = 0.05
ONLINE, CALLS = TableStatus(online=True), TableStatus(online=True, calls=True)


@needs_mosquitto
def test_a_call_is_on_the_board_until_it_is_taken_back(tmp_path: Path) -> None:
    """The line is in the menu only while the table is in a hall."""
    config, heard = load_config(), list[TableStatus]()

    async def run(mat: Mat, address: BrokerAddress, path: Path) -> None:
        person = EmulatedPerson(mat, decks_of(config))
        sender = HallSender(address, "window", tmp_path, path)
        desk = DeskLink(address, "desk", lambda _table, status: heard.append(status))

        async def until(is_so: Callable[[], bool]) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    mat.wait(STEP_S)
                    await asyncio.sleep(STEP_S)

        async def call() -> None:
            await until(lambda: ONLINE in heard)
            await until(lambda: mat.inbox.has_hall)
            for item, status in (("call", CALLS), ("no-call", ONLINE)):
                person.press("ok")
                person.choose(item)
                await until(partial(is_heard, status))

        def is_heard(status: TableStatus) -> bool:
            return heard[-1] == status

        await run_together(call(), sender.run(), desk.run())

    with closing(mosquitto(tmp_path)) as broker, closing(Mat(config, tmp_path)) as mat:
        mat.power_on()
        path = tmp_path / "companion.sock"
        with closing(LocalSocket(path, mat.outlet, mat.inbox).open()):
            address = BrokerAddress("127.0.0.1", broker.port, tls=False)
            asyncio.run(run(mat, address, path))
            mat.wait(1.0)


@contextmanager
def in_a_hall(table: Evening, store: SqliteStore) -> Iterator[None]:
    """Run a block while *table* sends its games to a hall that saves them in *store*."""
    folder = table.path.parent
    with closing(mosquitto(folder)) as broker:
        address = BrokerAddress("127.0.0.1", broker.port, tls=False)
        sender = HallSender(address, "window", folder, table.path)
        worker = HallWorker(address, store)

        async def until_done() -> None:
            while not done.is_set():
                await asyncio.sleep(STEP_S)

        async def run() -> None:
            await run_together(sender.run(), worker.run(), until_done())

        done = Event()
        thread = Thread(target=lambda: asyncio.run(run()))
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


@needs_mosquitto
@pytest.mark.long
def test_a_hall_changes_neither_what_happens_nor_when(tmp_path: Path) -> None:
    """Taps, pixels and lamps are the same, to the byte and to the virtual time of each event."""
    with closing(Evening(tmp_path / "alone")) as alone:
        expected = alone.play()
    store = SqliteStore(tmp_path / "hall.sqlite")
    with closing(Evening(tmp_path / "hall")) as table, in_a_hall(table, store):
        wait_for(lambda: table.mat.inbox.has_hall)
        assert table.play() == expected
        written = JournalRows(table.path.parent).after(0, 1000)
        assert written
        wait_for(lambda: asyncio.run(stored_by_table(store)).get("window") == written)
    asyncio.run(store.close())


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait until *is_so* returns True."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(STEP_S)
