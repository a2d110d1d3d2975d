"""What the journal writes: bytes a play, on a memory card that bears only so many.

Room: sim. The log takes whole pages; now and then the pages that changed go into the file as well.
"""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.common.contract import Seat, Setup
from firmware.config import load_config
from firmware.controller import JOURNAL, decks_of
from firmware.games import game_named
from firmware.journal import GameStart, Journal
from sim.bench.engine import GAME, PLAYERS, random_game
from sim.bench.rows import Act, Figures

GAMES = 4


def acts(seed: int) -> Iterator[Act]:
    """Plays of Straw."""
    yield Act("a play in the journal", partial(bytes_a_play, seed))


def bytes_a_play(seed: int) -> Figures:
    """What is *written* for a play of a few random games, and what the file grows by (*kept*)."""
    game, chance, deck = game_named(GAME), Random(seed), decks_of(load_config())[GAME]
    setup = Setup(PLAYERS, Seat(PLAYERS - 1), deck)
    start = GameStart(GAME, ("Ann", "Ben", "Cem", "Dora"), setup.dealer, {}, deck)
    plays = 0
    with TemporaryDirectory() as folder:
        path = Path(folder, JOURNAL)
        written = 0
        for _ in range(GAMES):
            with closing(Journal(path)) as journal:
                journal.begin(start)
                for given in random_game(game, setup, chance):
                    journal.append(given)
                    plays += 1
                log = path.with_name(f"{JOURNAL}-wal").stat().st_size
            written += log + path.stat().st_size  # closing moves the log into the file
        kept = path.stat().st_size
    return {"bytes written": written / plays, "bytes kept": kept / plays}
