"""A driver for OLED modules with an SSD1306 or SH1106 on I2C, which sends only changes.

May import: the standard library, Pillow, hardware.ports, hardware.errors and hardware.drivers.
May be imported by: firmware.runtime.wiring, sim, tests.

The display's own memory is called RAM or GDDRAM. Each byte holds eight pixels, one above the other,
and eight rows of pixels are a *screen page*. A *window* is a rectangle of the memory that is sent
in one piece.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from PIL import Image

from hardware.drivers.oled_panels import PANELS, TimedI2c
from hardware.drivers.oled_windows import (
    BITS_A_BYTE,
    ROWS_A_PAGE,
    UNKNOWN,
    changed_columns,
    cover,
    inside,
    pack_pages,
)
from hardware.errors import DisplayFault
from hardware.ports import Clock, I2cBus, Remark

SLOW_HZ = 300_000  # clearly below the 400 kHz the chips are rated for; a Pi's default is 100 kHz
LEAST_COLUMNS = 8  # sent even if time is short; a narrower window has more overhead than data
NO_STATUS = (
    "the display does not report whether it is on, as some copies of the chip do not, so tapmat "
    "cannot notice if it was unplugged for a moment; if it stays dark, switch the mat off and on"
)
SLOW_BUS = (
    "the I2C bus runs at about {khz:.0f} kHz, so the display updates slowly; the chip is rated "
    "for 400 kHz: write dtparam=i2c_arm=on,i2c_arm_baudrate=400000 into /boot/firmware/config.txt, "
    "then reboot"
)
FAULTS = {
    "lost": (
        "the display does not answer at I2C address 0x{address:02X}; check its four wires, and the "
        "address with: i2cdetect -y 1"
    ),
    "held": (
        "a wire of the I2C bus (SDA or SCL) stays low, even after nine clock pulses; unplug "
        "the mat and plug it in again; if that does not help, a wire touches GND, or a chip is "
        "broken"
    ),
    "dark": (
        "the display at I2C address 0x{address:02X} lost power for a moment and is dark; check the "
        "plug and the wires of its supply"
    ),
}


@dataclass(slots=True)
class PanelState:
    """The known state of the panel. After a fault the state is unknown again."""

    ram: list[int]  # GDDRAM bytes as ``pack_pages`` gives them, or ``UNKNOWN``
    is_set_up: bool = False
    is_lit: bool = False
    has_status: bool = False  # its status byte has been correct so far


class Oled:
    """An OLED module on I2C, as a ``hardware.ports.Display``.

    Nothing is sent before the first ``show()``, ``check()`` or ``restart()``. So a display that is
    missing at the start is handled like one that fails later. After a fault, ``show()`` sets the
    display up by itself.

    Args:
        i2c: the bus.
        clock: the clock that times the bus.
        size: width and height in pixels.
        address: the I2C address, 0x3C or 0x3D.
        rotate: True if the module is mounted upside down.
        chip: ``ssd1306``, or ``sh1106`` as in most 1.3 inch modules.

    Raises:
        ValueError: the chip is unknown, or no module with it has this size.
    """

    def __init__(
        self,
        i2c: I2cBus,
        clock: Clock,
        size: tuple[int, int] = (128, 64),
        address: int = 0x3C,
        rotate: bool = False,
        chip: str = "ssd1306",
    ) -> None:
        if chip not in PANELS:
            raise ValueError(f"there is no driver for the chip {chip!r}; use {' or '.join(PANELS)}")
        panel = PANELS[chip]
        if size not in panel.SIZES:
            raise ValueError(f"an {panel.NAME} module cannot have {size[0]} x {size[1]} pixels")
        self._bus = TimedI2c(i2c, clock)
        self._panel = panel(self._bus, size, address)
        self._clock = clock
        self._size = size
        self._address = address
        self._is_rotated = rotate
        self._known = self._unknown()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._size

    @property
    def identity(self) -> str:
        """The chip and its I2C address, such as "SSD1306 at 0x3C"."""
        return f"{self._panel.NAME} at 0x{self._address:02X}"

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks ``slow-bus`` and ``no-status``, if they apply.

        There are none before the first picture. ``slow-bus``: the I2C bus is slow. ``no-status``:
        the chip does not report that it is on.
        """
        found = []
        if self._bus.is_measured and self._bus.hz < SLOW_HZ:
            found.append(Remark("slow-bus", SLOW_BUS.format(khz=self._bus.hz / 1000)))
        if self._known.is_lit and not self._known.has_status:
            found.append(Remark("no-status", NO_STATUS))
        return tuple(found)

    def show(self, picture: Image.Image, within_s: float | None = None) -> bool:
        """Show *picture*, sending the windows that changed, each in two I2C transactions.

        If time is short, pages are sent from the top, and only the left part of the last one. After
        power-on the RAM holds noise, so the panel is switched on only after all of the RAM has been
        written.

        Args:
            picture: mode "1", of this display's size; a lit pixel is non-zero.
            within_s: the time limit in seconds; something is always sent.

        Returns:
            True if the whole picture is shown.

        Raises:
            DisplayFault: the display did not acknowledge.
            ValueError: the picture has another mode or size.
        """
        if picture.size != self._size:
            raise ValueError(f"the picture must have the size {self._size}, not {picture.size}")
        pages = pack_pages(picture)
        until_s = None if within_s is None else self._clock.now() + within_s
        try:
            begins = not self._known.is_set_up
            if begins:
                self._set_up()
            self._send(pages, until_s)
            if not self._known.is_lit and UNKNOWN not in self._known.ram:
                self._light(is_at_once=begins)
        except OSError as silent:
            raise self._fault("lost") from silent
        return self._known.ram == list(pages)

    def check(self) -> None:
        """Check that the panel is still on. Without a status byte, check only that it is present.

        Raises:
            DisplayFault: it does not acknowledge, it is off, or a wire of the bus stays low.
        """
        try:
            if self._bus.is_held():
                raise self._fault("held")
            self._panel.touch()
            is_dark = self._known.is_lit and self._known.has_status and self._panel.is_off()
        except OSError as silent:
            raise self._fault("lost") from silent
        if is_dark:
            raise self._fault("dark")

    def restart(self) -> None:
        """Set the display up. It stays dark until ``show()`` has sent a whole frame.

        Raises:
            DisplayFault: it does not acknowledge.
        """
        try:
            self._set_up()
        except OSError as silent:
            raise self._fault("lost") from silent
        self._known = self._unknown()  # a loss of power before the next frame would go unnoticed

    def close(self) -> None:
        """Switch the panel off; safe to call twice, even if the display was removed."""
        if self._known.is_lit:
            with suppress(OSError):
                self._panel.poweroff()
        self._known = self._unknown()

    # --- the known state of the panel ---

    def _unknown(self) -> PanelState:
        return PanelState([UNKNOWN] * (self._size[0] * self._size[1] // ROWS_A_PAGE))

    def _fault(self, kind: str) -> DisplayFault:
        self._known = self._unknown()
        return DisplayFault(kind, FAULTS[kind].format(address=self._address))

    def _set_up(self) -> None:
        """Send the settings. After that the panel is dark, and its RAM is unknown."""
        # The first call sends nine clock pulses, at which a chip that holds SDA low releases it.
        if self._bus.is_held() and self._bus.is_held():
            raise self._fault("held")
        self._panel.set_up(is_rotated=self._is_rotated)
        self._known = self._unknown()
        self._known.is_set_up = True
        self._known.has_status = self._reports(is_off=True)

    def _light(self, *, is_at_once: bool) -> None:
        """Switch the panel on, and find out if its status byte can be trusted.

        It can be trusted if it read "off" while the panel was off and reads "on" now.

        A loss of power while the panel is off goes unnoticed. So if the first frame took more than
        one call (*is_at_once* is False), the settings may be lost: they are sent again now, and
        later calls send the frame again.
        """
        if not is_at_once:
            self._set_up()
        self._panel.light()
        self._known.is_lit = True
        self._known.has_status = self._known.has_status and self._reports(is_off=False)

    def _reports(self, *, is_off: bool) -> bool:
        """Return True if the status byte says that the panel is off or, if not *is_off*, on.

        Return False if the status byte cannot be read, as from some clones.
        """
        with suppress(OSError):
            return self._panel.is_off() == is_off
        return False

    # --- sending ---

    def _send(self, pages: bytes, until_s: float | None) -> None:
        """Send the bytes of *pages* that the RAM lacks, at least a few, and stop at *until_s*.

        *until_s* is a time on the clock, in seconds; None means no limit.
        """
        panel, width = self._panel, self._size[0]
        dirty = changed_columns(self._known.ram, pages, width)
        windows = deque(cover(dirty, panel.WINDOW_BITS, is_page_wise=panel.IS_PAGE_WISE))
        has_sent = False
        while windows:
            window = windows.popleft()
            room_bits = inf if until_s is None else (until_s - self._clock.now()) * self._bus.hz
            room = (room_bits - panel.WINDOW_BITS) / BITS_A_BYTE  # in cells
            if window.cells > room:
                if window.first_page < window.last_page:
                    its_pages = cover(inside(dirty, window), panel.WINDOW_BITS, is_page_wise=True)
                    windows.extendleft(reversed(its_pages))
                    continue
                if has_sent and room < LEAST_COLUMNS:
                    return
                window = window.left_part(max(int(room), LEAST_COLUMNS))
            panel.send_window(window, pages)
            for span in window.spans(width):
                self._known.ram[span] = pages[span]
            has_sent = True
