"""Maps made up for tests: a ship whose areas are counted, and a board of tiles with paths.

Room: tests.
"""

from collections.abc import Mapping

from engines.common.grid import Cell, Grid, Place
from firmware.view import GridView

ICONS: Mapping[str, tuple[str, ...]] = {
    "tree": ("..#..", ".###.", "#####", "..#..", "..#.."),
    "wave": (".#...", "#.#.#", "...#.", ".#...", "#.#.#"),
    "ear": ("#.#.#", ".###.", "#.#.#", ".###.", "..#.."),
    "house": ("..#..", ".###.", "#####", "#.#.#", "#.###"),
    "heart": (".#.#.", "#####", ".###.", "..#..", "..#.."),
}


def tile(column: int, row: int, icon: str, paths: str, *, is_lit: bool = False) -> Cell:
    """A tile with an icon, or without one when *icon* is empty."""
    return Cell(Place(column, row), ICONS.get(icon, ()), paths=paths, is_lit=is_lit)


def places(text: str) -> tuple[Place, ...]:
    """Places as they are written: ``2,-1 0,1``."""
    columns_and_rows = (word.split(",") for word in text.split())
    return tuple(Place(int(column), int(row)) for column, row in columns_and_rows)


def ship(lit: int, **tallies: str) -> GridView:
    """Ten areas: a deck of four, and above it three pairs; *tallies* by area (``a7="0-1"``)."""
    rows = ((None, 9, 10), (None, 7, 8), (None, 5, 6), (1, 2, 3, 4))
    cells = [
        Cell(
            Place(column, row),
            mark=str(area),
            tally=tallies.get(f"a{area}", ""),
            is_lit=area == lit,
        )
        for row, areas in enumerate(rows)
        for column, area in enumerate(areas)
        if area is not None
    ]
    return GridView(Grid(tuple(cells), next(cell.place for cell in cells if cell.is_lit)))


START = Cell(Place(0, 0), paths="nesw")
BOARD = (
    START,
    tile(1, 0, "tree", "esw"),
    tile(2, 0, "wave", "nw"),
    tile(1, 1, "ear", "ne"),
    tile(2, 1, "house", "nesw"),
    tile(2, -1, "heart", "es"),
    tile(3, -1, "tree", "nw"),
    tile(0, 1, "tree", "nes"),
    tile(0, 2, "wave", "ns"),
    tile(-1, 0, "ear", "es"),
    tile(-1, 1, "heart", "nw"),
)
FREE = places("3,-2 0,-1 -2,0 -2,1 3,1 2,2 0,3")


def begun(cursor: Cell) -> GridView:
    """The first tile, and the four places beside it."""
    return GridView(Grid((START,), START.place), places("0,-1 1,0 0,1 -1,0"), cursor)


def board(cursor: Cell | None = None) -> GridView:
    """Eleven tiles; with a *cursor* the places to choose from too."""
    free = () if cursor is None else FREE
    return GridView(Grid(BOARD, Place(3, -1)), free, cursor)


def laid() -> GridView:
    """Eleven tiles, of which the last is lit."""
    *others, _ = BOARD
    last = tile(-1, 1, "heart", "nw", is_lit=True)
    return GridView(Grid((*others, last), last.place))
