"""The map of the board of Camargue, drawn cell by cell.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from engines.camargue.board import LaidTile, TileBoard
from engines.camargue.tiles import EMERGENCY, letters_of
from engines.common.grid import Cell, Grid, Place

# Drawings of five by five dots, one for each landscape; the start tile has none.
ICONS: dict[str, tuple[str, ...]] = {
    "forest": (  # a fir
        "..#..",
        ".###.",
        "#####",
        "..#..",
        "..#..",
    ),
    "grain": (  # an ear
        "#.#.#",
        "#.#.#",
        ".###.",
        "..#..",
        "..#..",
    ),
    "lavender": (  # a flower
        ".#.#.",
        "##.##",
        "..#..",
        "##.##",
        ".#.#.",
    ),
    "village": (  # a house
        "..#..",
        ".#.#.",
        "#####",
        "#...#",
        "#####",
    ),
    "water": (  # waves
        ".#.#.",
        "#.#.#",
        ".....",
        ".#.#.",
        "#.#.#",
    ),
}
EMERGENCY_MARK = "!"


def grid(board: TileBoard, lit: Place | None) -> Grid:
    """Return the map of *board*. *lit* is the place to highlight; the last tile is the focus."""
    return Grid(tuple(cell(laid, is_lit=laid.place == lit) for laid in board.laid), board.last)


def cell(laid: LaidTile, *, is_lit: bool = False) -> Cell:
    """Return the cell that shows *laid*."""
    return Cell(
        laid.place,
        icon=ICONS.get(laid.tile.landscape, ()),
        mark=EMERGENCY_MARK if laid.piece.kind == EMERGENCY else "",
        paths=letters_of(laid.tile.paths),
        piece=laid.piece,
        is_lit=is_lit,
    )
