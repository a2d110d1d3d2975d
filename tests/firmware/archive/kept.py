"""State folders with recorded games, for the tests of the archive."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from sqlite3 import connect

from engines.common.contract import OptionValue, Seat, Setup
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.journal.codec import decode
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of
from tests.engines.contract import Case, accepted, offers
from tests.sim.known_game import GAME

CONFIG = load_config()
DECKS = decks_of(CONFIG)
BEGAN = datetime(2026, 3, 1, 18, 30, tzinfo=UTC)


def clock(began: datetime = BEGAN) -> Callable[[], datetime]:
    """Return a clock that starts at *began* and is one second later at each call."""
    seconds = count()
    return lambda: began + timedelta(seconds=next(seconds))


def start_of(names: tuple[str, ...] = ("Ann", "Ben"), game: str = "straw") -> GameStart:
    """Return the start of a game with the default house rules; the last player deals."""
    options = {option.name: option.default for option in games()[game].options}
    return GameStart(game, names, len(names) - 1, options, DECKS[game])


def play(
    folder: Path,
    names: tuple[str, ...] = ("Ann", "Ben"),
    acts: int = len(GAME),
    began: datetime = BEGAN,
) -> int:
    """Record a fixed game of Straw (``GAME``), or its first *acts* acts; return its number."""
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


def play_at_random(
    folder: Path,
    name: str,
    seed: int,
    limit: int,
    names: tuple[str, ...] = ("Ann", "Ben"),
    options: Mapping[str, OptionValue] | None = None,
) -> int:
    """Record a game of *name*, at most *limit* random legal inputs; return its number.

    *options* are the house rules that differ from the defaults.
    """
    case, chance, start = Case(games()[name]), Random(seed), start_of(names, name)
    start = replace(start, options={**start.options, **(options or {})})
    state = case.game.start(Setup(len(names), Seat(start.dealer), start.deck, start.options))
    with closing(Journal(folder / JOURNAL, clock())) as journal:
        number = journal.begin(start).number
        while limit and (asks := case.game.asks(state)):
            given = accepted(case, state, chance.choice(list(offers(case, asks))))
            state = case.game.step(state, given).state
            journal.append(given)
            limit -= 1
    return number


def scribble(folder: Path, statement: str, name: str = JOURNAL) -> None:
    """Run the SQL *statement* on a file in *folder*, to change it as tapmat never would."""
    with closing(connect(folder / name)) as connection:
        connection.execute(statement)
        connection.commit()


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of the journal and the tag register by file name, if they exist."""
    there = (folder / name for name in (JOURNAL, REGISTER))
    return {path.name: path.read_bytes() for path in there if path.exists()}
