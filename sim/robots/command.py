"""``tapmat robots``: plays many games, shows the progress, and prints the counts."""

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

from firmware.boxes.games import game_named
from firmware.commands.options import EXIT_FAILED, EXIT_OK
from firmware.commands.progress import progress
from firmware.common.errors import TapmatError, word_list
from firmware.config.table_config import TableConfig
from sim.robots.games import all_robots
from sim.robots.run import FailedGame, GameOrder, Played, play, seed_of

ALL = "all"
COLUMNS = (*("games", "plays", "refusals", "mistakes", "faults", "recoveries", "differences"),)
AT_ONCE = 8  # games sent to a worker process together


class CannotPlay(TapmatError):
    """The error that robots cannot play the games that were ordered."""


@dataclass(frozen=True, slots=True)
class Run:
    """The settings of many games: *games* games of *game*, or of each game if that is "all".

    *jobs* games run in parallel. The other fields are explained at ``GameOrder``.
    """

    game: str
    games: int
    seed: int = 1
    players: int = 0
    mistakes: float = 0.0
    faults: float = 0.0
    is_fast: bool = False
    jobs: int = 1

    def orders(self) -> list[GameOrder]:
        """Return one ``GameOrder`` for each kind of game in this run.

        Raises:
            CannotPlay: no robots can play that game with that number of players, or faults are
                wanted without a mat.
            UnknownGame: no such game is installed.
        """
        robots = all_robots()
        names = tuple(robots) if self.game == ALL else (self.game,)
        for name in names:
            if name not in robots:
                game_named(name)
                found = "There are no robots for {game} yet. There are robots for {games}."
                raise CannotPlay(found.format(game=name, games=word_list(tuple(robots))))
            seats = robots[name].seats
            if self.players and self.players not in seats:
                found = f"{name} is for {seats[0]} to {seats[-1]} players, not {self.players}."
                raise CannotPlay(found)
        if self.is_fast and self.faults:
            raise CannotPlay("--fast plays without a mat, so nothing breaks: leave out --faults.")
        return [
            GameOrder(name, self.players, self.mistakes, self.faults, self.is_fast)
            for name in names
        ]


@dataclass(frozen=True, slots=True)
class Result:
    """The counts of all games of one kind, and the game that failed, if any."""

    game: str
    counts: Counter[str]
    took_s: float
    failure: FailedGame | None

    @property
    def plays_a_second(self) -> float:
        """The plays per second of elapsed time, including plays that were undone later."""
        return self.counts["plays"] / self.took_s


def run_robots(
    run: Run,
    config: TableConfig,
    as_json: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Play the games of *run* up to the first failure, and print the counts.

    Returns:
        0 if no game failed, else 1. After a failure, *err* gets its description, the command that
        plays the game again, and the game as a rehearsal.

    Raises:
        TapmatError: robots cannot play what was ordered, or a file cannot be read.
    """
    out, err = out or sys.stdout, err or sys.stderr
    results: list[Result] = []
    orders = run.orders()
    with progress(run.games * len(orders), err) as advance:
        for order in orders:
            results.append(_result(run, order, config, advance))
            if results[-1].failure is not None:
                break
    if as_json:
        print(json.dumps({"run": asdict(run), "results": list(map(_shape, results))}), file=out)
    else:
        Console(file=out).print(_table(results))
    failure = results[-1].failure
    if failure is None:
        return EXIT_OK
    print(f"{failure.what}\nAgain: {failure.command}", file=err)
    print(f"As a rehearsal:\n{failure.rehearsal}", file=err, flush=True)
    return EXIT_FAILED


def _result(
    run: Run, order: GameOrder, config: TableConfig, advance: Callable[[str, int], None]
) -> Result:
    """Play the games of one kind up to the first failure, and return their total counts."""
    counts, failure = Counter[str](), None
    began_s = time.perf_counter()
    with _games(run, order, config) as games:
        for played in games:
            counts += played.counts
            failure = played.failure
            advance(order.game, 1)
            if failure is not None:
                break
    return Result(order.game, counts, time.perf_counter() - began_s, failure)


@contextmanager
def _games(run: Run, order: GameOrder, config: TableConfig) -> Iterator[Iterator[Played]]:
    """Yield the results of the games in order. Several jobs play them in parallel."""
    seeds = [seed_of(run.seed, number) for number in range(run.games)]
    one = partial(play, order, config=config)
    if run.jobs == 1:
        yield map(one, seeds)
        return
    with ProcessPoolExecutor(run.jobs, initializer=_ignore_interrupts) as pool:
        try:
            yield pool.map(one, seeds, chunksize=AT_ONCE)
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker process. The main process gets it too, and stops the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _shape(result: Result) -> dict[str, Any]:
    failure = result.failure
    return {
        "game": result.game,
        **{column: result.counts[column] for column in COLUMNS},
        "plays_a_second": round(result.plays_a_second, 1),
        "counts": dict(sorted(result.counts.items())),
        "failure": None
        if failure is None
        else {
            "seed": failure.seed,
            "what": failure.what,
            "again": failure.command,
            "rehearsal": failure.rehearsal,
        },
    }


def _table(results: Sequence[Result]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("game")
    for column in (*COLUMNS, "plays/s"):
        table.add_column(column, justify="right", overflow="fold")
    for result in results:
        counts = [f"{result.counts[column]:,}" for column in COLUMNS]
        table.add_row(result.game, *counts, f"{result.plays_a_second:,.0f}")
    return table
