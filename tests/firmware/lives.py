"""Processes that play on the emulated mat until a test ends them.

A ``Life`` is one process of ``tapmat play --sim``. It reads commands ("verbs") from its input,
answers each with a line of status, and can be killed with SIGKILL. A *spawned* process is a new
interpreter. A *forked* one is a copy of this process, which has imported everything, so it starts
in a tenth of the time.

This module reads the journal with nothing but SQLite, and from copies: opening a file may change
it.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, NoReturn, Self, TextIO

from engines.common.contract import Seat, Setup
from firmware.boxes.decks import load_deck
from firmware.boxes.games import games
from firmware.commands import cli
from firmware.config.table_config import load_config
from firmware.runtime import controller
from sim.rehearsal import terminal
from sim.rehearsal.export import verb_of
from tests.engines.contract import Case, accepted, deck_of, offers
from tests.sim.known_game import GAME

JOURNAL = "journal.sqlite"
STATUS = re.compile(r"(?P<phase>[a-z-]+) \| headline .* \| turn .* \| .*|power off")
SAID = re.compile(r"said [a-z]{2} (?P<text>.*)")
ROUND = re.compile(r"\bround (\d+)\b")
ENTRIES = "SELECT seq, game, kind, body FROM entry WHERE game != 0 ORDER BY seq"

Rows = tuple[tuple[int, int, str, str], ...]


class Life:
    """A process of ``tapmat play`` in *folder*; it begins *game* if no game is open."""

    def __init__(
        self, folder: Path, game: str | None = None, *, forks: bool = True, user: int | None = None
    ) -> None:
        self.said: list[str] = []  # what the table said since the last line of status
        self.returncode: int | None = None
        arguments = ["play", "--sim", "--state", str(folder)]
        arguments += [] if game is None else ["--game", game]
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115  # closed in __exit__
        begin = self._fork if forks else self._spawn
        self.pid, self._verbs, self._lines = begin(arguments, user)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._verbs.close()
        self._lines.close()
        self._errors.close()

    def _spawn(self, arguments: list[str], user: int | None) -> tuple[int, TextIO, TextIO]:
        process = subprocess.Popen(
            [sys.executable, "-m", "firmware.commands.cli", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            user=user,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process  # keep a reference: Popen warns if a running process is collected
        return process.pid, process.stdin, process.stdout  # type: ignore[return-value]

    def _fork(self, arguments: list[str], user: int | None) -> tuple[int, TextIO, TextIO]:
        verbs_out, verbs_in = os.pipe()
        lines_out, lines_in = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            for ours, theirs in ((verbs_out, 0), (lines_in, 1), (self._errors.fileno(), 2)):
                os.dup2(ours, theirs)
            os.closerange(3, 256)
            _be_tapmat(arguments, user)
        os.close(verbs_out)
        os.close(lines_in)
        return pid, os.fdopen(verbs_in, "w"), os.fdopen(lines_out)

    def tell(self, *verbs: str) -> None:
        """Send *verbs* to the process, or do nothing if it has ended."""
        try:
            self._verbs.write("".join(f"{verb}\n" for verb in verbs))
            self._verbs.flush()
        except BrokenPipeError:
            pass

    def status(self) -> str | None:
        """Wait for the next line of status and return it; None if the process ends first.

        ``said`` then lists what the table said before this line.
        """
        self.said = []
        for line in self._lines:
            if not line.endswith("\n"):
                break  # the kill cut this line short
            if said := SAID.match(line):
                self.said.append(said["text"])
            elif STATUS.match(line):
                return line.rstrip("\n")
        return None

    def statuses(self) -> Iterator[str]:
        """Return an iterator over the lines of status until the process ends."""
        return iter(self.status, None)

    def end(self) -> int:
        """Close the input of the process, wait until it has ended, and return its exit code."""
        self._verbs.close()
        return self._wait()

    def kill(self) -> None:
        """Kill the process with SIGKILL if it still runs, and wait until it has ended."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)
            self._wait()

    def send_kill(self) -> None:
        """Send SIGKILL without waiting, so that the rest of the output can still be read."""
        os.kill(self.pid, signal.SIGKILL)

    def _wait(self) -> int:
        if self.returncode is None:
            _pid, status = os.waitpid(self.pid, 0)
            self.returncode = os.waitstatus_to_exitcode(status)
            if process := getattr(self, "_process", None):
                process.returncode = self.returncode
        return self.returncode

    @property
    def errors(self) -> str:
        """Everything the process has written to its standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")


def _be_tapmat(arguments: list[str], user: int | None) -> NoReturn:
    """Run the tapmat command line in this forked process, then exit with its exit code."""
    code = 1
    try:
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        sys.argv = ["tapmat", *arguments]
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # print the traceback, as an interpreter does
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def prepare() -> None:
    """Play briefly in this process, so that forked processes start with everything loaded.

    Decks are cached, so that no forked process reads them again.
    """
    vars(controller)["load_deck"] = cache(load_deck)
    streams = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = StringIO("tap weight-7\nquit\n"), StringIO()
    try:
        with TemporaryDirectory() as folder:
            code = terminal.play(load_config(None), Path(folder), "straw")
        shown = sys.stdout.getvalue()
    finally:
        sys.stdin, sys.stdout = streams
    assert code == 0, shown
    assert "headline 7" in shown, shown


# --- reading the files ----------------------------------------------------------------------------


def rows_in(folder: Path, *, with_log: bool = True) -> Rows:
    """Return every game entry in the journal of *folder*.

    Without *with_log*, entries that are in the write-ahead log alone are left out.

    Raises:
        sqlite3.Error: the journal cannot be read.
    """
    with TemporaryDirectory() as copied:
        for end in ("", "-wal", "-journal") if with_log else ("",):
            if (folder / f"{JOURNAL}{end}").is_file():
                shutil.copy(folder / f"{JOURNAL}{end}", copied)
        with closing(sqlite3.connect(Path(copied, JOURNAL))) as copy:
            (tables,) = copy.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return tuple(copy.execute(ENTRIES)) if tables else ()


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of every file below *folder*, by path relative to it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# --- games to play --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """The status line on the display, the journal's entries and all files after an act."""

    shown: str
    rows: Rows
    files: dict[str, bytes] = field(repr=False)

    @property
    def round(self) -> str | None:
        """The round's number on the display; None in a game without rounds."""
        number = ROUND.search(self.shown)
        return None if number is None else number[1]


