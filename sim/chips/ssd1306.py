"""The SSD1306: I2C bytes in, lit pixels out.

Room: sim/chips. As strict as the data sheet: a byte it does not define raises.
May import: the standard library and sim.chips.
Source: Solomon Systech SSD1306 data sheet, rev 1.1 (April 2008), quoted below as "DS 8.7", and its
application note on the charge pump; ADh from the SSD1306B, which today's modules carry.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

COLUMNS, PAGES, ROWS = 128, 8, 64  # GDDRAM: 128 x 64 bits, eight rows to a page. DS 8.7
LAST_COLUMN = COLUMNS - 1

# Control byte: another control byte follows the next byte; data, not command. DS 8.1.5.2
CO, DC = 0x80, 0x40

HORIZONTAL, VERTICAL, PAGE = 0b00, 0b01, 0b10  # addressing modes. DS 10.1.3
SCROLL_INTERVAL_FRAMES = (5, 64, 128, 256, 3, 4, 25, 2)  # frames a step, by C[2:0]. DS table 9-1
STATUS_IS_OFF = 0x40  # D6 of the status byte. DS table 9-2

# How many bytes follow a command byte. DS table 9-1
ARGUMENTS = {
    0x20: 1,
    0x21: 2,
    0x22: 2,
    0x26: 6,
    0x27: 6,
    0x29: 5,
    0x2A: 5,
    0x81: 1,
    0x8D: 1,
    0xA3: 2,
    0xA8: 1,
    0xAD: 1,
    0xD3: 1,
    0xD5: 1,
    0xD9: 1,
    0xDA: 1,
    0xDB: 1,
}

# Row r of a RAM byte as 0 or 1, and the same inverted: bytes.translate tables, by row in the page.
ROW_PIXELS = tuple(bytes(byte >> bit & 1 for byte in range(256)) for bit in range(8))
ROW_PIXELS_INVERTED = tuple(bytes(pixel ^ 1 for pixel in table) for table in ROW_PIXELS)


@dataclass(frozen=True, slots=True)
class Glass:
    """A panel and how its lines are wired to the chip's 64 COM pins.

    The panel stands upright when the chip runs mirrored both ways (A1h, C8h), as modules do:
    column 0 hangs on SEG127, and the top line on the last COM.
    """

    width: int
    height: int
    has_alternating_lines: bool  # lines go to COM0, COM32, COM1, COM33 ..; else to COM0, COM1 ..

    def pin_of_line(self, line: int) -> int:
        """The COM pin of *line*, counted from the bottom."""
        return line // 2 + line % 2 * 32 if self.has_alternating_lines else line


GLASS_128X64 = Glass(128, 64, has_alternating_lines=True)
GLASS_128X32 = Glass(128, 32, has_alternating_lines=False)


@dataclass(frozen=True, slots=True)
class Scroll:
    """A continuous scroll as 26h, 27h, 29h or 2Ah set it up."""

    is_left: bool
    first_page: int
    last_page: int
    interval_frames: int
    rows_a_step: int = 0  # upwards; zero for a horizontal scroll


@dataclass(slots=True)
class Registers:
    """Everything commands set, as it stands after a reset (DS table 9-1)."""

    is_on: bool = False
    is_entire_on: bool = False
    is_inverted: bool = False
    contrast: int = 0x7F
    mode: int = PAGE
    first_column: int = 0
    last_column: int = LAST_COLUMN
    first_page: int = 0
    last_page: int = PAGES - 1
    page_mode_column: int = 0
    start_line: int = 0
    is_column_remapped: bool = False
    is_com_reversed: bool = False
    mux: int = ROWS
    offset: int = 0
    has_alternating_coms: bool = True
    has_com_halves_swapped: bool = False
    clock: int = 0x80
    precharge: int = 0x22
    vcomh: int = 0x20
    iref: int = 0x00
    is_charge_pump_enabled: bool = False
    is_charge_pump_running: bool = False
    scroll: Scroll | None = None
    is_scrolling: bool = False
    scroll_fixed_rows: int = 0
    scroll_rows: int = ROWS


class Ssd1306Chip:
    """One SSD1306 with its panel, on an I2C bus.

    Set ``present`` to False to unplug it: nobody acknowledges. ``power_cycle()`` is a pulled and
    replugged supply: registers fall to their reset values and the RAM holds noise.

    A scroll is kept in ``registers.scroll`` and ``registers.is_scrolling``; no pixel moves.
    """

    def __init__(
        self,
        glass: Glass = GLASS_128X64,
        address: int = 0x3C,
        *,
        seed: int = 0,
        has_external_vcc: bool = False,
    ) -> None:
        self.glass = glass
        self.address = address
        self.present = True
        self.has_external_vcc = has_external_vcc
        self._noise = random.Random(seed)
        self._commands = self._command_table()
        self.power_cycle()

    def power_cycle(self) -> None:
        """Lose the supply and get it back: reset, and noise in the RAM (DS 8.9, 8.5)."""
        self._ram = bytearray(self._noise.randbytes(COLUMNS * PAGES))  # page after page, by SEG
        self.reset()

    def reset(self) -> None:
        """Pull RES# low and let it go: registers are reset, the RAM is kept (DS 8.5)."""
        self.registers = Registers()
        self._column = self._page = 0
        self._pending = bytearray()

    @property
    def gddram(self) -> bytes:
        """The 1,024 bytes of RAM, page after page, by column address as it is mapped now."""
        return bytes(
            self._ram[self._cell(page, column)]
            for page in range(PAGES)
            for column in range(COLUMNS)
        )

    def write(self, data: bytes) -> None:
        """Take the bytes of one I2C write (DS 8.1.5.2).

        Raises:
            ValueError: a byte that the data sheet does not define, or forbids at this moment.
        """
        stream = iter(data)
        for control in stream:
            if control & ~(CO | DC):
                raise ValueError(f"control byte {control:02X}h: bits 5 to 0 must be zero")
            take = self._take_data if control & DC else self._take_command
            for byte in islice(stream, 1) if control & CO else stream:
                take(byte)

    def read(self, count: int) -> bytes:
        """Give the status byte *count* times (DS table 9-2)."""
        return bytes([0 if self.registers.is_on else STATUS_IS_OFF]) * count

    # What an eye sees

    @property
    def is_lit(self) -> bool:
        """Whether the panel has power to show anything at all."""
        return self.registers.is_on and (
            self.has_external_vcc or self.registers.is_charge_pump_running
        )

    def pixel(self, x: int, y: int) -> bool:
        """Whether the panel's pixel at column *x*, row *y* from the top left is lit."""
        return bool(self.visible()[y][x])

    def visible(self) -> tuple[bytes, ...]:
        """The panel as an eye sees it: rows from the top, a byte a pixel from the left, 1 lit."""
        dark = bytes(self.glass.width)
        if not self.is_lit:
            return (dark,) * self.glass.height
        com_of_pin = {pin: com for com, pin in enumerate(self._com_pins())}
        lines = (self.glass.pin_of_line(line) for line in reversed(range(self.glass.height)))
        return tuple(self._scanned(com_of_pin[pin]) or dark for pin in lines)

    def _com_pins(self) -> Iterable[int]:
        """The COM pin of each output in turn (DS 10.1.18, table 10-3)."""
        swapped = ROWS // 2 if self.registers.has_com_halves_swapped else 0
        for com in range(ROWS):
            pin = com // 2 + com % 2 * (ROWS // 2) if self.registers.has_alternating_coms else com
            yield pin ^ swapped

    def _scanned(self, com: int) -> bytes | None:
        """The pixels that COM output *com* drives, by column of the panel; None when it idles.

        Source: DS 10.1.6, 10.1.11, 10.1.14, 10.1.15, tables 10-1 and 10-2.
        """
        now = self.registers
        forward = now.mux - 1 - com if now.is_com_reversed else com
        row = (forward + now.offset) % ROWS
        if row >= now.mux:
            return None
        if now.is_entire_on:
            return b"\x01" * self.glass.width
        page, bit = divmod((row + now.start_line) % ROWS, 8)
        tables = ROW_PIXELS_INVERTED if now.is_inverted else ROW_PIXELS
        segments = self._ram[page * COLUMNS : (page + 1) * COLUMNS].translate(tables[bit])
        return bytes(segments[::-1])

    # Data

    def _cell(self, page: int, column: int) -> int:
        """Where the RAM byte of a column address lies.

        The re-map works on the way in: what is in the RAM stays on its segment. DS 10.1.8
        """
        segment = LAST_COLUMN - column if self.registers.is_column_remapped else column
        return page * COLUMNS + segment

    def _take_data(self, byte: int) -> None:
        if self._pending:
            raise ValueError(
                f"data byte {byte:02X}h: command {self._pending[0]:02X}h waits for its next byte"
            )
        if self.registers.is_scrolling:
            raise ValueError(f"data byte {byte:02X}h: no RAM access while scrolling, DS 10.2.4")
        self._ram[self._cell(self._page, self._column)] = byte
        self._advance()

    def _advance(self) -> None:
        """Move the RAM pointer on after a data byte (DS 10.1.3)."""
        now = self.registers
        if now.mode == PAGE:
            at_end = self._column == LAST_COLUMN
            self._column = now.page_mode_column if at_end else self._column + 1
        elif now.mode == HORIZONTAL:
            if self._advance_column():
                self._advance_page()
        elif self._advance_page():
            self._advance_column()

    def _advance_column(self) -> bool:
        """Go to the next column of the window; true when that begins it anew."""
        now = self.registers
        wraps = self._column == now.last_column
        self._column = now.first_column if wraps else (self._column + 1) % COLUMNS
        return wraps

    def _advance_page(self) -> bool:
        """Go to the next page of the window; true when that begins it anew."""
        now = self.registers
        wraps = self._page == now.last_page
        self._page = now.first_page if wraps else (self._page + 1) % PAGES
        return wraps

    # Commands

    def _take_command(self, byte: int) -> None:
        self._pending.append(byte)
        command = self._pending[0]
        if command not in self._commands:
            self._pending.clear()
            raise ValueError(f"command {command:02X}h is not in the data sheet")
        if len(self._pending) <= ARGUMENTS.get(command, 0):
            return
        arguments = bytes(self._pending[1:])
        self._pending.clear()
        self._commands[command](command, *arguments)

    def _command_table(self) -> dict[int, Callable[..., None]]:
        """Every command byte of DS table 9-1, and who carries it out."""
        return {
            **dict.fromkeys(range(0x10), self._set_column_low),
            **dict.fromkeys(range(0x10, 0x20), self._set_column_high),
            0x20: self._set_mode,
            0x21: self._set_columns,
            0x22: self._set_pages,
            0x26: self._set_up_horizontal_scroll,
            0x27: self._set_up_horizontal_scroll,
            0x29: self._set_up_diagonal_scroll,
            0x2A: self._set_up_diagonal_scroll,
            0x2E: self._stop_scroll,
            0x2F: self._start_scroll,
            **dict.fromkeys(range(0x40, 0x80), self._set_start_line),
            0x81: self._set_contrast,
            0x8D: self._set_charge_pump,
            0xA0: self._set_column_remap,
            0xA1: self._set_column_remap,
            0xA3: self._set_scroll_area,
            0xA4: self._set_entire_on,
            0xA5: self._set_entire_on,
            0xA6: self._set_inverted,
            0xA7: self._set_inverted,
            0xA8: self._set_mux,
            0xAD: self._set_iref,
            0xAE: self._set_on,
            0xAF: self._set_on,
            **dict.fromkeys(range(0xB0, 0xB8), self._set_page),
            0xC0: self._set_com_direction,
            0xC8: self._set_com_direction,
            0xD3: self._set_offset,
            0xD5: self._set_clock,
            0xD9: self._set_precharge,
            0xDA: self._set_com_pins,
            0xDB: self._set_vcomh,
            0xE3: lambda _command: None,  # NOP
        }

    # 00h..1Fh and B0h..B7h: DS 10.1.1, 10.1.2, 10.1.13 give them to page addressing alone. Chips
    # obey them in every mode, and drivers live on that (olikraus/u8g2 issue 1362).

    def _set_column_low(self, command: int) -> None:
        self._set_page_mode_column(self.registers.page_mode_column & 0x70 | command & 0x0F)

    def _set_column_high(self, command: int) -> None:
        if command & 0x08:
            raise ValueError(f"command {command:02X}h: column addresses end at 7Fh")
        self._set_page_mode_column((command & 0x07) << 4 | self.registers.page_mode_column & 0x0F)

    def _set_page_mode_column(self, column: int) -> None:
        self.registers.page_mode_column = self._column = column

    def _set_page(self, command: int) -> None:
        self._page = command & 0x07

    def _set_mode(self, command: int, mode: int) -> None:
        mode &= 0x03
        if mode not in (HORIZONTAL, VERTICAL, PAGE):
            raise _undefined(command, mode)
        self.registers.mode = mode

    def _set_columns(self, command: int, first: int, last: int) -> None:
        first, last = first & 0x7F, last & 0x7F
        if first > last:
            raise _undefined(command, last)
        self.registers.first_column, self.registers.last_column = first, last
        self._column = first

    def _set_pages(self, command: int, first: int, last: int) -> None:
        first, last = first & 0x07, last & 0x07
        if first > last:
            raise _undefined(command, last)
        self.registers.first_page, self.registers.last_page = first, last
        self._page = first

    def _set_up_horizontal_scroll(  # bytes A to F of DS table 9-1
        self, command: int, a: int, first: int, interval: int, last: int, e: int, f: int
    ) -> None:
        for dummy, wanted in ((a, 0x00), (e, 0x00), (f, 0xFF)):
            if dummy != wanted:
                raise _undefined(command, dummy)
        self._set_scroll(command, first, interval, last, rows=0)

    def _set_up_diagonal_scroll(
        self, command: int, a: int, first: int, interval: int, last: int, rows: int
    ) -> None:
        if a != 0x00:
            raise _undefined(command, a)
        if rows & 0x3F == 0:  # an offset is 01h to 3Fh: a purely horizontal one is 26h or 27h
            raise _undefined(command, rows)
        self._set_scroll(command, first, interval, last, rows & 0x3F)

    def _set_scroll(self, command: int, first: int, interval: int, last: int, rows: int) -> None:
        first, last = first & 0x07, last & 0x07
        if self.registers.is_scrolling:
            raise ValueError(f"command {command:02X}h while scrolling; send 2Eh first, DS 10.2.4")
        if first > last:
            raise _undefined(command, last)
        self.registers.scroll = Scroll(
            is_left=command in (0x27, 0x2A),
            first_page=first,
            last_page=last,
            interval_frames=SCROLL_INTERVAL_FRAMES[interval & 0x07],
            rows_a_step=rows,
        )

    def _stop_scroll(self, _command: int) -> None:
        self.registers.is_scrolling = False

    def _start_scroll(self, command: int) -> None:
        if self.registers.scroll is None:
            raise ValueError(f"command {command:02X}h before a scroll was set up, DS 10.2.4")
        self.registers.is_scrolling = True

    def _set_scroll_area(self, command: int, fixed: int, rows: int) -> None:
        fixed, rows = fixed & 0x3F, rows & 0x7F
        if fixed + rows > self.registers.mux:
            raise _undefined(command, rows)
        self.registers.scroll_fixed_rows, self.registers.scroll_rows = fixed, rows

    def _set_start_line(self, command: int) -> None:
        self.registers.start_line = command & 0x3F

    def _set_contrast(self, _command: int, contrast: int) -> None:
        self.registers.contrast = contrast

    def _set_charge_pump(self, command: int, setting: int) -> None:
        """Enable the pump, which starts with the next AFh, or stop it. Application note, 2."""
        if setting & 0x3F not in (0x10, 0x14):
            raise _undefined(command, setting)
        self.registers.is_charge_pump_enabled = bool(setting & 0x04)
        self.registers.is_charge_pump_running &= self.registers.is_charge_pump_enabled

    def _set_column_remap(self, command: int) -> None:
        self.registers.is_column_remapped = bool(command & 1)

    def _set_entire_on(self, command: int) -> None:
        self.registers.is_entire_on = bool(command & 1)

    def _set_inverted(self, command: int) -> None:
        self.registers.is_inverted = bool(command & 1)

    def _set_mux(self, command: int, ratio: int) -> None:
        ratio &= 0x3F
        if ratio < 15:  # 0 to 14 are invalid. DS table 9-1
            raise _undefined(command, ratio)
        self.registers.mux = ratio + 1

    def _set_iref(self, command: int, source: int) -> None:
        """Take the current reference from a resistor or from inside (19 or 30 microampere).

        Not in rev 1.1, which has the resistor alone; SSD1306B and SSD1315 have it.
        """
        if source not in (0x00, 0x10, 0x30):
            raise _undefined(command, source)
        self.registers.iref = source

    def _set_on(self, command: int) -> None:
        self.registers.is_on = bool(command & 1)
        self.registers.is_charge_pump_running = (
            self.registers.is_on and self.registers.is_charge_pump_enabled
        )

    def _set_com_direction(self, command: int) -> None:
        self.registers.is_com_reversed = bool(command & 0x08)

    def _set_offset(self, _command: int, offset: int) -> None:
        self.registers.offset = offset & 0x3F

    def _set_clock(self, _command: int, clock: int) -> None:
        self.registers.clock = clock

    def _set_precharge(self, command: int, periods: int) -> None:
        if not periods & 0x0F or not periods & 0xF0:  # 0 is invalid for both phases. DS table 9-1
            raise _undefined(command, periods)
        self.registers.precharge = periods

    def _set_com_pins(self, command: int, setting: int) -> None:
        if setting & ~0x30 != 0x02:
            raise _undefined(command, setting)
        self.registers.has_alternating_coms = bool(setting & 0x10)
        self.registers.has_com_halves_swapped = bool(setting & 0x20)

    def _set_vcomh(self, command: int, level: int) -> None:
        if level not in (0x00, 0x20, 0x30):
            raise _undefined(command, level)
        self.registers.vcomh = level


def _undefined(command: int, byte: int) -> ValueError:
    return ValueError(f"command {command:02X}h: {byte:02X}h is not defined by the data sheet")
