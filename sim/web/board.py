"""A board that grows, and the tiles round it: in hands, on the pile, before players, put aside.

Room: sim/web. It knows no rules. Where every tile is follows from the shuffle, the taps in the
journal and the referee's counts (decision 0007), which for such a game are ``hand-N``,
``front-N``, ``pile``, ``board``, ``removed`` and ``out``. Not as with cards, a tile that is tapped
stays in its hand until it is counted elsewhere: it still looks for its place, or is only shown.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from random import Random
from typing import Any

from engines.common.contract import (
    Ask,
    Game,
    PlaceAsk,
    PlaceChoice,
    PressAsk,
    Seat,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import NotExpectedNow, RulesError
from engines.common.grid import Grid, Place
from engines.common.pieces import Piece
from firmware.journal import GameRecord
from firmware.maps import overview
from sim.robots.seam import Placed
from sim.web.dealer import Act, acts_of, begun, draw, mixed

PILE, BOARD, ASIDE, OUT = "pile", "board", "removed", "out"


@dataclass(slots=True)
class BoardTiles:
    """Where every tile is. Those *apart* are counted by the name of their kind, and never drawn."""

    hands: list[list[Piece]]
    pile: list[Piece]  # the top one last
    board: list[Piece]
    apart: list[Piece]
    out: list[Piece]  # in the box; nobody has seen them
    fronts: list[Piece | None]
    aside: list[Piece] = field(default_factory=list)
    tapped: Piece | None = None  # last, and still where it was
    shown: list[Piece] = field(default_factory=list)  # one after the other, and kept
    placed: Placed | None = None  # on the board, the last one, until the next turn is over
    asks: tuple[Ask, ...] = ()  # what the referee waits for

    @property
    def waiting(self) -> Piece | None:
        """The tile of which the referee asks what becomes of it."""
        return None if any(isinstance(ask, TapAsk | PressAsk) for ask in self.asks) else self.tapped

    @property
    def points(self) -> Mapping[Place, str]:
        """What the referee says of each place that it offers for that tile."""
        offers = (offer for ask in self.asks if isinstance(ask, PlaceAsk) for offer in ask.offers)
        return {at.place: at.headline for at in offers if isinstance(at.headline, str)}

    def others(self, turn: Seat | None) -> tuple[Seat, ...]:
        """Who may tap a tile though it is the *turn* of somebody else."""
        asked = {seat for ask in self.asks if isinstance(ask, TapAsk) for seat in ask.seats}
        return tuple(sorted(asked - {turn}))

    def follow(self, act: Act) -> None:
        """Move what *act* moved."""
        before, after = act.before.counts, act.after.counts
        if isinstance(act.given, Tap):
            self.tapped = act.given.piece
        self._note_placed(act)
        self._put_aside(after)
        self._lay({name for name in after if after[name] > before[name]}, after)
        if act.after.phase != act.before.phase:
            self.shown = []
        elif isinstance(act.given, Tap) and self.tapped is not None:
            self.shown.append(self.tapped)
        draw(self.hands, self.pile, after, after[PILE], act.before.turn or Seat(0))

    def _note_placed(self, act: Act) -> None:
        """Of the tile that *act* put on the board, whose it was and what it scored."""
        before, after = act.before, act.after
        if after.turn != before.turn:
            self.placed = None
        if self.tapped is not None and after.counts[BOARD] > before.counts[BOARD]:
            seat = before.turn or Seat(0)
            points = after.scores[seat] - before.scores[seat]
            self.placed = Placed(seat, str(self.tapped), points)

    def _put_aside(self, after: Mapping[str, int]) -> None:
        """What is no longer counted in front of its player lies with what was put aside."""
        for seat, front in enumerate(self.fronts):
            if front is not None and not after[_front(seat)]:
                self.fronts[seat] = None
                self.aside.append(front)

    def _lay(self, grown: Collection[str], after: Mapping[str, int]) -> None:
        """The tile tapped last lies where the referee counts one more than there is, if it does."""
        front = next((seat for seat in range(len(self.fronts)) if _front(seat) in grown), None)
        if self.tapped is None:
            return
        if front is not None:
            self._take(self.tapped)
            self.fronts[front], self.tapped = self.tapped, None
            return
        for name, place in ((BOARD, self.board), (ASIDE, self.aside)):
            if self.tapped is not None and name in grown and after[name] > len(place):
                self._take(self.tapped)
                place.append(self.tapped)
                self.tapped = None

    def _take(self, piece: Piece) -> None:
        """Take *piece* up, whoever has it."""
        for place in (*self.hands, self.pile, self.apart, self.out):
            if piece in place:
                place.remove(piece)


def _front(seat: int) -> str:
    return f"front-{seat + 1}"


def has_board(view: View) -> bool:
    """Whether the virtual deck follows a game that is viewed so, as tiles round a board."""
    return view.grid is not None and PILE in view.counts


def board_of(game: Game[Any], record: GameRecord, seed: int) -> BoardTiles:
    """Where the tiles of the game in *record* are, if they were shuffled with *seed*."""
    first, acts = acts_of(game, record)
    tiles = _dealt(first, mixed(record.start.deck, Random(seed)))
    for act in acts:
        tiles.follow(act)
    state = acts[-1].step.state if acts else begun(game, record.start)
    tiles.asks = game.asks(state)
    return tiles


def _dealt(view: View, pieces: list[Piece]) -> BoardTiles:
    """*pieces* dealt for a game that begins with *view*."""
    cells = () if view.grid is None else view.grid.cells
    board = [cell.piece for cell in cells if cell.piece is not None]
    apart = sorted(piece for piece in pieces if piece.kind in view.counts)
    pile = [piece for piece in pieces if piece not in board and piece not in apart]
    out = [pile.pop(0) for _ in range(view.counts[OUT])]
    hands: list[list[Piece]] = [[] for _ in view.scores]
    draw(hands, pile, view.counts, view.counts[PILE], Seat(0))
    return BoardTiles(hands, pile, board, apart, out, [None for _ in hands])


def refused_at(game: Game[Any], record: GameRecord, place: Place) -> RulesError | None:
    """Why the rules refuse *place*, when they ask for one; none where they only want another act.

    The controls go through legal places alone, so the referee is never told of any other.
    """
    _, acts = acts_of(game, record)
    state = acts[-1].step.state if acts else begun(game, record.start)
    try:
        game.step(state, PlaceChoice(place))
    except NotExpectedNow:
        return None
    except RulesError as error:
        return error
    return None


# --- what pages are told --------------------------------------------------------------------------


def board_shown(
    prefix: str, tiles: BoardTiles, face_up: Collection[int], turn: Seat | None
) -> dict[str, Any]:
    """*tiles* as JSON values, with the hands of these seats *face_up*; the map is the view's."""

    def tag(piece: Piece | None) -> str | None:
        return None if piece is None else f"{prefix}{piece}"

    return {
        "pile": len(tiles.pile),
        "hands": [
            [tag(piece) if holder in face_up else None for piece in hand]
            for holder, hand in enumerate(tiles.hands)
        ],
        "fronts": [tag(piece) for piece in tiles.fronts],
        "apart": [tag(piece) for piece in tiles.apart],
        "laid": [tag(piece) for piece in tiles.aside],
        "out": len(tiles.out),
        "waiting": tag(tiles.waiting),
        "shown": [tag(piece) for piece in tiles.shown],
        "others": list(tiles.others(turn)),
        "points": [[at.column, at.row, points] for at, points in tiles.points.items()],
    }


def picture_of(grid: Grid) -> bytes:
    """The whole map as a PNG picture, drawn as the display draws its parts."""
    png = BytesIO()
    overview(grid).save(png, "PNG")
    return png.getvalue()
