"""Let robots play through the emulated chips for a long time; nothing may differ or grow.

Run it: ``.venv/bin/python -m tests.sim.soak_robots --minutes 30 --exports 100``.

The soak plays whole games of every kind in turn, with mistakes and faults, each on a new mat. After
each round it prints the memory, threads and open files of the process, and the longest turn of a
loop, in the mat's time and in this computer's. The first sixth of the time is for warming up. From
the second sixth to the last, the least memory in use may grow by 2 %. Afterwards ``--exports``
games of each kind are exported and played again as rehearsals, which must lead to the same state,
scores and transcript.

Three measures keep Python itself from disturbing the measurement. The soak uses the C library's
allocator, because Python's own keeps a whole MiB as long as one object in it is alive. Before each
measurement it empties caches of a bounded size (a few hundred small pictures can keep 2 MB for
about fifty games) and Python's cache of attribute lookups. Caches without a bound are not emptied.
And before the first game it interns many strings, because Python's table of names grows once by 0.9
MB after about ten thousand.
"""

import argparse
import ctypes
import functools
import gc
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware.config.table_config import TableConfig, load_config
from firmware.runtime.loop import Loop
from sim.mat.mat import Mat
from sim.rehearsal.command import with_parts
from sim.rehearsal.export import rehearsal_text
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.robots.games import OURS
from sim.robots.run import GameOrder, open_session, play, seed_of

MISTAKES, FAULTS = 0.1, 0.02
START = "Start."  # the line that is said when a game starts
TAKEN_BACK = 0.1  # share of the acts in an exported game that are undone
PAGE_MB = 4096 / 1e6
SIXTH = 1 / 6  # of the time; caches fill in the first sixth
MOST_GROWTH = 0.02  # relative to the least memory in the second sixth
ALLOCATOR = {"PYTHONMALLOC": "malloc"}
NAMES = 100_000  # enough for the last growth of Python's table of names


class Failed(AssertionError):
    """A check of the soak failed."""


# --- resources of the process --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """The resources of this process: resident memory, threads and open files (Linux, glibc)."""

    memory_mb: float
    threads: int
    files: int

    @classmethod
    def now(cls) -> "Held":
        """Release what is unused, and return the resources in use."""
        for cache in gc.get_objects():
            if isinstance(cache, functools._lru_cache_wrapper) and cache.cache_info().maxsize:
                cache.cache_clear()
        if sys.version_info >= (3, 13):
            sys._clear_internal_caches()
        else:
            sys._clear_type_cache()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        resident = int(Path("/proc/self/statm").read_text().split()[1])
        files = len(list(Path("/proc/self/fd").iterdir()))
        return cls(resident * PAGE_MB, threading.active_count(), files)


@dataclass
class Longest:
    """The longest turn of a loop so far, in seconds of both clocks."""

    of_the_mat: float = 0.0
    of_this_computer: float = 0.0


@contextmanager
def longest_turn() -> Iterator[Longest]:
    """Measure every turn of every loop inside the block."""
    longest, turn = Longest(), Loop.step

    def watched(loop: Loop) -> None:
        mat_s, computer_s = loop.clock.now(), time.perf_counter()
        turn(loop)
        longest.of_the_mat = max(longest.of_the_mat, loop.clock.now() - mat_s)
        longest.of_this_computer = max(longest.of_this_computer, time.perf_counter() - computer_s)

    Loop.step = watched  # type: ignore[method-assign, assignment]
    try:
        yield longest
    finally:
        Loop.step = turn  # type: ignore[method-assign]


def growth(helds: Sequence[tuple[float, Held]]) -> float:
    """Return the relative growth of the least memory from the second sixth of the time to the last.

    Memory rises with a large game and falls again in later ones, because a page is in use as long
    as one object in it is. A leak also raises the least value.

    Args:
        helds: the resources measured, each with the share of the time that had passed (0 to 1).

    Raises:
        Failed: no resources were measured in one of the two sixths.
    """
    second = [held.memory_mb for passed, held in helds if SIXTH <= passed < 2 * SIXTH]
    last = [held.memory_mb for passed, held in helds if passed >= 1 - SIXTH]
    if not second or not last:
        raise Failed("too few games to tell whether memory grows: play for longer")
    return min(last) / min(second) - 1


