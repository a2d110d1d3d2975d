"""The copier: starts automatic copies while a table plays, and reports failures.

The copy itself runs in another process (``firmware.archive.automatic``). A thread would delay the
table's loop: Python runs one thread at a time, and the loop makes many short waits for chips. After
each of these, it might have to wait for the thread. The loop calls the copier once a second and
never waits for it.
"""

import logging
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Protocol

from firmware.archive import automatic
from firmware.archive.automatic import EXIT_CODES, Occasion, Problem
from firmware.journal.journal import GameRecord
from firmware.table.events import CopyFailed, Event

log = logging.getLogger(__name__)

QUIET_S = 60.0  # delay before the first copy of a day, because the start itself is busy
CLOSE_S = 2.0  # longest wait for a killed process
PROBLEMS = {code: problem for problem, code in EXIT_CODES.items()}


class Process(Protocol):
    """The methods of ``subprocess.Popen`` that the copier uses."""

    def poll(self) -> int | None:
        """Return the exit code of the process; None while it runs."""
        ...

    def kill(self) -> None:
        """Kill the process."""
        ...

    def wait(self, timeout: float) -> int:
        """Wait up to *timeout* seconds for the process to end; return its exit code."""
        ...


def start_copy(occasion: Occasion, state: Path, folder: Path) -> Process:
    """Start a process that makes a copy of the state folder *state* in *folder*.

    Raises:
        OSError: the system cannot start another process.
    """
    command = [sys.executable, "-m", automatic.__name__, occasion, str(state), str(folder)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Copier:
    """A copier of the state folder *state* into *folder*, after each game and each day with play.

    Args:
        state: the state folder.
        folder: the folder for copies.
        open_game: returns the game being played; None if there is none.
        now: returns local time.
        start: starts the process that copies; see ``start_copy``.
    """

    def __init__(
        self,
        state: Path,
        folder: Path,
        open_game: Callable[[], GameRecord | None],
        now: Callable[[], datetime] = datetime.now,
        start: Callable[[Occasion, Path, Path], Process] = start_copy,
    ) -> None:
        self._state, self.folder = state, folder
        self._open_game, self._now, self._start = open_game, now, start
        self._game = open_game()
        self._day: date | None = None  # the days before this one are dealt with
        self._first_s: float | None = None  # time of the first ``tend``
        self._due: list[Occasion] = []
        self._process: Process | None = None
        self._is_failing = False

    def tend(self, now_s: float) -> tuple[Event, ...]:
        """Start a copy if one is due and none is running; return failures as events.

        *now_s* is the time in seconds on the table's monotonic clock.
        """
        self._note_due(now_s)
        events = self._outcome()
        if self._process is None and self._due:
            occasion = self._due.pop(0)
            try:
                self._process = self._start(occasion, self._state, self.folder)
            except OSError as fault:
                log.warning("No copy of the games was made: %s", fault)
                return (*events, *self._failure(Problem.OTHER))
        return events

    def close(self) -> None:
        """Kill a copy that is still running. The next copy deletes the unfinished file."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.kill()
            with suppress(subprocess.TimeoutExpired):  # the disk does not answer
                process.wait(CLOSE_S)

    def _note_due(self, now_s: float) -> None:
        before, self._game = self._game, self._open_game()
        is_other = before is not None and (self._game is None or self._game.number != before.number)
        if is_other and before is not None and before.inputs:
            self._add(Occasion.GAME)
        self._first_s = now_s if self._first_s is None else self._first_s
        if now_s >= self._first_s + QUIET_S and self._day != (today := self._now().date()):
            self._day = today
            self._add(Occasion.DAY)

    def _add(self, occasion: Occasion) -> None:
        if occasion not in self._due:
            self._due.append(occasion)

    def _outcome(self) -> tuple[Event, ...]:
        """Return a failure event if the process that copies has ended with an error; else no event.

        After its end, the process is forgotten, so that the next copy can start.
        """
        code = None if self._process is None else self._process.poll()
        if code is None:
            return ()
        self._process = None
        if code:
            return self._failure(PROBLEMS.get(code, Problem.OTHER))
        self._is_failing = False
        return ()

    def _failure(self, problem: Problem) -> tuple[Event, ...]:
        """Return an event about *problem*, or no event if the previous copy failed too."""
        if self._is_failing:
            return ()
        self._is_failing = True
        return (CopyFailed(problem),)
