"""Tests of the reader driver over the emulated chip: tags found, time taken, faults reported.

Times are those of the virtual clock, with SPI at 1 MHz and an overhead of 20 us for each transfer.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from operator import xor
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakepi import crypto1, iso14443
from fakepi.clock import VirtualClock
from fakepi.field import BitErrors, RfField
from fakepi.iso14443 import WUPA, Frame
from fakepi.mfrc522 import CollPos, Mfrc522, Reg
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc, PiccAnswer, PiccState, RandomUid4
from fakepi.spi import SpiDevice
from hardware.drivers.mfrc522_reader import (
    DEAF_S,
    FIELD_UP_S,
    GARBLED_POLLS,
    MOST_TAGS,
    START_UP_S,
    TIMER_S,
    WARY_POLLS,
    Mfrc522Reader,
    _Garbled,
    _known_bits,
    crc_a,
    open_reader,
)
from hardware.errors import ReaderFault
from hardware.ports import Checkup, ReaderWires, Sighting, TagReader

COLLPOS: Sequence[CollPos] = ("frame", "absolute")
EMPTY_TRANSFERS, EMPTY_S = 10, 0.9e-3  # limits for one poll of an empty field
ONE_UID_S = 6.0e-3  # limit for one confirmed 7-byte UID, from WUPA to its SAK
INVENTORY_S = {1: 8e-3, 2: 16e-3, 4: 33e-3, 8: 72e-3}  # limits by number of tags
MODE_REG = 0x11
GUARD_S = 0.001
SWEEP_S = {None: 4.5e-3, GUARD_S: 12e-3}  # five empty readers: fields always on, in turn
GUARDS = pytest.mark.parametrize("guard_s", [None, GUARD_S], ids=["always-on", "in-turn"])
# A tag loses its state at once when the field goes off, or only after 5 ms.
POWER_DOWNS = pytest.mark.parametrize("power_down_ns", [0, 5_000_000], ids=["brief", "lasting"])


@dataclass
class Rig:
    """One emulated reader chip with its field, its bus and the driver."""

    clock: VirtualClock
    field: RfField
    chip: Mfrc522
    bus: SpiDevice
    reader: Mfrc522Reader

    def cost(self) -> tuple[int, float]:
        """Poll once and return the number of SPI transfers and the seconds it took."""
        transfers, began_s = self.bus.transfers, self.clock.now()
        self.reader.poll()
        return self.bus.transfers - transfers, self.clock.now() - began_s

    def lay(self, *uids: bytes) -> tuple[Picc, ...]:
        """Put a tag with each of *uids* into the field and wait until the tags are powered."""
        piccs = tuple(map(tag, uids))
        for picc in piccs:
            self.field.enter(picc)
        self.clock.sleep(0.005)
        return piccs


def rig(
    collpos: CollPos = "frame",
    guard_s: float | None = None,
    power_down_ns: int = 0,
    clock: VirtualClock | None = None,
    **chip_is: Any,
) -> Rig:
    """Return a rig whose reader is set up and whose field is empty.

    *chip_is* holds further arguments of the emulated chip.
    """
    clock = clock or VirtualClock()
    over = RfField(clock, ExactPhysics(power_down_ns=power_down_ns))
    chip = Mfrc522(clock, over, collpos=collpos, **chip_is)
    bus = SpiDevice(chip, clock, 1_000_000, overhead_ns=20_000)
    reader = Mfrc522Reader(bus, clock, guard_s=guard_s)
    reader.restart()
    clock.sleep(FIELD_UP_S)
    return Rig(clock, over, chip, bus, reader)


def tag(uid: bytes) -> Picc:
    """Return an NTAG for a 7-byte UID, a MIFARE Classic for a 4-byte one."""
    return Ntag(uid) if len(uid) == 7 else MifareClassic1K(uid)


def ntag_uids(number: int) -> list[bytes]:
    """Return *number* UIDs that all begin with 04h, like those of a roll of NTAGs."""
    chance = Random(number)
    return [bytes((0x04, *chance.sample(range(0x80), 6))) for _ in range(number)]


def test_the_driver_is_a_tag_reader() -> None:
    reader: TagReader = rig().reader
    assert reader.poll().is_empty


# --- cost ---


def test_an_empty_poll_costs_at_most_ten_transfers_and_nine_tenths_of_a_millisecond() -> None:
    table = rig()
    for _ in range(5):
        transfers, took_s = table.cost()
        assert transfers <= EMPTY_TRANSFERS
        assert took_s <= EMPTY_S


def emptied() -> Rig:
    """Return a rig whose only tag was seen and has just left the field."""
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.reader.poll()
    table.field.leave(picc)
    table.clock.sleep(0.001)
    return table


def test_when_a_tag_has_gone_polls_stay_as_cheap() -> None:
    table = emptied()
    for _ in range(WARY_POLLS + 2):
        transfers, took_s = table.cost()
        assert transfers <= EMPTY_TRANSFERS
        assert took_s <= EMPTY_S


def test_an_empty_field_is_told_to_idle_for_a_few_polls_only() -> None:
    """A tag that answered may be left in READY; later polls need not send that command."""
    table = emptied()
    transfers = [table.cost()[0] for _ in range(WARY_POLLS + 3)]
    assert len({*transfers[:WARY_POLLS]}) == 1
    assert len({*transfers[WARY_POLLS:]}) == 1
    assert transfers[0] > transfers[-1]


def test_an_impossible_collision_is_told_with_its_numbers() -> None:
    with pytest.raises(_Garbled, match=r"a collision at bit 2, but it sent the first 12 bits"):
        _known_bits(2, 12)
    assert _known_bits(5, 0) == (5, True)


class Spy:
    """An SPI bus that records when each transfer began, the bytes sent and when it ended."""

    def __init__(self, bus: SpiDevice, clock: VirtualClock) -> None:
        self.bus, self.clock = bus, clock
        self.seen: list[tuple[float, list[int], float]] = []

    def xfer2(self, values: list[int]) -> list[int]:
        began_s = self.clock.now()
        read = self.bus.xfer2(values)
        self.seen.append((began_s, values, self.clock.now()))
        return read

    def close(self) -> None:
        self.bus.close()


def test_one_uid_is_confirmed_within_six_milliseconds() -> None:
    """The time runs from the first transfer of WUPA to the checked SAK of cascade level 2."""
    table = rig()
    table.lay(*ntag_uids(1))
    table.reader.spi = spy = Spy(table.bus, table.clock)
    table.reader.poll()
    began_s = next(began_s for began_s, values, _ in spy.seen if values == [0x02, 0x0C])
    status_read = [0x80 | register << 1 for register in (0x06, 0x0A, 0x0C, 0x0E, 9, 9, 9)]
    ended_s = max(ended_s for _, values, ended_s in spy.seen if values == [*status_read, 0])
    assert ended_s - began_s <= ONE_UID_S


@pytest.mark.parametrize("collpos", COLLPOS)
@pytest.mark.parametrize("number", INVENTORY_S)
def test_an_inventory_with_hlta_costs_at_most(collpos: CollPos, number: int) -> None:
    table = rig(collpos)
    table.lay(*ntag_uids(number))
    _, took_s = table.cost()
    _, with_the_rest_of_hlta_s = table.cost()
    assert max(took_s, with_the_rest_of_hlta_s) <= INVENTORY_S[number]


@GUARDS
@pytest.mark.parametrize("has_just_gone", [False, True])
def test_a_sweep_of_five_empty_readers_costs_at_most(
    guard_s: float | None, has_just_gone: bool
) -> None:
    clock = VirtualClock()
    tables = [rig(guard_s=guard_s, clock=clock) for _ in range(5)]
    if has_just_gone:
        for table in tables:
            (picc,) = table.lay(*ntag_uids(1))
            assert not table.reader.poll().is_empty
            table.field.leave(picc)
        clock.sleep(0.001)
    began_s = clock.now()
    assert all(table.reader.poll().is_empty for table in tables)
    assert clock.now() - began_s <= SWEEP_S[guard_s]


def test_the_chips_timer_runs_as_long_as_the_host_waits() -> None:
    table = rig()
    mode, prescaler, high, low = (table.chip.read(register) for register in range(0x2A, 0x2E))
    ticks, tick_s = (high << 8 | low) + 1, (2 * ((mode & 0x0F) << 8 | prescaler) + 1) / 13.56e6
    assert ticks * tick_s == pytest.approx(TIMER_S)
    fifth_bit_s = (1236 + 5 * 128) / 13.56e6  # the timer stops at the fifth bit of an answer
    assert 2 * fifth_bit_s < TIMER_S


def test_a_restart_costs_the_loop_a_millisecond() -> None:
    table = rig()
    began_s = table.clock.now()
    table.reader.restart()
    assert table.clock.now() - began_s <= 1e-3


# --- finding ---


@POWER_DOWNS
@GUARDS
@pytest.mark.parametrize("collpos", COLLPOS)
@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_every_ntag_of_a_stack_is_found_in_every_poll(
    collpos: CollPos, number: int, guard_s: float | None, power_down_ns: int
) -> None:
    table = rig(collpos, guard_s, power_down_ns)
    uids = ntag_uids(number)
    table.lay(*uids)
    for poll in range(40 // number):
        table.clock.sleep(poll % 8 * 0.001)
        sighting = table.reader.poll()
        assert set(sighting.uids) == set(uids)
        assert len(sighting.uids) == number
        assert not sighting.is_garbled


@pytest.mark.parametrize("collpos", COLLPOS)
def test_tags_of_both_sizes_are_found_together(collpos: CollPos) -> None:
    table = rig(collpos)
    uids = {bytes.fromhex("DEADBEEF"), bytes.fromhex("0C4A11D2"), *ntag_uids(2)}
    table.lay(*uids)
    assert set(table.reader.poll().uids) == uids


def test_no_poll_goes_beyond_the_most_tags_a_spot_can_hold() -> None:
    table = rig()
    uids = ntag_uids(MOST_TAGS + 2)
    table.lay(*uids)
    sighting = table.reader.poll()
    assert len(sighting.uids) == MOST_TAGS
    assert set(sighting.uids) < set(uids)
    assert sighting.is_garbled  # some tags in the field were not resolved


def test_a_tag_with_a_random_uid_keeps_it_as_long_as_it_lies() -> None:
    table = rig()
    picc = RandomUid4(Random(7))
    table.field.enter(picc)
    table.clock.sleep(0.005)
    first = table.reader.poll().uids
    assert first == (picc.uid,)
    assert first[0][0] == 0x08
    assert table.reader.poll().uids == first
    table.field.leave(picc)
    table.field.enter(picc)
    table.clock.sleep(0.005)
    assert table.reader.poll().uids == (picc.uid,) != first


def test_a_tag_that_was_lifted_is_not_seen() -> None:
    table = rig()
    staying, leaving = table.lay(*ntag_uids(2))
    table.reader.poll()
    table.field.leave(leaving)
    assert table.reader.poll().uids == (staying.uid,)


PREFIXES = st.binary(min_size=0, max_size=3)


@st.composite
def alike_uids(draw: st.DrawFn) -> set[bytes]:
    """Draw a set of UIDs of 4 and 7 bytes that share their first bytes, like those of one roll."""
    prefix = draw(PREFIXES)
    sizes = draw(st.lists(st.sampled_from((4, 7)), min_size=1, max_size=5))
    uids = set()
    for size in sizes:
        rest = draw(st.binary(min_size=size, max_size=size))
        uid = bytearray((prefix + rest)[:size])
        if uid[0] in (0x88, 0x08) or size == 4:
            uid[0] = 0x04 if size == 7 else uid[0] | 0x10  # not 88h (cascade) or 08h (random)
            uid[0] = 0x14 if uid[0] in (0x98, 0x88) else uid[0]
        if size == 7 and uid[3] == 0x88:
            uid[3] = 0x89
        uids.add(bytes(uid))
    return uids


@pytest.mark.parametrize("collpos", COLLPOS)
@settings(deadline=None, max_examples=40)
@given(uids=alike_uids())
def test_any_set_of_tags_is_found_exactly(collpos: CollPos, uids: set[bytes]) -> None:
    """Every tag is found once and no UID is made up, however similar the UIDs are."""
    table = rig(collpos)
    table.lay(*sorted(uids))
    for _ in range(2):
        sighting = table.reader.poll()
        assert sorted(sighting.uids) == sorted(uids)
        assert not sighting.is_garbled


# --- the field ---


def test_in_turn_the_field_is_on_only_while_the_reader_polls() -> None:
    table = rig(guard_s=GUARD_S)
    states = [table.field.is_on]
    table.clock.call_at(table.clock.now_ns + 500_000, lambda: states.append(table.field.is_on))
    table.reader.poll()
    states.append(table.field.is_on)
    table.lay(*ntag_uids(1))
    table.reader.poll()
    states.append(table.field.is_on)
    assert states == [False, True, False, False]


def test_in_turn_the_field_goes_off_after_a_fault_too() -> None:
    table = rig(guard_s=GUARD_S)
    table.chip.write(MODE_REG, 0x3F)
    with pytest.raises(ReaderFault):
        table.reader.poll()
    assert not table.field.is_on


def test_in_turn_the_field_goes_off_when_the_last_frame_is_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = rig(guard_s=GUARD_S)
    modem: list[int] = []

    def switch(field: RfField, is_on: bool) -> None:
        if field.is_on and not is_on:
            modem.append(table.chip.read(0x08) & 0x07)
        original(field, is_on)

    original = RfField.switch
    monkeypatch.setattr(RfField, "switch", switch)
    (picc,) = table.lay(*ntag_uids(1))
    table.reader.poll()  # the last frame is HLTA
    table.field.leave(picc)
    table.reader.poll()  # the last frame is shorter than HLTA
    assert len(modem) == 2
    assert 0b011 not in modem, "it is transmitting (DS 9.3.1.9)"


def test_the_field_is_on_so_long_before_the_first_call_as_the_guard_says() -> None:
    """An emulated tag needs 1 ms to wake, so a shorter guard time misses it."""
    for guard_s, is_found in ((GUARD_S, True), (GUARD_S - 0.0003, False)):
        table = rig(guard_s=guard_s)
        table.lay(*ntag_uids(1))
        assert table.reader.poll().is_empty is not is_found


class Stuck(Ntag):
    """A tag that, once selected, refuses every command until it loses its power."""

    def hear_active(self, frame: Frame) -> PiccAnswer:
        return PiccAnswer(Frame(0x0, 4))


def stick(table: Rig, picc: Picc) -> None:
    """Leave *picc* selected in the field, as a program that was killed would."""
    table.field.enter(picc)
    table.field.switch(True)
    table.clock.sleep(0.005)
    picc.state = PiccState.ACTIVE


@POWER_DOWNS
@GUARDS
def test_a_tag_that_stays_garbled_loses_its_power_and_starts_again(
    guard_s: float | None, power_down_ns: int
) -> None:
    table = rig(guard_s=guard_s, power_down_ns=power_down_ns)
    stick(table, Stuck(ntag_uids(1)[0]))
    starts_anew_each_time = guard_s is not None and not power_down_ns
    for _ in range(1 if starts_anew_each_time else GARBLED_POLLS - 1):
        sighting = table.reader.poll()
        assert sighting.is_garbled
        assert not sighting.uids
    assert table.reader.poll() == Sighting(tuple(ntag_uids(1)))


@POWER_DOWNS
@GUARDS
def test_a_classic_left_in_a_session_is_found_by_the_second_poll(
    guard_s: float | None, power_down_ns: int
) -> None:
    """An authenticated MIFARE Classic hears a plain WUPA as noise, which ends the session."""
    table = rig(guard_s=guard_s, power_down_ns=power_down_ns)
    picc = MifareClassic1K(bytes.fromhex("DEADBEEF"))
    table.field.enter(picc)
    table.field.switch(True)
    table.clock.sleep(0.005)
    for frame in (WUPA, Frame.of(b"\x93\x20"), Frame.with_crc(b"\x93\x70\xde\xad\xbe\xef\x22")):
        assert picc.hear(frame)
    nonce = picc.hear(Frame.with_crc(b"\x60\x04"))
    assert nonce is not None
    passes = crypto1.passes(b"\xff" * 6, picc.uid, nonce.frame.data, bytes(4))
    assert picc.hear(Frame.of(bytes(4) + passes.reader_answer))
    assert picc.uid in {uid for _ in range(2) for uid in table.reader.poll().uids}


def test_a_tag_that_drowns_another_gives_way_at_last() -> None:
    table = rig()
    stick(table, Stuck(ntag_uids(1)[0]))
    (beside,) = table.lay(bytes.fromhex("DEADBEEF"))
    seen = [set(table.reader.poll().uids) for _ in range(GARBLED_POLLS)]
    assert seen[-1] == {beside.uid, *ntag_uids(1)}


def test_the_field_stays_on_as_long_as_a_poll_is_clear_now_and_then() -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    fields_entered = picc.fields_entered
    for poll in range(5 * GARBLED_POLLS):
        flips = 0 if poll % GARBLED_POLLS == 0 else 1
        table.field.noise = lambda picc, frame, flips=flips: flips  # type: ignore[misc]
        assert table.reader.poll().is_garbled is bool(flips)
    assert picc.fields_entered == fields_entered


# --- a bad radio ---


@GUARDS
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), number=st.integers(1, 3), rate=st.floats(0.0001, 0.3))
def test_bit_errors_never_make_up_a_uid(
    guard_s: float | None, seed: int, number: int, rate: float
) -> None:
    """Bit errors in either direction may hide a tag, but never produce a UID that is not there."""
    table = rig(guard_s=guard_s)
    uids = ntag_uids(number)
    table.lay(*uids)
    table.field.noise = table.field.command_noise = BitErrors(Random(seed), rate)
    for _ in range(15):
        assert set(table.reader.poll().uids) <= set(uids)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), number=st.integers(1, 3), rate=st.floats(0.01, 0.5))
def test_noise_that_parity_does_not_see_never_makes_up_a_uid(
    seed: int, number: int, rate: float
) -> None:
    """Four flipped bits may hide a tag, but never produce a UID that is not there."""
    table = rig()
    chance = Random(seed)
    uids = ntag_uids(number)
    table.lay(*uids)

    def noise(picc: Picc, frame: Frame) -> int:
        if chance.random() >= rate:
            return 0
        return reduce(xor, (1 << chance.randrange(frame.length) for _ in range(4)))

    table.field.noise = noise
    for _ in range(15):
        assert set(table.reader.poll().uids) <= set(uids)


def test_an_answer_lost_at_any_point_leaves_a_missing_or_garbled_sighting() -> None:
    uids = ntag_uids(2)
    for lost in range(14):
        table = rig()
        table.lay(*uids)
        answers = count()
        table.field.miss = lambda picc, at=lost, n=answers: next(n) == at  # type: ignore[misc]
        sighting = table.reader.poll()
        assert set(sighting.uids) <= set(uids)
        assert not sighting.is_empty  # the other tag answered
        assert set(table.reader.poll().uids) == set(uids)


@pytest.mark.parametrize("lost", range(1, 5))
def test_an_answer_lost_after_the_first_is_asked_for_again(lost: int) -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    answers = count()
    table.field.miss = lambda picc: next(answers) == lost
    assert table.reader.poll() == Sighting((picc.uid,))


def test_what_was_left_of_an_answer_that_is_too_long_is_not_sent() -> None:
    class Overlong(Ntag):
        def __init__(self, uid: bytes) -> None:
            super().__init__(uid)
            self.heard: list[int] = []

        def hear(self, frame: Frame) -> PiccAnswer | None:
            self.heard.append(frame.length)
            answer = super().hear(frame)
            return PiccAnswer(Frame(0, 80)) if len(self.heard) == 2 else answer

    table = rig()
    table.field.enter(picc := Overlong(ntag_uids(1)[0]))
    table.clock.sleep(0.005)
    assert table.reader.poll() == Sighting((picc.uid,))
    assert picc.heard[:5] == [7, 16, 7, 7, 16]  # bits: WUPA, ANTICOLLISION, WUPA, and again


@dataclass
class Losing:
    """A filter that loses the answer to one of the five commands in the poll of a single tag."""

    which: int
    heard: int = field(default=0)

    def __call__(self, picc: Picc) -> bool:
        self.heard += 1
        return self.heard % 5 == self.which


@pytest.mark.parametrize(
    "which", [0, 2, 3, 4], ids=["SELECT 2", "ANTICOLL", "SELECT", "ANTICOLL 2"]
)
def test_a_tag_that_falls_silent_is_still_something_in_the_field(which: int) -> None:
    """The tag answered WUPA, so the field is not empty, even if a later answer is lost."""
    table = rig()
    table.lay(*ntag_uids(1))
    table.field.miss = Losing(which)
    assert not table.reader.poll().is_empty


def test_a_flickering_tag_is_never_missed_cleanly_ten_times_in_a_row() -> None:
    table = rig()
    table.lay(*ntag_uids(1))
    chance = Random(5)
    table.reader.poll()
    table.field.miss = lambda picc: chance.random() < 0.3
    row = longest = 0
    for _ in range(2000):
        row = row + 1 if table.reader.poll().is_empty else 0
        longest = max(longest, row)
    assert longest < 10


class Late:
    """A bus to a chip with a slow receiver: the first status read after a frame shows no answer."""

    def __init__(self, bus: SpiDevice) -> None:
        self._bus = bus
        self._is_first_look = True

    def xfer2(self, values: list[int]) -> list[int]:
        read = self._bus.xfer2(values)
        if values[0] == 0x0D << 1:  # a write to BitFramingReg starts the transmission
            self._is_first_look = True
        elif values[0] == 0x80 | 0x04 << 1 and self._is_first_look:
            self._is_first_look = False
            read[1] &= ~0x22  # clears RxIRq and ErrIRq
        return read

    def close(self) -> None:
        self._bus.close()


@pytest.mark.parametrize("is_late", [False, True])
def test_one_lost_answer_costs_one_poll_whenever_the_next_one_comes(is_late: bool) -> None:
    """A lost answer leaves the tag in READY, where it ignores the next WUPA unless it is reset."""
    for pause_us in range(0, 600, 20):
        table = rig()
        if is_late:
            table.reader.spi = Late(table.bus)
        (picc,) = table.lay(*ntag_uids(1))
        table.reader.poll()
        table.clock.sleep(0.01)
        table.field.miss = lambda picc: True
        assert table.reader.poll().is_empty
        table.field.miss = lambda picc: False
        table.clock.sleep(pause_us * 1e-6)
        assert table.reader.poll().uids == (picc.uid,)


def test_a_wrong_bcc_is_garbled_and_no_uid() -> None:
    class WrongBcc(Ntag):
        def _set_uid(self, uid: bytes) -> None:
            super()._set_uid(uid)
            self._parts = [part ^ 1 << 33 for part in self._parts]

    table = rig()
    table.field.enter(WrongBcc(ntag_uids(1)[0]))
    table.clock.sleep(0.005)
    sighting = table.reader.poll()
    assert sighting.uids == ()
    assert sighting.is_garbled


def test_an_answer_without_its_last_byte_is_garbled_even_if_that_byte_is_zero() -> None:
    class Short(MifareClassic1K):
        def _hear_anticollision(self, frame: Frame) -> PiccAnswer | None:
            answer = super()._hear_anticollision(frame)
            return answer and PiccAnswer(Frame(answer.frame.bits, answer.frame.length - 8))

    table = rig()
    table.field.enter(Short(b"\x10\x20\x10\x20"))
    table.clock.sleep(0.005)
    sighting = table.reader.poll()
    assert sighting.uids == ()
    assert sighting.is_garbled


def test_a_wrong_crc_of_the_sak_is_garbled_and_no_uid() -> None:
    class WrongCrc(Ntag):
        def power_up(self) -> None:
            super().power_up()
            self._sak = Frame(Frame.with_crc(b"\0").bits ^ 1 << 9, 24)

    table = rig()
    table.field.enter(WrongCrc(ntag_uids(1)[0]))
    table.clock.sleep(0.005)
    sighting = table.reader.poll()
    assert sighting.uids == ()
    assert sighting.is_garbled


def test_a_tag_that_is_badly_heard_where_no_tag_was_certain_is_garbled() -> None:
    """With 9 bits known, CollPos 12 may mean bit 12 or 20, so the branch may be empty."""

    class WrongCrc(MifareClassic1K):
        def power_up(self) -> None:
            super().power_up()
            self._sak = Frame(Frame.with_crc(b"\x08").bits ^ 1 << 9, 24)

    uids = [bytes((0x01, second, 0x00, 0x00)) for second in (0b0000, 0b1001)]
    table = rig("absolute")
    table.field.enter(WrongCrc(bytes((0x01, 0b0001, 0x00, 0x00))))
    table.lay(*uids)
    sighting = table.reader.poll()
    assert set(sighting.uids) == set(uids)
    assert sighting.is_garbled


def test_a_whole_uid_that_begins_with_the_cascade_tag_is_garbled() -> None:
    """ISO/IEC 14443-3 forbids such a UID, because it reads as the first part of a longer one."""
    table = rig()
    table.field.enter(Picc(bytes.fromhex("88A1B2C3"), atqa=0x0004, sak=0x00))
    table.clock.sleep(0.005)
    sighting = table.reader.poll()
    assert sighting.uids == ()
    assert sighting.is_garbled


def test_a_uid_of_ten_bytes_is_read_whole() -> None:
    uid = bytes.fromhex("04A1B2C3D4E5F6071829")
    table = rig()
    table.field.enter(Picc(uid, atqa=0x0084, sak=0x00))
    table.clock.sleep(0.005)
    assert table.reader.poll().uids == (uid,)


def test_a_cascade_that_never_ends_is_garbled() -> None:
    class Endless(Picc):
        pass

    table = rig()
    table.field.enter(Endless(bytes.fromhex("01020304050607080910"), atqa=0x0044, sak=0x04))
    table.clock.sleep(0.005)
    assert table.reader.poll().is_garbled


@pytest.mark.parametrize("after_us", range(0, 6200, 310))
def test_a_tag_that_leaves_in_the_middle_of_a_poll_is_seen_or_garbled_or_gone(
    after_us: int,
) -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.clock.call_at(table.clock.now_ns + after_us * 1000, lambda: table.field.leave(picc))
    assert set(table.reader.poll().uids) <= {picc.uid}
    table.clock.sleep(0.01)
    assert table.reader.poll().is_empty


@pytest.mark.parametrize("after_us", range(0, 6200, 620))
def test_a_tag_that_comes_in_the_middle_of_a_poll_is_found_by_the_next(after_us: int) -> None:
    table = rig()
    lying, coming = map(tag, ntag_uids(2))
    table.field.enter(lying)
    table.clock.sleep(0.005)
    table.clock.call_at(table.clock.now_ns + after_us * 1000, lambda: table.field.enter(coming))
    assert lying.uid in table.reader.poll().uids
    table.clock.sleep(0.01)
    assert set(table.reader.poll().uids) == {lying.uid, coming.uid}


# --- a bad chip ---


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_dead_bus_is_a_fault_that_says_what_to_check(level: int) -> None:
    table = rig()
    table.lay(*ntag_uids(1))
    table.bus.stuck_at = level
    for act in (table.reader.poll, table.reader.restart):
        text = rf"version register reads {level:02X}h.* SPI wires and 3\.3 V"
        with pytest.raises(ReaderFault, match=text) as fault:
            act()
        assert fault.value.kind == "silent"


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_reader_that_is_missing_from_the_start_is_a_fault_of_the_first_poll(level: int) -> None:
    clock = VirtualClock()
    bus = SpiDevice(None, clock)
    bus.stuck_at = level
    reader = Mfrc522Reader(bus, clock)
    assert bus.transfers == 0
    for _ in range(2):
        with pytest.raises(ReaderFault):
            reader.poll()


@pytest.mark.parametrize(("level", "longest_s"), [(0x00, START_UP_S + 0.002), (0xFF, 0.001)])
def test_a_dead_chip_holds_others_up_once_at_most(level: int, longest_s: float) -> None:
    """The driver waits once for 00h, which may be a starting crystal; FFh means no chip."""
    table = rig()
    table.bus.stuck_at = level
    for limit_s in (longest_s, 0.001, 0.001):
        began_s = table.clock.now()
        with pytest.raises(ReaderFault, match="does not answer"):
            table.reader.restart()
        assert table.clock.now() - began_s < limit_s
        with pytest.raises(ReaderFault):
            table.reader.poll()


# --- a crystal that starts, heat, and deafness ---


@pytest.mark.parametrize("start_ms", [1, 20, 48])
def test_a_chip_that_reads_00h_while_its_crystal_starts_is_waited_for(start_ms: int) -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.chip.slow_crystal(start_ms * 1_000_000)
    table.chip.brown_out()
    assert table.bus.xfer2([0x80 | Reg.VERSION << 1, 0])[1] == 0x00
    table.reader.restart()
    assert table.reader.poll().uids == (picc.uid,)


def test_a_chip_that_starts_with_the_table_is_waited_for() -> None:
    clock = VirtualClock()
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()))
    chip.power(False)
    chip.slow_crystal(30_000_000)
    chip.power(True)
    assert Mfrc522Reader(SpiDevice(chip, clock), clock).poll().is_empty


def test_a_crystal_that_takes_longer_than_50_ms_is_judged_absent_and_found_later() -> None:
    table = rig()
    table.chip.slow_crystal(120_000_000)
    table.chip.brown_out()
    with pytest.raises(ReaderFault, match="does not answer"):
        table.reader.restart()
    table.clock.sleep(0.1)
    table.reader.restart()
    assert table.reader.poll().is_empty


@GUARDS
def test_a_chip_that_is_too_hot_is_a_fault_with_what_to_do(guard_s: float | None) -> None:
    table = rig(guard_s=guard_s)
    (picc,) = table.lay(*ntag_uids(1))
    table.chip.overheat(True)
    for _ in range(2):  # a reset does not cool the chip
        with pytest.raises(ReaderFault, match=r"too hot .*let it cool.*3\.3 V") as fault:
            table.reader.poll()
        assert fault.value.kind == "hot"
        assert not table.field.is_on
        table.reader.restart()
    table.chip.overheat(False)
    table.reader.restart()
    assert table.reader.poll().uids == (picc.uid,)


def polls_for(table: Rig, seconds: float) -> list[Sighting]:
    """Poll every 10 ms for *seconds* seconds, as the main loop does, and return the sightings."""
    sightings = []
    until_s = table.clock.now() + seconds
    while table.clock.now() < until_s:
        turn_s = table.clock.now()
        sightings.append(table.reader.poll())
        table.clock.sleep(0.010 - (table.clock.now() - turn_s))
    return sightings


@GUARDS
def test_a_chip_that_has_gone_deaf_hears_again_after_a_long_silence(guard_s: float | None) -> None:
    table = rig(guard_s=guard_s)
    table.chip.deafen(True)
    (picc,) = table.lay(*ntag_uids(1))
    assert all(sighting.is_empty for sighting in polls_for(table, DEAF_S - 1))
    *_, last = polls_for(table, 1.1)
    assert last.uids == (picc.uid,)


class CountsResets(Mfrc522):
    """A chip that counts its soft resets."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.resets = 0

    def write(self, address: int, value: int) -> None:
        self.resets += address == Reg.COMMAND and value & 0x0F == 0x0F
        super().write(address, value)


