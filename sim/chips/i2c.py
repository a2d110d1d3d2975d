"""An I2C bus with chips on it, as ``busio.I2C`` offers it to a driver.

Room: sim/chips. Takes bytes, charges their time to the virtual clock, and hands them to the chip
that has the address.
May import: the standard library and sim.chips.
Source: NXP UM10204 rev 7 (the I2C-bus specification), 3.1; busio.I2C in the CircuitPython manual.
"""

from typing import Protocol

from sim.chips.clock import NS_PER_S, VirtualClock

START_BITS = STOP_BITS = 1  # each is one clock's time on the wire. UM10204, 3.1.4
BITS_PER_BYTE = 9  # eight bits and the acknowledge. UM10204, 3.1.5 and 3.1.6
ADDRESSES = range(0x08, 0x78)  # the rest are reserved. UM10204, 3.1.12
# EREMOTEIO: what Linux reports when nobody pulls SDA low. Named by Linux alone, hence the number.
REMOTE_IO = 121


class I2cChip(Protocol):
    """What the bus needs of a chip."""

    @property
    def address(self) -> int:
        """The 7-bit I2C address."""
        ...

    @property
    def present(self) -> bool:
        """Whether the chip is plugged in, so that it acknowledges."""
        ...

    @property
    def acknowledges_reads(self) -> bool:
        """Whether it acknowledges its address when the read bit is set."""
        ...

    def write(self, data: bytes) -> None:
        """Take the bytes of one write, the address byte left off."""
        ...

    def read(self, count: int) -> bytes:
        """Give *count* bytes."""
        ...


class I2cBus:
    """One I2C bus: two wires, a clock rate, and chips told apart by their 7-bit address.

    ``bits`` and ``transactions`` count what went over the wires since the bus was made.
    """

    def __init__(self, clock: VirtualClock, clock_hz: int = 400_000) -> None:
        self.clock = clock
        self.clock_hz = clock_hz
        self.bits = 0
        self.transactions = 0
        self._chips: dict[int, I2cChip] = {}
        self._is_locked = False

    def attach(self, chip: I2cChip) -> None:
        """Put *chip* on the bus.

        Raises:
            ValueError: the address is reserved, or another chip has it.
        """
        if chip.address not in ADDRESSES:
            raise ValueError(f"{chip.address:02X}h is no I2C address a chip may have")
        if chip.address in self._chips:
            raise ValueError(f"two chips at I2C address {chip.address:02X}h")
        self._chips[chip.address] = chip

    def detach(self, chip: I2cChip) -> None:
        """Take *chip* off the bus."""
        del self._chips[chip.address]

    def try_lock(self) -> bool:
        """Claim the bus; false when it is claimed already."""
        claimed = not self._is_locked
        self._is_locked = True
        return claimed

    def unlock(self) -> None:
        """Let the bus go."""
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
            OSError: nobody acknowledged the address.
            RuntimeError: the bus was not locked; ``busio`` insists on it too.
        """
        data = bytes(buffer[start:end])
        chip = self._address(address, is_read=False)
        self._charge(len(data) * BITS_PER_BYTE + (STOP_BITS if stop else 0))
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
            OSError: nobody acknowledged the address.
            RuntimeError: the bus was not locked; ``busio`` insists on it too.
        """
        window = memoryview(buffer)[start:end]
        chip = self._address(address, is_read=True)
        self._charge(len(window) * BITS_PER_BYTE + (STOP_BITS if stop else 0))
        window[:] = chip.read(len(window))

    def _address(self, address: int, *, is_read: bool) -> I2cChip:
        """Send a start and the address byte, and see who acknowledges."""
        if not self._is_locked:
            raise RuntimeError("lock the bus first: try_lock()")
        self.transactions += 1
        self._charge(START_BITS + BITS_PER_BYTE)
        chip = self._chips.get(address)
        if chip is None or not chip.present or (is_read and not chip.acknowledges_reads):
            self._charge(STOP_BITS)
            raise OSError(REMOTE_IO, f"nobody acknowledged I2C address {address:02X}h")
        return chip

    def _charge(self, bits: int) -> None:
        self.bits += bits
        self.clock.advance_ns(bits * NS_PER_S // self.clock_hz)
