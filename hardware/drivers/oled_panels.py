"""The chips of OLED modules: what they are told over I2C, and how fast the bus is.

Room: hardware. Knows no game, and keeps no picture.
May import: the standard library, adafruit_ssd1306, hardware.ports, hardware.drivers.oled_windows.
May be imported by: hardware.drivers.oled, tests.
Source: SSD1306 data sheet, rev 1.1, quoted below as "DS 8.7"; SH1106 data sheet, V2.3, whose
numbered commands are quoted as "SH 10". What is not said of one alone holds for both.
"""

from collections.abc import Sequence
from typing import ClassVar

import adafruit_ssd1306 as library

from hardware.drivers.oled_windows import BITS_A_BYTE, Window
from hardware.ports import Clock, I2cBus

COMMANDS, DATA = 0x00, 0x40  # control bytes: only commands follow; only data. DS 8.1.5.2
NOP = 0xE3
STATUS_IS_OFF = 0x40  # D6 of the status byte: the panel is off. DS table 9-2, SH 23
# For page addressing, which is all that the SH1106 has; and its pump. SH 1, 2, 12, 10
SET_COLUMN_LOW, SET_COLUMN_HIGH = 0x00, 0x10
SET_PAGE = 0xB0
SET_DC_DC = 0xAD

ASSUMED_HZ = 400_000  # until something was timed: what the chips bear, and the guide has people set
LONG_BITS = 1_000  # of a write whose time on the wire dwarfs the computer's own share


def write_bits(count: int) -> int:
    """What a write of *count* bytes costs on the bus: start, address, bytes, stop."""
    return 2 + BITS_A_BYTE * (1 + count)