def test_an_empty_spot_has_its_chip_reset_once_in_each_long_silence() -> None:
    table = rig()
    chip = CountsResets(table.clock, table.field)
    table.reader = Mfrc522Reader(SpiDevice(chip, table.clock), table.clock)
    table.reader.restart()
    chip.resets = 0
    polls_for(table, DEAF_S - 0.1)
    assert chip.resets == 0
    polls_for(table, DEAF_S)
    assert chip.resets == 1


def test_a_card_that_lies_there_is_never_reset_nor_missed() -> None:
    table = rig()
    chip = CountsResets(table.clock, table.field)
    table.reader = Mfrc522Reader(SpiDevice(chip, table.clock), table.clock)
    table.reader.restart()
    (picc,) = table.lay(*ntag_uids(1))
    chip.resets = 0
    assert {sighting.uids for sighting in polls_for(table, DEAF_S + 1)} == {(picc.uid,)}
    assert chip.resets == 0


def test_the_reset_after_a_silence_takes_no_turn_of_the_loop() -> None:
    table = rig()
    table.clock.sleep(DEAF_S)
    _, cost_s = table.cost()
    assert cost_s < 0.003
    (picc,) = table.lay(*ntag_uids(1))
    assert table.reader.poll().uids == (picc.uid,)


@pytest.mark.parametrize("after_us", range(0, 6200, 620))
@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_bus_that_dies_in_the_middle_of_a_poll_never_means_an_empty_field(
    level: int, after_us: int
) -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))

    def die() -> None:
        table.bus.stuck_at = level

    table.clock.call_at(table.clock.now_ns + after_us * 1000, die)
    with suppress(ReaderFault):
        assert table.reader.poll().uids in ((), (picc.uid,))
    with pytest.raises(ReaderFault):
        table.reader.poll()


