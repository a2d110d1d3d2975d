"""The real computer: a Raspberry Pi's buses, pins, sound and time.

Room: hardware. Knows no game.
May import: the standard library, gpiozero, spidev, hardware.ports and hardware.errors.
May be imported by: firmware.wiring, tests; found by the entry point ``tapmat.boards``.

Nothing is opened before it is asked for, so a table without lamps needs no pin library, and this
module can be imported on any computer.
"""

import os
import time
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hardware.drivers.linux_i2c import LinuxI2c
from hardware.drivers.speaker import open_speaker
from hardware.errors import MissingPart
from hardware.ports import Clock, I2cBus, Speech, SpiBus, Voice

N_ = str  # marks a text for the catalogues; it is translated where it is used

NO_PI = N_("This computer is no Raspberry Pi; play with emulated parts: tapmat play --sim")
PACKAGES = {"lgpio": "python3-lgpio", "spidev": "python3-spidev"}  # by the module's name
INSTALL = N_(
    "Install it: sudo apt install {package}; the venv needs python3 -m venv --system-site-packages"
)
TURN_ON_SPI = N_("Turn SPI on: sudo raspi-config nonint do_spi 0, then reboot")
TURN_ON_SPI1 = N_("Turn SPI1 on: add dtoverlay=spi1-3cs to /boot/firmware/config.txt, then reboot")
TURN_ON_I2C = N_("Turn I2C on: sudo raspi-config nonint do_i2c 0, then reboot")
OPEN = N_(
    "End other programs that use it, or join its group: sudo adduser $USER {group}, then log in "
    "again"
)


class Closeable(Protocol):
    """What the board opens and closes."""

    def close(self) -> None:
        """Let go of it."""
        ...


Opened = TypeVar("Opened", bound=Closeable)


class SystemClock:
    """The computer's own time; a ``hardware.ports.Clock``."""

    def now(self) -> float:
        """Seconds since a moment that stays the same while the program runs."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for at least *seconds*; at once when it is zero or less."""
        time.sleep(max(seconds, 0.0))


class PiBoard:
    """A Raspberry Pi; a ``hardware.ports.Board``.

    Args:
        root: where the system's files are; a test has its own.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._clock = SystemClock()
        self._pins: Any = None
        self._closers: list[Callable[[], None]] = []

    @property
    def clock(self) -> Clock:
        """The computer's own time."""
        return self._clock

    @property
    def pins(self) -> Any:
        """The pin factory of gpiozero for lgpio, or the one that GPIOZERO_PIN_FACTORY names.

        Not gpiozero's own choice: where lgpio is missing it goes on to RPi.GPIO, which does not
        work on a Pi 5, and to its own pins, which cannot dim a lamp.

        Raises:
            MissingPart: the pins cannot be opened.
        """
        if self._pins is None:
            self._pins = self._open("GPIO pins", "gpio", _open_pins)
        return self._pins

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiBus:
        """Open chip select *device* of SPI *bus*, mode 0.

        Raises:
            MissingPart: this computer has no such device, or may not open it.
        """
        remedy = TURN_ON_SPI if bus == 0 else TURN_ON_SPI1
        self._device("SPI", f"spidev{bus}.{device}", remedy)
        opened: SpiBus = self._open("SPI", "spi", lambda: _open_spi(bus, device, clock_hz))
        return opened

    def i2c(self, bus: int) -> I2cBus:
        """Open an I2C bus.

        Raises:
            MissingPart: this computer has no such bus, or may not open it.
        """
        path = self._device("I2C", f"i2c-{bus}", TURN_ON_I2C)
        return self._open("I2C", "i2c", lambda: LinuxI2c(str(path)))

    def voice(self, speech: Speech) -> Voice:
        """Recordings and a synthesis to the sound card, as *speech* wants them."""
        voice = open_speaker(speech)
        self._closers.append(voice.close)
        return voice

    def close(self) -> None:
        """Let go of everything that was opened, the last first; safe twice."""
        while self._closers:
            self._closers.pop()()
        self._pins = None

    def _device(self, part: str, name: str, remedy: str) -> Path:
        """The path of a device file that is there."""
        path = self._root / "dev" / name
        if not path.exists():
            found = _("/dev/{name} is not there").format(name=name)
            raise self._missing(part, found, _(remedy))
        return path

    def _open(self, part: str, group: str, opener: Callable[[], Opened]) -> Opened:
        """Open a part and remember to close it, or say what keeps it shut."""
        try:
            opened = opener()
        except ImportError as absent:
            module = absent.name or "?"
            found = _("the Python module {module} is missing").format(module=module)
            remedy = _(INSTALL).format(package=PACKAGES.get(module, module))
            raise self._missing(part, found, remedy) from absent
        # Pin libraries raise errors of their own, which have no nearer base.
        except Exception as shut:
            found = _("it does not open ({reason})").format(reason=shut)
            raise self._missing(part, found, _(OPEN).format(group=group)) from shut
        self._closers.append(opened.close)
        return opened

    def _missing(self, part: str, found: str, remedy: str) -> MissingPart:
        return MissingPart(part, found, remedy if self._is_pi() else _(NO_PI))

    def _is_pi(self) -> bool:
        model = self._root / "proc" / "device-tree" / "model"
        return model.exists() and "Raspberry Pi" in model.read_text(errors="replace")


def _open_pins() -> Any:
    from gpiozero import Device

    if "GPIOZERO_PIN_FACTORY" in os.environ:
        Device.ensure_pin_factory()
        return Device.pin_factory
    from gpiozero.pins.lgpio import LGPIOFactory

    return LGPIOFactory()


def _open_spi(bus: int, device: int, clock_hz: int) -> Any:
    import spidev  # on a Pi alone; it does not build elsewhere

    opened = spidev.SpiDev()
    opened.open(bus, device)
    opened.max_speed_hz = clock_hz
    opened.mode = 0
    return opened


def open_board() -> PiBoard:
    """This computer, as the table's board; nothing is opened yet."""
    return PiBoard()
