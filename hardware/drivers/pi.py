"""The board of a real table: the buses, pins, sound and clock of a Raspberry Pi.

May import: the standard library, gpiozero, spidev, hardware.ports, .errors and .gpio_chips.
May be imported by: firmware.runtime.wiring, tests; found by the entry point ``tapmat.boards``.

Each part is opened at its first use, so a table without lamps needs no pin library, and this module
can be imported on any computer.
"""

import errno
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hardware.drivers.linux_i2c import LinuxI2c
from hardware.errors import JOIN_GROUP, MissingPart
from hardware.gpio_chips import PINS, GpioChip, find_header_chip
from hardware.ports import Clock, I2cBus, Speech, SpiBus, Voice

NO_PI = "This computer is not a Raspberry Pi; to use emulated parts, add: --sim"
PACKAGES = {"lgpio": "python3-lgpio", "spidev": "python3-spidev"}  # Debian package of each module
INSTALL = (
    "Install it: sudo apt install {package}; the venv needs python3 -m venv --system-site-packages"
)
TURN_ON = "Turn {bus} on: sudo raspi-config nonint do_{command} 0, then reboot"
IMAGE = Path("usr", "lib", "tapmat")  # only tapmat's image has this folder
ON_IMAGE = "In tapmat's image {bus} is always on: write the image to the card again"
TURN_ON_SPI1 = "Turn SPI1 on: add dtoverlay=spi1-3cs to /boot/firmware/config.txt, then reboot"
CHANGE_FOLDER = "Change to a folder that you may write to, such as your own: cd"
SHUT = (
    "Stop the program that uses it; if a service's sandbox blocks it, allow it there (DeviceAllow=)"
)
TAKEN = (
    "Remove the dtoverlay line that loads this driver from /boot/firmware/config.txt, then reboot"
)
FACTORY = "GPIOZERO_PIN_FACTORY"  # names another pin library to gpiozero
UNSET = f"Remove {FACTORY}: unset {FACTORY}; check ~/.profile and ~/.bashrc too"


class Closeable(Protocol):
    """A resource that the board opens and closes."""

    def close(self) -> None:
        """Release the resource."""
        ...


Opened = TypeVar("Opened", bound=Closeable)


class SystemClock:
    """The computer's monotonic clock, as a ``hardware.ports.Clock``."""

    def now(self) -> float:
        """Return the seconds since a moment that does not change while the program runs."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for at least *seconds*; return at once if it is zero or less."""
        time.sleep(max(seconds, 0.0))


