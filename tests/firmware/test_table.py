"""The table, event by event, with a real journal, a real register, and the game Straw."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Choice, Direction, OptionValue, Topic
from engines.common.pieces import Deck, Piece
from firmware.common.errors import JournalError, RegisterError
from firmware.journal.journal import WRITE, GameStart
from firmware.journal.store import connect
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of
from firmware.show.lamps import FLASH_S
from firmware.show.view import Flash, Notice
from firmware.table.events import (
    CopyFailed,
    JoinRequested,
    PartFailed,
    PartRecovered,
    TagOnSpot,
    TagRemoved,
    TagsArrived,
)
from firmware.table.modes.preparing import Preparing
from firmware.table.table import NOTICE_S, Feedback, Table
from sim.mat.tags import stranger_uid, uid_of
from tests.firmware.tabletop import CONFIG, Tabletop, arrived, break_disk

STRAW_DECK = decks_of(CONFIG)["straw"]


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    table = Tabletop(tmp_path)
    yield table
    table.close()


@pytest.fixture
def straw(top: Tabletop) -> Tabletop:
    """A game of Straw with Ann, Ben and Cem; Cem dealt, and Ann plays first."""
    return top.start()


def flashes(answers: tuple[Feedback, ...]) -> list[Flash | None]:
    return [answer.flash for answer in answers]


# --- idle ---


def test_an_idle_table_says_how_to_begin(top: Tabletop) -> None:
    assert top.view.phase == "idle"
    assert top.view.hint == "Lay a card of a game, or press OK."
    assert [line.text for line in top.table.wake()] == ["tapmat is ready.", top.view.hint]


@pytest.mark.parametrize("card", ["weight-1", "carpet-9", "lamp#3", "copy", "straw"])
def test_any_card_of_straw_offers_straw(top: Tabletop, card: str) -> None:
    assert flashes(top.lay(card)) == [Flash.ACCEPTED]
    assert top.said == "Straw? OK starts."
    assert top.view.phase == "preparing"


def test_a_card_that_lay_there_at_switch_on_offers_nothing(top: Tabletop) -> None:
    top.lay("weight-1", was_found=True)
    assert top.view.phase == "idle"
    assert top.said == ""


def test_ok_lists_the_games_and_offers_the_one_chosen(top: Tabletop) -> None:
    top.press()
    choices = top.view.choices
    assert choices is not None
    assert "straw" in choices.values
    top.choose("straw")
    assert top.view.phase == "preparing"


@pytest.mark.parametrize(("number", "title"), [(1, "Camargue"), (5, "Straw"), (7, "Settings")])
def test_a_number_card_chooses_in_the_list_of_games(top: Tabletop, number: int, title: str) -> None:
    top.press()
    top.card(f"number-{number}")
    assert top.view.title == title


def test_the_list_of_games_is_closed_after_the_settings(top: Tabletop) -> None:
    top.press()
    top.choose("settings")
    top.press("back")
    assert (top.view.phase, top.view.choices, top.said) == ("idle", None, top.view.hint)


def test_back_closes_the_list_of_games(top: Tabletop) -> None:
    top.press()
    top.press("action")
    top.press("back")
    assert top.view.choices is None
    assert top.view.phase == "idle"


def test_turning_and_back_do_nothing_where_nothing_is_open(top: Tabletop) -> None:
    acts: tuple[Callable[[], tuple[Feedback, ...]], ...] = (
        lambda: top.turn(3),
        lambda: top.press("back"),
        lambda: top.press("action"),
    )
    for act in acts:
        assert act() == (Feedback(top.now_s),)
        assert top.view.phase == "idle"


@pytest.mark.parametrize("card", ["number-3", "seat-2"])
def test_a_number_or_seat_means_nothing_while_no_game_is_on(top: Tabletop, card: str) -> None:
    top.card(card)
    assert top.refused == "no-game"


def test_a_tag_that_is_taken_away_changes_nothing(straw: Tabletop) -> None:
    before = straw.view
    assert straw.receive(TagRemoved("play", uid_of("straw", Piece("weight-1")))) == ()
    assert straw.view == before


# --- tags that are not pieces of the game ---


def test_a_stranger_is_refused_with_what_happened_and_what_to_do(straw: Tabletop) -> None:
    answers = straw.receive(arrived(stranger_uid()))
    assert flashes(answers) == [Flash.REFUSED]
    assert straw.notice.code == "unknown-tag"
    assert straw.notice.happened == "This sticker is not enrolled."
    assert straw.notice.do == "Take it away, or enrol it: OK, then Stickers."
    assert straw.said == f"{straw.notice.happened} {straw.notice.do}"


def test_a_tag_that_changes_its_uid_is_told_apart(straw: Tabletop) -> None:
    straw.receive(arrived(bytes.fromhex("08A1B2C3")))
    assert straw.refused == "random-uid"
    straw.receive(arrived(bytes.fromhex("18A1B2C3")))
    assert straw.refused == "unknown-tag"


def test_a_stranger_in_a_stack_does_not_keep_the_card_from_counting(straw: Tabletop) -> None:
    card = uid_of("straw", Piece("weight-7"))
    answers = straw.receive(arrived(stranger_uid(), card))
    assert flashes(answers) == [Flash.REFUSED, Flash.ACCEPTED]
    assert straw.view.headline == "7"


def test_a_card_of_a_game_that_is_not_installed_is_named(straw: Tabletop) -> None:
    straw.register.bind(b"\x04chess!", "chess", Piece("king"))
    straw.receive(arrived(b"\x04chess!"))
    assert straw.refused == "game-missing"
    assert "chess" in straw.notice.happened


def test_a_piece_the_deck_does_not_hold_is_refused_by_the_rules(straw: Tabletop) -> None:
    straw.register.bind(b"\x04spare!", "straw", Piece("weight-3", 9))
    straw.receive(arrived(b"\x04spare!"))
    assert straw.refused == "not-in-this-game"
    assert straw.view.headline == "0"


# --- playing ---


def test_a_tap_is_a_play_and_says_what_the_rules_want_said(straw: Tabletop) -> None:
    assert straw.turn_of == "Ann"
    assert flashes(straw.tap("weight-10")) == [Flash.ACCEPTED]
    assert straw.said == "10 Ben to play."
    assert straw.view.headline == "10"
    assert straw.turn_of == "Ben"
    assert straw.view.direction is Direction.CLOCKWISE


def test_a_refused_card_teaches_and_changes_nothing(straw: Tabletop) -> None:
    straw.play("weight-10")
    before = straw.journal.open_game()
    assert flashes(straw.tap("straw")) == [Flash.REFUSED]
    assert [line.topic for answer in straw.answers for line in answer.say] == [Topic.REFUSAL]
    assert straw.notice.code == "straw-not-at-50"
    assert straw.notice.rule.startswith("RULES")
    assert straw.notice.happened == "The camel carries 10. Straw goes on only at 50."
    assert straw.notice.do == "Take it back and play another card."
    assert straw.turn_of == "Ben"
    assert straw.journal.open_game() == before


def test_the_same_card_twice_is_refused(straw: Tabletop) -> None:
    straw.lay("weight-4")
    straw.lay("weight-4")
    assert straw.refused == "already-played"


def test_a_card_on_another_seats_reader_is_refused(straw: Tabletop) -> None:
    straw.tap("weight-4", spot="seat-2")
    assert straw.refused == "not-your-turn"
    straw.tap("weight-4", spot="seat-1")
    assert straw.view.headline == "4"


def test_a_lamps_weight_is_chosen_by_turning(straw: Tabletop) -> None:
    straw.play("lamp")
    assert straw.view.asks == ("number 1..10",)
    assert straw.view.choices is not None
    assert straw.view.choices.values[straw.view.choices.cursor] == "5"
    straw.turn(+2)
    straw.press()
    assert straw.view.headline == "7"
    straw.play("lamp")
    straw.turn(-99)
    straw.press()
    assert straw.view.headline == "8"


def test_a_lamps_weight_is_chosen_by_a_number_card(straw: Tabletop) -> None:
    straw.play("lamp")
    straw.card("number-9")
    assert straw.view.headline == "9"


@pytest.mark.parametrize(("number", "symbol"), [(1, "rock"), (2, "paper"), (3, "scissors")])
def test_a_jokers_symbol_is_chosen_by_a_number_card(
    tmp_path: Path, number: int, symbol: str
) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as top:
        top.start().play("joker-green")
        top.card("number-4")
        assert top.refused == "not-expected-now"
        top.card(f"number-{number}")
        record = top.journal.open_game()
        assert record is not None
        assert record.inputs[-1] == Choice(symbol)


def test_a_race_goes_on_under_an_open_list(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as top:
        top.start().play("rock-green-speed")
        race = top.table.race
        assert race == ("play", "seat-2", "seat-3")
        top.card("settings")
        assert top.table.race == race
        top.press("back")
        top.press()
        assert top.view.choices is not None
        assert top.table.race == race


def test_the_answer_to_a_tap_goes_out_and_a_notice_stays_longer(straw: Tabletop) -> None:
    straw.tap("straw")
    told_s = straw.now_s
    view = straw.table.view
    assert view(told_s).flash is Flash.REFUSED
    assert view(told_s + FLASH_S).flash is None
    assert view(told_s + NOTICE_S - 0.1).notice is not None
    assert view(told_s + NOTICE_S).notice is None


def test_the_next_act_takes_a_notice_away(straw: Tabletop) -> None:
    straw.tap("straw")
    straw.tap("weight-2")
    assert straw.view.notice is None


# --- refusals and what to do instead ---


def test_what_does_not_fit_now_is_answered_with_what_is_awaited_and_by_whom(
    straw: Tabletop,
) -> None:
    straw.tap("lamp")
    straw.tap("weight-3")
    notice = straw.view.notice
    assert notice is not None
    assert (notice.code, notice.rule) == ("not-expected-now", "RULES 1.3")
    assert notice.happened == "Not now."
    assert notice.do == "Ann: Choose the Lamp's weight from 1 to 10 first."
    assert straw.said == "Not now. Ann: Choose the Lamp's weight from 1 to 10 first."


def test_in_a_race_what_does_not_fit_now_is_answered_with_the_names_of_all_who_race(
    tmp_path: Path,
) -> None:
    """Of two players, one races; a question that any player may answer names nobody."""
    with closing(Tabletop(tmp_path, ("Ann", "Ben", "Cem"), "ciao")) as top:
        top.start()
        top.play("rock-green-speed")
        top.card("number-3")
        race = "Lay a card that beats it, or press Action if nobody can."
        assert top.said == f"Not now. It's up to Ben, Cem. {race}"
        top.play("paper-red")
        top.card("number-3")
        assert top.said == "Not now. First say whose card that is."
        top.press("back")
        top.lay("obstacle#1", spot="seat-3")
        top.card("number-3")
        assert top.said == f"Not now. Ben: {race}"


def test_while_all_reveal_a_card_those_who_have_not_are_named(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, ("Ann", "Ben", "Cem"), "riff-raff")) as top:
        top.start()
        top.play("red-4", "blue-4", "yellow-4")
        assert top.view.phase == "reveal"
        top.card("number-3")
        assert top.said == "Not now. Each player reveals a card and taps it."
        top.tap("blue-5")
        top.card("number-3")
        assert top.said == "Not now. It's up to Ann, Cem. Each player reveals a card and taps it."


def test_where_nobody_is_to_play_what_does_not_fit_now_names_nobody(straw: Tabletop) -> None:
    straw.tap("weight-10", "weight-10", "weight-10", "weight-10")
    straw.tap("weight-9")
    straw.tap("weight-9")
    while straw.view.phase == "scoring":
        straw.press("action")
    straw.tap("weight-1")
    assert straw.view.phase == "round-over"
    notice = straw.view.notice
    assert notice is not None
    assert notice.do == "Deal the next round, then press OK."


def test_while_the_order_of_a_stack_is_requested_nothing_else_counts(straw: Tabletop) -> None:
    straw.lay("weight-3", "reverse")
    straw.lay("weight-5")
    notice = straw.view.notice
    assert notice is not None
    assert notice.code == "not-expected-now"
    assert notice.do == "Say which one was there first: the 3, the Reverse."


def test_a_piece_of_another_game_is_named_as_such(straw: Tabletop) -> None:
    straw.receive(arrived(uid_of("cramel", Piece("jane"))))
    notice = straw.view.notice
    assert notice is not None
    assert (notice.code, notice.rule) == ("not-in-this-game", "RULES 1.2")
    assert notice.happened == "This piece belongs to another game: Cramel."
    assert notice.do == "Take it off the reader."


# --- stacks ---


def test_a_stack_whose_order_does_not_matter_is_played(straw: Tabletop) -> None:
    straw.lay("weight-3#1", "weight-3#2")
    assert straw.view.headline == "6"
    assert straw.said == "3 Ben to play. 6 Cem to play."


def test_a_stack_whose_order_matters_is_requested_about(straw: Tabletop) -> None:
    straw.play("weight-5")
    (answer,) = straw.tap("copy", "weight-9")
    assert answer.flash is None
    assert straw.said == "Which was first? the Copy"
    assert straw.view.asks == ("order copy, weight-9",)
    assert straw.view.headline == "5"
    straw.choose("weight-9#1")
    assert straw.view.headline == "23"
    assert straw.view.choices is None
    assert straw.turn_of == "Ann"


def test_cards_on_different_seats_are_told_apart_by_their_players(straw: Tabletop) -> None:
    copy, nine = (uid_of("straw", Piece(kind)) for kind in ("copy", "weight-9"))
    straw.play("weight-5")
    straw.receive(TagsArrived((TagOnSpot("seat-2", copy), TagOnSpot("seat-3", nine))))
    assert straw.view.choices is not None
    assert straw.view.choices.items == ("Ben", "Cem")
    straw.card("seat-3")
    assert straw.refused == "not-your-turn"
    assert straw.notice.do.startswith("Not counted: the 9, the Copy. ")
    assert straw.view.headline == "5"
    straw.receive(TagsArrived((TagOnSpot("seat-2", copy), TagOnSpot("seat-3", nine))))
    straw.card("seat-2")  # the Copy is first and counts as the 5, then the 9
    assert straw.view.headline == "19"


def test_cards_on_one_seat_are_told_apart_by_what_they_are(straw: Tabletop) -> None:
    straw.play("weight-5")
    straw.tap("copy", "weight-9", spot="seat-2")
    assert straw.view.choices is not None
    assert straw.view.choices.items == ("the Copy", "the 9")
    straw.card("seat-2")  # does not tell the order of the cards
    assert straw.refused == "not-expected-now"
    straw.choose("weight-9#1")
    assert straw.view.headline == "14"


def test_of_three_cards_the_order_is_requested_as_long_as_it_matters(straw: Tabletop) -> None:
    straw.tap("weight-1", "copy", "weight-2")
    straw.choose("weight-2#1")
    assert straw.view.headline == "2"
    assert straw.view.asks == ("order weight-1, copy",)
    straw.choose("copy#1")
    assert straw.view.headline == "5"
    assert straw.view.asks == ("tap",)


def test_a_large_stack_is_requested_about_without_trying_every_order(straw: Tabletop) -> None:
    straw.lay(*(f"weight-1#{n}" for n in range(1, 5)), "weight-2")
    assert straw.view.asks[0].startswith("order ")


def test_back_at_the_question_takes_the_whole_stack_off(straw: Tabletop) -> None:
    straw.play("weight-5")
    straw.tap("copy", "weight-9")
    straw.press("back")
    assert straw.said == "Take them all back: the Copy, the 9"
    assert straw.view.asks == ("tap",)
    assert straw.view.headline == "5"
    assert straw.notice.code == ""  # not a refusal


def test_while_the_order_is_requested_nothing_else_is_taken(straw: Tabletop) -> None:
    straw.play("weight-5")
    straw.tap("copy", "weight-9")
    acts: tuple[Callable[[], tuple[Feedback, ...]], ...] = (
        lambda: straw.tap("weight-2"),
        lambda: straw.card("number-3"),
        lambda: straw.card("seat-1"),
    )
    for act in acts:
        act()
        assert straw.refused == "not-expected-now"
        assert straw.view.asks == ("order copy, weight-9",)


def test_a_stack_may_be_laid_again_one_by_one_instead(straw: Tabletop) -> None:
    straw.play("weight-5")
    straw.lay("copy", "weight-9")
    straw.lay("copy")
    assert straw.view.headline == "10"
    straw.lay("weight-9")
    assert straw.view.headline == "19"


def test_the_action_button_goes_round_in_the_question(straw: Tabletop) -> None:
    straw.play("weight-5")
    straw.tap("copy", "weight-9")
    assert straw.view.action == "next"
    for cursor in (1, 0, 1):
        straw.press("action")
        assert straw.view.choices is not None
        assert straw.view.choices.cursor == cursor
    straw.press()
    assert straw.view.headline == "23"


def test_a_hand_laid_as_a_stack_is_scored_without_a_question(straw: Tabletop) -> None:
    straw.play(*["weight-10"] * 4, "weight-9", "weight-8")
    assert straw.view.phase == "scoring"
    straw.tap("weight-1", "weight-2", "weight-3", "carpet-4")
    assert straw.view.asks[0] == "tap"
    assert "scores 2 points." in straw.said


@pytest.mark.parametrize("stack", [("weight-2", "straw"), ("straw", "weight-2")])
@pytest.mark.parametrize("first", ["weight-2", "straw"])
def test_of_a_stack_with_a_refused_card_the_order_decides_what_counts(
    straw: Tabletop, stack: tuple[str, str], first: str
) -> None:
    """The order that the player chooses counts, not that in which the reader found the cards."""
    straw.play("weight-8")
    straw.lay(*stack)
    oldest = {"weight-2": "the 2", "straw": "the Straw"}[stack[0]]
    assert straw.said == f"Which was first? {oldest}"
    straw.choose(f"{first}#1")
    assert straw.refused == "straw-not-at-50"
    if first == "weight-2":
        assert straw.view.headline == "10"
        assert straw.notice.do == "Not counted: the Straw. Take it back and play another card."
        assert straw.said.startswith("10 Cem to play. The camel carries 10.")
    else:
        assert straw.view.headline == "8"
        assert straw.notice.do.startswith("Not counted: the Straw, the 2. Take it back")
    assert straw.said.endswith(straw.notice.do)
    straw.lay("weight-1")
    assert straw.refused == ""


def test_a_stack_that_is_refused_in_any_order_names_all_its_cards(straw: Tabletop) -> None:
    straw.play("weight-8", "weight-9")
    straw.lay("weight-8", "weight-9")
    assert straw.refused == "already-played"
    assert straw.notice.do.startswith("Not counted: the 8, the 9.")


# --- undo ---


def test_undo_takes_the_last_play_back_and_names_what_to_move(straw: Tabletop) -> None:
    straw.play("weight-10", "weight-7")
    before = straw.view.headline
    straw.press("back")
    assert (before, straw.view.headline) == ("17", "10")
    assert straw.turn_of == "Ben"
    assert straw.said == (
        "Correction: 10. Take the 7 back. Ben, return the card you drew to the pile."
    )
    assert straw.notice.happened == "Taken back."
    assert straw.notice.do.startswith("Take the 7 back.")
    assert straw.notice.code == ""  # not a refusal


def test_undo_goes_back_to_the_beginning_and_no_further(straw: Tabletop) -> None:
    straw.play("weight-10", "weight-7")
    straw.press("back")
    straw.press("back")
    assert straw.view.headline == "0"
    assert flashes(straw.press("back")) == [Flash.REFUSED]
    assert straw.notice.code == "nothing-to-undo"
    assert straw.notice.do


def test_an_undone_card_can_be_played_again(straw: Tabletop) -> None:
    straw.lay("weight-10")
    straw.press("back")
    straw.lay("weight-10")
    assert straw.view.headline == "10"


def test_undo_opens_the_question_again_that_was_answered(straw: Tabletop) -> None:
    straw.play("lamp")
    straw.card("number-3")
    straw.press("back")
    assert list(straw.view.asks) == ["number 1..10"]
    assert straw.view.choices is not None
    straw.press("back")
    assert straw.view.asks[0] == "tap"


def test_undo_of_a_stack_takes_one_card_at_a_time(straw: Tabletop) -> None:
    straw.lay("weight-3#1", "weight-3#2")
    straw.press("back")
    assert straw.view.headline == "3"


def test_undo_crosses_the_end_of_a_round(straw: Tabletop) -> None:
    straw.play(*["weight-10"] * 4, "weight-9", "weight-8")
    assert straw.view.phase == "scoring"
    straw.press("back")
    assert straw.view.phase == "play"
    assert straw.view.headline == "49"


# --- advice without an act of a player ---


def test_a_device_that_wants_to_join_is_named_on_the_display_only(straw: Tabletop) -> None:
    """An address takes too long to say."""
    straw.receive(JoinRequested("192.0.2.7"))
    assert straw.notice.happened == "A device at 192.0.2.7 wants to join this table."
    assert straw.notice.do == "OK lets it in. Any other button refuses it."
    assert straw.said == f"Another device wants to join this table. {straw.notice.do}"


def test_a_copy_that_failed_is_told_with_the_reason(straw: Tabletop) -> None:
    straw.receive(CopyFailed("full"))
    assert straw.notice.happened == "No copy of the games was made."
    assert straw.notice.do == "The copies' disk is full. Delete something on it."
    assert straw.said == f"{straw.notice.happened} {straw.notice.do}"


def test_a_card_is_refused_while_the_stickers_cannot_be_read(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_uid: bytes) -> None:
        raise RegisterError(straw.register.path, "", "cannot be read", "Look at the disk.")

    before = straw.journal.open_game()
    monkeypatch.setattr(straw.register, "piece_of", unreadable)
    straw.tap("weight-3")
    assert straw.refused == "not-readable"
    assert straw.journal.open_game() == before


# --- the menu and the end ---


def test_ok_opens_the_menu_and_back_closes_it(straw: Tabletop) -> None:
    straw.press()
    assert straw.view.choices is not None
    assert straw.view.choices.values == (
        "say-again", "say-everything", "scores", "settings", "stickers", "end-game",
    )  # fmt: skip
    straw.press("back")
    assert straw.view.choices is None
    assert straw.view.phase == "play"


def test_the_menu_says_again_how_things_stand(straw: Tabletop) -> None:
    straw.play("weight-10")
    straw.press()
    straw.choose("say-again")
    assert straw.said == "10 Lay a card, then draw one."
    assert all(line.is_requested for line in straw.answers[0].say)
    assert straw.view.choices is None


def test_the_menu_says_everything_that_is_shown(straw: Tabletop) -> None:
    straw.play("weight-10", "reverse")
    straw.press()
    straw.choose("say-everything")
    lines = [line for answer in straw.answers for line in answer.say]
    assert [line.text for line in lines] == [
        "Straw", "10", "on the camel", "Ann to play.", "counter-clockwise",
        "Lay a card, then draw one.", "OK: menu. Back: undo.", "Ann 0", "Ben 0", "Cem 0",
    ]  # fmt: skip
    assert all(line.is_requested for line in lines)


@pytest.mark.parametrize("is_card", [True, False])
def test_all_that_is_said_includes_the_failed_parts(straw: Tabletop, is_card: bool) -> None:
    straw.receive(PartFailed("reader seat-2", "reader"))
    straw.receive(PartFailed("display", "display"))
    if is_card:
        straw.card("say-everything")
    else:
        straw.press()
        straw.choose("say-everything")
    heard = [line.text for answer in straw.answers for line in answer.say]
    assert heard[-1] == straw.view.fault == "No answer: reader seat 2, display"


def test_the_menu_tells_the_scores(straw: Tabletop) -> None:
    straw.press()
    straw.choose("scores")
    assert straw.said == "Ann 0 Ben 0 Cem 0"
    assert (straw.notice.happened, straw.notice.do) == ("Scores", "Ann 0  Ben 0  Cem 0")
    scores = [line for line in straw.answers[0].say if line.text in ("Ann 0", "Ben 0", "Cem 0")]
    assert [line.is_requested for line in scores] == [True, True, True]


@pytest.mark.parametrize(
    ("numbers", "phase", "said"),
    [((1,), "play", "0 Lay a card, then draw one."), ((3,), "play", "Ann 0 Ben 0 Cem 0"),
     ((6, 2), "idle", "The game has ended.")],
)  # fmt: skip
def test_a_number_card_chooses_in_the_menu(
    straw: Tabletop, numbers: tuple[int, ...], phase: str, said: str
) -> None:
    straw.press()
    for number in numbers:
        straw.card(f"number-{number}")
    assert (straw.view.phase, straw.view.choices, straw.said) == (phase, None, said)


@pytest.mark.parametrize("way", ["ok", "back", "number-1", "weight-3"])
def test_a_game_that_people_do_not_want_to_end_goes_on(straw: Tabletop, way: str) -> None:
    straw.press()
    straw.choose("end-game")
    assert straw.said == "End this game? no, play on"
    assert straw.view.choices is not None
    assert straw.view.choices.items == ("no, play on", "yes, end it")
    if way.startswith("weight"):
        straw.play(way)
    elif way.startswith("number"):
        straw.card(way)
    else:
        straw.press(way)
    shown = straw.view
    assert (shown.phase, shown.choices) == ("play", None)
    assert straw.journal.open_game() is not None


def test_back_in_the_list_of_stickers_goes_on_with_the_game(straw: Tabletop) -> None:
    straw.play("weight-10")
    straw.press()
    straw.choose("stickers")
    straw.press("back")
    assert (straw.view.phase, straw.view.headline, straw.view.choices) == ("play", "10", None)


def test_the_menu_ends_the_game(straw: Tabletop) -> None:
    straw.press()
    straw.choose("end-game")
    straw.choose("yes")
    assert straw.view.phase == "idle"
    assert straw.journal.open_game() is None
    assert [entry.kind for entry in straw.journal.entries()][-1] == "end"


def test_a_card_closes_the_menu_and_is_played(straw: Tabletop) -> None:
    straw.press()
    straw.play("weight-6")
    assert straw.view.choices is None
    assert straw.view.headline == "6"


def whole_game(top: Tabletop) -> None:
    """Play a game of two players and two rounds to its end."""
    top.start(players=2)
    for _ in range(2):
        top.play(*["weight-10"] * 4, "weight-9", "weight-8")
        for kind in ("weight-1", "weight-2", "weight-3", "weight-4"):
            top.play(kind)
        if top.view.phase == "round-over":
            assert top.view.asks == ("press ok next-round",)
            top._used.clear()
            top.press()


def test_a_game_ends_with_a_winner_and_ok_leads_back_to_idle(top: Tabletop) -> None:
    whole_game(top)
    assert top.view.phase == "over"
    assert top.view.winners
    assert top.view.asks == ()
    top.tap("weight-5")
    assert top.refused == "not-expected-now"
    top.press()
    assert top.view.phase == "idle"
    assert top.said == "The game has ended."
    assert top.journal.open_game() is None


def test_the_last_input_of_a_game_that_is_over_can_be_taken_back(top: Tabletop) -> None:
    whole_game(top)
    top.press("back")
    assert top.view.phase == "scoring"
    assert not top.view.winners


def test_the_same_people_play_again_with_one_press_and_the_next_one_deals(top: Tabletop) -> None:
    whole_game(top)
    top.press()
    top.lay("weight-1")
    assert top.view.names == ("Ann", "Ben")
    top.press()
    assert top.said == "Round 1. Ann deals. Ben to play."


# --- command cards ---


def test_a_game_is_set_up_started_and_played_with_command_cards_alone(top: Tabletop) -> None:
    top.lay("weight-1")
    top.card("number-4")
    top.card("seat-2")
    top.card("ok")
    assert top.said == "Round 1. Ben deals. Cem to play."
    top.play("weight-3")
    top.card("back")
    assert top.view.headline == "0"
    top.play("weight-4")
    top.card("say-again")
    assert top.said == "4 Lay a card, then draw one."
    top.card("ok")
    for _ in range(5):
        top.card("action")
    top.card("ok")
    assert top.view.phase == "play", "the table asks first"
    top.card("action")
    top.card("ok")
    assert top.view.phase == "idle"


def test_a_seat_card_is_refused_where_no_seat_is_requested_for(straw: Tabletop) -> None:
    straw.card("seat-1")
    assert straw.refused == "not-expected-now"


def test_a_command_card_that_lay_there_at_switch_on_is_not_obeyed(top: Tabletop) -> None:
    top.receive(arrived(uid_of("commands", Piece("ok")), was_found=True))
    assert top.view.choices is None


# --- resuming ---


def test_a_new_table_goes_on_where_the_journal_ends(straw: Tabletop) -> None:
    straw.play("weight-10", "lamp")
    straw.card("number-4")
    straw.press("back")
    before = straw.view
    straw.again()
    assert [line.text for line in straw.table.wake()] == [
        "Straw goes on.", "10", "Choose the Lamp's weight, 1 to 10.", "5",
    ]  # fmt: skip
    after = straw.view
    assert (after.headline, after.turn, after.asks) == (before.headline, before.turn, before.asks)
    assert after.choices == before.choices
    straw.press("back")
    straw.press("back")
    assert straw.view.headline == "0"


def test_the_card_that_still_lies_there_is_not_played_twice(straw: Tabletop) -> None:
    straw.lay("weight-10")
    straw.again()
    assert straw.lay("weight-10", was_found=True) == (Feedback(straw.now_s),)
    assert straw.view.headline == "10"


def test_a_heap_that_still_lies_there_is_not_played_twice(straw: Tabletop) -> None:
    straw.lay("weight-10")
    straw.lay("weight-3")
    straw.again()
    straw.lay("weight-10", "weight-3", was_found=True)
    assert straw.refused == ""
    assert straw.said == ""
    assert straw.view.headline == "13"


def test_a_card_taken_back_that_still_lies_there_stays_taken_back(straw: Tabletop) -> None:
    straw.lay("weight-10")
    straw.press("back")
    straw.again()
    straw.lay("weight-10", was_found=True)
    assert straw.view.headline == "0"


def test_a_card_laid_while_the_power_was_away_is_played(straw: Tabletop) -> None:
    straw.lay("weight-10")
    straw.again()
    straw.lay("weight-10", "weight-6", was_found=True)
    assert straw.view.headline == "16"


def test_a_reader_that_comes_late_finds_the_card_that_was_played_elsewhere(
    straw: Tabletop,
) -> None:
    """The last tap is read from the journal as it is now, not as it was at the start."""
    straw.lay("weight-10")
    straw.lay("weight-10", was_found=True)
    assert straw.refused == ""


def test_a_game_that_is_not_installed_any_more_is_one_clear_message(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.firmware.tabletop.games", dict)
    with pytest.raises(JournalError, match=r"straw, which is not installed\. Install straw, or"):
        straw.again()


# --- starts after damage ---


def meddle(top: Tabletop, statement: str, *values: object, file: str = JOURNAL) -> None:
    """Stop the table, change a file in a way that tapmat never would, and start again."""
    top.close()
    with closing(connect(top.folder / file)) as meddling:
        meddling.execute(statement, values)
    top._open()


def test_people_are_told_which_card_was_the_last_until_they_do_something(straw: Tabletop) -> None:
    straw.play("weight-10", "weight-7", "weight-6")
    meddle(straw, """UPDATE entry SET body = '{"tap":"weight-5#1"}' WHERE seq = 4""")
    assert straw.view.headline == "17"
    happened = "The journal was damaged. A copy is kept."
    do = "The last card was the 7: is it on the camel? Tap what came after it."
    woken = [line.text for line in straw.table.wake()]
    assert woken[:3] == [happened, do, "Straw goes on."]
    straw.now_s += 3600
    assert straw.notice == Notice(happened, do)
    straw.lay("weight-6")
    assert straw.view.notice is None
    assert straw.view.headline == "23"
    straw.again()
    assert straw.view.notice is None


def test_a_game_of_which_no_card_is_left_says_so(straw: Tabletop) -> None:
    straw.play("weight-10")
    meddle(straw, "UPDATE entry SET at = '' WHERE seq = 2")
    assert straw.view.headline == "0"
    assert straw.notice.do == "No card counts yet. Tap the laid cards again."


def test_a_game_that_is_lost_leaves_the_table_waiting(straw: Tabletop) -> None:
    straw.play("weight-10")
    meddle(straw, "UPDATE entry SET at = '' WHERE seq = 1")
    assert straw.view.phase == "idle"
    assert straw.notice.do == "No game is on. The copy has the damaged part."


def test_a_register_that_was_mended_is_reported(straw: Tabletop) -> None:
    meddle(straw, "DROP TABLE tag", file=REGISTER)
    assert straw.notice.happened == "The list of stickers was damaged. A copy is kept."
    assert straw.notice.do == "Enrol the missing cards again."
    assert straw.table.wake()[0].text == straw.notice.happened


def test_a_game_goes_on_up_to_what_the_rules_refuse_and_the_rest_is_in_a_copy(
    straw: Tabletop,
) -> None:
    straw.play("weight-10", "weight-7")
    meddle(straw, WRITE, 4, 1, "input", '{"tap":"straw#1"}', "2026-03-01T12:00:00.000+00:00")
    assert straw.view.headline == "17"
    assert straw.notice.do.startswith("The last card was the 7: is it on the camel?")
    mended = straw.journal.recovery
    assert mended is not None
    assert "the rules of straw refuse it (straw-not-at-50 {'weight': 17})" in mended.found
    with closing(connect(mended.copy, is_read_only=True)) as copy:
        assert copy.execute("SELECT count(*) FROM entry").fetchone() == (4,)
    straw.again()
    assert straw.view.headline == "17"
    assert straw.journal.recovery is None


# --- a game that cannot start ---


def a_dozen_cards(top: Tabletop) -> None:
    """Make the deck of Straw twelve cards, which is enough for three players only."""
    kinds = tuple(replace(k, count=12 * (k.name == "weight-1")) for k in STRAW_DECK.kinds)
    top.table = Table(replace(top.table.context, decks={"straw": Deck("straw", kinds, True)}))


def test_a_deck_that_is_too_small_starts_nothing_and_says_so(top: Tabletop) -> None:
    a_dozen_cards(top)
    top.lay("weight-1")
    top.card("number-6")
    assert flashes(top.press()) == [Flash.REFUSED]
    assert top.notice.code == "cannot-start"
    assert top.notice.happened == "Too few cards: 24 must be dealt, and the deck has 12."
    assert top.notice.do == "Choose fewer players, or correct the deck file."
    assert top.view.phase == "preparing"
    assert list(top.journal.entries()) == []
    top.card("number-3")
    top.press()
    assert top.view.phase == "play"


def test_a_start_that_is_refused_leaves_the_game_that_is_open(straw: Tabletop) -> None:
    """The open game is abandoned only when the next one has really begun."""
    straw.play("weight-3")
    before = straw.journal.open_game()
    assert before is not None
    context = straw.table.context
    empty = replace(before.start.deck, kinds=())
    offer = Preparing.of(replace(context, decks={"straw": empty}), "straw")
    assert offer.press("ok").flash is Flash.REFUSED
    assert straw.journal.open_game() == before


def test_a_game_whose_start_the_rules_refuse_is_over_and_in_a_copy(top: Tabletop) -> None:
    a_dozen_cards(top)
    small = top.table.context.decks["straw"]
    top.journal.begin(GameStart("straw", ("A", "B", "C", "D", "E", "F"), 0, {}, small))
    top.again()
    assert top.view.phase == "idle"
    assert top.notice.do == "No game is on. The copy has the damaged part."
    assert top.journal.recovery is not None
    assert "the rules of straw refuse it (" in top.journal.recovery.found
    assert top.journal.recovery.copy.exists()


def test_what_the_last_game_had_and_this_version_has_not_is_left_out(top: Tabletop) -> None:
    """Surplus players and an invalid value of a house rule are not offered for the next game."""
    options: dict[str, OptionValue] = {"ending": "never", "shared-win": False}
    start = GameStart("straw", ("Ann", "Ben"), 0, options, STRAW_DECK)
    top.journal.begin(start)
    top.journal.end("over")
    top.lay("weight-1")
    top.press()
    record = top.journal.open_game()
    assert record is not None
    assert record.start.options["ending"] == "rounds"
    assert record.start.options["shared-win"] is False
    top.journal.begin(replace(start, names=tuple("ABCDEFGH")))
    top.journal.end("over")
    offer = Preparing.of(top.table.context, "straw")
    assert len(offer.names) == 2


# --- a full disk ---


def test_what_cannot_be_saved_does_not_count(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    straw.play("weight-10")
    before = straw.view
    mend = break_disk(monkeypatch, straw.journal)
    acts: tuple[Callable[[], tuple[Feedback, ...]], ...] = (
        lambda: straw.lay("weight-3"),
        lambda: straw.press("back"),
    )
    for act in acts:
        assert flashes(act()) == [Flash.REFUSED]
        assert straw.notice.code == "not-saved"
        assert straw.notice.happened == "This cannot be saved, so it does not count."
        assert (straw.view.headline, straw.view.turn) == (before.headline, before.turn)
    mend()
    straw.lay("weight-3")
    assert straw.view.headline == "13"
    straw.press("back")
    straw.press("back")
    assert straw.view.headline == "0"


def test_a_game_that_cannot_be_saved_does_not_begin(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    top.lay("weight-1")
    mend = break_disk(monkeypatch, top.journal)
    top.press()
    assert top.refused == "not-saved"
    assert top.view.phase == "preparing"
    mend()
    top.press()
    assert top.view.phase == "play"


def test_a_game_that_cannot_be_ended_goes_on(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = break_disk(monkeypatch, straw.journal)
    straw.press()
    straw.choose("end-game")
    straw.choose("yes")
    assert straw.refused == "not-saved"
    mend()
    straw.play("weight-3")
    assert straw.view.headline == "3"


def test_a_stack_stops_where_the_disk_is_full(
    straw: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_disk(monkeypatch, straw.journal)
    straw.lay("weight-3#1", "weight-3#2")
    assert straw.refused == "not-saved"
    assert straw.notice.do.startswith("Not counted: the 3, the 3.")
    assert straw.view.headline == "0"


# --- parts ---


def test_a_lost_part_is_told_and_shown_until_it_is_back(straw: Tabletop) -> None:
    straw.receive(PartFailed("reader play", "reader"))
    assert straw.said == "No answer: reader play Check its SPI wires and 3.3 V."
    assert straw.notice.do == "Check its SPI wires and 3.3 V."
    straw.receive(PartFailed("display", "display"))
    assert straw.view.fault == "No answer: reader play, display"
    straw.play("weight-3")
    straw.receive(PartRecovered("reader play"))
    assert straw.said == "Back again: reader play"
    assert straw.view.fault == "No answer: display"
    straw.receive(PartRecovered("display"))
    assert straw.view.fault == ""


def test_a_lost_part_takes_no_notice_away(straw: Tabletop) -> None:
    straw.tap("straw")
    straw.receive(PartFailed("display", "display"))
    assert straw.notice.code == "straw-not-at-50"
