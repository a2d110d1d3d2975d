"""The presence filter, tested with random stories on readers that miss and garble and leak.

A story says which tag lay on which spot at which times, and how well the radio works: each reader
misses tags on its spot, has garbled polls, and receives tags of neighbouring spots, all at random.
The changes that the filter must report follow from the story alone.

``python -m tests.firmware.test_presence_properties`` prints the table beside the filter's
constants: how often a card that lies still would be reported as removed.
"""

import copy
import itertools
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.runtime.presence import FOUND_POLLS, GONE_MISSES, MOST_TAGS, SETTLE_POLLS, Presence
from firmware.table.events import TagOnSpot, TagRemoved, TagsArrived, TagUnreadable
from hardware.ports import Sighting
from tests.effort import some

Change = TagsArrived | TagRemoved | TagUnreadable
Told = tuple[str, str]  # "came" or "went", and the spot

SPOTS = ("play", "seat-1", "seat-2", "seat-3", "seat-4")
EMPTY_POLL_S, TAG_S = 0.0005, 0.0005  # seconds for a poll of an empty spot, and for each tag
PAUSE_S = 0.006  # most seconds between two sweeps over all readers
SWEEP_S = PAUSE_S + 5 * EMPTY_POLL_S + 8 * TAG_S  # most seconds for a sweep
LANDING_S = 0.1
START_S = FOUND_POLLS * SWEEP_S
# Enough seconds for a removal after any misses, and for a move between spots that leak.
LONG_S = 1.6 * GONE_MISSES * SWEEP_S
LONGER_S = 2 * LONG_S


@dataclass(frozen=True)
class Lay:
    """A tag that lies on a spot from *from_s* to *to_s*."""

    uid: bytes
    spot: str
    from_s: float
    to_s: float


@dataclass
class Story:
    """The tags on the mat over time, and the properties of the radio."""

    spots: tuple[str, ...]
    lays: list[Lay]
    seed: int
    miss: float = 0.0  # share of polls that miss a tag on their own spot
    # Share of garbled polls while a tag lands; in a story with one tag, at any time. (With several
    # tags, any of them may be the garbled one, so during that time none can be known to be gone.)
    garble: float = 0.0
    leak: float = 0.0  # share of polls that receive a tag on a neighbouring spot
    sure_polls: int = 0  # number of polls at the start of a lay that never miss
    outages: dict[str, tuple[float, float]] = field(default_factory=dict)  # unwatched from, to (s)
    seen: dict[Lay, float] = field(default_factory=dict)  # first sighting by its own reader

    @property
    def uids(self) -> set[bytes]:
        return {lay.uid for lay in self.lays}

    def told(self, presence: Presence) -> Iterator[Change]:
        """Poll through the story, and yield the changes that the filter reports."""
        chance = Random(self.seed)
        polled: dict[Lay, int] = {}
        now_s = 0.0
        end_s = START_S + max((lay.to_s for lay in self.lays), default=0.0) + LONG_S
        while now_s < end_s:
            watched = [s for s in self.spots if not self._is_out(s, now_s)]
            for spot in watched:
                began_s = now_s
                may_garble, uids = False, list[bytes]()
                for lay in self.lays:
                    if not lay.from_s <= began_s - START_S < lay.to_s:
                        continue
                    if lay.spot == spot:
                        is_landing = began_s - START_S < lay.from_s + LANDING_S
                        may_garble |= is_landing or len(self.uids) == 1
                        polled[lay] = polled.get(lay, 0) + 1
                        if polled[lay] <= self.sure_polls or chance.random() >= self.miss:
                            uids.append(lay.uid)
                            self.seen.setdefault(lay, began_s)
                    elif self._are_neighbours(spot, lay.spot) and chance.random() < self.leak:
                        uids.append(lay.uid)
                is_garbled = may_garble and chance.random() < self.garble
                now_s += EMPTY_POLL_S + TAG_S * len(uids)
                presence.see(spot, Sighting(tuple(uids), is_garbled), began_s, now_s)
                yield from presence.changes(watched)
            now_s += chance.uniform(0, PAUSE_S)

    def must_be_told(self, uid: bytes) -> list[Told]:
        """Return the changes that must be reported of the tag *uid*, in order."""
        return [
            told
            for lay in self.lays
            if lay.uid == uid and lay in self.seen
            for told in (("came", lay.spot), ("went", lay.spot))
        ]

    def check(self, presence: Presence) -> None:
        """Check the filter's reports against the story.

        Each ``Lay`` that its reader saw must arrive once and leave once, on its spot; nothing else
        may be reported.
        """
        told: dict[bytes, list[Told]] = {}
        for change in self.told(presence):
            if isinstance(change, TagsArrived):
                assert not change.was_found
                for laid in change.tags:
                    told.setdefault(laid.uid, []).append(("came", laid.spot))
            elif isinstance(change, TagRemoved):
                told.setdefault(change.uid, []).append(("went", change.spot))
        uids = self.uids | told.keys()
        assert told == {uid: must for uid in uids if (must := self.must_be_told(uid))}
        assert not any(presence.uids(spot) for spot in self.spots)
        assert not presence.is_waiting

    def _is_out(self, spot: str, now_s: float) -> bool:
        from_s, to_s = self.outages.get(spot, (0.0, 0.0))
        return from_s <= now_s - START_S < to_s

    def _are_neighbours(self, one: str, other: str) -> bool:
        return abs(self.spots.index(one) - self.spots.index(other)) == 1


