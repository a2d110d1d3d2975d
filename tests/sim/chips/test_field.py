"""Who is in the field, and what of it the antenna gets."""

import pytest

from sim.chips.clock import VirtualClock
from sim.chips.field import Field, Received
from sim.chips.iso14443 import ANSWER_DELAY_FC, REQA
from sim.chips.ntag import Ntag
from sim.chips.picc import Picc, State

UID = bytes.fromhex("04A23B15C0FFEE")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def field(clock: VirtualClock) -> Field:
    field = Field(clock)
    field.switch(True)
    return field


def test_tags_are_kept_in_the_order_they_came(field: Field) -> None:
    first, second = Ntag(UID), Ntag(UID)
    field.enter(first)
    field.enter(second)
    assert list(field.piccs) == [first, second]
    field.leave(first)
    assert list(field.piccs) == [second]


def test_a_tag_cannot_come_twice_or_leave_without_coming(field: Field) -> None:
    tag = Ntag(UID)
    with pytest.raises(ValueError, match="not in this field"):
        field.leave(tag)
    field.enter(tag)
    with pytest.raises(ValueError, match="in this field already"):
        field.enter(tag)


def test_a_tag_lives_on_the_field(field: Field) -> None:
    tag = Ntag(UID)
    states = [tag.state]
    field.enter(tag)
    states.append(tag.state)
    field.switch(False)
    states.append(tag.state)
    field.switch(True)
    states.append(tag.state)
    field.leave(tag)
    states.append(tag.state)
    off = State.POWER_OFF
    assert states == [off, State.IDLE, off, State.IDLE, off]


def test_a_tag_answers_when_it_has_had_time_to_wake_up(clock: VirtualClock) -> None:
    field = Field(clock, power_up_ns=5_000_000)
    field.enter(Ntag(UID))
    field.switch(True)
    clock.advance_ns(4_999_999)
    assert field.exchange(REQA) is None
    clock.advance_ns(1)
    assert field.exchange(REQA) == Received(0x0044, 16, ANSWER_DELAY_FC)


def test_a_dark_antenna_hears_nothing(clock: VirtualClock) -> None:
    field = Field(clock)
    field.enter(Ntag(UID))
    clock.advance_ns(10_000_000)
    assert not field.is_on
    assert field.exchange(REQA) is None


def test_ones_win_and_both_values_are_a_collision(field: Field, clock: VirtualClock) -> None:
    for atqa in (0b0011, 0b0101):
        field.enter(Picc(b"abcd", atqa=atqa, sak=0))
    clock.advance_ns(1_000_000)
    received = field.exchange(REQA)
    assert received == Received(0b0111, 16, ANSWER_DELAY_FC, collisions=0b0110)


def test_noise_on_one_of_two_answers_is_a_collision_too(field: Field, clock: VirtualClock) -> None:
    tags = [Ntag(UID), Ntag(UID)]
    for tag in tags:
        field.enter(tag)
    clock.advance_ns(1_000_000)
    field.noise = lambda picc, _frame: 0b100 if picc is tags[0] else 0
    received = field.exchange(REQA)
    assert received is not None
    assert received.collisions == 0b100


@pytest.mark.parametrize(("flips", "is_wrong"), [(0b1, True), (0b11, False), (0x0101, True)])
def test_an_odd_number_of_flips_in_a_byte_breaks_its_parity(
    field: Field, clock: VirtualClock, flips: int, is_wrong: bool
) -> None:
    field.enter(Ntag(UID))
    clock.advance_ns(1_000_000)
    field.noise = lambda _picc, _frame: flips
    received = field.exchange(REQA)
    assert received is not None
    assert received.has_wrong_parity is is_wrong
    assert received.bits == 0x0044 ^ flips
