"""A whole hall as processes that can be killed: broker, store, workers, board and tables."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from firmware.hall.broker_files import set_up
from firmware.hall.settings import HallSettings, load_hall
from sim.hall.command import addresses_of
from sim.hall.simulated import Schedule
from tests.firmware.hall.servers import Server, broker_of, give_board_port, postgres
from tests.ports import free_port
from tests.sim.hall.nats_cluster import NODES_NAME, NatsCluster, knowing_the_nodes

PROGRAM = (sys.executable, "-m", "firmware.commands.cli", "hall")


@dataclass(frozen=True, slots=True)
class HallPlan:
    """The processes to run: *tables* simulated ones in *processes* processes, and the hall itself.

    *broker* is ``mosquitto``, ``nats-server`` or ``nats-cluster`` (three nodes, of which one is
    always down; needs root), and *store* ``sqlite`` or ``postgres``.
    """

    tables: int = 10
    processes: int = 2
    workers: int = 1
    broker: str = "mosquitto"
    store: str = "sqlite"
    shared: bool = False  # the workers share the tables


@dataclass
class RunningHall:
    """The processes of a hall, by their kind."""

    settings: HallSettings
    board: str  # its address
    processes: dict[str, list[Server | NatsCluster]] = field(default_factory=dict)

    def kill_one(self, chance: Random) -> str:
        """Kill a random process, start it again, and return its kind."""
        kind = chance.choice(sorted(self.processes))
        one = chance.choice(self.processes[kind])
        if not one.has_ended():
            one.kill()
            one.start()
        return kind


@contextmanager
def running_hall(
    folder: Path, plan: HallPlan, recording: Path, schedule: Schedule
) -> Iterator[RunningHall]:
    """Yield a hall in *folder*, whose tables write as *schedule* says."""
    is_cluster = plan.broker == "nats-cluster"
    set_up(folder, NODES_NAME if is_cluster else "127.0.0.1", free_port(), tls=False)
    program = (*knowing_the_nodes(folder), *PROGRAM) if is_cluster else PROGRAM
    with ExitStack() as opened:
        if plan.store == "postgres":
            database, address = postgres(folder)
            opened.enter_context(closing(database))
            file = folder / "hall.toml"
            text = file.read_text("utf-8").replace(
                'address = "hall.sqlite"', f'address = "{address}"'
            )
            file.write_text(text, encoding="utf-8")
        settings = load_hall(folder)
        addresses_of(settings, range(1, plan.tables + 1))
        broker = NatsCluster(settings) if is_cluster else broker_of(settings, plan.broker)
        opened.enter_context(closing(broker))
        port = give_board_port(folder)
        hall = RunningHall(settings, f"http://127.0.0.1:{port}")
        hall.processes["broker"] = [broker]
        if plan.store == "postgres":
            hall.processes["store"] = [database]

        def start(kind: str, command: Sequence[str], at: int = 0) -> None:
            log = folder / f"{kind}-{len(hall.processes.get(kind, []))}.log"
            one = Server((*program, *command, "--folder", str(folder)), at, log).start()
            opened.enter_context(closing(one))
            hall.processes.setdefault(kind, []).append(one)

        group = ("--group", "hall") if plan.shared else ()
        for _ in range(plan.workers):
            start("worker", ("run", "--only", "worker", *group))
        start("board", ("run", "--only", "board", "--host", "127.0.0.1"), port)
        count = -(-plan.tables // plan.processes)
        for first in range(1, plan.tables + 1, count):
            many = min(count, plan.tables - first + 1)
            facts = {
                "--tables": many,
                "--first": first,
                "--rate": schedule.rate,
                "--since": schedule.start_s,
                "--minutes": (schedule.end_s - schedule.start_s) / 60,
                "--recording": recording,
            }
            start("tables", ("simulate", *(str(part) for pair in facts.items() for part in pair)))
        yield hall
