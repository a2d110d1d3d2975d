"""The emulated SSD1309: an SSD1306 without a charge pump, and with a command lock.

May import: the standard library and fakepi.
Source: Solomon Systech SSD1309 data sheet, rev 1.1 (July 2011), section 9 (command tables), quoted
below as "DS 9".

Simplified: scrolls (26h, 27h, 29h, 2Ah) raise NotImplementedError; unlike the scrolls of the
SSD1306, they have seven arguments, among them columns. DCh, which sets a GPIO pin, has no effect.
"""

from collections.abc import Callable
from typing import ClassVar

from fakepi.oled import GLASS_128X64, Glass, undefined_byte_error
from fakepi.ssd1306 import Registers, Ssd1306Chip
from fakepi.undefined import Undefined

UNLOCKED, LOCKED = 0x12, 0x16  # after FDh. DS 9
LOCK = 0xFD
SCROLLS = (0x26, 0x27, 0x29, 0x2A)


class Ssd1309Chip(Ssd1306Chip):
    """One SSD1309 with its panel, whose voltage (7 to 16 V) comes from outside.

    While the chip is locked, it ignores all commands but FDh, and takes no data.
    """

    NAME: ClassVar = "SSD1309"
    ARGUMENTS: ClassVar = {
        **{
            command: count
            for command, count in Ssd1306Chip.ARGUMENTS.items()
            if command not in (0x8D, 0xAD)
        },
        **dict.fromkeys(SCROLLS, 7),
        0xDC: 1,
        LOCK: 1,
    }
    UNDOCUMENTED: ClassVar = {}
    VCOMH_LEVELS: ClassVar = (0x00, 0x34, 0x3C)

    def __init__(
        self,
        glass: Glass = GLASS_128X64,
        address: int = 0x3C,
        *,
        seed: int = 0,
        has_external_vcc: bool = True,
        undefined: Undefined = "raise",
    ) -> None:
        super().__init__(
            glass, address, seed=seed, has_external_vcc=has_external_vcc, undefined=undefined
        )

    def reset(self) -> None:
        """Pulse RES#: registers are reset, the chip is unlocked, the RAM is unchanged."""
        self.is_locked = False
        super().reset()

    def _reset_registers(self) -> Registers:
        return Registers(clock=0x70, vcomh=0x34)

    def _take_data(self, data: bytes) -> None:
        if not self.is_locked:
            super()._take_data(data)

    def _take_command(self, byte: int) -> None:
        if not self.is_locked or byte == LOCK or self._pending:
            super()._take_command(byte)

    def _own_commands(self) -> dict[int, Callable[..., None]]:
        commands = super()._own_commands()
        del commands[0x8D], commands[0xAD]
        return {
            **commands,
            **dict.fromkeys(SCROLLS, self._scroll),
            0xDC: lambda _command, _gpio: None,
            LOCK: self._set_lock,
        }

    def _set_lock(self, command: int, setting: int) -> None:
        if setting not in (UNLOCKED, LOCKED):
            raise undefined_byte_error(command, setting)
        self.is_locked = setting == LOCKED

    def _scroll(self, command: int, *_arguments: int) -> None:
        raise NotImplementedError(f"the SSD1309's scroll command {command:02X}h is not emulated")
