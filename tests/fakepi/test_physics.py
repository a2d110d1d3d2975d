"""Tests of tags that differ: when they wake, how long they hold out, and which ones are heard."""

from random import Random
from statistics import median

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.iso14443 import REQA, WUPA, Frame
from fakepi.mfrc522 import GAIN_DB, Mfrc522, Reg
from fakepi.ntag import Ntag
from fakepi.physics import MOST_NS, ExactPhysics, HonestPhysics, coupling_at
from fakepi.picc import Picc, PiccState
from fakepi.spi import SpiDevice
from tests.fakepi.pcd import Pcd

UIDS = [bytes((4, *Random(number).randbytes(6))) for number in range(1000)]


def field_of(*strengths: float, physics: ExactPhysics | HonestPhysics) -> RfField:
    """Return a field that has been on for 5 ms, with a tag of each strength, lowest first."""
    clock = VirtualClock()
    field = RfField(clock, physics)
    for uid, strength in zip(UIDS, strengths, strict=False):
        field.enter(Ntag(uid), strength=strength)
    field.switch(True)
    clock.advance_ns(MOST_NS)
    return field


def test_a_field_has_honest_physics_unless_it_is_told_otherwise() -> None:
    clock = VirtualClock()
    field, tags = RfField(clock), [Ntag(uid) for uid in UIDS[:100]]
    for tag in tags:
        field.enter(tag)
        field.switch(True)
        field.switch(False)
        field.leave(tag)
    assert len({tag.awake_ns for tag in tags}) > 90


def test_tags_wake_within_five_milliseconds_and_most_within_one() -> None:
    physics = HonestPhysics()
    wakes = [physics.wake_ns(Ntag(uid), 1.0) or 0 for uid in UIDS]
    assert min(wakes) >= 200_000
    assert max(wakes) <= MOST_NS
    assert 500_000 < median(wakes) < 700_000
    assert 0.7 < sum(wake <= 1_000_000 for wake in wakes) / len(wakes) < 0.9


def test_a_tag_is_a_slow_one_in_every_field_and_slower_if_it_is_farther_away() -> None:
    one, other = HonestPhysics(7), HonestPhysics(7)
    near = [one.wake_ns(Ntag(uid), 1.0) or 0 for uid in UIDS[:50]]
    assert near == [other.wake_ns(Ntag(uid), 1.0) for uid in UIDS[:50]]
    far = [one.wake_ns(Ntag(uid), 0.5) or 0 for uid in UIDS[:50]]
    assert all(2 * n - 1 <= f <= 2 * n + 1 or f == MOST_NS for n, f in zip(near, far, strict=True))
    assert near != [HonestPhysics(8).wake_ns(Ntag(uid), 1.0) for uid in UIDS[:50]]


def test_a_tag_that_gets_too_little_power_never_wakes() -> None:
    field = field_of(0.04, physics=HonestPhysics())
    assert field.exchange(REQA) is None
    assert field.piccs[0].state is PiccState.POWER_OFF
    field.switch(False)  # nor does it lose power that it never had
    field.leave(field.piccs[0])


def test_a_tag_that_a_weak_field_woke_slowly_is_woken_sooner_by_a_strong_one() -> None:
    clock, physics = VirtualClock(), HonestPhysics()
    far, near = RfField(clock, physics), RfField(clock, physics)
    far.switch(True)
    near.switch(True)
    far.enter(tag := Ntag(UIDS[0]), strength=0.1)
    slow_ns = tag.awake_ns
    near.enter(tag)
    assert tag.awake_ns < slow_ns


def test_tags_hold_out_for_up_to_five_milliseconds() -> None:
    physics = HonestPhysics()
    holds = [physics.hold_ns(Ntag(uid)) for uid in UIDS]
    assert min(holds) < 100_000
    assert 4_900_000 < max(holds) <= MOST_NS
    assert 2_300_000 < median(holds) < 2_700_000


def test_each_tag_of_a_stack_keeps_its_state_as_long_as_it_holds_out() -> None:
    clock, physics = VirtualClock(), HonestPhysics()
    field = RfField(clock, physics)
    tags = [Ntag(uid) for uid in UIDS[:3]]
    for tag in tags:
        field.enter(tag)
    field.switch(True)
    clock.advance_ns(MOST_NS)
    field.switch(False)
    for tag in sorted(tags, key=physics.hold_ns):
        clock.advance_ns(physics.hold_ns(tag) - 1 - (clock.now_ns - MOST_NS))
        states = [tag.state]
        clock.advance_ns(1)
        states.append(tag.state)
        assert states == [PiccState.IDLE, PiccState.POWER_OFF]


