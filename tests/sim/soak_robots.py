"""Robots play through the chips for as long as you like: nothing differs, nothing grows.

Room: tests. Run it: ``.venv/bin/python -m tests.sim.soak_robots --minutes 30 --exports 100``.

Whole games of every kind in turn, each at a mat of its own that is closed afterwards, with mistakes
and faults; each time round it prints what the process holds: memory, threads, open files, and the
longest turn of a loop, in the mat's own time and in this computer's. The first sixth of the time
warms up; from the next one to the last, the least memory held may grow by 2 % and no more. Then so
many games of each kind are exported and played again as rehearsals, to the same state, scores and
transcript.

Python's own allocator keeps a MiB for as long as one object lies in it, so that what a process has
at the end goes by where its largest games left one. The soak uses the C library's instead, which
gives back every page that is free. For the same reason what Python keeps for speed is let go of
before memory is looked at: caches of a bounded size (a few hundred small pictures, made while a
game was at its largest, keep two MB for some fifty games more) and its table of attributes looked
up, whose 4,096 places hold a name each. What grows without a bound stays in, caches included.
Python's table of names doubles once, by 0.9 MB, when some ten thousand came and went; that is done
before the first game.
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

from firmware.config import TableConfig, load_config
from firmware.loop import Loop
from sim.mat import Mat
from sim.rehearsal.command import with_parts
from sim.rehearsal.export import exported
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.robots.games import ROBOTS
from sim.robots.run import Wanted, play, seed_of, sitting

MISTAKES, FAULTS = 0.1, 0.02
START = "Start."  # the line of the list that begins a game, as it is said
TAKEN_BACK = 0.1  # of the acts of an exported game
PAGE_MB = 4096 / 1e6
SIXTH = 1 / 6  # of the time; in the first one, caches fill
MOST_GROWTH = 0.02  # of the least memory held in the second sixth
ALLOCATOR = {"PYTHONMALLOC": "malloc"}
NAMES = 100_000  # more than make Python's table of names grow for the last time


class Failed(AssertionError):
    """Something was not as it must be."""


# --- what a process holds ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """What this process holds; Linux and its glibc tell it. Its memory is what is resident."""

    memory_mb: float
    threads: int
    files: int

    @classmethod
    def now(cls) -> "Held":
        """What it holds now, once what nobody needs is let go of and given back."""
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
    """The longest turn of a loop so far, in seconds."""

    of_the_mat: float = 0.0
    of_this_computer: float = 0.0


@contextmanager
def longest_turn() -> Iterator[Longest]:
    """Watch every turn of every loop."""
    longest, turn = Longest(), Loop.turn

    def watched(loop: Loop) -> None:
        mat_s, computer_s = loop.clock.now(), time.perf_counter()
        turn(loop)
        longest.of_the_mat = max(longest.of_the_mat, loop.clock.now() - mat_s)
        longest.of_this_computer = max(longest.of_this_computer, time.perf_counter() - computer_s)

    Loop.turn = watched  # type: ignore[method-assign, assignment]
    try:
        yield longest
    finally:
        Loop.turn = turn  # type: ignore[method-assign]


def growth(helds: Sequence[tuple[float, Held]]) -> float:
    """By what part the least memory held grew from the second sixth of the time to the last.

    A page stays for as long as anything lies in it, so memory goes up with a large game and down
    in those that follow; what leaks lifts the least of it too.

    Args:
        helds: what was held, each with the part of the time that had passed, from 0 to 1.

    Raises:
        Failed: nothing was held in one of the two.
    """
    second = [held.memory_mb for passed, held in helds if SIXTH <= passed < 2 * SIXTH]
    last = [held.memory_mb for passed, held in helds if passed >= 1 - SIXTH]
    if not second or not last:
        raise Failed("too few games to tell whether memory grows: play for longer")
    return min(last) / min(second) - 1


def soak(games: Sequence[str], minutes: float, seed: int, config: TableConfig) -> None:
    """Play *games* in turn for so many minutes.

    Raises:
        Failed: a game differs, threads or files were left open, or memory grew.
    """
    for number in range(NAMES):  # each is gone at once, its place is not
        sys.intern(f"name {number}")
    counts: Counter[str] = Counter()
    begun_s, number = time.monotonic(), 0
    helds: list[tuple[float, Held]] = []
    with longest_turn() as longest:
        while (passed := (time.monotonic() - begun_s) / (60 * minutes)) < 1:
            for game in games:
                wanted = Wanted(game, 0, MISTAKES, FAULTS)
                played = play(wanted, seed_of(seed, number), config)
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
            first = helds[0][1]  # after one game of each, every file that stays open is
            if (held.threads, held.files) != (first.threads, first.files):
                raise Failed(f"left open: {first} became {held}")
    for name, count in sorted(counts.items()):
        print(f"{count:12,} {name}")
    grown = growth(helds)
    print(f"the least memory held grew by {grown:.2%}")
    if grown > MOST_GROWTH:
        raise Failed("that is more than it may")


# --- exported games ------------------------------------------------------------------------------


def check_export(wanted: Wanted, seed: int, config: TableConfig) -> int:
    """Play a game, export it, play that again; return how many lines it has.

    Raises:
        Failed: the state, the scores or what was said are not the same.
    """
    with sitting(wanted, seed, config) as session:
        assert session.mat is not None
        mat, chance = session.mat.mat, Random(seed)
        while not session.books.is_over:
            if session.acts and chance.random() < TAKEN_BACK:
                session.take_back()
            session.do(session.next_act())
        record = mat.running.journal.open_game()
        assert record is not None
        text = exported(record.start, list(mat.running.journal.entries(record.number)), mat.view)
        first = record.start, record.inputs, replace(mat.view, flash=None), _said(mat)
    lines = parse(text, "exported")
    with TemporaryDirectory() as folder:
        again = Mat(with_parts(config, lines), Path(folder))
        try:
            failure = Runner(again).play(lines)
            if failure is not None:
                raise Failed(f"{wanted.game}, seed {seed}: {failure}\n{text}")
            record = again.running.journal.open_game()
            assert record is not None
            second = record.start, record.inputs, replace(again.view, flash=None), _said(again)
        finally:
            again.close()
    for one, other in zip(first, second, strict=True):
        if one != other:
            raise Failed(f"{wanted.game}, seed {seed}: {one}\nbecame {other}\n{text}")
    return len(lines)


def _said(mat: Mat) -> list[str]:
    """What was said since the game began: before, an export turns to more house rules."""
    said = [utterance.text for utterance in mat.said]
    begins = max(n for n, text in enumerate(said) if text == START)
    return said[begins + 1 :]


def main() -> int:
    """Print what is held and counted, and 1 when something was not as it must be."""
    parser = argparse.ArgumentParser(description="Have robots play through the chips for long.")
    parser.add_argument("--games", nargs="+", choices=tuple(ROBOTS), default=tuple(ROBOTS))
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
            lines = sum(check_export(Wanted(game), seed, config) for seed in seeds)
            print(f"{game}: {given.exports} exported games of {lines:,} lines are the same again")
    except Failed as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
