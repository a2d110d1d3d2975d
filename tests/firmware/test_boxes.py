"""Boxes: the pieces of a copy of a game that have stickers, and the deck for playing with them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.pieces import Deck, Kind, Piece
from firmware.boxes.box import Box
from firmware.boxes.register import TagRegister

KINDS = (Kind("red", 3, 10), Kind("blue", 2, 20), Kind("joker", 1), Kind("spare", 0))
GUESSED = Deck("slap", KINDS, is_verified=False, spread=(2, 3))
COUNTED = Deck("slap", KINDS, is_verified=True, spread=(2, 3))


def box(deck: Deck, *, closed: bool = False, **held: int) -> Box:
    """Return a box of *deck* with this number of stickers for each kind in *held*."""
    pieces = [Piece(kind, n) for kind, count in held.items() for n in range(1, count + 1)]
    stickers = {piece: bytes((4, *range(5), at)) for at, piece in enumerate(pieces)}
    return Box(deck, 1, stickers, is_closed=closed)


def counts(box: Box) -> dict[str, int]:
    return {kind.name: kind.count for kind in box.in_play.kinds if kind.count}


@pytest.fixture
def register(tmp_path: Path) -> Iterator[TagRegister]:
    with closing(TagRegister(tmp_path / "tags.sqlite")) as register:
        yield register


def test_a_box_is_what_the_register_has_of_its_deck(register: TagRegister) -> None:
    register.bind(b"\x04one!!!", "slap", Piece("red"))
    register.bind(b"\x04two!!!", "slap", Piece("red"), box=2)
    register.bind(b"\x04gone!!", "slap", Piece("a-kind-of-before"))
    register.close_box("slap", 1)
    assert Box.of(register, GUESSED) == Box(GUESSED, 1, {Piece("red"): b"\x04one!!!"}, True)
    assert Box.of(register, GUESSED, 2) == Box(GUESSED, 2, {Piece("red"): b"\x04two!!!"})


def test_what_is_lacking_is_told_in_the_order_of_the_deck() -> None:
    begun = box(COUNTED, red=1, blue=2)
    assert (begun.done, begun.total) == (3, 6)
    assert begun.lacking == ("red", "joker")
    assert (begun.next_of("red"), begun.next_of("blue")) == (Piece("red", 2), Piece("blue", 3))
    assert begun.copies("blue") == (Piece("blue"), Piece("blue", 2))


def test_a_counted_deck_takes_no_more_than_there_are() -> None:
    full = box(COUNTED, red=3, blue=1)
    assert (full.can_grow("red"), full.can_grow("blue"), full.can_grow("spare")) == (
        False,
        True,
        False,
    )
    assert full.kinds == ("red", "blue", "joker")


def test_a_guessed_deck_takes_any_kind_of_the_game() -> None:
    full = box(GUESSED, red=3)
    assert all(map(full.can_grow, full.kinds))
    assert full.kinds == ("red", "blue", "joker", "spare")


def test_until_a_box_is_whole_the_deck_file_is_played_with() -> None:
    assert box(GUESSED, red=5).in_play is GUESSED
    assert box(COUNTED).in_play is COUNTED


def test_a_guessed_deck_is_what_was_enrolled_once_all_of_it_was() -> None:
    other = box(GUESSED, red=2, blue=2, spare=2)
    assert (other.is_full, other.is_whole) == (True, True)
    assert counts(other) == {"red": 2, "blue": 2, "spare": 2}
    assert other.in_play.spread == (2, 3)


def test_a_box_that_holds_no_more_is_played_with_as_it_is() -> None:
    for deck in (GUESSED, COUNTED):
        lost = box(deck, closed=True, red=3, blue=1, joker=1)
        assert (lost.is_full, lost.is_whole) == (False, True)
        assert counts(lost) == {"red": 3, "blue": 1, "joker": 1}
        assert lost.in_play.spread is None, "five pieces fill no two rows of three"


def test_a_box_as_the_deck_file_says_is_played_with_by_that_file() -> None:
    assert box(COUNTED, red=3, blue=2, joker=1).in_play == COUNTED


def test_stickers_that_a_counted_deck_has_no_piece_for_do_not_count() -> None:
    spare = box(COUNTED, red=5, blue=1)
    assert (spare.done, spare.is_whole) == (4, False)
    assert counts(box(COUNTED, red=5, blue=2, joker=1)) == {"red": 3, "blue": 2, "joker": 1}


# --- pieces that can be played with without a sticker --------------------------------------------

CARGO = Kind("cargo", 8, traits={"sticker": "optional"})
LOADED = Deck("slap", (*KINDS, CARGO), is_verified=True)


def test_what_needs_no_sticker_is_not_asked_for_and_stays_in_the_deck() -> None:
    whole = box(LOADED, red=3, blue=2, joker=1)
    assert (whole.done, whole.total, whole.is_whole, whole.lacking) == (6, 6, True, ())
    assert whole.in_play == LOADED
    assert (whole.lacks("cargo"), whole.is_optional("cargo")) == (True, True)


def test_what_has_a_sticker_although_it_needs_none_is_counted() -> None:
    begun = box(LOADED, red=3, cargo=2)
    assert (begun.done, begun.total, begun.lacking) == (5, 8, ("blue", "joker"))
    whole = box(LOADED, closed=True, red=2, blue=2, joker=1, cargo=2)
    assert counts(whole) == {"red": 2, "blue": 2, "joker": 1, "cargo": 8}