def test_a_brown_out_is_a_fault_and_a_restart_brings_the_reader_back() -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.reader.poll()
    table.chip.brown_out()
    with pytest.raises(ReaderFault, match="lost its settings") as fault:
        table.reader.poll()
    assert fault.value.kind == "settings-lost"
    with pytest.raises(ReaderFault):
        table.reader.poll()  # polling again does not repair it
    table.reader.restart()
    assert table.reader.poll().uids == (picc.uid,)


@GUARDS
def test_a_brown_out_at_any_point_of_a_poll_makes_up_nothing(guard_s: float | None) -> None:
    kinds: set[str] = set()
    for after_us in range(0, 7200, 155):
        table = rig(guard_s=guard_s)
        (picc,) = table.lay(*ntag_uids(1))
        table.clock.call_at(table.clock.now_ns + after_us * 1000, table.chip.brown_out)
        try:
            assert set(table.reader.poll().uids) <= {picc.uid}
        except ReaderFault as noticed:
            kinds.add(noticed.kind)
        with pytest.raises(ReaderFault):
            table.reader.poll()
    assert kinds <= {"settings-lost", "silent"}  # silent: while the version was read
    assert "settings-lost" in kinds


@GUARDS
@pytest.mark.parametrize(
    ("register", "value"),
    [
        (0x2A, 0x00),  # TModeReg
        (0x2B, 0x00),  # TPrescalerReg
        (0x2C, 0x01),  # TReloadReg, high
        (0x2D, 0x00),  # TReloadReg, low
        (0x15, 0x00),  # TxASKReg
        (MODE_REG, 0x3F),
        (0x26, 0x40),  # RFCfgReg
        (0x0E, 0x80),  # CollReg
        (0x01, 0x0F),  # CommandReg: soft reset
    ],
)
def test_a_register_that_changed_is_a_fault_of_the_next_poll(
    register: int, value: int, guard_s: float | None
) -> None:
    """Without its settings the chip would hear no tag, and the field would seem empty."""
    table = rig(guard_s=guard_s)
    (picc,) = table.lay(*ntag_uids(1))
    table.reader.poll()
    table.chip.write(register, value)
    with pytest.raises(ReaderFault) as fault:
        table.reader.poll()
    assert fault.value.kind == "settings-lost"
    table.reader.restart()
    assert table.reader.poll().uids == (picc.uid,)


