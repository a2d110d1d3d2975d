"""Preparing a game with the controls alone: the number of players, names, dealer, house rules."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.straw.house import OPTIONS
from firmware.show.names import NAME_LENGTH
from firmware.show.view import Flash
from firmware.table.table import game_of
from tests.firmware.tabletop import Tabletop


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    table = Tabletop(tmp_path, names=("Ann", "Ben", "Cem", "Dora"))
    table.lay("weight-1")
    yield table
    table.close()


@pytest.fixture
def nameless(tmp_path: Path) -> Iterator[Tabletop]:
    """A table without players' names in its configuration."""
    table = Tabletop(tmp_path, names=())
    table.lay("weight-1")
    yield table
    table.close()


def lines(top: Tabletop) -> tuple[str, ...]:
    assert top.view.choices is not None
    return top.view.choices.items


def names(top: Tabletop) -> tuple[str, ...]:
    return top.view.names


def start_of(top: Tabletop) -> tuple[tuple[str, ...], int]:
    record = top.journal.open_game()
    assert record is not None
    return record.start.names, record.start.dealer


def test_the_list_holds_everything_that_can_be_settled(top: Tabletop) -> None:
    assert top.view.choices is not None
    options = tuple(option.name for option in OPTIONS)
    assert top.view.choices.values == (
        "start", "learn", "players", "name-1", "name-2", "dealer", *options,
    )  # fmt: skip
    assert lines(top)[:2] == ("Start", "Start and learn")
    assert lines(top)[2:6] == ("Players: 2", "Seat 1: Ann", "Seat 2: Ben", "Dealer: Ben")


def test_one_press_starts_with_what_the_list_shows(top: Tabletop) -> None:
    top.press()
    assert start_of(top) == (("Ann", "Ben"), 1)
    assert top.said == "Round 1. Ben deals. Ann to play."


def test_the_number_of_players_brings_their_names_and_the_last_one_deals(top: Tabletop) -> None:
    top.choose("players")
    top.choose("4")
    top.choose("start")
    assert start_of(top) == (("Ann", "Ben", "Cem", "Dora"), 3)


def test_fewer_players_keep_the_first_seats(top: Tabletop) -> None:
    for number in ("4", "2"):
        top.choose("players")
        top.choose(number)
    assert names(top) == ("Ann", "Ben")


def test_names_that_are_not_known_are_numbered(nameless: Tabletop) -> None:
    nameless.choose("players")
    nameless.choose("3")
    assert names(nameless) == ("Player 1", "Player 2", "Player 3")


def test_numbered_names_never_come_twice(nameless: Tabletop) -> None:
    nameless.card("number-3")
    nameless.choose("name-1")
    nameless.choose("Player 3")
    nameless.card("number-2")
    assert names(nameless) == ("Player 3", "Player 2")
    nameless.card("number-3")
    assert names(nameless) == ("Player 3", "Player 2", "Player 1")


def test_a_name_is_chosen_from_those_the_table_knows(top: Tabletop) -> None:
    top.choose("name-1")
    top.choose("Dora")
    assert names(top) == ("Dora", "Ben")


def test_a_name_that_sits_elsewhere_changes_places(top: Tabletop) -> None:
    top.choose("name-2")
    top.choose("Ann")
    assert names(top) == ("Ben", "Ann")


def spell(top: Tabletop, letters: str) -> None:
    for letter in letters:
        top.choose(letter)


def test_a_name_is_spelled_letter_by_letter(top: Tabletop) -> None:
    top.choose("name-2")
    top.choose("spell")
    spell(top, "ZÖX")
    top.choose("delete")
    spell(top, "Ë-JO")
    assert top.view.choices is not None
    assert top.view.choices.prompt == "Zöë-Jo_"
    top.choose("done")
    assert names(top) == ("Ann", "Zöë-Jo")
    assert top.view.flash is Flash.ACCEPTED


@pytest.mark.parametrize("card", ["number-3", "seat-1"])
def test_a_number_or_seat_card_is_no_letter_of_a_name(top: Tabletop, card: str) -> None:
    top.choose("name-1")
    top.choose("spell")
    spell(top, "ZO")
    before = top.view
    top.card(card)
    assert top.refused == "no-such-value"
    assert (names(top), top.view.choices) == (("Ann", "Ben"), before.choices)
    top.press("back")
    assert "Dealer: Ben" in lines(top)


def test_a_name_may_be_the_word_for_spelling(tmp_path: Path) -> None:
    table = Tabletop(tmp_path, names=("Ann", "Ben", "spell"))
    table.lay("weight-1")
    table.choose("name-1")
    table.choose("spell")
    assert names(table) == ("spell", "Ben")
    assert "Seat 1: spell" in lines(table)
    table.close()


def test_a_spelled_name_is_no_longer_than_a_line_has_room_for(top: Tabletop) -> None:
    top.choose("name-1")
    top.choose("spell")
    spell(top, "A" * (NAME_LENGTH + 3))
    top.choose("done")
    assert top.view.names[0] == "A" + "a" * (NAME_LENGTH - 1)


