"""The agent of a table: sends its journal to the hall, from a separate process.

It only reads the table's files, so the table never waits for it.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import random
from time import monotonic

import aiomqtt

from firmware.common.together import run_together
from firmware.hall.broker import BrokerAddress, stay_connected
from firmware.hall.messages import (
    JOURNAL,
    MESSAGE,
    STATUS,
    STORED,
    BadHallMessage,
    seat_message_of,
    topic_of,
)
from firmware.hall.outbox import EntrySource, Outbox
from firmware.hall.statuses import AWAY, TableStatus, status_text

log = logging.getLogger(__name__)

LOOK_S = 0.2  # between two looks at the journal's files
WAITS_S = 1.0, 20.0  # between two attempts to connect
REFUSED = (134, 135)  # codes of MQTT: unknown user or password, and not authorized


class TableAgent:
    """The agent of *table*, whose journal is *source*, at the broker at *address*.

    It looks for new entries every *look_s* seconds, and whenever *wake* is set; None means never.
    *show* is called with each text that the hall wants on the table's display; "" takes it away.
    """

    def __init__(
        self,
        address: BrokerAddress,
        table: str,
        source: EntrySource,
        look_s: float | None = LOOK_S,
        show: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._address, self._table, self._look_s, self._show = address, table, look_s, show
        self.outbox = Outbox(table, source, monotonic, random)
        self.wake = asyncio.Event()
        self._client: aiomqtt.Client | None = None
        self._status = TableStatus(online=True)

    async def set_needs(self, fault: str, calls: bool) -> None:
        """Tell the hall what is wrong with the table ("": nothing), and if people call for help."""
        status = replace(self._status, fault=fault, calls=calls)
        if status != self._status:
            self._status = status
            if self._client is not None:
                with suppress(aiomqtt.MqttError):
                    await self._publish_status(self._client)

    async def run(self) -> None:
        """Send until this task is cancelled. The broker may come and go."""
        role = f"outbox-{self._table}"
        will = aiomqtt.Will(topic_of(self._table, STATUS), status_text(AWAY), retain=True)
        await stay_connected(
            *(self._address, role, self._use, WAITS_S, will),
            _tell,
        )

    async def _use(self, client: aiomqtt.Client) -> None:
        self._client = client
        try:
            await self._publish_status(client)
            await run_together(self._listen(client), self._keep_sending(client))
        finally:
            self._client = None

    async def _publish_status(self, client: aiomqtt.Client) -> None:
        topic = topic_of(self._table, STATUS)
        await client.publish(topic, status_text(self._status), retain=True)

    async def _keep_sending(self, client: aiomqtt.Client) -> None:
        """Send the outbox until the connection ends."""
        await client.subscribe(topic_of(self._table, STORED))
        self.outbox.connected()
        while True:
            self.wake.clear()
            if (payload := self.outbox.next_payload()) is not None:
                await client.publish(topic_of(self._table, JOURNAL), payload)
            waits = [s for s in (self._look_s, self.outbox.due_in_s) if s is not None]
            with suppress(TimeoutError):
                async with asyncio.timeout(min(waits, default=None)):
                    await self.wake.wait()

    async def _listen(self, client: aiomqtt.Client) -> None:
        await client.subscribe(topic_of(self._table, MESSAGE))
        async for message in client.messages:
            payload = message.payload if isinstance(message.payload, bytes) else b""
            if str(message.topic) == topic_of(self._table, STORED):
                self.outbox.hear(payload)
                self.wake.set()
            else:
                with suppress(BadHallMessage):
                    self._show(seat_message_of(payload))


def _tell(fault: aiomqtt.MqttError) -> None:
    if isinstance(fault, aiomqtt.MqttCodeError) and fault.rc in REFUSED:
        text = "The hall's broker no longer lets this table in. Ask the hall: tapmat hall add-table"
        log.warning("%s", text)
    else:
        log.warning("The hall's broker does not answer: %s", fault)
