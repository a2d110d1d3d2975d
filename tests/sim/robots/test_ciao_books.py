"""Tests of the books of Ciao! that the comparison with the rules cannot show."""

from copy import deepcopy
from random import Random

from sim.robots.ciao.books import CiaoBooks, CiaoHouseRules, box
from sim.robots.ciao.styles import anything


def state(books: CiaoBooks) -> dict[str, object]:
    """Return all attributes of *books*, those of the source of chance too."""
    return deepcopy(vars(books)) | {"chance": books.chance.getstate()}


def test_moves_on_a_copy_do_not_change_the_books() -> None:
    """The copy goes on for several moves, so that it draws, shuffles and deals on its own."""
    chance = Random(1)
    books = CiaoBooks(3, 0, box(), Random(2), CiaoHouseRules(is_scored=True, rounds=2))
    moves = 0
    while not books.winners:
        before = state(books)
        twin = books.copy()
        assert state(twin) == before
        for _ in range(8):
            if not twin.winners:
                twin.do(anything(twin, chance))
        assert state(books) == before
        books.do(anything(books, chance))
        moves += 1
    assert moves > 50
