"""Fouls, which are wrong plays that count and cost something; headlines that are words (Ciao!)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Button, Input, Press, Seat, Tap
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.show.view import Flash
from firmware.table.table import Table
from tests.firmware.tabletop import Tabletop, break_disk


@pytest.fixture
def ciao(tmp_path: Path) -> Iterator[Tabletop]:
    """A game of Ciao! for three players; Ann has played a green rock."""
    table = Tabletop(tmp_path, game="ciao").start()
    table.play("rock-green")
    yield table
    table.close()


def test_a_foul_lights_red_and_says_what_happened_and_what_to_do(ciao: Tabletop) -> None:
    ciao.tap("obstacle")
    assert ciao.view.flash is Flash.REFUSED
    assert ciao.notice.happened == "Ben: an obstacle can never be played."
    assert ciao.notice.do == "Take the card back and draw 3 cards. Cem to play."
    assert ciao.said == f"{ciao.notice.happened} {ciao.notice.do}"
    assert ciao.notice.rule == "RULES 5.3"


def test_a_foul_in_a_game_without_a_rules_card_names_no_rule(ciao: Tabletop) -> None:
    without = {"ciao": replace(games()["ciao"], rules_card=None)}  # type: ignore[type-var]
    ciao.table = Table(replace(ciao.table.context, games=without))
    ciao.tap("obstacle")
    assert ciao.notice.happened == "Ben: an obstacle can never be played."
    assert ciao.notice.rule == ""


def test_a_foul_counts_all_the_same(ciao: Tabletop) -> None:
    """A foul is not refused: it is in the journal, ends the turn, and can be undone."""
    ciao.tap("obstacle")
    assert ciao.refused == ""
    assert (ciao.turn_of, ciao.view.counts["hand-2"]) == ("Cem", 10)
    ciao.again()
    assert (ciao.turn_of, ciao.view.counts["hand-2"]) == ("Cem", 10)
    ciao.press("back")
    assert (ciao.turn_of, ciao.view.counts["hand-2"]) == ("Ben", 7)


@pytest.mark.parametrize(
    ("given", "takes"),
    [
        (Tap(Piece("paper-green")), True),
        (Tap(Piece("obstacle")), False),  # a foul
        (Tap(Piece("rock-green"), "seat-6"), False),  # refused: the spot is not Ben's
        (Press(Button.ACTION), True),
        (Press(Button.OK), False),
    ],
)
def test_the_table_knows_what_the_rules_take_and_not_as_a_foul(
    ciao: Tabletop, given: Input, takes: bool
) -> None:
    before = ciao.view
    assert ciao.table.takes(given) is takes
    assert ciao.view == before
    ciao.card("ok")
    ciao.choose("end-game")
    ciao.choose("yes")
    assert not ciao.table.takes(given)


def test_a_page_can_ask_what_a_foul_would_cost(ciao: Tabletop) -> None:
    penalty = ciao.table.penalty(Tap(Piece("obstacle")), Seat(1))
    assert penalty is not None
    ciao.tap("obstacle")
    assert (penalty.n, penalty.rule) == (3, ciao.notice.rule)
    assert "an obstacle can never be played" in penalty.why
    assert ciao.table.penalty(Tap(Piece("rock-red")), Seat(2)) is None


def test_a_page_can_ask_which_cards_of_a_hand_are_barred(ciao: Tabletop) -> None:
    def bars() -> list[str | None]:
        """Return the codes of the bars, for a drawn card and for another one."""
        found = (ciao.table.bar(is_drawn=is_drawn) for is_drawn in (True, False))
        return [None if bar is None else bar.code for bar in found]

    assert bars() == [None, None]
    ciao.press("action")
    assert bars() == [None, "only-drawn"]
    ciao.card("settings")
    assert bars() == [None, None], "the list covers the game"


def test_a_foul_that_cannot_be_saved_does_not_count(
    ciao: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = break_disk(monkeypatch, ciao.journal)
    ciao.tap("obstacle")
    assert (ciao.refused, ciao.turn_of) == ("not-saved", "Ben")
    mend()
    ciao.tap("obstacle")
    assert (ciao.refused, ciao.turn_of) == ("", "Cem")


def test_a_foul_in_a_stack_does_not_end_it(ciao: Tabletop) -> None:
    """Ben's wrong card ends his turn; the card above it counts as Cem's."""
    ciao.lay("obstacle#1", "paper-red#1")
    ciao.choose("obstacle#1")
    assert ciao.view.counts["hand-2"] == 10
    assert (ciao.turn_of, ciao.view.headline) == ("Ann", "PAPER")
    assert "an obstacle can never be played" in ciao.said
    assert ciao.refused == ""


def test_the_headline_is_shown_as_a_word_and_said_with_its_colour(ciao: Tabletop) -> None:
    assert (ciao.view.headline, ciao.view.caption) == ("ROCK", "green")
    ciao.card("say-again")
    assert ciao.said == "green rock Beat that, or draw."
    ciao.play("paper-green")
    ciao.press("back")
    assert ciao.said == "Correction: green rock. Take the green paper back."
    ciao.again()
    woken = [line.text for line in ciao.table.wake()]
    assert woken == ["Ciao! goes on.", "green rock", "Beat that, or draw."]


def test_what_action_does_is_shown_with_its_number(ciao: Tabletop) -> None:
    assert ciao.view.action == "draw"
    ciao.play("paper-green-plus3")
    assert (ciao.view.action, ciao.view.headline) == ("take 3", "3")
    assert ciao.view.asks == ("tap", "press action take")
