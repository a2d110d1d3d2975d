"""Tests of the emulated mat that rehearsals cannot express, such as cards of unknown decks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from firmware.boxes.decks import deck_file
from firmware.boxes.register import Registered, TagRegister
from firmware.common.errors import FolderInUse, RegisterError
from firmware.config.table_config import load_config
from firmware.journal.journal import health_in
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of
from firmware.runtime.loop import CHECK_S, PASS_S
from sim.mat.faults import PARTS
from sim.mat.mat import CannotDo, Mat
from sim.mat.tags import uid_of
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from tests.effort import long_unless

FIFTH_ONE = Piece("weight-1", 5)  # from an older deck file; the verified deck has four copies
KING = Piece("king")  # of a game that is not installed


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    """A mat on which Straw has begun, with two enrolled cards that are in none of its decks."""
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
    """Tap *piece* of *game* on the mat."""
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
    """The card of the running game counts, and the other is refused."""
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
        assert mat.tags_on("play") == (first,)
    with pytest.raises(CannotDo):
        mat.lay([second, second], "play")


@pytest.mark.parametrize("fault", long_unless(sorted(PARTS)[::4].__contains__, PARTS))
def test_a_fault_breaks_only_parts_that_can_have_it(mat: Mat, fault: str) -> None:
    wrong = next(part for part in ("display", "play", "seat-9") if part not in PARTS[fault])
    with pytest.raises(CannotDo, match=f'"{fault}" cannot break {wrong}'):
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


# --- silent recovery -----------------------------------------------------------------------------


def said_since(mat: Mat, number: int) -> list[str]:
    """Return the texts said after the first *number* utterances."""
    return [utterance.text for utterance in mat.said][number:]


def test_a_brown_out_is_mended_before_anybody_notices(mat: Mat) -> None:
    """A card on the reader is not played again, and a tap during the brown-out is not lost."""
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


def test_a_reader_with_a_fixed_gain_is_not_blamed_on_its_supply(
    mat: Mat, caplog: pytest.LogCaptureFixture
) -> None:
    mat.power_cut()
    reader = mat.board.readers["play"]
    reader.chip = Mfrc522(mat.board.clock, reader.field, has_fixed_gain=True)
    mat.power_on()
    mat.wait(1.0)
    assert mat.view.fault == "No answer: reader play"
    assert "gain is fixed at 33 dB" in caplog.text
    assert "3.3 V" not in caplog.text


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
    assert health_in(file)["reader play"]["polls"] == pytest.approx(1.1 / PASS_S, rel=0.05)


def health(mat: Mat, part: str) -> Counter[str]:
    """Return how often each fault of *part* was counted since the program's start."""
    (found,) = (health for health in mat.running.loop.health if health.part == part)
    return found.counts


# --- stickers of a simulated table ---


def test_a_damaged_register_is_put_aside_and_every_card_has_its_sticker_again(
    tmp_path: Path,
) -> None:
    """Such a table used to fail at every start, with "Start the table" as the remedy."""
    mat = Mat(load_config(), tmp_path)
    mat.power_on()
    mat.close()
    file = tmp_path / REGISTER
    damaged = b"rubbish" + file.read_bytes()[7:]
    file.write_bytes(damaged)
    mat.power_on()
    assert mat.view.notice is not None
    assert mat.view.notice.happened == "The list of stickers was damaged. A copy is kept."
    assert [copy.read_bytes() for copy in tmp_path.glob("tags-damaged-*.sqlite")] == [damaged]
    for game, deck in decks_of(mat.config).items():
        stickers = {piece: uid_of(game, piece) for piece in deck.pieces()}
        assert mat.running.register.pieces(game) == stickers
    mat.close()


def test_a_register_that_is_in_use_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    """The register is neither read nor repaired before the folder is locked."""
    first, second = Mat(load_config(), tmp_path), Mat(load_config(), tmp_path)
    first.power_on()
    file = tmp_path / REGISTER
    file.write_bytes(b"rubbish" + file.read_bytes()[7:])
    with pytest.raises(FolderInUse):
        second.power_on()
    assert not second.is_on
    assert not list(tmp_path.glob("*damaged*"))
    first.close()


def test_a_sticker_that_was_moved_to_another_card_stays_there(tmp_path: Path) -> None:
    """Every later start used to fail, because the sticker's UID was taken."""
    mat = Mat(load_config(), tmp_path)
    mat.power_on()
    lamp, seven = Piece("lamp"), Piece("weight-7")
    moved = uid_of("straw", lamp)
    mat.running.register.rebind({uid_of("straw", seven): None, moved: Registered("straw", seven)})
    mat.close()
    mat.power_on()
    assert mat.running.register.uid_of("straw", seven) == moved
    assert mat.running.register.uid_of("straw", lamp) is None
    mat.close()


def test_a_mat_whose_stickers_cannot_be_written_leaves_nothing_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RegisterError(
            tmp_path / REGISTER, "", "cannot be saved: the disk is full", "Make room."
        )

    mat = Mat(load_config(), tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(TagRegister, "bind_all", full)
        with pytest.raises(RegisterError, match="the disk is full"):
            mat.power_on()
    assert not mat.is_on
    mat.power_on()
    mat.close()
