"""Hold a whole tournament of robots at emulated tables, two of which die in it.

``python -m tests.sim.hall.tournament`` makes a hall with a real mosquitto, lets 32 robots play a
Swiss tournament of Straw at eight tables (``robot_table``), from pairing to prize, and kills two
tables in the middle of games. It then compares the standings with the tables' own journals. The
exit code is 0 if nothing differs.
"""

import argparse
import csv
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware.archive.past import histories, replay
from firmware.hall.broker_files import set_up, write_broker_files
from firmware.hall.credentials import add_table, claim
from firmware.hall.tournament import Pairing, Tournament
from firmware.hall.tournament_file import TournamentFile
from tests.firmware.hall.servers import Server, broker_of, give_board_port
from tests.ports import free_port
from tests.sim.hall.processes import PROGRAM

PATIENCE_S = 600.0  # for one round
LOOK_S = 0.3
SYLLABLES = ("Ba", "Do", "Fe", "Gi", "Ko", "Lu", "Ma", "Ni")


@dataclass
class Hall:
    """A hall in *folder* with the processes of its *tables*, by name."""

    folder: Path
    tables: dict[str, Server] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)

    def run(self, *words: str) -> str:
        """Run ``tapmat hall tournament`` with *words* and return what it prints."""
        command = [*PROGRAM, "tournament", *words, "--folder", str(self.folder)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    @property
    def tournament(self) -> Tournament:
        """The tournament as it is now."""
        return TournamentFile(self.folder).need()

    def kill(self, table: str) -> None:
        """Kill *table* with all its programs, and take it out of the tournament."""
        self.tables.pop(table).kill()
        self.dead.append(table)
        self.run("without", table)


def names(count: int) -> list[str]:
    """Return *count* different names."""
    pairs = (one + other.lower() for one in SYLLABLES for other in SYLLABLES)
    return [next(pairs) for _ in range(count)]


def open_hall(folder: Path, tables: int, opened: ExitStack) -> Hall:
    """Start a hall and its tables, until *opened* is closed."""
    settings = set_up(folder, "127.0.0.1", free_port(), tls=True)
    hall, port = Hall(folder), give_board_port(folder)
    states = {f"table-{number}": folder / f"table-{number}" for number in range(1, tables + 1)}
    for name, state in states.items():
        state.mkdir()
        text = claim(folder, add_table(settings, name)) or ""
        (state / "hall.json").write_text(text, encoding="utf-8")
    write_broker_files(settings)
    opened.enter_context(closing(broker_of(settings, "mosquitto")))
    run = ["run", "--host", "127.0.0.1", "--folder", str(folder)]
    opened.enter_context(closing(Server([*PROGRAM, *run], port, folder / "run.log").start()))
    for name, state in states.items():
        command = [sys.executable, "-m", "tests.sim.hall.robot_table", str(state)]
        server = Server(command, 0, folder / f"{name}.log").start()
        opened.enter_context(closing(server))
        hall.tables[name] = server
    return hall


def play_round(hall: Hall, dies: bool, chance: Random) -> None:
    """Wait until all games of the round are over. If *dies*, kill a table in the middle of one."""
    until_s = time.monotonic() + PATIENCE_S
    while not (now := hall.tournament).is_round_done:
        if time.monotonic() > until_s:
            raise SystemExit(f"A round does not end:\n{hall.run('show')}")
        playing = [each.table for each in now.rounds[-1].pairings if is_played(hall, each)]
        if dies and playing:
            hall.kill(chance.choice(playing))
            dies = False
        time.sleep(LOOK_S)


def is_played(hall: Hall, pairing: Pairing) -> bool:
    """Return True if the game of *pairing* has begun at its table."""
    if pairing.is_done or pairing.table not in hall.tables:
        return False
    return any(set(names) == set(pairing.players) for names, _ in games_in(hall, pairing.table))


def games_in(hall: Hall, table: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the players and the winners of each game in the journal of *table*."""
    for history in histories(hall.folder / table):
        game = replay(history)
        yield game.people, game.winners


def differences(hall: Hall) -> Iterator[str]:
    """Yield what the tournament says that the tables' own journals do not."""
    found = hall.tournament
    results = [pairing for each in found.rounds for pairing in each.pairings]
    met = Counter(frozenset(pairing.players) for pairing in results)
    yield from (f"{set(pair)} met {count} times" for pair, count in met.items() if count > 1)
    won: dict[frozenset[str], list[frozenset[str]]] = {}
    for table in (*hall.tables, *hall.dead):
        for players, winners in games_in(hall, table):
            if winners:
                won.setdefault(frozenset(players), []).append(frozenset(winners))
    points = Counter[str]()
    for pairing in results:
        games = won.get(frozenset(pairing.players), [])
        best = {name for name, half in zip(pairing.players, pairing.halves, strict=True) if half}
        if len(games) != 1 or best != set(games[0]):
            yield f"{pairing.players}: the desk has {best}, the tables {games}"
        points.update({name: 1 / len(best) for name in best})
    for row in csv.DictReader(StringIO(hall.run("show", "--csv"))):
        if float(row["points"]) != points[row["name"]]:
            yield f"{row['name']} has {row['points']} points, and {points[row['name']]} by results"
    if not found.is_over:
        yield "the tournament is not over"


def main() -> None:
    """Run with the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=32)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = Random(given.seed)
    with TemporaryDirectory(prefix="hall-") as name, ExitStack() as opened:
        folder, began_s = Path(name) / "hall", time.monotonic()
        hall = open_hall(folder, given.tables, opened)
        players = Path(name) / "players.txt"
        players.write_text("\n".join(names(given.players)), encoding="utf-8")
        hall.run("start", "Cup", "straw", str(players))
        rounds = hall.tournament.length
        dying = {2, 3}  # the rounds in which a table dies
        for number in range(1, rounds + 1):
            if number > 1:
                hall.run("next")
            play_round(hall, number in dying, chance)
            print(f"round {number} of {rounds}: {time.monotonic() - began_s:.0f} s", flush=True)
        wrong = list(differences(hall))
        prizes = hall.run("show").splitlines()[-given.players :]
        games = sum(len(each.pairings) for each in hall.tournament.rounds)
        print(f"{games} games at {given.tables} tables, of which died: {', '.join(hall.dead)}")
        print("\n".join(prizes[:3]))
        print("\n".join(wrong) if wrong else "The tables' journals say the same.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
