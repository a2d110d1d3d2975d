"""Learn by playing: what the table teaches, when, and how often."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.table.events import PhoneAct, PhoneCommand
from firmware.table.private_ear import PrivateLine
from firmware.voice.announcer import SAID
from tests.firmware.tabletop import Tabletop

COPY = "Copy: Repeats the card before it."
TOTAL = "The table adds up the load. Above 50, the camel's back breaks."

COLOURS = "With the same symbol, red beats yellow and green, and yellow beats green."


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


def test_the_command_card_starts_and_teaches_too(top: Tabletop) -> None:
    top.card("learn")
    assert top.view.phase == "play"
    assert lessons(top)[-1] == "Put one card on the camel, then draw one."


def test_the_command_card_changes_nothing_unless_a_game_with_lessons_is_set_up(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = "Nothing can be taught now."
    monkeypatch.setattr("firmware.table.modes.preparing.lessons_of", lambda _game: None)
    top.card("learn")
    assert (top.view.phase, top.notice.happened) == ("preparing", refusal)
    monkeypatch.undo()
    learn(top)
    before = top.journal
    top.card("learn")
    assert (top.view.phase, top.notice.happened) == ("play", refusal)
    assert top.journal == before


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


def test_the_notice_of_a_lesson_names_the_piece_that_it_is_about(top: Tabletop) -> None:
    learn(top)
    assert top.notice.piece is None
    top.tap("lamp")
    assert top.notice.piece == Piece("lamp")
    top.choose("10")
    assert top.notice.happened == TOTAL
    assert top.notice.piece == Piece("lamp"), "it is still about the card laid last"
    top.tap("weight-9")
    top.press("back")
    assert top.notice.piece is None


def test_the_notice_of_a_lesson_about_no_piece_names_none(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="riff-raff")) as table:
        table.lay("red-1")
        learn(table)
        table.tap("red-1")
        table.tap("blue-1")
        assert lessons(table)[0].startswith("Choose a card and lay it face down.")
        assert table.notice.piece is None
        table.tap("red-9")
        table.tap("blue-4")
        assert lessons(table) == [
            "The highest card makes its player captain. All load in turn, from high to low."
        ]
        assert table.notice.piece == Piece("red-9")


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


def test_a_foul_says_what_was_wrong_and_its_lesson_waits(tmp_path: Path) -> None:
    table = Tabletop(tmp_path, game="ciao")
    with closing(table):
        table.lay("rock-green")
        learn(table).tap("rock-green")
        assert lessons(table) == ["Paper beats rock, rock beats scissors, and scissors beat paper."]
        table.tap("obstacle")
        assert table.notice.happened == "Ben: an obstacle can never be played."
        assert not lessons(table)
        table.tap("paper-yellow")
        assert lessons(table) == [COLOURS]


def test_a_special_card_is_explained_to_its_player_alone_before_it_is_laid(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, spots=frozenset({"play", "hand"}))) as table:
        table.lay("weight-1")
        learn(table)
        player = table.view.names[0]
        table.receive(PhoneAct(player, 0, PhoneCommand.LISTEN))

        def hold(piece: str) -> PrivateLine:
            table.lay(piece, spot="hand")
            asked = table.table.asks_of(player)
            assert asked is not None
            assert asked.line is not None
            return asked.line

        table.tap("weight-3")
        shown = table.view.notice
        line = hold("copy#2")
        assert (line.text, line.piece) == (COPY, "copy")
        assert not lessons(table), "nothing is said at the mat"
        assert table.view.notice in (shown, None), "and nothing is shown there"
        line = hold("weight-4#1")
        assert (line.text, line.piece) == ("The 4.", None)
        table.tap("copy")
        assert lessons(table) == [COPY]
        line = hold("copy#2")
        assert line.text.startswith("The Copy.")
        assert line.piece is None


def test_lessons_are_said_at_every_level_of_detail() -> None:
    assert all(Topic.LESSON in said for said in SAID.values())
