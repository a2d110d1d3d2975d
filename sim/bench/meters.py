"""Meters: what goes over the buses, what CPU the emulated chips take, when a pixel changes.

Room: sim. The drivers under test are not touched: what is metered is the chips' side of the bus.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from sim.chips.clock import NS_PER_S, VirtualClock
from sim.chips.i2c import BITS_PER_BYTE, STOP_BITS, I2cBus
from sim.chips.oled import DC
from sim.chips.spi import SpiDevice
from sim.chips.ssd1306 import HORIZONTAL, Ssd1306Chip

Method = Callable[..., Any]
READ, FIFO_DATA_REG = 0x80, 0x09 << 1  # of an address byte. MFRC522 data sheet, 8.1.2.3 and 9.3.1


@dataclass(frozen=True, slots=True)
class Transfer:
    """One SPI transfer: when it began and ended on the virtual clock, and what the host sent."""

    began_ns: int
    ended_ns: int
    sent: bytes

    @property
    def is_write(self) -> bool:
        """Whether it writes to a register."""
        return not self.sent[0] & READ

    @property
    def reads_fifo(self) -> bool:
        """Whether it reads what a tag has sent."""
        return not self.is_write and READ | FIFO_DATA_REG in self.sent


@contextmanager
def transfers(clock: VirtualClock) -> Iterator[list[Transfer]]:
    """Note every SPI transfer that is made meanwhile, whatever device it goes to."""
    noted: list[Transfer] = []

    def noting(xfer2: Method) -> Method:
        def noted_xfer2(device: SpiDevice, values: list[int]) -> list[int]:
            began_ns = clock.now_ns
            read: list[int] = xfer2(device, values)
            noted.append(Transfer(began_ns, clock.now_ns, bytes(values)))
            return read

        return noted_xfer2

    with _replaced(SpiDevice, "xfer2", noting):
        yield noted


class ChipCpu:
    """The CPU time that emulated chips and air have taken, in nanoseconds."""

    def __init__(self) -> None:
        self.ns = 0

    def of(self, method: Method) -> Method:
        """*method*, with its CPU time counted here."""

        def counted(*args: Any, **kwargs: Any) -> Any:
            began_ns = time.thread_time_ns()
            try:
                return method(*args, **kwargs)
            finally:
                self.ns += time.thread_time_ns() - began_ns

        return counted


@contextmanager
def chip_cpu() -> Iterator[ChipCpu]:
    """Count the CPU time spent below the drivers meanwhile: on the buses, and in virtual sleep."""
    meter = ChipCpu()
    with ExitStack() as replaced:
        for owner, name in (
            (SpiDevice, "xfer2"),
            (I2cBus, "writeto"),
            (I2cBus, "readfrom_into"),
            (VirtualClock, "sleep"),
        ):
            replaced.enter_context(_replaced(owner, name, meter.of))
        yield meter


@contextmanager
def _replaced(owner: type, name: str, wrap: Callable[[Method], Method]) -> Iterator[None]:
    """Let every *owner* have *wrap(its method called name)* meanwhile."""
    before = getattr(owner, name)
    setattr(owner, name, wrap(before))
    try:
        yield
    finally:
        setattr(owner, name, before)


class PixelWatch:
    """Stands on the bus in place of an SSD1306 and notes when a byte of its RAM last changed.

    A data byte is in the RAM as soon as it has come, so of a write the last byte that differs from
    what was there counts, not the write's end.
    """

    def __init__(self, chip: Ssd1306Chip, bus: I2cBus) -> None:
        self._chip, self._bus = chip, bus
        self.changed_ns = 0
        bus.detach(chip)
        bus.attach(self)

    @property
    def address(self) -> int:
        """The chip's."""
        return self._chip.address

    @property
    def present(self) -> bool:
        """The chip's."""
        return self._chip.present

    @property
    def acknowledges_reads(self) -> bool:
        """The chip's."""
        return self._chip.acknowledges_reads

    def write(self, data: bytes) -> None:
        """Hand *data* to the chip and see what it changes; even its stop is on the bus by now."""
        before = self._chip.gddram if data[0] & DC else b""
        window = self._chip.registers
        self._chip.write(data)
        if not before or before == self._chip.gddram:
            return
        assert window.mode == HORIZONTAL, "a window is followed byte by byte in this mode alone"
        cells = (
            page * self._chip.COLUMNS + column
            for page in range(window.first_page, window.last_page + 1)
            for column in range(window.first_column, window.last_column + 1)
        )
        last = max(
            number
            for number, (cell, byte) in enumerate(zip(cells, data[1:], strict=False), start=1)
            if before[cell] != byte
        )
        bits_later = (len(data) - 1 - last) * BITS_PER_BYTE + STOP_BITS
        self.changed_ns = self._bus.clock.now_ns - bits_later * NS_PER_S // self._bus.clock_hz

    def read(self, count: int) -> bytes:
        """Have the chip answer."""
        return self._chip.read(count)