def test_an_antenna_that_went_out_is_a_fault_of_the_next_poll() -> None:
    table = rig()
    table.chip.write(0x14, 0x80)
    with pytest.raises(ReaderFault) as fault:
        table.reader.poll()
    assert fault.value.kind == "settings-lost"


class Tampered:
    """A bus that passes the reply to each transfer starting with byte *first* through *change*."""

    max_speed_hz = 1_000_000

    def __init__(
        self, bus: SpiDevice, first: int, change: Callable[[list[int]], list[int]]
    ) -> None:
        self._bus, self._first, self._change = bus, first, change

    def xfer2(self, values: list[int]) -> list[int]:
        read = self._bus.xfer2(values)
        return self._change(read) if values[0] == self._first else read

    def close(self) -> None:
        self._bus.close()


def test_a_changed_version_is_a_fault() -> None:
    table = rig()
    version = 0x80 | 0x37 << 1
    table.reader.spi = Tampered(table.bus, version, lambda read: [0, 0x91, *read[2:]])
    with pytest.raises(ReaderFault) as fault:
        table.reader.poll()
    assert fault.value.kind == "settings-lost"


def test_a_chip_whose_flags_never_come_is_stuck() -> None:
    table = rig()
    com_irq = 0x80 | 0x04 << 1
    table.reader.spi = Tampered(table.bus, com_irq, lambda read: [0] * len(read))
    with pytest.raises(ReaderFault, match="does not end an exchange") as fault:
        table.reader.poll()
    assert fault.value.kind == "stuck"


