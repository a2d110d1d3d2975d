"""Meters for SPI transfers, the CPU time of emulated chips, and changes of pixels.

The meters are on the chips' side of the buses, and do not change the drivers under test.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from fakepi.clock import NS_PER_S, VirtualClock
from fakepi.i2c import BITS_PER_BYTE, STOP_BITS, I2cBus
from fakepi.oled import DC
from fakepi.spi import SpiDevice
from fakepi.ssd1306 import HORIZONTAL, Ssd1306Chip

Method = Callable[..., Any]
READ, FIFO_DATA_REG = 0x80, 0x09 << 1  # in an address byte: MFRC522 data sheet, 8.1.2.3 and 9.3.1


@dataclass(frozen=True, slots=True)
class Transfer:
    """One SPI transfer: its start and end in virtual time, and the bytes *sent* to the chip."""

    began_ns: int
    ended_ns: int
    sent: bytes

    @property
    def is_write(self) -> bool:
        """True if the transfer writes to a register of the chip."""
        return not self.sent[0] & READ

    @property
    def reads_fifo(self) -> bool:
        """True if the transfer reads from the FIFO, which holds the tags' answers."""
        return not self.is_write and READ | FIFO_DATA_REG in self.sent


@contextmanager
def transfers(clock: VirtualClock) -> Iterator[list[Transfer]]:
    """Record all SPI transfers during the block; yield the list, which grows."""
    noted: list[Transfer] = []

    def noting(xfer2: Method) -> Method:
        def noted_xfer2(device: SpiDevice, values: list[int]) -> list[int]:
            began_ns = clock.now_ns
            read: list[int] = xfer2(device, values)
            noted.append(Transfer(began_ns, clock.now_ns, bytes(values)))
            return read

        return noted_xfer2

    with _patch_method(SpiDevice, "xfer2", noting):
        yield noted


class ChipCpu:
    """The CPU time of emulated chips and RF fields, in nanoseconds."""

    def __init__(self) -> None:
        self.ns = 0

    def of(self, method: Method) -> Method:
        """Return *method* wrapped so that its CPU time is added to this meter."""

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            began_ns = time.thread_time_ns()
            try:
                return method(*args, **kwargs)
            finally:
                self.ns += time.thread_time_ns() - began_ns

        return wrapper


@contextmanager
def chip_cpu() -> Iterator[ChipCpu]:
    """Count the CPU time below the drivers during the block: bus transfers and virtual sleep."""
    meter = ChipCpu()
    with ExitStack() as replaced:
        for owner, name in (
            (SpiDevice, "xfer2"),
            (I2cBus, "writeto"),
            (I2cBus, "readfrom_into"),
            (VirtualClock, "sleep"),
        ):
            replaced.enter_context(_patch_method(owner, name, meter.of))
        yield meter


@contextmanager
def _patch_method(owner: type, name: str, wrap: Callable[[Method], Method]) -> Iterator[None]:
    """Replace the method *name* of the class *owner* by ``wrap(method)`` during the block."""
    before = getattr(owner, name)
    setattr(owner, name, wrap(before))
    try:
        yield
    finally:
        setattr(owner, name, before)


class PixelWatch:
    """A bus device in front of an SSD1306 that notes the time of the last change in its RAM.

    The chip stores each data byte as it arrives. So the time of a write is that of the last byte
    that changes the RAM, not that of the end of the write.
    """

    def __init__(self, chip: Ssd1306Chip, bus: I2cBus) -> None:
        self._chip, self._bus = chip, bus
        self.changed_ns = 0
        bus.detach(chip)
        bus.attach(self)

    @property
    def address(self) -> int:
        """The chip's I2C address."""
        return self._chip.address

    @property
    def present(self) -> bool:
        """True if the chip is connected."""
        return self._chip.present

    @property
    def acknowledges_reads(self) -> bool:
        """True if the chip acknowledges reads."""
        return self._chip.acknowledges_reads

    def write(self, data: bytes) -> None:
        """Pass *data* to the chip, and compute when its last changed byte arrived.

        The bus clock is already at the end of the write, stop bit included.
        """
        before = self._chip.gddram if data[0] & DC else b""
        window = self._chip.registers
        self._chip.write(data)
        if not before or before == self._chip.gddram:
            return
        assert window.mode == HORIZONTAL, "bytes can be followed only in this addressing mode"
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
        """Return *count* bytes from the chip."""
        return self._chip.read(count)
