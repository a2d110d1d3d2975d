"""The presence filter: arrivals and departures of tags, even if readers miss some polls."""

import pytest

from firmware.runtime.presence import (
    FOUND_POLLS,
    GARBLED_POLLS,
    GARBLED_S,
    GONE_MISSES,
    GONE_S,
    MOST_TAGS,
    MOVED_LEAD,
    SETTLE_LEAD,
    SETTLE_POLLS,
    Presence,
)
from firmware.table.events import TagOnSpot, TagRemoved, TagsArrived, TagUnreadable
from hardware.ports import Sighting

POLL_S = 1 / 128  # seconds between two polls of a reader; a power of two, so that sums are exact
GONE_POLLS = int(GONE_S / POLL_S)  # missed polls after which a reliable tag is not yet removed
GARBLED_LONG = round(GARBLED_S / POLL_S)  # garbled polls not yet reported
A, B, C = b"\x04AAAAAA", b"\x04BBBBBB", b"\x04CC"
GARBLED = Sighting(is_garbled=True)
Change = TagsArrived | TagRemoved | TagUnreadable


class Bench:
    """Readers that are polled in turn, all of them once every ``POLL_S`` seconds."""

    def __init__(self, *spots: str, found: bool = False) -> None:
        self.spots = spots
        self.watched: tuple[str, ...] = spots
        self.presence = Presence(spots)
        self.now_s = 0.0
        if not found:
            self.polls(FOUND_POLLS)  # from now on, a tag counts as laid, not as found at the start

    def poll(self, spot: str, *uids: bytes, is_garbled: bool = False) -> list[Change]:
        """Poll the reader of *spot* once, and return the changes that are certain after it."""
        self.presence.see(spot, Sighting(uids, is_garbled), self.now_s, self.now_s)
        self.now_s += POLL_S / len(self.spots)
        return self.presence.changes(self.watched)

    def polls(self, times: int = 1, /, **seen: Sighting | bytes | None) -> list[Change]:
        """Poll all watched readers *times* times, and return the changes; other spots are empty."""
        changes: list[Change] = []
        for _ in range(times):
            for spot in self.watched:
                sight = seen.get(spot)
                if isinstance(sight, Sighting):
                    changes += self.poll(spot, *sight.uids, is_garbled=sight.is_garbled)
                else:
                    changes += self.poll(spot, *([sight] if sight else []))
        return changes


def came(*uids: bytes, spot: str = "play", was_found: bool = False) -> TagsArrived:
    return TagsArrived(tuple(TagOnSpot(spot, uid) for uid in uids), was_found)


def lying(*uids: bytes) -> Sighting:
    return Sighting(uids)


@pytest.fixture
def one() -> Bench:
    """One reader with an empty spot, on a table that has been on for a while."""
    return Bench("play")


@pytest.fixture
def two() -> Bench:
    """Two readers, named left and right."""
    return Bench("left", "right")


@pytest.fixture
def leaky(two: Bench) -> Bench:
    """Two readers that are known to receive each other's tags."""
    two.polls(SETTLE_POLLS, left=C, right=C)
    two.polls(GONE_MISSES)
    assert two.presence.leaky == {frozenset(("left", "right"))}
    return two


# --- one reader: tags that arrive, stay, flicker, leave and pile up ---


def test_a_new_tag_arrives_at_its_first_sighting(one: Bench) -> None:
    assert one.poll("play", A) == [came(A)]
    assert not one.presence.is_waiting


def test_a_resting_tag_arrives_once(one: Bench) -> None:
    assert one.polls(1000, play=A) == [came(A)]


def test_a_flicker_is_no_removal(one: Bench) -> None:
    """Not seeing a tag for less than GONE_S is no removal, however reliable it was before."""
    changes = one.polls(1000, play=A)
    for _ in range(20):
        changes += one.polls(GONE_POLLS)
        changes += one.polls(play=A)
    assert changes == [came(A)]
    assert one.presence.uids("play") == (A,)


def test_a_tag_that_was_always_seen_is_gone_when_its_time_is_over(one: Bench) -> None:
    one.polls(1000, play=A)
    assert one.polls(GONE_POLLS) == []
    assert one.polls() == [TagRemoved("play", A)]
    assert one.presence.uids("play") == ()
    assert one.poll("play", A) == [came(A)]


