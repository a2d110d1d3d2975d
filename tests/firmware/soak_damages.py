"""Damage files in every known way: the table must lose nothing without saying so.

``python -m tests.firmware.soak_damages --damages 1000`` tries many; ``test_soak_damages`` tests its
judgement. Processes of the whole program play games of each kind and are killed. The files they
leave are damaged (``tests.firmware.damages``), and the program is started on them, twice. It is
judged by its display, its words and its files alone. Three outcomes are right:

- Every play is there.
- Some plays are missing, the table says so, and a byte-for-byte copy of the damaged files is kept.
- For damage about which a person must decide: the program refuses to start, with a message, an exit
  code other than 0 and the files unchanged, and it starts once the journal is moved away.

Never may an entry be there that nobody played. Damage to the write-ahead log costs the current
round at most. Damage that was reported is not reported again at the next start, and the game goes
on.
"""

import argparse
import re
import shutil
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from os import chown, geteuid, walk
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware.boxes.games import games
from tests.firmware.damages import KINDS, WAL, Case, Kind, Unfit
from tests.firmware.lives import (
    JOURNAL,
    Life,
    Played,
    Rows,
    files_of,
    played,
    prepare,
    rows_in,
    verbs_of,
)

ACTS = 40  # most acts in a game
PLAYS = 2  # games of each kind
SHARE = 20  # number of damages after which a process reports its progress
TELLS = re.compile(r"damaged|missing|lost|gone|incomplete|not whole", re.IGNORECASE)
STICKERS = re.compile(r"sticker", re.IGNORECASE)
FAILURES = (
    "LOST",
    "INVENTED",
    "NO COPY",
    "MORE THAN A ROUND",
    "CRASH",
    "REFUSED",
    "TWICE",
    "STUCK",
)


class Failed(AssertionError):
    """The program did something wrong; the first word of the message names it."""


@dataclass(frozen=True)
class Start:
    """The result of a start; *shown* is None if the program ended."""

    shown: str | None
    said: str
    rows: Rows
    returncode: int | None
    errors: str

    @property
    def told(self) -> bool:
        """True if the table says that something is wrong with the plays."""
        return any(
            TELLS.search(line) for line in self.said.split("\n") if not STICKERS.search(line)
        )


@cache
def worlds(seed: int, names: tuple[str, ...]) -> list[Played]:
    """Return several undisturbed plays of each of the games *names*, drawn from *seed*.

    One has no restart; in the others the process is restarted or killed between acts.
    """
    prepare()
    found = []
    for name in names:
        for number in range(PLAYS):
            chance = Random(f"worlds {name} {number} {seed}")
            verbs = verbs_of(name, number if name == "straw" else seed + number, ACTS)
            pauses = sorted(chance.sample(range(1, len(verbs)), min(2, len(verbs) - 1)))
            is_first = number == 0
            play = played(name, verbs, () if is_first else pauses, kills=chance.random() < 0.7)
            found.append(play)
    return found


