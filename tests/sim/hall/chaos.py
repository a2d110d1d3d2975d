"""Kill everything in a hall again and again, and compare its store with the tables' journals.

``python -m tests.sim.hall.chaos --tables 1000 --minutes 10 --kills 200`` prints what was lost,
stored twice or out of order, and how long it took from an entry to the board in the quiet minutes.
The exit code is 0 if nothing was. ``--broker nats-server``, ``--broker nats-cluster`` (three nodes,
of which one is always down) and ``--store postgres`` use those.
"""

import argparse
import asyncio
import json
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Thread

from firmware.config.table_config import load_config
from firmware.hall.messages import OutboxName, SentEntry
from firmware.hall.running import store_of
from sim.hall.command import table_name
from sim.hall.recorded import RecordedGame, load_games, record_games, save_games
from sim.hall.simulated import Schedule, SimulatedRows
from tests.sim.hall.processes import HallPlan, RunningHall, running_hall

RECORDING = Path("build/hall-recording.json")  # kept, because robots take a minute for it
WARM_UP_S = 20.0  # until all tables are connected
CATCH_UP_S = 240.0  # the longest wait for the last entries
MOST = 10_000_000


@dataclass
class Judgement:
    """The differences between the store and the journals."""

    written: int = 0
    lost: int = 0
    twice: int = 0
    misplaced: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    caught_up_s: float = 0.0
    delays_s: list[float] = field(default_factory=list)  # from an entry's time to the board
    cpu_s: Mapping[str, float] = field(default_factory=dict)  # by kind, since the last start

    @property
    def is_right(self) -> bool:
        """True if the store has exactly what the tables have written."""
        return not (self.lost or self.twice or self.misplaced)

    def lines(self) -> list[str]:
        """Return the result in words."""
        kills = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kills.items()))
        lines = [
            f"written {self.written:,}, lost {self.lost:,}, twice {self.twice:,}, "
            f"out of order {self.misplaced:,}",
            f"kills: {sum(self.kills.values())} ({kills or 'none'})",
            f"all stored {self.caught_up_s:.1f} s after the last entry",
        ]
        cpu = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in self.cpu_s.items())
        lines.append(f"processor time since the last start of each: {cpu}")
        if len(self.delays_s) > 1:
            cut = quantiles(self.delays_s, n=100)
            lines.append(
                f"entry to board in the quiet time: median {cut[49]:.2f} s, 99th percentile "
                f"{cut[98]:.2f} s, {len(self.delays_s):,} looks"
            )
        return lines


def judge(
    hall: RunningHall, tables: int, games: list[RecordedGame], schedule: Schedule
) -> Judgement:
    """Wait until all entries are stored or the time is up, and compare."""
    expected = schedule.total
    found = Judgement(written=expected * tables)

    async def run() -> None:
        store = store_of(hall.settings.store)
        while time.time() < schedule.end_s + CATCH_UP_S:
            states = await store.outboxes()
            if sum(state.mark.seq >= expected for state in states) >= tables:
                break
            await asyncio.sleep(0.5)
        found.caught_up_s = time.time() - schedule.end_s
        names: dict[str, list[OutboxName]] = {}
        for state in await store.outboxes():
            names.setdefault(state.mark.outbox.table, []).append(state.mark.outbox)
        for number in range(1, tables + 1):
            name = table_name(number)
            rows = SimulatedRows(name, games, schedule, lambda: schedule.end_s)
            parts = [await store.entries(outbox, 0, MOST) for outbox in names.get(name, [])]
            compare(found, rows, expected, [entry for part in parts for entry in part])
        await store.close()

    asyncio.run(run())
    return found


def compare(found: Judgement, rows: SimulatedRows, expected: int, stored: list[SentEntry]) -> None:
    """Count in *found* what differs between *stored* and the first *expected* of *rows*."""
    numbers = [entry.seq for entry in stored]
    found.twice += len(numbers) - len(set(numbers))
    found.misplaced += sum(b <= a for a, b in pairwise(numbers))
    right = {entry.seq for entry in stored if entry == rows.entry(entry.seq)}
    found.lost += expected - len(right & set(range(1, expected + 1)))


class BoardWatch(Thread):
    """A reader of the board's stream, which notes the age of each table's last entry."""

    def __init__(self, address: str, since_s: float, until_s: float) -> None:
        super().__init__(daemon=True)
        self.delays_s: list[float] = []
        self._address, self._since_s, self._until_s = address, since_s, until_s

    def run(self) -> None:
        """Read until the quiet time is over."""
        kind = ""
        with urllib.request.urlopen(f"{self._address}/events", timeout=60) as stream:
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                now_s = time.time()
                if now_s > self._until_s:
                    return
                if name == "event":
                    kind = value
                elif name == "data" and kind == "tables" and now_s > self._since_s:
                    self._note(json.loads(value), now_s)

    def _note(self, tables: list[Mapping[str, Mapping[str, str]]], now_s: float) -> None:
        for table in tables:
            if table["game"]:
                at = datetime.fromisoformat(table["game"]["last"])
                self.delays_s.append(now_s - at.timestamp())


def make_recording(file: Path, count: int = 1) -> list[RecordedGame]:
    """Return the games in *file*; let robots play *count* of each kind first if there is none."""
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        save_games(list(record_games(load_config(), count, 1)), file)
    return load_games(file)


def run_chaos(
    folder: Path, plan: HallPlan, minutes: float, quiet: float, rate: float, kills: int, seed: int
) -> Judgement:
    """Run the hall of *plan* for *minutes*, of which the first *quiet* ones are without kills."""
    recording = RECORDING
    games = make_recording(recording)
    start_s = time.time() + WARM_UP_S * min(1, plan.tables / 200)
    schedule = Schedule(start_s, start_s + 60 * minutes, rate)
    chance, counts = Random(seed), Counter[str]()
    with running_hall(folder, plan, recording, schedule) as hall:
        quiet_s = start_s + 60 * quiet
        watch = BoardWatch(hall.board, start_s + 3, quiet_s)
        watch.start()
        times = sorted(chance.uniform(quiet_s, schedule.end_s) for _ in range(kills))
        for at_s in times:
            time.sleep(max(0.0, at_s - time.time()))
            counts[hall.kill_one(chance)] += 1
        time.sleep(max(0.0, schedule.end_s - time.time()))
        cpu = {kind: sum(one.cpu_s() for one in each) for kind, each in hall.processes.items()}
        found = judge(hall, plan.tables, games, schedule)
    found.kills, found.delays_s, found.cpu_s = counts, watch.delays_s, cpu
    return found


def main() -> None:
    """Run with the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--processes", type=int, default=4, help="of tables")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--broker", default="mosquitto")
    parser.add_argument("--store", default="sqlite")
    parser.add_argument("--shared", action="store_true", help="shared subscriptions")
    parser.add_argument("--rate", type=float, default=1.0, help="entries a second of each table")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--quiet", type=float, default=0.5, help="minutes without kills")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    plan = HallPlan(
        *(given.tables, given.processes, given.workers, given.broker, given.store, given.shared)
    )
    with TemporaryDirectory(prefix="hall-") as folder:
        found = run_chaos(
            *(Path(folder), plan, given.minutes, given.quiet, given.rate, given.kills, given.seed)
        )
    print("\n".join(found.lines()))
    sys.exit(0 if found.is_right else 1)


if __name__ == "__main__":
    main()