def test_a_tag_that_is_often_missed_is_given_more_time(one: Bench) -> None:
    """The tag is seen in every third poll, so 40 missed polls in a row are not yet a removal."""
    for _ in range(100):
        one.polls(play=A)
        one.polls(2)
    assert one.polls(38) == []
    assert one.polls(play=A) == []
    assert one.polls(GONE_MISSES) == [TagRemoved("play", A)]


def test_a_tag_gets_no_more_time_the_longer_it_lies_there(one: Bench) -> None:
    """Every second poll misses the tag, so 28 missed polls in a row are a removal."""
    for _ in range(1000):
        one.polls(play=A)
        one.polls(1)
    assert one.polls(25) == []
    assert one.polls(5) == [TagRemoved("play", A)]


def test_a_tag_that_is_hardly_ever_seen_goes_after_the_most_misses_there_are(one: Bench) -> None:
    for _ in range(10):
        one.polls(play=A)
        one.polls(GONE_MISSES // 2)
    assert one.presence.uids("play") == (A,)
    one.polls(play=A)
    assert one.polls(GONE_MISSES - 1) == []
    assert one.polls() == [TagRemoved("play", A)]


def test_how_often_a_tag_is_missed_is_learnt_again(one: Bench) -> None:
    """Every poll saw the tag for a minute; since it was shifted, two polls of three miss it."""
    one.polls(8000, play=A)
    for _ in range(100):
        one.polls(play=A)
        one.polls(2)
    assert one.polls(25) == []


def test_misses_alone_remove_nothing_before_the_stated_seconds(one: Bench) -> None:
    one.presence.see("play", lying(A), 0.0, 0.0)
    for number in range(1000):
        now_s = number * GONE_S / 1001
        one.presence.see("play", Sighting(), now_s, now_s)
    assert one.presence.changes(("play",)) == [came(A)]
    assert one.presence.changes(("play",)) == []
    one.presence.see("play", Sighting(), GONE_S, GONE_S)
    assert one.presence.changes(("play",)) == [TagRemoved("play", A)]


def test_seconds_alone_remove_nothing(one: Bench) -> None:
    """If the loop was delayed, there were no polls, so nothing is known about the tag."""
    one.polls(100, play=A)
    one.now_s += 3600
    assert one.polls() == []


def test_a_garbled_poll_begins_the_count_again(one: Bench) -> None:
    one.polls(1000, play=A)
    one.polls(GONE_POLLS)
    assert one.polls(play=GARBLED) == []
    assert one.polls(GONE_POLLS) == []
    assert one.polls() == [TagRemoved("play", A)]


def test_a_garbled_poll_that_shows_a_new_tag_lets_it_arrive(one: Bench) -> None:
    assert one.polls(play=Sighting((A,), is_garbled=True)) == [came(A)]


def test_a_stack_arrives_as_one_in_the_order_it_was_found(one: Bench) -> None:
    assert one.polls(play=lying(B, A)) == [came(B, A)]
    assert one.presence.uids("play") == (B, A)


def test_a_tag_on_top_of_a_resting_one_arrives_alone(one: Bench) -> None:
    one.polls(play=A)
    assert one.polls(play=lying(B, A)) == [came(B)]
    assert one.presence.uids("play") == (A, B)


def test_polls_handed_in_together_keep_the_order_of_what_they_saw(one: Bench) -> None:
    for number, sight in enumerate((lying(B), lying(A, B), lying(A, B, C))):
        one.presence.see("play", sight, float(number), float(number))
    assert one.presence.changes(("play",)) == [came(B), came(A), came(C)]


def test_of_a_stack_only_what_is_lifted_goes(one: Bench) -> None:
    one.polls(100, play=lying(A, B))
    assert one.polls(GONE_MISSES, play=B) == [TagRemoved("play", A)]


def test_what_goes_is_told_before_what_comes(one: Bench) -> None:
    one.polls(1000, play=A)
    one.polls(GONE_POLLS)
    assert one.polls(play=B) == [TagRemoved("play", A), came(B)]


def test_what_goes_is_told_in_the_order_it_went(one: Bench) -> None:
    one.polls(10, play=lying(A, B))
    sights = (*[lying(A)] * 10, *[Sighting()] * GONE_MISSES)
    for number, sight in enumerate(sights, 10):
        one.presence.see("play", sight, number * POLL_S, number * POLL_S)
    assert one.presence.changes(("play",)) == [TagRemoved("play", B), TagRemoved("play", A)]


def test_what_lay_there_at_switch_on_says_so() -> None:
    assert Bench("play", found=True).poll("play", A, C) == [came(A, C, was_found=True)]


def test_a_card_missed_in_the_very_first_polls_still_lay_there_before() -> None:
    bench = Bench("play", found=True)
    for _ in range(FOUND_POLLS - 1):
        bench.polls(play=GARBLED)
        bench.polls()
    assert bench.polls(play=A) == [came(A, was_found=True)]


def test_what_comes_after_the_first_polls_is_laid_by_a_hand() -> None:
    bench = Bench("play", found=True)
    bench.polls(FOUND_POLLS)
    assert bench.polls(play=A) == [came(A)]


def test_a_spot_that_stays_garbled_is_told_once(one: Bench) -> None:
    one.polls(100, play=A)
    assert one.polls(GARBLED_LONG, play=GARBLED) == []
    assert one.polls(1000, play=GARBLED) == [TagUnreadable("play")]
    assert one.presence.uids("play") == (A,)


def test_a_spot_that_was_clean_in_between_is_told_again(one: Bench) -> None:
    assert one.polls(GARBLED_LONG, play=GARBLED) == []
    one.polls()
    for _ in range(2):
        assert one.polls(GARBLED_LONG + 1, play=GARBLED) == [TagUnreadable("play")]
        one.polls()


def test_a_loop_that_was_held_up_does_not_make_a_spot_unreadable(one: Bench) -> None:
    one.polls(play=GARBLED)
    one.now_s += 3600
    assert one.polls(play=GARBLED) == []


def test_no_more_tags_are_kept_than_a_field_can_power(one: Bench) -> None:
    """The filter stores at most ``MOST_TAGS`` tags, even if garbled polls let none be removed."""
    told = 0
    for number in range(1000):
        uid = b"\x04" + number.to_bytes(6, "big")
        told += len(one.polls(play=Sighting((uid,), is_garbled=True)))
    assert told == MOST_TAGS + 1  # the tags, and the report that the spot is unreadable
    assert len(one.presence.uids("play")) == MOST_TAGS


def test_a_telephone_that_shows_another_uid_at_each_poll_is_one_tag(one: Bench) -> None:
    phone = [b"\x08" + number.to_bytes(3, "big") for number in range(100)]
    assert [change for uid in phone for change in one.polls(play=uid)] == [came(phone[0])]
    assert one.presence.uids("play") == (phone[0],)
    assert one.polls(GONE_MISSES) == [TagRemoved("play", phone[0])]
    assert one.polls(play=phone[-1]) == [came(phone[-1])]


def test_the_miss_rate_is_that_of_tags_lying_there(one: Bench) -> None:
    """Only polls while a tag lay there count, not those of an empty spot or after it was lifted."""
    assert one.presence.miss_rate("play") is None
    for _ in range(30):
        one.polls(play=A)
        one.polls(3, play=A)
        one.polls(1)
        one.polls(play=A)
        one.polls(GONE_MISSES)
    assert one.presence.miss_rate("play") == pytest.approx(1 / 5)


def test_the_miss_rate_is_the_same_however_long_a_tag_lies_there(one: Bench) -> None:
    for _ in range(1000):
        one.polls(3, play=A)
        one.polls(1)
    assert one.presence.miss_rate("play") == pytest.approx(1 / 4, abs=0.01)


# --- several readers: waiting, and the order of taps ---


def test_an_arrival_is_held_until_the_others_have_been_polled(two: Bench) -> None:
    assert two.poll("left", A) == []
    assert two.presence.is_waiting
    assert two.presence.uids("left") == ()
    assert two.poll("right") == [came(A, spot="left")]
    assert not two.presence.is_waiting


def test_a_poll_made_before_does_not_count_as_one_since(two: Bench) -> None:
    two.poll("left")
    assert two.poll("right", A) == []
    assert two.poll("left") == [came(A, spot="right")]


def test_taps_in_overlapping_polls_come_as_one(two: Bench) -> None:
    """The order of two tags is not known if each came since its own reader's last poll."""
    two.poll("left", A)
    assert two.poll("right", B) == []
    assert two.poll("left", A) == [TagsArrived((TagOnSpot("left", A), TagOnSpot("right", B)))]


def test_a_tap_after_an_empty_poll_since_the_other_comes_later(two: Bench) -> None:
    assert two.polls(left=A) == [came(A, spot="left")]
    assert two.polls(left=A, right=B) == []
    assert two.poll("left", A) == [came(B, spot="right")]


def test_a_chain_of_overlapping_taps_comes_as_one() -> None:
    """A was certainly before C, but B may have been first or last, so the table must ask."""
    bench = Bench("left", "middle", "right")
    bench.poll("left", A)
    bench.poll("middle", B)
    bench.poll("right", C)
    laid = (TagOnSpot("left", A), TagOnSpot("middle", B), TagOnSpot("right", C))
    assert bench.polls(left=A, middle=B, right=C) == [TagsArrived(laid)]


def test_one_that_overlaps_two_makes_them_one(two: Bench) -> None:
    """A came before B on the left, but C on the right may have come before, between or after."""
    two.poll("left", A)
    two.poll("left", A, B)
    two.poll("right", C)
    laid = (TagOnSpot("left", A), TagOnSpot("left", B), TagOnSpot("right", C))
    assert two.poll("left", A, B) == [TagsArrived(laid)]


def test_a_tag_that_was_garbled_while_another_came_may_have_been_first(two: Bench) -> None:
    two.poll("left", is_garbled=True)
    assert two.poll("right", B) == []
    assert two.poll("left", is_garbled=True) == []
    two.poll("right", B)
    two.poll("left", A)
    assert two.poll("right", B) == [TagsArrived((TagOnSpot("right", B), TagOnSpot("left", A)))]


def test_a_spot_that_stays_garbled_is_not_waited_for(two: Bench) -> None:
    two.polls(GARBLED_POLLS, left=GARBLED)
    assert two.poll("right", B) == [came(B, spot="right")]


def test_a_spot_that_is_not_watched_is_not_waited_for(two: Bench) -> None:
    two.watched = ("right",)
    assert two.poll("right", B) == [came(B, spot="right")]
    assert not two.presence.is_waiting


def test_found_tags_are_told_apart_from_a_tap_at_the_same_time() -> None:
    bench = Bench("left", "right", found=True)
    bench.watched = ("left",)
    bench.polls(FOUND_POLLS)
    bench.watched = ("left", "right")
    bench.poll("left", A)
    bench.poll("right", B)
    assert bench.poll("left", A) == [came(B, spot="right", was_found=True), came(A, spot="left")]


@pytest.mark.parametrize("period_ms", [2.0, 3.6, 5.0])
def test_taps_ten_milliseconds_apart_are_told_apart(period_ms: float) -> None:
    """With at most 5 ms between polls, the second spot is seen empty after the first tap."""
    assert race(period_ms) == {"in order": 1000}


def test_what_polls_are_too_slow_for_is_never_told_in_the_wrong_order() -> None:
    told = race(period_ms=9.0)
    assert set(told) == {"in order", "as one"}


def race(period_ms: float) -> dict[str, int]:
    """Return how often each outcome occurs in 1,000 pairs of taps on two readers, 10 ms apart.

    Both readers are polled once in each *period_ms*. The outcomes are "in order", "as one" (the
    order is not known), and any other order of arrivals as text.
    """
    told: dict[str, int] = {}
    for number in range(1000):
        presence = Presence(("left", "right"))
        spots = ("left", "right") if number % 2 else ("right", "left")
        tap_ms = 60 + number * period_ms / 1000
        news: list[Change] = []
        for turn in range(round(100 / period_ms)):
            for offset, spot, first_ms, uid in (
                (0, spots[0], tap_ms, A),
                (period_ms / 2, spots[1], tap_ms + 10, B),
            ):
                now_ms = turn * period_ms + offset
                sight = lying(uid) if now_ms >= first_ms else Sighting()
                presence.see(spot, sight, now_ms / 1000, (now_ms + period_ms / 2) / 1000)
                news += presence.changes(spots)
        order = [
            [laid.uid for laid in change.tags] for change in news if isinstance(change, TagsArrived)
        ]
        name = {str([[A], [B]]): "in order", str([[A, B]]): "as one"}.get(str(order), str(order))
        told[name] = told.get(name, 0) + 1
    return told


# --- several readers: crosstalk and moved cards ---


def test_a_tag_that_two_spots_see_settles_on_the_steadier(two: Bench) -> None:
    """A tag is on the spot that sees it more steadily, even if another reader saw it first."""
    two.poll("left")
    assert two.poll("right", A) == []
    assert two.poll("left", A) == []
    assert two.poll("right") == []
    assert two.presence.is_waiting
    changes = two.polls(SETTLE_LEAD, left=A)
    assert changes == [came(A, spot="left")]
    assert two.presence.leaky == {frozenset(("left", "right"))}


def test_a_tag_that_two_spots_see_alike_settles_on_the_first(two: Bench) -> None:
    two.poll("left")
    two.poll("right", A)
    assert two.polls(2 * SETTLE_POLLS, left=A, right=A) == [came(A, spot="right")]


def test_crosstalk_of_a_resting_tag_is_ignored(two: Bench) -> None:
    assert two.polls(left=A) == [came(A, spot="left")]
    assert two.polls(1000, left=A, right=A) == []
    assert two.polls(GONE_MISSES) == [TagRemoved("left", A)]


def test_a_pair_that_hears_the_same_tag_is_remembered(two: Bench) -> None:
    two.polls(left=A)
    two.polls(left=A, right=A)
    two.polls(left=A)
    assert two.presence.leaky == {frozenset(("left", "right"))}


def test_what_was_heard_while_a_tag_flickered_is_forgotten(two: Bench) -> None:
    two.polls(100, left=A)
    two.polls(10)
    two.polls(2, right=A)
    assert two.polls(100, left=A) == []
    assert two.polls(GONE_MISSES) == [TagRemoved("left", A)]


def test_the_share_of_polls_decides_and_not_their_number(two: Bench) -> None:
    """The left reader is polled twice as often, but sees the tag only every other time."""
    changes: list[Change] = []
    for _ in range(SETTLE_POLLS):
        changes += two.poll("left", A)
        changes += two.poll("right", A)
        changes += two.poll("left")
    assert changes == [came(A, spot="right")]


def test_where_a_pair_leaks_the_first_poll_does_not_decide(leaky: Bench) -> None:
    leaky.poll("left")
    assert leaky.poll("right", A) == []
    assert leaky.poll("left") == []
    assert leaky.polls(2, left=A, right=A) == []
    assert leaky.polls(SETTLE_LEAD + 1, left=A) == [came(A, spot="left")]


def test_where_a_pair_leaks_a_tap_that_one_spot_sees_is_told_soon(leaky: Bench) -> None:
    assert leaky.polls(SETTLE_LEAD - 1, right=A) == []
    assert leaky.polls(2, right=A) == [came(A, spot="right")]


def test_a_short_tap_is_told_though_no_spot_leads(leaky: Bench) -> None:
    assert leaky.poll("right", A) == []
    assert leaky.polls(SETTLE_POLLS) == [came(A, spot="right")]
    assert leaky.polls(GONE_MISSES) == [TagRemoved("right", A)]


def test_nothing_is_told_before_what_came_before_it() -> None:
    """The filter needs several polls to decide on A's spot; B, tapped later, waits for that."""
    bench = Bench("left", "right", "far")
    bench.polls(SETTLE_POLLS, left=C, right=C)
    bench.polls(GONE_MISSES)
    assert bench.polls(2, left=A) == []
    assert bench.polls(2, left=A, far=B) == []
    changes = bench.polls(SETTLE_LEAD, left=A, far=B)
    assert changes == [came(A, spot="left"), came(B, spot="far")]


def test_where_a_pair_leaks_a_third_spot_is_told_at_once() -> None:
    bench = Bench("left", "right", "far")
    bench.polls(SETTLE_POLLS, left=C, right=C)
    bench.polls(GONE_MISSES)
    assert bench.polls(2, far=A) == [came(A, spot="far")]


@pytest.mark.parametrize("way_polls", [4, 8, 16, 32])
def test_a_moved_card_goes_and_comes_once(two: Bench, way_polls: int) -> None:
    two.polls(100, left=A)
    changes = two.polls(way_polls)
    assert two.presence.is_waiting is False
    changes += two.polls(100, right=A)
    assert changes == [TagRemoved("left", A), came(A, spot="right")]
    assert two.presence.leaky == set()


def test_a_moved_card_that_only_taps_is_not_lost(two: Bench) -> None:
    """The card is lifted again before it is certain that it left its first spot."""
    two.polls(100, left=A)
    two.polls(4)
    assert two.polls(2, right=A) == []
    changes = two.polls(2 * GONE_MISSES)
    assert changes == [TagRemoved("left", A), came(A, spot="right"), TagRemoved("right", A)]


def test_a_card_moved_where_spots_leak_goes_and_comes_once(leaky: Bench) -> None:
    """The right reader receives the left card's tag now and then; that is not yet a move."""
    changes = leaky.polls(100, left=A)
    for _ in range(30):
        changes += leaky.polls(2, left=A)
        changes += leaky.polls(1, left=A, right=A)
    changes += leaky.polls(1, right=A)
    changes += leaky.polls(5)
    assert changes == [came(A, spot="left")]
    assert leaky.polls(100, right=A) == [TagRemoved("left", A), came(A, spot="right")]


def test_a_card_lifted_where_spots_leak_goes_and_does_not_come(leaky: Bench) -> None:
    changes = leaky.polls(100, left=A)
    changes += leaky.polls(2, right=A)
    changes += leaky.polls(2 * GONE_MISSES)
    assert changes == [came(A, spot="left"), TagRemoved("left", A)]


def test_a_card_moved_to_a_spot_that_leaks_back_goes_and_comes_once(leaky: Bench) -> None:
    """After the move, the left reader still receives the tag in every fourth poll."""
    changes = leaky.polls(100, left=A)
    for _ in range(MOVED_LEAD):
        changes += leaky.polls(3, right=A)
        changes += leaky.polls(1, left=A, right=A)
    assert changes == [came(A, spot="left"), TagRemoved("left", A), came(A, spot="right")]
    assert leaky.polls(100, right=A) == []


def test_a_card_that_two_spots_see_alike_stays_where_it_is(leaky: Bench) -> None:
    """A card stays on its spot even if another reader sees it somewhat more often."""
    changes = leaky.polls(100, left=A)
    for _ in range(500):
        changes += leaky.polls(2, left=A, right=A)
        changes += leaky.polls(1, right=A)
    assert changes == [came(A, spot="left")]


def test_a_card_moved_there_and_back_does_not_make_a_pair_leaky(two: Bench) -> None:
    for _ in range(100):  # a tag that is often missed, so its removal takes long
        two.polls(left=A)
        two.polls(2)
    two.polls(10)
    two.polls(1, right=A)
    two.polls(10)
    two.polls(left=A)
    assert two.presence.uids("left") == (A,)
    assert two.presence.leaky == set()


# --- readers that are not watched ---


def test_a_spot_that_is_not_watched_keeps_its_cards(two: Bench) -> None:
    two.polls(100, left=A)
    two.polls(3)  # the last polls of the reader, which may be failing
    two.watched = ("right",)
    assert two.polls(1000) == []
    assert two.presence.uids("left") == (A,)
    two.watched = ("left", "right")
    assert two.polls(left=A) == []
    assert two.polls(GONE_POLLS) == []
    assert two.polls(GONE_MISSES) == [TagRemoved("left", A)]


def test_misses_before_a_reader_was_lost_do_not_count_after(two: Bench) -> None:
    two.polls(1000, left=A)
    two.polls(GONE_POLLS)
    two.watched = ("right",)
    two.polls()
    two.watched = ("left", "right")
    assert two.polls() == []
    assert two.polls(left=A) == []


def test_a_card_moved_from_a_lost_reader_comes(two: Bench) -> None:
    two.polls(100, left=A)
    two.watched = ("right",)
    two.polls()
    assert two.polls(right=A) == [TagRemoved("left", A), came(A, spot="right")]
    two.watched = ("left", "right")
    assert two.polls(100, right=A) == []


def test_a_card_moved_from_a_spot_that_is_unreadable_comes(two: Bench) -> None:
    two.polls(100, left=A)
    two.polls(GARBLED_POLLS, left=GARBLED)
    changes = two.polls(2, left=GARBLED, right=A)
    assert changes == [TagRemoved("left", A), came(A, spot="right")]


def test_what_a_leaky_spot_hears_of_one_that_is_not_watched_is_no_tap(leaky: Bench) -> None:
    leaky.polls(100, left=A)
    leaky.watched = ("right",)
    assert leaky.polls(100, right=A) == []
    leaky.watched = ("left", "right")
    assert leaky.polls(100, left=A, right=A) == []


def test_a_tag_seen_by_a_reader_that_is_lost_at_once_still_arrives(two: Bench) -> None:
    two.poll("left", A)
    two.watched = ("right",)
    assert two.poll("right") == [came(A, spot="left")]


def test_a_held_tap_is_released_when_the_other_reader_is_lost(two: Bench) -> None:
    assert two.poll("left", A) == []
    two.watched = ("left",)
    assert two.presence.changes(two.watched) == [came(A, spot="left")]


def test_a_garbled_row_is_broken_by_a_reader_that_was_lost(two: Bench) -> None:
    two.polls(GARBLED_LONG, left=GARBLED)
    two.watched = ("right",)
    two.polls()
    two.watched = ("left", "right")
    assert two.polls(GARBLED_LONG, left=GARBLED) == []
    assert two.polls(left=GARBLED) == [TagUnreadable("left")]
