"""The places where a tile may be laid, their scores, and their order for the controls.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 4.3" and so on.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2

from engines.camargue.board import START_PLACE, Gap, LaidTile, TileBoard, cut_paths
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
from engines.common.contract import Message, Offer, PlaceAsk, message
from engines.common.grid import Place
from engines.common.pieces import Piece


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a tile fits, the *tile* as it would be turned there, and its score."""

    place: Place
    tile: Tile
    area: int = 0  # number of tiles in its area
    edges: int = 0  # number of its edges at other tiles

    @property
    def points(self) -> int:
        """The score: area times edges (RULES 5.1)."""
        return self.area * self.edges


# --- legal places --------------------------------------------------------------------------------


def cut_sides(state: State, gap: Gap, tile: Tile) -> int:
    """Return the sides of *gap* at which *tile* would cut off a path (RULES 4.4)."""
    return cut_paths(tile.paths, gap.touches if state.house.no_dead_ends else gap.open, gap.open)


def does_fit(gap: Gap, tile: Tile) -> bool:
    """Return True if *tile* would continue a path in *gap* and cut none off (RULES 4.4, 4.5)."""
    return bool(gap.fits >> tile.paths & 1)


def fit_emergency(state: State, gap: Gap, tile: Tile) -> Tile | None:
    """Return the emergency *tile* turned to fit in *gap*, or None if it cannot.

    Its edge without a path must meet an edge without a path of the only tile beside *gap*
    (RULES 7.6).
    """
    if gap.open:
        return None
    ways = tile.turns if state.house.turn_emergency else (tile,)
    return next((way for way in ways if way.paths == ALL - gap.touches), None)


def site(state: State, piece: Piece, place: Place) -> Site | None:
    """Return the Site (turned tile and score) of *piece* at *place*, or None if it does not fit.

    *place* must be a gap of the board.
    """
    board, tile = state.board, state.config.box.tiles[piece.kind]
    gap = board.gaps[place]
    if piece.kind == EMERGENCY:
        way = fit_emergency(state, gap, tile)
        return None if way is None else Site(place, way)
    if not does_fit(gap, tile):
        return None
    return scored_site(state, tile, place)


def scored_site(state: State, tile: Tile, place: Place) -> Site:
    """Return the Site of the landscape *tile* at *place*, where it fits."""
    board = state.board
    return Site(place, tile, board.size(place, tile.landscape), edges(state, board.gaps[place]))


def edges(state: State, gap: Gap) -> int:
    """Return the number of edges that count for a tile in *gap* (RULES 5.3)."""
    return len(gap.beside) - (START_PLACE in gap.beside and not state.house.start_counts)


def sites(state: State, piece: Piece) -> list[Site]:
    """Return a Site (turned tile and score) for every place where *piece* fits."""
    if piece.kind == EMERGENCY:
        found = (site(state, piece, place) for place in state.board.gaps)
        return [where for where in found if where is not None]
    tile, gaps = state.config.box.tiles[piece.kind], state.board.gaps.items()
    return [scored_site(state, tile, place) for place, gap in gaps if does_fit(gap, tile)]


def fitting(state: State, kinds: Collection[str]) -> frozenset[str]:
    """Return the kinds among *kinds* that fit somewhere on the board.

    All of *kinds* must be kinds of landscape tile.
    """
    tiles, fits = state.config.box.tiles, state.board.fits
    return frozenset([kind for kind in kinds if fits >> tiles[kind].paths & 1])


def legal_site(state: State, piece: Piece, place: Place) -> Site:
    """Return the Site (turned tile and score) of *piece* at *place*.

    Raises:
        Occupied, TouchesNothing, CutsPath, ContinuesNoPath, NoPlaceForEmergency: it does not fit.
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
    sides = cut_sides(state, gap, state.config.box.tiles[piece.kind])
    raise CutsPath(side=letters_of(sides)[0]) if sides else ContinuesNoPath


# --- places in the order of the controls ---------------------------------------------------------


def place_ask(state: State, piece: Piece) -> PlaceAsk:
    """Return a request for a place for *piece*, with the cursor on the likeliest place (RULES 4.7).

    The encoder stops at both ends of the list. So the list is rotated until the likeliest place is
    in its middle: then no other place is more than half the list away.
    """
    walk = clockwise_walk(state.board, sites(state, piece))
    start = len(walk) // 2
    ahead = walk.index(likely(state, walk)) - start
    return PlaceAsk(tuple(offer(piece, where) for where in walk[ahead:] + walk[:ahead]), start)


def clockwise_walk(board: TileBoard, found: Iterable[Site]) -> list[Site]:
    """Return *found* sorted clockwise round the centre of *board*."""
    n = len(board.tiles)
    column, row = map(sum, zip(*board.tiles, strict=True))

    def bearing(where: Site) -> tuple[float, int]:
        right, down = n * where.place.column - column, n * where.place.row - row
        return atan2(down, right), right * right + down * down

    return sorted(found, key=bearing)


def likely(state: State, choice: Sequence[Site]) -> Site:
    """Return the site in *choice* that is selected when the players begin to choose (RULES 4.7).

    That is the site with the most points. If several have the most, it is the one nearest to the
    tile laid last. By the house rule ``no-hints``, points do not matter (RULES 4.8).
    """
    most = max(where.points for where in choice)
    best = [where for where in choice if state.house.no_hints or where.points == most]
    return min(best, key=lambda where: distance(where.place, state.board.last))


def distance(place: Place, other: Place) -> int:
    """Return the number of steps up, down, left or right from *place* to *other*."""
    return abs(place.column - other.column) + abs(place.row - other.row)


def offer(piece: Piece, where: Site) -> Offer:
    """Return the offer to lay *piece* at *where*, with the texts to show for it."""
    drawn = cell(LaidTile(where.place, piece, where.tile))
    if not where.area:
        blank = message("caption.blank", side=letters_of(ALL - where.tile.paths))
        return Offer(where.place, "0", blank, message("spoken.blank", **blank.facts), drawn)
    return Offer(where.place, *score_texts(where.area, where.edges), drawn)


@lru_cache(maxsize=1024)
def score_texts(area: int, edges: int) -> tuple[str, Message, Message]:
    """Return the points of an offer, its caption, and what the voice says."""
    facts, points = {"tiles": area, "edges": edges}, area * edges
    spoken = message("spoken.area", **facts, n=points)
    return str(points), message("caption.area", **facts), spoken
