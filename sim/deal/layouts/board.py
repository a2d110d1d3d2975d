"""The layout of a growing board, with tiles in hands, on a pile, in front of players and aside.

The places of all tiles follow from the shuffle, the taps in the journal and the referee's counts
(decision 0007); this module applies no rules. A tapped tile stays in its hand until the referee
counts it elsewhere: its player may still choose a place, or has only shown it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engines.common import layouts
from engines.common.contract import Ask, Game, PlaceAsk, PressAsk, Seat, Tap, TapAsk, View
from engines.common.grid import Grid, Place
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord
from firmware.show.view import TableView
from sim.deal.layout import (
    Arrangement,
    Decisions,
    Eyes,
    Known,
    Layout,
    holder_in,
    lacking,
    texts_of,
)
from sim.deal.transitions import Transition, draw, initial_state, shuffle, transitions_of
from sim.robots.scene import BoardScene, Placed, Scene


@dataclass
class BoardTiles(Arrangement):
    """The places of all tiles.

    *apart* has the tiles beside the board, which belong to no player and are never drawn.
    """

    hands: list[list[Piece]]
    pile: list[Piece]  # the top tile last
    board: list[Piece]
    apart: list[Piece]
    out: list[Piece]  # left in the box, unseen
    fronts: list[Piece | None]
    aside: list[Piece] = field(default_factory=list)
    tapped: Piece | None = None  # the last tapped tile, until it moves
    shown: list[Piece] = field(default_factory=list)  # in this phase, by players who keep them
    placed: Placed | None = None  # the last tile put on the board, until the turn passes again
    asks: tuple[Ask, ...] = ()  # the inputs that the referee accepts now
    grid: Grid | None = None  # the map

    @property
    def waiting(self) -> Piece | None:
        """The tapped tile, if the referee is asking for its place."""
        return None if any(isinstance(ask, TapAsk | PressAsk) for ask in self.asks) else self.tapped

    @property
    def points(self) -> Mapping[Place, str]:
        """The points shown at each place that the referee offers for the waiting tile."""
        offers = (offer for ask in self.asks if isinstance(ask, PlaceAsk) for offer in ask.offers)
        return {at.place: at.headline for at in offers if isinstance(at.headline, str)}

    def others(self, turn: Seat | None) -> tuple[Seat, ...]:
        """Return the seats other than *turn* that may tap a tile now."""
        asked = {seat for ask in self.asks if isinstance(ask, TapAsk) for seat in ask.seats}
        return tuple(sorted(asked - {turn}))

    # --- as a layout ---

    def hand_of(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the tiles in the hand of the player at *seat*."""
        return tuple(self.hands[seat])

    def holder_of(self, piece: Piece) -> Seat | None:
        """Return the seat of the player who holds *piece* in the hand, or None."""
        return holder_in(self.hands, piece)

    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return the tiles around the board as JSON values. The map is part of the view."""
        waiting, turn = self.waiting, eyes.view.turn
        return {
            **eyes.hands(self.hands),
            "pile": len(self.pile),
            "fronts": eyes.tags(self.fronts),
            "apart": eyes.tags(self.apart),
            "isApartWanted": turn is not None
            and any(eyes.takes(tile, turn) for tile in self.apart),
            "laid": eyes.tags(self.aside),
            "out": len(self.out),
            "waiting": None if waiting is None else eyes.tag(waiting),
            "shown": eyes.tags(self.shown),
            "others": list(self.others(turn)),
            "placed": None if self.placed is None else [self.placed.seat, self.placed.points],
            "points": [[at.column, at.row, points] for at, points in self.points.items()],
        }

    def scene(self, known: Known) -> Scene:
        """Return the player's hand, the map, and the tiles around it."""
        return BoardScene(
            **known,
            hand=texts_of(self.hands[known["seat"]]),
            laid=texts_of(self.aside),
            board=() if self.grid is None else self.grid.cells,
            fronts=tuple(None if front is None else str(front) for front in self.fronts),
            apart=texts_of(self.apart),
            waiting=None if self.waiting is None else str(self.waiting),
            shown=texts_of(self.shown),
            placed=self.placed,
        )

    def peekers(self, view: TableView) -> tuple[Seat, ...]:
        """Return the seats that may tap a tile out of turn."""
        return self.others(view.turn)

    # --- following the game ---

    def apply(self, transition: Transition) -> None:
        """Move the tiles that *transition* moved."""
        before, after = transition.before.counts, transition.after.counts
        if isinstance(transition.given, Tap):
            self.tapped = transition.given.piece
        self._note_placed(transition)
        self._put_aside(after)
        self._lay({name for name in after if after[name] > before[name]}, after)
        if transition.after.phase != transition.before.phase:
            self.shown = []
        elif isinstance(transition.given, Tap) and self.tapped is not None:
            self.shown.append(self.tapped)
        draw(self.hands, self.pile, after, after[layouts.PILE], transition.before.turn or Seat(0))

    def _note_placed(self, transition: Transition) -> None:
        """Record the seat and points of a tile that *transition* put on the board."""
        before, after = transition.before, transition.after
        if after.turn != before.turn:
            self.placed = None
        if (
            self.tapped is not None
            and after.counts[layouts.ON_BOARD] > before.counts[layouts.ON_BOARD]
        ):
            seat = before.turn or Seat(0)
            points = after.scores[seat] - before.scores[seat]
            self.placed = Placed(seat, str(self.tapped), points)

    def _put_aside(self, after: Mapping[str, int]) -> None:
        """Put aside each tile that the referee no longer counts in front of its player."""
        for seat, front in enumerate(self.fronts):
            if front is not None and not after[layouts.front(seat)]:
                self.fronts[seat] = None
                self.aside.append(front)

    def _lay(self, grown: Collection[str], after: Mapping[str, int]) -> None:
        """Move the tapped tile to its new place, if the input moved it.

        *after* has the counts after the input, and *grown* the names of the counts that became
        larger.
        """
        front = next(
            (seat for seat in range(len(self.fronts)) if layouts.front(seat) in grown), None
        )
        if self.tapped is None:
            return
        if front is not None:
            self._take(self.tapped)
            self.fronts[front], self.tapped = self.tapped, None
            return
        for name, place in ((layouts.ON_BOARD, self.board), (layouts.ASIDE, self.aside)):
            if self.tapped is not None and name in grown and after[name] > len(place):
                self._take(self.tapped)
                place.append(self.tapped)
                self.tapped = None

    def _take(self, piece: Piece) -> None:
        """Remove *piece* from its place."""
        for place in (*self.hands, self.pile, self.apart, self.out):
            if piece in place:
                place.remove(piece)


