"""What the referee of Riff Raff knows of the ship: everything that follows, and nothing else.

Beside it every ship that fits what was told is kept, one by one.
"""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import Seat
from engines.common.pieces import Piece
from engines.riff_raff.ship import AREAS, BIT, Cargo, Ship
from tests.effort import some

Loaded = tuple[int, ...]  # pieces in each area
FEW = range(5, 9)  # areas that stories are about; more of them are only slower
SETS_OF_FEW = {
    sum(BIT[area] for area, is_in in zip(FEW, areas, strict=True) if is_in): areas
    for areas in product((False, True), repeat=len(FEW))
}  # sets of these areas, and which are in each


def with_more(ship: Loaded, area: int, more: int) -> Loaded:
    """*ship* with so many pieces more in *area*."""
    return (*ship[: area - 1], ship[area - 1] + more, *ship[area:])


def one_less(ship: Loaded) -> set[Loaded]:
    """Every ship that *ship* can be when a piece fell."""
    return {with_more(ship, area, -1) for area in AREAS if ship[area - 1]}


class Witness:
    """A real ship, what the referee made of it, and every ship that fits what was told."""

    def __init__(self) -> None:
        self.real: Loaded = (0,) * len(AREAS)
        self.ship = Ship()
        self.fitting = {self.real}

    def load(self, area: int) -> None:
        """A piece is loaded."""
        self.real = with_more(self.real, area, 1)
        self.ship = self.ship.loaded(area)
        self.fitting = {with_more(ship, area, 1) for ship in self.fitting}

    def fall(self, areas: list[int]) -> None:
        """A piece falls from each of *areas*; how many is all that is told."""
        for area in areas:
            self.real = with_more(self.real, area, -1)
            self.fitting = set().union(*map(one_less, self.fitting))
        self.ship = self.ship.fallen(len(areas))

    def look(self, area: int) -> None:
        """Somebody looks whether a piece lies there."""
        is_held = self.real[area - 1] > 0
        self.ship = self.ship.held_at(area) if is_held else self.ship.empty_at(area)
        self.fitting = {ship for ship in self.fitting if (ship[area - 1] > 0) is is_held}

    @property
    def lying(self) -> list[int]:
        """The area of each piece that lies there."""
        return [area for area in AREAS for _ in range(self.real[area - 1])]


@settings(max_examples=some(150), deadline=None)
@given(data=st.data())
def test_the_referee_knows_what_follows_and_no_more(data: st.DataObject) -> None:
    """Of every set of areas, both ends are those of the ships that fit what was told."""
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
def test_whatever_keeps_the_bounds_fits_what_was_told(data: st.DataObject) -> None:
    """The bounds of all sets of areas lose nothing: they allow exactly the ships that fit."""
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
    """Whether so many pieces in the areas of FEW keep all bounds."""
    return all(
        sum(n for n, is_in in zip(few, areas, strict=True) if is_in) >= ship.fewest[number]
        for number, areas in SETS_OF_FEW.items()
    )


def test_intervals_alone_would_know_less() -> None:
    """Three of four pieces lie in 5 and 6, so what fell later and was not from 8 fell there."""
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
    ship = Ship().loaded(5).loaded(9).loaded(1).fallen(3)
    assert ship == Ship()
    assert [ship.most(area) for area in AREAS] == [0] * 10


def test_a_known_piece_falls_from_a_known_area() -> None:
    ship = Ship().loaded(5).loaded(9).unloaded(5)
    assert (ship, ship.total) == (Ship().loaded(9), 1)


def test_a_tagged_piece_is_in_one_place() -> None:
    rat, boat = Piece("red-rat"), Piece("red-boat")
    cargo = Cargo().loaded(rat, 9).loaded(boat, 2)
    assert cargo.on_ship == {rat: 9, boat: 2}
    fallen = cargo.fallen(Seat(1), frozenset({rat}), frozenset({boat}))
    assert (fallen.on_ship, fallen.owners) == ({}, {rat: Seat(1)})
    assert fallen.gone == {boat}
    again = fallen.loaded(rat, 3)
    assert (again.on_ship, again.owners) == ({rat: 3}, {})
    in_hand = fallen.fallen(Seat(1), frozenset(), frozenset({rat}))
    assert not in_hand.owners
    assert in_hand.gone == {rat, boat}
