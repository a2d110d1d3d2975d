"""QEMU's Raspberry Pi 3, with wires to its pins and a line to the service in ``tests.board.guest``.

Its time is counted in instructions, a nanosecond each (``-icount``), and passes at once while the
Pi waits. So what takes long on a busy computer takes the same emulated time as on an idle one.

Source: QEMU 10, docs/system/arm/raspi.rst, docs/devel/testing/qtest.rst and hw/arm/raspi.c; BCM2835
ARM Peripherals, 6.1.
"""

import json
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from PIL import Image

from firmware.show.text import find_text

GPIO = 0x3F20_0000
SET, CLEAR = GPIO + 0x1C, GPIO + 0x28  # of GPIO0 to 31
HEADER = range(28)
# QEMU's first code for the three other cores spins with WFE, which costs as much as real work. Only
# one core is used, so the others wait for an interrupt that never comes.
SPIN_AT = range(0x300, 0x340, 4)
WFE, WFI = 0xD503205F, 0xD503207F
PATIENCE_S = 1500.0  # of real time, in which a busy computer finishes any step
WORDS = "console=ttyS1,115200 maxcpus=1 panic=1"
LIMIT_S = 60.0  # emulated seconds for anything that the table does
LOOK_S = 0.2  # emulated seconds between two looks at it
HOLD_S = 0.3  # a press; the table reads levels every 50 ms


class BoardFault(Exception):
    """The emulated Pi did not do its part; the message has the end of its console."""


@dataclass(frozen=True, slots=True)
class BootFiles:
    """The files that QEMU starts, in place of the Pi's own firmware.

    *initrd* has the whole system, which stays in memory.
    """

    kernel: Path
    initrd: Path
    tree: Path


