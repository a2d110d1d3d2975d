"""State folders with games in them, for the tests of the archive.

Room: tests.
"""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from sqlite3 import connect

from engines.common.contract import Seat, Setup
from firmware.codec import decode
from firmware.config import load_config
from firmware.controller import JOURNAL, REGISTER, decks_of
from firmware.games import games
from firmware.journal import GameStart, Journal
from tests.engines.contract import Case, accepted, offers
from tests.sim.known_game import GAME

CONFIG = load_config()
DECKS = decks_of(CONFIG)
BEGAN = datetime(2026, 3, 1, 18, 30, tzinfo=UTC)


def clock(began: datetime = BEGAN) -> Callable[[], datetime]:
    """A clock that is asked every second, from *began* on."""
    seconds = count()
    return lambda: began + timedelta(seconds=next(seconds))


def start_of(names: tuple[str, ...] = ("Ann", "Ben"), game: str = "straw") -> GameStart:
    """A game as the table begins it, by no house rule but the usual ones."""
    options = {option.name: option.default for option in games()[game].options}
    return GameStart(game, names, len(names) - 1, options, DECKS[game])


def play(
    folder: Path,
    names: tuple[str, ...] = ("Ann", "Ben"),
    acts: int = len(GAME),
    began: datetime = BEGAN,
) -> int:
    """Have two people play the known game of Straw, or its first *acts*; return its number."""
    with closing(Journal(folder / JOURNAL, clock(began))) as journal:
        number = journal.begin(start_of(names)).number
        for act in GAME[:acts]:
            if act.kind == "undo":
                journal.undo()
            else:
                journal.append(decode(act.body))
        if acts == len(GAME):
            journal.end("over")
    return number


def play_at_random(folder: Path, name: str, seed: int, limit: int) -> int:
    """Have two people play a game without sense, for up to *limit* inputs; return its number."""
    case, chance, start = Case(games()[name]), Random(seed), start_of(game=name)
    state = case.game.start(Setup(2, Seat(start.dealer), start.deck))
    with closing(Journal(folder / JOURNAL, clock())) as journal:
        number = journal.begin(start).number
        while limit and (asks := case.game.asks(state)):
            given = accepted(case, state, chance.choice(list(offers(case, asks))))
            state = case.game.step(state, given).state
            journal.append(given)
            limit -= 1
    return number


def scribble(folder: Path, statement: str, name: str = JOURNAL) -> None:
    """Write something into a file that tapmat never would."""
    with closing(connect(folder / name)) as connection:
        connection.execute(statement)
        connection.commit()


def bytes_of(folder: Path) -> dict[str, bytes]:
    """What is in the files that are kept."""
    there = (folder / name for name in (JOURNAL, REGISTER))
    return {path.name: path.read_bytes() for path in there if path.exists()}
