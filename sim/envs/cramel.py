"""Cramel as an environment."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engines.common.contract import Button, Press, Tap
from sim.envs.world import Hiding, ObservationPart, World, index_by_name, tap
from sim.robots.contract import RobotAct, Robots
from sim.robots.cramel.adapter import ROBOTS, Cramel
from sim.robots.cramel.books import BOX, SQUARE, STOP, kind_of

KINDS = tuple(BOX)
KIND = index_by_name(KINDS)
# The numbers of a cell; SEEN and the kind's index, if all have seen the tile.
EMPTY, UNSEEN, SEEN = 0, 1, 2
ACTION = index_by_name((*(f"cell-{cell}" for cell in range(SQUARE)), STOP))


class CramelWorld(World):
    """A game of Cramel. Chance decides to which free cell a Bloom moves.

    The observation has a perfect memory: it names each tile that has been face up.
    """

    game = "cramel"
    robots: ClassVar[Robots] = ROBOTS
    books: Cramel

    @classmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the cells of the square, row by row, and the stop."""
        return ACTION

    @classmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts, all of which lie open."""
        return (
            ObservationPart(
                "square", SQUARE, SEEN + len(KINDS) - 1
            ),  # EMPTY, UNSEEN, or SEEN and the kind
            ObservationPart("open-cells", SQUARE, 1),
            ObservationPart("open", len(KINDS), max(BOX.values())),  # tiles by kind
            ObservationPart(
                "left", len(KINDS), max(BOX.values())
            ),  # tiles by kind, face up or down
            ObservationPart("tiles", players, SQUARE),
            ObservationPart("cramels", players, SQUARE),
            ObservationPart("turn", players, 1),
        )

    def observation(self, seat: int) -> list[int]:
        """Return what the player at *seat* may know."""
        books = self.books.books
        square, is_open = [EMPTY] * SQUARE, [0] * SQUARE
        left, open_kinds = [0] * len(KINDS), [0] * len(KINDS)
        for tile, cell in books.place.items():
            kind = KIND[kind_of(tile)]
            left[kind] += 1
            square[cell] = SEEN + kind if tile in books.seen else UNSEEN
        for tile in books.open:
            is_open[books.place[tile]] = 1
            open_kinds[KIND[kind_of(tile)]] += 1
        seen = [*square, *is_open, *open_kinds, *left]
        seen += self.clockwise(seat, books.totals())
        seen += self.clockwise(seat, books.cramels())
        seen += self.at(seat, (books.turn,))
        return seen

    def moves(self) -> Mapping[int, str]:
        """Return the cells with a tile face down, and the stop if a tile is face up."""
        books = self.books.books
        moves = {cell: tile for tile, cell in books.place.items() if tile not in books.open}
        if books.open:
            moves[ACTION[STOP]] = STOP
        return dict(sorted(moves.items()))

    def do(self, move: str) -> None:
        """Turn over a tile, or stop."""
        is_stop = move == STOP
        seat = self.books.books.turn
        self.take(RobotAct(seat, Press(Button.ACTION)) if is_stop else tap(seat, move))

    def formality(self) -> RobotAct | None:
        """Return None: every act is a choice."""
        return None

    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that *act* amounts to."""
        if not isinstance(act.given, Tap):
            return STOP
        return f"cell-{self.books.books.place[str(act.given.piece)]}"

    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return the cells of the tiles that nobody has seen."""
        books = self.books.books
        return [[(books.place, tile) for tile in books.place if tile not in books.seen]]
