"""The emulated board in a unit: emulated chips below the real drivers, in real time.

Every picture on the display becomes a file in ``/srv/screen``, named by the monotonic clock in
nanoseconds. The file's texts say what the program had loaded and opened by then. A bus works if its
device node exists and this user may use it. The file ``/srv/screen/fault`` makes ``tapmat play``
fail when it opens its first reader: ``hang`` or ``crash``.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

import sim.mat.board
from firmware.common.errors import ConfigError
from firmware.config.table_config import TableConfig, load_config
from hardware.errors import MissingPart
from sim.chips.clock import VirtualClock
from sim.chips.i2c import I2cBus
from sim.chips.spi import SpiDevice

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
    """The emulated board of one unit."""

    _kept = b""  # the last picture that was saved

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        """Open the chip select, or fail as the file ``fault`` says."""
        _need(f"spidev{bus}.{device}")
        fault = SCREEN / "fault"
        if "play" in sys.argv and fault.exists():
            _fail(fault.read_text(encoding="utf-8"))
        return super().spi(bus, device, clock_hz)

    def i2c(self, bus: int) -> I2cBus:
        """Open the bus; from now on every picture on the display is saved."""
        _need(f"i2c-{bus}")
        panel = self.display
        if panel is not None and "write" not in vars(panel):
            write = panel.write

            def write_and_keep(data: bytes) -> None:
                write(data)
                self._keep_picture()

            panel.write = write_and_keep  # type: ignore[method-assign]
        return super().i2c(bus)

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


def _need(node: str) -> None:
    if not Path("/dev", node).exists():
        raise MissingPart(node, f"/dev/{node} is not there", "Turn its bus on, then reboot")
    if not os.access(f"/dev/{node}", os.R_OK | os.W_OK):
        raise MissingPart(node, f"you may not use /dev/{node}", "Join its group, then reboot")


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
    return Board(table_config())
