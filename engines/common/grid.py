"""A map in cells: the small picture a game shows where words do not do.

Room: engines/common.
May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.

A map is a grid of square cells of one size. It says what is where, and leaves to whoever draws
it, a display of a few thousand pixels or a page, how that looks. It may have holes and grow to any
side.
"""

from dataclasses import dataclass

from engines.common.pieces import Piece

SIDES = "nesw"  # of a cell: up, right, down, left


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a cell is: *column* to the right and *row* down from the map's own 0,0."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{self.column},{self.row}"

    def beside(self, side: str) -> "Place":
        """The place that borders on this one at *side*, one of ``SIDES``."""
        right = {"e": 1, "w": -1}.get(side, 0)
        down = {"s": 1, "n": -1}.get(side, 0)
        return Place(self.column + right, self.row + down)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a map.

    *icon* is what is drawn on it, row by row, ``#`` a lit dot; *mark* a name of up to two digits
    or letters that need no translation; *tally* how much lies there, in up to three (``2``,
    ``0-1``). *paths* are the sides that paths lead to, of ``SIDES``, in that order. *piece* is what
    lies there, where that is known, for whoever can draw pieces. *is_lit* marks the cell in
    question.
    """

    place: Place
    icon: tuple[str, ...] = ()
    mark: str = ""
    tally: str = ""
    paths: str = ""
    piece: Piece | None = None
    is_lit: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A map. *focus* is the place to be seen when there is no room for the whole."""

    cells: tuple[Cell, ...]
    focus: Place | None = None