def board_of(game: Game[Any], record: GameRecord, seed: int) -> BoardTiles:
    """Return all tiles of the game in *record* in their places, shuffled with *seed*."""
    first, transitions = transitions_of(game, record)
    tiles = deal(first, shuffle(record.start.deck, Random(seed)))
    for transition in transitions:
        tiles.apply(transition)
    state = transitions[-1].step.state if transitions else initial_state(game, record.start)
    tiles.asks, tiles.grid = game.asks(state), game.view(state).grid
    return tiles


def deal(view: View, pieces: list[Piece]) -> BoardTiles:
    """Deal the shuffled *pieces* for a game that starts with *view*."""
    cells = () if view.grid is None else view.grid.cells
    board = [cell.piece for cell in cells if cell.piece is not None]
    apart = sorted(piece for piece in pieces if piece.kind in view.counts)
    pile = [piece for piece in pieces if piece not in board and piece not in apart]
    out = [pile.pop(0) for _ in range(view.counts[layouts.OUT])]
    hands: list[list[Piece]] = [[] for _ in view.scores]
    draw(hands, pile, view.counts, view.counts[layouts.PILE], Seat(0))
    return BoardTiles(hands, pile, board, apart, out, [None for _ in hands])


class BoardLayout(Layout):
    """A map grows tile by tile. Each player holds some tiles."""

    name = layouts.BOARD
    needless = ("no-hints",)  # the page shows the points at all places

    def misfit(self, deck: Deck, first: View) -> str:
        """Return a message about the counts or the map that the view lacks; "" if it has all."""
        if first.grid is None:
            return "its view has no grid"
        seats = range(len(first.scores))
        own = [count(seat) for seat in seats for count in (layouts.hand, layouts.front)]
        places = [layouts.PILE, layouts.ON_BOARD, layouts.ASIDE, layouts.OUT]
        return lacking([*places, *own], first.counts)

    def arrange(
        self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions
    ) -> BoardTiles:
        """Return all tiles in their places."""
        return board_of(game, record, seed)


LAYOUT = BoardLayout()
