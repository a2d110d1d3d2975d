"""The reader driver over the emulated chip: what it finds, what it costs, and what it never says.

Times are the virtual clock's: SPI at 1 MHz, 20 us a transfer.
"""

import subprocess
import sys
from collections.abc import Sequence
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

from hardware.drivers.mfrc522_reader import MOST_TAGS, WARY_POLLS, Mfrc522Reader, crc_a
from hardware.errors import ReaderFault
from hardware.ports import TagReader
from sim.chips import iso14443
from sim.chips.clock import VirtualClock
from sim.chips.field import Field
from sim.chips.iso14443 import Frame
from sim.chips.mfrc522 import CollPos, Mfrc522
from sim.chips.mifare_classic import MifareClassic1K
from sim.chips.ntag import Ntag
from sim.chips.picc import Picc, RandomUid4
from sim.chips.spi import SpiDevice

COLLPOS: Sequence[CollPos] = ("frame", "absolute")
EMPTY_TRANSFERS, EMPTY_S = 12, 1.0e-3  # what an empty poll may cost
ONE_TAG_S = 6.5e-3  # what one confirmed 7-byte UID may cost


@dataclass
class Rig:
    """One reader chip, its bus and the driver over it."""

    clock: VirtualClock
    field: Field
    chip: Mfrc522
    bus: SpiDevice
    reader: Mfrc522Reader

    def lay(self, *uids: bytes) -> tuple[Picc, ...]:
        """Lay a tag of each of *uids* into the field and let it wake."""
        piccs = tuple(map(tag, uids))
        for picc in piccs:
            self.field.enter(picc)
        self.clock.sleep(0.005)
        return piccs


def rig(collpos: CollPos = "frame") -> Rig:
    """A reader that is set up, over an empty field."""
    clock = VirtualClock()
    over = Field(clock)
    chip = Mfrc522(clock, over, collpos=collpos)
    bus = SpiDevice(chip, clock, 1_000_000, overhead_ns=20_000)
    reader = Mfrc522Reader(bus, clock)
    reader.restart()
    return Rig(clock, over, chip, bus, reader)


def tag(uid: bytes) -> Picc:
    """An NTAG for seven bytes, a MIFARE Classic for four."""
    return Ntag(uid) if len(uid) == 7 else MifareClassic1K(uid)


def ntag_uids(number: int) -> list[bytes]:
    """UIDs as a roll of NTAGs has them: all begin with NXP's 04h."""
    chance = Random(number)
    return [bytes((0x04, *chance.sample(range(0x80), 6))) for _ in range(number)]


def test_the_driver_is_a_tag_reader() -> None:
    reader: TagReader = rig().reader
    assert reader.poll().is_empty


# --- cost ---


def test_an_empty_poll_costs_at_most_a_dozen_transfers_and_a_millisecond() -> None:
    table = rig()
    for _ in range(5):
        transfers, began_s = table.bus.transfers, table.clock.now()
        assert table.reader.poll().is_empty
        assert table.bus.transfers - transfers <= EMPTY_TRANSFERS
        assert table.clock.now() - began_s <= EMPTY_S


def test_one_confirmed_uid_costs_at_most_six_and_a_half_milliseconds() -> None:
    table = rig()
    (uid,) = ntag_uids(1)
    table.lay(uid)
    began_s = table.clock.now()
    assert table.reader.poll().uids == (uid,)
    assert table.clock.now() - began_s <= ONE_TAG_S


def test_when_a_tag_has_gone_a_poll_soon_costs_as_little_as_before() -> None:
    table = rig()
    (picc,) = table.lay(*ntag_uids(1))
    table.reader.poll()
    table.field.leave(picc)
    for _ in range(WARY_POLLS):
        transfers = table.bus.transfers
        assert table.reader.poll().is_empty
        assert table.bus.transfers - transfers <= EMPTY_TRANSFERS
    began_s = table.clock.now()
    assert table.reader.poll().is_empty
    assert table.clock.now() - began_s <= EMPTY_S


# --- finding ---


@pytest.mark.parametrize("collpos", COLLPOS)
@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_every_ntag_of_a_stack_is_found_in_every_poll(collpos: CollPos, number: int) -> None:
    table = rig(collpos)
    uids = ntag_uids(number)
    table.lay(*uids)
    for _ in range(100 // number):
        sighting = table.reader.poll()
        assert set(sighting.uids) == set(uids)
        assert len(sighting.uids) == number
        assert not sighting.is_garbled


def test_a_resting_tag_is_found_in_every_one_of_100_polls() -> None:
    table = rig()
    uids = ntag_uids(2)
    table.lay(*uids)
    assert all(set(table.reader.poll().uids) == set(uids) for _ in range(100))


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
    assert sighting.is_garbled  # there is more than was made out


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
    """Sets of UIDs of 4 and 7 bytes that begin alike, as those of one roll do."""
    prefix = draw(PREFIXES)
    sizes = draw(st.lists(st.sampled_from((4, 7)), min_size=1, max_size=5))
    uids = set()
    for size in sizes:
        rest = draw(st.binary(min_size=size, max_size=size))
        uid = bytearray((prefix + rest)[:size])
        if uid[0] in (0x88, 0x08) or size == 4:
            uid[0] = 0x04 if size == 7 else uid[0] | 0x10  # no cascade tag, no random UID
            uid[0] = 0x14 if uid[0] in (0x98, 0x88) else uid[0]
        if size == 7 and uid[3] == 0x88:
            uid[3] = 0x89
        uids.add(bytes(uid))
    return uids


@pytest.mark.parametrize("collpos", COLLPOS)
@settings(deadline=None, max_examples=40)
@given(uids=alike_uids())
def test_any_set_of_tags_is_found_exactly(collpos: CollPos, uids: set[bytes]) -> None:
    """Whatever the UIDs have in common, all are found, each once, and none is made up."""
    table = rig(collpos)
    table.lay(*sorted(uids))
    for _ in range(2):
        sighting = table.reader.poll()
        assert sorted(sighting.uids) == sorted(uids)
        assert not sighting.is_garbled


# --- a bad radio ---


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), number=st.integers(1, 3), rate=st.floats(0.01, 0.5))
def test_noise_never_makes_up_a_uid(seed: int, number: int, rate: float) -> None:
    """Flipped bits cost sightings; they never become a card that is not there."""
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
        assert not sighting.is_empty  # the other answered
        assert set(table.reader.poll().uids) == set(uids)


