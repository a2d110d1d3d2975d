"""``tapmat play`` on an emulated Pi, in a separate process, with methods for people at the mat.

A separate process can answer the program's calls while this one is busy. That is necessary, because
the program's reader driver waits only a few milliseconds for an answer, as on a Pi.

May import: firmware.config, sim.mat, fakepi and this room.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.managers import BaseManager
from pathlib import Path
from typing import Any

from fakepi.kernel.program import PiProgram
from fakepi.picc import Picc
from firmware.config.table_config import TableConfig
from sim.mat.faults import Effect
from sim.mat.parts import EmulatedParts
from sim.nodes.emulated_pi import EmulatedPi

PLAY = (sys.executable, "-m", "firmware.commands.start", "play")


@dataclass(frozen=True, slots=True)
class Look:
    """The output of the program that people can see.

    *pixels* are the display's, row by row (None without a display), and *lit* the lamps that are
    on. *exit_code* is None while the program runs.
    """

    pixels: tuple[bytes, ...] | None
    lit: frozenset[str]
    exit_code: int | None


def fewest_transfers(parts: EmulatedParts) -> int:
    """Return the number of SPI transfers so far to the reader that had the fewest.

    Readers behind select pins share a chip select, and are not counted.
    """
    opened = [reader.devices for reader in parts.readers.values() if reader.devices]
    sums = (sum(device.transfers for device in devices) for devices in opened)
    return min(sums, default=0)


class PiTable:
    """An emulated Pi with the parts of *config*. *folder* gets its files and the program's log."""

    def __init__(self, config: TableConfig, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._pi = EmulatedPi(config, folder / "pi")
        self._program: PiProgram | None = None
        self._piccs: dict[int, Picc] = {}

    def start(self, options: list[str], environment: Mapping[str, str]) -> None:
        """Start ``tapmat play`` with *options*. Raises NodesUnsupported."""
        with (self._folder / "log").open("ab") as log:
            self._program = self._pi.start(
                [*PLAY, *options],
                env=environment,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the program and its children, as a power cut does."""
        if self._program is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._program.process.pid, signal.SIGKILL)
        self._program.close()
        self._program = None

    def power_cut(self) -> None:
        """Cut the power, after ``kill``."""
        self._pi.power_cut()

    def power_on(self) -> None:
        """Switch the power on again, before ``start``."""
        self._pi.power_on()

    def lay(self, number: int, picc: Picc, spot: str) -> None:
        """Lay the tag *number* on a spot.

        The first call with a number decides which tag it is; later calls ignore *picc*.
        """
        with self._pi.lock:
            self._pi.readers[spot].field.enter(self._piccs.setdefault(number, picc))

    def lift(self, number: int, spot: str) -> None:
        """Take the tag *number* off a spot."""
        with self._pi.lock:
            self._pi.readers[spot].field.leave(self._piccs[number])

    def move_button(self, name: str, *, is_down: bool) -> None:
        """Press or release a button."""
        button = self._pi.buttons[name]
        with self._pi.lock:
            (button.press if is_down else button.release)()

    def drive(self, number: int, *, is_high: bool) -> None:
        """Drive the pin GPIO *number* from outside."""
        pin = self._pi.pins.pin(number)
        with self._pi.lock:
            (pin.drive_high if is_high else pin.drive_low)()

    def strike(self, effect: Effect, part: str) -> None:
        """Apply *effect* to *part*, a part of the mat. An effect breaks or repairs a part."""
        parts: Any = self._pi  # it has all parts outside the computer
        with self._pi.lock:
            effect(parts, part)

    def transfers(self) -> int:
        """Return the number of SPI transfers so far, as ``fewest_transfers`` counts them."""
        with self._pi.lock:
            return fewest_transfers(self._pi)

    def look(self) -> Look:
        """Return the program's output now."""
        with self._pi.lock:
            display, lamp, pins = self._pi.display, self._pi.lamp, self._pi.pins
            pixels = None if display is None else display.visible()
            lit = frozenset(name for name, at in self._config.lamps.items() if lamp(at, pins))
        return Look(pixels, lit, None if self._program is None else self._program.process.poll())


class _PiManager(BaseManager):
    """The ``multiprocessing`` manager whose process has the emulated Pi."""


_PiManager.register("PiTable", PiTable)


class PiProcess:
    """The process with a ``PiTable``; ``table`` has its methods."""

    def __init__(self, config: TableConfig, folder: Path) -> None:
        self._manager = _PiManager(ctx=get_context("spawn"))
        self._manager.start()
        self.table: Any = self._manager.PiTable(config, folder)  # type: ignore[attr-defined]

    def close(self) -> None:
        """End the program and the process."""
        self.table.kill()
        self._manager.shutdown()
