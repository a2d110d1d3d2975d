"""The game at one table, folded from its entries to what everybody at the table can see.

The entries also say which cards lie in the rows of the mat's seats. No field made here comes from
those: everything is from the view that the table's display shows.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.common.contract import Game, Input, Message, Seat, Setup, View
from engines.common.solo import goal_seat
from firmware.archive.past import OPEN
from firmware.archive.results import place_of
from firmware.hall.messages import SentEntry
from firmware.hall.store import START
from firmware.journal.codec import decode
from firmware.journal.journal import ENDINGS, GameStart, entry_of, start_of
from firmware.voice.words import Words

log = logging.getLogger(__name__)

LONGEST_TEXT = 60  # characters of a name on the board


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player on the board. *place* is 0 while the game is played."""

    name: str
    score: int | None
    is_active: bool
    place: int


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game as the board shows it: the game's *name*, *title* and *headline*, and its players.

    *ending* is ``open``, ``over`` or ``abandoned``. *since* and *last* are the times of the start
    and of the last entry (ISO 8601, UTC). If the rules of this computer cannot follow the game,
    scores are None.
    """

    number: int
    name: str
    title: str
    headline: str
    players: tuple[ShownPlayer, ...]
    ending: str
    since: str
    last: str


class _Unfoldable(Exception):
    """The entries cannot be followed with the rules of this computer."""


class TableFold:
    """The last game at *table*. *known* are the rules of games, *words* their texts, by name."""

    def __init__(
        self, table: str, known: Mapping[str, Game[Any]], words: Mapping[str, Words]
    ) -> None:
        self._place, self._known, self._words = Path(table), known, words
        self._start: GameStart | None = None
        self._game: Game[Any] | None = None  # None if it cannot be followed
        self._dealt: Any = None
        self._state: Any = None
        self._inputs: list[Input] = []
        self._number = 0
        self._since = self._last = ""
        self._ending = OPEN
        self._shown: ShownGame | None = None  # until the next entry

    def take(self, sent: SentEntry) -> None:
        """Apply an entry. Entries of other games than the last one that began are ignored.

        An entry that cannot be followed is logged; the game is then shown without scores.
        """
        self._shown = None
        try:
            entry = entry_of(self._place, sent.seq, sent.game, sent.kind, sent.at, sent.body)
            if sent.kind == START:
                self._begin(sent, start_of(self._place, entry))
            elif sent.game == self._number:
                self._last = sent.at
                self._apply(sent.kind, entry.body)
        except Exception as wrong:  # a table may send anything, and the others must be shown
            log.warning("Entry %s of table %s cannot be followed: %s", sent.seq, self._place, wrong)
            self._game = None

    def _begin(self, sent: SentEntry, start: GameStart) -> None:
        self._number, self._start = sent.seq, start
        self._since = self._last = sent.at
        self._ending, self._inputs = OPEN, []
        self._game = None
        game = self._known.get(start.game)
        if game is None:
            raise _Unfoldable(f"the game {start.game} is not installed")
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        self._state = self._dealt = game.start(setup)
        self._game = game

    def _apply(self, kind: str, body: Mapping[str, Any]) -> None:
        if kind == "end":
            how = str(body.get("how"))
            self._ending = how if how in ENDINGS else "abandoned"
        elif self._game is None:
            return
        elif kind == "input":
            given = decode(body)
            self._state = self._game.step(self._state, given).state
            self._inputs.append(given)
        elif kind == "undo":
            if not self._inputs:
                raise _Unfoldable("there is no input to undo")
            self._inputs.pop()
            self._state = self._dealt
            for given in self._inputs:
                self._state = self._game.step(self._state, given).state

    def game_to_show(self) -> ShownGame | None:
        """Return the game for the board; None before the first one."""
        if self._shown is None and self._start is not None:
            self._shown = self._shown_game(self._start)
        return self._shown

    def _shown_game(self, start: GameStart) -> ShownGame:
        title = start.game
        if start.game in self._words:
            title = self._words[start.game].plain("title")
        view = self._view()
        headline = "" if view is None else self._headline(view)
        players = tuple(self._player(Seat(seat), view) for seat in range(self._people(start)))
        return ShownGame(
            *(self._number, start.game, title[:LONGEST_TEXT], headline, players),
            *(self._ending, self._since, self._last),
        )

    def _people(self, start: GameStart) -> int:
        goal = goal_seat(start.options, len(start.names))
        return len(start.names) if goal is None else goal

    def _view(self) -> View | None:
        if self._game is None:
            return None
        try:
            return self._game.view(self._state)
        except Exception as wrong:  # as above
            log.warning("The game of table %s cannot be shown: %s", self._place, wrong)
            self._game = None
            return None

    def _player(self, seat: Seat, view: View | None) -> ShownPlayer:
        assert self._start is not None
        name = self._start.names[seat][:LONGEST_TEXT]
        if view is None:
            return ShownPlayer(name, None, is_active=False, place=0)
        is_over = bool(view.winners)
        is_active = seat == view.turn and not is_over and self._ending == OPEN
        return ShownPlayer(
            name, view.scores[seat], is_active, place_of(view, seat) if is_over else 0
        )

    def _headline(self, view: View) -> str:
        assert self._start is not None
        if isinstance(view.headline, Message):
            names = self._start.names
            return self._words[self._start.game].say(view.headline, names)[:LONGEST_TEXT]
        return view.headline
