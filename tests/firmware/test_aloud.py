"""The words that the table says for a player who cannot see the display."""

from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Seat, Topic
from firmware.show.view import Cue, Flash, ListView, TableView
from firmware.table.announcements import cue, list_lines
from firmware.voice.speech import SpeechLine
from tests.firmware.tabletop import Tabletop

SHUT = TableView("idle", turn=Seat(0))
OPEN = replace(SHUT, choices=ListView("Which?", ("red", "blue"), 0, ("r", "b"), help="A colour."))


def turned(view: TableView, cursor: int) -> TableView:
    assert view.choices is not None
    return replace(view, choices=replace(view.choices, cursor=cursor))


def texts(before: TableView, after: TableView, *said: SpeechLine) -> list[str]:
    return [line.text for line in list_lines(before, after, said)]


def test_a_list_that_opens_asks_and_says_where_the_cursor_is_and_what_that_is_about() -> None:
    assert texts(SHUT, OPEN) == ["Which?", "red", "A colour."]


def test_the_list_is_not_said_after_a_question() -> None:
    assert texts(SHUT, OPEN, SpeechLine("What?", Topic.QUESTION)) == ["red", "A colour."]
    assert texts(SHUT, OPEN, SpeechLine("Red, then?", Topic.ITEM)) == []


def test_a_turn_says_the_item_and_nothing_else() -> None:
    assert texts(OPEN, turned(OPEN, 1)) == ["blue"]


def test_at_an_end_the_item_is_said_again() -> None:
    assert texts(OPEN, OPEN) == ["red"]


def test_a_refusal_is_not_followed_by_the_list() -> None:
    assert texts(OPEN, OPEN, SpeechLine("No.", Topic.REFUSAL)) == []


def test_a_list_may_sound_otherwise_than_it_looks() -> None:
    assert OPEN.choices is not None
    spoken = replace(OPEN, choices=replace(OPEN.choices, asked="Who?", said="Red!", help=""))
    assert texts(SHUT, spoken) == ["Who?", "Red!"]


@pytest.mark.parametrize(
    ("after", "flash", "expected"),
    [
        (SHUT, None, None),
        (SHUT, Flash.REFUSED, Cue.REFUSED),
        (SHUT, Flash.ACCEPTED, Cue.ACCEPTED),
        (replace(SHUT, turn=Seat(1)), Flash.ACCEPTED, Cue.YOUR_TURN),
        (replace(SHUT, phase="round-over"), Flash.ACCEPTED, Cue.ROUND_END),
        (replace(SHUT, winners=(Seat(0),)), Flash.ACCEPTED, Cue.ROUND_END),
    ],
)
def test_the_tone_tells_the_outcome_of_an_act(
    after: TableView, flash: Flash | None, expected: Cue | None
) -> None:
    assert cue(SHUT, after, flash) is expected


def test_say_everything_leaves_nothing_out(tmp_path: Path) -> None:
    straw = Tabletop(tmp_path).start().play("weight-7")
    (answer,) = straw.card("say-everything")
    assert [line.text for line in answer.say] == [
        "Straw", "7", "on the camel", "Ben to play.", "clockwise", "Lay a card, then draw one.",
        "OK: menu. Back: undo.", "Ann 0", "Ben 0", "Cem 0",
    ]  # fmt: skip
    assert all(line.is_requested for line in answer.say)
    straw.close()


def test_say_everything_says_the_open_list_and_its_item(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.press()
    top.turn(1)
    (answer,) = top.card("say-everything")
    assert [line.text for line in answer.say] == [
        "tapmat", "Lay a card of a game, or press OK.", "Which game?", "Ciao!",
        "Turn, then OK. Back leaves.",
    ]  # fmt: skip
    top.close()


def test_what_the_controls_do_is_said_once(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.press()
    assert (top.said, top.helped) == ("Which game? Camargue", "Turn, then OK. Back leaves.")
    top.press("back")
    assert top.said == "Lay a card of a game, or press OK."
    top.press()
    assert (top.said, top.helped) == ("Which game? Camargue", "")
    top.close()


def test_a_house_rule_says_what_it_is_about(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.lay("weight-1")
    top.choose("floor-at-zero")
    assert "The weight on the camel never falls below zero." in top.helped
    top.close()


def test_letters_that_make_no_sound_are_named(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.lay("weight-1")
    for value in ("name-1", "spell"):
        top.choose(value)
    heard = []
    for letter in (" ", "-", "'"):
        assert top.view.choices is not None
        top.turn(top.view.choices.values.index(letter) - top.view.choices.cursor)
        heard.append(top.said)
    assert heard == ["blank", "hyphen", "apostrophe"]
    top.close()
