"""Tests of the SPI bus and of the duration of a transfer."""

import pytest

from fakepi.clock import VirtualClock
from fakepi.spi import SharedSpi, SpiChip, SpiDevice


class Echo(SpiChip):
    """A chip that returns the previous byte and records the time of each byte."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.last = 0
        self.heard: list[tuple[int, int]] = []

    def select(self) -> None:
        """Start a transfer, in which the first byte returned is 0."""
        self.last = 0

    def shift_out(self) -> int:
        """Return the previous byte."""
        return self.last

    def shift_in(self, value: int) -> None:
        """Store the byte and the time."""
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


# --- several chips behind one device ---


class Constant(SpiChip):
    """A chip that always returns *value*, counts transfers and records the bytes received."""

    def __init__(self, value: int) -> None:
        self.value = value
        self.selects = 0
        self.heard: list[int] = []

    def select(self) -> None:
        """Count the start of a transfer."""
        self.selects += 1

    def shift_out(self) -> int:
        """Return the constant value."""
        return self.value

    def shift_in(self, value: int) -> None:
        """Store the byte."""
        self.heard.append(value)


def test_a_chip_takes_part_while_its_wire_is_low() -> None:
    shared = SharedSpi()
    chips = Constant(0x11), Constant(0x22)
    wires = [shared.attach(chip) for chip in chips]
    device = SpiDevice(shared, VirtualClock())
    for wire in wires:
        wire.drive(1)
    assert device.xfer2([1]) == [0x00]
    for wire, chip in zip(wires, chips, strict=True):
        wire.drive(0)
        assert device.xfer2([7, 8]) == [chip.value, chip.value]
        wire.drive(1)
        assert (chip.selects, chip.heard) == (1, [7, 8])


def test_two_chips_selected_at_once_both_listen_and_fight_over_miso() -> None:
    """Undriven select wires are low, as on a Raspberry Pi that has just started."""
    shared = SharedSpi()
    chips = Constant(0b1100), Constant(0b1010)
    for chip in chips:
        shared.attach(chip)
    assert SpiDevice(shared, VirtualClock()).xfer2([5]) == [0b1000]
    assert [chip.heard for chip in chips] == [[5], [5]]


def test_a_transfer_begins_when_the_wire_falls_and_at_no_other_time() -> None:
    shared = SharedSpi()
    chip = Constant(0)
    wire = shared.attach(chip)
    device = SpiDevice(shared, VirtualClock())
    wire.drive(1)
    for level in (0, 0.0, 1, 1):
        wire.drive(level)
        device.xfer2([1])
    assert chip.selects == 1


def test_a_broken_miso_wire_spoils_what_its_chip_says_alone() -> None:
    shared = SharedSpi()
    broken, well = (shared.attach(Constant(0x5A)) for _ in range(2))
    device = SpiDevice(shared, VirtualClock())
    broken.stuck_at = 0xFF
    well.drive(1)
    assert device.xfer2([0]) == [0xFF]
    broken.drive(1)
    well.drive(0)
    assert device.xfer2([0]) == [0x5A]