class PiBoard:
    """A Raspberry Pi, as a ``hardware.ports.Board``.

    Args:
        root: the root of the file system; tests use another one.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._clock = SystemClock()
        self._pins: Any = None
        self._closers: list[Callable[[], None]] = []

    @property
    def clock(self) -> Clock:
        """The computer's monotonic clock."""
        return self._clock

    @property
    def pins(self) -> Any:
        """The gpiozero pin factory for lgpio, or the one named by GPIOZERO_PIN_FACTORY.

        gpiozero's own choice would be wrong. Without lgpio it uses RPi.GPIO, which does not work on
        a Pi 5, or its own pins, which cannot drive a buzzer. It also opens gpiochip4 or 0, even if
        that is not the chip of the pin header.

        Raises:
            MissingPart: the pins cannot be opened.
        """
        if self._pins is None and FACTORY in os.environ:
            self._pins = self._open_named()
        elif self._pins is None:
            self._pins = self._open_header()
        return self._pins

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiBus:
        """Open chip select *device* of SPI *bus*, mode 0.

        Raises:
            MissingPart: this computer has no such device, or this user may not open it.
        """
        remedy = self._turn_on("SPI") if bus == 0 else TURN_ON_SPI1
        driver = self._driver_of(bus, device)
        if driver not in ("", "spidev"):
            found = f"the driver {driver} uses chip select {bus}.{device}"
            raise self._missing("SPI", found, TAKEN)
        node = self._device("SPI", f"spidev{bus}.{device}", remedy)
        opener = partial(_open_spi, bus, device, clock_hz)
        opened: SpiBus = self._open("SPI", "spi", node, opener)
        return opened

    def i2c(self, bus: int) -> I2cBus:
        """Open an I2C bus.

        Raises:
            MissingPart: this computer has no such bus, or this user may not open it.
        """
        path = self._device("I2C", f"i2c-{bus}", self._turn_on("I2C"))
        return self._open("I2C", "i2c", path, lambda: LinuxI2c(str(path)))

    def voice(self, speech: Speech) -> Voice:
        """Return a voice that plays recordings and synthesized speech on the sound card."""
        from hardware.drivers.speaker import open_speaker  # the first screen does not need it

        voice = open_speaker(speech)
        self._closers.append(voice.close)
        return voice

    def close(self) -> None:
        """Close everything that was opened, in reverse order; safe to call twice."""
        while self._closers:
            self._closers.pop()()
        self._pins = None

    def _device(self, part: str, name: str, remedy: str) -> Path:
        """Return the path of the device file *name*.

        Raises:
            MissingPart: it does not exist.
        """
        path = self._root / "dev" / name
        if not path.exists():
            found = f"/dev/{name} is not there"
            raise self._missing(part, found, remedy)
        return path

    def _driver_of(self, bus: int, device: int) -> str:
        """Return the name of the kernel's driver for a chip select; "" if there is none."""
        try:
            link = self._root / f"sys/bus/spi/devices/spi{bus}.{device}/driver"
            return link.readlink().name
        except OSError:
            return ""

    def _open_named(self) -> Any:
        """Return the pin factory that GPIOZERO_PIN_FACTORY names.

        Raises:
            MissingPart: it cannot be opened; the remedy is to unset the variable.
        """
        try:
            return self._open(PINS, "gpio", None, _open_named_pins)
        except MissingPart as missing:
            found = f"{FACTORY} is {os.environ[FACTORY]}, and {missing.found}"
            raise self._missing(PINS, found, UNSET) from missing

    def _open_header(self) -> Any:
        """Return a pin factory for the GPIO chip of the pin header."""
        try:
            chip = find_header_chip(self._root)
        except MissingPart as missing:
            raise self._missing(missing.part, missing.found, missing.remedy) from missing
        return self._open(PINS, "gpio", self._root / chip.node, partial(_open_pins, chip))

    def _open(
        self, part: str, group: str, node: Path | None, opener: Callable[[], Opened]
    ) -> Opened:
        """Open a part, and remember to close it.

        Raises:
            MissingPart: it cannot be opened, with the reason.
        """
        try:
            opened = opener()
        except ImportError as absent:
            module = absent.name or "?"
            found = f"the Python module {module} is missing"
            remedy = INSTALL.format(package=PACKAGES.get(module, module))
            raise self._missing(part, found, remedy) from absent
        # Pin libraries raise their own errors, which have no closer base class.
        except Exception as shut:
            if node is not None and _is_forbidden(node, shut):
                found, remedy = f"you may not use /dev/{node.name}", JOIN_GROUP.format(group=group)
            elif _is_about_pipe(shut):
                found = f"lgpio must write to the current folder, but may not: {Path.cwd()}"
                remedy = CHANGE_FOLDER
            else:
                found, remedy = f"it cannot be opened ({shut})", SHUT
            raise self._missing(part, found, remedy) from shut
        self._closers.append(opened.close)
        return opened

    def _turn_on(self, bus: str) -> str:
        """Return the remedy for *bus* without a device file."""
        if (self._root / IMAGE).exists():
            return ON_IMAGE.format(bus=bus)
        return TURN_ON.format(bus=bus, command=bus.lower())

    def _missing(self, part: str, found: str, remedy: str) -> MissingPart:
        return MissingPart(part, found, remedy if self._is_pi() else NO_PI)

    def _is_pi(self) -> bool:
        model = self._root / "proc" / "device-tree" / "model"
        return model.exists() and "Raspberry Pi" in model.read_text(errors="replace")


def _is_forbidden(node: Path, error: Exception) -> bool:
    """Return True if this user may not open *node*; pin libraries give no errno for it."""
    may_use = os.access(node, os.R_OK | os.W_OK)
    return not may_use or (isinstance(error, OSError) and error.errno == errno.EACCES)


def _is_about_pipe(error: Exception) -> bool:
    """Return True if lgpio could not make the pipe that it opens when it is imported."""
    return isinstance(error, OSError) and str(error.filename).startswith(".lgd-nfy")


def _open_pins(chip: GpioChip) -> Any:
    from hardware.drivers.edges import EdgeFactory  # imports lgpio, available only on a Pi

    return EdgeFactory(chip.number)


def _open_named_pins() -> Any:
    from gpiozero import Device

    Device.ensure_pin_factory()
    return Device.pin_factory


def _open_spi(bus: int, device: int, clock_hz: int) -> Any:
    import spidev  # available only on a Pi

    opened = spidev.SpiDev()
    opened.open(bus, device)
    opened.max_speed_hz = clock_hz
    opened.mode = 0
    return opened


def open_board() -> PiBoard:
    """Return this computer as the table's board; nothing is opened yet."""
    return PiBoard()