def uid_of(number: int) -> bytes:
    return b"\x04" + number.to_bytes(6, "big")


def taught(spots: tuple[str, ...]) -> Presence:
    """Return a filter that knows that all neighbouring spots leak."""
    presence = Presence(spots)
    clock_s = itertools.count(-1000.0, 0.01)
    for turn in range(len(spots) * 2 * (GONE_MISSES + SETTLE_POLLS)):
        pair, poll = divmod(turn, 2 * (GONE_MISSES + SETTLE_POLLS))
        for spot in spots:
            now_s = next(clock_s)
            is_heard = spot in spots[pair : pair + 2] and poll < SETTLE_POLLS
            presence.see(spot, Sighting((b"\x08pair",) if is_heard else ()), now_s, now_s)
            presence.changes(spots)
    assert len(presence.leaky) == len(spots) - 1
    return presence


@st.composite
def lays(draw: st.DrawFn, spots: tuple[str, ...], shortest_s: float, stay_s: float) -> list[Lay]:
    """Draw one to four tags, each laid up to three times; some are lifted, some moved."""
    found: list[Lay] = []
    for number in range(draw(st.integers(1, 4))):
        now_s = draw(st.floats(0, 1))
        spot = draw(st.sampled_from(spots))
        for _ in range(draw(st.integers(1, 3))):
            is_moved = len(spots) > 1 and draw(st.booleans())
            to_s = now_s + (
                draw(st.floats(0.3, 1)) + stay_s if is_moved else draw(st.floats(shortest_s, 1))
            )
            found.append(Lay(uid_of(number), spot, now_s, to_s))
            if is_moved:  # moved to another spot within 0.2 s, where it stays
                spot = draw(st.sampled_from([other for other in spots if other != spot]))
                now_s = to_s + draw(st.floats(0.05, 0.2))
                to_s = now_s + stay_s + draw(st.floats(0, 1))
                found.append(Lay(uid_of(number), spot, now_s, to_s))
            now_s = to_s + LONG_S + draw(st.floats(0, 1))
            spot = draw(st.sampled_from(spots))
    return found


some_spots = st.sampled_from((1, 2, 5)).map(lambda many: SPOTS[:many])
seeds = st.integers(0, 2**32)


