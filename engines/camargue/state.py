"""A game of Camargue as the mat knows it: the board, and how many tiles everybody holds.

Room: engines/camargue. Values; ``rules`` moves from one to the next.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from dataclasses import dataclass, field
from enum import Enum

from engines.camargue.board import Board
from engines.camargue.house import HouseRules
from engines.camargue.tiles import Box
from engines.common.contract import Seat
from engines.common.pieces import Deck, Piece


class Phase(Enum):
    """What the table is doing; the value is the code a view shows."""

    PLAY = "play"
    PLACE = "place"  # a tile was tapped; where does it go?
    WHOSE = "whose"  # a helper was tapped; whose is it?
    COPY_OR_TURN = "copy-or-turn"  # a helper of who is to play, who could do either with it
    CLAIM = "claim"  # nothing fits, somebody says: tile after tile is shown
    EMERGENCY = "emergency"  # and it is true
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same from the first tile to the last."""

    deck: Deck = field(hash=False, repr=False)
    box: Box = field(hash=False, repr=False)
    drawable: frozenset[Piece] = field(hash=False, repr=False)  # landscape tiles and helpers
    emergencies: frozenset[Piece] = field(hash=False, repr=False)
    seats: int
    dealer: Seat
    out: int  # of the drawable ones, so many lie in the box unseen. RULES 2.4
    house: HouseRules

    def seats_after(self, seat: Seat) -> list[Seat]:
        """All seats clockwise, *seat* itself last."""
        return [Seat((seat + n) % self.seats) for n in range(1, self.seats + 1)]


@dataclass(frozen=True, slots=True)
class Scored:
    """A landscape tile that *seat* has just placed, whose points others may copy (RULES 6.3)."""

    seat: Seat
    landscape: str
    points: int


@dataclass(frozen=True, slots=True)
class Made:
    """The play just made: *code* is that of its caption, *n* the points that it scored.

    A landscape tile scored them with so many *tiles* and *edges*.
    """

    code: str
    n: int = 0
    tiles: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A game of Camargue."""

    table: Table
    board: Board
    turn: Seat
    hands: tuple[int, ...]  # tiles held, by seat
    pile: int  # tiles left to draw
    scores: tuple[int, ...]  # by seat
    fronts: tuple[Piece | None, ...]  # the helper in front of each seat
    played: frozenset[Piece] = frozenset()  # tiles on the board, helpers in front and put aside
    phase: Phase = Phase.PLAY
    made: Made = Made("begin")
    scored: Scored | None = None  # until the next player acts. RULES 6.4
    waiting: Piece | None = None  # tapped, and not played before something is said about it
    shown: frozenset[Piece] = frozenset()  # tiles of a claim, so far
    passes: int = 0  # in a row. RULES 8.4

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.table.house

    @property
    def front(self) -> Piece | None:
        """The helper in front of who is to play."""
        return self.fronts[self.turn]

    @property
    def unseen(self) -> frozenset[Piece]:
        """The tiles and helpers that can still be in a hand, as far as the mat has seen."""
        return self.table.drawable - self.played

    @property
    def to_show(self) -> int:
        """How many tiles of a claim are still to be shown."""
        return self.hands[self.turn] - len(self.shown)

    @property
    def spare(self) -> frozenset[Piece]:
        """The emergency tiles that are left."""
        return self.table.emergencies - self.played

    @property
    def aside(self) -> int:
        """How many helpers lie beside the board."""
        helpers = sum(piece.kind in self.table.box.helpers for piece in self.played)
        return helpers - sum(front is not None for front in self.fronts)
