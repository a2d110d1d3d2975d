"""The common part of the emulated chips of OLED modules: I2C bytes in, lit pixels out.

The chip keeps a picture in its RAM (the data sheet's GDDRAM). A *page* is eight rows: each byte
holds eight pixels, one above the other, of one column. The outputs SEG drive the panel's columns
and the outputs COM its rows. Commands can mirror and shift the picture on its way to the panel.

A byte that the data sheet does not define, or forbids now, raises an `UndefinedByteError`, unless
the chip was made with another value of *undefined*. Real chips accept more, and drivers rely on
that: luma.oled sends ``DBh 40h`` to the SSD1306, and ``20h`` and ``8Dh`` to the SH1106, and its
pictures are correct on real modules. So with ``"as-silicon"``, an unknown command is ignored, and
the next byte is a command again, unless the number of arguments is known (``UNDOCUMENTED``). Nobody
has measured the rest, so these are choices: a command with an undefined argument has no effect,
except ``DBh``, which accepts all levels; data without a place in the RAM are dropped.

May import: the standard library and fakepi.
Source: Solomon Systech SSD1306 data sheet, rev 1.1 (April 2008), quoted below as "DS 8.7"; the data
sheet of the Sino Wealth SH1106 agrees.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from fakepi.undefined import Undefined

PAGES, ROWS = 8, 64  # of the RAM, eight rows to a page. DS 8.7
# Control byte: Co, another control byte follows the next byte; D/C, data follow. DS 8.1.5.2
CO, DC = 0x80, 0x40
STATUS_IS_OFF = 0x40  # D6 of the status byte. DS table 9-2

# Tables for bytes.translate, one for each row of a page: they turn each RAM byte into the pixel of
# that row, 0 or 1. The second set inverts the pixels.
ROW_PIXELS = tuple(bytes(byte >> bit & 1 for byte in range(256)) for bit in range(8))
ROW_PIXELS_INVERTED = tuple(bytes(pixel ^ 1 for pixel in table) for table in ROW_PIXELS)


class UndefinedByteError(ValueError):
    """A byte that the data sheet does not define, or forbids now."""


@dataclass(frozen=True, slots=True)
class Glass:
    """A panel, and the wiring of its lines to the chip's 64 COM pins.

    As in real modules, the picture is upright if the chip mirrors it both ways (A1h, C8h): column 0
    is connected to the last SEG pin in use, and the top line to the last COM pin.
    """

    width: int
    height: int
    has_alternating_lines: bool  # wired to COM0, COM32, COM1, COM33 ..; else COM0, COM1 ..

    def pin_of_line(self, line: int) -> int:
        """Return the COM pin to which *line* is wired. Line 0 is at the bottom."""
        return line // 2 + line % 2 * 32 if self.has_alternating_lines else line


GLASS_128X64 = Glass(128, 64, has_alternating_lines=True)
GLASS_128X32 = Glass(128, 32, has_alternating_lines=False)


@dataclass(slots=True)
class PanelRegisters:
    """The registers of all emulated panels, with their values after a reset.

    Source: SSD1306 data sheet, table 9-1.
    """

    is_on: bool = False
    is_entire_on: bool = False
    is_inverted: bool = False
    contrast: int = 0x7F
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


class OledChip(ABC):
    """The base class of display chips: one chip with its panel, on an I2C bus.

    Set ``present`` to False to unplug it, so that it does not acknowledge. ``power_cycle()`` cuts
    the supply for a moment: registers get their reset values and the RAM holds noise.

    Some clones cannot be read: set ``acknowledges_reads`` to False. Others return a different byte
    from the status: set ``reads_as``.

    *undefined* is the effect of a byte that the data sheet does not define: ``"raise"`` raises an
    `UndefinedByteError`; ``"as-silicon"`` does what real chips do (see this module); ``"record"``
    does the same and appends the error's text to ``undefined_bytes``.
    """

    NAME: ClassVar[str]  # the chip in messages
    COLUMNS: ClassVar[int]  # of the RAM; a narrower panel uses those in the middle
    ARGUMENTS: ClassVar[Mapping[int, int]]  # number of bytes after a command byte
    # The same for commands that are known, but not in the data sheet; they have no effect here.
    UNDOCUMENTED: ClassVar[Mapping[int, int]] = {}

    registers: PanelRegisters

    def __init__(
        self,
        glass: Glass = GLASS_128X64,
        address: int = 0x3C,
        *,
        seed: int = 0,
        has_external_vcc: bool = False,
        undefined: Undefined = "raise",
    ) -> None:
        self.undefined: Undefined = undefined
        self.undefined_bytes: list[str] = []
        self.glass = glass
        self.address = address
        self.present = True
        self.acknowledges_reads = True
        self.reads_as: int | None = None
        self.has_external_vcc = has_external_vcc
        self._noise = random.Random(seed)
        self._commands = {**self._shared_commands(), **self._own_commands()}
        self.power_cycle()

    def power_cycle(self) -> None:
        """Cut the supply for a moment: reset, and noise in the RAM (data sheet, 8.9, 8.5)."""
        self._ram = bytearray(self._noise.randbytes(self.COLUMNS * PAGES))  # by page, then by SEG
        self.reset()

    def reset(self) -> None:
        """Pulse RES#: registers are reset, the RAM is unchanged (data sheet, 8.5)."""
        self.registers = self._reset_registers()
        self._column = self._page = 0
        self._pending = bytearray()
        self._is_data_read = False

    @abstractmethod
    def _reset_registers(self) -> PanelRegisters:
        """Return the registers with their values after a reset."""

    @property
    def gddram(self) -> bytes:
        """The RAM, page after page, in the order of the current column addresses."""
        firsts = range(0, self.COLUMNS * PAGES, self.COLUMNS)
        pages = (self._ram[first : first + self.COLUMNS] for first in firsts)
        return b"".join(page[:: -1 if self.registers.is_column_remapped else 1] for page in pages)

    @property
    def pending(self) -> bytes:
        """The bytes of a command that still waits for its arguments."""
        return bytes(self._pending)

    def write(self, data: bytes) -> None:
        """Receive the bytes of one I2C write (data sheet, 8.1.5.2).

        Raises:
            UndefinedByteError: the data sheet does not define a byte, or forbids it now.
        """
        rest = data
        while rest:
            control, rest = rest[0], rest[1:]
            if control & ~(CO | DC):
                self.meet(
                    UndefinedByteError(f"control byte {control:02X}h: bits 5 to 0 must be zero")
                )
            self._is_data_read = bool(control & DC)
            taken, rest = (rest[:1], rest[1:]) if control & CO else (rest, b"")
            if control & DC:
                self._take_data(taken)
                continue
            for byte in taken:
                self._take_command(byte)

    def meet(self, undefined: UndefinedByteError) -> None:
        """Raise the error *undefined*, record it, or ignore it, as the chip was made to do."""
        problem = f"{self.NAME}: {undefined}"
        if self.undefined == "raise":
            raise UndefinedByteError(problem) from undefined
        if self.undefined == "record":
            self.undefined_bytes.append(problem)

    def read(self, count: int) -> bytes:
        """Return the status byte *count* times (data sheet, table 9-2)."""
        status = 0 if self.registers.is_on else STATUS_IS_OFF
        return bytes([status if self.reads_as is None else self.reads_as]) * count

    # The visible picture

    @property
    def is_lit(self) -> bool:
        """True if the panel is on and has its supply voltage."""
        return self.registers.is_on and (self.has_external_vcc or self._is_pump_running)

    @property
    @abstractmethod
    def _is_pump_running(self) -> bool:
        """True if the chip generates the panel's voltage itself while it is on."""

    def pixel(self, x: int, y: int) -> bool:
        """Return True if the pixel at column *x* and row *y*, from the top left, is lit."""
        return bool(self.visible()[y][x])

    def visible(self) -> tuple[bytes, ...]:
        """Return the visible rows from the top, each with a byte per pixel: 1 lit, 0 dark."""
        dark = bytes(self.glass.width)
        if not self.is_lit:
            return (dark,) * self.glass.height
        com_of_pin = {pin: com for com, pin in enumerate(self._com_pins())}
        lines = (self.glass.pin_of_line(line) for line in reversed(range(self.glass.height)))
        return tuple(self._scan_row(com_of_pin[pin]) or dark for pin in lines)

    def _com_pins(self) -> Iterable[int]:
        """Yield the COM pin of each COM output in turn (data sheet, 10.1.18, table 10-3)."""
        swapped = ROWS // 2 if self.registers.has_com_halves_swapped else 0
        for com in range(ROWS):
            pin = com // 2 + com % 2 * (ROWS // 2) if self.registers.has_alternating_coms else com
            yield pin ^ swapped

    def _scan_row(self, com: int) -> bytes | None:
        """Return the pixels that COM output *com* drives, by panel column; None if it is unused.

        Source: SSD1306 data sheet, 10.1.6, 10.1.11, 10.1.14, 10.1.15, tables 10-1 and 10-2.
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
        first = page * self.COLUMNS + (self.COLUMNS - self.glass.width) // 2
        segments = self._ram[first : first + self.glass.width].translate(tables[bit])
        return bytes(segments[::-1])

    # Data

    def _take_data(self, data: bytes) -> None:
        """Write *data* to the RAM, one run of columns after the other."""
        if data and self._pending:
            waiting = f"command {self._pending[0]:02X}h waits for its next byte"
            self.meet(UndefinedByteError(f"data byte {data[0]:02X}h: {waiting}"))
            self._pending.clear()
        while data:
            try:
                self._check_data(data[0])
            except UndefinedByteError as undefined:
                self.meet(undefined)
                return
            run, data = data[: self._run_length()], data[self._run_length() :]
            self._store(run)
            self._column += len(run) - 1
            self._advance()

    def _store(self, run: bytes) -> None:
        """Write *run* to the RAM, from the current column address on.

        The command for mirroring columns (A0h, A1h) only changes where later bytes are written:
        bytes in the RAM stay on their SEG output (data sheet, 10.1.8; the data sheet of the SH1106
        does not say).
        """
        first = self._page * self.COLUMNS + self._column
        if self.registers.is_column_remapped:
            first = (self._page + 1) * self.COLUMNS - self._column - len(run)
            run = run[::-1]
        self._ram[first : first + len(run)] = run

    @abstractmethod
    def _check_data(self, byte: int) -> None:
        """Raise an UndefinedByteError if no data byte is allowed now."""

    @abstractmethod
    def _run_length(self) -> int:
        """Return the number of data bytes, at least one, that go to columns side by side."""

    @abstractmethod
    def _advance(self) -> None:
        """Move the RAM address to the place of the next data byte."""

    # Commands

    def _take_command(self, byte: int) -> None:
        self._pending.append(byte)
        command = self._pending[0]
        if command not in self._commands:
            self._take_unknown(command)
            return
        if len(self._pending) <= self.ARGUMENTS.get(command, 0):
            return
        arguments = bytes(self._pending[1:])
        self._pending.clear()
        try:
            self._commands[command](command, *arguments)
        except UndefinedByteError as undefined:
            self.meet(undefined)

    def _take_unknown(self, command: int) -> None:
        """Handle an unknown *command* as ``undefined`` says, then skip its arguments."""
        taken = len(self._pending)
        if taken > self.UNDOCUMENTED.get(command, 0) or self.undefined == "raise":
            self._pending.clear()
        if taken == 1:
            self.meet(UndefinedByteError(f"command {command:02X}h is not in the data sheet"))

    @abstractmethod
    def _own_commands(self) -> dict[int, Callable[..., None]]:
        """Return the handlers of the commands that not all chips share, by command byte."""

    def _shared_commands(self) -> dict[int, Callable[..., None]]:
        """Return the handlers of the commands that all chips share, by command byte."""
        return {
            **dict.fromkeys(range(0x40, 0x80), self._set_start_line),
            0x81: self._set_contrast,
            0xA0: self._set_column_remap,
            0xA1: self._set_column_remap,
            0xA4: self._set_entire_on,
            0xA5: self._set_entire_on,
            0xA6: self._set_inverted,
            0xA7: self._set_inverted,
            0xAE: self._set_on,
            0xAF: self._set_on,
            **dict.fromkeys(range(0xB0, 0xB8), self._set_page),
            0xD3: self._set_offset,
            0xD5: self._set_clock,
            0xD9: self._set_precharge,
            0xE3: lambda _command: None,  # NOP
        }

    def _set_start_line(self, command: int) -> None:
        self.registers.start_line = command & 0x3F

    def _set_contrast(self, _command: int, contrast: int) -> None:
        self.registers.contrast = contrast

    def _set_column_remap(self, command: int) -> None:
        self.registers.is_column_remapped = bool(command & 1)

    def _set_entire_on(self, command: int) -> None:
        self.registers.is_entire_on = bool(command & 1)

    def _set_inverted(self, command: int) -> None:
        self.registers.is_inverted = bool(command & 1)

    def _set_on(self, command: int) -> None:
        self.registers.is_on = bool(command & 1)

    def _set_page(self, command: int) -> None:
        self._page = command & 0x07

    def _set_com_direction(self, command: int) -> None:
        self.registers.is_com_reversed = bool(command & 0x08)

    def _set_offset(self, _command: int, offset: int) -> None:
        self.registers.offset = offset & 0x3F

    def _set_clock(self, _command: int, clock: int) -> None:
        self.registers.clock = clock

    def _set_precharge(self, command: int, periods: int) -> None:
        if not periods & 0x0F or not periods & 0xF0:  # 0 is invalid for both phases. DS table 9-1
            raise undefined_byte_error(command, periods)
        self.registers.precharge = periods


def undefined_byte_error(command: int, byte: int) -> UndefinedByteError:
    """Return the error for a *byte* after *command* that the data sheet does not define."""
    return UndefinedByteError(
        f"command {command:02X}h: {byte:02X}h is not defined by the data sheet"
    )
