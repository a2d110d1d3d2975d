"""Messages that a hostile table sends under its own name: nothing falls over or harms another."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from firmware.boxes.games import games
from firmware.common.together import run_together
from firmware.hall.agent import TableAgent
from firmware.hall.board import HallBoard
from firmware.hall.broker import BrokerAddress, client_of
from firmware.hall.desk_link import DeskLink
from firmware.hall.messages import JOURNAL, STATUS, EntryBatch, OutboxName, batch_text, topic_of
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.statuses import TableStatus
from firmware.hall.worker import BURST, HallWorker
from tests.effort import some
from tests.firmware.hall.rows import ListedRows, entry
from tests.firmware.hall.servers import Server, needs_mosquitto
from tests.firmware.hall.test_hall_worker import address_of, stored_by_table, wait_until

NOWHERE = BrokerAddress("127.0.0.1", 9, tls=False)
NAME = OutboxName("mallory", "0123456789abcdef")
GOOD = batch_text(EntryBatch(NAME, 0, (entry(1), entry(2, "x")))).encode()
TOPIC = topic_of("mallory", "journal")


def malformed(chance: Random) -> bytes:
    """Return a message that is like a batch, but damaged."""
    text = bytearray(GOOD)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(text))
        match chance.randrange(4):
            case 0:
                text[at] = chance.randrange(256)
            case 1:
                del text[at : at + chance.randrange(1, 40)]
            case 2:
                text[at:at] = chance.randbytes(chance.randrange(1, 40))
            case _:
                text[at:at] = chance.choice((b"[", b"{", b'"', b"9" * 400, b"\\ud800", b"null"))
        if not text:
            return b""
    return bytes(text)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "hall.sqlite")
    yield made
    asyncio.run(made.close())


def run_worker(store: SqliteStore, *messages: tuple[str, bytes]) -> HallWorker:
    """Give *messages* to a worker, whose limit of rates is lifted, until it has stored them."""
    worker = HallWorker(NOWHERE, store)

    async def run() -> None:
        task = asyncio.create_task(worker._keep_storing())
        for topic, payload in messages:
            worker._rates.allows = lambda table: True  # type: ignore[method-assign]
            worker.take(topic, payload)

        async def is_idle() -> bool:
            return worker._waiting.empty()

        await wait_until(is_idle)
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    return worker


def stored(store: SqliteStore) -> dict[str, list[int]]:
    found = asyncio.run(stored_by_table(store))
    return {table: [one.seq for one in entries] for table, entries in found.items()}


def test_malformed_messages_are_refused_one_by_one(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    chance, worker, count = Random(1), HallWorker(NOWHERE, store), some(10_000)
    worker._rates.allows = lambda table: True  # type: ignore[method-assign]
    with caplog.at_level(logging.WARNING):
        for _ in range(count):
            worker.take(TOPIC, malformed(chance))
    refused = sum(worker.refused.values())
    assert refused + worker._waiting.qsize() == count
    assert refused > count * 0.8
    assert len(caplog.records) == 1  # a flood does not fill the log


def test_a_replayed_batch_stores_nothing_again(store: SqliteStore) -> None:
    run_worker(store, *[(TOPIC, GOOD)] * 50)
    assert stored(store) == {"mallory": [1, 2]}


def test_a_forged_number_leaves_no_gap(store: SqliteStore) -> None:
    far = batch_text(EntryBatch(NAME, 10**6, (entry(10**6 + 1),))).encode()
    run_worker(store, (TOPIC, far), (TOPIC, GOOD), (TOPIC, far))
    assert stored(store) == {"mallory": [1, 2]}


def test_an_entry_that_is_stored_is_never_changed(store: SqliteStore) -> None:
    other = batch_text(EntryBatch(NAME, 0, (entry(1, "forged"), entry(2, "forged")))).encode()
    run_worker(store, (TOPIC, GOOD), (TOPIC, other))
    (entries,) = asyncio.run(stored_by_table(store)).values()
    assert entries == [entry(1), entry(2, "x")]


def test_the_name_in_the_topic_counts(store: SqliteStore) -> None:
    """The broker lets a table write under its own name alone, and the message has no other name."""
    run_worker(store, (topic_of("mallory", "journal"), GOOD.replace(b'"v"', b'"table":"ann","v"')))
    assert stored(store) == {"mallory": [1, 2]}


def test_a_flood_of_one_table_is_cut_off(store: SqliteStore) -> None:
    worker = HallWorker(NOWHERE, store)
    for _ in range(5000):
        worker.take(TOPIC, GOOD)
    worker.take(topic_of("ann", "journal"), GOOD)
    assert worker._waiting.qsize() <= BURST + 5  # of the flood, and the one of Ann
    assert worker.refused["the table sends too much"] >= 4900


@needs_mosquitto
def test_malformed_messages_through_a_broker_harm_nobody(
    broker: Server, store: SqliteStore
) -> None:
    chance, count = Random(2), some(10_000)
    rows, heard = ListedRows(entry(seq) for seq in range(1, 30)), dict[str, TableStatus]()
    address, shown = address_of(broker), list[str]()
    board = HallBoard(store, games(), {}, lambda tables: shown.extend(t["table"] for t in tables))

    async def run() -> None:
        worker = HallWorker(address, store)
        desk = DeskLink(address, "desk", heard.__setitem__)
        ann = TableAgent(address, "ann", rows, None)

        async def has_all_of_ann() -> bool:
            return (await stored_by_table(store)).get("ann") == rows.entries

        async def attack() -> None:
            await wait_until(has_all_of_ann)
            async with client_of(address, "mallory") as client:
                for _ in range(count):
                    part = chance.choice((JOURNAL, JOURNAL, STATUS))
                    await client.publish(topic_of("mallory", part), malformed(chance), qos=1)
            rows.entries.extend(entry(seq) for seq in range(30, 60))
            ann.wake.set()
            await wait_until(has_all_of_ann)
            await board.look()

        await run_together(attack(), worker.run(), ann.run(), desk.run())
        assert sum(worker.refused.values()) > count / 2

    with patch.multiple("firmware.hall.worker", RATE=1e9, BURST=1e9):  # each message is read
        asyncio.run(run())
    assert heard == {"ann": TableStatus(online=True)}
    assert "ann" in shown
