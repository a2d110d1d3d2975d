"""The disk of an emulated computer: it may be full, or slow, under SQLite's own hands.

Room: sim. It knows the journal's file by its open connection alone. A full disk is one on which
SQLite gets no further page for the file, so the error is SQLite's own; a slow one lets the virtual
clock go on at each commit.
"""

from sqlite3 import Connection

from sim.chips.clock import VirtualClock

SLOW_S = 0.5  # a worn memory card that cleans up behind itself
MOST_PAGES = 1_073_741_823  # SQLite's own limit
# Whatever is written also wants more pages than any file has to spare.
GREEDY = """CREATE TEMP TRIGGER IF NOT EXISTS greedy BEFORE INSERT ON main.entry BEGIN
    INSERT INTO entry VALUES (-1, 0, '', zeroblob(1000000), '', 0); END"""


class Disk:
    """What the journal lies on; whether it is full or slow outlasts the program that writes."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._journal: Connection | None = None
        self._is_full = False
        self._commit_s = 0.0

    def mount(self, journal: Connection) -> None:
        """Lie under *journal*, which a program has just opened."""
        self._journal = journal
        self._apply()

    def unmount(self) -> None:
        """The program that wrote is gone."""
        self._journal = None

    def fill(self, is_full: bool) -> None:
        """Leave no room for another entry, or make room."""
        self._is_full = is_full
        self._apply()

    def slow(self, commit_s: float) -> None:
        """Have each commit take *commit_s* seconds."""
        self._commit_s = commit_s
        self._apply()

    def _apply(self) -> None:
        if self._journal is None:
            return
        self._journal.set_trace_callback(self._written if self._commit_s else None)
        if self._is_full:
            self._journal.execute("PRAGMA main.max_page_count = 1")  # what is there stays
            self._journal.execute(GREEDY)
        else:
            self._journal.execute("DROP TRIGGER IF EXISTS temp.greedy")
            self._journal.execute(f"PRAGMA main.max_page_count = {MOST_PAGES}")

    def _written(self, statement: str) -> None:
        """Let time pass in a commit; SQLite tells of each *statement* as it begins."""
        if statement == "COMMIT":
            self._clock.sleep(self._commit_s)
