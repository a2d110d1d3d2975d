"""The state of a game of Camargue: the board, and the number of tiles in each hand.

``rules`` makes each state from the one before.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engines.camargue.board import TileBoard
from engines.camargue.house import HouseRules
from engines.camargue.tiles import Prints
from engines.common.contract import Seat
from engines.common.pieces import Piece
from engines.common.setup import GameConfig


class Phase(StrEnum):
    """The phases of a game. Each value is used as ``View.phase``."""

    PLAY = "play"
    PLACE = "place"  # where is the tapped tile laid?
    WHOSE = "whose"  # whose is the tapped helper?
    COPY_OR_TURN = "copy-or-turn"  # how does the current player use the helper?
    CLAIM = "claim"  # a player who claims that nothing fits shows the hand, tile by tile
    EMERGENCY = "emergency"  # the claim was right: the player takes an emergency tile
    OVER = "over"


@dataclass(frozen=True, slots=True)
class CamargueConfig(GameConfig):
    """The settings of a game, which stay the same until its end."""

    box: Prints = field(hash=False, repr=False)
    drawable: Mapping[str, frozenset[Piece]] = field(
        hash=False, repr=False
    )  # landscape tiles and helpers by kind
    emergencies: frozenset[Piece] = field(hash=False, repr=False)
    dealer: Seat
    out: int  # drawable tiles that stay in the box, face down. RULES 2.4
    house: HouseRules


@dataclass(frozen=True, slots=True)
class PlayedPieces:
    """The *pieces* that were played: on the board, in front of players, or put aside.

    *landscapes* and *helpers* are the kinds of which others are left, which can be in a hand.
    """

    pieces: frozenset[Piece]
    landscapes: frozenset[str] = field(compare=False, repr=False)
    helpers: frozenset[str] = field(compare=False, repr=False)

    def with_piece(self, piece: Piece, config: CamargueConfig) -> "PlayedPieces":
        """Return the same after *piece* was played, too."""
        pieces, kind = self.pieces | {piece}, piece.kind
        if not config.drawable.get(kind, pieces) <= pieces:
            return PlayedPieces(pieces, self.landscapes, self.helpers)
        return PlayedPieces(pieces, self.landscapes - {kind}, self.helpers - {kind})


@dataclass(frozen=True, slots=True)
class CopyablePlay:
    """The tile that *seat* has just placed. Other players may copy its *points* (RULES 6.3)."""

    seat: Seat
    landscape: str
    points: int


@dataclass(frozen=True, slots=True)
class LastPlay:
    """The last play, for the headline: *n* points, with the text ``caption.<code>``.

    For a landscape tile, *n* is *tiles*, the size of its area, times *edges*.
    """

    code: str
    n: int = 0
    tiles: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game of Camargue: everything that the mat knows."""

    config: CamargueConfig
    board: TileBoard
    turn: Seat
    hands: tuple[int, ...]  # tiles held, by seat
    pile: int  # tiles left to draw
    scores: tuple[int, ...]  # by seat
    fronts: tuple[Piece | None, ...]  # the helper in front of each seat
    played: PlayedPieces
    phase: Phase = Phase.PLAY
    made: LastPlay = LastPlay("begin")  # the last play
    scored: CopyablePlay | None = (
        None  # points that may be copied until the next player acts. RULES 6.4
    )
    waiting: Piece | None = None  # a tile or helper that counts only after a question is answered
    shown: frozenset[Piece] = frozenset()  # tiles shown so far in a claim
    known: frozenset[Piece] = frozenset()  # the current player's hand, if it was shown. RULES 7.9
    passes: int = 0  # turns in a row that ended without a play. RULES 8.4

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.config.house

    @property
    def front(self) -> Piece | None:
        """The helper in front of the current player, or None."""
        return self.fronts[self.turn]

    @property
    def to_show(self) -> int:
        """The number of tiles that the current player still has to show in a claim."""
        return self.hands[self.turn] - len(self.shown)

    @property
    def spare(self) -> frozenset[Piece]:
        """The emergency tiles that were not played yet."""
        return self.config.emergencies - self.played.pieces

    @property
    def aside(self) -> int:
        """The number of helpers that were put aside."""
        helpers = sum(piece.kind in self.config.box.helpers for piece in self.played.pieces)
        return helpers - sum(front is not None for front in self.fronts)