class Pi3:
    """An emulated Raspberry Pi 3 with one core and without a memory card, and its pins' wires.

    Args:
        qemu: the command that starts QEMU.
        files: what it starts.
        folder: gets sockets, and the console's log of each boot.
    """

    def __init__(self, qemu: Sequence[str], files: BootFiles, folder: Path) -> None:
        self._qemu = qemu
        self._files = files
        self._folder = folder
        self._boots = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._pins: TextIO | None = None
        self._line: TextIO | None = None
        self._monitor: TextIO | None = None
        self.at_s = 0.0  # emulated seconds since the kernel's start, at the last answer

    # --- power ---

    def power_on(self) -> None:
        """Switch it on, with open contacts at all pins; return when its service answers.

        Raises:
            BoardFault: it does not boot.
        """
        self._boots += 1
        self._process = subprocess.Popen(
            [*self._qemu, *self._options()], cwd=self._folder, stderr=subprocess.DEVNULL
        )
        self._pins, self._line, self._monitor = map(self._connect, ("pins", "line", "monitor"))
        self._park_cores()
        for pin in HEADER:
            self.drive(pin, is_high=True)
        self._monitor.write("cont\n")
        self._monitor.flush()
        self._wait_for_boot()

    def _options(self) -> list[str]:
        files = self._files
        return [
            "-M", "raspi3b", "-icount", "shift=0,sleep=off", "-display", "none", "-no-reboot", "-S",
            "-kernel", str(files.kernel), "-initrd", str(files.initrd), "-dtb", str(files.tree),
            "-append", WORDS,
            "-serial", "unix:line,server=on,wait=off", "-serial", f"file:{self.console.name}",
            "-monitor", "unix:monitor,server=on,wait=off",
            "-qtest", "unix:pins,server=on,wait=off", "-qtest-log", "none",
        ]  # fmt: skip

    def _connect(self, name: str) -> TextIO:
        """Return the stream to QEMU's socket *name*, once it is there."""
        ours = socket.socket(socket.AF_UNIX)
        until_s = time.monotonic() + PATIENCE_S
        while True:
            with suppress(OSError):
                ours.connect(str(self._folder / name))
                break
            if time.monotonic() > until_s or self._has_exited():
                raise BoardFault("QEMU does not start")
            time.sleep(0.1)
        ours.settimeout(PATIENCE_S)
        with ours:  # the stream keeps the connection open
            return ours.makefile("rw", encoding="utf-8")

    def _park_cores(self) -> None:
        for at in SPIN_AT:
            if self._probe(f"readl {at:#x}") == WFE:
                self._probe(f"writel {at:#x} {WFI:#x}")

    def close(self) -> None:
        """Cut its power; safe to call twice."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        for stream in (self._pins, self._line, self._monitor):
            if stream is not None:
                stream.close()
        for name in ("pins", "line", "monitor"):
            (self._folder / name).unlink(missing_ok=True)

    def _has_exited(self) -> bool:
        return self._process is None or self._process.poll() is not None

    # --- pins ---

    def drive(self, pin: int, *, is_high: bool) -> None:
        """Drive a pin that is an input. QEMU reports no edges to the kernel."""
        self._probe(f"writel {SET if is_high else CLEAR:#x} {1 << pin:#x}")

    def _probe(self, command: str) -> int:
        """Read or write the Pi's physical memory; return what was read, or 0."""
        assert self._pins is not None
        self._pins.write(f"{command}\n")
        self._pins.flush()
        said, *value = self._pins.readline().split()
        if said != "OK":
            raise BoardFault(f"QEMU refuses {command}: {said}")
        return int(value[0], 16) if value else 0

    # --- the service inside ---

    def ask(self, act: str, **words: object) -> Any:
        """Let the service do *act* (``tests.board.guest.Guest``), and return its result.

        Raises:
            BoardFault: it failed, or the emulated Pi does not answer.
        """
        answer = json.loads(self._exchange(json.dumps({"act": act, **words})))
        self.at_s = answer["at_s"]
        if "error" in answer:
            raise BoardFault(answer["error"])
        return answer["result"]

    def _exchange(self, request: str) -> str:
        """Send a line to the service; return the line that answers it."""
        assert self._line is not None
        self._line.write(f"{request}\n")
        self._line.flush()
        return self._read_line()

    def _wait_for_boot(self) -> None:
        self._read_line()  # the service says first that it is ready

    def _read_line(self) -> str:
        assert self._line is not None
        try:
            line = self._line.readline()
        except TimeoutError:
            line = ""
        if not line:
            raise BoardFault(f"it does not answer\n{self.console_end()}")
        return line

    # --- its parts, after the act "plug" ---

    def lay(self, uid: bytes, spot: str = "play") -> None:
        """Lay the tag with the serial number *uid* on a spot."""
        self.ask("lay", uid=uid.hex(), spot=spot)

    def lift(self, uid: bytes, spot: str = "play") -> None:
        """Take that tag off the spot."""
        self.ask("lift", uid=uid.hex(), spot=spot)

    def press(self, pin: int) -> None:
        """Press the button at GPIO *pin* for ``HOLD_S``, and let it go."""
        self.drive(pin, is_high=False)
        self.ask("wait", seconds=HOLD_S)
        self.drive(pin, is_high=True)

    def picture(self) -> Image.Image:
        """Return the pixels of the display's glass, mode "1"."""
        rows = self.ask("look")
        picture = Image.new("1", (len(rows[0]), len(rows)))
        picture.putdata([int(pixel) for row in rows for pixel in row])
        return picture

    def shows(self, text: str) -> bool:
        """Return True if *text* can be read on the display's glass."""
        return find_text(self.picture(), text)

    def wait_until(self, holds: Callable[[], bool], limit_s: float = LIMIT_S) -> bool:
        """Wait until *holds*, at most *limit_s* emulated seconds; return True if it does then."""
        until_s = self.at_s + limit_s
        while not holds():
            if self.at_s > until_s:
                return False
            self.ask("wait", seconds=LOOK_S)
        return True

    @property
    def console(self) -> Path:
        """The log of the console since the last ``power_on``."""
        return self._folder / f"console-{self._boots}.log"

    def console_end(self) -> str:
        """Return the last lines of the console."""
        return "\n".join(self.console.read_text(errors="replace").splitlines()[-20:])
