"""Enrolling: binding stickers card by card in any order, and everything that can go wrong."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.pieces import Deck, Piece
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.register import COMMANDS, Registered, TagRegister
from firmware.common.errors import RegisterError
from firmware.runtime.controller import REGISTER, decks_of
from firmware.show.view import Flash, Progress
from firmware.table.events import TagOnSpot, TagsArrived, TagUnreadable
from firmware.table.modes.choosing_box import ChoosingBox
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.mode import Outcome, TappedPieces
from firmware.table.picker import Picker
from firmware.table.table import Feedback, Table
from firmware.voice.settings import Settings
from firmware.voice.settings_store import SettingsStore
from firmware.voice.speech import lines
from firmware.voice.words import Words, read_catalogue
from sim.mat.tags import enrol_decks, stranger_uid, uid_of
from tests.firmware.tabletop import CONFIG, Tabletop, arrived

CRAMEL = decks_of(CONFIG)["cramel"]
RANDOM = bytes.fromhex("08A1B2C3")
LOST_GOLS = {Piece("gol", copy) for copy in (2, 3, 4)}


class Enrolment(Tabletop):
    """A table for enrolling; each card carries the sticker that belongs to it."""

    def stick(self, *cards: str, game: str = "cramel") -> "Enrolment":
        """Tap cards one after the other; fail if one is refused."""
        for card in cards:
            (answer,) = self.tap_card(card, game=game)
            assert answer.flash is Flash.ACCEPTED, answer
        return self

    def tap_card(self, *cards: str, game: str = "cramel") -> tuple[Feedback, ...]:
        """Lay these cards at the same time; return the table's answers."""
        return self.receive(arrived(*(uid_of(game, Piece.parse(card)) for card in cards)))

    def fill(self) -> "Enrolment":
        """Enrol every piece of Cramel's deck, then open the enrolment of Cramel."""
        for piece in CRAMEL.pieces():
            self.register.bind(uid_of("cramel", piece), "cramel", piece)
        return self.open("cramel")

    def open(self, game: str, box: int = 1) -> "Enrolment":
        self.table.enrol(game, box)
        return self

    def counted(self) -> "Enrolment":
        """Restart the table with all decks marked as verified, so that their counts are certain."""
        decks = {
            name: replace(deck, is_verified=True) for name, deck in self.table.context.decks.items()
        }
        self.table = Table(replace(self.table.context, decks=decks))
        return self

    @property
    def asked(self) -> str:
        """The piece that a new sticker would be bound to."""
        (asks,) = self.view.asks
        return asks.removeprefix("sticker ")

    @property
    def lines(self) -> tuple[str, ...]:
        """The values of the lines in the open list, the same in every language."""
        assert self.view.choices is not None
        return self.view.choices.values

    @property
    def deck(self) -> Deck:
        """The deck that a game of Cramel would be played with now."""
        return self.table.context.box("cramel").in_play

    def pieces(self, box: int = 1) -> dict[str, bytes]:
        return {str(p): uid for p, uid in self.register.pieces("cramel", box).items()}


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Enrolment]:
    """A table without any enrolled sticker."""
    table = Enrolment(tmp_path, game="cramel", is_blank=True)
    yield table
    table.close()


@pytest.fixture
def cramel(top: Enrolment) -> Enrolment:
    """A table enrolling the first box of Cramel: 4 Gols, 4 Janes, 4 Helenas, 6 El-Els, ..."""
    return top.open("cramel")


def failing(top: Enrolment) -> Callable[..., None]:
    """A substitute for a method of the register, which fails as on a full disk."""

    def full(*_: object) -> None:
        raise RegisterError(
            top.register.path, "", "cannot be saved: the disk is full", "Make room."
        )

    return full


def test_pieces_are_handled_as_tags_alone(cramel: Enrolment) -> None:
    context = cramel.table.context
    mode = Enrolling.of(context, context.box("cramel"))
    assert mode.tap(TappedPieces("cramel", ((Piece("gol"), "play"),))) == Outcome(mode)
    assert cramel.pieces() == {}


# --- beginning and leaving -----------------------------------------------------------------------


def test_a_game_of_which_no_card_has_a_sticker_is_enrolled_before_it_is_played(
    top: Enrolment,
) -> None:
    top.press()
    top.choose("cramel")
    assert top.said == "Cramel: 0 of 49 have a sticker. Gol, 1 of 4"
    assert top.helped == "OK: list. Back: undo. Action: skip."
    assert (top.view.phase, top.asked) == ("enrolling", "gol#1")
    top.stick("gol")
    top.press()
    top.choose("leave")
    top.press()
    top.choose("cramel")
    assert top.view.phase == "preparing"