def soak(games: Sequence[str], minutes: float, seed: int, config: TableConfig) -> None:
    """Play *games* in turn for *minutes* minutes.

    Raises:
        Failed: a game differs, threads or files were left open, or memory grew.
    """
    for number in range(NAMES):  # the strings are freed at once, the table keeps its size
        sys.intern(f"name {number}")
    counts: Counter[str] = Counter()
    begun_s, number = time.monotonic(), 0
    helds: list[tuple[float, Held]] = []
    with longest_turn() as longest:
        while (passed := (time.monotonic() - begun_s) / (60 * minutes)) < 1:
            for game in games:
                order = GameOrder(game, 0, MISTAKES, FAULTS)
                played = play(order, seed_of(seed, number), config)
                counts += played.counts
                if played.failure is not None:
                    failure = played.failure
                    raise Failed(f"{failure.what}\nAgain: {failure.command}")
            number += 1
            held = Held.now()
            helds.append((passed, held))
            print(
                f"{counts['games']:6} games {counts['plays']:8,} plays  {held.memory_mb:6.1f} MB  "
                f"{held.threads} threads  {held.files} files  longest turn "
                f"{longest.of_the_mat * 1e3:.1f} ms of the mat's time, "
                f"{longest.of_this_computer * 1e3:.1f} ms here",
                flush=True,
            )
            first = helds[0][1]  # after one game of each kind, all permanent files are open
            if (held.threads, held.files) != (first.threads, first.files):
                raise Failed(f"left open: {first} became {held}")
    for name, count in sorted(counts.items()):
        print(f"{count:12,} {name}")
    grown = growth(helds)
    print(f"the least memory held grew by {grown:.2%}")
    if grown > MOST_GROWTH:
        raise Failed("that is more than it may")


# --- exported games ------------------------------------------------------------------------------


def check_export(order: GameOrder, seed: int, config: TableConfig) -> int:
    """Play a game, export it as a rehearsal, play that, and return its number of lines.

    Raises:
        Failed: the state, the scores or the transcript differ.
    """
    with open_session(order, seed, config) as session:
        assert session.mat is not None
        mat, chance = session.mat.mat, Random(seed)
        while not session.books.is_over:
            if session.acts and chance.random() < TAKEN_BACK:
                session.undo()
            session.do(session.next_act())
        record = mat.running.journal.open_game()
        assert record is not None
        text = rehearsal_text(
            record.start, list(mat.running.journal.entries(record.number)), mat.view
        )
        first = record.start, record.inputs, replace(mat.view, flash=None), _said(mat)
    lines = parse(text, "exported")
    with TemporaryDirectory() as folder:
        again = Mat(with_parts(config, lines), Path(folder))
        try:
            failure = Runner(again).play(lines)
            if failure is not None:
                raise Failed(f"{order.game}, seed {seed}: {failure}\n{text}")
            record = again.running.journal.open_game()
            assert record is not None
            second = record.start, record.inputs, replace(again.view, flash=None), _said(again)
        finally:
            again.close()
    for one, other in zip(first, second, strict=True):
        if one != other:
            raise Failed(f"{order.game}, seed {seed}: {one}\nbecame {other}\n{text}")
    return len(lines)


def _said(mat: Mat) -> list[str]:
    """Return the texts said since the game began; choosing house rules in a replay says more."""
    said = [utterance.text for utterance in mat.said]
    begins = max(n for n, text in enumerate(said) if text == START)
    return said[begins + 1 :]


def main() -> int:
    """Run the soak, print the resources and counts, and return 1 if a check failed."""
    parser = argparse.ArgumentParser(description="Have robots play through the chips for long.")
    parser.add_argument("--games", nargs="+", choices=tuple(OURS), default=tuple(OURS))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--exports", type=int, default=100, help="games of each kind to play twice")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not ALLOCATOR.items() <= os.environ.items():
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **ALLOCATOR})
    logging.disable()
    config = load_config()
    try:
        if given.minutes:
            soak(given.games, given.minutes, given.seed, config)
        for game in given.games if given.exports else ():
            seeds = [seed_of(given.seed, number) for number in range(given.exports)]
            lines = sum(check_export(GameOrder(game), seed, config) for seed in seeds)
            print(f"{game}: {given.exports} exported games of {lines:,} lines are the same again")
    except Failed as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