@pytest.mark.parametrize(("weak", "collides"), [(0.6, True), (0.4, False)])
def test_an_answer_of_less_than_half_the_loudness_is_drowned(weak: float, collides: bool) -> None:
    field = field_of(1.0, weak, physics=ExactPhysics(capture=0.5))
    assert field.exchange(WUPA)
    received = field.exchange(Frame.of(b"\x93\x20"))
    assert received is not None
    assert bool(received.collisions) is collides


def test_a_drowned_tag_is_heard_when_the_loud_one_is_silent() -> None:
    field = field_of(1.0, 0.3, physics=ExactPhysics(capture=0.5))
    loud, weak = field.piccs
    loud.state = PiccState.HALT
    received = field.exchange(REQA)
    assert received is not None
    assert weak.state is PiccState.READY


def test_a_stack_is_read_worse_the_higher_it_is() -> None:
    """Nothing is halted, so upper tags are also drowned by lower ones."""
    heard = []
    for height in range(8):
        clock = VirtualClock()
        field = RfField(clock, HonestPhysics())
        for uid in UIDS[: height + 1]:
            field.enter(Ntag(uid))
        top, lower = field.piccs[-1], field.piccs[:-1]
        field.switch(True)
        clock.advance_ns(MOST_NS)
        count = 0
        for _ in range(3000):
            for tag in lower:
                tag.state = PiccState.HALT
            top.state = PiccState.IDLE
            count += field.exchange(REQA) is not None
        heard.append(count)
    assert heard == sorted(heard, reverse=True)
    assert heard[0] == 3000
    assert heard[-1] < 2980


def test_the_stack_sinks_when_a_tag_below_is_taken_away() -> None:
    physics = HonestPhysics()
    field = field_of(0.055, 0.055, physics=physics)
    low, high = field.piccs
    assert (low.state, high.state) == (PiccState.IDLE, PiccState.POWER_OFF)
    field.leave(low)
    assert high.state is PiccState.IDLE


@pytest.mark.parametrize("strength", [0.0, -1.0, 1.1])
def test_a_strength_out_of_range_is_refused(strength: float) -> None:
    field = RfField(VirtualClock())
    with pytest.raises(ValueError, match="strength must be above 0"):
        field.enter(Ntag(UIDS[0]), strength=strength)


def test_the_coupling_falls_with_the_distance() -> None:
    assert coupling_at(0) == 1
    assert coupling_at(20) == pytest.approx(0.354, abs=0.001)
    assert coupling_at(60) == pytest.approx(0.032, abs=0.001)
    with pytest.raises(ValueError, match="negative"):
        coupling_at(-1)


# --- the receiver's gain ---


def answers_at(gain_db: int, strength: float, deaf_above_db: int | None = None) -> bool:
    """Return True if a chip with *gain_db* receives the answer of a tag of *strength*."""
    pcd = Pcd()
    pcd.chip = Mfrc522(pcd.clock, pcd.field, deaf_above_db=deaf_above_db)
    pcd.bus = SpiDevice(pcd.chip, pcd.clock)
    pcd.start()
    pcd.chip.write(Reg.RF_CFG, GAIN_DB.index(gain_db) << 4)
    pcd.field.enter(Picc(b"abcd", atqa=4, sak=0), strength=strength)
    pcd.clock.advance_ns(MOST_NS)
    return not pcd.call().is_silence


@pytest.mark.parametrize(
    ("strength", "least_db"), [(1.0, 18), (0.6, 23), (0.2, 33), (0.1, 38), (0.06, 43), (0.04, 48)]
)
def test_a_weaker_tag_needs_a_higher_gain(strength: float, least_db: int) -> None:
    for gain_db in sorted(set(GAIN_DB)):
        assert answers_at(gain_db, strength) is (gain_db >= least_db)


def test_some_boards_are_deaf_above_a_certain_gain() -> None:
    heard = [gain_db for gain_db in (33, 38, 43, 48) if answers_at(gain_db, 1.0, deaf_above_db=33)]
    assert heard == [33]
