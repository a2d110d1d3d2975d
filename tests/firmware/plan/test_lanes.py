"""Lanes of wires on the drawing: few crossings, and no two wires that look like one."""

from collections.abc import Sequence
from itertools import combinations

import hypothesis.strategies as st
from hypothesis import given

from firmware.plan.lanes import CLEAR, WireRun, cost, lanes


@st.composite
def runs(draw: st.DrawFn) -> list[WireRun]:
    """Draw wire runs whose ends are all further apart than the minimum distance."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    count = sum(sizes) + len(sizes)
    ys = [3.0 * CLEAR * y for y in draw(st.permutations(range(count)))]
    return [WireRun(ys.pop(), tuple(ys.pop() for _ in range(size))) for size in sizes]


def crossings(placed: Sequence[tuple[WireRun, int]]) -> int:
    """Return how many times wires cross; *placed* has each run with the x of its lane.

    The header is at x 0, and the parts are at x 100.
    """
    uprights = [(x, run.top, run.bottom, run) for run, x in placed]
    levels = [(0, x, run.header_y, run) for run, x in placed]
    levels += [(x, 100, y, run) for run, x in placed for y in run.part_ys]
    return sum(
        left < x < right and top < y < bottom
        for left, right, y, level in levels
        for x, top, bottom, upright in uprights
        if level is not upright
    )


@given(runs())
def test_the_cost_of_an_order_is_what_crosses_on_the_page(drawn: list[WireRun]) -> None:
    """If each wire has its own lane, the cost is the number of crossings."""
    expected = sum(cost(inner, outer) for inner, outer in combinations(drawn, 2))
    assert crossings([(run, lane + 1) for lane, run in enumerate(drawn)]) == expected


@given(runs())
def test_wires_in_one_lane_never_touch(drawn: list[WireRun]) -> None:
    placed = list(zip(drawn, lanes(drawn), strict=True))
    for (one, lane), (other, other_lane) in combinations(placed, 2):
        if lane == other_lane:
            assert one.bottom + CLEAR <= other.top or other.bottom + CLEAR <= one.top


@given(runs())
def test_the_lanes_cross_no_more_than_those_in_the_order_of_the_runs(drawn: list[WireRun]) -> None:
    found = [(run, lane + 1) for run, lane in zip(drawn, lanes(drawn), strict=True)]
    as_they_come = [(run, lane + 1) for lane, run in enumerate(drawn)]
    assert crossings(found) <= crossings(as_they_come)


@given(runs())
def test_lanes_are_counted_from_the_header_without_a_gap(drawn: list[WireRun]) -> None:
    found = set(lanes(drawn))
    assert found == set(range(len(found)))


def test_wires_that_run_down_side_by_side_do_not_cross() -> None:
    """The lowest wire takes the inner lane, in any order of the wires."""
    stairs = [WireRun(100.0 * step, (100.0 * step + 450,)) for step in range(4)]
    assert lanes(stairs) == (3, 2, 1, 0)
    assert lanes(stairs[::-1]) == (0, 1, 2, 3)


def test_wires_that_are_far_apart_share_a_lane() -> None:
    assert lanes([WireRun(0, (50,)), WireRun(100, (150,))]) == (0, 0)


def test_without_wires_there_are_no_lanes() -> None:
    assert lanes([]) == ()
