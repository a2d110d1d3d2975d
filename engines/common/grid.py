"""A map of cells, for games whose position needs a picture.

May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.

A map is a grid of square cells of one size. It may have holes and grow in any direction. The map
says what each cell holds; the display and the web page decide how to draw it.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engines.common.pieces import Piece

SIDES = "nesw"  # the sides of a cell: up, right, down, left


class Place(NamedTuple):
    """A place on the map: *column* counts to the right and *row* down, both from the origin 0,0."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{self.column},{self.row}"

    def beside(self, side: str) -> "Place":
        """Return the neighbouring place at *side*, one of ``SIDES``."""
        return _beside(self)[SIDES.index(side)]

    @property
    def neighbours(self) -> tuple["Place", ...]:
        """The neighbouring places, in the order of ``SIDES``."""
        return _beside(self)


@cache
def _beside(place: Place) -> tuple[Place, ...]:
    column, row = place
    above, below = Place(column, row - 1), Place(column, row + 1)
    return above, Place(column + 1, row), below, Place(column - 1, row)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a map.

    *icon* is a drawing, row by row, in which ``#`` is a lit dot. *mark* is a name of one or two
    characters that needs no translation. *tally* is the number of pieces there, in up to three
    characters: ``2``, or a range such as ``0-1`` if it is not known exactly. *paths* are the sides
    that paths lead to, in the order of ``SIDES``. *piece* is the piece there, if it is known.
    *is_lit* highlights the cell.
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
    """A map. *focus* is the place to show if there is no room for the whole map."""

    cells: tuple[Cell, ...]
    focus: Place | None = None
