"""The service inside the emulated Pi for the tests: ``python3 -m tests.board.guest``.

It holds the emulated chips behind the kernel's device nodes. The tests talk to it over the Pi's
first UART, or over the two FIFOs named on the command line: requests, then answers. Each line is a
JSON object: a request names its ``act`` and the arguments; the answer has the ``result`` or the
``error``, and the seconds since the kernel's start as ``at_s``.
"""

import json
import os
import signal
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fakepi.ntag import Ntag
from fakepi.picc import Picc
from firmware.config.table_config import load_config
from sim.mat.faults import FAULTS
from sim.nodes.kernel_pi import KernelPi

LINE = "/dev/ttyAMA0"  # the first UART; the console is on the second
DRIVER = Path("/sys/bus/spi/drivers/spidev")
ACTS = ("plug", "lay", "lift", "strike", "repair", "look", "run", "wait")
TOO_LONG = 124  # the exit code, as that of timeout(1)
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/var/lib/tapmat",
    "TAPMAT_STATE": "/var/lib/tapmat",
    "LG_WD": "/tmp",  # lgpio makes its notification pipes there
    "COLUMNS": "200",
}


class Guest:
    """Does what the tests ask. Until ``plug``, the buses are the emulated Pi's own and empty."""

    def __init__(self) -> None:
        self._pi: KernelPi | None = None
        self._piccs: dict[str, Picc] = {}

    @property
    def pi(self) -> KernelPi:
        """The emulated parts; ``plug`` must have been called."""
        assert self._pi is not None, "no parts are plugged in"
        return self._pi

    def plug(self, table: str) -> None:
        """Wire the parts of the file *table* to SPI0 and I2C1."""
        self._pi = KernelPi(load_config(Path(table)))
        for device in DRIVER.glob("spi*"):
            (DRIVER / "unbind").write_text(device.name)
        self._pi.add_spi()
        subprocess.run(["modprobe", "-r", "i2c-dev"], check=True)
        self._pi.add_i2c()

    def lay(self, uid: str, spot: str) -> None:
        """Lay the tag with the serial number *uid*, in hexadecimal digits, on a spot."""
        with self.pi.lock:
            picc = self._piccs.setdefault(uid, Ntag(bytes.fromhex(uid)))
            self.pi.readers[spot].field.enter(picc)

    def lift(self, uid: str, spot: str) -> None:
        """Take a tag off a spot."""
        with self.pi.lock:
            self.pi.readers[spot].field.leave(self._piccs[uid])

    def strike(self, fault: str, part: str) -> None:
        """Break *part* by a fault of ``sim.mat.faults``."""
        parts: Any = self.pi  # it has all parts outside the computer
        with self.pi.lock:
            FAULTS[fault].strike(parts, part)

    def repair(self, fault: str, part: str) -> None:
        """Repair *part* after that fault."""
        parts: Any = self.pi
        with self.pi.lock:
            FAULTS[fault].repair(parts, part)

    def look(self) -> list[str]:
        """Return the rows of the display's visible pixels, each of the digits 0 and 1."""
        assert self.pi.display is not None
        with self.pi.lock:
            rows = self.pi.display.visible()
        return ["".join("1" if pixel else "0" for pixel in row) for row in rows]

    def run(self, script: str, groups: list[str], limit_s: float) -> tuple[int, str]:
        """Run a shell *script* as the user tapmat; return its exit code and what it printed.

        Besides its own group, the user is a member of *groups* only. If the script takes more than
        *limit_s* seconds of the emulated Pi, it is killed, and the code is TOO_LONG.
        """
        with subprocess.Popen(
            ["sh", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", env=ENVIRONMENT, start_new_session=True,
            user="tapmat", group="tapmat", extra_groups=groups,
        ) as running:  # fmt: skip
            try:
                said, _ = running.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                said, _ = running.communicate()
                return TOO_LONG, said
        return running.returncode, said

    def wait(self, seconds: float) -> None:
        """Let *seconds* of the emulated Pi pass."""
        time.sleep(seconds)


def serve(asked: int, answered: int) -> None:
    """Answer on the descriptor *answered* what arrives on *asked*, until that is closed."""
    guest = Guest()
    acts: Mapping[str, Callable[..., object]] = {name: getattr(guest, name) for name in ACTS}
    _send(answered, {"result": "ready"})
    with os.fdopen(os.dup(asked), encoding="utf-8") as requests:
        for request in requests:
            _send(answered, _answer(acts, request))


def _answer(acts: Mapping[str, Callable[..., object]], request: str) -> dict[str, Any]:
    try:
        words = json.loads(request)
        return {"result": acts[words.pop("act")](**words)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _send(to: int, answer: dict[str, Any]) -> None:
    data = json.dumps({**answer, "at_s": time.monotonic()}).encode() + b"\n"
    while data:
        data = data[os.write(to, data) :]


if __name__ == "__main__":
    lines = [os.open(name, os.O_RDWR | os.O_NOCTTY) for name in sys.argv[1:] or (LINE,)]
    if os.isatty(lines[0]):
        tty.setraw(lines[0])
    serve(lines[0], lines[-1])
