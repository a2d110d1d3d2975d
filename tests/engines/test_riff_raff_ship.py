"""Tests of the referee's knowledge of the ship: the tightest bounds that the inputs allow.

For comparison, the tests keep a list of every ship that fits the inputs so far.
"""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import Seat
from engines.common.pieces import Piece
from engines.riff_raff.ship import AREAS, BIT, Cargo, Ship
from tests.effort import some

Loaded = tuple[int, ...]  # number of pieces in each area
FEW = range(5, 9)  # the areas used in the tests; more areas would only make them slower
SETS_OF_FEW = {
    sum(BIT[area] for area, is_in in zip(FEW, areas, strict=True) if is_in): areas
    for areas in product((False, True), repeat=len(FEW))
}  # each bit set of these areas, and a flag per area: in the set or not


def with_more(ship: Loaded, area: int, more: int) -> Loaded:
    """Return *ship* with this many pieces more in *area*."""
    return (*ship[: area - 1], ship[area - 1] + more, *ship[area:])


def one_less(ship: Loaded) -> set[Loaded]:
    """Return every ship that *ship* can become when one piece falls."""
    return {with_more(ship, area, -1) for area in AREAS if ship[area - 1]}


class Witness:
    """The real ship, the referee's knowledge of it, and every ship that fits the inputs."""

    def __init__(self) -> None:
        self.real: Loaded = (0,) * len(AREAS)
        self.ship = Ship()
        self.fitting = {self.real}

    def load(self, area: int) -> None:
        """Load a piece in *area*."""
        self.real = with_more(self.real, area, 1)
        self.ship = self.ship.after_loading(area)
        self.fitting = {with_more(ship, area, 1) for ship in self.fitting}

    def fall(self, areas: list[int]) -> None:
        """Let a piece fall from each of *areas*; the referee learns only the number of pieces."""
        for area in areas:
            self.real = with_more(self.real, area, -1)
            self.fitting = set().union(*map(one_less, self.fitting))
        self.ship = self.ship.after_fall(len(areas))

    def look(self, area: int) -> None:
        """Tell the referee whether any piece is in *area*."""
        is_held = self.real[area - 1] > 0
        self.ship = self.ship.held_at(area) if is_held else self.ship.empty_at(area)
        self.fitting = {ship for ship in self.fitting if (ship[area - 1] > 0) is is_held}

    @property
    def lying(self) -> list[int]:
        """The area of each piece on the ship."""
        return [area for area in AREAS for _ in range(self.real[area - 1])]


@settings(max_examples=some(150), deadline=None)
@given(data=st.data())
def test_the_referee_knows_what_follows_and_no_more(data: st.DataObject) -> None:
    """For every set of areas, the least number of pieces is the minimum over all ships that fit.

    For a single area, the greatest number is their maximum.
    """
    witness = Witness()
    for _ in range(data.draw(st.integers(1, 14), label="acts")):
        act = data.draw(st.sampled_from(["load", "load", "fall", "look"]))
        if act == "load" and len(witness.lying) < 7:
            witness.load(data.draw(st.sampled_from(FEW)))
        elif act == "fall" and witness.lying:
            order = data.draw(st.permutations(witness.lying))
            witness.fall(order[: data.draw(st.integers(1, min(3, len(order))))])
        elif act == "look":
            witness.look(data.draw(st.sampled_from(FEW)))
    assert witness.real in witness.fitting
    for area in AREAS:
        numbers = {ship[area - 1] for ship in witness.fitting}
        assert (witness.ship.least(area), witness.ship.most(area)) == (min(numbers), max(numbers))
    for number, areas in SETS_OF_FEW.items():
        fewest = min(
            sum(ship[a - 1] for a, is_in in zip(FEW, areas, strict=True) if is_in)
            for ship in witness.fitting
        )
        assert witness.ship.fewest[number] == fewest


@settings(max_examples=some(50), deadline=None)
@given(data=st.data())
def test_every_ship_within_the_bounds_fits_what_was_reported(data: st.DataObject) -> None:
    """The bounds for all sets of areas allow exactly the ships that fit the inputs."""
    witness = Witness()
    for area in data.draw(st.lists(st.sampled_from(FEW), min_size=1, max_size=5)):
        witness.load(area)
    witness.fall(data.draw(st.permutations(witness.lying))[:1])
    witness.load(data.draw(st.sampled_from(FEW)))
    witness.fall(data.draw(st.permutations(witness.lying))[:1])
    witness.look(data.draw(st.sampled_from(FEW)))
    total = len(witness.lying)
    allowed = {
        (0,) * 4 + few + (0,) * 2
        for few in product(range(total + 1), repeat=len(FEW))
        if sum(few) == total and is_allowed(witness.ship, few)
    }
    assert allowed == witness.fitting


def is_allowed(ship: Ship, few: Loaded) -> bool:
    """Return True if *few*, the numbers of pieces in the areas of FEW, satisfy all bounds."""
    return all(
        sum(n for n, is_in in zip(few, areas, strict=True) if is_in) >= ship.fewest[number]
        for number, areas in SETS_OF_FEW.items()
    )


def test_intervals_alone_would_know_less() -> None:
    """Bounds for single areas only would miss this: three of the four pieces are in 5 and 6.

    So the second piece to fall fell from there, if area 8 still holds its piece.
    """
    witness = Witness()
    for area in (5, 5, 6, 6):
        witness.load(area)
    witness.fall([5])
    witness.load(7)
    witness.load(8)
    witness.fall([8])
    assert (witness.ship.least(7), witness.ship.least(8)) == (0, 0)
    witness.look(8)
    assert (witness.ship.least(7), witness.ship.most(7)) == (1, 1)
    assert (witness.ship.least(5), witness.ship.most(5)) == (1, 2)


def test_an_empty_ship_is_known() -> None:
    ship = Ship().after_loading(5).after_loading(9).after_loading(1).after_fall(3)
    assert ship == Ship()
    assert [ship.most(area) for area in AREAS] == [0] * 10


def test_a_known_piece_falls_from_a_known_area() -> None:
    ship = Ship().after_loading(5).after_loading(9).after_unloading(5)
    assert (ship, ship.total) == (Ship().after_loading(9), 1)


def test_a_tagged_piece_is_in_one_place() -> None:
    rat, boat = Piece("red-rat"), Piece("red-boat")
    cargo = Cargo().after_loading(rat, 9).after_loading(boat, 2)
    assert cargo.on_ship == {rat: 9, boat: 2}
    fallen = cargo.after_fall(Seat(1), frozenset({rat}), frozenset({boat}))
    assert (fallen.on_ship, fallen.owners) == ({}, {rat: Seat(1)})
    assert fallen.gone == {boat}
    again = fallen.after_loading(rat, 3)
    assert (again.on_ship, again.owners) == ({rat: 3}, {})
    in_hand = fallen.after_fall(Seat(1), frozenset(), frozenset({rat}))
    assert not in_hand.owners
    assert in_hand.gone == {rat, boat}
