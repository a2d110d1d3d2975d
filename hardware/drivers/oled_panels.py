"""The chips of OLED modules: their I2C commands, and an I2C bus that measures its speed.

It stores no picture.
May import: the standard library, hardware.ports, hardware.drivers.oled_windows, ssd1306_library.
May be imported by: hardware.drivers.oled, tests.
Source: SSD1306 data sheet, rev 1.1, quoted below as "DS 8.7"; SH1106 data sheet, V2.3, whose
numbered commands are quoted as "SH 10". Code without such a quote is for both chips. NXP UM10204
rev 7, the I2C-bus specification.
"""

import errno
from collections.abc import Sequence
from typing import ClassVar

from hardware.drivers.oled_windows import BITS_A_BYTE, Window
from hardware.drivers.ssd1306_library import adafruit_ssd1306 as library
from hardware.ports import Clock, I2cBus

COMMANDS, DATA = 0x00, 0x40  # control bytes: only commands follow; only data. DS 8.1.5.2
NOP = 0xE3
STATUS_IS_OFF = 0x40  # D6 of the status byte: the panel is off. DS table 9-2, SH 23
# Page addressing, the only mode of the SH1106, and its voltage converter. SH 1, 2, 12, 10
SET_COLUMN_LOW, SET_COLUMN_HIGH = 0x00, 0x10
SET_PAGE = 0xB0
SET_DC_DC = 0xAD

NO_CHIP = 0x7F  # reserved: no chip acknowledges it. UM10204, 3.1.12
BUS_IS_BUSY = (errno.ETIMEDOUT, errno.EAGAIN)  # errors of a controller that finds a wire low

ASSUMED_HZ = 400_000  # until measured: the rated speed, which the guide recommends
LONG_BITS = 1_000  # the time of a write this long is mostly the bus's, and little the computer's


def write_bits(count: int) -> int:
    """Return the number of bits on the bus for a write of *count* bytes.

    They are the start, the address, the bytes with their acknowledge bits, and the stop.
    """
    return 2 + BITS_A_BYTE * (1 + count)


class TimedI2c:
    """An I2C bus that measures its speed, as a ``hardware.ports.I2cBus``.

    On a busy computer a write seems slower than the bus, but never faster. So the highest speed so
    far is the best estimate.
    """

    def __init__(self, i2c: I2cBus, clock: Clock) -> None:
        self._i2c = i2c
        self._clock = clock
        self._fastest_hz = 0.0
        self._longest_bits = 0

    @property
    def hz(self) -> float:
        """The speed in bits per second, measured if possible, otherwise assumed."""
        return self._fastest_hz or ASSUMED_HZ

    @property
    def is_measured(self) -> bool:
        """True if ``hz`` was measured with a write that was long enough for an exact result."""
        return self._longest_bits >= LONG_BITS

    def try_lock(self) -> bool:
        """Claim the bus; return False if it is claimed already."""
        return self._i2c.try_lock()

    def unlock(self) -> None:
        """Release the bus."""
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
        """Write ``buffer[start:end]``, and measure how long it takes.

        An empty write is skipped. The constructor of adafruit_ssd1306 uses one to probe for the
        chip, but a Pi 5 cannot send it. The library then tries a read, which some clones of the
        chip do not acknowledge. A missing chip is noticed later, when the settings are sent.

        Raises:
            OSError: no chip acknowledged.
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

    def is_held(self) -> bool:
        """Read from an address that no chip may have; return True if a wire of the bus stays low.

        The address byte is FFh, so nothing drives SDA low for nine clock pulses. They make a chip
        that was cut off in the middle of a byte release SDA (UM10204, 3.1.16). The controller of a
        Pi up to 4 does not check SDA, so a low wire looks like an acknowledge. The controller of a
        Pi 5 checks SDA and reports an error.
        """
        while not self.try_lock():
            pass
        try:
            self._i2c.readfrom_into(NO_CHIP, bytearray(1))
        except OSError as refused:
            return refused.errno in BUS_IS_BUSY
        finally:
            self.unlock()
        return True

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Fill ``buffer[start:end]`` from the 7-bit *address*.

        Raises:
            OSError: no chip acknowledged.
        """
        self._i2c.readfrom_into(address, buffer, start=start, end=end, stop=stop)


