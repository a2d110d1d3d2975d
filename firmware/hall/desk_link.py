"""The desk's connection to the broker: hears the status of all tables, and sends them messages."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress

import aiomqtt

from firmware.common.together import run_together
from firmware.hall.broker import BrokerAddress, stay_connected
from firmware.hall.messages import (
    MESSAGE,
    STATUS,
    BadHallMessage,
    seat_message_text,
    table_in,
    topic_of,
)
from firmware.hall.statuses import TableStatus, status_of

log = logging.getLogger(__name__)

WAITS_S = 0.5, 15.0  # between two attempts to connect


class DeskLink:
    """The connection of the desk called *name*. *hear* is called with each table's status."""

    def __init__(
        self, address: BrokerAddress, name: str, hear: Callable[[str, TableStatus], None]
    ) -> None:
        self._address, self._name, self._hear = address, name, hear
        self._messages: Mapping[str, str] = {}  # the text that each table's display should show
        self._sent: dict[str, str] = {}
        self._changed = asyncio.Event()

    def show(self, messages: Mapping[str, str]) -> None:
        """Show *messages*, a text by table, on the tables' displays, and no others."""
        self._messages = messages
        self._changed.set()

    async def run(self) -> None:
        """Stay connected until this task is cancelled. The broker may come and go."""
        await stay_connected(self._address, self._name, self._use, WAITS_S)

    async def _use(self, client: aiomqtt.Client) -> None:
        await client.subscribe(topic_of("+", STATUS))
        self._sent.clear()
        await run_together(self._keep_hearing(client), self._keep_sending(client))

    def _take(self, topic: str, payload: object) -> None:
        with suppress(BadHallMessage):
            self._hear(table_in(topic), status_of(payload if isinstance(payload, bytes) else b""))

    async def _keep_hearing(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self._take(str(message.topic), message.payload)

    async def _keep_sending(self, client: aiomqtt.Client) -> None:
        while True:
            self._changed.clear()
            wanted = {**dict.fromkeys(self._sent, ""), **self._messages}
            for table, text in wanted.items():
                if self._sent.get(table) != text:
                    payload = seat_message_text(text) if text else ""
                    await client.publish(topic_of(table, MESSAGE), payload, retain=True)
                    self._sent[table] = text
            await self._changed.wait()
