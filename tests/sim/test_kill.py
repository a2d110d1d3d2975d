"""Tests that kill the process a hundred times: no accepted play is lost or repeated.

Real processes (``tapmat play --sim``) get a whole known game as input and are killed with SIGKILL
while they start, play, commit or exit; each time a new process continues in the same state folder.
The moments are drawn from a seeded generator, but where they fall in the program depends on the
machine. No test depends on durations.
"""

import json
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.sim.known_game import GAME, shown_after

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="SIGKILL, which no process can answer, is POSIX's"
)

HANDS = 4  # games played in parallel
KILLS = HANDS * 25
STATUS = re.compile(r"(?P<phase>[a-z-]+) \| headline (?P<headline>\S+) \| turn (?P<turn>\S+) \| .*")
COMMAND = (
    sys.executable,
    "-m",
    "firmware.commands.cli",
    "play",
    "--sim",
    "--game",
    "straw",
    "--state",
)

START_S = 0.8  # longer than a start and the first plays
COMMIT_S = 0.04  # longer than it takes to read, commit and show a tap
END_S = 0.03  # longer than a process takes to exit after "quit"


@dataclass(frozen=True, slots=True)
class Life:
    """The status lines of one process, after its start and after each act, and its exit code."""

    shown: tuple[str, ...]
    returncode: int

    @property
    def was_killed(self) -> bool:
        """Return True if the process was still running when it was killed."""
        return self.returncode == -signal.SIGKILL

    @property
    def acknowledged(self) -> int:
        """The number of acts that the process answered."""
        return max(len(self.shown) - 1, 0)


def live(folder: Path, verbs: Sequence[str], moment: tuple[int, float] | None = None) -> Life:
    """Run one process on the state in *folder*, with *verbs* as input, until it exits.

    *moment* is the number of status lines to wait for, and the seconds from then to the kill. With
    None the process is not killed.
    """
    process = subprocess.Popen(
        [*COMMAND, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("".join(f"{verb}\n" for verb in verbs))
            process.stdin.close()
            lines = statuses(process.stdout)
            shown: list[str] = []
            if moment is not None:
                answers, later_s = moment
                while len(shown) < answers and (line := next(lines, None)) is not None:
                    shown.append(line)
                time.sleep(later_s)
                process.send_signal(signal.SIGKILL)
            shown.extend(lines)
        finally:
            process.kill()
    return Life(tuple(shown), process.returncode)


def statuses(lines: Iterator[str]) -> Iterator[str]:
    """Yield the complete status lines among *lines*."""
    return (line.rstrip("\n") for line in lines if line.endswith("\n") and STATUS.match(line))


def journal(folder: Path) -> list[tuple[str, Any]]:
    """Return kind and body of each entry of the game, read from a copy of the journal.

    Reading the original would recover it, and recovery is the job of the program under test.
    """
    with TemporaryDirectory() as copied:
        for file in folder.glob("journal.sqlite*"):
            shutil.copy(file, copied)
        with closing(sqlite3.connect(Path(copied, "journal.sqlite"))) as copy:
            (tables,) = copy.execute("SELECT count(*) FROM sqlite_master").fetchone()
            of_games = "SELECT kind, body FROM entry WHERE game != 0 ORDER BY seq"
            rows = copy.execute(of_games) if tables else ()
            return [(kind, json.loads(body)) for kind, body in rows]


def counted(folder: Path) -> int | None:
    """Return the number of acts in the journal, checked against ``GAME``; None before the deal."""
    entries = journal(folder)
    if not entries:
        return None
    (kind, start), *acts = entries
    assert kind == "start"
    assert (start["game"], start["names"]) == ("straw", ["Ann", "Ben"])
    assert acts == [(known.kind, known.body) for known in GAME[: len(acts)]]
    return len(acts)


def verbs_from(done: int | None) -> list[str]:
    """Return the acts of the known game without the first *done*; None counts as 0."""
    return [known.verb for known in GAME[done or 0 :]]


def in_words(status: str) -> tuple[str, ...]:
    """Return phase, headline and turn from a status line."""
    match = STATUS.match(status)
    assert match is not None
    return match["phase"], match["headline"], match["turn"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The status lines of the whole known game, played by one process without a kill."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    life = live(folder, verbs_from(None))
    assert life.returncode == 0
    assert counted(folder) == len(GAME)
    return life.shown


def test_the_game_in_one_go_shows_what_was_counted_by_hand(
    uninterrupted: tuple[str, ...],
) -> None:
    expected = [shown_after(acts) for acts in range(len(GAME) + 1)]
    assert [in_words(status) for status in uninterrupted] == expected


def moment(chance: random.Random) -> tuple[int, float]:
    """Return a random moment for ``live`` to kill a process.

    It is during the start, or between an answer and a commit.
    """
    if chance.random() < 0.35:
        return 0, chance.uniform(0, START_S)
    return chance.randint(1, 8), chance.uniform(0, COMMIT_S)


def killed_once(folder: Path, done: int | None, chance: random.Random) -> tuple[Life, int | None]:
    """Run one process on *folder*, and kill it if it has not exited by a random moment.

    *done* is the number of acts already in the journal, or None before the deal.

    Returns:
        The life of the process, and the number of acts in the journal afterwards.
    """
    verbs = verbs_from(done)
    when = moment(chance)
    if chance.random() < 0.2:  # a few acts, then a normal exit
        verbs = [*verbs[: chance.randint(0, 3)], "quit"]
        when = (len(verbs), chance.uniform(0, END_S))
    life = live(folder, verbs, when)
    return life, counted(folder)


def play_and_be_killed(
    root: Path, seed: int, kills: int, reference: tuple[str, ...]
) -> tuple[int, int]:
    """Play the known game again and again until *kills* processes were killed.

    *reference* holds the status lines of a game without kills.

    Returns:
        The numbers of kills and of games.
    """
    chance = random.Random(seed)
    killed = games = 0
    while killed < kills:
        folder = root / f"{seed}-{games}"
        folder.mkdir()
        done: int | None = None
        while done != len(GAME) and killed < kills:
            life, after = killed_once(folder, done, chance)
            killed += life.was_killed
            assert life.shown == reference[done or 0 :][: len(life.shown)]
            if after is None:  # nothing was dealt, so no status was shown
                assert done is None
                assert not life.shown
            else:  # all answered acts, and at most the one in progress
                assert after - (done or 0) - life.acknowledged in (0, 1)
            done = after
        rest = live(folder, verbs_from(done))
        assert rest.returncode == 0
        assert rest.shown == reference[done or 0 :]
        assert counted(folder) == len(GAME)
        games += 1
    return killed, games


@pytest.mark.long
def test_a_hundred_kills_lose_no_accepted_play_and_repeat_none(
    tmp_path: Path, uninterrupted: tuple[str, ...]
) -> None:
    """The journal holds every act shown, at most one more, and none twice.

    The next process continues from there, and the game ends as it would without kills.
    """
    with ThreadPoolExecutor(HANDS) as hands:
        played = [
            hands.submit(play_and_be_killed, tmp_path, seed, KILLS // HANDS, uninterrupted)
            for seed in range(HANDS)
        ]
        results = [game.result() for game in played]
    assert sum(killed for killed, _ in results) == KILLS
