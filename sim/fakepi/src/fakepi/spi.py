"""An emulated SPI bus with the methods of ``spidev.SpiDev``. Each byte takes its time.

May import: the standard library and fakepi.
Source: BCM2835 ARM Peripherals, chapter 10: the controller leaves one clock between bytes, so a
byte takes nine clocks. The overhead of a transfer (system call, Python) is a parameter, or that of
the clock's host (`fakepi.host`).
"""

import errno
import os
from collections.abc import Collection, Sequence
from functools import reduce
from operator import and_
from typing import ClassVar, Protocol

from fakepi.clock import NS_PER_S, VirtualClock

# One transfer from Python on a Raspberry Pi 5; others have measured 22 to 24 us.
OVERHEAD_NS = 20_000


class SpiChip(Protocol):
    """A chip on an SPI bus. Subclass it.

    ``modes`` are the SPI modes that it supports.
    """

    modes: ClassVar[Collection[int]] = (0,)

    def select(self) -> None:
        """Begin a transfer: chip select falls."""
        ...

    def shift_out(self) -> int:
        """Return the byte that this chip puts on MISO now."""
        ...

    def shift_in(self, value: int) -> None:
        """Receive a byte on MOSI."""
        ...

    def transfer(self, values: Sequence[int], clock: VirtualClock, byte_ns: int) -> list[int]:
        """Receive *values* on MOSI, each in *byte_ns*, and return the bytes sent meanwhile.

        A chip may override this method to be faster, but the result must be exactly the same.
        """
        sent, shift_out, shift_in, advance = [], self.shift_out, self.shift_in, clock.advance_ns
        for value in values:
            sent.append(shift_out())
            advance(byte_ns)
            shift_in(value)
        return sent


class SelectWire:
    """The wire from a GPIO to the chip select of one chip of a `SharedSpi`.

    ``stuck_at`` breaks the MISO wire of this chip: while it is selected, the host reads this value.
    ``keeps_miso`` is for a board that does not release MISO: it drives this value while its chip is
    not selected, and the host reads the AND of all bytes
    (https://github.com/miguelbalboa/rfid/issues/290).
    """

    def __init__(self, chip: SpiChip, clock: VirtualClock | None = None) -> None:
        self._chip = chip
        self._clock = clock
        self.stuck_at: int | None = None
        self.keeps_miso: int | None = None
        self.is_low = True

    def drive(self, level: float) -> None:
        """Set the wire to *level*, 0 or 1.

        A falling edge begins a transfer. On a clock with a host, this takes as long as the host
        needs to set a GPIO.
        """
        if self._clock is not None and self._clock.host is not None:
            self._clock.advance_ns(self._clock.host.edge_ns())
        is_low = not level
        if is_low and not self.is_low:
            self._chip.select()
        self.is_low = is_low

    def shift_out(self) -> int:
        """Return the byte that this chip's MISO wire carries now."""
        sent = self._chip.shift_out()
        return sent if self.stuck_at is None else self.stuck_at

    def shift_in(self, value: int) -> None:
        """Receive a byte on MOSI."""
        self._chip.shift_in(value)

    def transfer(self, values: Sequence[int], clock: VirtualClock, byte_ns: int) -> list[int]:
        """Receive *values* on MOSI and return the bytes that the MISO wire carried meanwhile."""
        sent = self._chip.transfer(values, clock, byte_ns)
        return sent if self.stuck_at is None else [self.stuck_at] * len(sent)


class SharedSpi(SpiChip):
    """Several chips on one SPI device whose own chip select is not connected.

    Each chip has a GPIO as chip select. Pass this object to a `SpiDevice` in place of a chip::

        shared = SharedSpi(clock)
        wire = shared.attach(chip)  # once for each chip
        pins.pin(22).wire = wire.drive  # called with each level of the GPIO, 0 or 1
        device = SpiDevice(shared, clock)  # once for each time a program opens the device
        wire.stuck_at = 0xFF  # breaks the MISO wire of this chip; None repairs it

    A chip is selected while its wire is low. Wires are low from the start, as a Raspberry Pi pulls
    GPIO9 to 27 down until a program drives them. If two chips are selected, both receive, and MISO
    is the AND of the bytes that they send. If none is selected, MISO reads 00h. The device's own
    chip select does not begin a transfer, so a chip that stays selected treats the next transfer as
    a part of the last one. Without a *clock*, driving a wire takes no time.
    """

    def __init__(self, clock: VirtualClock | None = None) -> None:
        self._clock = clock
        self._wires: list[SelectWire] = []

    def attach(self, chip: SpiChip) -> SelectWire:
        """Connect *chip* to the bus and return its chip select wire."""
        wire = SelectWire(chip, self._clock)
        self._wires.append(wire)
        return wire

    def select(self) -> None:
        """Do nothing: the device's own chip select is not connected."""

    def shift_out(self) -> int:
        """Return the AND of the bytes that chips drive MISO with. 00h if none drives it."""
        driven = [wire.shift_out() for wire in self._selected_wires()] + self._contention()
        return reduce(and_, driven) if driven else 0x00

    def shift_in(self, value: int) -> None:
        """Let the selected chips receive a byte on MOSI."""
        for wire in self._selected_wires():
            wire.shift_in(value)

    def transfer(self, values: Sequence[int], clock: VirtualClock, byte_ns: int) -> list[int]:
        """Receive *values* on MOSI and return the bytes on MISO; see `SpiChip`."""
        selected = self._selected_wires()
        stays_selected = clock.is_idle_until(clock.now_ns + byte_ns * len(values))
        if len(selected) == 1 and stays_selected and not self._contention():
            return selected[0].transfer(values, clock, byte_ns)
        return super().transfer(values, clock, byte_ns)

    def _contention(self) -> list[int]:
        """Return the AND of the values that boards that do not release MISO drive it with."""
        return [
            wire.keeps_miso
            for wire in self._wires
            if not wire.is_low and wire.keeps_miso is not None
        ]

    def _selected_wires(self) -> list[SelectWire]:
        return [wire for wire in self._wires if wire.is_low]


class SpiDevice:
    """An open chip select of an SPI bus. *chip* is ``None`` if no chip is connected.

    ``stuck_at`` breaks MISO: the chip receives, but the host reads this value. Without a chip, the
    host reads 00h or ``stuck_at``. ``transfers`` counts the transfers. *overhead_ns* is used only
    if the clock has no host.
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
        """The clock rate of the bus in hertz."""
        return self._clock_hz

    @max_speed_hz.setter
    def max_speed_hz(self, clock_hz: int) -> None:
        if clock_hz <= 0:
            raise ValueError(f"the SPI clock must be above 0 Hz, not {clock_hz}")
        self._clock_hz = clock_hz
        self._byte_ns = round(self._clocks_per_byte * NS_PER_S / clock_hz)

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile. Chip select stays low."""
        if not self._is_open:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self.transfers += 1
        clock, byte_ns, chip = self._clock, self._byte_ns, self._chip
        clock.advance_ns(self._overhead_ns if clock.host is None else clock.host.transfer_ns())
        if chip is None:
            clock.advance_ns(byte_ns * len(values))
            return [self.stuck_at or 0x00] * len(values)
        chip.select()
        read = chip.transfer(values, clock, byte_ns)
        return read if self.stuck_at is None else [self.stuck_at] * len(values)

    def close(self) -> None:
        """Close the device; safe to call twice."""
        self._is_open = False
