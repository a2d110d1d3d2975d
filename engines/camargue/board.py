"""The board of Camargue: the tiles that lie in it, the gaps beside them, and the areas they form.

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 4.3" and so on.

A board keeps what every question about a place needs, gaps and areas, and a tile that is added
changes only what lies beside it. So it takes a few microseconds to add one, and to look through
all places for a tile needs no walk over the board.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.camargue.tiles import BITS, NO_LANDSCAPE, Tile, opposite
from engines.common.grid import SIDES, Place
from engines.common.pieces import Piece

START_PLACE = Place(0, 0)


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty place with tiles beside it.

    It *touches* tiles at some of its sides; at those of them that are *open* a path leads here.
    """

    touches: int = 0
    open: int = 0
    beside: tuple[Place, ...] = ()  # where these tiles lie


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile on the board: where, which *piece*, and what it shows as it lies there."""

    place: Place
    piece: Piece
    tile: Tile


@dataclass(frozen=True, slots=True)
class Board:
    """The tiles that lie, in the order in which they were *laid*; the rest follows from that."""

    laid: tuple[Laid, ...] = ()
    tiles: Mapping[Place, Tile] = field(default_factory=dict, compare=False, repr=False)
    gaps: Mapping[Place, Gap] = field(default_factory=dict, compare=False, repr=False)
    areas: Mapping[Place, frozenset[Place]] = field(
        default_factory=dict, compare=False, repr=False
    )  # of each tile with a landscape, all that are connected with it

    @property
    def last(self) -> Place:
        """Where the last tile was laid."""
        return self.laid[-1].place

    def with_tile(self, laid: Laid) -> "Board":
        """This board with one tile more."""
        place, tile = laid.place, laid.tile
        gaps = {at: gap for at, gap in self.gaps.items() if at != place}
        for side in SIDES:
            at, facing = place.beside(side), opposite(BITS[side])
            if at in self.tiles:
                continue
            gap = gaps.get(at, Gap())
            path = facing if tile.paths & BITS[side] else 0
            gaps[at] = Gap(gap.touches | facing, gap.open | path, (*gap.beside, place))
        areas = dict(self.areas)
        if tile.landscape != NO_LANDSCAPE:
            area = self.area(place, tile.landscape)
            areas |= dict.fromkeys(area, area)
        return Board((*self.laid, laid), {**self.tiles, place: tile}, gaps, areas)

    def beside(self, place: Place) -> tuple[Place, ...]:
        """Where tiles lie beside *place*, on which none lies."""
        gap = self.gaps.get(place)
        return () if gap is None else gap.beside

    def area(self, place: Place, landscape: str) -> frozenset[Place]:
        """The area that a tile of *landscape* would be part of at *place*, itself included.

        It joins all areas of that landscape beside it; each counts once (RULES 5.2).
        """
        joined = (
            self.areas[at] for at in self.beside(place) if self.tiles[at].landscape == landscape
        )
        return frozenset((place,)).union(*joined)
