"""Sample maps for tests: a ship with numbered areas, and a board of tiles with paths."""

from collections.abc import Mapping

from engines.common.grid import Cell, Grid, Place
from firmware.show.view import GridView

ICONS: Mapping[str, tuple[str, ...]] = {
    "tree": ("..#..", ".###.", "#####", "..#..", "..#.."),
    "wave": (".#...", "#.#.#", "...#.", ".#...", "#.#.#"),
    "ear": ("#.#.#", ".###.", "#.#.#", ".###.", "..#.."),
    "house": ("..#..", ".###.", "#####", "#.#.#", "#.###"),
    "heart": (".#.#.", "#####", ".###.", "..#..", "..#.."),
}


def tile(column: int, row: int, icon: str, paths: str, *, is_lit: bool = False) -> Cell:
    """Return a map cell with the icon of this name, if any, and *paths* to these sides ("nesw")."""
    return Cell(Place(column, row), ICONS.get(icon, ()), paths=paths, is_lit=is_lit)


def places(text: str) -> tuple[Place, ...]:
    """Return the places in *text*: column,row of each, separated by spaces (``2,-1 0,1``)."""
    columns_and_rows = (word.split(",") for word in text.split())
    return tuple(Place(int(column), int(row)) for column, row in columns_and_rows)


def ship(lit: int, **tallies: str) -> GridView:
    """Return a ship of ten areas; area *lit* is lit, *tallies* are by area (``a7="0-1"``)."""
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
    """Return the board after the first tile, and the four places beside it to choose from."""
    return GridView(Grid((START,), START.place), places("0,-1 1,0 0,1 -1,0"), cursor)


def board(cursor: Cell | None = None) -> GridView:
    """Return a board of eleven tiles; with a *cursor*, also the places to choose from."""
    free = () if cursor is None else FREE
    return GridView(Grid(BOARD, Place(3, -1)), free, cursor)


def laid() -> GridView:
    """Return a board of eleven tiles with the last one highlighted."""
    *others, _ = BOARD
    last = tile(-1, 1, "heart", "nw", is_lit=True)
    return GridView(Grid((*others, last), last.place))
