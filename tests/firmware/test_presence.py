"""The presence filter: what came and what went, whatever the radio misses."""

from hypothesis import given
from hypothesis import strategies as st

from firmware.events import Arrived, Gone
from firmware.presence import FOUND_POLLS, GONE_AFTER_POLLS, GONE_AFTER_S, Presence
from hardware.ports import Sighting

POLL_S = 0.02  # between two polls
A, B, C = b"\x04AAAAAA", b"\x04BBBBBB", b"\x04CC"
NOTHING, GARBLED = Sighting(), Sighting(is_garbled=True)
Change = Arrived | Gone


def see(presence: Presence, *sightings: Sighting, start: int = 0) -> list[Change]:
    """Feed polls from the *start*-th on, and return all that changed."""
    return [
        change
        for number, sighting in enumerate(sightings, start)
        for change in presence.see(sighting, number * POLL_S)
    ]


def running() -> Presence:
    """A filter of a spot that was empty when the table was switched on."""
    presence = Presence("play")
    see(presence, *[NOTHING] * FOUND_POLLS, start=-FOUND_POLLS)
    return presence


def lying(*uids: bytes) -> Sighting:
    return Sighting(uids)


def test_a_new_tag_arrives_at_its_first_sighting() -> None:
    assert see(running(), lying(A)) == [Arrived("play", (A,))]


def test_a_resting_tag_arrives_once() -> None:
    assert see(running(), *[lying(A)] * 100) == [Arrived("play", (A,))]


def test_a_flicker_is_no_removal() -> None:
    polls = (lying(A), *[NOTHING] * (GONE_AFTER_POLLS - 1)) * 5
    presence = running()
    assert see(presence, *polls, lying(A)) == [Arrived("play", (A,))]
    assert presence.uids == (A,)


def test_a_tag_is_gone_after_the_stated_polls_and_comes_anew() -> None:
    presence = running()
    see(presence, lying(A), *[NOTHING] * (GONE_AFTER_POLLS - 1))
    start = GONE_AFTER_POLLS
    assert see(presence, NOTHING, start=start) == [Gone("play", A)]
    assert presence.uids == ()
    assert see(presence, lying(A), start=start + 1) == [Arrived("play", (A,))]


def test_a_tag_is_gone_no_sooner_than_the_stated_seconds() -> None:
    presence = running()
    presence.see(lying(A), 0.0)
    for number in range(1, 10 * GONE_AFTER_POLLS):
        assert presence.see(NOTHING, number * GONE_AFTER_S / 1000) == []
    assert presence.see(NOTHING, GONE_AFTER_S) == [Gone("play", A)]


def test_seconds_alone_remove_nothing() -> None:
    """A loop that was held up has not looked, so it knows nothing."""
    presence = running()
    presence.see(lying(A), 0.0)
    assert presence.see(NOTHING, 3600.0) == []


def test_a_garbled_poll_begins_the_count_anew() -> None:
    presence = running()
    almost = [NOTHING] * (GONE_AFTER_POLLS - 1)
    assert see(presence, lying(A), *almost, GARBLED, *almost) == [Arrived("play", (A,))]
    start = 2 * GONE_AFTER_POLLS
    assert see(presence, NOTHING, start=start) == [Gone("play", A)]


def test_a_garbled_poll_that_shows_a_new_tag_lets_it_arrive() -> None:
    assert see(running(), Sighting((A,), is_garbled=True)) == [Arrived("play", (A,))]


def test_a_stack_arrives_as_one_in_the_order_it_was_found() -> None:
    presence = running()
    assert see(presence, lying(B, A)) == [Arrived("play", (B, A))]
    assert presence.uids == (B, A)


def test_a_tag_on_top_of_a_resting_one_arrives_alone() -> None:
    presence = running()
    see(presence, lying(A))
    assert see(presence, lying(B, A), start=1) == [Arrived("play", (B,))]
    assert presence.uids == (A, B)


def test_of_a_stack_only_what_is_lifted_goes() -> None:
    presence = running()
    see(presence, lying(A, B))
    changes = see(presence, *[lying(B)] * 2 * GONE_AFTER_POLLS, start=1)
    assert changes == [Gone("play", A)]


def test_what_goes_is_told_before_what_comes() -> None:
    presence = running()
    see(presence, lying(A), *[NOTHING] * (GONE_AFTER_POLLS - 1))
    changes = see(presence, lying(B), start=GONE_AFTER_POLLS)
    assert changes == [Gone("play", A), Arrived("play", (B,))]


def test_what_lay_there_at_switch_on_says_so() -> None:
    assert see(Presence("play"), lying(A, C)) == [Arrived("play", (A, C), was_found=True)]


def test_a_card_missed_in_the_very_first_polls_still_lay_there_before() -> None:
    polls = (GARBLED, NOTHING, GARBLED, GARBLED, GARBLED, GARBLED, NOTHING, lying(A))
    assert see(Presence("play"), *polls) == [Arrived("play", (A,), was_found=True)]


def test_what_comes_after_the_first_polls_is_laid_by_a_hand() -> None:
    polls = (*[NOTHING] * FOUND_POLLS, lying(A))
    assert see(Presence("play"), *polls) == [Arrived("play", (A,))]


# Of each poll of a tag that lies there, whether it is seen, missed or garbled: three in ten are
# lost, and never ten in a row (the odds against that are 170,000 to one).
@st.composite
def bad_reads(draw: st.DrawFn, most: int = 60) -> list[Sighting]:
    row = draw(st.lists(st.integers(0, 9), min_size=15, max_size=most))
    polls, missed = [], 0
    for number in row:
        is_missed = number < 3 and missed < GONE_AFTER_POLLS - 1
        missed = missed + 1 if is_missed else 0
        polls.append((NOTHING, GARBLED)[number % 2] if is_missed else lying(A))
    return polls


@given(polls=bad_reads())
def test_whatever_is_missed_a_resting_tag_arrives_once(polls: list[Sighting]) -> None:
    """No double play of a card that lies still, and no card lost that lies for 300 ms."""
    changes = see(running(), *polls)
    assert changes == [Arrived("play", (A,))]


@given(before=bad_reads(), trailing=st.lists(st.booleans(), max_size=8))
def test_whatever_was_missed_a_removal_is_told_once(
    before: list[Sighting], trailing: list[bool]
) -> None:
    """Once the field is empty the tag goes, at the latest after the stated polls and seconds."""
    presence = running()
    see(presence, *before)
    tail = [GARBLED if is_garbled else NOTHING for is_garbled in trailing]
    empty = [NOTHING] * (GONE_AFTER_POLLS + round(GONE_AFTER_S / POLL_S))
    assert see(presence, *tail, *empty, start=len(before)) == [Gone("play", A)]


@given(
    polls=st.lists(
        st.builds(Sighting, st.lists(st.sampled_from((A, B, C)), unique=True).map(tuple)),
        max_size=80,
    )
)
def test_arrivals_and_removals_of_a_tag_take_turns(polls: list[Sighting]) -> None:
    """Whatever is seen, a tag arrives only when it is not there, and goes only when it is."""
    there: set[bytes] = set()
    presence = running()
    for change in see(presence, *polls):
        if isinstance(change, Arrived):
            assert there.isdisjoint(change.uids)
            there.update(change.uids)
        else:
            there.remove(change.uid)
    assert there == set(presence.uids)
