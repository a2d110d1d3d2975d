"""The disk of an emulated computer: it may be full, or slow, under SQLite's own hands.

Room: sim. It knows the journal's and the register's files by their open connections alone. A full
disk is one on which SQLite gets no further page for a file, so the error is SQLite's own; a slow
one lets the virtual clock go on at each commit.
"""

from collections.abc import Mapping
from sqlite3 import Connection

from sim.chips.clock import VirtualClock

SLOW_S = 0.5  # a worn memory card that cleans up behind itself
MOST_PAGES = 1_073_741_823  # SQLite's own limit
# Whatever is written also wants more pages than any file has to spare.
GREEDY = """CREATE TEMP TRIGGER IF NOT EXISTS greedy_{act} BEFORE {act} ON main.{table} BEGIN
    INSERT INTO {table} VALUES {row}; END"""
ACTS = ("insert", "delete")
JOURNAL = {"table": "entry", "row": "(-1, 0, '', zeroblob(1000000), '', 0)"}
REGISTER = {"table": "tag", "row": "(zeroblob(1000000), '', 0, '', 0)"}


class Disk:
    """What journal and register lie on; full or slow, it outlasts the program that writes."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._files: tuple[tuple[Connection, Mapping[str, str]], ...] = ()  # and what takes much
        self._is_full = False
        self._commit_s = 0.0

    def mount(self, journal: Connection, register: Connection) -> None:
        """Lie under both files, which a program has just opened."""
        self._files = (journal, JOURNAL), (register, REGISTER)
        self._apply()

    def unmount(self) -> None:
        """The program that wrote is gone."""
        self._files = ()

    def fill(self, is_full: bool) -> None:
        """Leave no room for another entry, or make room."""
        self._is_full = is_full
        self._apply()

    def slow(self, commit_s: float) -> None:
        """Have each commit take *commit_s* seconds."""
        self._commit_s = commit_s
        self._apply()

    def _apply(self) -> None:
        for file, much in self._files:
            file.set_trace_callback(self._written if self._commit_s else None)
            pages = 1 if self._is_full else MOST_PAGES  # what is there stays
            file.execute(f"PRAGMA main.max_page_count = {pages}")
            for act in ACTS:
                drop = f"DROP TRIGGER IF EXISTS temp.greedy_{act}"
                file.execute(GREEDY.format(act=act, **much) if self._is_full else drop)

    def _written(self, statement: str) -> None:
        """Let time pass in a commit; SQLite tells of each *statement* as it begins."""
        if statement == "COMMIT":
            self._clock.sleep(self._commit_s)
