"""An SPI bus whose bytes cost time.

Room: sim/chips. The bytes a driver exchanges, as ``spidev.SpiDev`` offers them.
May import: the standard library and sim.chips.
Source: BCM2835 ARM Peripherals, chapter 10: the controller leaves one clock between bytes, so a
byte takes nine. What a transfer costs beside its bytes (system call, Python) is a parameter.
"""

import errno
import os
from functools import reduce
from operator import and_
from typing import Protocol

from sim.chips.clock import NS_PER_S, VirtualClock

OVERHEAD_NS = (
    20_000  # one transfer from Python on a Raspberry Pi 5, measured by others at 22 to 24 us
)


class SpiChip(Protocol):
    """A chip on SPI: chip select falls, bytes go both ways at once, chip select rises."""

    def select(self) -> None:
        """Begin a transfer."""
        ...

    def shift_out(self) -> int:
        """The byte this chip puts on MISO now."""
        ...

    def shift_in(self, value: int) -> None:
        """Take the byte that has just come on MOSI."""
        ...


class SelectWire:
    """The wire from a GPIO to the chip select of one chip of a `SharedSpi`.

    ``stuck_at`` breaks this chip's MISO wire: while it is selected, the host reads this value.
    """

    def __init__(self, chip: SpiChip) -> None:
        self._chip = chip
        self.stuck_at: int | None = None
        self.is_low = True

    def drive(self, level: float) -> None:
        """The GPIO is at *level*, 0 or 1; a fall begins a transfer."""
        is_low = not level
        if is_low and not self.is_low:
            self._chip.select()
        self.is_low = is_low

    def shift_out(self) -> int:
        """The byte that comes out of its MISO wire now."""
        sent = self._chip.shift_out()
        return sent if self.stuck_at is None else self.stuck_at

    def shift_in(self, value: int) -> None:
        """Take the byte on MOSI."""
        self._chip.shift_in(value)


class SharedSpi:
    """Several chips behind one SPI device whose own chip select goes nowhere.

    Each has a GPIO as chip select instead. Give it to a `SpiDevice` in place of a chip::

        shared = SharedSpi()
        wire = shared.attach(chip)  # once for each chip
        pins.pin(22).wire = wire.drive  # hears each level of its GPIO, 0 or 1
        device = SpiDevice(shared, clock)  # once for each time a program opens the device
        wire.stuck_at = 0xFF  # breaks the MISO wire of this chip; None mends it

    A chip takes part while its wire is low. Wires are low from the start, as a Raspberry Pi pulls
    GPIO9 to 27 down until a program drives them. Two chips selected at once both listen, and MISO
    reads the AND of what they drive; with none it reads 00h. The device's chip select begins no
    transfer: a chip left selected takes the next one for more of the same.
    """

    def __init__(self) -> None:
        self._wires: list[SelectWire] = []

    def attach(self, chip: SpiChip) -> SelectWire:
        """Solder *chip* to the bus; its chip select is the wire that is returned."""
        wire = SelectWire(chip)
        self._wires.append(wire)
        return wire

    def select(self) -> None:
        """The device's own chip select falls, and nobody sees it."""

    def shift_out(self) -> int:
        """What all selected chips together put on MISO."""
        driven = [wire.shift_out() for wire in self._selected()]
        return reduce(and_, driven) if driven else 0x00

    def shift_in(self, value: int) -> None:
        """All selected chips take the byte on MOSI."""
        for wire in self._selected():
            wire.shift_in(value)

    def _selected(self) -> list[SelectWire]:
        return [wire for wire in self._wires if wire.is_low]


class SpiDevice:
    """One chip select, opened; *chip* is ``None`` where no chip is soldered.

    ``stuck_at`` cuts MISO: the chip hears, and the host reads this value. An empty place reads 00h
    unless that is set. ``transfers`` counts.
    """

    def __init__(
        self,
        chip: SpiChip | None,
        clock: VirtualClock,
        clock_hz: int = 1_000_000,
        overhead_ns: int = OVERHEAD_NS,
        clocks_per_byte: int = 9,
    ) -> None:
        self._chip = chip
        self._clock = clock
        self._overhead_ns = overhead_ns
        self._clocks_per_byte = clocks_per_byte
        self._is_open = True
        self.max_speed_hz = clock_hz
        self.stuck_at: int | None = None
        self.transfers = 0

    @property
    def max_speed_hz(self) -> int:
        """Clock of the bus in hertz."""
        return self._clock_hz

    @max_speed_hz.setter
    def max_speed_hz(self, clock_hz: int) -> None:
        if clock_hz <= 0:
            raise ValueError(f"the SPI clock must be above 0 Hz, not {clock_hz}")
        self._clock_hz = clock_hz
        self._byte_ns = round(self._clocks_per_byte * NS_PER_S / clock_hz)

    def xfer2(self, values: list[int]) -> list[int]:
        """Exchange bytes in one transfer, chip select held low throughout."""
        if not self._is_open:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self.transfers += 1
        advance, byte_ns, chip = self._clock.advance_ns, self._byte_ns, self._chip
        advance(self._overhead_ns)
        if chip is None:
            advance(byte_ns * len(values))
            return [self.stuck_at or 0x00] * len(values)
        chip.select()
        read, shift_out, shift_in = [], chip.shift_out, chip.shift_in
        for value in values:
            read.append(shift_out())
            advance(byte_ns)
            shift_in(value)
        return read if self.stuck_at is None else [self.stuck_at] * len(values)

    def close(self) -> None:
        """Let go of the device; safe twice."""
        self._is_open = False
