"""The memory layout of a display, and the windows (rectangles of it) to send after a change.

It depends on the chip only by *window_bits*, the number of bits that an empty window takes on the
bus. GDDRAM is the display's own memory; a screen page is eight rows of pixels.
May import: the standard library and Pillow.
May be imported by: hardware.drivers, tests.
Source: SSD1306 data sheet, rev 1.1, quoted below as "DS 8.7"; the SH1106 has the same layout.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from PIL import Image

ROWS_A_PAGE = 8
BITS_A_BYTE = 9  # on the bus: eight bits and the acknowledge
REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
UNKNOWN = -1  # an unknown byte of GDDRAM: no byte equals it

Dirty = tuple[int, ...]  # for each screen page a bit mask of its changed columns, bit 0 leftmost


def pack_pages(picture: Image.Image) -> bytes:
    """Return *picture* in the layout of the chip's GDDRAM.

    Args:
        picture: mode "1", its height a multiple of 8; a lit pixel is non-zero.

    Returns:
        ``width * height / 8`` bytes, page after page: byte ``page * width + segment`` holds rows
        ``8 * page`` to ``8 * page + 7`` of column ``segment``, top row in bit 0.

    Raises:
        ValueError: the picture has another mode or height.

    Source: SSD1306 data sheet, 8.7 and figure 8-14.
    """
    if picture.mode != "1" or picture.height % ROWS_A_PAGE:
        raise ValueError(
            f'the picture must have the mode "1" and a height that is a multiple of {ROWS_A_PAGE}, '
            f'not the mode "{picture.mode}" and the height {picture.height}'
        )
    # Transposed, eight pixels of a column are one byte of Pillow's, the top one in bit 7.
    columns = picture.transpose(Image.Transpose.TRANSPOSE).tobytes().translate(REVERSED_BITS)
    pages = picture.height // ROWS_A_PAGE
    return b"".join(columns[page::pages] for page in range(pages))


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of GDDRAM. Its last column and its last screen page are included."""

    first_column: int
    last_column: int
    first_page: int
    last_page: int

    @property
    def cells(self) -> int:
        """The number of bytes in the window."""
        columns = self.last_column - self.first_column + 1
        return columns * (self.last_page - self.first_page + 1)

    def left_part(self, columns: int) -> "Window":
        """Return the first *columns* columns of the window, or all of it if it is narrower."""
        return replace(self, last_column=min(self.last_column, self.first_column + columns - 1))

    def spans(self, width: int) -> Iterator[slice]:
        """Yield the slices of the window in a memory of *width* columns, one per page."""
        for page in range(self.first_page, self.last_page + 1):
            yield slice(page * width + self.first_column, page * width + self.last_column + 1)


def changed_columns(known: Sequence[int], wanted: bytes, width: int) -> Dirty:
    """Return, for each page, the columns in which *wanted* differs from *known*.

    Args:
        known: GDDRAM bytes in the layout of ``pack_pages``, or ``UNKNOWN``.
        wanted: the same number of bytes.
        width: the number of columns.
    """
    dirty = []
    for start in range(0, len(wanted), width):
        before, now = known[start : start + width], list(wanted[start : start + width])
        changed = 0
        if before != now:
            for column in range(width):
                if before[column] != now[column]:
                    changed |= 1 << column
        dirty.append(changed)
    return tuple(dirty)


def inside(dirty: Dirty, window: Window) -> Dirty:
    """Return the changed columns in *dirty* that are inside *window*."""
    columns = (2 << window.last_column) - (1 << window.first_column)
    return tuple(
        changed & columns if window.first_page <= page <= window.last_page else 0
        for page, changed in enumerate(dirty)
    )


def cover(dirty: Dirty, window_bits: int, *, is_page_wise: bool = False) -> list[Window]:
    """Return windows that cover the changed columns *dirty*, the upper and left ones first.

    They take few bits on the bus: never more than one window around everything, and never more than
    a window for each run of changed bytes. They do not overlap.

    Args:
        dirty: the changed columns.
        window_bits: the number of bits that an empty window takes on the bus.
        is_page_wise: True if a window must not span several pages.
    """
    if is_page_wise:
        return [window for page in range(len(dirty)) for window in _runs(dirty, page, window_bits)]
    return _cover(dirty, window_bits)[1] if any(dirty) else []


def _cover(dirty: Dirty, window_bits: int) -> tuple[int, list[Window]]:
    """Return the number of bits that the best windows for *dirty* take, and the windows.

    *dirty* must not be empty. It is cut in two repeatedly, down to single pages. A cut that saves
    no bits is made too, because later cuts may save some.
    """
    whole = _bounds(dirty)
    bits = window_bits + BITS_A_BYTE * whole.cells
    changed = sum(columns.bit_count() for columns in dirty)
    if bits <= 2 * window_bits + BITS_A_BYTE * changed:
        return bits, [whole]  # two windows could not be cheaper
    if whole.first_page == whole.last_page:
        windows = _runs(dirty, whole.first_page, window_bits)
        cells = sum(window.cells for window in windows)
        return len(windows) * window_bits + BITS_A_BYTE * cells, windows
    halves = min(_cuts(dirty, whole), key=lambda cut: _cells(cut[0]) + _cells(cut[1]))
    (first_bits, first), (second_bits, second) = (_cover(half, window_bits) for half in halves)
    if first_bits + second_bits < bits:
        return first_bits + second_bits, first + second
    return bits, [whole]


def _runs(dirty: Dirty, page: int, window_bits: int) -> list[Window]:
    """Return the best windows of one page: one for each run of changed columns.

    Two runs are joined if sending the gap between them takes fewer bits than another window.
    """
    windows: list[Window] = []
    columns = dirty[page]
    while columns:
        first = (columns & -columns).bit_length() - 1
        last = first + (~(columns >> first) & (columns >> first) + 1).bit_length() - 2
        columns &= -2 << last
        if windows and BITS_A_BYTE * (first - windows[-1].last_column - 1) <= window_bits:
            first = windows.pop().first_column
        windows.append(Window(first, last, page, page))
    return windows


def _cuts(dirty: Dirty, whole: Window) -> Iterator[tuple[Dirty, Dirty]]:
    """Yield both parts of each split of *dirty*, between pages or at an unchanged column."""
    for page in range(whole.first_page, whole.last_page):
        rest = len(dirty) - page - 1
        yield (*dirty[: page + 1], *(0,) * rest), (*(0,) * (page + 1), *dirty[page + 1 :])
    columns = reduce(or_, dirty)
    for column in range(whole.first_column, whole.last_column):
        if columns >> column & 0b11 == 0b01:  # the last column before a gap
            left = (2 << column) - 1
            yield tuple(page & left for page in dirty), tuple(page & ~left for page in dirty)


def _bounds(dirty: Dirty) -> Window:
    """Return the smallest window around *dirty*, which must not be empty."""
    columns = reduce(or_, dirty)
    pages = [page for page, changed in enumerate(dirty) if changed]
    first_column = (columns & -columns).bit_length() - 1
    return Window(first_column, columns.bit_length() - 1, pages[0], pages[-1])


def _cells(dirty: Dirty) -> int:
    """Return ``_bounds(dirty).cells`` without making the window, because most cuts are rejected."""
    columns = reduce(or_, dirty)
    pages = [page for page, changed in enumerate(dirty) if changed]
    width = columns.bit_length() - (columns & -columns).bit_length() + 1
    return width * (pages[-1] - pages[0] + 1)