def test_a_name_of_nothing_changes_nothing(top: Tabletop) -> None:
    top.choose("name-1")
    top.choose("spell")
    top.choose("delete")
    top.choose(" ")
    top.choose("done")
    assert names(top) == ("Ann", "Ben")


def test_a_spelled_name_that_sits_elsewhere_changes_places(top: Tabletop) -> None:
    top.choose("name-1")
    top.choose("spell")
    spell(top, "BEN")
    top.choose("done")
    assert names(top) == ("Ben", "Ann")


def test_the_dealer_is_chosen_by_name_or_by_seat_card(top: Tabletop) -> None:
    top.choose("players")
    top.choose("3")
    top.choose("dealer")
    top.choose("Ann")
    assert "Dealer: Ann" in lines(top)
    top.card("seat-2")
    assert "Dealer: Ben" in lines(top)
    assert top.said == "Dealer: Ben"
    top.choose("dealer")
    top.card("seat-3")
    assert "Dealer: Cem" in lines(top)
    top.card("seat-4")
    assert top.refused == "no-such-value"


def test_house_rules_are_switched_and_selected(top: Tabletop) -> None:
    for name, value in (("floor-at-zero", "on"), ("shared-win", "off"), ("ending", "hundred")):
        top.choose(name)
        top.choose(value)
    assert "Floor at zero: on" in lines(top)
    assert "End of the game: first to 100" in lines(top)
    top.choose("start")
    record = top.journal.open_game()
    assert record is not None
    changed = {option.name: option.default for option in OPTIONS}
    changed |= {"floor-at-zero": True, "shared-win": False, "ending": "hundred"}
    assert record.start.options == changed


def test_a_house_rule_that_is_a_number_offers_every_number_in_its_range(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as top:
        top.lay("rock-green")
        top.choose("rounds")
        assert top.view.choices is not None
        assert top.view.choices.values == tuple(str(n) for n in range(1, 21))
        top.card("number-7")
        assert "Rounds: 7" in lines(top)


def test_the_house_rules_of_the_last_game_are_offered_again(top: Tabletop) -> None:
    top.choose("floor-at-zero")
    top.choose("on")
    top.choose("start")
    top.press()
    top.choose("end-game")
    assert game_of(top.table._mode) is not None, "phones still see the game during the question"
    top.choose("yes")
    top.lay("weight-2")
    assert "Floor at zero: on" in lines(top)


def test_back_closes_what_is_open_and_then_the_offer(top: Tabletop) -> None:
    top.choose("players")
    top.press("back")
    assert "Players: 2" in lines(top)
    top.choose("name-1")
    top.choose("spell")
    spell(top, "X")
    top.press("back")
    assert names(top) == ("Ann", "Ben")
    top.press("back")
    assert top.view.phase == "idle"


def test_a_number_card_sets_the_players_or_the_number_that_is_open(top: Tabletop) -> None:
    top.card("number-3")
    assert names(top) == ("Ann", "Ben", "Cem")
    assert top.said == "Players: 3"
    top.choose("players")
    top.card("number-4")
    assert names(top) == ("Ann", "Ben", "Cem", "Dora")
    top.card("number-7")
    assert top.refused == "no-such-value"
    assert top.notice.happened == "7 cannot be chosen here."


@pytest.mark.parametrize("line", ["floor-at-zero", "dealer", "name-2", "ending"])
def test_a_number_card_chooses_the_line_with_that_number(top: Tabletop, line: str) -> None:
    top.choose(line)
    assert top.view.choices is not None
    second = top.view.choices.items[1]
    top.card("number-2")
    assert top.said.endswith(f": {second}")
    top.choose(line)
    before = top.view
    top.card("number-10")
    assert top.refused == "no-such-value"
    assert top.view.choices == before.choices


def test_the_action_button_alone_reaches_every_line_and_comes_back(top: Tabletop) -> None:
    """A table whose only controls are command cards can change a house rule and start a game."""
    assert top.view.action == "next"
    for _ in range(len(lines(top)) + 2):
        top.card("action")
    for command in ("ok", "action", "ok"):
        top.card(command)
    assert "Players: 3" in lines(top)
    for _ in range(len(lines(top)) - 2):
        top.card("action")
    top.card("ok")
    assert top.view.phase == "play"


def test_the_action_button_goes_through_the_letters(top: Tabletop) -> None:
    top.choose("name-1")
    top.choose("spell")
    top.press("action")
    top.press()
    assert top.view.choices is not None
    assert top.view.choices.prompt == "B_"


def test_a_card_before_the_start_says_what_is_to_come_first(top: Tabletop) -> None:
    top.lay("weight-3")
    assert top.refused == "start-first"
    assert top.notice.do == "Turn to Start and press OK."
    top.lay("weight-4", was_found=True)
    assert top.refused == ""


def test_say_again_repeats_the_offer(top: Tabletop) -> None:
    top.card("say-again")
    assert top.said == "Straw? OK starts."
