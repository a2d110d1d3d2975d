"""Both stores do the same."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from firmware.hall.messages import EntryBatch, OutboxName, SentEntry
from firmware.hall.postgres_store import PostgresStore
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.store import HallStore, HallStoreError
from tests.firmware.hall.rows import entry
from tests.firmware.hall.servers import needs_postgres, postgres

OpenStore = Callable[[], HallStore]
POSTGRES = pytest.param("postgres", marks=[needs_postgres, pytest.mark.long])


@pytest.fixture(params=["sqlite", POSTGRES])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    if request.param == "sqlite":
        yield lambda: SqliteStore(tmp_path / "hall.sqlite")
        return
    server, address = postgres(tmp_path)
    with closing(server):
        yield lambda: PostgresStore(address)


def name(table: int, branch: int = 0) -> OutboxName:
    return OutboxName(f"table-{table}", "0123456789abcdef", branch)


def entries(first: int, last: int) -> tuple[SentEntry, ...]:
    return tuple(entry(seq, "Zoë") for seq in range(first, last + 1))


def test_entries_come_back_in_order_after_the_store_was_closed(open_store: OpenStore) -> None:
    async def run() -> None:
        store = open_store()
        assert await store.outboxes() == []
        marks = await store.save([EntryBatch(name(1), 0, entries(1, 12))], 5.0)
        assert [(mark.seq, mark.seal) for mark in marks] == [(12, entry(12, "Zoë").seal)]
        await store.close()
        store = open_store()
        assert await store.entries(name(1), 2, 5) == list(entries(3, 7))
        (state,) = await store.outboxes()
        assert (state.mark, state.game, state.changed_s) == (marks[0], 1, 5.0)
        await store.close()
        await store.close()

    asyncio.run(run())


def test_the_news_of_many_outboxes_come_at_once(open_store: OpenStore) -> None:
    async def run() -> None:
        store = open_store()
        await store.save([EntryBatch(name(table), 0, entries(1, 9)) for table in (1, 2)], 1.0)
        found = await store.news({name(2): 7, name(3): 0, name(1): 0}, 4)
        assert found == [list(entries(8, 9)), [], list(entries(1, 4))]
        assert await store.news({}, 4) == []
        await store.close()

    asyncio.run(run())


def test_the_answer_to_a_question_names_the_newest_branch(open_store: OpenStore) -> None:
    async def run() -> None:
        store = open_store()
        question = EntryBatch(name(1), 0)
        first = await store.save([question, EntryBatch(name(1), 0, entries(1, 3)), question], 1.0)
        assert [mark.seq for mark in first] == [0, 3, 3]
        await store.save(
            [EntryBatch(name(1, 1), 0, entries(1, 2)), EntryBatch(name(2), 0, entries(1, 9))], 2.0
        )
        (newest,) = await store.save([question], 3.0)
        assert (newest.outbox, newest.seq) == (name(1, 1), 2)
        since = [state.mark.outbox for state in await store.outboxes(2.0)]
        assert since == [name(1, 1), name(2)]
        await store.close()

    asyncio.run(run())


def test_workers_that_store_the_same_batches_at_once_agree(open_store: OpenStore) -> None:
    async def run() -> None:
        stores = [open_store() for _ in range(3)]
        await stores[0].outboxes()

        async def work(store: HallStore, seed: int) -> None:
            chance, ends = Random(seed), dict.fromkeys(range(5), 0)
            while min(ends.values()) < 30:
                tables = chance.sample(range(5), 5)
                batches = [
                    EntryBatch(name(t), ends[t], entries(ends[t] + 1, ends[t] + 4)) for t in tables
                ]
                marks = await store.save(batches, 1.0)
                ends = {table: mark.seq for table, mark in zip(tables, marks, strict=True)}

        async with asyncio.TaskGroup() as group:
            for seed, store in enumerate(stores):
                group.create_task(work(store, seed))
        for table in range(5):
            found = await stores[0].entries(name(table), 0, 10**6)
            assert found == list(entries(1, len(found)))
            assert len(found) >= 30
        for store in stores:
            await store.close()

    asyncio.run(run())


def test_a_store_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    with pytest.raises(HallStoreError, match=r"hall's store .* cannot be used"):
        SqliteStore(tmp_path / "missing" / "hall.sqlite")

    async def run() -> None:
        with pytest.raises(HallStoreError, match="database cannot be used"):
            await PostgresStore("postgresql://hall@127.0.0.1:9/hall").outboxes()

    asyncio.run(run())