def test_an_answer_that_fills_the_fifo_is_garbled_and_more_than_fits_is_a_fault() -> None:
    table = rig()
    table.lay(*ntag_uids(1))
    error = 0x80 | 0x06 << 1  # the reply has this register's value, and then the number of bytes
    table.reader.spi = Tampered(table.bus, error, lambda read: [*read[:2], 64, *read[3:]])
    assert table.reader.poll().is_garbled
    table.reader.spi = Tampered(table.bus, error, lambda read: [*read[:2], 65, *read[3:]])
    with pytest.raises(ReaderFault) as fault:
        table.reader.poll()
    assert fault.value.kind == "silent"


def test_bytes_left_in_the_fifo_do_not_go_out_with_the_next_call() -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.chip.write(0x09, 0x42)
    assert table.reader.poll().uids == (picc.uid,)


class Refusing:
    """An SPI device whose every transfer fails with an OSError."""

    max_speed_hz = 1_000_000

    def xfer2(self, values: list[int]) -> list[int]:
        raise OSError(5, "Input/output error")

    def close(self) -> None:
        self.is_closed = True


def test_a_bus_that_the_system_refuses_is_a_fault_too() -> None:
    bus = Refusing()
    reader = Mfrc522Reader(bus, VirtualClock())
    uses: tuple[Callable[[], object], ...] = (
        reader.poll, reader.restart, reader.check_up, reader.mark, reader.is_marked,
        lambda: reader.intact_patterns(1_000_000, 1),
    )  # fmt: skip
    refused = r"the reader's SPI bus refuses a transfer \(.*Input/output error\); check its wires"
    for use in uses:
        with pytest.raises(ReaderFault, match=refused) as fault:
            use()
        assert fault.value.kind == "bus"
    reader.close()
    assert bus.is_closed


