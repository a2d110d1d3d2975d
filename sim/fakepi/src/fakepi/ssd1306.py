"""The emulated SSD1306: I2C bytes in, lit pixels out.

`OledChip` explains the effect of bytes that the data sheet does not define.
May import: the standard library and fakepi.
Source: Solomon Systech SSD1306 data sheet, rev 1.1 (April 2008), quoted below as "DS 8.7", and its
application note on the charge pump; ADh is from the SSD1306B, the chip of current modules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from fakepi.oled import (
    PAGES,
    ROWS,
    OledChip,
    PanelRegisters,
    UndefinedByteError,
    undefined_byte_error,
)

LAST_COLUMN = 127  # of the GDDRAM, 128 x 64 bits. DS 8.7

HORIZONTAL, VERTICAL, PAGE = 0b00, 0b01, 0b10  # addressing modes. DS 10.1.3
SCROLL_INTERVAL_FRAMES = (5, 64, 128, 256, 3, 4, 25, 2)  # frames per step, by C[2:0]. DS table 9-1


@dataclass(frozen=True, slots=True)
class Scroll:
    """A continuous scroll, as set up by 26h, 27h, 29h or 2Ah."""

    is_left: bool
    first_page: int
    last_page: int
    interval_frames: int
    rows_a_step: int = 0  # upwards; zero for a horizontal scroll


@dataclass(slots=True)
class Registers(PanelRegisters):
    """All registers, with their values after a reset (data sheet, table 9-1)."""

    mode: int = PAGE
    first_column: int = 0
    last_column: int = LAST_COLUMN
    first_page: int = 0
    last_page: int = PAGES - 1
    page_mode_column: int = 0
    iref: int = 0x00
    is_charge_pump_enabled: bool = False
    is_charge_pump_running: bool = False
    scroll: Scroll | None = None
    is_scrolling: bool = False
    scroll_fixed_rows: int = 0
    scroll_rows: int = ROWS


class Ssd1306Chip(OledChip):
    """One SSD1306 with its panel, on an I2C bus.

    A scroll only sets ``registers.scroll`` and ``registers.is_scrolling``; no pixel moves.
    """

    COLUMNS = LAST_COLUMN + 1
    NAME: ClassVar = "SSD1306"
    ARGUMENTS: ClassVar = {  # DS table 9-1
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

    # Fade and zoom are in rev 1.5; for scrolls by one column, see greenonline/Adafruit_SSD1306Plus.
    UNDOCUMENTED: ClassVar = {0x23: 1, 0x2C: 6, 0x2D: 6, 0xD6: 1}
    VCOMH_LEVELS: ClassVar = (0x00, 0x20, 0x30)

    registers: Registers

    def _reset_registers(self) -> Registers:
        return Registers()

    @property
    def _is_pump_running(self) -> bool:
        return self.registers.is_charge_pump_running

    # Data

    def _check_data(self, byte: int) -> None:
        if self.registers.is_scrolling:
            raise UndefinedByteError(
                f"data byte {byte:02X}h: no RAM access while scrolling (SSD1306 data sheet, 10.2.4)"
            )

    def _run_length(self) -> int:
        now = self.registers
        if now.mode not in (PAGE, HORIZONTAL):
            return 1
        last = now.last_column if now.mode == HORIZONTAL else LAST_COLUMN
        return (last if self._column <= last else LAST_COLUMN) - self._column + 1

    def _advance(self) -> None:
        """Move the RAM address to the place of the next data byte (data sheet, 10.1.3)."""
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
        """Go to the next column of the window; return True if that is its first column again."""
        now = self.registers
        wraps = self._column == now.last_column
        self._column = now.first_column if wraps else (self._column + 1) % self.COLUMNS
        return wraps

    def _advance_page(self) -> bool:
        """Go to the next page of the window; return True if that is its first page again."""
        now = self.registers
        wraps = self._page == now.last_page
        self._page = now.first_page if wraps else (self._page + 1) % PAGES
        return wraps

    # Commands

    def _own_commands(self) -> dict[int, Callable[..., None]]:
        """Return the handlers of the other commands in table 9-1 of the data sheet, by command."""
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
            0x8D: self._set_charge_pump,
            0xA3: self._set_scroll_area,
            0xA8: self._set_mux,
            0xAD: self._set_iref,
            0xC0: self._set_com_direction,
            0xC8: self._set_com_direction,
            0xDA: self._set_com_pins,
            0xDB: self._set_vcomh,
        }

    # 00h..1Fh and B0h..B7h are for page addressing only (DS 10.1.1, 10.1.2, 10.1.13). But chips
    # obey them in every mode, and drivers rely on that (olikraus/u8g2 issue 1362).

    def _set_column_low(self, command: int) -> None:
        self._set_page_mode_column(self.registers.page_mode_column & 0x70 | command & 0x0F)

    def _set_column_high(self, command: int) -> None:
        if command & 0x08:
            raise UndefinedByteError(f"command {command:02X}h: column addresses end at 7Fh")
        self._set_page_mode_column((command & 0x07) << 4 | self.registers.page_mode_column & 0x0F)

    def _set_page_mode_column(self, column: int) -> None:
        self.registers.page_mode_column = self._column = column

    def _set_mode(self, command: int, mode: int) -> None:
        mode &= 0x03
        if mode not in (HORIZONTAL, VERTICAL, PAGE):
            raise undefined_byte_error(command, mode)
        self.registers.mode = mode

    def _set_columns(self, command: int, first: int, last: int) -> None:
        first, last = first & 0x7F, last & 0x7F
        if first > last:
            raise undefined_byte_error(command, last)
        self.registers.first_column, self.registers.last_column = first, last
        self._column = first

    def _set_pages(self, command: int, first: int, last: int) -> None:
        first, last = first & 0x07, last & 0x07
        if first > last:
            raise undefined_byte_error(command, last)
        self.registers.first_page, self.registers.last_page = first, last
        self._page = first

    def _set_up_horizontal_scroll(  # bytes A to F of DS table 9-1
        self, command: int, a: int, first: int, interval: int, last: int, e: int, f: int
    ) -> None:
        for dummy, wanted in ((a, 0x00), (e, 0x00), (f, 0xFF)):
            if dummy != wanted:
                raise undefined_byte_error(command, dummy)
        self._set_scroll(command, first, interval, last, rows=0)

    def _set_up_diagonal_scroll(
        self, command: int, a: int, first: int, interval: int, last: int, rows: int
    ) -> None:
        if a != 0x00:
            raise undefined_byte_error(command, a)
        if rows & 0x3F == 0:  # the offset is 01h to 3Fh; 26h and 27h scroll horizontally
            raise undefined_byte_error(command, rows)
        self._set_scroll(command, first, interval, last, rows & 0x3F)

    def _set_scroll(self, command: int, first: int, interval: int, last: int, rows: int) -> None:
        first, last = first & 0x07, last & 0x07
        if self.registers.is_scrolling:
            raise UndefinedByteError(
                f"command {command:02X}h while scrolling; send 2Eh first"
                " (SSD1306 data sheet, 10.2.4)"
            )
        if first > last:
            raise undefined_byte_error(command, last)
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
            raise UndefinedByteError(
                f"command {command:02X}h before a scroll was set up (SSD1306 data sheet, 10.2.4)"
            )
        self.registers.is_scrolling = True

    def _set_scroll_area(self, command: int, fixed: int, rows: int) -> None:
        fixed, rows = fixed & 0x3F, rows & 0x7F
        if fixed + rows > self.registers.mux:
            raise undefined_byte_error(command, rows)
        self.registers.scroll_fixed_rows, self.registers.scroll_rows = fixed, rows

    def _set_charge_pump(self, command: int, setting: int) -> None:
        """Stop the charge pump, which generates the panel's voltage, or enable it.

        An enabled pump starts at the next AFh, "display on" (application note, section 2).
        """
        if setting & 0x3F not in (0x10, 0x14):
            raise undefined_byte_error(command, setting)
        self.registers.is_charge_pump_enabled = bool(setting & 0x04)
        self.registers.is_charge_pump_running &= self.registers.is_charge_pump_enabled

    def _set_mux(self, command: int, ratio: int) -> None:
        ratio &= 0x3F
        if ratio < 15:  # 0 to 14 are invalid. DS table 9-1
            raise undefined_byte_error(command, ratio)
        self.registers.mux = ratio + 1

    def _set_iref(self, command: int, source: int) -> None:
        """Use a resistor or an internal source (19 or 30 uA) as the current reference.

        Only SSD1306B and SSD1315 have the internal source; rev 1.1 has only the resistor.
        """
        if source not in (0x00, 0x10, 0x30):
            raise undefined_byte_error(command, source)
        self.registers.iref = source

    def _set_on(self, command: int) -> None:
        super()._set_on(command)
        self.registers.is_charge_pump_running = (
            self.registers.is_on and self.registers.is_charge_pump_enabled
        )

    def _set_com_pins(self, command: int, setting: int) -> None:
        if setting & ~0x30 != 0x02:
            raise undefined_byte_error(command, setting)
        self.registers.has_alternating_coms = bool(setting & 0x10)
        self.registers.has_com_halves_swapped = bool(setting & 0x20)

    def _set_vcomh(self, command: int, level: int) -> None:
        if level not in self.VCOMH_LEVELS:
            self.meet(undefined_byte_error(command, level))
        self.registers.vcomh = level
