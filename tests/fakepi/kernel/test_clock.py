"""Tests of the clock of chips behind device nodes, on a computer whose time is counted."""

from fakepi.kernel.clock import FollowingClock
from fakepi.spi import SpiDevice
from tests.fakepi.kernel.computer import CountedTime

BYTE_NS = 9_000  # at 1 MHz, with the controller's clock between bytes


def test_it_catches_up_with_the_computer_and_makes_the_calls_due() -> None:
    computer = CountedTime()
    clock = FollowingClock(computer)
    made_ns: list[int] = []
    clock.call_at(2_000, lambda: made_ns.append(clock.now_ns))
    computer.now_ns = 5_000
    assert clock.next_call_s == 0
    clock.catch_up()
    assert (clock.now_ns, made_ns) == (5_000, [2_000])
    assert computer.slept_ns == 0


def test_a_transfer_takes_the_computer_as_long_as_the_wires() -> None:
    computer = CountedTime()
    clock = FollowingClock(computer)
    SpiDevice(None, clock, 1_000_000, overhead_ns=0).xfer2([0] * 64)
    assert computer.now_ns == clock.now_ns == 64 * BYTE_NS


def test_a_computer_that_is_slower_than_the_wires_does_not_wait() -> None:
    computer = CountedTime()
    clock = FollowingClock(computer)
    computer.now_ns = 64 * BYTE_NS
    SpiDevice(None, clock, 1_000_000, overhead_ns=0).xfer2([0] * 64)
    assert computer.slept_ns == 0
