"""``tapmat robots``: plays many games, shows how far it is, and prints what was counted.

Room: sim/robots.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from gettext import gettext as _
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from firmware.cli import EXIT_FAILED, EXIT_OK
from firmware.config import TableConfig
from firmware.errors import TapmatError, listed
from firmware.games import game_named
from sim.robots.games import ROBOTS
from sim.robots.run import Failure, Played, Wanted, play, seed_of

ALL = "all"
COLUMNS = (*("games", "plays", "refusals", "mistakes", "faults", "recoveries", "differences"),)
AT_ONCE = 8  # games handed to another process together


class CannotPlay(TapmatError):
    """No robots play so."""


@dataclass(frozen=True, slots=True)
class Run:
    """What was ordered: so many *games* of *game*, or of all; *players* 0 draws how many."""

    game: str
    games: int
    seed: int = 1
    players: int = 0
    mistakes: float = 0.0
    faults: float = 0.0
    is_fast: bool = False
    jobs: int = 1

    def wanted(self) -> list[Wanted]:
        """What is to be played, game by game.

        Raises:
            CannotPlay: no robots play that game, or not so many, or no mat is there to break.
            UnknownGame: no such game is installed.
        """
        names = tuple(ROBOTS) if self.game == ALL else (self.game,)
        for name in names:
            if name not in ROBOTS:
                game_named(name)
                found = _("No robots play {game} yet. They play {games}.")
                raise CannotPlay(found.format(game=name, games=listed(tuple(ROBOTS))))
            seats = ROBOTS[name].seats
            if self.players and self.players not in seats:
                found = _("{game} is for {least} to {most}, not {count}.").format(
                    game=name, least=seats[0], most=seats[-1], count=self.players
                )
                raise CannotPlay(found)
        if self.is_fast and self.faults:
            raise CannotPlay(
                _("--fast plays without a mat, so nothing breaks: leave out --faults.")
            )
        return [
            Wanted(name, self.players, self.mistakes, self.faults, self.is_fast) for name in names
        ]


@dataclass(frozen=True, slots=True)
class Result:
    """What was counted of all games of one kind, and the first failure if there was one."""

    game: str
    counts: Counter[str]
    took_s: float
    failure: Failure | None

    @property
    def plays_a_second(self) -> float:
        """Plays that stood or were taken back later, by the clock on the wall."""
        return self.counts["plays"] / self.took_s


def run_robots(
    run: Run,
    config: TableConfig,
    as_json: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Play until all is played or something differs; print what was counted.

    Returns:
        0: all mats answered as the books say; 1: one did not, and how to have that again is told.

    Raises:
        TapmatError: what was ordered cannot be played.
    """
    out, err = out or sys.stdout, err or sys.stderr
    results: list[Result] = []
    with _progress(run, err) as advance:
        for wanted in run.wanted():
            results.append(_result(run, wanted, config, advance))
            if results[-1].failure is not None:
                break
    if as_json:
        print(json.dumps({"run": asdict(run), "results": list(map(_shape, results))}), file=out)
    else:
        Console(file=out).print(_table(results))
    failure = results[-1].failure
    if failure is None:
        return EXIT_OK
    again = _("Again: {command}").format(command=failure.command)
    print(f"{failure.what}\n{again}", file=err)
    told = _("As a rehearsal:\n{text}").format(text=failure.rehearsal)
    print(told, file=err, flush=True)
    return EXIT_FAILED


def _result(
    run: Run, wanted: Wanted, config: TableConfig, advance: Callable[[str], None]
) -> Result:
    """Play all games of one kind, until one fails."""
    counts, failure = Counter[str](), None
    began_s = time.perf_counter()
    with _games(run, wanted, config) as games:
        for played in games:
            counts += played.counts
            failure = played.failure
            advance(wanted.game)
            if failure is not None:
                break
    return Result(wanted.game, counts, time.perf_counter() - began_s, failure)


@contextmanager
def _games(run: Run, wanted: Wanted, config: TableConfig) -> Iterator[Iterator[Played]]:
    """The games in order of their numbers; beside each other if there are several jobs."""
    seeds = [seed_of(run.seed, number) for number in range(run.games)]
    one = partial(play, wanted, config=config)
    if run.jobs == 1:
        yield map(one, seeds)
        return
    with ProcessPoolExecutor(run.jobs) as pool:
        try:
            yield pool.map(one, seeds, chunksize=AT_ONCE)
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _progress(run: Run, err: TextIO) -> Iterator[Callable[[str], None]]:
    """A bar for people who look; for nobody else."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(file=err)
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True,
        disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        total = run.games * len(run.wanted())
        task = progress.add_task(run.game, total=total)

        def advance(game: str) -> None:
            progress.update(task, advance=1, description=game)

        yield advance


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
        table.add_column(column, justify="right")
    for result in results:
        counts = [f"{result.counts[column]:,}" for column in COLUMNS]
        table.add_row(result.game, *counts, f"{result.plays_a_second:,.0f}")
    return table