def test_the_list_of_stickers_tells_how_far_each_box_is(top: Enrolment) -> None:
    top.register.bind(b"\x04one!!!", "cramel", Piece("gol"))
    top.register.bind(b"\x04two!!!", "cramel", Piece("gol"), box=3)
    top.press()
    top.choose("stickers")
    assert top.said == "Whose stickers? Camargue: 0 of 96"
    assert top.lines == ("camargue", "ciao", "cramel", "cramel-3", "riff-raff", "straw", "commands")
    assert top.view.choices is not None
    assert top.view.choices.items == (
        "Camargue: 0/96",
        "Ciao!: 0/108",
        "Cramel: 1/49",
        "Cramel, box 3: 1/49",
        "Riff Raff: 0/40",
        "Straw: 0/64",
        "Command cards: 0/24",
    )
    top.choose("cramel-3")
    assert top.said == "Cramel, box 3: 1 of 49 have a sticker. Gol, 2 of 4"
    top.stick("gol")
    assert top.pieces(3) == {"gol#1": b"\x04two!!!", "gol#2": uid_of("cramel", Piece("gol"))}
    assert top.asked == "gol#3"


def test_another_box_is_offered_once_every_box_is_whole(top: Enrolment) -> None:
    top.fill().press()
    top.press()
    top.choose("stickers")
    assert "cramel-2" in top.lines
    top.register.bind(b"\x04one!!!", "cramel", Piece("gol"), box=2)
    top.press("back")
    top.press()
    top.choose("stickers")
    assert top.lines == ("camargue", "ciao", "cramel", "cramel-2", "riff-raff", "straw", "commands")


def test_the_list_of_stickers_is_gone_through_like_any_other(top: Enrolment) -> None:
    top.register.bind(b"\x04one!!!", "straw", Piece("lamp"))
    top.press()
    top.choose("stickers")
    top.press("action")
    assert top.view.choices is not None
    assert top.view.choices.cursor == 1
    top.press("back")
    assert top.view.phase == "idle"
    top.press()
    top.choose("stickers")
    top.receive(arrived(b"\x04one!!!"))
    assert top.view.title == "Straw", "a card says which box is meant"


def test_a_number_card_chooses_a_line_of_the_list_of_stickers(tmp_path: Path) -> None:
    top = Enrolment(tmp_path, game="cramel")
    top.press()
    top.choose("stickers")
    top.card("seat-1")
    assert top.refused == "no-such-value"
    top.card("say-again")
    assert top.said == "Whose stickers? Camargue: 96 of 96"
    top.card(f"number-{top.lines.index('cramel') + 1}")
    assert top.view.title == "Cramel"
    top.close()


def test_a_game_goes_on_when_its_stickers_were_seen_to(tmp_path: Path) -> None:
    top = Enrolment(tmp_path, game="straw").start()
    assert isinstance(top, Enrolment)
    top.play("weight-7")
    top.press()
    top.choose("stickers")
    top.choose("straw")
    assert top.view.phase == "enrolling"
    top.press("back")
    assert (top.view.phase, top.view.headline) == ("play", "7")
    top.play("weight-3")
    assert top.view.headline == "10"
    top.close()


