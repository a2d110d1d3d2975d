"""A hall worker: takes batches from the broker, stores them, and answers the tables.

Batches that arrive while a transaction runs wait for the next one, so the number of transactions
does not grow with the number of tables. A table that sends too much is answered late, and
delays no other. Several workers of one *group* share the tables (shared subscriptions).
"""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from time import monotonic, time

import aiomqtt

from firmware.common.together import run_together
from firmware.hall.broker import BrokerAddress, stay_connected
from firmware.hall.messages import (
    JOURNAL,
    STORED,
    BadHallMessage,
    EntryBatch,
    batch_of,
    mark_text,
    table_in,
    topic_of,
)
from firmware.hall.store import HallStore, HallStoreError

log = logging.getLogger(__name__)

GATHER_S = 0.03  # between two transactions; costs each entry half of it
MOST_WAITING = 20_000  # batches; further ones are dropped, and their tables send them again
MOST_AT_ONCE = 2_000  # batches in one transaction
WAITS_S = 0.5, 15.0  # between two attempts to connect
RETRY_S = 0.5  # after a fault of the store
RATE, BURST = 20.0, 60.0  # messages of one table in a second, and at once
MOST_TABLES = 100_000  # whose rates are in memory; the oldest is forgotten first
TELL_EVERY_S = 60.0  # between two log lines about refused messages


class RateLimit:
    """A limit for the messages of each table. *clock* returns the time in seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, table: str) -> bool:
        """Count a message of *table*; return False if it is one too many."""
        now_s = self._clock()
        left, at_s = self._left.pop(table, (BURST, now_s))
        left = min(BURST, left + (now_s - at_s) * RATE)
        is_allowed = left >= 1
        self._left[table] = (left - is_allowed, now_s)
        if len(self._left) > MOST_TABLES:
            self._left.popitem(last=False)
        return is_allowed


class HallWorker:
    """A worker that stores in *store* what it gets from the broker at *address*.

    *name* is its name at the broker, and *group* the workers that share the tables; an empty group
    gets everything.
    """

    def __init__(
        self, address: BrokerAddress, store: HallStore, name: str = "hall", group: str = ""
    ) -> None:
        self._address, self._store, self._name = address, store, name
        topic = topic_of("+", JOURNAL)
        self._topic = f"$share/{group}/{topic}" if group else topic
        self._waiting: asyncio.Queue[EntryBatch] = asyncio.Queue(MOST_WAITING)
        self._rates = RateLimit()
        self._client: aiomqtt.Client | None = None
        self.refused: Counter[str] = Counter()  # messages that were not stored, by reason
        self._told_s = float("-inf")

    async def run(self) -> None:
        """Work until this task is cancelled. Broker and store may come and go."""
        await run_together(self._receive(), self._keep_storing())

    async def _receive(self) -> None:
        await stay_connected(
            *(self._address, self._name, self._use, WAITS_S),
            tell=lambda fault: log.warning(
                "The broker does not answer (%s). The hall tries again.", fault
            ),
        )

    async def _use(self, client: aiomqtt.Client) -> None:
        await client.subscribe(self._topic)
        self._client = client
        log.warning("The hall is connected to the broker.")
        try:
            async for message in client.messages:
                self.take(str(message.topic), message.payload)
        finally:
            self._client = None

    def take(self, topic: str, payload: object) -> None:
        """Queue the batch in *payload*, or count why it was refused."""
        try:
            table = table_in(topic)
            if not self._rates.allows(table):
                raise BadHallMessage("the table sends too much")
            if not isinstance(payload, bytes):
                raise BadHallMessage("the message is empty")
            self._waiting.put_nowait(batch_of(table, payload))
        except BadHallMessage as wrong:
            self._refuse(str(wrong), topic)
        except asyncio.QueueFull:
            self._refuse("the hall is busy", topic)

    def _refuse(self, why: str, topic: str) -> None:
        self.refused[why] += 1
        if monotonic() - self._told_s >= TELL_EVERY_S:
            self._told_s = monotonic()
            log.warning("A message on %.80r was refused: %s.", topic, why)

    async def _keep_storing(self) -> None:
        async for batches in self._gather():
            try:
                marks = await self._store.save(batches, time())
            except HallStoreError as fault:
                log.warning("%s", fault)  # without an answer, the tables send again
                await asyncio.sleep(RETRY_S)
                continue
            client = self._client
            if client is None:
                continue
            for mark in dict.fromkeys(marks):
                topic = topic_of(mark.outbox.table, STORED)
                try:
                    await client.publish(topic, mark_text(mark))
                except aiomqtt.MqttError:
                    break  # the connection has ended

    async def _gather(self) -> AsyncIterator[list[EntryBatch]]:
        while True:
            batches = [await self._waiting.get()]
            while self._waiting.qsize() and len(batches) < MOST_AT_ONCE:
                batches.append(self._waiting.get_nowait())
            yield batches
            if self._waiting.empty():
                await asyncio.sleep(GATHER_S)
