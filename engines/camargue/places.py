"""Where a tile of Camargue may lie, what it scores there, and the way of the controls round them.

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 4.3" and so on.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import atan2

from engines.camargue.board import START_PLACE, Board, Gap, Laid
from engines.camargue.drawing import cell
from engines.camargue.errors import (
    ContinuesNoPath,
    CutsPath,
    NoPlaceForEmergency,
    Occupied,
    TouchesNothing,
)
from engines.camargue.state import State
from engines.camargue.tiles import ALL, EMERGENCY, Tile, letters_of
from engines.common.contract import Offer, PlaceAsk, told
from engines.common.grid import Place
from engines.common.pieces import Piece


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a tile may lie, the *tile* as it would lie there, and what it would score."""

    place: Place
    tile: Tile
    area: int = 0  # tiles
    edges: int = 0

    @property
    def points(self) -> int:
        """Area times edges (RULES 5.1)."""
        return self.area * self.edges


# --- where ---------------------------------------------------------------------------------------


def cut(state: State, gap: Gap, tile: Tile) -> int:
    """The sides of *gap* at which *tile* would cut a path off, or its own is (RULES 4.4)."""
    paths = tile.paths & (gap.touches if state.house.no_dead_ends else gap.open)
    return paths ^ gap.open


def does_fit(state: State, gap: Gap, tile: Tile) -> bool:
    """Whether *tile* continues a path in *gap* and cuts none off (RULES 4.4, 4.5)."""
    return gap.open > 0 and not cut(state, gap, tile)


def in_emergency(state: State, gap: Gap, tile: Tile) -> Tile | None:
    """The emergency *tile*, turned so that it may lie in *gap*; none where it may not.

    Its blank edge lies at the blank edge of the only tile beside it (RULES 7.6).
    """
    if gap.open:
        return None
    ways = tile.turns if state.house.turn_emergency else (tile,)
    return next((way for way in ways if way.paths == ALL - gap.touches), None)


def site(state: State, piece: Piece, place: Place) -> Site | None:
    """What *piece* would do at the gap *place*; none where it may not lie."""
    board, tile = state.board, state.table.box.tiles[piece.kind]
    gap = board.gaps[place]
    if piece.kind == EMERGENCY:
        way = in_emergency(state, gap, tile)
        return None if way is None else Site(place, way)
    if not does_fit(state, gap, tile):
        return None
    return Site(place, tile, len(board.area(place, tile.landscape)), edges(state, gap))


def edges(state: State, gap: Gap) -> int:
    """How many edges count in *gap*: those at tiles of whatever landscape (RULES 5.3)."""
    return len(gap.beside) - (START_PLACE in gap.beside and not state.house.start_counts)


def sites(state: State, piece: Piece) -> list[Site]:
    """Every place where *piece* may lie."""
    found = (site(state, piece, place) for place in state.board.gaps)
    return [where for where in found if where is not None]


def fitting(state: State, kinds: Collection[str]) -> frozenset[str]:
    """Those of *kinds*, all of them landscape tiles, that fit somewhere."""
    gaps, tiles = state.board.gaps.values(), state.table.box.tiles
    by_paths: dict[int, bool] = {}  # whatever the landscape
    for tile in map(tiles.__getitem__, kinds):
        if tile.paths not in by_paths:
            by_paths[tile.paths] = any(does_fit(state, gap, tile) for gap in gaps)
    return frozenset(kind for kind in kinds if by_paths[tiles[kind].paths])


def checked(state: State, piece: Piece, place: Place) -> Site:
    """Return what *piece* does at *place*, when it may lie there.

    Raises:
        Occupied, TouchesNothing, CutsPath, ContinuesNoPath, NoPlaceForEmergency: it may not.
    """
    if place in state.board.tiles:
        raise Occupied
    gap = state.board.gaps.get(place)
    if gap is None:
        raise TouchesNothing
    found = site(state, piece, place)
    if found is not None:
        return found
    if piece.kind == EMERGENCY:
        raise NoPlaceForEmergency
    sides = cut(state, gap, state.table.box.tiles[piece.kind])
    raise CutsPath(side=letters_of(sides)[0]) if sides else ContinuesNoPath


# --- the way of the controls ---------------------------------------------------------------------


def place_ask(state: State, piece: Piece) -> PlaceAsk:
    """Ask where *piece* goes: round the board, with what is likely in the middle (RULES 4.7).

    The list of the controls has ends, so from its middle every place is half of it away at most.
    """
    walk = walked(state.board, sites(state, piece))
    start = len(walk) // 2
    ahead = walk.index(likely(state, walk)) - start
    return PlaceAsk(tuple(offer(piece, where) for where in walk[ahead:] + walk[:ahead]), start)


def walked(board: Board, found: Iterable[Site]) -> list[Site]:
    """*found* in the order of a clockwise walk round the middle of *board*."""
    n = len(board.tiles)
    column, row = sum(at.column for at in board.tiles), sum(at.row for at in board.tiles)

    def bearing(where: Site) -> tuple[float, int]:
        right, down = n * where.place.column - column, n * where.place.row - row
        return atan2(down, right), right * right + down * down

    return sorted(found, key=bearing)


def likely(state: State, choice: Iterable[Site]) -> Site:
    """The site where the controls begin: the best, of equals the nearest (RULES 4.7).

    At a table without hints it is the nearest (RULES 4.8).
    """

    def value(where: Site) -> tuple[int, int]:
        points = 0 if state.house.no_hints else where.points
        return points, -distance(where.place, state.board.last)

    return max(choice, key=value)


def distance(place: Place, other: Place) -> int:
    """How many steps from side to side it is from *place* to *other*."""
    return abs(place.column - other.column) + abs(place.row - other.row)


def offer(piece: Piece, where: Site) -> Offer:
    """What the table shows of *piece* at *where*."""
    drawn = cell(Laid(where.place, piece, where.tile))
    if not where.area:
        blank = told("caption.blank", side=letters_of(ALL - where.tile.paths))
        return Offer(where.place, "0", blank, told("spoken.blank", **blank.facts), drawn)
    facts = {"tiles": where.area, "edges": where.edges}
    spoken = told("spoken.area", **facts, n=where.points)
    return Offer(where.place, str(where.points), told("caption.area", **facts), spoken, drawn)
