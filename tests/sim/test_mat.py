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
from sim.mat import FAULTS, CannotDo, Mat
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


def test_when_one_tag_cannot_be_laid_or_lifted_none_is(mat: Mat) -> None:
    first, second = (Ntag(uid_of("straw", Piece("weight-1", n))) for n in (1, 2))
    mat.lay([first], "play")
    for move, piccs in ((mat.lay, [second, first]), (mat.lift, [first, second])):
        with pytest.raises(CannotDo):
            move(piccs, "play")
        assert mat.lying("play") == (first,)
    with pytest.raises(CannotDo):
        mat.lay([second, second], "play")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_befalls_only_parts_that_can_have_it(mat: Mat, fault: str) -> None:
    wrong = "play" if fault == "display-lost" else "display" if fault != "none" else "seat-9"
    with pytest.raises(CannotDo, match=f'"{fault}" befalls no {wrong}'):
        mat.fault(fault, wrong)
    assert mat.board.display is not None
    assert mat.board.display.present
    assert mat.board.readers["play"].stuck_at is None


def test_mending_one_part_leaves_the_others_broken(mat: Mat) -> None:
    assert mat.board.display is not None
    for part, is_present, is_cut in (("play", False, False), ("display", True, True)):
        mat.fault("display-lost", None)
        mat.fault("reader-dead", None)
        mat.fault("none", part)
        assert mat.board.display.present is is_present
        assert (mat.board.readers["play"].stuck_at is not None) is is_cut
    mat.fault("none", None)
    assert mat.board.readers["play"].stuck_at is None