class SlowHost:
    """A clock on a busy computer: each look at the time costs another 10 ms."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def now(self) -> float:
        self._clock.sleep(0.01)
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)


def test_a_host_that_is_held_up_does_not_take_the_chip_for_dead() -> None:
    table = rig()
    reader = Mfrc522Reader(table.bus, SlowHost(table.clock))
    assert reader.poll().is_empty


# --- the reset wire ---


class Wire:
    """A reset wire to *chips* that records what was done with it."""

    def __init__(self, *chips: Mfrc522) -> None:
        self.chips = chips
        self.done: list[str] = []

    @property
    def pulses(self) -> int:
        return self.done.count("off")

    def on(self) -> None:
        self.done.append("on")
        for chip in self.chips:
            chip.reset_pin(True)

    def off(self) -> None:
        self.done.append("off")
        for chip in self.chips:
            chip.reset_pin(False)

    def close(self) -> None:
        self.done.append("close")


def test_a_mark_stays_until_the_chip_is_reset() -> None:
    table = rig()
    table.reader.mark()
    assert table.reader.is_marked() is True
    table.chip.reset_pin(False)
    table.chip.reset_pin(True)
    assert table.reader.is_marked() is False


def test_only_a_restart_by_wire_pulls_the_reset_wire() -> None:
    table = rig()
    wire = Wire(table.chip)
    reader = open_reader(ReaderWires(table.bus, table.clock, wire))
    (picc,) = table.lay(*ntag_uids(1))
    reader.restart()
    assert wire.done == []
    reader.restart(by_wire=True)
    assert wire.done == ["off", "on"]
    assert reader.poll().uids == (picc.uid,)
    assert (reader.has_reset_wire, table.reader.has_reset_wire) == (True, False)


def test_a_restart_by_a_wire_that_is_not_there_is_a_restart() -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.chip.brown_out()
    table.reader.restart(by_wire=True)
    assert table.reader.poll().uids == (picc.uid,)


@GUARDS
def test_a_reader_whose_shared_wire_was_pulled_sets_itself_up_silently(
    guard_s: float | None,
) -> None:
    clock = VirtualClock()
    tables = [rig(clock=clock) for _ in range(3)]
    wire = Wire(*(table.chip for table in tables))
    readers = [Mfrc522Reader(table.bus, clock, wire, guard_s=guard_s) for table in tables]
    piccs = [table.lay(uid)[0] for table, uid in zip(tables, ntag_uids(3), strict=True)]
    for pulled in readers:
        for _ in range(2):
            seen = [reader.poll().uids for reader in readers]
            assert seen == [(picc.uid,) for picc in piccs]
        pulled.restart(by_wire=True)
    assert wire.pulses == len(readers)


# --- identifying the chip ---


@pytest.mark.parametrize(
    ("version", "identity"),
    [
        (0x90, "MFRC522 version 0.0 (90h)"),
        (0x91, "MFRC522 version 1.0 (91h)"),
        (0x92, "MFRC522 version 2.0 (92h)"),
        (0x88, "FM17522 (88h)"),
        (0x89, "FM17522E (89h)"),
        (0xB2, "FM17522_1 (B2h)"),
    ],
)
def test_a_chip_with_a_known_version_is_named(version: int, identity: str) -> None:
    clock = VirtualClock()
    reader = Mfrc522Reader(
        SpiDevice(Mfrc522(clock, RfField(clock, ExactPhysics()), version=version), clock), clock
    )
    assert (reader.identity, reader.remarks) == ("", ())
    reader.poll()
    assert (reader.identity, reader.remarks) == (identity, ())


@pytest.mark.parametrize("version", [0x15, 0x77, 0x82])
def test_a_chip_with_an_unknown_version_works_and_is_remarked(version: int) -> None:
    clock = VirtualClock()
    over = RfField(clock, ExactPhysics())
    reader = Mfrc522Reader(SpiDevice(Mfrc522(clock, over, version=version), clock), clock)
    over.enter(picc := Ntag(ntag_uids(1)[0]))
    assert reader.poll().uids == (picc.uid,)
    assert reader.identity == f"unknown version ({version:02X}h)"
    (remark,) = reader.remarks
    assert remark.code == "unknown-version"
    assert f"reads {version:02X}h" in remark.text


# --- closing ---


def test_closing_twice_is_safe_and_leaves_no_field() -> None:
    table = rig()
    wire = Wire(table.chip)
    reader = Mfrc522Reader(table.bus, table.clock, wire)
    reader.restart()
    assert table.field.is_on
    reader.close()
    assert not table.field.is_on
    transfers = table.bus.transfers
    reader.close()
    assert table.bus.transfers == transfers
    assert wire.done == ["close"]


@given(data=st.binary(max_size=12))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_drivers_crc_is_the_one_the_tags_reckon(data: bytes) -> None:
    assert crc_a(data) == iso14443.crc_a(data)


# --- the library ---


def run(program: str) -> str:
    """Run *program* in a new Python process and return its output."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_library_leaves_no_pin_and_no_bus_behind() -> None:
    program = """
import sys
import hardware.drivers.mfrc522_reader
print([name for name in sys.modules if name.partition(".")[0] in ("RPi", "spidev")])
try:
    import spidev
    print("real" if hasattr(spidev, "SpiDev") else "empty")
except ModuleNotFoundError:
    print("absent")
"""
    left, spidev = run(program).splitlines()
    assert left == "[]"
    assert spidev in ("real", "absent")


