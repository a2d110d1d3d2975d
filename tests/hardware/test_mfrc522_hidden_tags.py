"""Tests of tags that an ordinary poll cannot see: slow ones, drowned ones, and weak ones."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.host import PROFILES, HostProfile, LinuxHost
from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics, HonestPhysics, Physics
from fakepi.picc import Picc, RandomUid4
from fakepi.spi import SpiDevice
from hardware.drivers.mfrc522_reader import (
    DEEP_S,
    DROWNED_MISSES,
    FIELD_UP_S,
    GAIN,
    LOOK_S,
    MOST_TAGS,
    Mfrc522Reader,
    open_reader,
)
from hardware.errors import ReaderFault
from hardware.ports import GainTesting, PatientPolling, ReaderWires
from tests.effort import some

TURN_S = 0.01  # from one poll to the next
GUARD_S = 0.001
GUARDS = pytest.mark.parametrize("guard_s", [None, GUARD_S], ids=["always-on", "in-turn"])
HOLDS = pytest.mark.parametrize("hold_ns", [0, 5_000_000], ids=["brief", "lasting"])
UIDS = [bytes((4, *Random(number).randbytes(6))) for number in range(20)]
UIDS += [bytes((0x10 | number, *Random(number).randbytes(3))) for number in range(5)]
SLOW_NS = 1_200_000
LOOKS_MS = 8.0  # a poll that takes longer than this has searched for hidden tags


class Spot:
    """One reader, with a field that *physics* describes."""

    def __init__(
        self,
        physics: Physics,
        guard_s: float | None = None,
        host: LinuxHost | None = None,
        deaf_above_db: int | None = None,
        gain_db: int = GAIN,
        place: int = 0,
    ) -> None:
        self.clock = VirtualClock(host)
        self.field = RfField(self.clock, physics)
        self.chip = Mfrc522(self.clock, self.field, deaf_above_db=deaf_above_db)
        self.bus = SpiDevice(self.chip, self.clock)
        self.reader = Mfrc522Reader(
            self.bus, self.clock, guard_s=guard_s, gain_db=gain_db, place=place
        )
        self.reader.restart()

    def lay(self, *strengths: float) -> list[bytes]:
        """Lay a stack with a tag of each strength, lowest first; return the UIDs."""
        for uid, strength in zip(UIDS, strengths, strict=False):
            self.field.enter(Ntag(uid), strength=strength)
        return UIDS[: len(strengths)]

    def polls(self, seconds: float) -> Sequence[set[bytes]]:
        """Poll every ``TURN_S`` for *seconds*; return the UIDs that each poll saw."""
        seen, until_s = [], self.clock.now() + seconds
        while self.clock.now() < until_s:
            began_s = self.clock.now()
            sighting = self.reader.poll()
            assert len({*sighting.uids}) == len(sighting.uids)
            seen.append({*sighting.uids})
            self.clock.sleep(TURN_S - (self.clock.now() - began_s))
        return seen

    def poll_ms(self) -> float:
        """Poll once; return how long it took on the virtual clock."""
        began_s = self.clock.now()
        self.reader.poll()
        return round(1000 * (self.clock.now() - began_s), 2)

    @property
    def remarked(self) -> list[str]:
        """The codes of the reader's remarks."""
        return [remark.code for remark in self.reader.remarks]


# --- when a look comes ---


def test_a_new_tag_is_reported_before_the_look_and_the_next_poll_looks() -> None:
    """In a race, another card may be laid while the reader looks."""
    spot = Spot(ExactPhysics())
    assert spot.reader.poll().is_empty
    spot.clock.sleep(LOOK_S)
    (uid,) = spot.lay(1.0)
    spot.clock.sleep(FIELD_UP_S)
    assert spot.reader.poll().uids == (uid,)
    times = [spot.poll_ms() for _ in range(3)]
    assert times[0] > LOOKS_MS > max(times[1:]), "only the second poll looks"


def test_the_wires_say_when_a_reader_looks() -> None:
    firsts = []
    for place in range(3):
        spot = Spot(ExactPhysics())
        reader = open_reader(ReaderWires(spot.bus, spot.clock, place=place))
        reader.restart()
        spot.reader = reader
        spot.lay(1.0)
        spot.polls(LOOK_S / 2)  # the tag is new in the first of them
        polls = 1
        while spot.poll_ms() < LOOKS_MS:
            polls += 1
        firsts.append(polls)
    assert firsts[0] < firsts[1] < firsts[2]


