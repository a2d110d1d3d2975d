"""Tests of debouncing: one event per press or rocking, however often the contact bounces."""

from hypothesis import given
from hypothesis import strategies as st

from hardware.debounce import QUIET_S, STABLE_S, Debounce, Rocking

STABLE_MS = round(STABLE_S * 1000)
QUIET_MS = round(QUIET_S * 1000)
# Pairs of gaps in ms between bouncing edges, each shorter than the time that counts as stable.
BURST = st.lists(st.tuples(*[st.integers(0, STABLE_MS - 1)] * 2), max_size=6)
REST_MS = st.integers(STABLE_MS, 5000)
HOLD_MS = st.integers(1, 5000)


def test_a_press_is_told_at_its_first_edge() -> None:
    debounce = Debounce()
    assert debounce.edge(1.0, True)
    assert not debounce.edge(1.2, False)


def test_a_level_that_is_no_change_does_nothing() -> None:
    debounce = Debounce()
    assert not debounce.edge(1.0, False)
    assert debounce.edge(1.0, True)
    assert not debounce.edge(9.0, True)


def test_a_sampled_level_makes_good_for_a_lost_release() -> None:
    debounce = Debounce()
    assert debounce.edge(1.0, True)
    assert not debounce.edge(1.5, False)  # a sampled level: the edge itself was lost
    assert debounce.edge(2.0, True)


def test_a_button_held_from_the_start_is_no_press() -> None:
    debounce = Debounce(is_down=True)
    assert not debounce.edge(0.0, True)
    assert not debounce.edge(1.0, False)
    assert not debounce.edge(1.001, True)  # the release bounces
    assert not debounce.edge(1.002, False)
    assert debounce.edge(2.0, True)


def test_an_edge_that_arrives_late_is_no_second_press() -> None:
    """The level is sampled first; the edge that caused it arrives later, with an earlier time."""
    debounce = Debounce()
    assert debounce.edge(5.0, True)
    assert not debounce.edge(4.999, True)
    assert not debounce.edge(4.9995, False)
    assert not debounce.edge(5.001, True)


@given(st.lists(st.tuples(BURST, HOLD_MS, BURST, REST_MS), max_size=8))
def test_each_press_is_told_once_and_at_its_first_edge(
    presses: list[tuple[list[tuple[int, int]], int, list[tuple[int, int]], int]],
) -> None:
    """Bounces on press and release do not matter if each is shorter than ``STABLE_MS``."""
    debounce = Debounce()
    now_ms = 1000
    told, wanted = [], []

    def edge(is_down: bool) -> None:
        if debounce.edge(now_ms / 1000, is_down):
            told.append(now_ms)

    for going_down, hold_ms, going_up, rest_ms in presses:
        wanted.append(now_ms)
        edge(True)
        for gap, back in going_down:
            now_ms += gap
            edge(False)
            now_ms += back
            edge(True)
        now_ms += hold_ms
        edge(False)
        for gap, back in going_up:
            now_ms += gap
            edge(True)
            now_ms += back
            edge(False)
        now_ms += rest_ms + 1
    assert told == wanted


# --- rocking -------------------------------------------------------------------------------------


def test_a_rocking_is_told_at_its_first_edge_whichever_way_the_ball_rolls() -> None:
    assert Rocking().edge(5.0, True)
    assert Rocking(is_down=True).edge(5.0, False)


def test_a_ball_at_rest_is_no_rocking() -> None:
    rocking = Rocking(is_down=True)
    assert not any(rocking.edge(at_s, True) for at_s in (0.0, 3.0, 600.0))


def test_the_next_rocking_is_told_exactly_when_it_was_quiet_for_long_enough() -> None:
    for gap_s, is_told in ((QUIET_S - 0.001, False), (QUIET_S, True)):
        rocking = Rocking()
        assert rocking.edge(2.0, True)
        assert not rocking.edge(2.25, False)
        assert rocking.edge(2.25 + gap_s, True) is is_told


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, QUIET_MS - 1), max_size=40), st.integers(QUIET_MS, 9000)),
        max_size=8,
    )
)
def test_each_rocking_is_told_once_however_long_it_lasts(
    rockings: list[tuple[list[int], int]],
) -> None:
    """One rocking lasts as long as no pause between edges reaches ``QUIET_MS``."""
    rocking, now_ms, is_down = Rocking(), 1000, False
    told, wanted = [], []
    for gaps, rest_ms in rockings:
        wanted.append(now_ms)
        for gap_ms in (0, *gaps):
            now_ms += gap_ms
            is_down = not is_down
            if rocking.edge(now_ms / 1000, is_down):
                told.append(now_ms)
        now_ms += rest_ms + 1
    assert told == wanted
