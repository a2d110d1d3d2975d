"""Games that robots have played at the emulated mat: their journal entries, in memory or a file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmware.config.table_config import TableConfig
from firmware.hall.journal_rows import JournalRows
from firmware.hall.messages import SentEntry
from sim.robots.games import OURS
from sim.robots.referees import AtMat
from sim.robots.run import GameOrder, open_session, play_out, seed_of

MOST = 100_000  # entries of one game

RecordedGame = tuple[SentEntry, ...]


def record_games(config: TableConfig, count: int, seed: int) -> Iterator[RecordedGame]:
    """Let robots play *count* games of each kind at emulated mats, and yield their entries.

    Raises:
        Difference: the table and the robots disagree.
        TapmatError: a deck or catalogue cannot be read.
    """
    for game in OURS:
        for number in range(count):
            order = GameOrder(game)
            with open_session(order, seed_of(seed, number), config) as session:
                play_out(session, order)
                assert isinstance(session.referee, AtMat)
                yield tuple(JournalRows(session.referee.mat.folder).after(0, MOST))


def save_games(games: Sequence[RecordedGame], file: Path) -> None:
    """Write *games* to *file* as JSON."""
    rows = [[[e.seq, e.game, e.kind, e.body, e.at] for e in game] for game in games]
    file.write_text(json.dumps(rows), encoding="utf-8")


def load_games(file: Path) -> list[RecordedGame]:
    """Return the games in *file*, which ``save_games`` wrote."""
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [tuple(SentEntry(*row) for row in game) for game in rows]
