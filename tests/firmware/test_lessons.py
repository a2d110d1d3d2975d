"""Learn by playing: what the table teaches, when, and how often."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.contract import Topic
from firmware.voice.announcer import SAID
from tests.firmware.tabletop import Tabletop

COPY = "Copy: Repeats the card before it."
TOTAL = "The table adds up the load. Above 50, the camel's back breaks."


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    table = Tabletop(tmp_path)
    table.lay("weight-1")
    with closing(table):
        yield table


def learn(top: Tabletop) -> Tabletop:
    """Start Straw by the line of the menu that teaches it."""
    top.choose("learn")
    return top


def lessons(top: Tabletop) -> list[str]:
    """Return the lessons of the last act, as they are said."""
    said = (line for answer in top.answers for line in answer.say)
    return [line.text for line in said if line.topic is Topic.LESSON]


def test_the_menu_offers_to_learn_a_game_that_has_lessons(top: Tabletop) -> None:
    assert top.view.choices is not None
    assert top.view.choices.values[:3] == ("start", "learn", "players")
    assert top.view.choices.items[1] == "Start and learn"


def test_a_game_that_is_taught_begins_with_what_to_do(top: Tabletop) -> None:
    learn(top)
    deal, turn = lessons(top)
    assert deal == "Shuffle the cards and deal four to each player. The rest is the draw pile."
    assert turn == "Put one card on the camel, then draw one."
    assert (top.notice.happened, top.notice.do) == (deal, turn)


def test_a_game_that_is_only_started_teaches_nothing(top: Tabletop) -> None:
    top.press()
    assert not lessons(top)
    top.play("reverse", "weight-3", "copy")  # fails if there is a notice
    assert not lessons(top)


def test_each_lesson_comes_once_when_it_matters(top: Tabletop) -> None:
    learn(top).tap("weight-3")
    assert lessons(top) == [TOTAL]
    assert top.notice.happened == TOTAL
    top.tap("copy")
    assert lessons(top) == [COPY]
    top.tap("weight-1")
    assert not lessons(top)
    top.tap("copy")
    assert not lessons(top)


def test_only_one_lesson_is_told_at_a_time(top: Tabletop) -> None:
    learn(top).tap("reverse")
    assert lessons(top) == ["Reverse: Reverses the direction of play, and weighs nothing."]
    top.tap("weight-2")
    assert lessons(top) == [TOTAL]


def test_a_lesson_is_not_told_again_after_an_undo_or_a_restart(top: Tabletop) -> None:
    learn(top).tap("weight-3")
    top.tap("copy")
    assert lessons(top) == [COPY]
    top.press("back")
    assert not lessons(top)
    top.tap("copy")
    assert not lessons(top)
    top.again()
    top.tap("weight-1")
    top.tap("copy")
    assert not lessons(top)


def test_a_refusal_teaches_nothing_and_uses_up_no_lesson(top: Tabletop) -> None:
    learn(top).tap("copy")  # nothing to copy yet
    assert top.refused
    assert not lessons(top)
    top.tap("weight-3")
    top.tap("copy")
    assert lessons(top) == [COPY]


def test_lessons_are_said_at_every_level_of_detail() -> None:
    assert all(Topic.LESSON in said for said in SAID.values())
