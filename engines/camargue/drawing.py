"""What is drawn of the board of Camargue: its map, cell by cell.

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from engines.camargue.board import Board, Laid
from engines.camargue.tiles import EMERGENCY, letters_of
from engines.common.grid import Cell, Grid, Place

# Five by five dots that tell landscapes apart at a glance; the start tile is nothing but its paths.
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


def grid(board: Board, lit: Place | None) -> Grid:
    """The whole *board*, with the tile at *lit* in question, to be seen round its last tile."""
    return Grid(tuple(cell(laid, is_lit=laid.place == lit) for laid in board.laid), board.last)


def cell(laid: Laid, *, is_lit: bool = False) -> Cell:
    """What is drawn of a tile, as it lies."""
    return Cell(
        laid.place,
        icon=ICONS.get(laid.tile.landscape, ()),
        mark=EMERGENCY_MARK if laid.piece.kind == EMERGENCY else "",
        paths=letters_of(laid.tile.paths),
        piece=laid.piece,
        is_lit=is_lit,
    )
