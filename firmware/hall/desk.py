"""The desk: takes results of the tournament from the tables, and tells players where to sit."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from engines.common.contract import Message
from engines.common.errors import Fact
from firmware.common.errors import TapmatError
from firmware.hall.page import PACKAGE
from firmware.hall.table_fold import ShownGame
from firmware.hall.tournament import Tournament
from firmware.hall.tournament_file import TournamentFile, page_shape
from firmware.outlet.stream import LONGEST_MESSAGE
from firmware.voice.words import words_of

log = logging.getLogger(__name__)

LOOK_S = 0.5  # between two looks for a change by a command


class Desk:
    """The desk of the hall whose tournament is in *file*.

    *ready* returns the tables that are connected, each with the number of the last game that began
    there (0: none). *show* gets the text for each table's display,
    and *changed* the tournament for the page.
    """

    def __init__(
        self,
        file: TournamentFile,
        language: str,
        ready: Callable[[], Mapping[str, int]],
        show: Callable[[Mapping[str, str]], None],
        changed: Callable[[Any], None],
    ) -> None:
        self._file, self._words = file, words_of(language, PACKAGE)
        self._ready, self._show, self._changed = ready, show, changed
        self._seen: object = None
        self._tournament: Tournament | None = None

    @property
    def shape(self) -> Any:
        """The tournament for the page, or None."""
        return None if self._tournament is None else page_shape(self._tournament)

    async def run(self) -> None:
        """Follow the file until this task is cancelled."""
        while True:
            try:
                self.look()
            except TapmatError as fault:
                log.warning("%s", fault)
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Take changes of the file and of the tables that are ready."""
        now = self._file.stamp, frozenset(self._ready())
        if now == self._seen:
            return
        if self._file.stamp:
            with self._file.changing():
                before = self._file.need()
                after = before.seat(self._ready())
                if after != before:
                    self._file.save(after)
        self._seen = self._file.stamp, frozenset(self._ready())
        self._tell(self._file.load())

    def take_result(self, table: str, game: ShownGame) -> None:
        """Take the result of *game*, which has ended at *table*."""
        if not self._file.stamp:
            return
        names = [player.name for player in game.players]
        winners = [player.name for player in game.players if player.place == 1]
        try:
            with self._file.changing():
                before = self._file.need()
                after = before.after_game(table, game.number, game.name, winners, names)
                after = after.seat(self._ready())
                if after != before:
                    self._file.save(after)
        except TapmatError as fault:
            log.warning("The result at table %s was not saved: %s", table, fault)

    def _tell(self, tournament: Tournament | None) -> None:
        self._tournament = tournament
        texts: dict[str, str] = {}
        if tournament is not None and tournament.rounds:
            number = len(tournament.rounds)
            for pairing in tournament.rounds[-1].pairings:
                if pairing.table and not pairing.is_done:
                    texts[pairing.table] = self._seat_text(number, pairing.players)
        self._show(texts)
        self._changed(self.shape)

    def _seat_text(self, number: int, players: tuple[str, str]) -> str:
        facts: dict[str, Fact] = {"number": number, "names": " - ".join(players)}
        return self._words.say(Message("hall.seat", facts))[:LONGEST_MESSAGE]