@settings(max_examples=some(60))
@given(data=st.data(), spots=some_spots, seed=seeds)
def test_every_lay_that_is_seen_arrives_once_and_every_lift_goes_once(
    data: st.DataObject, spots: tuple[str, ...], seed: int
) -> None:
    """A tap of 20 ms counts if any poll saw it, however many polls are missed or garbled."""
    Story(
        spots,
        data.draw(lays(spots, shortest_s=0.02, stay_s=LONG_S)),
        seed,
        miss=data.draw(st.floats(0, 0.6)),
        garble=data.draw(st.floats(0, 0.2)),
    ).check(Presence(spots))


@settings(max_examples=some(40))
@given(data=st.data(), many=st.sampled_from((2, 5)), seed=seeds)
def test_where_spots_are_known_to_leak_a_lay_arrives_where_it_is(
    data: st.DataObject, many: int, seed: int
) -> None:
    """This holds even if another spot receives the tag first, or still does after a move."""
    spots = SPOTS[:many]
    Story(
        spots,
        data.draw(lays(spots, shortest_s=0.3, stay_s=LONGER_S)),
        seed,
        miss=data.draw(st.floats(0, 0.15)),
        garble=data.draw(st.floats(0, 0.05)),
        leak=data.draw(st.floats(0.05, 0.2)),
    ).check(taught(spots))


@settings(max_examples=some(40))
@given(data=st.data(), many=st.sampled_from((2, 5)), seed=seeds)
def test_where_spots_are_not_known_to_leak_the_first_sweep_decides(
    data: st.DataObject, many: int, seed: int
) -> None:
    """A tag that its own reader sees at once arrives there, even if other readers receive it."""
    spots = SPOTS[:many]
    Story(
        spots,
        data.draw(lays(spots, shortest_s=0.3, stay_s=LONGER_S)),
        seed,
        miss=data.draw(st.floats(0, 0.15)),
        leak=data.draw(st.floats(0.05, 0.2)),
        sure_polls=3,
    ).check(Presence(spots))


@settings(max_examples=some(30))
@given(data=st.data(), seed=seeds, out_s=st.floats(1, 2), back_s=st.floats(2, 4))
def test_what_rests_at_a_reader_that_is_lost_and_back_is_not_told_again(
    data: st.DataObject, seed: int, out_s: float, back_s: float
) -> None:
    spots = SPOTS[:3]
    others = data.draw(lays(spots[1:], shortest_s=0.3, stay_s=LONG_S))
    Story(
        spots,
        [Lay(b"\x08stays", spots[0], 0.5, 5.0), *others],
        seed,
        miss=data.draw(st.floats(0, 0.5)),
        garble=data.draw(st.floats(0, 0.2)),
        outages={spots[0]: (out_s, back_s)},
    ).check(Presence(spots))


@settings(max_examples=some(100))
@given(
    many=st.integers(2, 5),
    times_s=st.lists(st.floats(0, 0.2), min_size=2, max_size=6),
    data=st.data(),
    seed=seeds,
)
def test_taps_are_told_in_the_order_they_were_made(
    many: int, times_s: list[float], data: st.DataObject, seed: int
) -> None:
    """The order is never wrong, and taps that are two sweeps apart never arrive together."""
    spots = SPOTS[:many]
    taps = [
        Lay(uid_of(number), data.draw(st.sampled_from(spots)), time_s, 1.0)
        for number, time_s in enumerate(sorted(times_s))
    ]
    groups = [
        [int.from_bytes(laid.uid[1:], "big") for laid in change.tags]
        for change in Story(spots, taps, seed).told(Presence(spots))
        if isinstance(change, TagsArrived)
    ]
    assert sorted(itertools.chain(*groups)) == list(range(len(taps)))
    for earlier, later in itertools.pairwise(groups):
        assert max(earlier) < min(later) or taps[max(earlier)].from_s == taps[min(later)].from_s
    for group in groups:
        apart_s = [taps[b].from_s - taps[a].from_s for a, b in itertools.pairwise(sorted(group))]
        assert all(gap_s < 2 * SWEEP_S for gap_s in apart_s)


sightings = st.builds(
    Sighting,
    st.lists(st.sampled_from([uid_of(n) for n in range(4)]), unique=True, max_size=3).map(tuple),
    st.booleans(),
)


