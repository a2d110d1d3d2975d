"""Maps: a game's grid of cells as a picture, round the cursor or whole.

Room: firmware. Pure functions from a grid to a picture; where that stands on a screen is the work
of ``firmware.screens``.
May import: the standard library, Pillow, engines.common, firmware.view, firmware.screen_text.
May be imported by: firmware, sim, tests.

Cells are squares that share their frames, so those of a pitch of 12 pixels are 13 wide. In the
middle of a cell stands its icon or its mark, and a path is a bar from there through a gap in the
frame; but where something is counted, the mark stands at the left top and the tally at the right
bottom. Where nothing lies nothing is drawn, but a place that can be chosen has a dotted frame. What
the cursor stands on, or without one the cell in question, is dark on a lit ground.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from PIL import Image, ImageDraw

from engines.common.grid import Cell, Grid, Place
from firmware.screen_text import LARGE, NAME, SMALL, TEXT, Face, cells
from firmware.view import GridView

# Pixels from one cell to the next, on a display, the most first. Of a map that fits at none a part
# is shown at the last: five cells by five of 64 rows, three by three of 32.
PITCHES = (21, 12)
LOW_PITCHES = (10,)
COUNTED_PITCHES = (21, 16)  # three letters in a row, and two lines
OVERVIEW_PITCH = 32
ICON_ROOM = 11  # pixels of a cell for each pixel of a dot of its icon: five dots, and the paths
MARGIN = 2  # pixels from the edge of a cell, its frame among them, to its mark and tally

Box = tuple[int, int, int, int]  # left, top, right, bottom, all of them inside


@dataclass(frozen=True, slots=True)
class Extent:
    """The columns and rows of a map that are drawn."""

    columns: range
    rows: range

    @classmethod
    def of(cls, places: Iterable[Place]) -> "Extent":
        """The least that holds all of *places*."""
        columns, rows = set(), set()
        for place in places:
            columns.add(place.column)
            rows.add(place.row)
        return cls(_span(columns), _span(rows))

    def holds(self, place: Place) -> bool:
        """Whether *place* is in it."""
        return place.column in self.columns and place.row in self.rows

    def part(self, columns: int, rows: int, focus: Place) -> "Extent":
        """At most so many columns and rows, with *focus* in their middle where others lie round."""
        return Extent(_part(self.columns, columns, focus.column), _part(self.rows, rows, focus.row))


def _span(numbers: set[int]) -> range:
    return range(min(numbers), max(numbers) + 1) if numbers else range(0)


def _part(whole: range, count: int, middle: int) -> range:
    first = max(whole.start, min(middle - count // 2, whole.stop - count))
    return range(first, min(first + count, whole.stop))


# --- whole maps ----------------------------------------------------------------------------------


def neighbourhood(view: GridView, width: int, height: int) -> Image.Image:
    """Draw as much of a map as there is room for, and that as large as may be.

    Args:
        view: the map. What is too large is cut round the cursor, or else round the focus.
        width: columns of pixels there are.
        height: rows of pixels there are, 32 or 64. Where they lack one for the uppermost frames,
            these are left out.

    Returns:
        A picture of mode "1", no larger than that; a lit pixel is non-zero.
    """
    board, cursor = view.board, view.cursor
    known = chain((cell.place for cell in board.cells), view.places)
    whole = Extent.of(known if cursor is None else chain(known, (cursor.place,)))
    focus = cursor.place if cursor is not None else board.focus or Place(0, 0)
    for pitch in _pitches(board, height):
        part = whole.part((width - 1) // pitch, height // pitch, focus)
        if part == whole:
            break
    picture = _drawn(view, part, pitch)
    return picture.crop((0, max(0, picture.height - height), *picture.size))


def _pitches(board: Grid, height: int) -> tuple[int, ...]:
    """The pitches to try for *board* in so many rows."""
    if any(map(_is_counted, board.cells)):
        return COUNTED_PITCHES
    return PITCHES if height >= 64 else LOW_PITCHES


def overview(grid: Grid, pitch: int = OVERVIEW_PITCH) -> Image.Image:
    """Draw a whole map, its cells *pitch* pixels apart.

    Returns:
        A picture of mode "1"; a lit pixel is non-zero.
    """
    return _drawn(GridView(grid), Extent.of(cell.place for cell in grid.cells), pitch)


def _drawn(view: GridView, part: Extent, pitch: int) -> Image.Image:
    """Draw *part* of a map. Cells only add light, so it does not matter whose frame comes first."""
    picture = Image.new("1", (len(part.columns) * pitch + 1, len(part.rows) * pitch + 1))

    def lay(square: Image.Image, place: Place) -> None:
        left = (place.column - part.columns.start) * pitch
        top = (place.row - part.rows.start) * pitch
        picture.paste(1, (left, top), square)

    for place in filter(part.holds, view.places):
        lay(_dotted(pitch), place)
    for cell in view.board.cells:
        if part.holds(cell.place):
            lay(_square(cell, pitch, is_dark=cell.is_lit and view.cursor is None), cell.place)
    if view.cursor is not None:
        lay(_square(view.cursor, pitch, is_dark=True), view.cursor.place)
    return picture


# --- one cell ------------------------------------------------------------------------------------


@cache
def _dotted(pitch: int) -> Image.Image:
    """The frame of a place that can be chosen; callers must not change it."""
    square = Image.new("1", (pitch + 1, pitch + 1))
    for at in range(0, pitch + 1, 2):
        for dot in ((at, 0), (at, pitch), (0, at), (pitch, at)):
            square.putpixel(dot, 1)
    return square


def _is_counted(cell: Cell) -> bool:
    """Whether *cell* is known by its name and what is counted there, which may be nothing."""
    return bool(cell.tally or (cell.mark and not cell.icon and not cell.paths))


@lru_cache(maxsize=500)
def _square(cell: Cell, pitch: int, *, is_dark: bool) -> Image.Image:
    """*cell* in its frame; *is_dark*: dark on a lit ground. Callers must not change it."""
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


def _path(side: str, pitch: int, room: int | None) -> tuple[Box, Box]:
    """The gap in the frame at *side*, one of ``SIDES``, and the bar that goes through it.

    *room* is how many pixels it is from the edge to what stands in the middle. None: nothing does,
    and the bar goes across it.
    """
    air = _scale(pitch)
    wide = 2 * air + (pitch + 1) % 2  # so that it stands in the middle of an edge
    first = (pitch + 1 - wide) // 2
    last = first + wide - 1
    long = last + 1 if room is None else max(1, room - air)
    return _stripe(side, pitch, first - air, last + air, 1), _stripe(side, pitch, first, last, long)


def _stripe(side: str, pitch: int, first: int, last: int, long: int) -> Box:
    """So *long* a rectangle from the edge at *side* inwards, from *first* to *last* across."""
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
    """What stands in the middle of *cell*: its icon, or its mark, or nothing."""
    if cell.mark and not any(cell.icon):
        room = pitch - 1
        faces = (face for face in (LARGE, NAME, TEXT) if 2 * face.width <= room)
        return _trimmed(cell.mark, next(faces, SMALL))
    icon = Image.new("1", (max(map(len, cell.icon), default=0), len(cell.icon)))
    if not icon.width:
        return icon
    for y, row in enumerate(cell.icon):
        for x, dot in enumerate(row):
            icon.putpixel((x, y), int(dot == "#"))
    return icon.resize((icon.width * _scale(pitch), icon.height * _scale(pitch)))


def _scale(pitch: int) -> int:
    """How many pixels wide and high a dot of an icon is."""
    return max(1, (pitch + 1) // ICON_ROOM)


def _write(square: Image.Image, cell: Cell, ink: int) -> None:
    """Write the mark to the left top of *square*, and the tally to its right bottom.

    The tally is as large as it fits, and may share a row with a mark that leaves it the columns.
    """
    last = square.width - MARGIN
    mark = _trimmed(cell.mark, TEXT if 4 * TEXT.width < square.width else SMALL)
    square.paste(ink, (MARGIN, MARGIN), mark)
    width, below = last - MARGIN, last - MARGIN - mark.height

    def fits(tally: Image.Image) -> bool:
        height = below + 1 if mark.width + tally.width <= width else below
        return tally.width <= width and tally.height <= height

    tallies = (_trimmed(cell.tally, face) for face in (LARGE, NAME, TEXT))
    tally = next(filter(fits, tallies), _trimmed(cell.tally, SMALL))
    square.paste(ink, (last - tally.width, last - tally.height), tally)


def _trimmed(text: str, face: Face) -> Image.Image:
    """*text* without the dark columns and rows round it."""
    line = cells(text, face)
    return line.crop(line.getbbox() or (0, 0, 0, 0))
