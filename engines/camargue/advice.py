"""Advice on the next tile: the one with which the player can score the most points now.

It follows the robots' style "greedy" (``sim.robots.camargue.styles``). By the house rule
``no-hints``, points do not matter (RULES 4.8), so there is no advice.
May import: the standard library and engines.common, engines.camargue.
May be imported by: engines.camargue only, and tests.
"""

from collections.abc import Iterator, Mapping

from engines.camargue.places import does_fit, edges
from engines.camargue.rules import HELPER_POINTS, does_match, kinds_left, may_copy
from engines.camargue.state import Phase, State
from engines.camargue.tiles import Tile


def advice(state: State) -> Mapping[str, float]:
    """Return the points that the current player can score with each kind that may be in a hand."""
    if state.phase is not Phase.PLAY or state.front is not None or state.house.no_hints:
        return {}
    landscapes, helpers = kinds_left(state)
    best: dict[str, float] = {kind: _helper_points(state, kind) for kind in helpers}
    tiles = {kind: state.config.box.tiles[kind] for kind in landscapes}
    for points in _points_by_gap(state, frozenset(tiles.values())):
        for kind, tile in tiles.items():
            if tile in points:
                best[kind] = max(best.get(kind, 0), points[tile])
    return best


def _points_by_gap(state: State, tiles: frozenset[Tile]) -> Iterator[Mapping[Tile, int]]:
    """Yield for each gap of the board the points of each of *tiles* that fits there."""
    board = state.board
    for place, gap in board.gaps.items():
        fitting = [tile for tile in tiles if does_fit(gap, tile)]
        areas = {each: len(board.area(place, each)) for each in {t.landscape for t in fitting}}
        n = edges(state, gap)
        yield {tile: areas[tile.landscape] * n for tile in fitting}


def _helper_points(state: State, kind: str) -> int:
    """Return the points that the current player can copy with a helper, or gets for discarding."""
    if state.scored is None or state.turn not in may_copy(state) or not does_match(state, kind):
        return HELPER_POINTS
    return max(HELPER_POINTS, state.scored.points)
