"""Kill processes that play with SIGKILL at random moments: nothing may be lost or be there twice.

``python -m tests.firmware.soak_kills --kills 500`` does in bulk what ``test_soak_damages`` does a
little of. A game of each kind is played once without a kill. Then the same acts are given to
processes that are killed while they start, play, commit or end; each next process goes on with the
files. Every tenth process is a new interpreter, the others are forked.

Each process is checked for three things. It shows what the undisturbed game shows at this point.
The journal holds every act whose result was shown, and at most the one act in progress besides.
Once the process has started, the journal's file alone holds everything from before the start, so
losing the write-ahead log later costs nothing older.
"""

import argparse
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware.boxes.games import games
from tests.firmware.lives import JOURNAL, Life, Played, Rows, played, prepare, rows_in, verbs_of

ACTS = 40  # most acts in a game
START_S = 0.4  # longest time for a forked process to start, on an idle computer
COMMIT_S = 0.04  # longest time to read, commit and show a tap
SHARE = 25  # kills after which a process reports its progress
SPAWNED = 0.1  # share of the processes that are new interpreters


class Failed(AssertionError):
    """An entry was lost or is there twice."""


def insist(holds: bool, what: str) -> None:
    """Raise ``Failed`` with the message *what* unless *holds*."""
    if not holds:
        raise Failed(what)


def kills(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Kill *count* processes while they play; return the counts of events, and the failures."""
    counts: Counter[str] = Counter()
    failures: list[str] = []
    chance = Random(f"kills {seed}")
    names = sorted(games())
    number = 0
    prepare()
    while counts["kills"] < count:
        name = names[(seed + number) % len(names)]
        reference = played(name, verbs_of(name, number // len(names), ACTS))
        with TemporaryDirectory() as folder:
            done: int | None = None  # number of acts in the journal; None before the game began
            try:
                while counts["kills"] < count and done != len(reference.verbs):
                    done = _one_life(Path(folder), reference, done, chance, counts, failures)
            except Failed as failed:  # this game's files are wrong, so go on with another game
                failures.append(str(failed))
        number += 1
        counts["games"] += 1
    return counts, failures


def _one_life(
    folder: Path,
    reference: Played,
    done: int | None,
    chance: Random,
    counts: Counter[str],
    failures: list[str],
) -> int | None:
    """Let a process play *reference* from act *done* on, kill it, and check what it leaves.

    Adds to *counts* and *failures*. Returns the number of acts in the journal; None without a
    game.

    Raises:
        Failed: an entry was lost or is there twice.
    """
    spawns = chance.random() < SPAWNED
    first = done or 0
    rest = reference.verbs[first:]
    answers = 0 if chance.random() < 0.35 else chance.randint(1, min(9, 1 + len(rest)))
    later_s = chance.uniform(0, COMMIT_S if answers else START_S)
    before = rows_now(folder)
    where = f"{reference.game} after {done} acts, killed {later_s:.3f} s after {answers} answers"
    shown: list[str] = []
    with Life(folder, reference.game, forks=not spawns) as life:
        if not answers:
            time.sleep(later_s)
        elif (begun := life.status()) is not None:
            shown.append(begun)
            counts["starts that were looked at"] += 1
            if (missing := unchecked(folder, before)) is None:
                counts["of these, seen to have checkpointed"] += 1
                counts["of these, with something to checkpoint"] += bool(before)
            else:
                failures.append(f"{where}: {missing}")
            life.tell(*rest)
            while len(shown) < answers and (line := life.status()) is not None:
                shown.append(line)
            time.sleep(later_s)
        life.send_kill()
        shown.extend(life.statuses())
        life.kill()
        counts["kills"] += life.returncode == -9
        counts["kills while it started"] += not shown
        counts["processes that were new interpreters"] += spawns
        insist(
            life.returncode in (0, -9), f"{where}: it ended with {life.returncode}: {life.errors}"
        )
    after = judge(reference, done, shown, rows_now(folder), where)
    counts["answers"] += max(len(shown) - 1, 0)
    counts["acts in flight that count"] += (after or 0) - first - max(len(shown) - 1, 0)
    return after


def rows_now(folder: Path) -> Rows:
    """Return the entries of the journal in *folder*; none if there is no journal yet."""
    return rows_in(folder) if (folder / JOURNAL).exists() else ()


def judge(
    reference: Played, done: int | None, shown: Sequence[str], rows: Rows, where: str
) -> int | None:
    """Check what a killed process showed and stored against *reference*, the undisturbed play.

    *done* acts were stored before its start, *shown* are its lines of status, and *rows* the
    journal's entries now. Returns the number of acts in the journal; None without a game.

    Raises:
        Failed: an act that was shown is missing, there is more than one act besides, or one is
            wrong.
    """
    first = done or 0
    meant = [moment.shown for moment in reference.moments[first : first + len(shown)]]
    insist(list(shown) == meant, f"{where}: shown {list(shown)}, not {meant}")
    if not rows:
        insist(done is None and not shown, f"{where}: all of it is lost")
        return None
    insist(rows == reference.rows[: len(rows)], f"{where}: entries that were not written")
    dealt = len(reference.moments[0].rows)
    after = len(rows) - dealt
    told = first + max(len(shown) - 1, 0)
    insist(after >= told, f"{where}: {told} acts were shown, {after} are there")
    insist(after <= told + 1, f"{where}: {told} acts were shown, {after} are there: too many")
    return after


def unchecked(folder: Path, before: Rows) -> str | None:
    """Return a message if the journal's file alone lacks entries of *before*, otherwise None."""
    try:
        alone = rows_in(folder, with_log=False)
    except sqlite3.Error as error:
        return f"not checkpointed at the start: the file alone cannot be read: {error}"
    if alone[: len(before)] == before:
        return None
    found = f"{len(before)} entries were there, the file alone has {len(alone)}"
    return f"not checkpointed at the start: {found}"


def main() -> int:
    """Run the soak, print its counts, and return exit code 1 if something was lost."""
    parser = argparse.ArgumentParser(description="Kill processes that play; nothing may be lost.")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    failures: list[str] = []
    share = min(SHARE, -(-given.kills // given.jobs))
    seeds = [given.seed + number for number in range(-(-given.kills // share))]
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as jobs:
        for counted, failed in jobs.map(partial(kills, share), seeds):
            counts += counted
            failures += failed
            told = f"{counts['kills']} killed, {len(failures)} failures"
            print(told, file=sys.stderr, flush=True)
    for name, count in sorted(counts.items()):
        print(f"{count:8,} {name}")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print("nothing lost, nothing twice" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
