"""The OLED: pictures to an SSD1306 or SH1106 over I2C, sending only what changed.

Room: hardware. Knows no game.
May import: the standard library, Pillow, hardware.ports, hardware.errors and hardware.drivers.
May be imported by: firmware.wiring, sim, tests.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
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

N_ = str  # marks a text for the catalogues; it is translated where it is used

SLOW_HZ = 300_000  # clearly below the 400 kHz that the chips bear; a Pi's own default is 100 kHz
LEAST_COLUMNS = 8  # sent however little time there is; a window of fewer is mostly its own cost
NO_STATUS = N_(
    "the display does not tell whether it is on, as some copies of the chip do not, so it is not "
    "noticed when it was unplugged for a moment; if it stays dark, switch the mat off and on"
)
SLOW_BUS = N_(
    "the I2C bus runs at about {khz:.0f} kHz, so the display follows slowly; the chip bears 400: "
    "write dtparam=i2c_arm=on,i2c_arm_baudrate=400000 into /boot/firmware/config.txt, then reboot"
)
FAULTS = {
    "lost": N_(
        "the display does not answer at I2C address {address:02X}h; check its four wires, and the "
        "address with: i2cdetect -y 1"
    ),
    "dark": N_(
        "the display at I2C address {address:02X}h has been without power and is dark; check the "
        "plug and the wires of its supply"
    ),
}


@dataclass(slots=True)
class Known:
    """What is known of the panel; nothing of it holds after a fault."""

    ram: list[int]  # GDDRAM bytes as ``pack_pages`` gives them, or ``UNKNOWN``
    is_set_up: bool = False
    is_lit: bool = False
    has_status: bool = False  # its status byte has been right so far


class Oled:
    """An OLED module on I2C; a ``hardware.ports.Display``.

    Nothing is sent before the first ``show()``, ``check()`` or ``restart()``, so a display that is
    missing when the table starts is the same fault as one that is lost later, and is taken back the
    same way. After a fault ``show()`` sets the display up by itself.

    Args:
        i2c: the bus.
        clock: what the bus is timed by.
        size: width and height; which ones there are depends on the chip.
        address: the I2C address, 3Ch or 3Dh.
        rotate: the module is mounted upside down.
        chip: ``ssd1306``, or ``sh1106``, which most 1.3 inch modules have.

    Raises:
        ValueError: no such chip, or a size that no module with it has.
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
            raise ValueError(f"the display's chip is {chip!r}; known are {', '.join(PANELS)}")
        panel = PANELS[chip]
        if size not in panel.SIZES:
            raise ValueError(f"no {panel.NAME} module has {size[0]} x {size[1]} pixels")
        self._bus = TimedI2c(i2c, clock)
        self._panel = panel(self._bus, size, address)
        self._clock = clock
        self._size = size
        self._address = address
        self._is_rotated = rotate
        self._known = self._nothing()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._size

    @property
    def identity(self) -> str:
        """Which chip is driven, and where."""
        return f"{self._panel.NAME} at {self._address:02X}h"

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """``slow-bus`` and ``no-status``, once a picture was shown and they are so."""
        found = []
        if self._bus.is_measured and self._bus.hz < SLOW_HZ:
            found.append(Remark("slow-bus", _(SLOW_BUS).format(khz=self._bus.hz / 1000)))
        if self._known.is_lit and not self._known.has_status:
            found.append(Remark("no-status", _(NO_STATUS)))
        return tuple(found)

    def show(self, picture: Image.Image, within_s: float | None = None) -> bool:
        """Show *picture*, sending the windows that changed, each in two transactions.

        What does not fit into the time is sent page by page, from the top, and of a page that does
        not fit the left part. The panel is lit when there is no noise left in its RAM.

        Args:
            picture: mode "1", of this display's size; a lit pixel is non-zero.
            within_s: seconds after which to stop.

        Returns:
            Whether the whole picture is shown.

        Raises:
            DisplayFault: the display did not acknowledge.
            ValueError: the picture has another mode or size.
        """
        if picture.size != self._size:
            raise ValueError(f"a picture of {picture.size} for a display of {self._size}")
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
        """Ask whether the panel is still on, or of a chip that cannot tell, whether it is there.

        Raises:
            DisplayFault: it does not acknowledge, or it is off.
        """
        try:
            self._panel.touch()
            is_dark = self._known.is_lit and self._known.has_status and self._panel.is_off()
        except OSError as silent:
            raise self._fault("lost") from silent
        if is_dark:
            raise self._fault("dark")

    def restart(self) -> None:
        """Set the display up; it stays dark until ``show()`` has sent a whole frame.

        Raises:
            DisplayFault: it does not acknowledge.
        """
        try:
            self._set_up()
        except OSError as silent:
            raise self._fault("lost") from silent
        self._known = self._nothing()  # until a frame follows, what happens to it goes unseen

    def close(self) -> None:
        """Switch the panel off; safe twice, and when the display is gone."""
        if self._known.is_lit:
            with suppress(OSError):
                self._panel.poweroff()
        self._known = self._nothing()

    # --- what the panel is known to show ---

    def _nothing(self) -> Known:
        return Known([UNKNOWN] * (self._size[0] * self._size[1] // ROWS_A_PAGE))

    def _fault(self, kind: str) -> DisplayFault:
        self._known = self._nothing()
        return DisplayFault(kind, _(FAULTS[kind]).format(address=self._address))

    def _set_up(self) -> None:
        """Send the settings; the panel is dark, and of its RAM nothing is known."""
        self._panel.set_up(is_rotated=self._is_rotated)
        self._known = self._nothing()
        self._known.is_set_up = True
        self._known.has_status = self._tells(is_off=True)

    def _light(self, *, is_at_once: bool) -> None:
        """Light the panel; trust its status if that told off as off, and now tells on as on.

        A plug that is pulled and put back while the panel is off goes unseen. So when its first
        frame was not sent *at once*, the settings are sent again now, and the frame by later calls.
        """
        if not is_at_once:
            self._set_up()
        self._panel.light()
        self._known.is_lit = True
        self._known.has_status = self._known.has_status and self._tells(is_off=False)

    def _tells(self, *, is_off: bool) -> bool:
        """Whether the chip tells rightly if it is off; some clones do not answer at all."""
        with suppress(OSError):
            return self._panel.is_off() == is_off
        return False

    # --- sending ---

    def _send(self, pages: bytes, until_s: float | None) -> None:
        """Send what of *pages* is not in the RAM: all, or what there is time for, but something."""
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
