"""The emulated mat where no rehearsal reaches: cards whose tags no deck of this table has.

Room: tests.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.config import load_config
from firmware.controller import JOURNAL, REGISTER, decks_of
from firmware.decks import deck_file
from firmware.journal import health_in
from firmware.loop import CHECK_S, TURN_S
from firmware.register import TagRegister
from sim.chips.ntag import Ntag
from sim.faults import PARTS
from sim.mat import CannotDo, Mat
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.tags import uid_of

FIFTH_ONE = Piece("weight-1", 5)  # of an older deck file: the box holds four, and that is sure
KING = Piece("king")  # of a game that is not installed


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    """A mat with Straw begun, and in its tag register two cards more than it has decks for."""
    register = TagRegister(tmp_path / REGISTER)
    register.bind(uid_of("straw", FIFTH_ONE), "straw", FIFTH_ONE)
    register.bind(uid_of("chess", KING), "chess", KING)
    register.close()
    config = load_config()
    counted = replace(decks_of(config)["straw"], is_verified=True)
    deck = tmp_path / "straw.toml"
    deck.write_text(deck_file(counted, "counted"), encoding="utf-8")
    made = Mat(replace(config, decks={"straw": deck}), tmp_path)
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
    tap(mat, "chess", KING)
    (refusal,) = mat.refused
    assert refusal.code == "game-missing"
    assert "chess" in refusal.happened
    assert mat.view.headline == "0"


def test_cards_of_two_games_laid_together_are_sorted(mat: Mat) -> None:
    """The one that belongs to the game counts, the other is refused."""
    tags = [Ntag(uid_of("chess", KING)), Ntag(uid_of("straw", Piece("weight-6")))]
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


@pytest.mark.parametrize("fault", PARTS)
def test_a_fault_befalls_only_parts_that_can_have_it(mat: Mat, fault: str) -> None:
    wrong = next(part for part in ("display", "play", "seat-9") if part not in PARTS[fault])
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


# --- what is mended in silence -------------------------------------------------------------------


def said_since(mat: Mat, number: int) -> list[str]:
    """What was said after the first *number* utterances."""
    return [utterance.text for utterance in mat.said][number:]


def test_a_brown_out_is_mended_before_anybody_notices(mat: Mat) -> None:
    """The card that lies there is not played again, and a tap at that moment is not lost."""
    rests, next_one = (Ntag(uid_of("straw", Piece(kind))) for kind in ("weight-7", "weight-8"))
    mat.lay([rests], "play")
    mat.wait(0.25)
    said = len(mat.said)
    for _ in range(2):
        mat.fault("reader-brownout", "play")
        mat.wait(1.0)
    assert said_since(mat, said) == []
    assert (mat.view.headline, mat.view.fault) == ("7", "")
    mat.lift([rests], "play")
    mat.wait(0.4)
    mat.fault("reader-brownout", "play")
    mat.lay([next_one], "play")
    mat.wait(0.05)
    assert mat.view.headline == "15"
    counts = health(mat, "reader play")
    assert (counts["settings-lost"], counts["re-init"]) == (3, 3)
    assert counts["offline"] == 0


def test_a_display_that_was_unplugged_for_a_moment_shows_everything_again(mat: Mat) -> None:
    mat.wait(1.0)
    before, said = mat.pixels.tobytes(), len(mat.said)
    assert mat.board.display is not None
    mat.board.display.power_cycle()
    assert mat.pixels.tobytes() != before
    mat.wait(CHECK_S + 0.1)
    assert mat.pixels.tobytes() == before
    assert said_since(mat, said) == []
    assert health(mat, "display") == {"dark": 1, "re-init": 1}


def test_a_plug_that_is_pulled_writes_no_counts_and_a_switch_does(mat: Mat) -> None:
    file = mat.folder / JOURNAL
    mat.wait(1.0)
    mat.power_cut()
    assert health_in(file) == {}
    mat.power_on()
    mat.wait(1.0)
    mat.close()
    assert list(health_in(file)) == ["reader play"]
    assert health_in(file)["reader play"]["polls"] == pytest.approx(1.1 / TURN_S, rel=0.05)


def health(mat: Mat, part: str) -> Counter[str]:
    """What the running program counted of *part*."""
    (found,) = (health for health in mat.running.loop.health if health.part == part)
    return found.counts
