"""The layout of a spread: tiles face down in rows and columns, turned over one by one.

Pages never learn which tile is face down at a place. They name the place, as in ``@17`` (counted
from 1, row by row), and this module finds the tile. If a tile may be moved, people choose where.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from engines.common import layouts
from engines.common.contract import Game, Seat, Tap, View
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord
from sim.deal.layout import (
    PLACE,
    Arrangement,
    Decisions,
    Eyes,
    HandAct,
    Known,
    Layout,
    Values,
    lacking,
    number_in,
    texts_of,
)
from sim.deal.transitions import shuffle, transitions_of
from sim.mat.mat import CannotDo
from sim.robots.scene import Scene, SpreadScene

DOWN, FREE = "down", "free"  # a place whose tile is face down; a place without a tile
MOVE = "move"  # the act by hand that moves a tile to a free place


@dataclass
class Tiles(Arrangement):
    """The places of all tiles: in the spread, row by row, or won by a seat."""

    places: list[Piece | None]
    won: list[list[Piece]]
    open: list[Piece] = field(default_factory=list)  # turned over in this turn, in order
    past: list[Piece] = field(default_factory=list)  # of the last turn, until the next tile
    movable: int | None = None  # the place of the tile that may be moved to a free place
    mover: Seat | None = None  # who may move it
    has_moved: bool = False  # True if the mover has moved it, or left it in its place
    columns: int = 1
    kinds: Collection[str] = ()  # all kinds of the deck
    seen: Collection[Piece] = ()  # tiles that have been turned over at least once

    def at(self, place: int) -> Piece | None:
        """Return the face-up tile at *place*, counted from 0, or None."""
        piece = self.places[place]
        return piece if piece in self.open or piece in self.past else None

    def hidden(self, place: int) -> Piece | None:
        """Return the tile at *place*, counted from 0, that can be turned over, or None.

        Tiles of the last turn count as face down, although people still see them.
        """
        piece = self.places[place] if place in range(len(self.places)) else None
        return None if piece in self.open else piece

    def turn(self, piece: Piece) -> None:
        """Turn *piece* over in its place, and turn the last turn's tiles face down."""
        self.past, self.movable, self.mover, self.has_moved = [], None, None, False
        if piece in self.places:
            self.open.append(piece)

    def settle(self, before: View, after: View) -> None:
        """Move won tiles out of the spread, and end the turn if it is over.

        The counts in the views *before* and *after* an input tell which tiles were won, and by
        which seat.
        """
        leaving = self._leaving(Counter(before.counts) - Counter(after.counts))
        self.places = [None if piece in leaving else piece for piece in self.places]
        won, first = iter(leaving), before.turn or 0
        for seat in (*range(first, len(self.won)), *range(first)):
            name = layouts.won_by(seat)
            self.won[seat] += islice(won, after.counts.get(name, 0) - before.counts.get(name, 0))
        self.open = [piece for piece in self.open if piece not in leaving]
        if self.open and not after.counts.get(layouts.OPEN):
            self.past, self.open = self.open, []
            may_move = after.counts.get(layouts.MAY_MOVE)
            if may_move:
                self.movable, self.mover = self.places.index(self.past[-1]), before.turn

    def _leaving(self, fewer: Counter[str]) -> list[Piece]:
        """Return the tiles that leave the spread, face-up tiles first.

        *fewer* has the number of leaving tiles of each kind.
        """
        leaving = []
        for piece in (*self.open, *(p for p in self.places if p and p not in self.open)):
            if fewer[piece.kind] > 0:
                fewer[piece.kind] -= 1
                leaving.append(piece)
        return leaving

    def can_move(self, start: int, to: int) -> bool:
        """Return True if the tile at *start* may be put at *to*, or stay if that is its place."""
        is_free = to in range(len(self.places)) and (to == start or self.places[to] is None)
        return start == self.movable and is_free

    def move(self, to: int) -> None:
        """Move the movable tile to the place *to*, if that is free or its own."""
        if self.movable is not None and self.can_move(self.movable, to):
            piece, self.places[self.movable] = self.places[self.movable], None
            self.places[to] = piece
            self.movable, self.has_moved = to, True

    # --- as a layout ---

    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return the visible tile of each place, and the won tiles, as JSON values."""
        places = []
        is_robots = self.mover in eyes.robots  # robots leave the tile, and nobody moves it for them
        for place, piece in enumerate(self.places):
            seen = self.at(place)
            hidden = FREE if piece is None else DOWN
            places.append(hidden if seen is None else eyes.tag(seen))
        return {
            "columns": self.columns,
            "places": places,
            "past": [n for n, piece in enumerate(self.places, start=1) if piece in self.past],
            "movable": None if self.movable is None or is_robots else self.movable + 1,
            "mover": None if self.has_moved or is_robots else self.mover,
            "won": [eyes.tags(won) for won in self.won],
        }

    def scene(self, known: Known) -> Scene:
        """Return the spread as the player knows it.

        It has the names of tiles that were seen before, and the places of the others.
        """
        spread = tuple(
            None if piece is None else str(piece) if piece in self.seen else f"{PLACE}{place}"
            for place, piece in enumerate(self.places, start=1)
        )
        return SpreadScene(**known, spread=spread, open=texts_of(self.open))

    @property
    def chooser(self) -> Seat | None:
        """The player who may move a tile, or None."""
        return self.mover

    @property
    def is_decided(self) -> bool:
        """False while a player can still move a tile, or say that it stays."""
        return self.mover is None or self.has_moved

    @property
    def may_skip(self) -> bool:
        """True: a robot leaves the tile in its place."""
        return True

    def name_of(self, piece: Piece) -> str:
        """Return the place of *piece*, as in ``@17``."""
        is_place = piece.kind.startswith(PLACE)
        return piece.kind if is_place else f"{PLACE}{self.places.index(piece) + 1}"

    def at_place(self, place: str) -> Piece | None:
        """Return the tile that is face down at *place*, as in ``@17``, or None."""
        number = place.removeprefix(PLACE)
        is_number = number.isascii() and number.isdecimal()
        return self.hidden(int(number) - 1) if is_number else None

    def is_hidden(self, name: str) -> bool:
        """Return True if *name* is a tile of this deck."""
        return name.partition("#")[0] in self.kinds

    def decision(self, asked: HandAct, game: str) -> Values:
        """Return the values of the act ``move``: the new place, from 0 (in messages from 1)."""
        if asked.act != MOVE:
            return super().decision(asked, game)
        start, to = (number_in(asked.values, name) - 1 for name in ("from", "to"))
        if not self.can_move(start, to):
            raise CannotDo(
                "that tile cannot be moved there now",
                "Move a tile only when the display asks for it, and only to a free place",
            )
        return {"to": to}


def tiles_of(game: Game[Any], record: GameRecord, seed: int, moves: Mapping[int, int]) -> Tiles:
    """Return all tiles of the game in *record* in their places, shuffled with *seed*.

    *moves* holds the new places of tiles that people moved, by the number of inputs before.
    """
    first, transitions = transitions_of(game, record)
    tiles = Tiles([*shuffle(record.start.deck, Random(seed))], [[] for _ in first.scores])
    for number, transition in enumerate(transitions, start=1):
        if isinstance(transition.given, Tap):
            tiles.turn(transition.given.piece)
        tiles.settle(transition.before, transition.after)
        if number in moves:
            tiles.move(moves[number])
    return tiles


class SpreadLayout(Layout):
    """All tiles are face down in rows and columns, and are turned over one by one."""

    name = layouts.SPREAD
    has_hands = False

    def misfit(self, deck: Deck, first: View) -> str:
        """Return a message about the counts or the spread that the game lacks; "" if it has all."""
        if deck.spread is None:
            return "its deck has no spread, or the number of tiles does not fill it"
        won = [layouts.won_by(seat) for seat in range(len(first.scores))]
        return lacking([layouts.OPEN, *won, *deck.by_name], first.counts)

    def arrange(
        self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions
    ) -> Tiles:
        """Return all tiles in their places."""
        moves = {
            after: number_in(acts[MOVE], "to") for after, acts in decisions.items() if MOVE in acts
        }
        tiles = tiles_of(game, record, seed, moves)
        deck = record.start.deck
        tiles.columns = 1 if deck.spread is None else deck.spread[1]
        tiles.kinds = deck.by_name.keys()
        tiles.seen = {given.piece for given in record.inputs if isinstance(given, Tap)}
        return tiles


LAYOUT = SpreadLayout()
