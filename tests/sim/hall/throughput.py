"""Compare a hall at full speed with a bare publisher and subscriber on the same broker.

``python -m tests.sim.hall.throughput`` runs them in turns, with the publisher in another process.
The bare pair sends messages as long as one entry, with the same client library and quality of
service, and stores nothing. The hall stores each entry and answers. First its tables write 70 % of
what the bare pair passes, and send it as they do in play. Then they catch up at full speed, and at
last they do so with one entry in a message, which they never do: each waits for an answer then.
"""

import argparse
import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from firmware.common.together import run_together
from firmware.hall import outbox
from firmware.hall.agent import LOOK_S, TableAgent
from firmware.hall.broker import BrokerAddress, client_of
from firmware.hall.messages import (
    JOURNAL,
    MOST_ENTRIES,
    EntryBatch,
    OutboxName,
    batch_text,
    topic_of,
)
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.worker import HallWorker
from sim.hall.simulated import Schedule, SimulatedRows
from tests.firmware.hall.servers import mosquitto
from tests.sim.hall.chaos import RECORDING, make_recording

TABLES = 200  # at once, so that nobody waits for an answer
NAMES = [f"table-{number}" for number in range(TABLES)]
ENDLESS = Schedule(0.0, 1e9, 1.0)  # all is written long ago
LATE_S = 1e10  # seconds since 1970
SPAWN = get_context("spawn")
WARM_UP_S = 3.0


SHARE = 0.7  # of the bare pair's rate, that tables write


def rows_of(name: str, schedule: Schedule = ENDLESS) -> SimulatedRows:
    """Return the journal of the table *name*."""
    return SimulatedRows(name, make_recording(RECORDING), schedule, time.time)


async def publish_bare(address: BrokerAddress) -> None:
    """Publish messages with one entry, one after the other for each table."""

    async def publish(name: str) -> None:
        rows = rows_of(name)
        async with client_of(address, name) as client:
            seq = 0
            while True:
                batch = EntryBatch(OutboxName(name, rows.name() or ""), seq, (rows.entry(seq + 1),))
                await client.publish(topic_of(name, JOURNAL), batch_text(batch))
                seq += 1

    await asyncio.gather(*map(publish, NAMES))


async def publish_as_tables(address: BrokerAddress, schedule: Schedule) -> None:
    """Send journals as tables do, which write as *schedule* says."""
    look_s = None if schedule == ENDLESS else LOOK_S
    agents = [TableAgent(address, name, rows_of(name, schedule), look_s) for name in NAMES]
    await asyncio.gather(*(agent.run() for agent in agents))


def run_publisher(port: int, schedule: Schedule | None, most: int) -> None:
    """Run one of the publishers; the main function of a process.

    It is the bare one if *schedule* is None. *most* entries are in a batch.
    """
    address = BrokerAddress("127.0.0.1", port, tls=False)
    act = publish_bare(address) if schedule is None else publish_as_tables(address, schedule)
    with patch.object(outbox, "MOST_ENTRIES", most):
        asyncio.run(act)


async def count_bare(port: int, length_s: float) -> float:
    """Return the messages per second that a subscriber gets, which does nothing with them."""
    count, first_s = 0, 0.0
    async with client_of(BrokerAddress("127.0.0.1", port, tls=False), "bare") as client:
        await client.subscribe(topic_of("+", JOURNAL))
        with start_publisher(port, None, most=1):
            async for _ in client.messages:
                first_s = first_s or time.monotonic()
                if time.monotonic() - first_s > WARM_UP_S + length_s:
                    break
                count += time.monotonic() - first_s > WARM_UP_S
    return count / length_s


async def count_hall(
    port: int, length_s: float, folder: Path, most: int, rate: float | None = None
) -> float:
    """Return the entries per second that a hall stores of tables that write *rate* a second.

    None is full speed.
    """
    schedule = ENDLESS if rate is None else Schedule(time.time(), LATE_S, rate / TABLES)
    store = SqliteStore(folder / f"hall-{most}-{time.monotonic_ns()}.sqlite")
    worker = HallWorker(BrokerAddress("127.0.0.1", port, tls=False), store)

    async def stored() -> int:
        return sum(state.mark.seq for state in await store.outboxes())

    found = 0.0

    async def measure() -> None:
        nonlocal found
        while not await stored():
            await asyncio.sleep(0.02)
        await asyncio.sleep(WARM_UP_S)
        before, before_s = await stored(), time.monotonic()
        await asyncio.sleep(length_s)
        found = (await stored() - before) / (time.monotonic() - before_s)

    limit = patch("firmware.hall.worker.RATE", 1e9)
    with limit, start_publisher(port, schedule, most=most):
        await run_together(worker.run(), measure())
    await store.close()
    return found


@contextmanager
def start_publisher(port: int, schedule: Schedule | None, *, most: int) -> Iterator[None]:
    """Run a block beside a process with a publisher."""
    process = SPAWN.Process(target=run_publisher, args=(port, schedule, most))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def main() -> None:
    """Run with the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    rates: dict[str, list[float]] = {}
    with TemporaryDirectory(prefix="hall-") as name, closing(mosquitto(Path(name))) as broker:
        folder = Path(name)
        runs: dict[str, Callable[[], Coroutine[Any, Any, float]]] = {
            "bare": lambda: count_bare(broker.port, given.seconds),
            f"hall, as in play, {SHARE:.0%} of that": lambda: count_hall(
                *(broker.port, given.seconds, folder, MOST_ENTRIES),
                rate=SHARE * median(rates["bare"]),
            ),
            "hall, catching up": lambda: count_hall(
                *(broker.port, given.seconds, folder, MOST_ENTRIES)
            ),
            "hall, one entry in a message": lambda: count_hall(
                *(broker.port, given.seconds, folder, 1)
            ),
        }
        for _ in range(given.turns):
            for kind, run in runs.items():
                rates.setdefault(kind, []).append(asyncio.run(run()))
    bare = median(rates["bare"])
    for kind, found in rates.items():
        many = ", ".join(f"{rate:,.0f}" for rate in found)
        print(f"{kind}: {many} a second; {median(found) / bare:.0%} of bare")


if __name__ == "__main__":
    main()
