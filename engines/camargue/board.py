"""The board of Camargue: its tiles, the gaps beside them, and the areas that they form.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 4.3" and so on.

A board stores its gaps and areas, so that the places for a tile are found without a walk over the
whole board. Adding a tile updates only the neighbours of that tile and takes a few microseconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.camargue.tiles import ALL, BITS, NO_LANDSCAPE, Tile, opposite
from engines.common.grid import SIDES, Place
from engines.common.pieces import Piece

START_PLACE = Place(0, 0)
FACING = tuple((BITS[side], opposite(BITS[side])) for side in SIDES)  # each side, and its opposite


def cut_paths(paths: int, compared: int, is_open: int) -> int:
    """Return the sides at which a tile with *paths* would cut off a path (RULES 4.4).

    *compared* are the sides at which paths must meet, *is_open* those with a path beside them.
    """
    return (paths & compared) ^ is_open


def fitting_paths(compared: int, is_open: int) -> int:
    """Return the sets of paths that continue a path and cut none off (RULES 4.4, 4.5).

    The arguments are those of ``cut_paths``. Bit n is set if the set of sides n fits.
    """
    sets = range(ALL + 1) if is_open else ()
    return sum(1 << paths for paths in sets if not cut_paths(paths, compared, is_open))


# The sets of paths that fit in a gap, by the sides compared and those with a path.
FITTING = tuple(
    tuple(fitting_paths(compared, is_open) for is_open in range(ALL + 1))
    for compared in range(ALL + 1)
)


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty place beside at least one tile."""

    touches: int = 0  # the sides at which there is a tile, as a set of BITS
    open: int = 0  # the sides at which a neighbour's path leads to the gap, as a set of BITS
    beside: tuple[Place, ...] = ()  # the places of the tiles beside it
    fits: int = 0  # the sets of paths that fit there, as in ``fitting_paths``


NO_GAP = Gap()


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A *piece* on the board. *tile* is the print on it, after the quarter turns of the piece."""

    place: Place
    piece: Piece
    tile: Tile


@dataclass(frozen=True, slots=True)
class TileBoard:
    """The board: the tiles in the order in which they were *laid*.

    *tiles*, *gaps*, *areas* and *fits* are derived from them. With *no_dead_ends*, a tile may have
    no path that ends at a tile beside it (RULES 4.4).
    """

    no_dead_ends: bool
    laid: tuple[LaidTile, ...] = ()
    tiles: Mapping[Place, Tile] = field(default_factory=dict, compare=False, repr=False)
    gaps: Mapping[Place, Gap] = field(default_factory=dict, compare=False, repr=False)
    areas: Mapping[Place, frozenset[Place]] = field(
        default_factory=dict, compare=False, repr=False
    )  # the area of each tile with a landscape, as the places of its tiles
    fits: int = field(default=0, compare=False, repr=False)  # those of all gaps together

    @property
    def last(self) -> Place:
        """The place of the tile that was laid last."""
        return self.laid[-1].place

    def with_tile(self, laid: LaidTile) -> "TileBoard":
        """Return a new board with *laid* added."""
        place, tile = laid.place, laid.tile
        gaps = {**self.gaps}
        gaps.pop(place, None)
        for at, (side, facing) in zip(place.neighbours, FACING, strict=True):
            if at in self.tiles:
                continue
            gap = gaps.get(at, NO_GAP)
            touches, is_open = gap.touches | facing, gap.open
            if tile.paths & side:
                is_open |= facing
            fits = FITTING[touches if self.no_dead_ends else is_open][is_open]
            gaps[at] = Gap(touches, is_open, (*gap.beside, place), fits)
        areas = dict(self.areas)
        if tile.landscape != NO_LANDSCAPE:
            area = self.area(place, tile.landscape)
            areas |= dict.fromkeys(area, area)
        fits = 0
        for gap in gaps.values():
            fits |= gap.fits
        laid_tiles, tiles = (*self.laid, laid), {**self.tiles, place: tile}
        return TileBoard(self.no_dead_ends, laid_tiles, tiles, gaps, areas, fits)

    def beside(self, place: Place) -> tuple[Place, ...]:
        """Return the places of the tiles that share an edge with *place*, which must be empty."""
        gap = self.gaps.get(place)
        return () if gap is None else gap.beside

    def area(self, place: Place, landscape: str) -> frozenset[Place]:
        """Return the area that a tile of *landscape* at *place* would belong to, *place* included.

        The tile joins all areas of its landscape beside it (RULES 5.2).
        """
        return frozenset((place,)).union(*self._areas_beside(place, landscape))

    def size(self, place: Place, landscape: str) -> int:
        """Return the number of tiles in that area."""
        return 1 + sum(map(len, self._areas_beside(place, landscape)))

    def _areas_beside(self, place: Place, landscape: str) -> set[frozenset[Place]]:
        """Return the areas of *landscape* beside *place*."""
        tiles, beside = self.tiles, self.beside(place)
        return {self.areas[at] for at in beside if tiles[at].landscape == landscape}
