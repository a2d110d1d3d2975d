"""The bench on which drivers are judged: a reader, a display and pins under their modules.

This file is the only one that knows how a driver reaches the chips.
"""

import importlib
import io
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fakepi import FakePi
from fakepi.clock import VirtualClock
from fakepi.dropins.install import drop_in
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import Mfrc522
from fakepi.oled import OledChip
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc
from fakepi.spi import SpiDevice
from fakepi.standins import SpiDev
from tests.fakepi.judges.gpio_lines import Lgpio, Line
from tests.fakepi.judges.i2c_node import I2cNode

BESIDE = Path(sys.prefix) / "beside"  # mfrc522-python, which has the module name of mfrc522
REPLACED = (
    *("spidev", "lgpio", "busio", "digitalio", "circuitpython_typing"),
    *("RPi", "gpiozero", "mfrc522", "pirc522", "smbus2", "luma"),
    *("adafruit_ssd1306", "adafruit_bus_device", "adafruit_framebuf", "adafruit_pn532"),
)
REVISION = 0xA02082  # Raspberry Pi 3B
REVISION_FILE = "/proc/device-tree/system/linux,revision"
IRQ_LINE = 24  # pin 18, where pi-rc522 expects IRQ
TICK_S = 0.001
LONGEST_WAIT_S = 60.0  # of a driver that waits without a limit


class WaitsForEverError(Exception):
    """A driver waited for longer than `LONGEST_WAIT_S`, without its own limit."""


class WatchedSpi(SpiDevice):
    """A chip select that passes the reader's interrupt on to its GPIO line after each transfer."""

    def __init__(self, chip: Mfrc522, clock: VirtualClock, irq: Line) -> None:
        super().__init__(chip, clock)
        self._reader, self._irq = chip, irq

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile."""
        received = super().xfer2(values)
        self.pass_irq_on()
        return received

    def pass_irq_on(self) -> None:
        """Drive the line as pin IRQ is."""
        self._irq.drive(int(self._reader.irq_pin))


class Bench:
    """One reader chip on SPI 0.0 with its field, one I2C bus, and the GPIO lines.

    Args:
        hold_ns: the time a tag keeps its state without a field (`ExactPhysics`).
    """

    def __init__(self, *, hold_ns: int = 0) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock, ExactPhysics(power_down_ns=hold_ns))
        self.chip = Mfrc522(self.clock, self.field)
        self.lgpio = Lgpio(self.clock)
        self.spi = WatchedSpi(self.chip, self.clock, self.lgpio.lines[IRQ_LINE])
        self.i2c = I2cBus(self.clock)
        self._node = I2cNode(self.i2c)

    def lay(self, *tags: Picc) -> None:
        """Lay *tags* on the reader and wait until they are awake."""
        for tag in tags:
            self.field.enter(tag)
        self.clock.sleep(0.005)

    def plug(self, chip: OledChip) -> OledChip:
        """Connect a display and return it."""
        self.i2c.attach(chip)
        return chip

    def bounce(self, number: int, *levels: int) -> None:
        """Drive a line to each of *levels*, 1 ms apart, and keep the last for 0.5 s."""
        for level in levels:
            self.lgpio.lines[number].drive(level)
            self.clock.sleep(0.001)
        self.clock.sleep(0.5)

    def driver(self, name: str, *, beside: bool = False) -> Any:
        """Import the module *name*; *beside* means the folder of mfrc522-python."""
        if beside:
            sys.path.insert(0, str(BESIDE))
        try:
            return importlib.import_module(name)
        finally:
            if beside:
                sys.path.remove(str(BESIDE))

    def smbus2(self) -> Any:
        """Import smbus2, with the system calls replaced."""
        smbus2 = importlib.import_module("smbus2.smbus2")
        vars(smbus2).update(os=self._node, ioctl=self._node.ioctl)
        return importlib.import_module("smbus2")

    def wait(self, event: threading.Event, timeout: float | None) -> bool:
        """Let virtual time pass until *event* is set or *timeout* is over."""
        end = self.clock.now() + (LONGEST_WAIT_S if timeout is None else timeout)
        while not event.is_set() and self.clock.now() < end:
            self.clock.sleep(TICK_S)
            self.spi.pass_irq_on()
        if timeout is None and not event.is_set():
            raise WaitsForEverError
        return event.is_set()


@contextmanager
def install(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Replace what is below the drivers: spidev, lgpio, the clock and the board's revision."""
    before = {name: module for name, module in sys.modules.items() if _is_replaced(name)}
    _forget_modules()
    sys.modules.update(_replacements(bench))
    monkeypatch.setenv("RPI_LGPIO_REVISION", f"{REVISION:x}")
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    real_open = io.open
    monkeypatch.setattr(
        io,
        "open",
        lambda path, *how, **more: (
            io.BytesIO(REVISION.to_bytes(4, "big"))
            if path == REVISION_FILE
            else real_open(path, *how, **more)
        ),
    )
    monkeypatch.setattr(time, "sleep", bench.clock.sleep)
    monkeypatch.setattr(time, "time", bench.clock.now)
    monkeypatch.setattr(time, "monotonic", bench.clock.now)
    monkeypatch.setattr(
        threading.Event, "wait", lambda event, timeout=None: bench.wait(event, timeout)
    )
    try:
        yield bench
    finally:
        _forget_modules()
        sys.modules.update(before)


@contextmanager
def fake_pi(wiring: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePi]:
    """A fake Pi in place of the bench: Blinka is unmodified above its drop-ins."""
    for name in [name for name in sys.modules if name.startswith(("adafruit_", "neopixel"))]:
        monkeypatch.delitem(sys.modules, name)
    pi = FakePi(wiring)
    with drop_in(pi, monkeypatch):
        yield pi


def _replacements(bench: Bench) -> dict[str, ModuleType]:
    contents: dict[str, dict[str, object]] = {
        "spidev": {"SpiDev": lambda: SpiDev({(0, 0): bench.spi})},
        # The Adafruit drivers use these only in annotations.
        "busio": {"I2C": I2cBus, "SPI": SpiDevice},
        "digitalio": {"DigitalInOut": Line, "Direction": None},
        "circuitpython_typing": {"ReadableBuffer": bytes, "WriteableBuffer": bytearray},
    }
    modules = {name: ModuleType(name) for name in contents}
    for name, module in modules.items():
        vars(module).update(contents[name])
    return {**modules, "lgpio": bench.lgpio}


def _is_replaced(name: str) -> bool:
    return name.split(".")[0] in REPLACED


def _forget_modules() -> None:
    for name in [name for name in sys.modules if _is_replaced(name)]:
        del sys.modules[name]
