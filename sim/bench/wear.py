"""Measurements of the journal's writes in bytes per play, which wear out a memory card.

SQLite writes whole pages to its log, and later copies changed pages to the file.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware.boxes.games import game_named
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL
from sim.bench.engine import random_game, setup_of
from sim.bench.rows import Figures, Measurement

GAMES = 4
# The checksum of an entry, and with it the length of the entry, depends on the time.
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def measurements(seed: int) -> Iterator[Measurement]:
    """Yield the one measurement of the journal."""
    yield Measurement("a play in the journal", partial(bytes_a_play, seed))


def bytes_a_play(seed: int) -> Figures:
    """Play a few random games and return two averages per play, in bytes.

    ``bytes written`` counts everything written to the card, ``bytes kept`` the file's growth.
    """
    game, chance = game_named("straw"), Random(seed)
    setup = setup_of(game)
    start = GameStart(game.name, ("Ann", "Ben", "Cem", "Dora"), setup.dealer, {}, setup.deck)
    plays = 0
    with TemporaryDirectory() as folder:
        path = Path(folder, JOURNAL)
        written = 0
        for _ in range(GAMES):
            with closing(Journal(path, lambda: NOW)) as journal:
                journal.begin(start)
                for given in random_game(game, setup, chance):
                    journal.append(given)
                    plays += 1
                log = path.with_name(f"{JOURNAL}-wal").stat().st_size
            written += log + path.stat().st_size  # closing moves the log into the file
        kept = path.stat().st_size
    return {"bytes written": written / plays, "bytes kept": kept / plays}
