"""Tables, a real broker and a worker."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from firmware.common.together import run_together
from firmware.hall.agent import TableAgent
from firmware.hall.broker import BrokerAddress
from firmware.hall.messages import SentEntry
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.worker import BURST, HallWorker, RateLimit
from tests.firmware.hall.rows import ListedRows, entry
from tests.firmware.hall.servers import Server, needs_mosquitto

PATIENCE_S = 20.0


def address_of(server: Server) -> BrokerAddress:
    return BrokerAddress("127.0.0.1", server.port, tls=False)


async def wait_until(is_true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await is_true():
            await asyncio.sleep(0.02)


async def stored_by_table(store: SqliteStore) -> dict[str, list[SentEntry]]:
    names = [state.mark.outbox for state in await store.outboxes()]
    return {name.table: await store.entries(name, 0, 10**6) for name in names}


@needs_mosquitto
def test_tables_send_their_journals_and_go_on_after_the_broker_was_killed(
    broker: Server, tmp_path: Path
) -> None:
    journals = {f"table-{n}": ListedRows(entry(seq) for seq in range(1, 30)) for n in range(3)}

    async def run() -> None:
        store = SqliteStore(tmp_path / "hall.sqlite")
        agents = [
            TableAgent(address_of(broker), name, rows, None) for name, rows in journals.items()
        ]

        async def is_all_stored() -> bool:
            return await stored_by_table(store) == {n: r.entries for n, r in journals.items()}

        async def kill_and_wait() -> None:
            await wait_until(is_all_stored)
            broker.kill()
            for rows in journals.values():
                rows.entries.extend(entry(seq) for seq in range(30, 60))
            broker.start()
            await wait_until(is_all_stored)

        worker = HallWorker(address_of(broker), store)
        await run_together(kill_and_wait(), worker.run(), *(agent.run() for agent in agents))
        await store.close()

    asyncio.run(run())


def test_a_table_that_sends_too_much_delays_no_other() -> None:
    now_s = 0.0
    limit = RateLimit(lambda: now_s)
    assert sum(limit.allows("loud") for _ in range(1000)) == BURST
    assert limit.allows("quiet")
    now_s = 1.0
    assert limit.allows("loud")