def test_nothing_is_left_undone_by_leaving_in_between(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2")
    cramel.press()
    cramel.turn(-99)
    assert cramel.lines[0] == "leave"
    cramel.press()
    assert cramel.said == "Cramel: 2 of 49 have a sticker."
    assert cramel.view.phase == "idle"
    assert cramel.open("cramel").asked == "gol#3"


def test_a_pulled_plug_loses_nothing(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2")
    cramel.again()
    assert cramel.view.phase == "idle"
    cramel.open("cramel")
    woken = [line.text for line in cramel.table.wake()]
    assert woken == ["Cramel: 2 of 49 have a sticker.", "Gol, 3 of 4"]


def test_what_lay_there_at_switch_on_is_to_be_tapped_again(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    cramel.receive(arrived(stranger_uid(), was_found=True))
    assert cramel.refused == "lay-again"
    assert cramel.lay("gol#1", was_found=True) == (Feedback(cramel.now_s),)
    assert cramel.view.counts["enrolled"] == 1


# --- one card after the other --------------------------------------------------------------------


def test_each_tap_is_told_with_no_more_words_than_are_new(cramel: Enrolment) -> None:
    said = []
    for copy in range(1, 5):
        cramel.stick(f"gol#{copy}")
        said.append(cramel.said)
    assert said == ["2 of 4", "3 of 4", "4 of 4", "Jane, 1 of 4"]


def test_a_tap_is_in_the_register_when_the_table_answers(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    with closing(TagRegister(cramel.folder / REGISTER)) as another_program:
        gol = another_program.piece_of(uid_of("cramel", Piece("gol")))
    assert gol == Registered("cramel", Piece("gol"))


def test_the_view_names_the_card_and_how_far_it_is(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    view = cramel.view
    assert (view.title, view.headline, view.caption, view.hint, view.action) == (
        "Cramel", "Gol", "2 of 4", "Tap, or turn.", "skip",
    )  # fmt: skip
    assert view.progress == Progress(1, 49)
    assert view.counts == {"enrolled": 1, "total": 49}


def test_turning_to_a_kind_and_tapping_chooses_it(cramel: Enrolment) -> None:
    cramel.turn(+1)
    assert cramel.view.choices is not None
    assert cramel.view.choices.items[:4] == (
        "Leave for now",
        "Gol: 0/4",
        "Jane: 0/4",
        "Helena: 0/4",
    )
    assert cramel.asked == "jane#1"
    cramel.stick("jane#3")
    assert cramel.pieces() == {"jane#1": uid_of("cramel", Piece("jane", 3))}
    assert cramel.asked == "jane#2"


def test_what_was_passed_over_comes_in_the_end(cramel: Enrolment) -> None:
    cramel.press()
    cramel.choose("cramel")
    cramel.stick(*(f"cramel#{copy}" for copy in range(1, 13)))
    assert cramel.asked == "gol#1"


def test_a_whole_box_is_enrolled_in_the_order_of_the_deck(cramel: Enrolment) -> None:
    cramel.stick(*map(str, CRAMEL.pieces()))
    assert cramel.said == "All done"
    assert (cramel.view.headline, cramel.view.hint, cramel.view.action) == (
        "All done", "OK leaves.", "change",
    )  # fmt: skip
    assert cramel.register.pieces("cramel") == {
        piece: uid_of("cramel", piece) for piece in CRAMEL.pieces()
    }
    cramel.press()
    assert (cramel.said, cramel.view.phase) == ("Cramel: 49 of 49 have a sticker.", "idle")


def test_say_again_tells_how_far_it_is_and_what_comes(cramel: Enrolment) -> None:
    cramel.register.bind(uid_of(COMMANDS, Piece("say-again")), COMMANDS, Piece("say-again"))
    cramel.card("say-again")
    assert cramel.said == "Cramel: 0 of 49 have a sticker. Gol, 1 of 4"


# --- missing cards -------------------------------------------------------------------------------


def test_a_kind_is_put_off_and_asked_for_again_in_the_end(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    cramel.press("action")
    assert (cramel.said, cramel.asked) == ("Jane, 1 of 4", "jane#1")
    for _ in CRAMEL.kinds[1:]:
        cramel.press("action")
    assert (cramel.view.headline, cramel.asked, cramel.view.action) == (
        "48 left", "nothing", "go on",
    )  # fmt: skip
    cramel.press("action")
    assert cramel.asked == "gol#2"


def test_a_kind_that_was_put_off_is_asked_for_again_once_it_is_chosen(cramel: Enrolment) -> None:
    cramel.press("action")
    cramel.turn(-1)
    cramel.stick("gol#1")
    assert cramel.asked == "gol#2"


def test_a_box_that_holds_no_more_is_done_when_somebody_says_so(cramel: Enrolment) -> None:
    """Three Gols are lost; the game is then played with the 46 tiles that are left."""
    cramel.stick("gol#1").press("action")
    cramel.stick(*(str(piece) for piece in CRAMEL.pieces() if piece.kind != "gol"))
    assert (cramel.view.headline, cramel.view.hint) == ("3 left", "No more? OK")
    assert cramel.said == "3 left"
    assert cramel.deck == CRAMEL
    cramel.press()
    assert cramel.said == "Cramel: 46 of 49 have a sticker."
    deck = cramel.deck
    assert (deck.total, deck.by_name["gol"].count, deck.spread) == (46, 1, None)
    assert cramel.open("cramel").view.headline == "All done"


# --- stickers that are refused -------------------------------------------------------------------


def test_two_stickers_at_once_are_told_apart_from_one(cramel: Enrolment) -> None:
    assert [answer.flash for answer in cramel.tap_card("gol#1", "gol#2")] == [Flash.REFUSED]
    assert cramel.refused == "two-at-once"
    cramel.stick("gol#1")
    cramel.tap_card("gol#1", "gol#2")
    assert cramel.refused == "two-at-once", "one that is known and one that is not, too"
    assert list(cramel.pieces()) == ["gol#1"]


def test_stickers_on_two_readers_at_once_are_two_at_once(cramel: Enrolment) -> None:
    uids = [uid_of("cramel", Piece("gol", copy)) for copy in (1, 2)]
    cramel.receive(TagsArrived((TagOnSpot("play", uids[0]), TagOnSpot("hand", uids[1]))))
    assert cramel.refused == "two-at-once"


@pytest.mark.parametrize(("uid", "code"), [(RANDOM, "random-uid"), (b"\x04\x05", "bad-uid")])
def test_a_sticker_that_names_nothing_is_refused_and_asked_for_again(
    cramel: Enrolment, uid: bytes, code: str
) -> None:
    cramel.receive(arrived(uid))
    assert cramel.refused == code
    assert (cramel.pieces(), cramel.asked) == ({}, "gol#1")


def test_the_card_tapped_last_is_no_mistake_when_it_is_tapped_again(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    assert cramel.tap_card("gol#1") == (Feedback(cramel.now_s, lines("That one is done.")),)


def test_a_card_of_the_same_kind_that_is_done_is_reported(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2")
    cramel.tap_card("gol#1")
    assert cramel.refused == "tag-taken"
    assert cramel.said == "This is Gol already. Lay the next one."
    assert cramel.view.action == "skip"


def test_a_card_of_another_game_or_box_is_told_by_its_name(top: Enrolment) -> None:
    top.register.bind(b"\x04lamp!!", "straw", Piece("lamp"))
    top.register.bind(b"\x04gol!!!", "cramel", Piece("gol"), box=2)
    top.register.bind(b"\x04king!!", "chess", Piece("king"))
    top.open("cramel")
    told = {b"\x04lamp!!": "the Lamp of Straw", b"\x04gol!!!": "Gol of Cramel, box 2"}
    for uid, words in (told | {b"\x04king!!": "king of chess"}).items():
        top.receive(arrived(uid))
        assert top.refused == "tag-elsewhere"
        assert top.notice.happened == f"This is {words}."
        assert top.notice.do == "If it is Gol, press Action."


def test_the_action_button_means_the_card_tapped_last(top: Enrolment) -> None:
    """After a lamp of Straw it would move the lamp's sticker; after a Gol it skips again."""
    top.register.bind(b"\x04lamp!!", "straw", Piece("lamp"))
    top.open("cramel").stick("gol#1", "gol#2")
    top.receive(arrived(b"\x04lamp!!"))
    top.tap_card("gol#1")
    top.press("action")
    assert (list(top.pieces()), top.asked) == (["gol#1", "gol#2"], "jane#1")


@pytest.mark.parametrize("laid", [(RANDOM,), (stranger_uid(), b"\x04other!")])
def test_a_refused_sticker_ends_the_question_about_the_one_before(
    top: Enrolment, laid: tuple[bytes, ...]
) -> None:
    """The action button then puts the Gol off, and does not move the sticker of the Lamp."""
    top.register.bind(b"\x04lamp!!", "straw", Piece("lamp"))
    top.open("cramel")
    top.receive(arrived(b"\x04lamp!!"))
    assert top.view.action == "rename"
    top.receive(arrived(*laid))
    assert top.view.action == "skip"
    top.press("action")
    assert (top.pieces(), top.asked) == ({}, "jane#1")


@pytest.mark.parametrize(("broken", "code"), [("pieces", "not-readable"), ("rebind", "not-saved")])
def test_a_sticker_is_not_moved_if_the_register_cannot_be_read_or_written(
    top: Enrolment,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    broken: str,
    code: str,
) -> None:
    top.register.bind(b"\x04lamp!!", "straw", Piece("lamp"))
    top.open("cramel")
    top.receive(arrived(b"\x04lamp!!"))
    monkeypatch.setattr(top.register, broken, failing(top))
    top.press("action")
    assert (top.refused, top.view.action) == (code, "skip")
    assert f"{top.register.path} cannot be saved: the disk is full" in caplog.text
    assert top.register.piece_of(b"\x04lamp!!") == Registered("straw", Piece("lamp"))


def test_what_cannot_be_read_is_told_with_what_helps_a_sticker(cramel: Enrolment) -> None:
    cramel.receive(TagUnreadable("play"))
    assert cramel.notice.do == "Lay it flat, off metal, or take another sticker."


def test_once_everything_is_done_a_card_tells_what_it_is(top: Enrolment) -> None:
    top.fill()
    top.tap_card("gol#3")
    assert (top.said, top.view.flash) == ("This is Gol already.", None)
    top.receive(arrived(stranger_uid()))
    assert top.refused == "nothing-asked"


def test_a_tap_that_cannot_be_written_down_does_not_count(
    cramel: Enrolment, monkeypatch: pytest.MonkeyPatch
) -> None:
    cramel.stick("gol#1")
    with monkeypatch.context() as broken:
        for name in ("rebind", "close_box", "boxes"):
            broken.setattr(cramel.register, name, failing(cramel))
        cramel.tap_card("gol#2")
        assert cramel.refused == "not-saved"
        cramel.press("back")
        assert cramel.refused == "not-saved"
        assert (cramel.asked, list(cramel.pieces())) == ("gol#2", ["gol#1"])
        cramel.press()
        cramel.choose("leave")
        cramel.press()
        cramel.choose("stickers")
        assert cramel.refused == "not-readable"
        cramel.choose("cramel")
        assert cramel.refused == "not-readable"
    cramel.open("cramel").stick("gol#2")


def test_a_box_is_not_closed_when_that_cannot_be_written_down(
    cramel: Enrolment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in CRAMEL.kinds:
        cramel.press("action")
    monkeypatch.setattr(cramel.register, "close_box", failing(cramel))
    cramel.press()
    assert (cramel.refused, cramel.view.headline) == ("not-saved", "49 left")


# --- undoing and correcting ----------------------------------------------------------------------


def test_back_takes_one_card_after_the_other_back_and_then_leaves(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2")
    cramel.press("back")
    assert cramel.said == "Taken back. Gol, 2 of 4"
    assert list(cramel.pieces()) == ["gol#1"]
    cramel.press("back")
    assert (cramel.pieces(), cramel.asked) == ({}, "gol#1")
    cramel.press("back")
    assert cramel.view.phase == "idle"


def test_what_an_earlier_sitting_did_is_not_taken_back(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    cramel.open("cramel").press("back")
    assert cramel.view.phase == "idle"
    assert list(cramel.pieces()) == ["gol#1"]


def test_back_closes_what_is_open_first(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    cramel.turn(3)
    cramel.press("back")
    assert (cramel.view.choices, cramel.asked) == (None, "gol#2")
    assert list(cramel.pieces()) == ["gol#1"]


def test_a_card_that_was_taken_for_another_is_renamed(cramel: Enrolment) -> None:
    """A Jane was enrolled as the second Gol; it is renamed, and the last Gol takes its number."""
    cramel.stick("gol#1", "jane#4", "gol#2", "gol#3")
    cramel.tap_card("jane#4")
    assert cramel.said == "This is Gol already. If it is Jane, press Action."
    assert cramel.view.action == "rename"
    cramel.press("action")
    jane, gols = (
        uid_of("cramel", Piece("jane", 4)),
        [uid_of("cramel", Piece("gol", copy)) for copy in (1, 3, 2)],
    )
    assert cramel.pieces() == dict(zip(("gol#1", "gol#2", "gol#3"), gols, strict=True)) | {
        "jane#1": jane
    }
    cramel.press("back")
    assert cramel.pieces() == {
        "gol#1": gols[0], "gol#2": jane, "gol#3": gols[2], "gol#4": gols[1],
    }  # fmt: skip
    assert cramel.asked == "jane#1"


def test_a_card_is_renamed_the_kind_that_was_turned_to(cramel: Enrolment) -> None:
    cramel.stick("helena#1")
    cramel.stick("gol#2")
    cramel.turn(2)
    cramel.tap_card("helena#1")
    assert cramel.notice.do == "If it is Helena, press Action."
    cramel.press("action")
    assert set(cramel.pieces()) == {"gol#1", "helena#1"}


def test_a_sticker_of_another_game_is_given_to_this_one(top: Enrolment) -> None:
    top.register.bind(b"\x04king!!", "chess", Piece("king"))
    top.open("cramel")
    top.receive(arrived(b"\x04king!!"))
    top.press("action")
    assert top.register.piece_of(b"\x04king!!") == Registered("cramel", Piece("gol"))
    top.press("back")
    assert top.register.piece_of(b"\x04king!!") == Registered("chess", Piece("king"))


def test_back_says_that_the_card_was_not_meant(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2", "gol#3", "gol#4")
    cramel.tap_card("gol#1")
    cramel.press("back")
    assert (cramel.view.action, len(cramel.pieces())) == ("skip", 4)


# --- a lost sticker ------------------------------------------------------------------------------


def test_the_one_that_lost_its_sticker_is_found_by_laying_the_others(top: Enrolment) -> None:
    top.fill().counted().open("cramel")
    top.press("action")
    top.choose("gol")
    assert top.said == "Gol: lay those that still work copy 1"
    assert top.lines == ("gol#1", "gol#2", "gol#3", "gol#4")
    for card in ("gol#4", "gol#1", "gol#1"):
        top.tap_card(card)
        assert top.said.startswith("Not that one. copy ")
    assert list(top.lines) == ["gol#2", "gol#3"]
    top.tap_card("gol#2")
    assert top.said == "Gol, 3 of 4: a new sticker"
    assert (top.asked, top.view.caption, top.view.hint) == (
        "gol#3", "3 of 4, new", "Tap new sticker.",
    )  # fmt: skip
    before = top.pieces()
    top.receive(arrived(stranger_uid()))
    assert top.pieces() == before | {"gol#3": stranger_uid()}
    assert top.said == "All done"
    top.press("back")
    assert top.pieces() == before


def test_the_copy_under_the_cursor_stays_there_when_another_is_ruled_out(top: Enrolment) -> None:
    top.fill().counted().open("cramel")
    top.press("action")
    top.choose("gol")
    top.turn(2)
    top.tap_card("gol#1")
    assert top.said == "Not that one. copy 3"
    top.press()
    assert top.asked == "gol#3"


def test_the_old_sticker_counts_until_the_new_one_is_there(top: Enrolment) -> None:
    top.fill().counted().open("cramel")
    top.press("action")
    top.choose("gol")
    top.choose("gol#3")
    assert top.pieces()["gol#3"] == uid_of("cramel", Piece("gol", 3))
    top.receive(arrived(RANDOM))
    top.press("action")
    assert top.said == "All done", "it is put off"
    assert top.pieces()["gol#3"] == uid_of("cramel", Piece("gol", 3))


def test_a_number_beyond_the_list_of_stickers_is_refused(tmp_path: Path) -> None:
    top = Enrolment(tmp_path, game="cramel")
    context = top.table.context
    few = ChoosingBox(context, Picker(context.boxes("cramel")))
    outcome = few.number(len(few.boxes.items) + 1)
    assert outcome.mode is few
    assert outcome.notice is not None
    assert outcome.notice.happened == "3 cannot be chosen here."
    top.close()


def test_a_new_sticker_goes_on_no_card_before_it_is_known_on_which(top: Enrolment) -> None:
    top.fill().counted().open("cramel")
    top.press("action")
    top.choose("gol")
    top.receive(arrived(stranger_uid()))
    assert top.refused == "which-copy"
    top.press("action")
    top.press()
    assert top.asked == "gol#2"


def test_a_number_card_says_which_copy(tmp_path: Path) -> None:
    top = Enrolment(tmp_path, game="cramel").counted().open("cramel")
    top.card("number-2")
    assert top.refused == "no-such-value"
    top.press("action")
    top.choose("gol")
    top.card("number-7")
    assert top.refused == "no-such-value"
    assert top.view.notice is not None
    assert top.view.notice.happened == "7 cannot be chosen here."
    top.card("seat-1")
    assert top.refused == "no-such-value"
    top.card("number-2")
    assert top.asked == "gol#2"
    top.close()


def test_the_only_card_of_its_kind_is_the_one(tmp_path: Path) -> None:
    top = Enrolment(tmp_path).counted().open("straw")
    top.press("action")
    top.choose("straw")
    assert (top.asked, top.view.caption) == ("straw#1", "")
    top.receive(arrived(stranger_uid()))
    assert top.register.uid_of("straw", Piece("straw")) == stranger_uid()
    top.close()


def test_just_one_piece_is_enrolled_and_that_is_all(top: Enrolment) -> None:
    top.fill()
    top.table.enrol("cramel", 1, Piece("jane", 2))
    assert (top.asked, top.view.hint) == ("jane#2", "Tap new sticker.")
    top.receive(arrived(stranger_uid()))
    assert top.table.enrolling_game is None
    assert top.pieces()["jane#2"] == stranger_uid()


def test_a_piece_without_a_sticker_is_the_next_of_its_kind(cramel: Enrolment) -> None:
    cramel.stick("gol#1")
    cramel.table.enrol("cramel", 1, Piece("gol", 4))
    assert cramel.asked == "gol#2"


def test_of_a_kind_alone_it_is_first_asked_which(top: Enrolment) -> None:
    top.fill().counted()
    top.table.enrol("cramel", 1, "jane")
    assert top.lines == ("jane#1", "jane#2", "jane#3", "jane#4")


# --- a deck of unknown counts --------------------------------------------------------------------


def test_a_counted_deck_takes_no_more_of_a_kind_than_there_are(cramel: Enrolment) -> None:
    cramel.counted().open("cramel").stick("gol#1", "gol#2", "gol#3", "gol#4")
    cramel.turn(-1)
    cramel.receive(arrived(stranger_uid()))
    assert cramel.refused == "kind-full"
    assert cramel.notice.happened == "All have a sticker: Gol."


def test_where_counts_are_a_guess_one_more_may_be_enrolled(cramel: Enrolment) -> None:
    """This box has five Gols and three Janes, which its owner shows by tapping them."""
    cramel.stick("gol#1", "gol#2", "gol#3", "gol#4")
    cramel.press()
    cramel.choose("gol")
    assert cramel.lines == ("one-more", "gol#1", "gol#2", "gol#3", "gol#4")
    cramel.choose("one-more")
    assert (cramel.asked, cramel.view.caption) == ("gol#5", "5 of 5")
    cramel.stick("jane#4")
    rest = [str(p) for p in CRAMEL.pieces() if p.kind != "gol" and p != Piece("jane", 4)]
    janes, others = rest[:3], rest[3:]
    cramel.stick(*janes)
    assert cramel.asked == "jane#4"
    cramel.press("action")
    cramel.stick(*others)
    assert cramel.said == "All done", "there are 49, of any kinds"
    counts = {kind.name: kind.count for kind in cramel.deck.kinds}
    assert (counts["gol"], counts["jane"], cramel.deck.total) == (5, 3, 49)


def test_one_more_is_taken_without_pressing_ok_again(cramel: Enrolment) -> None:
    cramel.stick("gol#1", "gol#2", "gol#3", "gol#4")
    cramel.press()
    cramel.choose("gol")
    cramel.stick("jane#1")
    assert "gol#5" in cramel.pieces()


def test_in_a_whole_box_a_further_card_is_not_taken_by_the_way(top: Enrolment) -> None:
    """A new sticker probably replaces a lost one, so the table asks."""
    top.fill()
    top.turn(0)
    top.receive(arrived(stranger_uid()))
    assert top.refused == "kind-full"
    top.press()
    assert top.lines == ("gol#1", "gol#2", "gol#3", "gol#4", "one-more")
    top.choose("one-more")
    top.receive(arrived(stranger_uid()))
    assert top.view.progress == Progress(50, 49)


def test_a_game_is_played_with_what_was_enrolled(top: Enrolment) -> None:
    """The journal's deck is the enrolled box, and its fifth Gol can be played."""
    top.fill()
    top.register.bind(stranger_uid(), "cramel", Piece("gol", 5))
    top.press()
    top.lay("jane#1")
    top.choose("start")
    record = top.journal.open_game()
    assert record is not None
    assert record.start.deck.by_name["gol"].count == 5
    top.receive(arrived(stranger_uid()))
    assert top.refused == ""
    assert top.view.counts["open"] == 1


def test_a_game_is_played_with_the_box_whose_card_was_laid(top: Enrolment) -> None:
    top.fill()
    lost = [piece for piece in CRAMEL.pieces() if piece not in LOST_GOLS]
    for piece in lost:
        top.register.bind(uid_of("cramel, box 2", piece), "cramel", piece, box=2)
    top.register.close_box("cramel", 2)
    top.press()
    top.receive(arrived(uid_of("cramel, box 2", Piece("jane"))))
    top.choose("start")
    record = top.journal.open_game()
    assert record is not None
    assert record.start.deck.total == 46


def test_a_card_of_another_box_is_that_card_and_a_second_one_lies_there_already(
    tmp_path: Path,
) -> None:
    top = Enrolment(tmp_path)
    seven = uid_of("straw, box 2", Piece("weight-7"))
    top.register.bind(seven, "straw", Piece("weight-7"), box=2)
    top.start()
    top.receive(arrived(seven))
    assert top.view.headline == "7"
    top.lay("weight-7#1")
    assert top.refused == "already-played"
    top.close()


def test_an_offer_that_cannot_read_the_register_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = Enrolment(tmp_path)
    top.lay("weight-1")
    monkeypatch.setattr(top.register, "pieces", failing(top))
    top.press()
    assert top.refused == "not-readable"
    assert top.journal.open_game() is None
    top.close()


# --- command cards -------------------------------------------------------------------------------


def test_command_cards_command_while_a_game_is_enrolled(tmp_path: Path) -> None:
    top = Enrolment(tmp_path, game="cramel", is_blank=True)
    enrol_decks(top.register, CONFIG)
    top.register.fill("cramel", 1, {}, closed=False)
    top.open("cramel").stick("gol#1")
    top.card("back")
    assert top.pieces() == {}
    top.card("ok")
    top.card("action")
    top.card("ok")
    assert top.asked == "jane#1"
    top.close()


def test_command_cards_do_not_command_while_they_are_enrolled(top: Enrolment) -> None:
    top.open(COMMANDS)
    assert top.view.title == "Command cards"
    top.stick("ok", "back", game=COMMANDS)
    assert top.said == "action"
    top.card("ok")
    assert top.refused == "tag-taken"
    assert top.notice.happened == "This is OK already."
    assert top.asked == "action#1"


def test_once_they_are_enrolled_command_cards_command(top: Enrolment) -> None:
    top.open(COMMANDS).stick(*map(str, COMMAND_CARDS.pieces()), game=COMMANDS)
    assert top.said == "All done"
    top.card("ok")
    assert top.view.phase == "idle"
    top.card("ok")
    assert top.lines[-2:] == ("stickers", "settings")


def test_every_card_has_a_name_to_be_asked_for_by(top: Enrolment) -> None:
    """Every card of every game and every command card has its own words."""
    context = top.table.context
    for game in (*context.games, COMMANDS):
        box = context.box(game)
        named = {context.piece_name(game, piece) for piece in box.deck.pieces()}
        assert not any(name.startswith("piece.") for name in named), game
        assert len(named) == len({piece.kind for piece in box.deck.pieces()}), game


# --- optional stickers ---------------------------------------------------------------------------


def test_what_can_do_without_a_sticker_is_enrolled_when_it_is_chosen(top: Enrolment) -> None:
    """Here stickers on cramels are optional: a complete box lacks them, but accepts them."""
    kinds = tuple(
        replace(kind, traits={"sticker": "optional"}) if kind.name == "cramel" else kind
        for kind in CRAMEL.kinds
    )
    decks = {**top.table.context.decks, "cramel": replace(CRAMEL, kinds=kinds)}
    top.table = Table(replace(top.table.context, decks=decks))
    top.open("cramel")
    assert top.view.progress == Progress(0, 37)
    top.stick(*(str(piece) for piece in CRAMEL.pieces() if piece.kind != "cramel"))
    assert (top.said, top.view.progress) == ("All done", Progress(37, 37))
    top.turn(99)
    top.stick("cramel#1")
    assert (top.asked, top.view.progress) == ("cramel#2", Progress(38, 38))
    top.press("action")
    assert top.said == "All done"
    top.turn(99)
    top.press()
    assert top.asked == "cramel#2"
    assert top.deck.total == 49


def test_kinds_with_one_name_are_told_apart_by_other_words(top: Enrolment, tmp_path: Path) -> None:
    file = tmp_path / "game.po"
    file.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "title"\nmsgstr "Cramel"\n\n'
        'msgid "piece.gol"\nmsgstr "a tile"\n\nmsgid "kind.gol"\nmsgstr "the one with a hat"\n',
        encoding="utf-8",
    )
    words = {**top.table.context.words, "cramel": Words("en", [read_catalogue(file)])}
    store = SettingsStore(Settings("en"), lambda _: words, top.journal)
    top.table = Table(replace(top.table.context, settings=store))
    assert top.open("cramel").view.headline == "the one with a hat"
