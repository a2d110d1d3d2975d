"""People at an emulated table call their hall for help, through a real broker."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from firmware.common.together import run_together
from firmware.config.table_config import load_config
from firmware.hall.broker import BrokerAddress
from firmware.hall.desk_link import DeskLink
from firmware.hall.sending import HallSender
from firmware.hall.statuses import TableStatus
from firmware.runtime.controller import decks_of
from firmware.runtime.local_socket import LocalSocket
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.firmware.hall.servers import mosquitto, needs_mosquitto

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
