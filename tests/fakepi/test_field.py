"""Tests of the RF field: the tags in it, and the signal that the reader's antenna receives."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.field import BitErrors, Received, RfField
from fakepi.iso14443 import ANSWER_DELAY_FC, REQA, WUPA, Frame
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc, PiccState

UID = bytes.fromhex("04A23B15C0FFEE")
SOME = Ntag(UID)  # a tag for tests of the noise alone


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def field(clock: VirtualClock) -> RfField:
    field = RfField(clock, ExactPhysics())
    field.switch(True)
    return field


def test_tags_are_kept_in_the_order_they_came(field: RfField) -> None:
    first, second = Ntag(UID), Ntag(UID)
    field.enter(first)
    field.enter(second)
    assert list(field.piccs) == [first, second]
    field.leave(first)
    assert list(field.piccs) == [second]


def test_a_tag_cannot_come_twice_or_leave_without_coming(field: RfField) -> None:
    tag = Ntag(UID)
    with pytest.raises(ValueError, match="not in this field"):
        field.leave(tag)
    field.enter(tag)
    with pytest.raises(ValueError, match="in this field already"):
        field.enter(tag)


def test_a_tag_lives_on_the_field(field: RfField) -> None:
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
    off = PiccState.POWER_OFF
    assert states == [off, PiccState.IDLE, off, PiccState.IDLE, off]


def test_a_tag_answers_when_it_has_had_time_to_wake_up(clock: VirtualClock) -> None:
    field = RfField(clock, ExactPhysics(power_up_ns=5_000_000))
    field.enter(Ntag(UID))
    field.switch(True)
    clock.advance_ns(4_999_999)
    assert field.exchange(REQA) is None
    clock.advance_ns(1)
    assert field.exchange(REQA) == Received(0x0044, 16, ANSWER_DELAY_FC)


def test_a_dark_antenna_hears_nothing(clock: VirtualClock) -> None:
    field = RfField(clock, ExactPhysics())
    field.enter(Ntag(UID))
    clock.advance_ns(10_000_000)
    assert not field.is_on
    assert field.exchange(REQA) is None


def test_ones_win_and_both_values_are_a_collision(field: RfField, clock: VirtualClock) -> None:
    for atqa in (0b0011, 0b0101):
        field.enter(Picc(b"abcd", atqa=atqa, sak=0))
    clock.advance_ns(1_000_000)
    received = field.exchange(REQA)
    assert received == Received(0b0111, 16, ANSWER_DELAY_FC, collisions=0b0110)


def test_noise_on_one_of_two_answers_collides_too(field: RfField, clock: VirtualClock) -> None:
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
    field: RfField, clock: VirtualClock, flips: int, is_wrong: bool
) -> None:
    field.enter(Ntag(UID))
    clock.advance_ns(1_000_000)
    field.noise = lambda _picc, _frame: flips
    received = field.exchange(REQA)
    assert received is not None
    assert received.has_wrong_parity is is_wrong
    assert received.bits == 0x0044 ^ flips


# --- parity bits, and a byte whose first bits the reader sent ---


@pytest.mark.parametrize(
    ("flips", "is_wrong"),
    [(1 << 16, True), (1 << 17, True), (1 << 16 | 1, False), (1 << 17 | 1, True), (1 << 18, False)],
)
def test_a_flipped_parity_bit_is_as_wrong_as_a_flipped_bit(
    field: RfField, clock: VirtualClock, flips: int, is_wrong: bool
) -> None:
    """Bits 0 to 15 of *flips* flip the ATQA; bits 16 and 17 flip the parity of its two bytes."""
    field.enter(Ntag(UID))
    clock.advance_ns(1_000_000)
    field.noise = lambda _picc, _frame: flips
    received = field.exchange(REQA)
    assert received is not None
    assert received.has_wrong_parity is is_wrong
    assert received.bits == 0x0044 ^ flips & 0xFFFF


@pytest.mark.parametrize(
    ("flips", "is_wrong"), [(0b1, False), (0b10000, False), (0b100000, True), (1 << 35, True)]
)
def test_the_parity_of_a_byte_that_the_reader_began_is_worth_nothing(
    field: RfField, clock: VirtualClock, flips: int, is_wrong: bool
) -> None:
    """The reader sends three bits of 88h; the tag answers with the other five and four bytes."""
    field.enter(Ntag(UID))
    clock.advance_ns(1_000_000)
    field.exchange(REQA)
    field.noise = lambda _picc, _frame: flips
    received = field.exchange(Frame(0x93 | 0x23 << 8 | 0b000 << 16, 19))
    assert received is not None
    assert received.length == 37
    assert received.has_wrong_parity is is_wrong


# --- how tags receive the reader's frames ---

ANTICOLLISION = Frame.of(b"\x93\x20")
SELECT = Frame.with_crc(b"\x93\x70\x88\x04\xa2\x3b\x15")  # the first part of UID, with BCC 15h
HLTA = Frame.with_crc(b"\x50\x00")


@pytest.mark.parametrize("was_halted", [False, True])
@pytest.mark.parametrize("frame", [ANTICOLLISION, SELECT, HLTA])
@pytest.mark.parametrize("flips", [0b1, 1 << 100])
def test_a_ready_tag_that_hears_a_wrong_parity_is_silent_and_falls_back(
    field: RfField, clock: VirtualClock, frame: Frame, flips: int, was_halted: bool
) -> None:
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    tag.state = PiccState.HALT if was_halted else PiccState.IDLE
    field.exchange(WUPA)
    assert tag.state is PiccState.READY
    field.command_noise = lambda _picc, sent: flips if flips == 1 else 1 << sent.length
    assert field.exchange(frame) is None
    assert tag.state is (PiccState.HALT if was_halted else PiccState.IDLE)


def test_two_flips_in_a_byte_pass_parity_and_fail_the_crc(
    field: RfField, clock: VirtualClock
) -> None:
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    field.exchange(REQA)
    field.command_noise = lambda _picc, _sent: 0b11 << 20
    assert field.exchange(SELECT) is None
    assert tag.state is PiccState.IDLE


def test_a_call_of_which_a_bit_is_flipped_wakes_nobody(field: RfField, clock: VirtualClock) -> None:
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    field.command_noise = lambda _picc, _sent: 0b1
    assert field.exchange(REQA) is None
    assert tag.state is PiccState.IDLE


def test_an_active_ntag_refuses_a_wrong_parity_with_a_nak_and_falls_back(
    field: RfField, clock: VirtualClock
) -> None:
    """NTAG21x data sheet, table 23: NAK 1h for a parity or CRC error."""
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    tag.state = PiccState.ACTIVE
    field.command_noise = lambda _picc, _sent: 0b1
    assert field.exchange(Frame.with_crc(b"\x30\x00")) == Received(0x1, 4, ANSWER_DELAY_FC)
    assert tag.state is PiccState.IDLE


def test_every_tag_has_its_own_ears(field: RfField, clock: VirtualClock) -> None:
    deaf, hearing = Picc(b"abcd", atqa=0x1, sak=0), Picc(b"efgh", atqa=0x2, sak=0)
    for tag in (deaf, hearing):
        field.enter(tag)
    clock.advance_ns(1_000_000)
    field.command_noise = lambda picc, _sent: 0b1 if picc is deaf else 0
    assert field.exchange(REQA) == Received(0x2, 16, ANSWER_DELAY_FC)


# --- bit errors ---


@given(seed=st.integers(0, 2**32), rate=st.floats(0.001, 0.5), length=st.integers(1, 200))
def test_bit_errors_stay_within_the_bits_and_parity_bits_of_the_frame(
    seed: int, rate: float, length: int
) -> None:
    errors, frame = BitErrors(Random(seed), rate), Frame(0, length)
    assert all(not errors(SOME, frame) >> length + length // 8 for _ in range(20))


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.2])
def test_bit_errors_come_as_often_as_they_are_to(rate: float) -> None:
    errors, frame = BitErrors(Random(1), rate), Frame(0, 72)
    frames = 20_000
    flipped = sum(errors(SOME, frame).bit_count() for _ in range(frames))
    assert flipped / (frames * 81) == pytest.approx(rate, rel=0.05)


@pytest.mark.parametrize("rate", [0, 1, -0.1])
def test_a_rate_of_errors_is_a_share(rate: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        BitErrors(Random(1), rate)


# --- a field that goes off briefly ---


@pytest.mark.parametrize(("off_ns", "keeps"), [(4_999_999, True), (5_000_000, False)])
def test_a_tag_may_live_on_what_it_has_stored(
    clock: VirtualClock, off_ns: int, keeps: bool
) -> None:
    field = RfField(clock, ExactPhysics(power_down_ns=5_000_000))
    field.switch(True)
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    field.exchange(REQA)
    field.switch(False)
    clock.advance_ns(off_ns)
    assert tag.state is (PiccState.READY if keeps else PiccState.POWER_OFF)
    field.switch(True)
    clock.advance_ns(10_000_000)
    assert tag.state is (PiccState.READY if keeps else PiccState.IDLE)


def test_what_a_tag_had_stored_is_filled_up_each_time(clock: VirtualClock) -> None:
    field = RfField(clock, ExactPhysics(power_down_ns=5_000_000))
    field.switch(True)
    field.enter(tag := Ntag(UID))
    clock.advance_ns(1_000_000)
    field.exchange(REQA)
    for _ in range(5):
        field.switch(False)
        clock.advance_ns(3_000_000)
        field.switch(True)
        clock.advance_ns(100_000)
    assert tag.state is PiccState.READY


# --- a tag between two antennas ---


@pytest.fixture
def fields(clock: VirtualClock) -> tuple[RfField, RfField]:
    return RfField(clock, ExactPhysics()), RfField(clock, ExactPhysics())


def test_a_tag_between_two_antennas_hears_both(
    clock: VirtualClock, fields: tuple[RfField, RfField]
) -> None:
    near, far = fields
    tag = Ntag(UID)
    for field in fields:
        field.switch(True)
        field.enter(tag)
    clock.advance_ns(1_000_000)
    assert near.exchange(REQA) is not None
    assert far.exchange(ANTICOLLISION) is not None, "the other reader goes on with it"
    assert near.exchange(REQA) is None, "and this one disturbs it"
    assert tag.state is PiccState.IDLE


def test_the_farther_antenna_misses_answers_and_the_nearer_does_not(
    clock: VirtualClock, fields: tuple[RfField, RfField]
) -> None:
    near, far = fields
    tag, chance = Ntag(UID), Random(3)
    near.enter(tag)
    far.enter(tag, loss=lambda _picc: chance.random() < 0.7)
    for field in fields:
        field.switch(True)
    clock.advance_ns(1_000_000)
    heard = {near: 0, far: 0}
    for _ in range(200):
        for field in fields:
            heard[field] += field.exchange(WUPA) is not None
            tag.fall_back()
    assert heard[near] == 200
    assert 30 < heard[far] < 90


def test_either_field_feeds_a_tag_and_it_wakes_once(
    clock: VirtualClock, fields: tuple[RfField, RfField]
) -> None:
    near, far = fields
    tag = Ntag(UID)
    near.enter(tag)
    far.enter(tag)
    far.switch(True)
    clock.advance_ns(1_000_000)
    far.exchange(REQA)
    near.switch(True)
    assert near.exchange(ANTICOLLISION) is not None, "it is awake already"
    far.switch(False)
    states = [tag.state]
    far.leave(tag)
    states.append(tag.state)
    near.leave(tag)
    states.append(tag.state)
    assert states == [PiccState.READY, PiccState.READY, PiccState.POWER_OFF]