class Ssd1306Panel(library.SSD1306_I2C):
    """The library's SSD1306 with windows added. The panel stays dark until there is a picture.

    Two faults of adafruit_ssd1306 2.12.24 are avoided. Its constructor switches the panel on before
    the RAM is written, so a frame of noise is visible. Its ``show()`` sends the whole frame in
    seven transactions, 9,410 bits for 128 x 64.

    Every method may raise OSError: the chip did not acknowledge. The constructor sends nothing.
    """

    NAME: ClassVar[str] = "SSD1306"
    SIZES: ClassVar[Sequence[tuple[int, int]]] = ((128, 64), (128, 32))
    # Bits of an empty window: a control byte and six commands, and the control byte of the data.
    WINDOW_BITS: ClassVar[int] = write_bits(1 + 6) + write_bits(1)
    IS_PAGE_WISE: ClassVar[bool] = False

    def __init__(self, i2c: TimedI2c, size: tuple[int, int], address: int) -> None:
        super().__init__(*size, i2c, addr=address)

    def poweron(self) -> None:
        """Do nothing: the constructor calls this before there is a picture to show."""

    def init_display(self) -> None:
        """Do nothing. The library's method would show noise; ``set_up()`` replaces it."""

    def set_up(self, *, is_rotated: bool) -> None:
        """Switch the panel off and send every setting, with the library's values."""
        upright = 0 if is_rotated else 1  # modules are upright when mirrored both ways
        self.send(
            COMMANDS,
            *(NOP, NOP),  # arguments for a command that was cut short
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
        """Return the commands for the settings that only this chip has."""
        return (
            *(library.SET_MEM_ADDR, 0x00),  # horizontal: rows of the window in turn
            *(library.SET_PRECHARGE, 0xF1),
            *(library.SET_VCOM_DESEL, 0x30),
            *(library.SET_IREF_SELECT, 0x30),
            *(library.SET_CHARGE_PUMP, 0x14),
        )

    def light(self) -> None:
        """Switch the panel on. It shows the RAM."""
        self.send(COMMANDS, library.SET_DISP | 1)

    def send_window(self, window: Window, pages: bytes) -> None:
        """Send the part of *pages* inside *window*, in two transactions."""
        self.send(COMMANDS, *self.window_commands(window))
        self.send(DATA, *b"".join(pages[span] for span in window.spans(self.width)))

    def window_commands(self, window: Window) -> Sequence[int]:
        """Return the commands that direct the next data to *window*."""
        return (
            *(library.SET_COL_ADDR, window.first_column, window.last_column),
            *(library.SET_PAGE_ADDR, window.first_page, window.last_page),
        )

    def touch(self) -> None:
        """Send a NOP, to check that the chip acknowledges."""
        self.send(COMMANDS, NOP)

    def is_off(self) -> bool:
        """Return True if the chip's status byte says that the panel is off.

        Do not call this right after data: an SH1106 would return data instead of the status byte.
        """
        status = bytearray(1)
        with self.i2c_device as device:
            device.readinto(status)
        return bool(status[0] & STATUS_IS_OFF)

    def send(self, *message: int) -> None:
        """Write *message*, control byte first, in one transaction."""
        with self.i2c_device as device:
            device.write(bytes(message))


class Sh1106Panel(Ssd1306Panel):
    """An SH1106, the chip of most 1.3 inch modules.

    Its RAM has 132 columns; modules show 128 of them, from column 2 on. It has page addressing
    only, so a window is a part of one page.
    """

    NAME = "SH1106"
    SIZES = ((128, 64),)
    WINDOW_BITS = write_bits(1 + 3) + write_bits(1)
    IS_PAGE_WISE = True
    FIRST_COLUMN = 2

    def own_settings(self) -> Sequence[int]:
        """Return the commands for the settings that only this chip has, with its reset values."""
        return (
            *(SET_DC_DC, 0x8B),  # the converter runs while the panel is on; SH 10
            *(library.SET_PRECHARGE, 0x22),
            *(library.SET_VCOM_DESEL, 0x35),
        )

    def window_commands(self, window: Window) -> Sequence[int]:
        """Return the commands that direct the next data to *window*, which has one page."""
        column = window.first_column + self.FIRST_COLUMN
        return (
            SET_PAGE | window.first_page,
            SET_COLUMN_LOW | column & 0x0F,
            SET_COLUMN_HIGH | column >> 4,
        )


PANELS: dict[str, type[Ssd1306Panel]] = {"ssd1306": Ssd1306Panel, "sh1106": Sh1106Panel}
