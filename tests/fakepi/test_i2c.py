"""Tests of the emulated I2C bus: addresses, and the duration of a transaction."""

import errno

import pytest

from fakepi.clock import VirtualClock
from fakepi.i2c import REMOTE_IO, I2cBus


class Echo:
    """A chip that records what is written and returns 0, 1, 2, ... when read."""

    address = 0x3C
    present = True
    acknowledges_reads = True

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.heard.append(data)

    def read(self, count: int) -> bytes:
        return bytes(range(count))


@pytest.fixture
def chip() -> Echo:
    return Echo()


@pytest.fixture
def bus(chip: Echo) -> I2cBus:
    made = I2cBus(VirtualClock(), clock_hz=100_000)
    made.attach(chip)
    assert made.try_lock()
    return made


def test_a_write_takes_nine_bits_a_byte_and_start_and_stop(bus: I2cBus, chip: Echo) -> None:
    bus.writeto(0x3C, b"\x80\xaf")
    assert chip.heard == [b"\x80\xaf"]
    assert (bus.bits, bus.transactions) == (1 + 3 * 9 + 1, 1)
    assert bus.clock.now_ns == 29 * 10_000


def test_a_part_of_a_buffer_can_be_written(bus: I2cBus, chip: Echo) -> None:
    bus.writeto(0x3C, bytes(range(10)), start=2, end=5)
    assert chip.heard == [b"\x02\x03\x04"]


def test_a_write_without_stop_saves_one_bit(bus: I2cBus) -> None:
    bus.writeto(0x3C, b"\x00", stop=False)
    assert bus.bits == 1 + 2 * 9


def test_reading_fills_the_part_asked_for(bus: I2cBus) -> None:
    buffer = bytearray(b"....")
    bus.readfrom_into(0x3C, buffer, start=1, end=3)
    assert buffer == b".\x00\x01."
    assert bus.bits == 1 + 3 * 9 + 1


@pytest.mark.parametrize("is_unplugged", [True, False])
def test_nobody_at_the_address_is_the_error_linux_gives(
    bus: I2cBus, chip: Echo, is_unplugged: bool
) -> None:
    chip.present = not is_unplugged
    address = 0x3C if is_unplugged else 0x3D
    with pytest.raises(OSError, match=f"0x{address:02X}") as silent:
        bus.writeto(address, b"\x00\x01\x02")
    assert silent.value.errno == REMOTE_IO == getattr(errno, "EREMOTEIO", 121)
    assert bus.bits == 11  # start, address, stop: no data was sent
    with pytest.raises(OSError, match="acknowledged"):
        bus.readfrom_into(address, bytearray(1))
    assert chip.heard == []


def test_a_chip_may_refuse_to_be_read(bus: I2cBus, chip: Echo) -> None:
    chip.acknowledges_reads = False
    with pytest.raises(OSError, match="0x3C"):
        bus.readfrom_into(0x3C, bytearray(1))
    assert bus.bits == 11
    bus.writeto(0x3C, b"\x00")
    assert chip.heard == [b"\x00"]


def test_the_bus_must_be_locked(bus: I2cBus) -> None:
    assert not bus.try_lock()
    bus.unlock()
    with pytest.raises(RuntimeError, match="lock"):
        bus.writeto(0x3C, b"")
    assert bus.try_lock()


def test_a_detached_chip_is_gone(bus: I2cBus, chip: Echo) -> None:
    bus.detach(chip)
    with pytest.raises(OSError, match="0x3C"):
        bus.writeto(0x3C, b"")


def test_two_chips_cannot_share_an_address(bus: I2cBus) -> None:
    with pytest.raises(ValueError, match="0x3C"):
        bus.attach(Echo())


def test_reserved_addresses_are_refused() -> None:
    chip = Echo()
    chip.address = 0x78
    with pytest.raises(ValueError, match="0x78"):
        I2cBus(VirtualClock()).attach(chip)


class Unpluggable(Echo):
    """A chip whose plug can be pulled."""

    def __init__(self) -> None:
        super().__init__()
        self.present = True


@pytest.mark.parametrize(
    ("pulled_us", "byte"), [(101, 1), (189, 1), (191, 2), (550, 6), (999, 10), (1001, None)]
)
def test_a_chip_that_is_unplugged_acknowledges_no_more(pulled_us: int, byte: int | None) -> None:
    """At 100 kHz, the address takes 100 us with the start bit, and each byte 90 us."""
    chip, clock = Unpluggable(), VirtualClock()
    bus = I2cBus(clock, clock_hz=100_000)
    bus.attach(chip)
    bus.try_lock()

    def pull() -> None:
        chip.present = False

    clock.call_at(pulled_us * 1000, pull)
    if byte is None:
        bus.writeto(0x3C, bytes(10))
        assert (chip.heard, clock.now_ns) == ([bytes(10)], 1_010_000)
        return
    with pytest.raises(OSError, match=rf"0x3C no longer acknowledges \(cut at byte {byte} of 10\)"):
        bus.writeto(0x3C, bytes(10))
    assert chip.heard == []
    assert clock.now_ns == 110_000 + byte * 90_000


def test_other_events_do_not_change_a_write() -> None:
    chip, clock = Unpluggable(), VirtualClock()
    bus = I2cBus(clock)
    bus.attach(chip)
    bus.try_lock()
    seen: list[int] = []
    for at_ns in (0, 25_000, 30_000, 30_001, 60_000, 90_000):
        clock.call_at(at_ns, lambda: seen.append(clock.now_ns))
    bus.writeto(0x3C, bytes(10))
    assert seen == [0, 25_000, 30_000, 30_001, 60_000, 90_000]
    assert (chip.heard, clock.now_ns, bus.bits) == ([bytes(10)], 252_500, 101)
