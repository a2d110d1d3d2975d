"""The presence filter: what came and what went, whatever the radio misses."""

import pytest

from firmware.events import Arrived, Gone, Laid, Unreadable
from firmware.presence import (
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
from hardware.ports import Sighting

POLL_S = 1 / 128  # from one poll of a reader to its next; sums of it are exact
GONE_POLLS = int(GONE_S / POLL_S)  # misses of a tag always seen that are not yet a removal
GARBLED_LONG = round(GARBLED_S / POLL_S)  # garbled polls that are not yet told
A, B, C = b"\x04AAAAAA", b"\x04BBBBBB", b"\x04CC"
GARBLED = Sighting(is_garbled=True)
Change = Arrived | Gone | Unreadable


class Bench:
    """Readers that are polled in turn, each turn of all of them ``POLL_S`` after the last."""

    def __init__(self, *spots: str, found: bool = False) -> None:
        self.spots = spots
        self.watched: tuple[str, ...] = spots
        self.presence = Presence(spots)
        self.now_s = 0.0
        if not found:
            self.polls(FOUND_POLLS)  # what comes from now on was laid by a hand

    def poll(self, spot: str, *uids: bytes, is_garbled: bool = False) -> list[Change]:
        """One poll of one reader, and what is settled by it."""
        self.presence.see(spot, Sighting(uids, is_garbled), self.now_s, self.now_s)
        self.now_s += POLL_S / len(self.spots)
        return self.presence.changes(self.watched)

    def polls(self, times: int = 1, /, **seen: Sighting | bytes | None) -> list[Change]:
        """Poll all that are watched, *times* over; a spot not named is empty."""
        changes: list[Change] = []
        for _ in range(times):
            for spot in self.watched:
                sight = seen.get(spot)
                if isinstance(sight, Sighting):
                    changes += self.poll(spot, *sight.uids, is_garbled=sight.is_garbled)
                else:
                    changes += self.poll(spot, *([sight] if sight else []))
        return changes


def came(*uids: bytes, spot: str = "play", was_found: bool = False) -> Arrived:
    return Arrived(tuple(Laid(spot, uid) for uid in uids), was_found)


def lying(*uids: bytes) -> Sighting:
    return Sighting(uids)


@pytest.fixture
def one() -> Bench:
    """One reader, whose spot was empty when the table was switched on."""
    return Bench("play")


@pytest.fixture
def two() -> Bench:
    """Two readers."""
    return Bench("left", "right")


@pytest.fixture
def leaky(two: Bench) -> Bench:
    """Two readers that have both heard the same tag before."""
    two.polls(SETTLE_POLLS, left=C, right=C)
    two.polls(GONE_MISSES)
    assert two.presence.leaky == {frozenset(("left", "right"))}
    return two


# --- one reader: arrived, resting, flickering, gone, stacked ---


def test_a_new_tag_arrives_at_its_first_sighting(one: Bench) -> None:
    assert one.poll("play", A) == [came(A)]
    assert not one.presence.is_waiting


def test_a_resting_tag_arrives_once(one: Bench) -> None:
    assert one.polls(1000, play=A) == [came(A)]


def test_a_flicker_is_no_removal(one: Bench) -> None:
    """Nothing as short as GONE_S is one, however well the tag was seen before."""
    changes = one.polls(1000, play=A)
    for _ in range(20):
        changes += one.polls(GONE_POLLS)
        changes += one.polls(play=A)
    assert changes == [came(A)]
    assert one.presence.uids("play") == (A,)


def test_a_tag_that_was_always_seen_is_gone_when_its_time_is_over(one: Bench) -> None:
    one.polls(1000, play=A)
    assert one.polls(GONE_POLLS) == []
    assert one.polls() == [Gone("play", A)]
    assert one.presence.uids("play") == ()
    assert one.poll("play", A) == [came(A)]


def test_a_tag_that_is_often_missed_is_given_more_time(one: Bench) -> None:
    """Two polls of three miss it, so that 40 misses in a row are still less than a removal."""
    for _ in range(100):
        one.polls(play=A)
        one.polls(2)
    assert one.polls(38) == []
    assert one.polls(play=A) == []
    assert one.polls(GONE_MISSES) == [Gone("play", A)]


def test_a_tag_that_is_hardly_ever_seen_goes_after_the_most_misses_there_are(one: Bench) -> None:
    for _ in range(10):
        one.polls(play=A)
        one.polls(GONE_MISSES // 2)
    assert one.presence.uids("play") == (A,)
    one.polls(play=A)
    assert one.polls(GONE_MISSES - 1) == []
    assert one.polls() == [Gone("play", A)]


def test_how_often_a_tag_is_missed_is_learnt_anew(one: Bench) -> None:
    """It was always seen for a minute; since somebody shifted it, two polls of three miss it."""
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
    assert one.presence.changes(("play",)) == [Gone("play", A)]


def test_seconds_alone_remove_nothing(one: Bench) -> None:
    """A loop that was held up has not looked, so it knows nothing."""
    one.polls(100, play=A)
    one.now_s += 3600
    assert one.polls() == []


def test_a_garbled_poll_begins_the_count_anew(one: Bench) -> None:
    one.polls(1000, play=A)
    one.polls(GONE_POLLS)
    assert one.polls(play=GARBLED) == []
    assert one.polls(GONE_POLLS) == []
    assert one.polls() == [Gone("play", A)]


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
    assert one.polls(GONE_MISSES, play=B) == [Gone("play", A)]


def test_what_goes_is_told_before_what_comes(one: Bench) -> None:
    one.polls(1000, play=A)
    one.polls(GONE_POLLS)
    assert one.polls(play=B) == [Gone("play", A), came(B)]


def test_what_goes_is_told_in_the_order_it_went(one: Bench) -> None:
    one.polls(10, play=lying(A, B))
    sights = (*[lying(A)] * 10, *[Sighting()] * GONE_MISSES)
    for number, sight in enumerate(sights, 10):
        one.presence.see("play", sight, number * POLL_S, number * POLL_S)
    assert one.presence.changes(("play",)) == [Gone("play", B), Gone("play", A)]


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
    assert one.polls(1000, play=GARBLED) == [Unreadable("play")]
    assert one.presence.uids("play") == (A,)


def test_a_spot_that_was_clean_in_between_is_told_again(one: Bench) -> None:
    assert one.polls(GARBLED_LONG, play=GARBLED) == []
    one.polls()
    for _ in range(2):
        assert one.polls(GARBLED_LONG + 1, play=GARBLED) == [Unreadable("play")]
        one.polls()


def test_a_loop_that_was_held_up_does_not_make_a_spot_unreadable(one: Bench) -> None:
    one.polls(play=GARBLED)
    one.now_s += 3600
    assert one.polls(play=GARBLED) == []


def test_no_more_tags_are_kept_than_a_field_can_power(one: Bench) -> None:
    """While it is garbled all along, none of them ever leaves."""
    told = 0
    for number in range(1000):
        uid = b"\x04" + number.to_bytes(6, "big")
        told += len(one.polls(play=Sighting((uid,), is_garbled=True)))
    assert told == MOST_TAGS + 1  # and that the spot is unreadable
    assert len(one.presence.uids("play")) == MOST_TAGS


def test_a_telephone_that_shows_another_uid_at_each_poll_is_one_tag(one: Bench) -> None:
    phone = [b"\x08" + number.to_bytes(3, "big") for number in range(100)]
    assert [change for uid in phone for change in one.polls(play=uid)] == [came(phone[0])]
    assert one.presence.uids("play") == (phone[0],)
    assert one.polls(GONE_MISSES) == [Gone("play", phone[0])]
    assert one.polls(play=phone[-1]) == [came(phone[-1])]


def test_the_miss_rate_is_that_of_tags_lying_there(one: Bench) -> None:
    """The polls of an empty spot, and those since a card was lifted, say nothing of it."""
    assert one.presence.miss_rate("play") is None
    for _ in range(30):
        one.polls(play=A)
        one.polls(3, play=A)
        one.polls(1)
        one.polls(play=A)
        one.polls(GONE_MISSES)
    assert one.presence.miss_rate("play") == pytest.approx(1 / 5)


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
    """The left reader's was laid after its last poll; so was the right one's."""
    two.poll("left", A)
    assert two.poll("right", B) == []
    assert two.poll("left", A) == [Arrived((Laid("left", A), Laid("right", B)))]


def test_a_tap_after_an_empty_poll_since_the_other_comes_later(two: Bench) -> None:
    assert two.polls(left=A) == [came(A, spot="left")]
    assert two.polls(left=A, right=B) == []
    assert two.poll("left", A) == [came(B, spot="right")]


def test_a_chain_of_overlapping_taps_comes_as_one() -> None:
    """A before C is sure, and B may have been first or last; the table must ask."""
    bench = Bench("left", "middle", "right")
    bench.poll("left", A)
    bench.poll("middle", B)
    bench.poll("right", C)
    laid = (Laid("left", A), Laid("middle", B), Laid("right", C))
    assert bench.polls(left=A, middle=B, right=C) == [Arrived(laid)]


def test_one_that_overlaps_two_makes_them_one(two: Bench) -> None:
    """A came before B, both on the left; C on the right may have come before both."""
    two.poll("left", A)
    two.poll("left", A, B)
    two.poll("right", C)
    laid = (Laid("left", A), Laid("left", B), Laid("right", C))
    assert two.poll("left", A, B) == [Arrived(laid)]


def test_a_tag_that_was_garbled_while_another_came_may_have_been_first(two: Bench) -> None:
    two.poll("left", is_garbled=True)
    assert two.poll("right", B) == []
    assert two.poll("left", is_garbled=True) == []
    two.poll("right", B)
    two.poll("left", A)
    assert two.poll("right", B) == [Arrived((Laid("right", B), Laid("left", A)))]


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
    """Two polls of 5 ms between them: one that sees the first, one that does not see the second."""
    assert race(period_ms) == {"in order": 1000}


def test_what_polls_are_too_slow_for_is_never_told_in_the_wrong_order() -> None:
    told = race(period_ms=9.0)
    assert set(told) == {"in order", "as one"}


def race(period_ms: float) -> dict[str, int]:
    """How 1,000 taps are told, 10 ms apart, alternately on one of two readers, at all phases."""
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
            [laid.uid for laid in change.tags] for change in news if isinstance(change, Arrived)
        ]
        name = {str([[A], [B]]): "in order", str([[A, B]]): "as one"}.get(str(order), str(order))
        told[name] = told.get(name, 0) + 1
    return told


# --- several readers: crosstalk, and cards that are moved ---


def test_a_tag_that_two_spots_see_settles_on_the_steadier(two: Bench) -> None:
    """The first to see it is not the one it lies on."""
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
    assert two.polls(GONE_MISSES) == [Gone("left", A)]


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
    assert two.polls(GONE_MISSES) == [Gone("left", A)]


def test_the_share_of_polls_decides_and_not_their_number(two: Bench) -> None:
    """The left reader is polled twice as often, and sees the tag every other time."""
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
    assert leaky.polls(GONE_MISSES) == [Gone("right", A)]


def test_nothing_is_told_before_what_came_before_it() -> None:
    """A settles between two spots that leak; B, tapped later, waits."""
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
    assert changes == [Gone("left", A), came(A, spot="right")]
    assert two.presence.leaky == set()


def test_a_moved_card_that_only_taps_is_not_lost(two: Bench) -> None:
    """It is lifted again before it is known that it left where it was."""
    two.polls(100, left=A)
    two.polls(4)
    assert two.polls(2, right=A) == []
    changes = two.polls(2 * GONE_MISSES)
    assert changes == [Gone("left", A), came(A, spot="right"), Gone("right", A)]


def test_a_card_moved_where_spots_leak_goes_and_comes_once(leaky: Bench) -> None:
    """What the right spot hears before and while the card is lifted is not yet a move."""
    changes = leaky.polls(100, left=A)
    for _ in range(30):
        changes += leaky.polls(2, left=A)
        changes += leaky.polls(1, left=A, right=A)
    changes += leaky.polls(1, right=A)
    changes += leaky.polls(5)
    assert changes == [came(A, spot="left")]
    assert leaky.polls(100, right=A) == [Gone("left", A), came(A, spot="right")]


def test_a_card_lifted_where_spots_leak_goes_and_does_not_come(leaky: Bench) -> None:
    changes = leaky.polls(100, left=A)
    changes += leaky.polls(2, right=A)
    changes += leaky.polls(2 * GONE_MISSES)
    assert changes == [came(A, spot="left"), Gone("left", A)]


def test_a_card_moved_to_a_spot_that_leaks_back_goes_and_comes_once(leaky: Bench) -> None:
    """The left spot hears it every fourth poll, and would for ever."""
    changes = leaky.polls(100, left=A)
    for _ in range(MOVED_LEAD):
        changes += leaky.polls(3, right=A)
        changes += leaky.polls(1, left=A, right=A)
    assert changes == [came(A, spot="left"), Gone("left", A), came(A, spot="right")]
    assert leaky.polls(100, right=A) == []


def test_a_card_that_two_spots_see_alike_stays_where_it_is(leaky: Bench) -> None:
    """Even if the other sees it somewhat more often."""
    changes = leaky.polls(100, left=A)
    for _ in range(500):
        changes += leaky.polls(2, left=A, right=A)
        changes += leaky.polls(1, right=A)
    assert changes == [came(A, spot="left")]


def test_a_card_moved_there_and_back_does_not_make_a_pair_leaky(two: Bench) -> None:
    for _ in range(100):  # seen now and then, so it takes long to be gone
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
    two.polls(3)  # the reader's last polls, failing perhaps
    two.watched = ("right",)
    assert two.polls(1000) == []
    assert two.presence.uids("left") == (A,)
    two.watched = ("left", "right")
    assert two.polls(left=A) == []
    assert two.polls(GONE_POLLS) == []
    assert two.polls(GONE_MISSES) == [Gone("left", A)]


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
    assert two.polls(right=A) == [Gone("left", A), came(A, spot="right")]
    two.watched = ("left", "right")
    assert two.polls(100, right=A) == []


def test_a_card_moved_from_a_spot_that_is_unreadable_comes(two: Bench) -> None:
    two.polls(100, left=A)
    two.polls(GARBLED_POLLS, left=GARBLED)
    changes = two.polls(2, left=GARBLED, right=A)
    assert changes == [Gone("left", A), came(A, spot="right")]


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
    assert two.polls(left=GARBLED) == [Unreadable("left")]