def test_importing_the_library_gives_back_what_was_imported_before() -> None:
    program = """
import sys
from types import ModuleType
there = {name: ModuleType(name) for name in ("RPi", "RPi.GPIO", "spidev")}
sys.modules.update(there)
import hardware.drivers.mfrc522_reader
print(all(sys.modules[name] is module for name, module in there.items()))
"""
    assert run(program) == "True"


def test_the_library_itself_opens_no_bus_when_a_driver_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The library's constructor would open a bus, so the driver must not call it."""
    opened: list[Any] = []
    monkeypatch.setattr(Mfrc522Reader.__mro__[1], "__init__", lambda *given: opened.append(given))
    rig()
    assert not opened


# --- the check-up --------------------------------------------------------------------------------


@GUARDS
@pytest.mark.parametrize("version", [0x91, 0x92])
def test_a_good_chip_passes_its_self_test_and_is_read_as_before(
    version: int, guard_s: float | None
) -> None:
    table = rig(guard_s=guard_s, version=version)
    (picc,) = table.lay(*ntag_uids(1))
    assert table.reader.check_up() == Checkup("gain 43 dB, self test passed")
    assert table.reader.poll().uids == (picc.uid,)


def test_a_chip_gets_time_for_its_self_test(monkeypatch: pytest.MonkeyPatch) -> None:
    table = rig()
    read, levels = table.reader.Read_MFRC522, [0, 13, 40]

    def slowly(register: int) -> int:
        return levels.pop(0) if register == table.reader.FIFOLevelReg and levels else read(register)

    began_s = table.reader._clock.now()
    monkeypatch.setattr(table.reader, "Read_MFRC522", slowly)
    assert table.reader.check_up() == Checkup("gain 43 dB, self test passed")
    assert not levels
    assert table.reader._clock.now() > began_s