@settings(max_examples=some(200))
@given(
    polls=st.lists(
        st.tuples(st.sampled_from(SPOTS[:3]), sightings, st.integers(1, 20)), max_size=200
    ),
    watched=st.lists(st.sets(st.sampled_from(SPOTS[:3])), min_size=1, max_size=5),
)
def test_a_tag_is_never_in_two_places(
    polls: list[tuple[str, Sighting, int]], watched: list[set[str]]
) -> None:
    """A tag's arrivals and removals alternate, and it only arrives on spots where it was seen."""
    presence = Presence(SPOTS[:3])
    lies: dict[bytes, str] = {}
    seen: set[TagOnSpot] = set()
    for number, (spot, sighting, times) in enumerate(polls):
        seen.update(TagOnSpot(spot, uid) for uid in sighting.uids)
        for time in range(times):
            now_s = number + time / 100
            presence.see(spot, sighting, now_s, now_s)
        for change in presence.changes(watched[number % len(watched)]):
            if isinstance(change, TagsArrived):
                assert seen.issuperset(change.tags)
                assert not any(laid.uid in lies for laid in change.tags)
                lies.update((laid.uid, laid.spot) for laid in change.tags)
            elif isinstance(change, TagRemoved):
                assert lies.pop(change.uid) == change.spot
    assert lies == {uid: spot for spot in SPOTS[:3] for uid in presence.uids(spot)}


@settings(max_examples=some(10))
@given(seed=seeds, many=st.sampled_from((1, 2, 5)))
def test_what_is_kept_stays_bounded(seed: int, many: int) -> None:
    """Telephones on all spots show new UIDs at each poll, mostly garbled, so no tag leaves."""
    chance, spots, presence = Random(seed), SPOTS[:many], Presence(SPOTS[:many])
    for number in range(200 * many):
        uids = tuple(chance.randbytes(4) for _ in range(chance.randrange(4)))
        sighting = Sighting(uids, is_garbled=chance.random() < 0.9)
        presence.see(spots[number % many], sighting, number / 100, number / 100)
        presence.changes(spots)
    assert len(pickle.dumps(presence)) < many * MOST_TAGS * 200


def false_removals_per_hour(miss: float, polls: int, every: int = 1) -> tuple[float, int]:
    """Return the false removals in an hour of a card that lies still, and the misses they take.

    *miss* is the share of *polls* that miss the card; the number of misses is the median.

    They are too rare to count, so they are computed. At every *every*-th sighting, a copy of the
    filter is polled without the tag until it reports the removal, after *n* misses. Such a run has
    the probability ``miss ** n``. There is one poll every 10 ms.
    """
    chance, presence, odds, needed = Random(1), Presence(SPOTS[:1]), 0.0, []
    spot = SPOTS[0]
    for number in range(polls):
        is_seen = number == 0 or chance.random() >= miss
        presence.see(spot, Sighting((uid_of(0),) if is_seen else ()), number / 100, number / 100)
        presence.changes(SPOTS[:1])
        if is_seen and number % every == 0:
            trial = copy.deepcopy(presence)
            for run in itertools.count(1):
                now_s = (number + run) / 100
                trial.see(spot, Sighting(), now_s, now_s)
                if trial.changes(SPOTS[:1]):
                    break
            needed.append(run)
            odds += miss**run * every
    return odds / polls * 360_000, sorted(needed)[len(needed) // 2]


@pytest.mark.parametrize("miss", [0.1, 0.3, 0.6])
def test_a_card_that_lies_still_is_not_removed_in_a_hundred_hours(miss: float) -> None:
    per_hour, _ = false_removals_per_hour(miss, polls=4000, every=10)
    assert per_hour < 0.01


if __name__ == "__main__":
    for tenths in range(1, 8):
        per_hour, misses = false_removals_per_hour(tenths / 10, polls=60_000)
        print(f"missed {tenths}/10: gone after {misses} misses; {per_hour:.0e} false an hour")
