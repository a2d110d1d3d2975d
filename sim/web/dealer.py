"""The virtual deck: shuffled, dealt and drawn from as people would, beside the mat.

Room: sim/web. It knows no rules. What has become of every card or tile follows from the shuffle and
the journal: what is tapped and how the referee's counts go on (decision 0007). So an undo, a power
cut or a second page needs nothing of its own.

How a game is laid out is a fact of its box. One whose deck file has a ``spread`` lies face down in
rows and columns, to be turned over one by one; any other is dealt in hands from a draw pile.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from engines.common.contract import Game, Seat, Setup, Tap, View
from engines.common.pieces import Deck, Piece
from firmware.journal import GameRecord

PILE = "draw-pile"
OPEN = "open"  # so many tiles lie open in the turn that is played
MAY_MOVE = "may-move"  # so many, of those turned last, may be put on a free place


def views_of(game: Game[Any], record: GameRecord) -> list[View]:
    """What the referee counts at the start, and after each input that stands."""
    start = record.start
    state = game.start(Setup(len(start.names), Seat(start.dealer), start.deck, start.options))
    views = [game.view(state)]
    for given in record.inputs:
        state = game.step(state, given).state
        views.append(game.view(state))
    return views


# --- hands and a draw pile ------------------------------------------------------------------------


@dataclass(slots=True)
class Cards:
    """Where every card of a deck is."""

    hands: list[list[Piece]]
    pile: list[Piece]  # the top card last
    laid: list[Piece] = field(default_factory=list)

    def take(self, piece: Piece) -> None:
        """*piece* is laid, from whichever hand, or from the pile, it was in."""
        for place in (*self.hands, self.pile):
            if piece in place:
                place.remove(piece)
        self.laid.append(piece)

    def draw(self, seat: Seat, count: int) -> None:
        """Move *count* cards from the pile to a hand."""
        for _ in range(min(count, len(self.pile))):
            self.hands[seat].append(self.pile.pop())


def shuffled(deck: Deck, view: View, chance: Random) -> Cards:
    """A fresh deal, with as many cards in each hand as the referee counts."""
    cards = Cards([[] for _ in view.scores], mixed(deck, chance))
    for seat in range(len(view.scores)):
        cards.draw(Seat(seat), view.counts.get(f"hand-{seat + 1}", 0))
    return cards


def mixed(deck: Deck, chance: Random) -> list[Piece]:
    """All pieces of *deck*, shuffled."""
    pieces = list(deck.pieces())
    chance.shuffle(pieces)
    return pieces


def cards_of(game: Game[Any], record: GameRecord, seed: int) -> Cards:
    """Where the cards of the game in *record* are, if it was shuffled with *seed*."""
    views = views_of(game, record)
    chance = Random(seed)
    cards = shuffled(record.start.deck, views[0], chance)
    for given, before, view in zip(record.inputs, views[:-1], views[1:], strict=True):
        if _has_new_deal(before.counts, view.counts):
            cards = shuffled(record.start.deck, view, chance)
            continue
        if isinstance(given, Tap):
            cards.take(given.piece)
        if before.turn is not None:
            cards.draw(before.turn, before.counts.get(PILE, 0) - view.counts.get(PILE, 0))
    return cards


def _has_new_deal(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether the cards were gathered, shuffled and dealt anew between two counts."""
    return after.get("round", 0) != before.get("round", 0)


# --- a spread that is turned over tile by tile ----------------------------------------------------


@dataclass(slots=True)
class Tiles:
    """Where every tile of a deck lies: on its place, row by row, or won, in front of a seat."""

    places: list[Piece | None]
    won: list[list[Piece]]
    open: list[Piece] = field(default_factory=list)  # in this turn, as they were turned
    past: list[Piece] = field(default_factory=list)  # of the turn that ended, until the next tile
    movable: int | None = None  # the place of the tile that may be put on a free one

    def at(self, place: int) -> Piece | None:
        """The tile that can be seen at *place*."""
        piece = self.places[place]
        return piece if piece in self.open or piece in self.past else None

    def hidden(self, place: int) -> Piece | None:
        """The tile that lies face down at *place*."""
        if place not in range(len(self.places)) or self.at(place) is not None:
            return None
        return self.places[place]

    def turn(self, piece: Piece) -> None:
        """*piece* is turned over, where it lies; the turn before it is forgotten."""
        self.past, self.movable = [], None
        if piece in self.places:
            self.open.append(piece)

    def settle(self, before: View, after: View) -> None:
        """Do as the referee's counts say: tiles leave their places, a turn ends."""
        leaving = self._leaving(Counter(before.counts) - Counter(after.counts))
        self.places = [None if piece in leaving else piece for piece in self.places]
        won, first = iter(leaving), before.turn or 0
        for seat in (*range(first, len(self.won)), *range(first)):
            name = f"won-{seat + 1}"
            self.won[seat] += islice(won, after.counts.get(name, 0) - before.counts.get(name, 0))
        self.open = [piece for piece in self.open if piece not in leaving]
        if self.open and not after.counts.get(OPEN):
            self.past, self.open = self.open, []
            self.movable = self.places.index(self.past[-1]) if after.counts.get(MAY_MOVE) else None

    def _leaving(self, fewer: Counter[str]) -> list[Piece]:
        """So many tiles of each kind: of those that lie open the first, else of the others."""
        leaving = []
        for piece in (*self.open, *(p for p in self.places if p and p not in self.open)):
            if fewer[piece.kind] > 0:
                fewer[piece.kind] -= 1
                leaving.append(piece)
        return leaving

    def can_move(self, start: int, to: int) -> bool:
        """Whether the tile at *start* may be put at *to*."""
        is_free = to in range(len(self.places)) and self.places[to] is None
        return start == self.movable and is_free

    def move(self, to: int) -> None:
        """Put the tile that may be moved at *to*, if it may go there."""
        if self.movable is not None and self.can_move(self.movable, to):
            self.places[to], self.places[self.movable] = self.places[self.movable], None
            self.movable = to


def tiles_of(game: Game[Any], record: GameRecord, seed: int, moves: Mapping[int, int]) -> Tiles:
    """Where the tiles of the game in *record* are, if they were shuffled with *seed*.

    *moves* are people's own: after so many inputs, the tile that may be moved was put at a place.
    """
    views = views_of(game, record)
    tiles = Tiles([*mixed(record.start.deck, Random(seed))], [[] for _ in views[0].scores])
    for number, given in enumerate(record.inputs, start=1):
        if isinstance(given, Tap):
            tiles.turn(given.piece)
        tiles.settle(views[number - 1], views[number])
        if number in moves:
            tiles.move(moves[number])
    return tiles
