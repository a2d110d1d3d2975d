"""The recorded games of all tables, for statistics and exports."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from firmware.archive.exports import TITLE_OF, harmless, results_csv
from firmware.archive.figures import Figures, add_game
from firmware.archive.past import History, replay
from firmware.archive.results import GameResult, NotFinished, result_of
from firmware.common.errors import JournalError
from firmware.hall.messages import OutboxName, SentEntry
from firmware.hall.store import START, HallStore
from firmware.journal.entry import Entry
from firmware.journal.journal import entry_of

MOST = 5_000  # entries read at once

TableHistory = tuple[str, History]  # the table, and one of its games


async def table_histories(store: HallStore) -> list[TableHistory]:
    """Return every game in *store* with its table, by table and in order.

    A game that was sent twice, because its table's journal was restored or repaired, is there once,
    with as many plays as possible.

    Raises:
        HallStoreError: the store cannot be used.
    """
    longest: dict[tuple[str, str], TableHistory] = {}
    states = await store.outboxes()
    for outbox in sorted((state.mark.outbox for state in states), key=str):
        entries: list[SentEntry] = []
        while more := await store.entries(outbox, entries[-1].seq if entries else 0, MOST):
            entries.extend(more)
        for start, history in _games_of(outbox, entries):
            key = outbox.table, start
            if key not in longest or len(longest[key][1].entries) < len(history.entries):
                longest[key] = outbox.table, history
    return list(longest.values())


def _games_of(outbox: OutboxName, sent: Sequence[SentEntry]) -> Iterator[tuple[str, History]]:
    """Yield the text that identifies each game, and the game."""
    path = Path(outbox.table)
    for number, group in groupby(sent, key=lambda one: one.game):
        fault: JournalError | None = None
        entries: list[Entry] = []
        start = ""
        for one in group:
            if one.kind == START:
                start = f"{one.at} {one.body}"
            try:
                entries.append(entry_of(path, one.seq, one.game, one.kind, one.at, one.body))
            except JournalError as wrong:
                fault = fault or wrong
        yield start, History(path, number, tuple(entries), fault)


def figures_over(games: Iterable[TableHistory]) -> Figures:
    """Return the statistics of *games*."""
    found = Figures()
    for _table, history in games:
        add_game(found, history)
    return found


def table_results(games: Iterable[TableHistory]) -> Iterator[tuple[str, GameResult]]:
    """Yield the table and the result of each finished game in *games* that can be read."""
    for table, history in games:
        try:
            yield table, result_of(replay(history))
        except (JournalError, NotFinished):
            continue


def tables_csv(results: Iterable[tuple[str, GameResult]], title_of: TITLE_OF) -> str:
    """Return *results* as CSV: the columns of ``tapmat journal export``, after the table's name."""
    text = io.StringIO()
    writer = csv.writer(text)
    for number, (table, result) in enumerate(results):
        head, *rows = csv.reader(io.StringIO(results_csv([result], title_of)))
        if number == 0:
            writer.writerow(["table", *head])
        writer.writerows([harmless(table), *row] for row in rows)
    return text.getvalue()