def test_a_look_is_put_off_only_once_if_each_poll_finds_another_tag() -> None:
    spot = Spot(ExactPhysics())
    assert spot.reader.poll().is_empty
    spot.clock.sleep(LOOK_S)
    times = []
    for uid in UIDS[:4]:
        tag = Ntag(uid)
        spot.field.enter(tag)
        spot.clock.sleep(FIELD_UP_S)
        times.append(spot.poll_ms())
        spot.field.leave(tag)
    assert times[1] > LOOKS_MS > max(times[0], *times[2:])


# --- tags that wake late ---


@pytest.mark.parametrize("wake_ns", [SLOW_NS, 2_500_000, 4_900_000])
def test_a_tag_that_needs_longer_than_the_guard_is_found_and_then_seen_by_every_poll(
    wake_ns: int,
) -> None:
    spot = Spot(ExactPhysics(power_up_ns=wake_ns), GUARD_S)
    (uid,) = spot.lay(1.0)
    first = spot.polls(LOOK_S + 0.2)
    assert {uid} in first
    assert all(seen == {uid} for seen in spot.polls(2.0))
    assert spot.remarked == ["slow-tags"]
    (remark,) = spot.reader.remarks
    assert f"guard_ms = {2 if wake_ns < 2e6 else 4 if wake_ns < 4e6 else 5} under" in remark.text


def test_a_guard_that_suffices_stays_and_nothing_is_remarked() -> None:
    spot = Spot(ExactPhysics(power_up_ns=900_000), GUARD_S)
    (uid,) = spot.lay(1.0)
    assert set(map(frozenset, spot.polls(5.0))) == {frozenset({uid})}
    assert spot.remarked == []


def test_tags_that_are_laid_during_a_look_do_not_raise_the_guard() -> None:
    spot = Spot(ExactPhysics(power_up_ns=900_000), GUARD_S)
    tag, chance = Ntag(UIDS[0]), Random(1)
    looks: list[float] = []
    for _ in range(300):
        polls = 0
        while not looks or polls < 5:  # a look is a poll that takes longer than 4 ms
            after_ns = chance.randint(1_500_000, 4_500_000)
            spot.clock.call_at(
                spot.clock.now_ns + after_ns,
                lambda: None if spot.field.piccs else spot.field.enter(tag),
            )
            began_s = spot.clock.now()
            spot.reader.poll()
            if spot.clock.now() - began_s > 0.004:
                looks.append(began_s)
            spot.clock.sleep(TURN_S)
            polls += 1
        for picc in spot.field.piccs:
            spot.field.leave(picc)
        spot.clock.sleep(LOOK_S / 2)
    assert len(looks) > 100
    assert spot.remarked == []


def test_a_tag_that_is_only_hard_to_read_does_not_raise_the_guard() -> None:
    spot = Spot(ExactPhysics(power_up_ns=900_000), GUARD_S)
    chance = Random(2)
    spot.field.enter(Ntag(UIDS[0]), lambda _picc: chance.random() < 0.15)
    spot.polls(60.0)
    assert spot.remarked == []


def test_a_look_at_an_empty_spot_takes_five_milliseconds_once_a_second() -> None:
    spot = Spot(ExactPhysics(), GUARD_S)
    times = Counter[bool]()
    until_s = spot.clock.now() + 10 * LOOK_S
    while spot.clock.now() < until_s:
        began_s = spot.clock.now()
        spot.reader.poll()
        took_s = spot.clock.now() - began_s
        assert took_s < 0.0065
        times[took_s > 0.003] += 1
        spot.clock.sleep(TURN_S - took_s)
    assert times[True] == 9  # the first one comes a second after the start


def test_readers_of_a_table_look_at_different_moments() -> None:
    moments = []
    for place in range(9):
        spot = Spot(ExactPhysics(), GUARD_S, place=place)
        while True:
            began_s = spot.clock.now()
            spot.reader.poll()
            if spot.clock.now() - began_s > 0.003:
                break
            spot.clock.sleep(TURN_S)
        moments.append(began_s % LOOK_S)
    apart = [b - a for a, b in zip(sorted(moments), sorted(moments)[1:], strict=False)]
    assert min(apart) > 0.08


@pytest.mark.parametrize("wake_ns", [SLOW_NS, 4_900_000])
def test_a_patient_poll_sees_a_slow_tag_at_once(wake_ns: int) -> None:
    spot = Spot(ExactPhysics(power_up_ns=wake_ns), GUARD_S)
    reader: PatientPolling = spot.reader
    (uid,) = spot.lay(1.0)
    assert spot.polls(0.05) == [set()] * 5
    assert reader.poll_patiently().uids == (uid,)
    assert spot.reader.poll().is_empty
    assert spot.remarked == []


