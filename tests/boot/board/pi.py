"""The emulated board in a unit: emulated chips below the real drivers, in real time.

Every picture on the display becomes a file in ``/srv/screen``, named by the monotonic clock in
nanoseconds. The file's texts say what the program had loaded and opened by then.

The Pi's own driver looks for each device node, and says what is wrong with it; only what it opens
there is emulated. It sees a Pi's files in ``/srv/pi``, where ``dev`` is the machine's own. The file
``/srv/screen/fault`` names a fault: ``hang`` or ``crash`` makes ``tapmat play`` fail when it opens
its first reader, and any other is one of ``tests.part_faults``. The parts are wired as
``/srv/screen/wiring.toml`` says, if there is such a file, and else as the table's file.
"""

import os
import sys
import time
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo

import hardware.drivers
import sim.mat.board
from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.spi import SpiDevice
from firmware.common.errors import ConfigError
from firmware.config.table_config import TableConfig, load_config
from hardware.ports import Speech, Voice
from tests.part_faults import PART_FAULTS

PI = Path("/srv/pi")  # the files of a Pi
SCREEN = Path("/srv/screen")
# The command line, and the table behind it. The emulated board itself loads neither.
REST = ("firmware.commands.cli", "firmware.table.table")


class WaitingClock(VirtualClock):
    """A virtual clock that also waits in real time."""

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass on the virtual clock, and wait as long."""
        super().sleep(seconds)
        time.sleep(max(seconds, 0.0))


class Board(sim.mat.board.EmulatedBoard):
    """The emulated board of one unit, or of the doctor."""

    _kept = b""  # the last picture that was saved
    _is_made = False

    def __init__(self, config: TableConfig) -> None:
        super().__init__(config)
        self._driver = _driver()
        vars(self._driver).update(_open_spi=self._open_spi, LinuxI2c=self._open_i2c)
        self._pi = self._driver.PiBoard(PI)
        self._is_made = True
        fault = SCREEN / "fault"
        self._fault = fault.read_text("utf-8") if fault.exists() else ""
        if self._fault in PART_FAULTS:
            self._acts = PART_FAULTS[self._fault](self)
            next(self._acts)  # nothing mends it: the board ends with its program

    @property
    def pins(self) -> Any:
        """The emulated pins, or those that GPIOZERO_PIN_FACTORY names, as on a Pi."""
        if self._is_made and self._driver.FACTORY in os.environ:
            return self._pi.pins
        return self._pins

    @pins.setter
    def pins(self, pins: Any) -> None:
        self._pins = pins

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        """Open the chip select, or fail as the file ``fault`` says."""
        if "play" in sys.argv:
            _fail(self._fault)
        opened: SpiDevice = self._pi.spi(bus, device, clock_hz)
        return opened

    def i2c(self, bus: int) -> I2cBus:
        """Open the bus; from now on every picture on the display is saved."""
        opened: I2cBus = self._pi.i2c(bus)
        panel = self.display
        if panel is not None and "write" not in vars(panel):
            write = panel.write

            def write_and_keep(data: bytes) -> None:
                write(data)
                self._keep_picture()

            panel.write = write_and_keep  # type: ignore[method-assign]
        return opened

    def voice(self, speech: Speech) -> Voice:
        """Return the Pi's voice for the doctor, and a silent one for the table."""
        if "doctor" not in sys.argv:
            return super().voice(speech)
        voice: Voice = self._pi.voice(speech)
        return voice

    def close(self) -> None:
        """Release the pins and all that the Pi's driver opened."""
        self._pi.close()
        self._pins.reset()

    def _open_spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        _open_node(f"spidev{bus}.{device}")
        return super().spi(bus, device, clock_hz)

    def _open_i2c(self, path: str) -> I2cBus:
        _open_node(Path(path).name)
        vars(self.i2c_bus)["close"] = lambda: None  # the Pi's driver closes what it opens
        return self.i2c_bus

    def _keep_picture(self) -> None:
        """Save what the display shows if it has changed; a display that is off shows nothing."""
        assert self.display is not None
        rows = self.display.visible()
        picture = Image.new("1", (len(rows[0]), len(rows)))
        if self.display.is_lit:
            picture.putdata([pixel for row in rows for pixel in row])
        if picture.tobytes() == self._kept:
            return
        self._kept = picture.tobytes()
        file = SCREEN / f"{time.monotonic_ns():020d}.png"
        half = SCREEN / f"half-{os.getpid()}"
        told = PngInfo()
        told.add_text("loaded", " ".join(name for name in REST if name in sys.modules))
        told.add_text("opened", " ".join(_open_state_files()))
        picture.save(half, "PNG", pnginfo=told)
        half.rename(file)


def _open_state_files() -> list[str]:
    """Return the names of the files in the state folder that this process has open."""
    state, found = Path(os.environ["TAPMAT_STATE"]), set()
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the handle that listed the others
            found.add(handle.readlink())
    return sorted(file.name for file in found if file.parent == state)


def _driver() -> ModuleType:
    """Return the Pi's own driver, which ``sitecustomize`` hides from the program."""
    file = Path(hardware.drivers.__path__[0], "pi.py")
    spec = spec_from_file_location("hardware.drivers.own_pi", file)
    assert spec is not None
    assert spec.loader is not None
    driver = module_from_spec(spec)
    spec.loader.exec_module(driver)
    return driver


def _open_node(name: str) -> None:
    """Open a device node, so that the kernel says if this user may, and close it again."""
    os.close(os.open(Path("/dev", name), os.O_RDWR))


def _fail(fault: str) -> None:
    if fault == "crash":
        raise RuntimeError("the test wants a crash")
    if fault == "hang":
        time.sleep(10_000)


def table_config() -> TableConfig:
    """Return the configuration that the command line names."""
    file = Path(sys.argv[sys.argv.index("--table") + 1]) if "--table" in sys.argv else None
    try:
        return load_config(file)
    except ConfigError:
        return load_config()


def open_board() -> Board:
    """Return the emulated board for the table on the command line."""
    vars(sim.mat.board)["VirtualClock"] = WaitingClock
    wiring = SCREEN / "wiring.toml"
    return Board(load_config(wiring) if wiring.exists() else table_config())
