"""An outbox is stored once and in order, although messages are lost on the way."""

import asyncio
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from firmware.archive.pruning import Limits, prune
from firmware.hall.journal_rows import JournalRows
from firmware.hall.messages import (
    MOST_ENTRIES,
    BadHallMessage,
    EntryBatch,
    OutboxName,
    SentEntry,
    StoredMark,
    batch_of,
    batch_text,
    mark_of,
    mark_text,
    table_in,
)
from firmware.hall.outbox import ASKED_S, FIRST_WAIT_S, LONGEST_BATCH, LONGEST_WAIT_S, Outbox
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.store import HallStore
from firmware.journal.journal import utc_now
from tests.effort import some
from tests.firmware.archive.kept import play
from tests.firmware.hall.rows import ListedRows, entry

TABLE = "window-3"
NAME = OutboxName(TABLE, "0123456789abcdef")


class Hands:
    """A clock to move by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def outbox_of(rows: ListedRows | JournalRows, clock: Hands) -> Outbox:
    return Outbox(TABLE, rows, clock, lambda: 0.0)


async def answer_to(store: HallStore, payload: bytes) -> bytes:
    (mark,) = await store.save([batch_of(TABLE, payload)], 0.0)
    return mark_text(mark).encode()


async def stored_in(store: HallStore, branch: int = 0) -> list[SentEntry]:
    (name,) = {
        state.mark.outbox for state in await store.outboxes() if state.mark.outbox.branch == branch
    }
    return await store.entries(name, 0, 10**6)


async def send_all(outbox: Outbox, store: HallStore, clock: Hands, tries: int = 1000) -> int:
    """Move messages until nothing is left to send; return the number of payloads."""
    for count in range(tries):
        payload = outbox.next_payload()
        if payload is None:
            return count
        outbox.hear(await answer_to(store, payload))
    raise AssertionError("it never ends")


def test_a_journal_travels_once_and_in_order(tmp_path: Path) -> None:
    async def run() -> None:
        store, clock = SqliteStore(tmp_path / "hall.sqlite"), Hands()
        rows = ListedRows(entry(seq) for seq in range(1, 500))
        sent = await send_all(outbox_of(rows, clock), store, clock)
        assert await stored_in(store) == rows.entries
        assert sent == 1 + -(-499 // MOST_ENTRIES)  # a question, and batches
        await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(some(100)))
def test_nothing_is_lost_or_stored_twice_when_messages_are_lost_repeated_and_mixed(
    seed: int, tmp_path: Path
) -> None:
    async def run() -> None:
        chance, clock = Random(seed), Hands()
        store = SqliteStore(tmp_path / "hall.sqlite")
        rows = ListedRows([entry(1)])
        outbox, on_the_way = outbox_of(rows, clock), list[bytes]()
        last = 300
        for _ in range(20_000):
            if len(rows.entries) < last and chance.random() < 0.3:
                rows.entries.append(entry(len(rows.entries) + 1))
            if (payload := outbox.next_payload()) is not None:
                on_the_way += [payload] * chance.choice((0, 1, 1, 2))
            chance.shuffle(on_the_way)
            if on_the_way and chance.random() < 0.7:
                answer = await answer_to(store, on_the_way.pop())
                for _copy in range(chance.choice((0, 1, 1, 2))):
                    outbox.hear(answer)
            if chance.random() < 0.01:
                outbox = outbox_of(rows, clock)  # the table was switched off
            clock.now_s += 0.5
            if outbox.stored == last:
                break
        assert await stored_in(store) == rows.entries
        await store.close()

    asyncio.run(run())


def test_a_batch_beyond_the_stored_end_is_not_stored(tmp_path: Path) -> None:
    async def run() -> None:
        store = SqliteStore(tmp_path / "hall.sqlite")
        gap = EntryBatch(NAME, 5, (entry(6),))
        first = EntryBatch(NAME, 0, (entry(1), entry(4)))
        marks = await store.save([gap, first, gap], 0.0)
        assert [mark.seq for mark in marks] == [0, 4, 4]
        assert await stored_in(store) == [entry(1), entry(4)]
        await store.close()

    asyncio.run(run())


def test_a_restored_older_journal_is_stored_as_another_branch(tmp_path: Path) -> None:
    async def run() -> None:
        store, clock = SqliteStore(tmp_path / "hall.sqlite"), Hands()
        rows = ListedRows(entry(seq) for seq in range(1, 10))
        await send_all(outbox_of(rows, clock), store, clock)
        rows.entries = [*rows.entries[:5], *(entry(seq, "other") for seq in range(6, 12))]
        for _ in range(2):  # the second time, nothing is left to send
            await send_all(outbox_of(rows, clock), store, clock)
        assert await stored_in(store, 1) == rows.entries
        assert await stored_in(store, 0) == [entry(seq) for seq in range(1, 10)]
        await store.close()

    asyncio.run(run())


def test_a_hall_that_lost_its_store_gets_everything_again(tmp_path: Path) -> None:
    async def run() -> None:
        clock = Hands()
        rows = ListedRows(entry(seq) for seq in range(1, 10))
        outbox = outbox_of(rows, clock)
        for name in ("first", "second"):
            store = SqliteStore(tmp_path / f"{name}.sqlite")
            rows.entries.append(entry(len(rows.entries) + 1))
            await send_all(outbox, store, clock)
            assert await stored_in(store) == rows.entries
            await store.close()

    asyncio.run(run())


def test_an_unanswered_batch_is_sent_again_less_and_less_often() -> None:
    clock = Hands()
    outbox = outbox_of(ListedRows([entry(1)]), clock)
    times = list[float]()
    while len(times) < 12:
        if outbox.next_payload() is not None:
            times.append(clock.now_s)
        clock.now_s += outbox.due_in_s or 0.0
    waits = [b - a for a, b in pairwise(times)]
    assert waits[0] == ASKED_S
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT_S


def test_a_busy_hall_is_given_more_time() -> None:
    clock = Hands()
    rows = ListedRows([entry(1)])
    outbox = outbox_of(rows, clock)
    outbox.next_payload()
    clock.now_s += 3.0
    outbox.hear(mark_text(StoredMark(NAME)).encode())
    outbox.next_payload()
    assert outbox.due_in_s == FIRST_WAIT_S + 4 * 3.0


def test_long_entries_are_sent_in_short_batches() -> None:
    rows = ListedRows(entry(seq, "x" * 9000) for seq in range(1, 100))
    outbox = outbox_of(rows, Hands())
    outbox.hear(mark_text(StoredMark(NAME)).encode())
    payload = outbox.next_payload()
    assert payload is not None
    assert 2 < len(batch_of(TABLE, payload).entries) < 10
    assert len(payload) < 2 * LONGEST_BATCH


def test_games_in_the_archive_are_sent_too(tmp_path: Path) -> None:
    for _ in range(3):
        play(tmp_path)
    rows = JournalRows(tmp_path)
    name, before = rows.name(), rows.after(0, 1000)
    prune(tmp_path, Limits(games=1), utc_now())
    assert (tmp_path / "journal-archive.sqlite").exists()
    assert (rows.name(), rows.after(0, 1000)) == (name, before)
    assert [rows.seal(entry.seq) for entry in before] == [entry.seal for entry in before]
    play(tmp_path)
    assert len(rows.after(before[-1].seq, 1000)) == len(before) / 3


def test_a_table_without_a_game_has_nothing_to_send(tmp_path: Path) -> None:
    assert outbox_of(JournalRows(tmp_path), Hands()).next_payload() is None


def test_messages_read_back_as_they_were_written() -> None:
    batch = EntryBatch(NAME, 3, (entry(4, "é"), entry(7)))
    assert batch_of(TABLE, batch_text(batch).encode()) == batch
    mark = StoredMark(NAME, 7, entry(7).seal)
    assert mark_of(TABLE, mark_text(mark).encode()) == mark


GOOD = '{"v":1,"journal":"0123456789abcdef","branch":0,"after":0,"entries":[%s]}'


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "version"),
        (b'{"v":2}', "version"),
        (b"x" * 300_000, "too long"),
        (b'{"v":1,"entries":5}', "list"),
        ((GOOD % ",".join(["0"] * 201)).encode(), "list"),
        ((GOOD % '[1,1,"input","{}"]').encode(), "another form"),
        ((GOOD % '[true,1,"input","{}",""]').encode(), "whole number"),
        ((GOOD % '[-1,1,"input","{}",""]').encode(), "whole number"),
        ((GOOD % '[1e3,1,"input","{}",""]').encode(), "whole number"),
        ((GOOD % '[99999999999999999999,1,"input","{}",""]').encode(), "whole number"),
        ((GOOD % '[1,1,"in put","{}",""]').encode(), "another form"),
        ((GOOD % r'[1,1,"input","\u0000",""]').encode(), "another form"),
        ((GOOD % r'[1,1,"input","\ud800",""]').encode(), "another form"),
        ((GOOD % '[2,1,"input","{}",""],[2,1,"input","{}",""]').encode(), "do not grow"),
        ((GOOD % "").replace("0123", "../.").encode(), "hexadecimal"),
    ],
)
def test_other_messages_are_refused(payload: bytes, why: str) -> None:
    with pytest.raises(BadHallMessage, match=why):
        batch_of(TABLE, payload)


@pytest.mark.parametrize(
    "topic",
    [
        "tapmat/a/b/journal",
        "tapmat/journal",
        "other/a/journal",
        "tapmat/A/journal",
        "tapmat/+/journal",
    ],
)
def test_other_topics_are_refused(topic: str) -> None:
    with pytest.raises(BadHallMessage):
        table_in(topic)
