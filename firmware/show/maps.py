"""Maps: pictures of a game's grid of cells, whole or only around the cursor.

Pure functions from a grid to a picture; ``firmware.show.screens`` places it on a screen.
May import: the standard library, Pillow, engines.common, firmware.show.view, firmware.show.text.
May be imported by: firmware, sim, tests.

Cells are squares; neighbouring cells share the line between them. The *pitch* is the distance from
one cell to the next; a cell with a pitch of 12 pixels is 13 wide. A cell has its icon (a small
drawing) or its mark (one or two letters) in the middle. A path is a bar from the middle through a
gap in the frame. A cell with a tally (the number of pieces on it) has its mark at the top left and
the tally at the bottom right. An empty place is drawn only while it can be chosen, with a dotted
frame. The cell under the cursor is drawn dark on a lit background. Without a cursor, all cells with
``is_lit`` are drawn so.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from PIL import Image, ImageDraw

from engines.common.grid import Cell, Grid, Place
from firmware.show.text import LARGE, NAME, SMALL, TEXT, Typeface, cells
from firmware.show.view import GridView

# The pitches to try, in pixels from one cell to the next. If a map does not fit at any of them, a
# part of it is drawn at the last one: five by five cells on 64 rows, three by three on 32.
PITCHES = (21, 12)
LOW_PITCHES = (10,)
COUNTED_PITCHES = (21, 16)  # for cells with tallies: room for two lines of three letters
OVERVIEW_PITCH = 32
ICON_ROOM = 11  # an icon is scaled up by 1 for each 11 pixels of pitch: 5 dots and the paths
MARGIN = 2  # pixels from the edge of a cell, with its frame, to its mark and tally

Rectangle = tuple[int, int, int, int]  # left, top, right, bottom; all inclusive


@dataclass(frozen=True, slots=True)
class Extent:
    """The columns and rows of a map that are drawn."""

    columns: range
    rows: range

    @classmethod
    def of(cls, places: Iterable[Place]) -> "Extent":
        """Return the smallest extent that contains all of *places*."""
        columns, rows = set(), set()
        for place in places:
            columns.add(place.column)
            rows.add(place.row)
        return cls(_span(columns), _span(rows))

    def holds(self, place: Place) -> bool:
        """Return True if *place* is in this extent."""
        return place.column in self.columns and place.row in self.rows

    def part(self, columns: int, rows: int, focus: Place) -> "Extent":
        """Return a part of at most *columns* and *rows*, with *focus* in the middle if possible."""
        return Extent(_part(self.columns, columns, focus.column), _part(self.rows, rows, focus.row))


def _span(numbers: set[int]) -> range:
    return range(min(numbers), max(numbers) + 1) if numbers else range(0)


def _part(whole: range, count: int, middle: int) -> range:
    first = max(whole.start, min(middle - count // 2, whole.stop - count))
    return range(first, min(first + count, whole.stop))


# --- whole maps ----------------------------------------------------------------------------------


def neighbourhood(view: GridView, width: int, height: int) -> Image.Image:
    """Draw the whole map, or the part around the cursor that fits, as large as possible.

    Args:
        view: the map. Without a cursor, the part is around the grid's ``focus``, such as the last
            tile, or else around place 0,0.
        width: available columns of pixels.
        height: available rows of pixels, 32 or 64. If the map is one row taller, its top row, which
            has only the frames' upper edges, is cut off.

    Returns:
        A picture of mode "1", at most *width* x *height*; a lit pixel is non-zero.
    """
    board, cursor = view.board, view.cursor
    known = chain((cell.place for cell in board.cells), view.places)
    whole = Extent.of(known if cursor is None else chain(known, (cursor.place,)))
    focus = cursor.place if cursor is not None else board.focus or Place(0, 0)
    for pitch in _pitches(board, height):
        part = whole.part((width - 1) // pitch, height // pitch, focus)
        if part == whole:
            break
    picture = _picture(view, part, pitch)
    return picture.crop((0, max(0, picture.height - height), *picture.size))


def _pitches(board: Grid, height: int) -> tuple[int, ...]:
    """Return the cell pitches to try for *board* on *height* rows, in pixels, largest first."""
    if any(map(_is_counted, board.cells)):
        return COUNTED_PITCHES
    return PITCHES if height >= 64 else LOW_PITCHES


def overview(grid: Grid, pitch: int = OVERVIEW_PITCH) -> Image.Image:
    """Draw a whole map, with *pitch* pixels from one cell to the next.

    Returns:
        A picture of mode "1"; a lit pixel is non-zero.
    """
    return _picture(GridView(grid), Extent.of(cell.place for cell in grid.cells), pitch)


def _picture(view: GridView, part: Extent, pitch: int) -> Image.Image:
    """Draw *part* of a map.

    Drawing a cell only lights pixels, so the cells can be drawn in any order.
    """
    picture = Image.new("1", (len(part.columns) * pitch + 1, len(part.rows) * pitch + 1))

    def lay(square: Image.Image, place: Place) -> None:
        left = (place.column - part.columns.start) * pitch
        top = (place.row - part.rows.start) * pitch
        picture.paste(1, (left, top), square)

    for place in filter(part.holds, view.places):
        lay(_dotted_frame(pitch), place)
    for cell in view.board.cells:
        if part.holds(cell.place):
            lay(_square(cell, pitch, is_dark=cell.is_lit and view.cursor is None), cell.place)
    if view.cursor is not None:
        lay(_square(view.cursor, pitch, is_dark=True), view.cursor.place)
    return picture


# --- one cell ------------------------------------------------------------------------------------


@cache
def _dotted_frame(pitch: int) -> Image.Image:
    """Draw the frame of a place that can be chosen. It is cached; callers must not change it."""
    square = Image.new("1", (pitch + 1, pitch + 1))
    for at in range(0, pitch + 1, 2):
        for dot in ((at, 0), (at, pitch), (0, at), (pitch, at)):
            square.putpixel(dot, 1)
    return square


def _is_counted(cell: Cell) -> bool:
    """Return True if *cell* is drawn with its mark at the top left and a tally at the bottom right.

    The tally may be empty.
    """
    return bool(cell.tally or (cell.mark and not cell.icon and not cell.paths))


@lru_cache(maxsize=500)
def _square(cell: Cell, pitch: int, *, is_dark: bool) -> Image.Image:
    """Draw *cell* in its frame; if *is_dark*, dark on a lit background.

    The picture is cached; callers must not change it.
    """
    ink = 0 if is_dark else 1
    square = Image.new("1", (pitch + 1, pitch + 1), 1 - ink)
    pen = ImageDraw.Draw(square)
    pen.rectangle((0, 0, pitch, pitch), outline=1)
    if _is_counted(cell):
        _write(square, cell, ink)
        return square
    middle = _middle(cell, pitch)
    left, top = (square.width - middle.width) // 2, (square.height - middle.height) // 2
    square.paste(ink, (left, top), middle)
    right, bottom = (square.width - left - middle.width, square.height - top - middle.height)
    for side, room in zip("nesw", (top, right, bottom, left), strict=True):
        if side in cell.paths:
            gap, bar = _path(side, pitch, room if any(middle.size) else None)
            pen.rectangle(gap, fill=int(is_dark))
            pen.rectangle(bar, fill=ink)
    return square


def _path(side: str, pitch: int, room: int | None) -> tuple[Rectangle, Rectangle]:
    """Return two rectangles: the gap in the frame at *side*, one of ``SIDES``, and the bar in it.

    *room* is the number of pixels from the edge to the drawing in the middle; None if there is no
    drawing. Without a drawing, the bar reaches past the middle, to meet the bar from the other
    side.
    """
    air = _scale(pitch)
    wide = 2 * air + (pitch + 1) % 2  # of the same parity as the edge, to be in its middle
    first = (pitch + 1 - wide) // 2
    last = first + wide - 1
    long = last + 1 if room is None else max(1, room - air)
    return _stripe(side, pitch, first - air, last + air, 1), _stripe(side, pitch, first, last, long)


def _stripe(side: str, pitch: int, first: int, last: int, long: int) -> Rectangle:
    """Return the rectangle along the edge *side* from pixel *first* to *last*.

    It is *long* pixels deep.
    """
    match side:
        case "n":
            return first, 0, last, long - 1
        case "e":
            return pitch - long + 1, first, pitch, last
        case "s":
            return first, pitch - long + 1, last, pitch
        case _:
            return 0, first, long - 1, last


def _middle(cell: Cell, pitch: int) -> Image.Image:
    """Return the drawing in the middle of *cell*: its icon, its mark, or nothing."""
    if cell.mark and not any(cell.icon):
        room = pitch - 1
        faces = (face for face in (LARGE, NAME, TEXT) if 2 * face.width <= room)
        return _trim(cell.mark, next(faces, SMALL))
    icon = Image.new("1", (max(map(len, cell.icon), default=0), len(cell.icon)))
    if not icon.width:
        return icon
    for y, row in enumerate(cell.icon):
        for x, dot in enumerate(row):
            icon.putpixel((x, y), int(dot == "#"))
    return icon.resize((icon.width * _scale(pitch), icon.height * _scale(pitch)))


def _scale(pitch: int) -> int:
    """Return the width (and height) in pixels of one dot of an icon."""
    return max(1, (pitch + 1) // ICON_ROOM)


def _write(square: Image.Image, cell: Cell, ink: int) -> None:
    """Write the mark to the top left of *square*, and the tally to its bottom right.

    *ink* is 1 for lit letters, 0 for dark ones. The tally is as large as fits, and may share a row
    with a mark that leaves room for it.
    """
    last = square.width - MARGIN
    mark = _trim(cell.mark, TEXT if 4 * TEXT.width < square.width else SMALL)
    square.paste(ink, (MARGIN, MARGIN), mark)
    width, below = last - MARGIN, last - MARGIN - mark.height

    def fits(tally: Image.Image) -> bool:
        height = below + 1 if mark.width + tally.width <= width else below
        return tally.width <= width and tally.height <= height

    tallies = (_trim(cell.tally, face) for face in (LARGE, NAME, TEXT))
    tally = next(filter(fits, tallies), _trim(cell.tally, SMALL))
    square.paste(ink, (last - tally.width, last - tally.height), tally)


def _trim(text: str, face: Typeface) -> Image.Image:
    """Draw *text*, and crop the dark columns and rows around it."""
    line = cells(text, face)
    return line.crop(line.getbbox() or (0, 0, 0, 0))