def damages(
    numbers: range, seed: int, names: tuple[str, ...]
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Do the damages with these *numbers*, drawn from *seed*, to plays of the games *names*.

    Returns:
        The counts by kind and outcome, and the messages of the failures.
    """
    plays = worlds(seed, names)
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    for number in numbers:
        kind = KINDS[number % len(KINDS)]
        chance = Random(f"damage {seed} {number}")
        try:
            outcome = _damaged(kind, plays, chance)
        except Failed as failed:
            outcome = str(failed).partition(":")[0]
            failures.append(f"--seed {seed} --only {number}: {kind.name}: {failed}")
        counts[kind.name, outcome] += 1
    return counts, failures


def _damaged(kind: Kind, plays: list[Played], chance: Random) -> str:
    """Damage the files of a random play by *kind*, start on them, and return the outcome.

    Raises:
        Failed: the outcome is wrong.
    """
    for _try in range(200):
        play, other = chance.sample(plays, 2)
        acts = chance.randrange(1, len(play.moments))
        with TemporaryDirectory() as name:
            case = Case(Path(name, "state"), play, acts, other, chance)
            case.folder.mkdir()
            case.put(case.moment, *case.moment.files)
            user = kind.user if geteuid() == 0 else None
            if user is not None:
                Path(name).chmod(0o755)
                _give(case.folder, user)
            with suppress(Unfit):
                kind.does(case)
                return _judged(kind, case, user)
    return "unfit"


def _give(folder: Path, user: int) -> None:
    for path, _folders, files in walk(folder):
        chown(path, user, user)
        for file in files:
            chown(Path(path, file), user, user)


def _judged(kind: Kind, case: Case, user: int | None) -> str:
    """Start on the damaged files of *case*, play on and start again; return the outcome.

    Raises:
        Failed: the outcome is wrong.
    """
    before = files_of(case.folder)
    where = f"{case.play.game} after {case.acts} acts"
    with Life(case.folder, user=user) as life:
        start = _start(life, case.folder)
        outcome = judge(kind, case, before, start, where)
        if outcome == "refused":
            case.folder.chmod(0o755)
            _cured(case, user, where)
            return outcome
        after = start.rows
        if after == case.moment.rows and case.acts < len(case.play.verbs):
            after = _one_more(kind, case, life, where)
    with Life(case.folder, user=user) as life:
        again = _start(life, case.folder)
    crashed = again.shown is None or "Traceback" in again.errors
    insist(not crashed, f"CRASH: {where}: at the second start: {again.errors}")
    insist(again.rows == after, f"LOST: {where}: between the first start and the second")
    insist(not again.told, f"TWICE: {where}: told at the second start: {again.said}")
    return outcome


def _one_more(kind: Kind, case: Case, life: Life, where: str) -> Rows:
    """Do the next act of the play in the process *life*; return the journal's entries after it.

    If the *kind* needs a person to act first, the table may say that it cannot save the act.

    Raises:
        Failed: the answer differs from the undisturbed play.
    """
    before, after = case.play.moments[case.acts : case.acts + 2]
    life.tell(f"game {case.play.game}", case.play.verbs[case.acts])
    life.status()
    answer, rows = life.status(), rows_in(case.folder)
    if kind.may_refuse and life.said and rows == before.rows:
        return rows  # the display may differ: the cursor moved before the act failed
    insist(answer == after.shown, f"STUCK: {where}: {answer}: {life.said}")
    insist(rows == after.rows, f"STUCK: {where}: not written: {life.said}")
    return rows


def insist(holds: bool, what: str) -> None:
    """Raise ``Failed`` with the message *what* unless *holds*."""
    if not holds:
        raise Failed(what)


def _start(life: Life, folder: Path) -> Start:
    shown, said = life.status(), "\n".join(life.said)
    if shown is None:
        return Start(None, said, (), life.end(), life.errors)
    return Start(shown, said, rows_in(folder), None, life.errors)


def judge(kind: Kind, case: Case, before: dict[str, bytes], start: Start, where: str) -> str:
    """Return the outcome of *start*, a start on the damaged files of *case*, if it is right.

    *before* is the contents of the damaged files by name; *where* begins the messages of failures.

    Raises:
        Failed: the outcome is wrong.
    """
    insist("Traceback" not in start.errors, f"CRASH: {where}: {start.errors}")
    if start.shown is None:
        told = f"{where}: {start.returncode}: {start.errors}"
        insist(start.returncode not in (0, None), f"CRASH: {told}")
        insist(bool(start.errors.strip()), f"CRASH: {told}")
        insist(kind.may_refuse, f"REFUSED: {told}")
        touched = _touched(before, files_of(case.folder))
        insist(not touched, f"REFUSED: {told}: but touched {touched}")
        return "refused"
    written = set(case.moment.rows)
    strange = [row for row in start.rows if row not in written and row[2] != "lost"]
    missing = [row for row in case.moment.rows if row not in set(start.rows)]
    if kind.loses == "nothing" and kind.may_refuse and not case.journal.is_file():
        raise Failed(f"LOST: {where}: it began another journal")
    insist(not strange, f"INVENTED: {where}: {strange[:1]}")
    if not missing:
        return "whole, told" if start.told else "whole"
    kept = len(case.moment.rows) - len(missing)
    lost = f"{where}: {kept} of {len(case.moment.rows)} entries"
    insist(start.told, f"LOST: {lost}: said {start.said!r}")
    insist(kind.loses != "nothing", f"LOST: {lost}: where nothing was damaged")
    _see_copies(case, before, lost)
    if kind.loses == "log":
        round_began = len(case.play.moments[case.play.begins(case.acts)].rows)
        insist(kept >= round_began, f"MORE THAN A ROUND: {lost}; it began after {round_began}")
    return "fewer, told, a copy" if kept else "none, told, a copy"


def _see_copies(case: Case, before: dict[str, bytes], where: str) -> None:
    """Check that a byte-for-byte copy of the damaged files is in the folder.

    Raises:
        Failed: there is none.
    """
    after = set(files_of(case.folder).values())
    for name in (JOURNAL, WAL):
        data = before.get(name, b"")
        insist(not any(data) or data in after, f"NO COPY: {where}: of {name}")


def _touched(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Return the names of files that differ between *before* and *after*.

    SQLite's shared memory, lock files and the register of stickers do not count.
    """
    passing = ("-shm", ".lock", ".lock-journal")
    names = sorted({*before, *after})
    return [
        name
        for name in names
        if before.get(name) != after.get(name)
        and not name.endswith(passing)
        and not name.startswith("tags")
        and (before.get(name) or after.get(name))  # a new empty file does not count
    ]


def _cured(case: Case, user: int | None, where: str) -> None:
    """Move the journal away, as the message advises, and check that the table then starts.

    Raises:
        Failed: it does not start.
    """
    aside = case.folder.parent / "aside"
    aside.mkdir()
    for path in case.folder.glob(f"{JOURNAL}*"):
        path.rename(aside / path.name)
    with Life(case.folder, user=user) as life:
        start = _start(life, case.folder)
    insist(start.shown is not None, f"STUCK: {where}: refused for ever: {start.errors}")
    shutil.rmtree(aside)


def main() -> int:
    """Run the soak, print the outcomes by kind, and return exit code 1 if one is wrong."""
    parser = argparse.ArgumentParser(description="Damage journals; nothing is lost unsaid.")
    parser.add_argument("--damages", type=int, default=1000)
    parser.add_argument("--only", type=int, help="this damage alone")
    known = sorted(games())
    parser.add_argument("--games", nargs="+", choices=known, default=known, metavar="GAME")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    if given.only is not None:
        shares = [range(given.only, given.only + 1)]
    else:
        size = min(SHARE, -(-given.damages // given.jobs))
        shares = [range(n, min(n + size, given.damages)) for n in range(0, given.damages, size)]
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as jobs:
        for counted, failed in jobs.map(
            partial(damages, seed=given.seed, names=tuple(given.games)), shares
        ):
            counts += counted
            failures += failed
            for failure in failed:
                print(f"FAILED: {failure}", file=sys.stderr)
            print(f"{counts.total()} done, {len(failures)} failures", file=sys.stderr, flush=True)
    print_table(counts)
    kinds = len({kind for kind, _ in counts})
    print(f"{counts.total()} damages of {kinds} kinds, {len(failures)} failures")
    return 1 if failures else 0


def print_table(counts: Counter[tuple[str, str]]) -> None:
    """Print the number of each outcome for each kind of damage."""
    for kind in KINDS:
        found = {outcome: n for (name, outcome), n in counts.items() if name == kind.name}
        if found:
            told = ", ".join(f"{outcome} {n}" for outcome, n in sorted(found.items()))
            print(f"{kind.name:<46} {told}")
    outcomes: Counter[str] = Counter()
    for (_kind, outcome), number in counts.items():
        outcomes[outcome] += number
    for outcome, number in sorted(outcomes.items()):
        print(f"{number:8,} {outcome}")


if __name__ == "__main__":
    raise SystemExit(main())
