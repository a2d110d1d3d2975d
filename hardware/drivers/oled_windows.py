"""A display's memory: pictures packed into it, and the windows to send when some of it changed.

Room: hardware. Knows no game, and no chip but by what a window costs on its bus.
May import: the standard library and Pillow.
May be imported by: hardware.drivers, tests.
Source: SSD1306 data sheet, rev 1.1, quoted below as "DS 8.7"; the SH1106 keeps its memory alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from PIL import Image

ROWS_A_PAGE = 8
BITS_A_BYTE = 9  # on the bus: eight, and the acknowledge
REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
UNKNOWN = -1  # in place of a byte of GDDRAM that nobody knows: no byte equals it

Dirty = tuple[int, ...]  # for each screen page a bit mask of its changed columns, bit 0 leftmost


def pack_pages(picture: Image.Image) -> bytes:
    """Lay *picture* out as the chip keeps it in GDDRAM.

    Args:
        picture: mode "1", a height of whole pages (8 rows); a lit pixel is non-zero.

    Returns:
        ``width * height / 8`` bytes, page after page: byte ``page * width + segment`` holds rows
        ``8 * page`` to ``8 * page + 7`` of column ``segment``, top row in bit 0.

    Raises:
        ValueError: the picture has another mode, or a height of no whole pages.

    Source:
        DS 8.7 and figure 8-14.
    """
    if picture.mode != "1" or picture.height % ROWS_A_PAGE:
        raise ValueError(f'a picture of mode "{picture.mode}", {picture.size}, has no screen pages')
    # Columns become rows, so Pillow packs eight pixels below each other, the top one in bit 7.
    columns = picture.transpose(Image.Transpose.TRANSPOSE).tobytes().translate(REVERSED_BITS)
    pages = picture.height // ROWS_A_PAGE
    return b"".join(columns[page::pages] for page in range(pages))


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of GDDRAM: columns and screen pages, the last ones included."""

    first_column: int
    last_column: int
    first_page: int
    last_page: int

    @property
    def cells(self) -> int:
        """How many bytes it holds."""
        columns = self.last_column - self.first_column + 1
        return columns * (self.last_page - self.first_page + 1)

    def left_part(self, columns: int) -> "Window":
        """Its first *columns*, or all of it if it has no more."""
        return replace(self, last_column=min(self.last_column, self.first_column + columns - 1))

    def spans(self, width: int) -> Iterator[slice]:
        """Where its bytes lie in a memory of *width* columns, one slice a page."""
        for page in range(self.first_page, self.last_page + 1):
            yield slice(page * width + self.first_column, page * width + self.last_column + 1)


def changed_columns(known: Sequence[int], wanted: bytes, width: int) -> Dirty:
    """Where *wanted* differs from what is *known* to be there.

    Args:
        known: GDDRAM bytes as ``pack_pages`` gives them, or ``UNKNOWN``.
        wanted: as many bytes.
        width: columns.
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
    """The part of *dirty* that lies in *window*."""
    columns = (2 << window.last_column) - (1 << window.first_column)
    return tuple(
        changed & columns if window.first_page <= page <= window.last_page else 0
        for page, changed in enumerate(dirty)
    )


def cover(dirty: Dirty, window_bits: int, *, is_page_wise: bool = False) -> list[Window]:
    """Windows that hold all of *dirty* for few bits, the upper and left ones first.

    Never more bits than one window around it all, and never more than a window for each run of
    changed bytes. They do not overlap.

    Args:
        dirty: what changed.
        window_bits: what a window costs before its first byte.
        is_page_wise: a window must not reach over several pages.
    """
    if is_page_wise:
        return [window for page in range(len(dirty)) for window in _runs(dirty, page, window_bits)]
    return _cover(dirty, window_bits)[1] if any(dirty) else []


def _cover(dirty: Dirty, window_bits: int) -> tuple[int, list[Window]]:
    """The windows of *dirty*, which is not empty, and their bits.

    The best cut may not pay by itself, but by the cuts that follow it, so each is followed to the
    end: down to single pages, whose best windows are known at once.
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
    halves = min(_cuts(dirty, whole), key=lambda cut: _bounds(cut[0]).cells + _bounds(cut[1]).cells)
    (first_bits, first), (second_bits, second) = (_cover(half, window_bits) for half in halves)
    if first_bits + second_bits < bits:
        return first_bits + second_bits, first + second
    return bits, [whole]


def _runs(dirty: Dirty, page: int, window_bits: int) -> list[Window]:
    """The best windows of one page: its runs, joined where the gap costs no more than a window."""
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
    """Every way to part *dirty* between two pages, or at columns that did not change."""
    for page in range(whole.first_page, whole.last_page):
        rest = len(dirty) - page - 1
        yield (*dirty[: page + 1], *(0,) * rest), (*(0,) * (page + 1), *dirty[page + 1 :])
    columns = 0
    for changed in dirty:
        columns |= changed
    for column in range(whole.first_column, whole.last_column):
        if columns >> column & 0b11 == 0b01:  # the last column before a gap
            left = (2 << column) - 1
            yield tuple(page & left for page in dirty), tuple(page & ~left for page in dirty)


def _bounds(dirty: Dirty) -> Window:
    columns = 0
    pages = []
    for page, changed in enumerate(dirty):
        if changed:
            columns |= changed
            pages.append(page)
    first_column = (columns & -columns).bit_length() - 1
    return Window(first_column, columns.bit_length() - 1, pages[0], pages[-1])