def test_a_patient_poll_of_an_empty_field_costs_time_but_no_transfers() -> None:
    spot = Spot(ExactPhysics(), GUARD_S)
    spot.polls(0.3)  # no longer wary
    costs = []
    for use in (spot.reader.poll, spot.reader.poll_patiently):
        began_s, before = spot.clock.now(), spot.bus.transfers
        assert use().is_empty
        costs.append((spot.clock.now() - began_s, spot.bus.transfers - before))
    (poll_s, poll_transfers), (patient_s, patient_transfers) = costs
    assert patient_transfers == poll_transfers
    assert patient_s - poll_s == pytest.approx(FIELD_UP_S - GUARD_S)


def test_with_a_field_that_is_always_on_patience_costs_nothing() -> None:
    spot = Spot(ExactPhysics())
    spot.polls(0.3)
    times = []
    for use in (spot.reader.poll, spot.reader.poll_patiently):
        began_s = spot.clock.now()
        assert use().is_empty
        times.append(spot.clock.now() - began_s)
    assert times[0] == times[1]


def test_a_patient_poll_reports_a_chip_that_has_lost_its_settings() -> None:
    spot = Spot(ExactPhysics(), GUARD_S)
    spot.chip.brown_out()
    with pytest.raises(ReaderFault, match="has lost its settings"):
        spot.reader.poll_patiently()


# --- tags that another one drowns ---


@GUARDS
@HOLDS
def test_a_weak_tag_under_a_strong_one_is_found_and_then_seen_by_every_poll(
    guard_s: float | None, hold_ns: int
) -> None:
    spot = Spot(ExactPhysics(power_down_ns=hold_ns, capture=0.5), guard_s)
    uids = spot.lay(1.0, 0.3, 0.1)
    first = spot.polls(LOOK_S + 0.2)
    assert first[0] == {uids[0]}
    later = spot.polls(3.0)
    assert all(seen == set(uids) for seen in later)
    assert spot.remarked == ["drowned-tags"]


@GUARDS
def test_a_drowned_tag_that_is_taken_away_is_missed_by_every_poll(guard_s: float | None) -> None:
    spot = Spot(ExactPhysics(capture=0.5), guard_s)
    strong, weak = spot.lay(1.0, 0.3)
    spot.polls(LOOK_S + 0.2)
    spot.field.leave(spot.field.piccs[1])
    assert all(seen == {strong} for seen in spot.polls(3.0))
    transfers = spot.bus.transfers
    spot.reader.poll()
    assert spot.bus.transfers - transfers < 50, "it is not called any more"
    assert weak not in spot.polls(0.1)[0]


def test_a_drowned_tag_that_is_left_alone_is_an_ordinary_one() -> None:
    spot = Spot(ExactPhysics(capture=0.5))
    _, weak = spot.lay(1.0, 0.3)
    spot.polls(LOOK_S + 0.2)
    spot.field.leave(spot.field.piccs[0])
    assert all(seen == {weak} for seen in spot.polls(DROWNED_MISSES * TURN_S * 2))


@GUARDS
def test_two_loud_tags_drown_a_third(guard_s: float | None) -> None:
    spot = Spot(ExactPhysics(capture=0.5), guard_s)
    uids = spot.lay(1.0, 0.8, 0.3)
    spot.polls(LOOK_S + 0.2)
    assert all(seen == set(uids) for seen in spot.polls(2.0))


def test_an_unchanged_spot_is_searched_again_after_ten_seconds_and_a_changed_one_before() -> None:
    spot = Spot(ExactPhysics(capture=0.5))
    strong, *others = UIDS[:4]
    spot.field.enter(Ntag(strong))
    spot.polls(LOOK_S + 0.2)
    spot.field.enter(Ntag(others[0]), strength=0.3)
    assert spot.polls(LOOK_S + 0.2)[-1] == {strong}
    spot.clock.sleep(DEEP_S)
    assert spot.polls(LOOK_S + 0.2)[-1] == {strong, others[0]}
    spot.field.enter(Ntag(others[1]), strength=0.9)
    spot.field.enter(Ntag(others[2]), strength=0.3)
    assert spot.polls(LOOK_S + 0.2)[-1] == {strong, *others}


@GUARDS
def test_a_card_that_lies_alone_loses_no_power_to_a_search(guard_s: float | None) -> None:
    spot = Spot(ExactPhysics(power_down_ns=5_000_000, capture=0.5), guard_s)
    (uid,) = spot.lay(1.0)
    entered = spot.field.piccs[0].fields_entered
    polls = spot.polls(3.0)
    assert all(seen == {uid} for seen in polls)
    if guard_s is None:
        assert spot.field.piccs[0].fields_entered == entered
    assert spot.remarked == []


def test_nothing_is_searched_beside_a_tag_with_a_random_uid() -> None:
    """A search resets tags, and such a tag would have another UID afterwards."""
    spot = Spot(ExactPhysics(capture=0.5))
    phone = RandomUid4(Random(3))
    spot.field.enter(phone)
    spot.field.enter(Ntag(UIDS[0]), strength=0.3)
    seen = spot.polls(3.0)
    assert seen[0] == {phone.uid}
    assert all(uids == seen[0] for uids in seen)


