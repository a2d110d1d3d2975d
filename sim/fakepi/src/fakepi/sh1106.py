"""The emulated SH1106: I2C bytes in, lit pixels out.

`OledChip` explains the effect of bytes that the data sheet does not define.
May import: the standard library and fakepi.
Source: Sino Wealth SH1106 data sheet, V2.3, whose numbered commands are quoted as "SH 10".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from fakepi.oled import OledChip, PanelRegisters, UndefinedByteError, undefined_byte_error

LAST_COLUMN = 131  # of the display RAM, 132 x 64 bits


@dataclass(slots=True)
class Registers(PanelRegisters):
    """All registers, with their values after a reset ("POR" in the data sheet)."""

    contrast: int = 0x80
    clock: int = 0x50
    vcomh: int = 0x35
    pump_voltage: int = 0b10  # 0 to 3 for 6.4, 7.4, 8.0 and 9.0 V
    has_dc_dc: bool = True
    read_modify_write_column: int | None = None  # the column at E0h, until EEh


class Sh1106Chip(OledChip):
    """One SH1106 with its panel, on an I2C bus.

    Modules with 128 columns show columns 2 to 129 of the RAM.
    """

    COLUMNS = LAST_COLUMN + 1
    NAME: ClassVar = "SH1106"
    ARGUMENTS: ClassVar = {
        0x81: 1,
        0xA8: 1,
        0xAD: 1,
        0xD3: 1,
        0xD5: 1,
        0xD9: 1,
        0xDA: 1,
        0xDB: 1,
    }

    registers: Registers

    def _reset_registers(self) -> Registers:
        return Registers()

    @property
    def _is_pump_running(self) -> bool:
        return self.registers.has_dc_dc  # while the panel is on: SH 10

    def read(self, count: int) -> bytes:
        """Return the status byte *count* times (data sheet, command 23).

        BUSY, its D7, is always 0 on I2C.

        Raises:
            UndefinedByteError: the last control byte was for data, so the chip would return display
                data, which serial interfaces do not support (data sheet, command 24).
        """
        if self._is_data_read:
            text = "after data, a read returns display data; write a command first"
            self.meet(UndefinedByteError(text))
        return super().read(count)

    # Data

    def _check_data(self, byte: int) -> None:
        if self._column > LAST_COLUMN:
            raise UndefinedByteError(
                f"data byte {byte:02X}h: column addresses end at {LAST_COLUMN:02X}h"
            )

    def _run_length(self) -> int:
        return self.COLUMNS - self._column

    def _advance(self) -> None:
        """Go to the next column, even past the last one.

        The page stays the same (data sheet, command 1).
        """
        self._column += 1

    # Commands

    def _own_commands(self) -> dict[int, Callable[..., None]]:
        return {
            **dict.fromkeys(range(0x10), self._set_column_low),
            **dict.fromkeys(range(0x10, 0x20), self._set_column_high),
            **dict.fromkeys(range(0x30, 0x34), self._set_pump_voltage),
            0xA8: self._set_mux,
            0xAD: self._set_dc_dc,
            **dict.fromkeys(range(0xC0, 0xD0), self._set_com_direction),  # D2 to D0 are ignored
            0xDA: self._set_com_pads,
            0xDB: self._set_vcom,
            0xE0: self._begin_read_modify_write,
            0xEE: self._end_read_modify_write,
        }

    def _set_column_low(self, command: int) -> None:
        self._column = self._column & 0xF0 | command & 0x0F

    def _set_column_high(self, command: int) -> None:
        self._column = (command & 0x0F) << 4 | self._column & 0x0F

    def _set_pump_voltage(self, command: int) -> None:
        self.registers.pump_voltage = command & 0b11

    def _set_mux(self, _command: int, ratio: int) -> None:
        self.registers.mux = (ratio & 0x3F) + 1

    def _set_dc_dc(self, command: int, setting: int) -> None:
        if setting not in (0x8A, 0x8B):
            raise undefined_byte_error(command, setting)
        if self.registers.is_on:
            raise UndefinedByteError(
                f"command {command:02X}h: the panel must be off for it"
                " (SH1106 data sheet, command 10)"
            )
        self.registers.has_dc_dc = bool(setting & 1)

    def _set_com_pads(self, command: int, setting: int) -> None:
        if setting not in (0x02, 0x12):
            raise undefined_byte_error(command, setting)
        self.registers.has_alternating_coms = bool(setting & 0x10)

    def _set_vcom(self, _command: int, level: int) -> None:
        self.registers.vcomh = level

    def _begin_read_modify_write(self, command: int) -> None:
        if self.registers.read_modify_write_column is not None:
            raise UndefinedByteError(
                f"command {command:02X}h again, before EEh ended the first"
                " (SH1106 data sheet, command 19)"
            )
        self.registers.read_modify_write_column = self._column

    def _end_read_modify_write(self, command: int) -> None:
        if self.registers.read_modify_write_column is None:
            raise UndefinedByteError(
                f"command {command:02X}h without an E0h before it (SH1106 data sheet, command 19)"
            )
        self._column = self.registers.read_modify_write_column
        self.registers.read_modify_write_column = None
