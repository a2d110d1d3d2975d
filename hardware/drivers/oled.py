"""The OLED: pictures to an SSD1306 over I2C, sending only what changed.

Room: hardware. Knows no game.
May import: the standard library, Pillow, adafruit_ssd1306, hardware.ports and hardware.errors.
May be imported by: firmware.wiring, sim, tests.
Source: SSD1306 data sheet, rev 1.1, quoted below as "DS 8.7".
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

import adafruit_ssd1306 as library
from PIL import Image

from hardware.errors import DisplayFault
from hardware.ports import I2cBus

SIZES = ((128, 64), (128, 32))
ROWS_A_PAGE = 8
COMMANDS, DATA = 0x00, 0x40  # control bytes: only commands follow; only data. DS 8.1.5.2
# What a window costs on the bus before its first data byte: start, stop, and 9 bits each for the
# address and seven command bytes; start, stop, address and control byte of the data.
WINDOW_BITS = (2 + 9 * 8) + (2 + 9 * 2)
BITS_PER_BYTE = 9
REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def pack_pages(picture: Image.Image) -> bytes:
    """Lay *picture* out as the SSD1306 keeps it in GDDRAM.

    Args:
        picture: mode "1", a height of whole pages (8 rows); a lit pixel is non-zero.

    Returns:
        ``width * height / 8`` bytes, page after page: byte ``page * width + segment`` holds rows
        ``8 * page`` to ``8 * page + 7`` of column ``segment``, top row in bit 0.

    Raises:
        ValueError: the picture has another mode, or a height of no whole pages.

    Source:
        SSD1306 data sheet, rev 1.1, section 8.7 and figure 8-14.
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
    def bits(self) -> int:
        """What sending it costs on the bus."""
        columns = self.last_column - self.first_column + 1
        pages = self.last_page - self.first_page + 1
        return WINDOW_BITS + BITS_PER_BYTE * columns * pages