@dataclass
class Losing:
    """Loses the answers to one kind of command, by counting them in one poll of one tag."""

    which: int
    heard: int = field(default=0)

    def __call__(self, picc: Picc) -> bool:
        self.heard += 1
        return self.heard % 5 == self.which


@pytest.mark.parametrize(
    "which", [0, 2, 3, 4], ids=["SELECT 2", "ANTICOLL", "SELECT", "ANTICOLL 2"]
)
def test_a_tag_that_falls_silent_is_still_something_in_the_field(which: int) -> None:
    """It answered WUPA, so whatever else is lost the field is not empty."""
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


def test_a_whole_uid_that_begins_with_the_cascade_tag_is_garbled() -> None:
    """ISO/IEC 14443-3 forbids it, since it reads as the first part of a longer UID."""
    table = rig()
    table.field.enter(Picc(bytes.fromhex("88A1B2C3"), atqa=0x0004, sak=0x00))
    table.clock.sleep(0.005)
    sighting = table.reader.poll()
    assert sighting.uids == ()
    assert sighting.is_garbled


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
    with pytest.raises(ReaderFault, match=r"SPI wires and 3\.3 V"):
        table.reader.poll()
    with pytest.raises(ReaderFault, match=f"version register reads {level:02X}h"):
        table.reader.restart()


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


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_dead_chip_holds_nobody_up(level: int) -> None:
    table = rig()
    table.bus.stuck_at = level
    began_s = table.clock.now()
    with pytest.raises(ReaderFault):
        table.reader.restart()
    assert table.clock.now() - began_s < 0.001
    with pytest.raises(ReaderFault):
        table.reader.poll()


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
    with pytest.raises(ReaderFault, match="lost its settings"):
        table.reader.poll()
    table.reader.restart()
    assert table.reader.poll().uids == (picc.uid,)


def test_a_brown_out_at_any_point_of_a_poll_makes_up_nothing() -> None:
    for after_us in range(0, 6200, 155):
        table = rig()
        (picc,) = table.lay(*ntag_uids(1))
        table.clock.call_at(table.clock.now_ns + after_us * 1000, table.chip.brown_out)
        with suppress(ReaderFault):
            assert set(table.reader.poll().uids) <= {picc.uid}
        with pytest.raises(ReaderFault):
            table.reader.poll()


class Refusing:
    """An SPI device that the system took away."""

    def xfer2(self, values: list[int]) -> list[int]:
        raise OSError(5, "Input/output error")

    def close(self) -> None:
        self.is_closed = True


def test_a_bus_that_the_system_refuses_is_a_fault_too() -> None:
    bus = Refusing()
    reader = Mfrc522Reader(bus, VirtualClock())
    with pytest.raises(ReaderFault, match="Input/output error"):
        reader.poll()
    with pytest.raises(ReaderFault, match="Input/output error"):
        reader.restart()
    reader.close()
    assert bus.is_closed


class SlowHost:
    """A clock whose sleeps last as long as a busy computer likes."""

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


class Wire:
    """A reset wire that remembers."""

    def __init__(self, chip: Mfrc522) -> None:
        self.chip = chip
        self.done: list[str] = []

    def on(self) -> None:
        self.done.append("on")
        self.chip.reset_pin(True)

    def off(self) -> None:
        self.done.append("off")
        self.chip.reset_pin(False)

    def close(self) -> None:
        self.done.append("close")


def test_a_restart_pulses_the_reset_wire_and_waits_for_the_oscillator() -> None:
    table = rig()
    wire = Wire(table.chip)
    reader = Mfrc522Reader(table.bus, table.clock, wire)
    (picc,) = table.lay(*ntag_uids(1))
    reader.restart()
    assert wire.done == ["off", "on"]
    assert reader.poll().uids == (picc.uid,)


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
    assert wire.done == ["off", "on", "close"]


@given(data=st.binary(max_size=12))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_drivers_crc_is_the_one_the_tags_reckon(data: bytes) -> None:
    assert crc_a(data) == iso14443.crc_a(data)


# --- the library ---


def run(program: str) -> str:
    """What a fresh Python prints for *program*."""
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
    """The driver never calls the library's constructor, which would."""
    opened: list[Any] = []
    monkeypatch.setattr(Mfrc522Reader.__mro__[1], "__init__", lambda *given: opened.append(given))
    rig()
    assert not opened
