"""The emulated mat where no rehearsal reaches: cards whose tags no deck of this table has.

Room: tests.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.config import load_config
from firmware.controller import REGISTER
from firmware.register import TagRegister
from sim.chips.ntag import Ntag
from sim.mat import Mat
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.tags import uid_of

FIFTH_ONE = Piece("weight-1", 5)  # of an older deck file: the box holds four
JOKER = Piece("joker")


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    """A mat with Straw begun, and in its tag register two cards more than it has decks for."""
    register = TagRegister(tmp_path / REGISTER)
    register.bind_all(
        [(uid_of("straw", FIFTH_ONE), "straw", FIFTH_ONE), (uid_of("ciao", JOKER), "ciao", JOKER)]
    )
    register.close()
    made = Mat(load_config(), tmp_path)
    assert Runner(made).play(parse("game straw\nplayers Ann Ben\nstart\n", "mat")) is None
    yield made
    made.close()


def tap(mat: Mat, game: str, piece: Piece) -> None:
    """Tap *piece* of *game* at the mat."""
    tag = Ntag(uid_of(game, piece))
    mat.lay([tag], "play")
    mat.wait(0.25)
    mat.lift([tag], "play")
    mat.wait(0.25)


def test_a_card_that_is_enrolled_but_in_no_deck_of_this_game_is_refused(mat: Mat) -> None:
    tap(mat, "straw", FIFTH_ONE)
    (refusal,) = mat.refused
    assert refusal.code == "not-in-this-game"
    assert (mat.view.headline, mat.view.turn) == ("0", 0)
    tap(mat, "straw", Piece("weight-1", 4))
    assert mat.view.headline == "1"


def test_a_card_of_a_game_that_is_not_installed_is_refused_by_its_name(mat: Mat) -> None:
    tap(mat, "ciao", JOKER)
    (refusal,) = mat.refused
    assert refusal.code == "game-missing"
    assert "ciao" in refusal.happened
    assert mat.view.headline == "0"


def test_cards_of_two_games_laid_together_are_sorted(mat: Mat) -> None:
    """The one that belongs to the game counts, the other is refused."""
    tags = [Ntag(uid_of("ciao", JOKER)), Ntag(uid_of("straw", Piece("weight-6")))]
    mat.lay(tags, "play")
    mat.wait(0.25)
    assert [refusal.code for refusal in mat.refused] == ["game-missing"]
    assert mat.view.headline == "6"
