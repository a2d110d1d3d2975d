"""The disk of an emulated computer. It can be full or slow.

It acts on the open SQLite connections of the journal and the register. To emulate a full disk, it
limits the size of both files, so the error comes from SQLite itself. A slow disk advances the
virtual clock at each commit.
"""

from collections.abc import Mapping
from sqlite3 import Connection

from fakepi.clock import VirtualClock

SLOW_S = 0.5  # per commit, as on a worn memory card
MOST_PAGES = 1_073_741_823  # SQLite's default limit
# A trigger that makes every write need more pages than a full file has left.
GREEDY = """CREATE TEMP TRIGGER IF NOT EXISTS greedy_{act} BEFORE {act} ON main.{table} BEGIN
    INSERT INTO {table} VALUES {row}; END"""
ACTS = ("insert", "delete")
JOURNAL = {"table": "entry", "row": "(-1, 0, '', zeroblob(1000000), '', 0)"}
REGISTER = {"table": "tag", "row": "(zeroblob(1000000), '', 0, '', 0)"}


class Disk:
    """The disk that holds the journal and the register.

    Its faults survive restarts of the program.
    """

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._files: tuple[tuple[Connection, Mapping[str, str]], ...] = ()  # with triggers
        self._is_full = False
        self._commit_s = 0.0

    def mount(self, journal: Connection, register: Connection) -> None:
        """Attach this disk, with its faults, to two files that a program has just opened."""
        self._files = (journal, JOURNAL), (register, REGISTER)
        self._apply()

    def unmount(self) -> None:
        """Forget the files, because the program has ended."""
        self._files = ()

    def fill(self, is_full: bool) -> None:
        """Fill the disk, or free it."""
        self._is_full = is_full
        self._apply()

    def slow(self, commit_s: float) -> None:
        """Make each commit take *commit_s* seconds of virtual time."""
        self._commit_s = commit_s
        self._apply()

    def _apply(self) -> None:
        for file, values in self._files:
            file.set_trace_callback(self._delay if self._commit_s else None)
            pages = 1 if self._is_full else MOST_PAGES  # SQLite allows no fewer than in use
            file.execute(f"PRAGMA main.max_page_count = {pages}")
            for act in ACTS:
                drop = f"DROP TRIGGER IF EXISTS temp.greedy_{act}"
                file.execute(GREEDY.format(act=act, **values) if self._is_full else drop)

    def _delay(self, statement: str) -> None:
        """Advance the clock at a commit. SQLite calls this at the start of each *statement*."""
        if statement == "COMMIT":
            self._clock.sleep(self._commit_s)