@pytest.mark.parametrize("number", [MOST_TAGS - 1, MOST_TAGS])
def test_nothing_is_searched_beside_as_many_tags_as_a_spot_can_hold(number: int) -> None:
    spot = Spot(ExactPhysics())
    uids = set(spot.lay(*[1.0] * number))
    entered = spot.field.piccs[0].fields_entered
    assert all(seen == uids for seen in spot.polls(LOOK_S + 0.2))
    was_reset = spot.field.piccs[0].fields_entered > entered
    assert was_reset is (number < MOST_TAGS), "only a search switches the field off"


def test_tags_with_uids_of_both_sizes_drown_each_other() -> None:
    spot = Spot(ExactPhysics(capture=0.5))
    for uid, strength in ((b"\x14abc", 0.3), (UIDS[0], 1.0)):
        spot.field.enter(Picc(uid, atqa=4, sak=0), strength=strength)
    spot.polls(LOOK_S + 0.2)
    assert all(seen == {b"\x14abc", UIDS[0]} for seen in spot.polls(1.0))


def test_noise_during_a_search_makes_up_no_uid_and_ends() -> None:
    spot = Spot(ExactPhysics(capture=0.5))
    uids, chance = set(spot.lay(1.0, 0.3, 0.1)), Random(4)
    spot.field.noise = lambda _picc, frame: (
        1 << chance.randrange(frame.length) if chance.random() < 0.1 else 0
    )
    assert all(seen <= uids for seen in spot.polls(20.0))


# --- honest tags on real computers ---


def test_honest_cards_are_each_seen_by_every_poll_however_slowly_they_wake() -> None:
    """One in five needs longer than the guard time, and some are awake in some polls only."""
    physics, missed = HonestPhysics(), []
    for number in range(some(40)):
        spot = Spot(physics, GUARD_S, LinuxHost(PROFILES[number % 3], number))
        uid = bytes((4, *Random(f"honest {number}").randbytes(6)))
        spot.field.enter(Ntag(uid))
        spot.polls(2.5)
        if {uid} != set().union(*spot.polls(0.5)) or not all(spot.polls(0.5)):
            missed.append(number)
    assert missed == []


@GUARDS
@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@pytest.mark.parametrize("seed", range(some(5)))
def test_honest_stacks_are_found_whole(
    guard_s: float | None, profile: HostProfile, seed: int
) -> None:
    """Single answers are lost, so not every poll sees every tag; but nearly all do."""
    spot = Spot(HonestPhysics(seed), guard_s, LinuxHost(profile, seed))
    uids = set(spot.lay(1.0, 1.0, 1.0))
    spot.polls(3.0)
    polls = spot.polls(3.0)
    assert all(seen <= uids for seen in polls)
    assert sum(seen == uids for seen in polls) > 0.9 * len(polls)


# --- the gain ---


def test_the_gain_is_the_one_that_was_asked_for() -> None:
    for gain_db in (18, 23, 33, 38, 43, 48):
        reader = Spot(ExactPhysics(), gain_db=gain_db).reader
        assert reader.poll().is_empty
        assert reader.check_up().found.startswith(f"gain {gain_db} dB")
    with pytest.raises(ValueError, match=r"one of \[18, 23, 33, 38, 43, 48\] dB, not 40"):
        Spot(ExactPhysics(), gain_db=40)


@GUARDS
def test_each_gain_can_be_tried_and_the_readers_own_is_kept(guard_s: float | None) -> None:
    spot = Spot(ExactPhysics(), guard_s, deaf_above_db=38)
    reader: GainTesting = spot.reader
    strong, weak = spot.lay(1.0, 0.1)
    assert [reader.polls_that_see(gain_db, 10) for gain_db in reader.gains_to_try] == [
        Counter({strong: 10}),
        Counter({strong: 10, weak: 10}),
        Counter(),
        Counter(),
    ]
    assert reader.gain_db == 43
    assert spot.reader.check_up().found.startswith("gain 43 dB")


def test_a_gain_that_cannot_be_set_cannot_be_tried() -> None:
    spot = Spot(ExactPhysics())
    fixed = Mfrc522(spot.clock, spot.field, has_fixed_gain=True)
    reader = Mfrc522Reader(SpiDevice(fixed, spot.clock), spot.clock, gain_db=33)
    with pytest.raises(ReaderFault, match="fixed at 33 dB and cannot be set to 43"):
        reader.polls_that_see(43, 5)
    assert reader.poll().is_empty, "the reader's own gain is what the chip has"
