"""``tapmat hall simulate``: many tables in one process, with real connections to the broker."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TextIO

from firmware.commands.options import EXIT_OK
from firmware.config.table_config import TableConfig
from firmware.hall.agent import TableAgent
from firmware.hall.broker import BrokerAddress
from firmware.hall.broker_files import write_broker_files
from firmware.hall.credentials import add_table, address_in, claim, credential_of, revoke_table
from firmware.hall.settings import HallSettings, load_hall
from sim.hall.recorded import RecordedGame, load_games, record_games
from sim.hall.simulated import Schedule, SimulatedRows

TELL_EVERY_S = 10.0
PREFIX = "sim"  # of the tables' names
CREDENTIALS = "simulated.json"  # in the hall's folder


def run_simulate(
    folder: Path,
    config: TableConfig,
    tables: range,
    schedule: Schedule,
    recording: Path | None,
    out: TextIO | None = None,
) -> int:
    """Play as *tables*, numbers of simulated tables, and print how far the hall has stored.

    The games are those in the file *recording*, or new ones that robots play first.

    Raises:
        TapmatError: there is no hall in *folder*.
    """
    out = out or sys.stdout
    hall = load_hall(folder)
    addresses = addresses_of(hall, tables)
    if recording is None:
        print("Robots play the games that the tables will send ...", file=out, flush=True)
        games = list(record_games(config, 1, 1))
    else:
        games = load_games(recording)
    if schedule.start_s == 0:
        length_s = schedule.end_s
        schedule = Schedule(time.time(), time.time() + length_s, schedule.rate)
    with suppress(KeyboardInterrupt):
        asyncio.run(_simulate(addresses, games, schedule, out))
    return EXIT_OK


def table_name(number: int) -> str:
    """Return the name of simulated table *number*."""
    return f"{PREFIX}-{number:05}"


def addresses_of(hall: HallSettings, tables: range) -> dict[str, BrokerAddress]:
    """Return the broker for each of *tables* by name; make the credentials that are missing."""
    file = hall.folder / CREDENTIALS
    known: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    names = [table_name(number) for number in tables]
    if missing := [name for name in names if name not in known]:
        for name in missing:
            known[name] = str(claim(hall.folder, add_table(hall, name)))
        file.touch(mode=0o600)
        file.write_text(json.dumps(known), encoding="utf-8")
        write_broker_files(hall)
    return {name: address_in(credential_of(known[name])) for name in names}


def forget_tables(hall: HallSettings) -> None:
    """Take the credentials of all simulated tables back."""
    file = hall.folder / CREDENTIALS
    if file.exists():
        for name in json.loads(file.read_text("utf-8")):
            revoke_table(hall.folder, name)
        file.unlink()
        write_broker_files(hall)


async def _simulate(
    addresses: dict[str, BrokerAddress],
    games: Sequence[RecordedGame],
    schedule: Schedule,
    out: TextIO,
) -> None:
    """Run the tables until the hall has stored all that they will ever write."""
    journals = {name: SimulatedRows(name, games, schedule, time.time) for name in addresses}
    agents = [
        TableAgent(addresses[name], name, rows, None)
        for name, rows in sorted(journals.items(), key=lambda each: each[1].phase)
    ]
    phases = sorted(rows.phase for rows in journals.values())
    tasks = [asyncio.create_task(agent.run()) for agent in agents]
    waking = asyncio.create_task(_wake(agents, phases, schedule))
    try:
        last = schedule.total
        told_s = float("-inf")
        while (stored := sum(agent.outbox.stored for agent in agents)) < last * len(agents):
            if time.monotonic() - told_s >= TELL_EVERY_S:
                told_s = time.monotonic()
                written = schedule.count(time.time(), 0.5) * len(agents)
                print(f"written {written:,}, stored {stored:,}", file=out, flush=True)
            await asyncio.sleep(0.2)
        print(f"All {stored:,} entries are stored.", file=out, flush=True)
    finally:
        for task in (waking, *tasks):
            task.cancel()
        await asyncio.gather(waking, *tasks, return_exceptions=True)


async def _wake(agents: Sequence[TableAgent], phases: Sequence[float], schedule: Schedule) -> None:
    """Wake each of *agents*, whose *phases* are in order, whenever it has written an entry."""
    now_s = time.time()
    for number in count(max(1, schedule.count(now_s, 0.0))):
        for agent, phase in zip(agents, phases, strict=True):
            await asyncio.sleep(max(0.0, schedule.time_of(number, phase) - time.time()))
            agent.wake.set()