@dataclass(frozen=True)
class Played:
    """A play of a game without damage: its verbs, and the moments before and after each verb."""

    game: str
    verbs: tuple[str, ...]
    moments: tuple[Moment, ...]  # one more than there are verbs
    began: tuple[int, ...] = (0,)  # the number of acts done when each process started

    @cached_property
    def rows(self) -> Rows:
        """The journal's entries at the end."""
        return self.moments[-1].rows

    def begins(self, acts: int) -> int:
        """Return how many acts were done when the round of act number *acts* began.

        If the process of that act began later than the round, count until the process began.
        """
        process = max(start for start in self.began if start <= acts)
        of_round = [
            number
            for number in range(1, acts + 1)
            if self.moments[number].round != self.moments[number - 1].round
        ]
        return max([process, *of_round])


def played(
    game: str, verbs: Sequence[str], pauses: Sequence[int] = (), *, kills: bool = True
) -> Played:
    """Play *verbs* of *game* and return the play; begin a new process after each of *pauses*.

    *pauses* are numbers of verbs. The processes are killed or, without *kills*, end by themselves.
    The play stops early at a verb that does not write exactly one entry.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        moments: list[Moment] = []
        began: list[int] = []
        for first, last in zip((0, *pauses), (*pauses, len(verbs)), strict=True):
            with Life(folder, game) as life:
                moment = _moment(life, folder)
                assert not moments or moment.rows == moments[-1].rows, f"{game} did not go on"
                moments[first:] = [moment]
                began.append(first)
                for verb in verbs[first:last]:
                    life.tell(verb)
                    moment = _moment(life, folder)
                    if len(moment.rows) != len(moments[-1].rows) + 1:
                        return Played(
                            game, tuple(verbs[: len(moments) - 1]), tuple(moments), tuple(began)
                        )
                    moments.append(moment)
                if not kills:
                    assert life.end() == 0, life.errors
        return Played(game, tuple(verbs), tuple(moments), tuple(began))


def _moment(life: Life, folder: Path) -> Moment:
    shown = life.status()
    assert shown is not None, life.errors
    return Moment(shown, rows_in(folder), files_of(folder))


def verbs_of(game: str, seed: int, most: int) -> list[str]:
    """Return up to *most* verbs of *game*: legal plays at random, seeded with *seed*.

    For Straw, seed 0 gives the fixed game ``GAME``.
    """
    if game == "straw" and seed == 0:
        return [known.verb for known in GAME[:most]]
    with TemporaryDirectory() as folder, Life(Path(folder), game) as life:
        assert life.status() is not None, life.errors
        ((_seq, _game, _kind, text),) = rows_in(Path(folder))
    start: dict[str, Any] = json.loads(text)
    case = Case(games()[game])
    chance = Random(f"{game} {seed}")
    names = start["names"]
    setup = Setup(len(names), Seat(start["dealer"]), deck_of(case.game), {})
    state = case.game.start(setup)
    verbs: list[str] = []
    while len(verbs) < most:
        offered = list(offers(case, case.game.asks(state)))
        if not offered:
            break
        given = accepted(case, state, chance.choice(offered))
        state = case.game.step(state, given).state
        verbs.append(verb_of(given, names))
    return verbs