class TimedI2c:
    """An I2C bus that learns how fast it runs; a ``hardware.ports.I2cBus``.

    A busy computer makes a write look slower than the bus is, and nothing makes it look faster, so
    the fastest so far is the nearest to the truth.
    """

    def __init__(self, i2c: I2cBus, clock: Clock) -> None:
        self._i2c = i2c
        self._clock = clock
        self._fastest_hz = 0.0
        self._longest_bits = 0

    @property
    def hz(self) -> float:
        """Bits a second, as measured, or else assumed."""
        return self._fastest_hz or ASSUMED_HZ

    @property
    def is_measured(self) -> bool:
        """Whether ``hz`` is more than a guess."""
        return self._longest_bits >= LONG_BITS

    def try_lock(self) -> bool:
        """Claim the bus."""
        return self._i2c.try_lock()

    def unlock(self) -> None:
        """Let it go."""
        self._i2c.unlock()

    def writeto(
        self,
        address: int,
        buffer: bytes,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Write ``buffer[start:end]``, and time it.

        Nothing is sent for an empty one, the probe of adafruit_ssd1306's constructor: a Pi 5 has no
        empty writes, and the read that the library falls back on is not acknowledged by every clone
        of the chips. The settings, which follow, are probe enough.

        Raises:
            OSError: nobody acknowledged.
        """
        count = len(buffer[start:end])
        if not count:
            return
        began_s = self._clock.now()
        self._i2c.writeto(address, buffer, start=start, end=end, stop=stop)
        took_s = self._clock.now() - began_s
        bits = write_bits(count)
        if took_s > 0:
            self._fastest_hz = max(self._fastest_hz, bits / took_s)
            self._longest_bits = max(self._longest_bits, bits)

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Fill ``buffer[start:end]``.

        Raises:
            OSError: nobody acknowledged.
        """
        self._i2c.readfrom_into(address, buffer, start=start, end=end, stop=stop)


class Ssd1306Panel(library.SSD1306_I2C):
    """The library's SSD1306, taught windows, and to keep dark until there is something to show.

    What adafruit_ssd1306 2.12.24 does oddly: its constructor lights the panel twice before the RAM
    is written, so a frame of noise flashes up; ``show()`` sends the whole frame in seven
    transactions, 9,410 bits for 128 x 64.

    Every method may raise OSError: the chip did not acknowledge. The constructor sends nothing.
    """

    NAME: ClassVar[str] = "SSD1306"
    SIZES: ClassVar[Sequence[tuple[int, int]]] = ((128, 64), (128, 32))
    # A window: seven command bytes with their control byte, and the control byte of the data.
    WINDOW_BITS: ClassVar[int] = write_bits(1 + 6) + write_bits(1)
    IS_PAGE_WISE: ClassVar[bool] = False

    def __init__(self, i2c: TimedI2c, size: tuple[int, int], address: int) -> None:
        super().__init__(*size, i2c, addr=address)

    def poweron(self) -> None:
        """Nothing: the constructor calls this before there is a picture to show."""

    def init_display(self) -> None:
        """Nothing: it would light the panel over noise; ``set_up()`` takes its place."""

    def set_up(self, *, is_rotated: bool) -> None:
        """Send every setting, with the panel dark. The values are the library's."""
        upright = 0 if is_rotated else 1  # modules stand upright when mirrored both ways
        self.send(
            COMMANDS,
            *(NOP, NOP),  # what a command cut short still waits for
            library.SET_DISP,
            library.SET_DISP_START_LINE,
            library.SET_SEG_REMAP | upright,
            *(library.SET_MUX_RATIO, self.height - 1),
            library.SET_COM_OUT_DIR | upright << 3,
            *(library.SET_DISP_OFFSET, 0x00),
            *(library.SET_COM_PIN_CFG, 0x02 if self.width > 2 * self.height else 0x12),
            *(library.SET_DISP_CLK_DIV, 0x80),
            *(library.SET_CONTRAST, 0xFF),
            library.SET_ENTIRE_ON,  # A4h: the panel follows the RAM
            library.SET_NORM_INV,
            *self.own_settings(),
        )

    def own_settings(self) -> Sequence[int]:
        """The settings that other chips do not share."""
        return (
            *(library.SET_MEM_ADDR, 0x00),  # horizontal: on to the next page at a window's edge
            *(library.SET_PRECHARGE, 0xF1),
            *(library.SET_VCOM_DESEL, 0x30),
            *(library.SET_IREF_SELECT, 0x30),
            *(library.SET_CHARGE_PUMP, 0x14),
        )

    def light(self) -> None:
        """Show what is in the RAM."""
        self.send(COMMANDS, library.SET_DISP | 1)

    def send_window(self, window: Window, pages: bytes) -> None:
        """Send the part of *pages* inside *window*, in two transactions."""
        self.send(COMMANDS, *self.window_commands(window))
        self.send(DATA, *b"".join(pages[span] for span in window.spans(self.width)))

    def window_commands(self, window: Window) -> Sequence[int]:
        """What makes the data that follow go to *window*."""
        return (
            *(library.SET_COL_ADDR, window.first_column, window.last_column),
            *(library.SET_PAGE_ADDR, window.first_page, window.last_page),
        )

    def touch(self) -> None:
        """Address the chip, and change nothing."""
        self.send(COMMANDS, NOP)

    def is_off(self) -> bool:
        """Ask whether the panel is off. After commands only: after data an SH1106 answers data."""
        status = bytearray(1)
        with self.i2c_device as device:
            device.readinto(status)
        return bool(status[0] & STATUS_IS_OFF)

    def send(self, *message: int) -> None:
        """Write *message*, control byte first, in one transaction."""
        with self.i2c_device as device:
            device.write(bytes(message))


class Sh1106Panel(Ssd1306Panel):
    """An SH1106: the chip of most 1.3 inch modules.

    Its RAM is 132 columns wide, of which modules show 128, from the third on; and it has page
    addressing alone, so a window is a part of one page.
    """

    NAME = "SH1106"
    SIZES = ((128, 64),)
    WINDOW_BITS = write_bits(1 + 3) + write_bits(1)
    IS_PAGE_WISE = True
    FIRST_COLUMN = 2

    def own_settings(self) -> Sequence[int]:
        """The values are the chip's own after a reset."""
        return (
            *(SET_DC_DC, 0x8B),  # the converter runs while the panel is on; SH 10
            *(library.SET_PRECHARGE, 0x22),
            *(library.SET_VCOM_DESEL, 0x35),
        )

    def window_commands(self, window: Window) -> Sequence[int]:
        """What makes the data that follow go to *window*, which lies in one page."""
        column = window.first_column + self.FIRST_COLUMN
        return (
            SET_PAGE | window.first_page,
            SET_COLUMN_LOW | column & 0x0F,
            SET_COLUMN_HIGH | column >> 4,
        )


PANELS: dict[str, type[Ssd1306Panel]] = {"ssd1306": Ssd1306Panel, "sh1106": Sh1106Panel}
