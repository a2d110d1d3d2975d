"""The board of Camargue: its tiles, the gaps beside them, and the areas that they form.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 4.3" and so on.

A board stores its gaps and areas, so that the places for a tile are found without a walk over the
whole board. Adding a tile updates only the neighbours of that tile and takes a few microseconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.camargue.tiles import BITS, NO_LANDSCAPE, Tile, opposite
from engines.common.grid import SIDES, Place
from engines.common.pieces import Piece

START_PLACE = Place(0, 0)


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty place beside at least one tile."""

    touches: int = 0  # the sides at which there is a tile, as a set of BITS
    open: int = 0  # the sides at which a neighbour's path leads to the gap, as a set of BITS
    beside: tuple[Place, ...] = ()  # the places of the tiles beside it


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A *piece* on the board. *tile* is the print on it, after the quarter turns of the piece."""

    place: Place
    piece: Piece
    tile: Tile


@dataclass(frozen=True, slots=True)
class TileBoard:
    """The board: the tiles in the order in which they were *laid*.

    *tiles*, *gaps* and *areas* are derived from them.
    """

    laid: tuple[LaidTile, ...] = ()
    tiles: Mapping[Place, Tile] = field(default_factory=dict, compare=False, repr=False)
    gaps: Mapping[Place, Gap] = field(default_factory=dict, compare=False, repr=False)
    areas: Mapping[Place, frozenset[Place]] = field(
        default_factory=dict, compare=False, repr=False
    )  # the area of each tile with a landscape, as the places of its tiles

    @property
    def last(self) -> Place:
        """The place of the tile that was laid last."""
        return self.laid[-1].place

    def with_tile(self, laid: LaidTile) -> "TileBoard":
        """Return a new board with *laid* added."""
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
        return TileBoard((*self.laid, laid), {**self.tiles, place: tile}, gaps, areas)

    def beside(self, place: Place) -> tuple[Place, ...]:
        """Return the places of the tiles that share an edge with *place*, which must be empty."""
        gap = self.gaps.get(place)
        return () if gap is None else gap.beside

    def area(self, place: Place, landscape: str) -> frozenset[Place]:
        """Return the area that a tile of *landscape* at *place* would belong to, *place* included.

        The tile joins all areas of its landscape beside it (RULES 5.2).
        """
        joined = (
            self.areas[at] for at in self.beside(place) if self.tiles[at].landscape == landscape
        )
        return frozenset((place,)).union(*joined)
