"""The board: the games at all tables, followed in the store, and their status.

It follows the store and not the broker, so it shows the same with one worker or many, and nothing
that is not saved. This module knows no web server.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from engines.common.contract import Game
from firmware.archive.past import OPEN
from firmware.hall.messages import OutboxName, SentEntry
from firmware.hall.statuses import AWAY, TableStatus
from firmware.hall.store import END, HallStore, HallStoreError, OutboxState
from firmware.hall.table_fold import ShownGame, TableFold
from firmware.voice.words import Words

log = logging.getLogger(__name__)

LOOK_S = 0.25  # between two looks into the store
RETRY_S = 2.0
OVERLAP_S = 5.0  # the clocks of workers may differ by this
MOST = 500  # entries of one table read at once

Shown = dict[str, Any]  # one table, as the page gets it


class _Follower:
    """The fold of one outbox.

    *end* is the number of the last entry that was taken, and *wanted* of the last in the store.
    """

    def __init__(self, outbox: OutboxName, fold: TableFold, end: int) -> None:
        self.outbox, self.fold, self.end = outbox, fold, end
        self.wanted = end
        self.told = 0  # the number of the last game whose end is known

    @property
    def is_late(self) -> bool:
        """True if the store has entries that were not taken yet."""
        return self.end < self.wanted


class HallBoard:
    """The games and the status of every table.

    *known* are the rules of games, and *words* their texts, by name. *changed* is called with the
    tables that have changed, and *ended* with the table and its game whenever a game has ended.
    """

    def __init__(
        self,
        store: HallStore,
        known: Mapping[str, Game[Any]],
        words: Mapping[str, Words],
        changed: Callable[[list[Shown]], None],
        ended: Callable[[str, ShownGame], None] = lambda table, game: None,
    ) -> None:
        self._store, self._known, self._words = store, known, words
        self._changed, self._ended = changed, ended
        self._followers: dict[str, _Follower] = {}
        self._statuses: dict[str, TableStatus] = {}
        self._names: frozenset[str] | None = None  # of the tables to show; None: all
        self._since_s = 0.0

    def tables(self) -> list[Shown]:
        """Return all tables, by name."""
        names = self._names
        if names is None:
            names = frozenset(self._followers.keys() | self._statuses.keys())
        return [self._shape(table) for table in sorted(names)]

    def last_games(self) -> dict[str, int]:
        """Return the number of the last game that began at each connected table; 0 for none."""
        online = sorted(table for table, status in self._statuses.items() if status.online)
        return {table: self._last_game(table) for table in online if self._is_known(table)}

    def _last_game(self, table: str) -> int:
        follower = self._followers.get(table)
        game = None if follower is None else follower.fold.game_to_show()
        return 0 if game is None else game.number

    def set_names(self, names: Collection[str]) -> bool:
        """Show the tables called *names*, and no others; return True if that changes anything."""
        was, self._names = self._names, frozenset(names)
        return was != self._names

    def _is_known(self, table: str) -> bool:
        return self._names is None or table in self._names

    def set_status(self, table: str, status: TableStatus) -> None:
        """Show the new *status* of *table*."""
        if self._statuses.get(table) != status:
            self._statuses[table] = status
            self._tell([table])

    async def run(self) -> None:
        """Follow the store until this task is cancelled."""
        was_told = False
        while True:
            try:
                await self.look()
                was_told = False
                await asyncio.sleep(LOOK_S)
            except HallStoreError as fault:
                if not was_told:
                    log.warning("The board waits: %s", fault)
                was_told = True
                await asyncio.sleep(RETRY_S)

    async def look(self) -> None:
        """Take what the store has got since the last call."""
        states = await self._store.outboxes(max(0.0, self._since_s - OVERLAP_S))
        newest = {state.mark.outbox.table: state for state in states}
        behind = list(filter(self._is_behind, newest.values()))
        while late := [each for each in map(self._follower, behind) if each.is_late]:
            found = await self._store.news({each.outbox: each.end for each in late}, MOST)
            for follower, entries in zip(late, found, strict=True):
                self._take(follower, entries)
        if behind:
            self._tell(state.mark.outbox.table for state in behind)
        if states:
            self._since_s = max(self._since_s, states[-1].changed_s)

    def _tell(self, tables: Iterable[str]) -> None:
        if shown := [self._shape(table) for table in tables if self._is_known(table)]:
            self._changed(shown)

    def _is_behind(self, state: OutboxState) -> bool:
        """Return True if the board has not taken all entries of *state*'s outbox."""
        outbox = state.mark.outbox
        follower = self._followers.get(outbox.table)
        if follower is None or follower.outbox != outbox:
            fold = TableFold(outbox.table, self._known, self._words)
            follower = _Follower(outbox, fold, state.game - 1)
            self._followers[outbox.table] = follower
        follower.wanted = state.mark.seq
        return follower.is_late

    def _follower(self, state: OutboxState) -> _Follower:
        return self._followers[state.mark.outbox.table]

    def _take(self, follower: _Follower, entries: Sequence[SentEntry]) -> None:
        for entry in entries:
            follower.fold.take(entry)
            if entry.kind == END:
                self._tell_end(follower)
        follower.end = entries[-1].seq if entries else follower.wanted
        self._tell_end(follower)

    def _tell_end(self, follower: _Follower) -> None:
        game = follower.fold.game_to_show()
        if game is None or game.number == follower.told:
            return
        if game.ending != OPEN or any(player.place for player in game.players):
            follower.told = game.number
            self._ended(follower.outbox.table, game)

    def _shape(self, table: str) -> Shown:
        status = self._statuses.get(table, AWAY)
        follower = self._followers.get(table)
        game = None if follower is None else follower.fold.game_to_show()
        return {
            "table": table,
            **_fields(status),
            "game": None
            if game is None
            else {**_fields(game), "players": list(map(_fields, game.players))},
        }


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, not copied as ``asdict`` would: that takes long."""
    return {name: getattr(value, name) for name in value.__slots__}
