"""The agent of a table: sends its journal to the hall, from a process of its own.

It only reads the table's files, so the table never waits for it.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from random import random
from time import monotonic

import aiomqtt

from firmware.hall.broker import BrokerAddress, client_of
from firmware.hall.messages import JOURNAL, STORED, topic_of
from firmware.hall.outbox import EntrySource, Outbox

log = logging.getLogger(__name__)

LOOK_S = 0.2  # between two looks at the journal's files
RETRY_S, LONGEST_RETRY_S = 1.0, 60.0


async def send_outbox(
    client: aiomqtt.Client, table: str, outbox: Outbox, wake: asyncio.Event, look_s: float | None
) -> None:
    """Send *outbox* of *table* through the connected *client*, until that fails.

    *wake* is set by whoever knows of a new entry or answer. *look_s* is the time between two looks
    for new entries; None if *wake* tells of each.
    """
    await client.subscribe(topic_of(table, STORED), qos=1)
    outbox.connected()
    while True:
        wake.clear()
        if (payload := outbox.next_payload()) is not None:
            await client.publish(topic_of(table, JOURNAL), payload, qos=1)
        waits = [s for s in (look_s, outbox.due_in_s) if s is not None]
        with suppress(TimeoutError):
            async with asyncio.timeout(min(waits, default=None)):
                await wake.wait()


class TableAgent:
    """The agent of *table*, whose journal is *source*, at the broker at *address*."""

    def __init__(
        self, address: BrokerAddress, table: str, source: EntrySource, look_s: float | None = LOOK_S
    ) -> None:
        self._address, self._table, self._look_s = address, table, look_s
        self.outbox = Outbox(table, source, monotonic, random)
        self.wake = asyncio.Event()

    async def run(self, connected: Callable[[], None] = lambda: None) -> None:
        """Send until this task is cancelled. The broker may come and go."""
        wait_s, was_told = RETRY_S, False
        while True:
            try:
                async with client_of(self._address, f"{self._table}-outbox") as client:
                    connected()
                    wait_s, was_told = RETRY_S, False
                    async with asyncio.TaskGroup() as group:
                        group.create_task(self._listen(client))
                        group.create_task(
                            send_outbox(client, self._table, self.outbox, self.wake, self._look_s)
                        )
            except* aiomqtt.MqttError as faults:
                if not was_told:
                    log.warning("The hall's broker does not answer: %s", faults.exceptions[0])
                was_told = True
            await asyncio.sleep(wait_s * (0.5 + random()))
            wait_s = min(wait_s * 2, LONGEST_RETRY_S)

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            if isinstance(message.payload, bytes):
                self.outbox.hear(message.payload)
                self.wake.set()
