"""Tests of the time that a computer's own work takes."""

from statistics import median

import pytest

from fakepi.clock import VirtualClock
from fakepi.host import PI_5, PI_ZERO_2, PROFILES, HostProfile, LinuxHost
from fakepi.spi import OVERHEAD_NS, SharedSpi, SpiDevice
from tests.fakepi.test_spi import Echo

PROFILE = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)


def transfer_times(clock: VirtualClock, count: int = 2000) -> list[int]:
    """Return the overhead of *count* transfers of one byte, in ns."""
    device, times = SpiDevice(None, clock), []
    for _ in range(count):
        began_ns = clock.now_ns
        device.xfer2([0])
        times.append(clock.now_ns - began_ns - 9000)
    return times


def test_a_clock_without_a_host_is_exact() -> None:
    clock = VirtualClock()
    assert set(transfer_times(clock)) == {OVERHEAD_NS}
    began_s = clock.now()
    clock.sleep(0.5)
    assert clock.now() == began_s + 0.5


@PROFILE
def test_transfers_take_what_they_take_on_that_computer(profile: HostProfile) -> None:
    times = transfer_times(VirtualClock(LinuxHost(profile)))
    assert median(times) == pytest.approx(profile.transfer_ns, rel=0.03)
    assert max(times) > 5 * profile.transfer_ns, "another program had the core once"


@PROFILE
def test_sleeps_end_late_and_never_early(profile: HostProfile) -> None:
    clock, late = VirtualClock(LinuxHost(profile)), []
    for _ in range(2000):
        began_ns = clock.now_ns
        clock.sleep(0.001)
        late.append(clock.now_ns - began_ns - 1_000_000)
    assert min(late) > 0
    assert median(late) == pytest.approx(profile.late_ns, rel=0.03)


def test_no_sleep_is_no_time() -> None:
    clock = VirtualClock(LinuxHost(PI_5))
    clock.sleep(0.0)
    clock.sleep(-1.0)
    assert clock.now_ns == 0


def test_the_same_seed_gives_the_same_jitter() -> None:
    one, other, third = (
        transfer_times(VirtualClock(LinuxHost(PI_ZERO_2, seed)), 50) for seed in (1, 1, 2)
    )
    assert one == other != third


def test_a_chip_select_by_gpio_costs_an_edge_each_way() -> None:
    clock = VirtualClock(LinuxHost(PI_ZERO_2))
    wire = SharedSpi(clock).attach(Echo(clock))
    wire.drive(0)
    wire.drive(1)
    assert clock.now_ns == pytest.approx(2 * PI_ZERO_2.edge_ns, rel=0.6)
    exact = VirtualClock()
    SharedSpi(exact).attach(Echo(exact)).drive(0)
    assert exact.now_ns == 0
