"""The SPI bus and what a transfer costs."""

import pytest

from sim.chips.clock import VirtualClock
from sim.chips.spi import SpiDevice


class Echo:
    """A chip that gives back the byte before, and notes when bytes came."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.last = 0
        self.heard: list[tuple[int, int]] = []

    def select(self) -> None:
        """Forget the transfer before."""
        self.last = 0

    def shift_out(self) -> int:
        """The byte before."""
        return self.last

    def shift_in(self, value: int) -> None:
        """Keep the byte."""
        self.last = value
        self.heard.append((self.clock.now_ns, value))


def test_bytes_go_both_ways_and_cost_nine_clocks_each() -> None:
    clock = VirtualClock()
    chip = Echo(clock)
    bus = SpiDevice(chip, clock)
    assert bus.xfer2([1, 2, 3]) == [0, 1, 2]
    assert chip.heard == [(29_000, 1), (38_000, 2), (47_000, 3)]
    assert bus.xfer2([4, 5]) == [0, 4]
    assert bus.transfers == 2


def test_the_speed_can_be_changed() -> None:
    clock = VirtualClock()
    bus = SpiDevice(Echo(clock), clock, overhead_ns=0, clocks_per_byte=8)
    bus.max_speed_hz = 10_000_000
    bus.xfer2([0] * 10)
    assert clock.now_ns == 8_000
    with pytest.raises(ValueError, match="above 0 Hz"):
        bus.max_speed_hz = 0


def test_an_empty_place_takes_time_and_reads_zeros() -> None:
    clock = VirtualClock()
    bus = SpiDevice(None, clock)
    assert bus.xfer2([0x80 | 0x37 << 1, 0]) == [0, 0]
    assert clock.now_ns == 38_000
    bus.stuck_at = 0xFF
    assert bus.xfer2([0x80 | 0x37 << 1, 0]) == [0xFF, 0xFF]


def test_with_miso_cut_the_chip_still_hears() -> None:
    clock = VirtualClock()
    chip = Echo(clock)
    bus = SpiDevice(chip, clock)
    bus.stuck_at = 0x00
    assert bus.xfer2([7, 8]) == [0, 0]
    assert [value for _, value in chip.heard] == [7, 8]


def test_a_closed_device_refuses_and_closes_again() -> None:
    clock = VirtualClock()
    bus = SpiDevice(None, clock)
    bus.close()
    bus.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        bus.xfer2([0])
