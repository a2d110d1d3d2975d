"""The sender of a table's games to its hall, and of the hall's messages to the display."""

import asyncio
from pathlib import Path
from typing import Any

from firmware.common.together import run_together
from firmware.companion.table_link import TableLink
from firmware.hall.agent import TableAgent
from firmware.hall.broker import BrokerAddress
from firmware.hall.journal_rows import JournalRows


class HallSender:
    """The connection of *table*, with the state folder *folder*, to the hall at *address*.

    *socket_file* is the table's socket, which need not exist. A message of the hall is shown when
    it comes, and again when a game has ended, because the game hid it.
    """

    def __init__(self, address: BrokerAddress, table: str, folder: Path, socket_file: Path) -> None:
        self._agent = TableAgent(address, table, JournalRows(folder), show=self._show)
        self._link = TableLink(socket_file, self._hear)
        self._link.offer_hall()
        self._needs = asyncio.Queue[tuple[str, bool]]()  # what is wrong, and if people call
        self._message = ""
        self._is_idle = False

    async def run(self) -> None:
        """Send until this task is cancelled."""
        await run_together(self._agent.run(), self._link.run(), self._pass_needs_on())

    def _hear(self, kind: str, value: Any) -> None:
        if kind != "state":
            return
        shown = value or {}  # None: the table is off
        self._needs.put_nowait((str(shown.get("fault", "")), shown.get("calls") is True))
        was_idle, self._is_idle = self._is_idle, value is not None and not value.get("game")
        if self._is_idle and not was_idle and self._message:
            self._link.show_message(self._message)

    def _show(self, text: str) -> None:
        if text != self._message:
            self._message = text
            self._link.show_message(text)

    async def _pass_needs_on(self) -> None:
        while True:
            await self._agent.set_needs(*await self._needs.get())