def test_a_chip_that_leaves_other_bytes_is_remarked_on() -> None:
    table = rig(self_test=bytes(64))
    (remark,) = table.reader.check_up().remarks
    assert remark.code == "self-test-failed"


def test_a_chip_that_does_not_end_its_self_test_is_remarked_on() -> None:
    table = rig(self_test=bytes(63))
    (remark,) = table.reader.check_up().remarks
    assert remark.code == "self-test-failed"


@pytest.mark.parametrize("version", [0x12, 0x88])
def test_of_a_copy_nobody_knows_what_its_self_test_leaves(version: int) -> None:
    table = rig(version=version)
    checkup = table.reader.check_up()
    assert table.reader.remarks == ()
    assert checkup == Checkup("gain 43 dB, no self test is known for this chip")


@GUARDS
@pytest.mark.parametrize("use", [Mfrc522Reader.poll, Mfrc522Reader.check_up])
def test_a_fixed_gain_is_no_loss_of_settings(
    use: Callable[[Mfrc522Reader], object], guard_s: float | None
) -> None:
    """A copy of the chip has lost nothing, so its 3.3 V is not to blame."""
    table = rig(has_fixed_gain=True, guard_s=guard_s)
    for _ in range(2):
        with pytest.raises(ReaderFault) as fault:
            use(table.reader)
        assert fault.value.kind == "gain"
        assert "gain is fixed at 33 dB and cannot be set to 43 dB" in str(fault.value)
        assert str(fault.value).endswith("; use another reader board")
        table.reader.restart(by_wire=True)


@GUARDS
def test_a_chip_with_a_fixed_gain_can_lose_its_settings_too(guard_s: float | None) -> None:
    table = rig(has_fixed_gain=True, guard_s=guard_s)
    table.chip.brown_out()
    with pytest.raises(ReaderFault) as fault:
        table.reader.poll()
    assert fault.value.kind == "settings-lost"


@pytest.mark.parametrize("stuck_at", [0x00, 0xFF])
def test_a_check_up_of_a_chip_that_is_not_there_is_a_fault(stuck_at: int) -> None:
    table = rig()
    table.bus.stuck_at = stuck_at
    with pytest.raises(ReaderFault, match="does not answer"):
        table.reader.check_up()


# --- the test of the wires -----------------------------------------------------------------------


@GUARDS
@pytest.mark.parametrize(
    ("damaged", "intact"), [(0, 0), (7, 0), (8, 1), (63, 7), (64, 8), (159, 19), (160, 20)]
)
def test_the_patterns_before_the_first_damaged_one_are_counted(
    damaged: int, intact: int, guard_s: float | None
) -> None:
    """Of 160 bytes, byte number *damaged* comes back with a flipped bit.

    A damaged address also clears a register, which is set up again in the end.
    """
    table = rig(guard_s=guard_s)
    (picc,) = table.lay(*ntag_uids(1))
    numbers, rates = count(), set[int]()

    def damage(read: list[int]) -> list[int]:
        rates.add(wires.max_speed_hz)
        table.chip.write(MODE_REG, 0x00)
        return [read[0], *(byte ^ (next(numbers) == damaged) for byte in read[1:])]

    fifo = 0x80 | 0x09 << 1
    table.reader.spi = wires = Tampered(table.bus, fifo, damage)
    assert table.reader.intact_patterns(4_000_000, 20) == intact
    assert (rates, wires.max_speed_hz) == ({4_000_000}, 1_000_000)
    assert table.reader.poll().uids == (picc.uid,)
