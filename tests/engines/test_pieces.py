"""The names of pieces."""

import pytest

from engines.common.pieces import Piece


@pytest.mark.parametrize("name", ["lamp#0", "lamp#", "lamp#x", "lamp#-1", "lamp#1.5", "lamp#²"])
def test_a_name_with_a_wrong_number_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="lamp#"):
        Piece.parse(name)


def test_a_name_without_a_number_is_the_first_copy() -> None:
    assert Piece.parse("lamp") == Piece.parse("lamp#1") == Piece("lamp", 1)
