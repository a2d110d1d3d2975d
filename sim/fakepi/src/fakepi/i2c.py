"""An emulated I2C bus with the methods of ``busio.I2C``.

It passes bytes to the chip with the address, and advances the virtual clock by the time that the
bytes take. May import: the standard library and fakepi.
Source: NXP UM10204 rev 7 (the I2C-bus specification), 3.1; busio.I2C in the CircuitPython manual;
BCM2835 ARM Peripherals, chapter 3: its controller never checks SDA while it sends. So if SDA is
held low, the controller sees an acknowledge of every address and reads zeros.
"""

import errno
import os
from typing import Protocol

from fakepi.clock import NS_PER_S, VirtualClock

START_BITS = STOP_BITS = 1  # each takes one clock. UM10204, 3.1.4
BITS_PER_BYTE = 9  # eight bits and the acknowledge. UM10204, 3.1.5 and 3.1.6
ADDRESSES = range(0x08, 0x78)  # the rest are reserved. UM10204, 3.1.12
# EREMOTEIO, the error of Linux if no chip acknowledges. Only Linux has the name.
REMOTE_IO = 121


class I2cChip(Protocol):
    """A chip on an I2C bus."""

    @property
    def address(self) -> int:
        """The 7-bit I2C address."""
        ...

    @property
    def present(self) -> bool:
        """True if the chip is plugged in and acknowledges."""
        ...

    @property
    def acknowledges_reads(self) -> bool:
        """True if the chip acknowledges reads. Some clones do not."""
        ...

    def write(self, data: bytes) -> None:
        """Receive the bytes of one write, without the address byte."""
        ...

    def read(self, count: int) -> bytes:
        """Return *count* bytes."""
        ...


class I2cBus:
    """One I2C bus, and its chips by their 7-bit address.

    ``bits`` and ``transactions`` count all traffic since the bus was made.

    Args:
        clock: the clock that each bit advances.
        clock_hz: the bit rate.
        arbitrates: True if the controller checks SDA and reports an error while it is low, as on a
            Pi 5, but not on earlier models.
    """

    def __init__(
        self, clock: VirtualClock, clock_hz: int = 400_000, *, arbitrates: bool = False
    ) -> None:
        self.clock = clock
        self.clock_hz = clock_hz
        self.bits = 0
        self.transactions = 0
        self._chips: dict[int, I2cChip] = {}
        self._is_locked = False
        self._arbitrates = arbitrates
        self._held_clocks = 0.0  # clock pulses until SDA is released

    def hold_sda(self, clocks: float) -> None:
        """Hold SDA low for *clocks* more clock pulses.

        A chip that was cut off in the middle of a byte needs at most nine (UM10204, 3.1.16). For a
        wire that touches GND, *clocks* is infinite. 0 releases the wire.
        """
        self._held_clocks = clocks

    def attach(self, chip: I2cChip) -> None:
        """Connect *chip* to the bus.

        Raises:
            ValueError: the address is reserved, or another chip has it.
        """
        if chip.address not in ADDRESSES:
            raise ValueError(f"0x{chip.address:02X} is not an I2C address that a chip may have")
        if chip.address in self._chips:
            raise ValueError(f"two chips at I2C address 0x{chip.address:02X}")
        self._chips[chip.address] = chip

    def detach(self, chip: I2cChip) -> None:
        """Disconnect *chip* from the bus."""
        del self._chips[chip.address]

    def try_lock(self) -> bool:
        """Claim the bus; return False if it is claimed already."""
        claimed = not self._is_locked
        self._is_locked = True
        return claimed

    def unlock(self) -> None:
        """Release the bus."""
        self._is_locked = False

    def writeto(
        self,
        address: int,
        buffer: bytes,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Write ``buffer[start:end]`` to the chip at *address*, in one transaction.

        Raises:
            OSError: no chip acknowledged the address, or the chip was unplugged meanwhile. It then
                gets none of the bytes.
            RuntimeError: the bus was not locked, as with ``busio``.
        """
        data = bytes(buffer[start:end])
        chip = self._address(address, is_read=False)
        if chip is None:
            self._charge(len(data) * BITS_PER_BYTE + (STOP_BITS if stop else 0))
            self._clock_out(len(data))
            return
        taken = self._send(len(data), chip)
        self._charge(STOP_BITS if stop or taken < len(data) else 0)
        if taken < len(data):
            cut = f"cut at byte {taken + 1} of {len(data)}"
            raise OSError(REMOTE_IO, f"I2C address 0x{address:02X} no longer acknowledges ({cut})")
        chip.write(data)

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Fill ``buffer[start:end]`` from the chip at *address*.

        Raises:
            OSError: no chip acknowledged the address.
            RuntimeError: the bus was not locked, as with ``busio``.
        """
        window = memoryview(buffer)[start:end]
        chip = self._address(address, is_read=True)
        self._charge(len(window) * BITS_PER_BYTE + (STOP_BITS if stop else 0))
        if chip is None:
            window[:] = bytes(self._clock_out(1) for _ in window)
        else:
            window[:] = chip.read(len(window))

    def _address(self, address: int, *, is_read: bool) -> I2cChip | None:
        """Send a start and the address byte. Return the chip, or None if SDA is held low.

        Raises:
            OSError: no chip acknowledged the address, or the controller found SDA low.
            RuntimeError: the bus was not locked.
        """
        if not self._is_locked:
            raise RuntimeError("lock the bus first: try_lock()")
        self.transactions += 1
        self._charge(START_BITS + BITS_PER_BYTE)
        is_held = self._held_clocks > 0
        if is_held and self._arbitrates:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        if is_held and not self._clock_out(1):
            return None
        chip = None if is_held else self._chips.get(address)  # no chip noticed the start
        if chip is None or not chip.present or (is_read and not chip.acknowledges_reads):
            self._charge(STOP_BITS)
            raise OSError(REMOTE_IO, f"no chip acknowledged I2C address 0x{address:02X}")
        return chip

    def _send(self, count: int, chip: I2cChip) -> int:
        """Let the time of *count* bytes to *chip* pass; return how many the chip acknowledged.

        A byte during which the chip is unplugged is not acknowledged, and is the last one.
        """
        sent = 0
        begin_ns, byte_bits_ns = self.clock.now_ns, BITS_PER_BYTE * NS_PER_S
        while sent < count:
            next_ns, more = self.clock.next_call_ns, count - sent
            if next_ns is not None:  # stop after the byte in which the call is due
                due = (next_ns - begin_ns) * self.clock_hz // byte_bits_ns + 1 - sent
                more = min(more, max(1, due))
            self._charge(more * BITS_PER_BYTE)
            sent += more
            if not chip.present:
                return sent - 1
        return sent

    def _clock_out(self, count: int) -> int:
        """Clock *count* bytes without a chip; return 00h if SDA stays low throughout, else FFh."""
        is_low = self._held_clocks >= count * BITS_PER_BYTE
        self._held_clocks = max(0.0, self._held_clocks - count * BITS_PER_BYTE)
        return 0x00 if is_low else 0xFF

    def _charge(self, bits: int) -> None:
        self.bits += bits
        self.clock.advance_ns(bits * NS_PER_S // self.clock_hz)