def changed_windows(old: bytes, new: bytes, width: int) -> list[Window]:
    """The windows to send so that *old* becomes *new*.

    Args:
        old: GDDRAM bytes as ``pack_pages`` gives them.
        new: as many bytes.
        width: columns.

    Returns:
        No window when nothing changed; several only where their bits together are fewer than those
        of one around them all.
    """
    dirty = dict.fromkeys(range(width), 0)
    for page in range(len(new) // width):
        before = old[page * width : (page + 1) * width]
        now = new[page * width : (page + 1) * width]
        if now != before:
            for column in range(width):
                if now[column] != before[column]:
                    dirty[column] |= 1 << page
    changed = {column: pages for column, pages in dirty.items() if pages}
    return _cover(changed) if changed else []


# The changed columns from left to right, each with a bit mask of its changed pages.
Dirty = dict[int, int]


def _cover(dirty: Dirty) -> list[Window]:
    """One window around all of *dirty*, or the windows of two halves where that is cheaper."""
    whole = _bounds(dirty)
    halves = min(_cuts(dirty, whole), key=_bits, default=(dirty,))
    if _bits(halves) >= whole.bits:
        return [whole]
    return [window for half in halves for window in _cover(half)]


def _cuts(dirty: Dirty, whole: Window) -> Iterator[tuple[Dirty, ...]]:
    """Every way to part *dirty* between two pages, or at columns that did not change."""
    for page in range(whole.first_page, whole.last_page):
        upper = (2 << page) - 1  # this page and those above it
        yield (
            {column: pages & upper for column, pages in dirty.items() if pages & upper},
            {column: pages & ~upper for column, pages in dirty.items() if pages & ~upper},
        )
    columns = list(dirty.items())
    for index, ((left, _), (right, _)) in enumerate(pairwise(columns), start=1):
        if right - left > 1:
            yield dict(columns[:index]), dict(columns[index:])


def _bounds(dirty: Dirty) -> Window:
    pages = 0
    for changed in dirty.values():
        pages |= changed
    first_page = (pages & -pages).bit_length() - 1
    return Window(min(dirty), max(dirty), first_page, pages.bit_length() - 1)


def _bits(parts: tuple[Dirty, ...]) -> int:
    return sum(_bounds(part).bits for part in parts)


class _Panel(library.SSD1306_I2C):
    """The library's SSD1306, taught windows, and to keep dark until there is something to show.

    What adafruit_ssd1306 2.12.24 does oddly: its constructor lights the panel twice before the RAM
    is written, so a frame of noise flashes up; ``show()`` sends the whole frame in seven
    transactions, 9,410 bits for 128 x 64; an absent chip is a ``ValueError``, but only in the
    constructor.
    """

    def poweron(self) -> None:
        """Nothing: the constructor calls this before there is a picture to show."""

    def init_display(self) -> None:
        """Nothing: it would light the panel over noise; ``set_up()`` takes its place."""

    def set_up(self, *, is_rotated: bool) -> None:
        """Send every setting, with the panel dark. The values are the library's.

        Raises:
            OSError: the chip did not acknowledge.
        """
        upright = 0 if is_rotated else 1  # modules stand upright when mirrored both ways
        self.send(
            COMMANDS,
            library.SET_DISP,
            *(library.SET_MEM_ADDR, 0x00),  # horizontal: on to the next page at a window's edge
            library.SET_DISP_START_LINE,
            library.SET_SEG_REMAP | upright,
            *(library.SET_MUX_RATIO, self.height - 1),
            library.SET_COM_OUT_DIR | upright << 3,
            *(library.SET_DISP_OFFSET, 0x00),
            *(library.SET_COM_PIN_CFG, 0x02 if self.width > 2 * self.height else 0x12),
            *(library.SET_DISP_CLK_DIV, 0x80),
            *(library.SET_PRECHARGE, 0xF1),
            *(library.SET_VCOM_DESEL, 0x30),
            *(library.SET_CONTRAST, 0xFF),
            library.SET_ENTIRE_ON,  # A4h: the panel follows the RAM
            library.SET_NORM_INV,
            *(library.SET_IREF_SELECT, 0x30),
            *(library.SET_CHARGE_PUMP, 0x14),
        )

    def light(self) -> None:
        """Show what is in the RAM.

        Raises:
            OSError: the chip did not acknowledge.
        """
        self.send(COMMANDS, library.SET_DISP | 1)

    def send_window(self, window: Window, pages: bytes) -> None:
        """Send the part of *pages* inside *window*, in two transactions.

        Raises:
            OSError: the chip did not acknowledge.
        """
        columns = (window.first_column, window.last_column)
        self.send(
            COMMANDS,
            *(library.SET_COL_ADDR, *columns),
            *(library.SET_PAGE_ADDR, window.first_page, window.last_page),
        )
        rows = (page * self.width for page in range(window.first_page, window.last_page + 1))
        self.send(DATA, *b"".join(pages[row + columns[0] : row + columns[1] + 1] for row in rows))

    def send(self, *message: int) -> None:
        """Write *message*, control byte first, in one transaction."""
        with self.i2c_device as device:
            device.write(bytes(message))


class Oled:
    """An SSD1306 module on I2C; a ``hardware.ports.Display``.

    Nothing is sent before the first ``show()`` or ``restart()``, so a display that is missing when
    the table starts is the same fault as one that is lost later, and is taken back the same way.
    After a fault ``show()`` begins with a ``restart()`` of its own.

    Args:
        i2c: the bus.
        size: width and height, one of ``SIZES``.
        address: the I2C address, 3Ch or 3Dh.
        rotate: the module is mounted upside down.

    Raises:
        ValueError: a size that no SSD1306 module has.
    """

    def __init__(
        self,
        i2c: I2cBus,
        size: tuple[int, int] = (128, 64),
        address: int = 0x3C,
        rotate: bool = False,
    ) -> None:
        if size not in SIZES:
            raise ValueError(f"no SSD1306 module has {size[0]} x {size[1]} pixels")
        self._i2c = i2c
        self._size = size
        self._address = address
        self._is_rotated = rotate
        self._panel: _Panel | None = None
        self._shown: bytes | None = None  # None: the panel is dark, its RAM unknown

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._size

    def show(self, picture: Image.Image) -> None:
        """Show *picture*, sending the windows that changed, each in two transactions.

        Args:
            picture: mode "1", of this display's size; a lit pixel is non-zero.

        Raises:
            DisplayFault: the display did not acknowledge.
            ValueError: the picture has another mode or size.
        """
        if picture.size != self._size:
            raise ValueError(f"a picture of {picture.size} for a display of {self._size}")
        pages = pack_pages(picture)
        panel = self._panel or self._opened()
        try:
            self._send(panel, pages)
        except OSError as silent:
            raise self._lost() from silent

    def _send(self, panel: _Panel, pages: bytes) -> None:
        width, height = self._size
        if self._shown is None:
            panel.send_window(Window(0, width - 1, 0, height // ROWS_A_PAGE - 1), pages)
            panel.light()
        else:
            for window in changed_windows(self._shown, pages, width):
                panel.send_window(window, pages)
        self._shown = pages

    def restart(self) -> None:
        """Set the display up again; it stays dark until ``show()`` sends a whole frame.

        Raises:
            DisplayFault: it does not acknowledge.
        """
        self._opened()

    def _opened(self) -> _Panel:
        self._panel = self._shown = None
        try:
            panel = _Panel(*self._size, self._i2c, addr=self._address)
        except ValueError as absent:  # the library's word for it; nothing but the address was sent
            raise self._lost() from absent
        try:
            panel.set_up(is_rotated=self._is_rotated)
        except OSError as silent:
            raise self._lost() from silent
        self._panel = panel
        return panel

    def _lost(self) -> DisplayFault:
        self._panel = self._shown = None
        return DisplayFault(
            f"the display does not answer at I2C address {self._address:02X}h; "
            "check its four wires, and the address with: i2cdetect -y 1"
        )

    def close(self) -> None:
        """Switch the panel off; safe twice, and when the display is gone."""
        if self._panel is not None:
            with suppress(OSError):
                self._panel.poweroff()
        self._panel = self._shown = None
