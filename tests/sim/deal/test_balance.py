"""Tests of the ship's balance: what a simple ship may do, and how often cargo falls in a game."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engines.common.pieces import Piece
from sim.robots.riff_raff.balance import (
    MOST_TILT,
    PUSH,
    SHAPES,
    SITES,
    Stowed,
    balance,
    heaviness,
    limit,
    place,
    slides,
)
from sim.robots.riff_raff.books import (
    RiffRaffAsk,
    RiffRaffBooks,
    RiffRaffHouseRules,
    RiffRaffMove,
    RiffRaffVerb,
)
from sim.robots.riff_raff.styles import STYLES

MIRRORED = {1: 4, 2: 3, 3: 2, 4: 1, 5: 6, 6: 5, 7: 8, 8: 7, 9: 10, 10: 9}
SEEDS = st.integers(0, 2**32 - 1)
PUSHES = st.floats(-PUSH, PUSH)
GAMES = 12  # for each number of players


def stowed(number: int, area: int, shape: str) -> Stowed:
    return Stowed(Piece(f"{shape}-{number}"), area, shape)


def mirrored(load: Sequence[Stowed]) -> list[Stowed]:
    return [one._replace(area=MIRRORED[one.area]) for one in load]


@st.composite
def loads(draw: st.DrawFn, least: int = 1) -> list[Stowed]:
    """Cargo of any shape, anywhere on the ship."""
    kinds = st.tuples(st.sampled_from([*SITES]), st.sampled_from([*SHAPES]))
    drawn = draw(st.lists(kinds, min_size=least, max_size=32))
    return [stowed(number, *each) for number, each in enumerate(drawn)]


@given(loads())
def test_a_ship_with_the_same_cargo_on_both_sides_is_level(load: list[Stowed]) -> None:
    both = [*load, *mirrored(load)]
    assert balance(both) == pytest.approx(0.0)


@given(loads(), SEEDS, PUSHES)
def test_a_balanced_load_stays_when_a_light_piece_is_placed_amidships(
    half: list[Stowed], seed: int, push: float
) -> None:
    """Hands are unsteady, but cargo on the deck and on both arms of a yard withstands that."""
    once = [*{one.area: one for one in half}.values()][:4]
    load = [
        *once,
        *(one._replace(piece=Piece(f"other-{one.piece.kind}")) for one in mirrored(once)),
    ]
    assert place(load, stowed(99, 2, "rat"), seed, 1, push=push / 2).fallen == ()


@given(loads(), SEEDS, PUSHES)
def test_a_ship_in_the_mirror_does_the_same_on_the_other_side(
    load: list[Stowed], seed: int, push: float
) -> None:
    *aboard, placed = load
    one = place(aboard, placed, seed, 7, push=push)
    other = place(mirrored(aboard), mirrored([placed])[0], seed, 7, push=-push)
    assert other.tilt == pytest.approx(-one.tilt)
    assert (other.fallen, other.caught) == (one.fallen, one.caught)
    assert [-side for side in other.sides] == [*one.sides]


@given(loads(), SEEDS, st.integers(0, 1000))
def test_the_same_placing_has_the_same_outcome(load: list[Stowed], seed: int, number: int) -> None:
    assert place(load[:-1], load[-1], seed, number) == place(load[:-1], load[-1], seed, number)


def test_other_seeds_and_other_placings_have_other_outcomes() -> None:
    load, rat = [stowed(1, 7, "chest")], stowed(2, 8, "rat")
    tilts = {place(load, rat, seed, number).tilt for seed in range(5) for number in range(5)}
    assert len(tilts) == 25


@given(loads(0), st.sampled_from([4, 6, 8, 10]), st.sampled_from([*SHAPES]))
def test_what_is_put_on_the_right_tilts_the_ship_to_the_right(
    load: list[Stowed], area: int, shape: str
) -> None:
    before = balance(load)
    assume(0 <= before < MOST_TILT)
    assert balance([*load, stowed(99, area, shape)]) > before


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (stowed(1, 4, "rat"), stowed(1, 4, "chest")),  # heavier
        (stowed(1, 3, "crate"), stowed(1, 4, "crate")),  # farther from the mast
        (stowed(1, 10, "crate"), stowed(1, 4, "crate")),
    ],
)
def test_the_heavier_and_the_farther_a_piece_the_more_the_ship_tilts(
    less: Stowed, more: Stowed
) -> None:
    assert 0 < balance([less]) < balance([more])


def test_cargo_high_up_makes_the_ship_weaker() -> None:
    aside, high = stowed(1, 4, "chest"), [stowed(2, 9, "crate"), stowed(3, 10, "crate")]
    assert balance([aside, *high]) > balance([aside])


@given(loads(), SEEDS, st.integers(0, 1000))
def test_each_piece_falls_once_and_over_a_lower_edge(
    load: list[Stowed], seed: int, number: int
) -> None:
    """The ship never tilts more than it can, and only falling pieces are caught."""
    rocking = place(load[:-1], load[-1], seed, number)
    assert len({*rocking.fallen}) == len(rocking.fallen) == len(rocking.sides)
    assert {*rocking.caught} <= {*rocking.fallen} <= {one.piece for one in load}
    assert max(abs(rocking.tilt), abs(rocking.rest)) <= MOST_TILT
    left = [one for one in load if one.piece not in rocking.fallen]
    assert rocking.rest == pytest.approx(balance(left))
    if rocking.fallen and abs(balance(load)) == MOST_TILT:
        assert rocking.sides[0] * balance(load) > 0


@given(loads(), st.floats(-MOST_TILT, MOST_TILT), SEEDS)
def test_cargo_slides_down_the_slope(load: list[Stowed], tilt: float, seed: int) -> None:
    slid = slides(load, tilt, seed)
    assert all(-1 <= far <= 1 and far * tilt > 0 for far in slid.values())


def test_a_level_ship_is_at_rest_and_a_steep_one_is_not() -> None:
    load = [stowed(n, 4, "barrel") for n in range(4)]
    assert slides(load, 0.0, 1) == {}
    assert len(slides(load, MOST_TILT, 1)) == 4


def test_an_unknown_area_and_an_unknown_shape_do_no_harm() -> None:
    assert balance([Stowed(Piece("x"), 99, "")]) == 0.0


# --- whole games ----------------------------------------------------------------------------------


class Voyage(NamedTuple):
    """The number of placings of a game, and the number of pieces in each fall."""

    placings: int
    falls: list[int]


def voyage(seed: int, players: int) -> Voyage:
    """Play a game whose players choose cards and pieces at random."""
    chance, style = Random(seed), STYLES["random"]
    books = RiffRaffBooks(players, 0, RiffRaffHouseRules(), chance)
    placings, falls, number = 0, list[int](), 0
    while books.asked is not RiffRaffAsk.NOTHING:
        number += 1
        if books.asked is not RiffRaffAsk.LOADED:
            books.do(style.act(books, chance))
            continue
        kind, load = chance.choice(books.stock), [_stow(*each) for each in books.ship.items()]
        rocking = place(load, _stow(kind, books.area), seed, number)
        fallen, caught = (
            tuple(piece.kind for piece in pieces) for pieces in (rocking.fallen, rocking.caught)
        )
        verb = RiffRaffVerb.FALL if fallen else RiffRaffVerb.HOLD
        books.do(RiffRaffMove(verb, books.turn, piece=kind, fallen=fallen, caught=caught))
        placings += 1
        falls += [len(fallen)] * bool(fallen)
    return Voyage(placings, falls)


def _stow(kind: str, area: int) -> Stowed:
    return Stowed(Piece(kind), area, kind.partition("-")[2])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_cargo_falls_often_enough_to_matter_and_seldom_enough_to_win(players: int) -> None:
    """Between a tenth and three tenths of all placings, mostly one or two pieces, not the ship."""
    voyages = [voyage(seed, players) for seed in range(GAMES)]
    placings = sum(each.placings for each in voyages)
    falls = [fall for each in voyages for fall in each.falls]
    assert 0.1 < len(falls) / placings < 0.3
    assert 1.1 < sum(falls) / len(falls) < 2.5
    assert sum(fall > 1 for fall in falls) > len(falls) / 20


def test_the_first_piece_slides_at_the_limit_to_either_side() -> None:
    load = [Stowed(Piece("red-barrel", 1), 9, "barrel"), Stowed(Piece("red-plank", 1), 2, "plank")]
    least = limit(load, 7)
    assert not slides(load, least - 0.01, 7)
    for tilt in (least + 0.01, -least - 0.01):
        assert [*slides(load, tilt, 7)] == [Piece("red-barrel", 1)]
    assert limit([], 7) == MOST_TILT


def test_a_heavier_shape_never_counts_as_lighter() -> None:
    shapes = sorted(SHAPES, key=lambda shape: SHAPES[shape].weight)
    assert [heaviness(shape) for shape in shapes] == [1, 1, 2, 2, 2, 3, 3, 4]
