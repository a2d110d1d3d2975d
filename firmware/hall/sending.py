"""Sends a table's games to its hall, with what the table's socket says of broken parts."""

import asyncio
from pathlib import Path
from typing import Any

from firmware.companion.table_link import TableLink
from firmware.hall.agent import TableAgent
from firmware.hall.broker import BrokerAddress
from firmware.hall.journal_rows import JournalRows


async def send_games(
    address: BrokerAddress, table: str, folder: Path, socket_file: Path | None
) -> None:
    """Send the games in *folder* as *table* to the hall at *address*, until cancelled.

    *socket_file* is the table's socket; None if there is none.
    """
    agent = TableAgent(address, table, JournalRows(folder))
    faults = asyncio.Queue[str]()

    def hear(kind: str, value: Any) -> None:
        if kind == "state":
            faults.put_nowait("" if value is None else str(value.get("fault", "")))

    async def pass_on() -> None:
        while True:
            await agent.set_fault(await faults.get())

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(agent.run())
        if socket_file is not None:
            tasks.create_task(TableLink(socket_file, hear).run())
            tasks.create_task(pass_on())
