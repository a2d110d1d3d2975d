"""Maps: approved pictures of whole maps, and properties of the part that a display shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from engines.common.grid import SIDES, Cell, Grid, Place
from firmware.show.maps import Extent, neighbourhood, overview
from firmware.show.view import GridView
from tests.conftest import Golden
from tests.firmware.grids import BOARD, START, board, laid, ship, tile

PLACES = st.builds(Place, st.integers(-12, 12), st.integers(-12, 12))

OVERVIEWS = {
    "board": (BOARD, 32),
    "board-laid": (laid().board.cells, 24),
    "board-small": (BOARD, 12),
    "ship": (ship(7, a1="3", a2="12", a6="0-2", a7="0-1").board.cells, 32),
}


@pytest.mark.parametrize("name", OVERVIEWS)
def test_an_overview_draws_its_approved_picture(name: str, golden: Golden) -> None:
    """An overview shows the whole map, at any size of its cells."""
    cells, pitch = OVERVIEWS[name]
    golden.check("overviews", name, overview(Grid(cells), pitch))


def test_an_overview_is_as_large_as_its_map() -> None:
    """Neighbouring cells share a frame; the board has 5 columns and 4 rows."""
    assert overview(Grid(BOARD), 10).size == (51, 41)
    assert overview(Grid((START,))).size == (33, 33)
    assert overview(Grid(())).getbbox() is None


def lit_square(picture: Image.Image, side: int) -> tuple[int, int] | None:
    """Return left and top of the first lit square of *side* pixels in *picture*, or None."""
    for left in range(picture.width - side + 1):
        for top in range(picture.height - side + 1):
            part = picture.crop((left, top, left + side, top + side))
            if part.convert("L").getextrema()[0]:
                return left, top
    return None


@pytest.mark.parametrize(("room", "pitch"), [((65, 64), 12), ((31, 32), 10)])
@given(places=st.sets(PLACES, min_size=8, max_size=30), cursor=PLACES, data=st.data())
def test_the_cursor_is_shown_at_every_place(
    room: tuple[int, int], pitch: int, places: set[Place], cursor: Place, data: st.DataObject
) -> None:
    """The cursor's cell is shown whole on any map, and the picture is not larger than *room*."""
    corners = {Place(-13, -13), Place(13, 13)}  # make the map larger than the room
    cells = tuple(Cell(place) for place in sorted((places | corners) - {cursor}))
    view = GridView(Grid(cells), (cursor,), Cell(cursor))
    picture = neighbourhood(view, *room)
    assert picture.width <= room[0]
    assert picture.height <= room[1]
    assert lit_square(picture, pitch + 1) is not None


def test_a_small_map_is_drawn_larger() -> None:
    few = GridView(Grid((START,)), (), tile(1, 0, "tree", "w"))
    more = board(tile(0, -1, "tree", "ns"))
    assert neighbourhood(few, 65, 64).size == (2 * 21 + 1, 21 + 1)
    assert neighbourhood(more, 65, 64).size == (5 * 12 + 1, 5 * 12 + 1)


def test_a_ship_is_drawn_in_one_size_however_much_lies_on_it() -> None:
    """Its four columns and four rows take the same room for any contents of the areas."""
    for counted in (ship(7), ship(7, a7="1"), ship(7, a1="0-2", a10="12")):
        assert neighbourhood(counted, 65, 64).size == (4 * 16 + 1, 4 * 16)


def test_without_a_cursor_the_focus_is_shown() -> None:
    """The lit last tile is shown on a map that is larger than the room."""
    far = tuple(tile(column, row, "tree", "") for column in (-9, 9) for row in (-9, 9))
    for focus in (Place(-4, 7), Place(9, 9)):
        cells = (*far, Cell(focus, is_lit=True))
        picture = neighbourhood(GridView(Grid(cells, focus)), 65, 64)
        assert lit_square(picture, 13) is not None


def test_a_lit_cell_is_not_taken_for_the_cursor() -> None:
    view = GridView(Grid((Cell(Place(0, 0), is_lit=True),)), (), Cell(Place(2, 0)))
    assert lit_square(neighbourhood(view, 65, 64), 22) == (42, 0)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("pitch", [10, 12, 16, 21, 32])
@pytest.mark.parametrize("icon", ["tree", ""])
def test_a_path_goes_on_in_the_neighbour(side: str, pitch: int, icon: str) -> None:
    """Bars of a path meet at the shared frame; without a path, the frame is drawn."""
    opposite = SIDES[SIDES.index(side) - 2]
    here, there = Place(0, 0), Place(0, 0).beside(side)
    cells = (tile(*_at(here), icon, side), tile(*_at(there), icon, opposite))
    joined = overview(Grid(cells), pitch)
    middle = (joined.width // 2, joined.height // 2)
    along = (0, 1) if side in "ns" else (1, 0)
    for step in (-1, 0, 1):
        assert joined.getpixel((middle[0] + step * along[0], middle[1] + step * along[1]))
    apart = overview(Grid(tuple(tile(*_at(c.place), icon, "") for c in cells)), pitch)
    assert apart.getpixel(middle)
    assert not apart.getpixel((middle[0] + along[0], middle[1] + along[1]))


def _at(place: Place) -> tuple[int, int]:
    return place.column, place.row


def test_places_to_choose_are_dotted_and_nothing_is_drawn_where_nothing_lies() -> None:
    view = GridView(Grid((START,)), (Place(1, 0), Place(0, 1)), Cell(Place(1, 0)))
    picture = neighbourhood(view, 65, 64)
    below = picture.crop((0, 22, 22, 43))
    assert [bool(below.getpixel((x, 20))) for x in range(4)] == [True, False, True, False]
    assert picture.crop((23, 23, 43, 43)).getbbox() is None


@given(st.integers(-50, 50), st.integers(1, 40), st.integers(1, 9), st.integers(-60, 60))
def test_a_part_of_a_map_holds_its_focus_and_nothing_beyond_the_map(
    first: int, length: int, count: int, focus: int
) -> None:
    """A part has as many columns and rows as there is room for, or the whole map's if fewer."""
    whole = Extent(range(first, first + length), range(first, first + length))
    part = whole.part(count, count, Place(focus, focus))
    assert len(part.columns) == min(count, length)
    assert set(part.columns) <= set(whole.columns)
    assert part.rows == part.columns
    assert focus in part.columns or focus not in whole.columns
