"""The process is killed a hundred times, at any moment: no accepted play is lost, none repeated.

Room: tests. Real processes (``tapmat play --sim``) are fed a whole known game and killed with
SIGKILL while they start, play, commit or end; each time the same state folder is taken up again.
Moments are drawn from seeded chance, and where exactly they fall the machine decides; nothing is
measured against a clock.
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

from tests.effort import some
from tests.sim.known_game import GAME, shown_after

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="SIGKILL, which no process can answer, is POSIX's"
)

HANDS = 4  # games that are played beside each other
KILLS = HANDS * some(25)
STATUS = re.compile(r"(?P<phase>[a-z-]+) \| headline (?P<headline>\S+) \| turn (?P<turn>\S+) \| .*")
COMMAND = (sys.executable, "-m", "firmware.cli", "play", "--sim", "--game", "straw", "--state")

START_S = 0.8  # a start is over by then, and the first cards are laid
COMMIT_S = 0.04  # a tap is read, committed and shown by then
END_S = 0.03  # a process that was told to quit is gone by then


@dataclass(frozen=True, slots=True)
class Life:
    """What one process printed: the status after its start, then one an act; and how it ended."""

    shown: tuple[str, ...]
    returncode: int

    @property
    def was_killed(self) -> bool:
        """Whether the kill found it alive."""
        return self.returncode == -signal.SIGKILL

    @property
    def acknowledged(self) -> int:
        """How many acts it answered."""
        return max(len(self.shown) - 1, 0)


def live(folder: Path, verbs: Sequence[str], moment: tuple[int, float] | None = None) -> Life:
    """Run one process on *folder*, feed it *verbs*, and let it end, or kill it.

    *moment* is after how many lines of status the kill comes, and how many seconds later.
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
    """The lines of status among *lines*, whole ones alone."""
    return (line.rstrip("\n") for line in lines if line.endswith("\n") and STATUS.match(line))


def journal(folder: Path) -> list[tuple[str, Any]]:
    """Kind and body of each entry of a game, from a copy: recovering is the program's work."""
    with TemporaryDirectory() as copied:
        for file in folder.glob("journal.sqlite*"):
            shutil.copy(file, copied)
        with closing(sqlite3.connect(Path(copied, "journal.sqlite"))) as copy:
            (tables,) = copy.execute("SELECT count(*) FROM sqlite_master").fetchone()
            of_games = "SELECT kind, body FROM entry WHERE game != 0 ORDER BY seq"
            rows = copy.execute(of_games) if tables else ()
            return [(kind, json.loads(body)) for kind, body in rows]


def counted(folder: Path) -> int | None:
    """How many acts of the known game the journal holds, each once; None before the deal."""
    entries = journal(folder)
    if not entries:
        return None
    (kind, start), *acts = entries
    assert kind == "start"
    assert (start["game"], start["names"]) == ("straw", ["Ann", "Ben"])
    assert acts == [(known.kind, known.body) for known in GAME[: len(acts)]]
    return len(acts)


def verbs_from(done: int | None) -> list[str]:
    """What is still to be done at the mat."""
    return [known.verb for known in GAME[done or 0 :]]


def in_words(status: str) -> tuple[str, ...]:
    """Phase, headline and turn of a line of status."""
    match = STATUS.match(status)
    assert match is not None
    return match["phase"], match["headline"], match["turn"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The lines of status of the whole known game, played by one process to its end."""
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
    """When to kill: at the start, in play, or between an answer and the next commit."""
    if chance.random() < 0.35:
        return 0, chance.uniform(0, START_S)
    return chance.randint(1, 8), chance.uniform(0, COMMIT_S)


def killed_once(folder: Path, done: int | None, chance: random.Random) -> tuple[Life, int | None]:
    """Live once on *folder*, be killed, and return what is in the journal then."""
    verbs = verbs_from(done)
    when = moment(chance)
    if chance.random() < 0.2:  # a few acts, then the end of the program
        verbs = [*verbs[: chance.randint(0, 3)], "quit"]
        when = (len(verbs), chance.uniform(0, END_S))
    life = live(folder, verbs, when)
    return life, counted(folder)


def play_and_be_killed(
    root: Path, seed: int, kills: int, reference: tuple[str, ...]
) -> tuple[int, int]:
    """Play whole games one after the other until *kills* have come; return kills and games."""
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
            if after is None:  # nothing was dealt, so nothing was shown
                assert done is None
                assert not life.shown
            else:  # all that was answered, and at most the act that was going on
                assert after - (done or 0) - life.acknowledged in (0, 1)
            done = after
        rest = live(folder, verbs_from(done))
        assert rest.returncode == 0
        assert rest.shown == reference[done or 0 :]
        assert counted(folder) == len(GAME)
        games += 1
    return killed, games


def test_a_hundred_kills_lose_no_accepted_play_and_repeat_none(
    tmp_path: Path, uninterrupted: tuple[str, ...]
) -> None:
    """What was shown is in the journal, at most the act in flight more, and nothing twice.

    The table goes on from there, and ends as if nothing had happened.
    """
    with ThreadPoolExecutor(HANDS) as hands:
        played = [
            hands.submit(play_and_be_killed, tmp_path, seed, KILLS // HANDS, uninterrupted)
            for seed in range(HANDS)
        ]
        results = [game.result() for game in played]
    assert sum(killed for killed, _ in results) == KILLS
