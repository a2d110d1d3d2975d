"""Joining with a phone, at the table: the item in the menus, its screen, and what is said."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.outlet.feed import Feed
from firmware.outlet.queue import Outlet
from firmware.show.view import JoinAddress
from firmware.table.events import AddressChanged, CodeRequested
from tests.firmware.tabletop import Tabletop

SECRET = "aB3_-xYz90aB3_-xYz90kk"
ADDRESS = JoinAddress(f"http://192.168.1.7:8738/j#{SECRET}", "123456", "tapmat.local:8738")


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path)) as made:
        yield made


def items(top: Tabletop) -> tuple[str, ...]:
    choices = top.view.choices
    assert choices is not None
    return choices.values


def opened(top: Tabletop) -> Tabletop:
    """Open the screen from the open or next list."""
    top.receive(AddressChanged(ADDRESS))
    if top.view.choices is None:
        top.press()
    top.choose("join")
    return top


def test_only_while_a_companion_is_connected_can_people_join(top: Tabletop) -> None:
    top.press()
    assert "join" not in items(top)
    top.press("back")
    top.receive(AddressChanged(ADDRESS))
    top.press()
    assert items(top)[-1] == "join"
    top.press("back")
    top.receive(AddressChanged(None))
    top.press()
    assert "join" not in items(top)


def test_the_screen_has_the_address_and_a_button_closes_it(top: Tabletop) -> None:
    for button in ("ok", "back", "action"):
        assert opened(top).view.join == ADDRESS
        assert "tapmat.local:8738" in top.said
        assert "1 2 3 4 5 6" in top.said
        top.turn(1)
        assert top.view.join == ADDRESS
        top.press(button)
        assert top.view.join is None
        assert top.said, "it says what is below"


def test_over_a_game_it_changes_nothing_and_an_accepted_card_closes_it(top: Tabletop) -> None:
    top.start().play("weight-3")
    top.press()
    assert items(top)[-1] != "join", "the last line ends the game, with and without a companion"
    before, inputs = top.view, top.journal.open_game()
    top.press("back")
    opened(top)
    assert top.journal.open_game() == inputs
    assert replace(top.view, join=None, notice=None).scores == before.scores
    top.tap("straw")
    assert (top.refused, top.view.join) == ("straw-not-at-50", ADDRESS)
    top.press("ok")
    assert top.view.join is None
    opened(top).tap("weight-7")
    assert (top.view.join, top.view.headline) == (None, "10")


def test_while_a_game_asks_it_is_in_the_settings(top: Tabletop) -> None:
    top.start()
    top.receive(AddressChanged(ADDRESS))
    top.tap("lamp")
    assert "join" not in items(top), "the game asks for a number"
    top.card("settings")
    assert items(top)[-2:] == ("join", "end-game")
    top.choose("join")
    assert (top.view.join, top.view.choices) == (ADDRESS, None)
    top.press("back")
    assert items(top)[0] == "1", "the question is still there"


def test_a_new_address_is_shown_at_once_and_without_a_companion_the_screen_closes(
    top: Tabletop,
) -> None:
    opened(top)
    other = replace(ADDRESS, code="654321")
    assert top.receive(AddressChanged(other)) == ()
    assert top.view.join == other
    top.receive(AddressChanged(None))
    assert top.view.join is None
    assert top.view.phase == "idle"


def test_a_companion_that_has_gone_since_the_menu_was_opened_is_a_refusal(top: Tabletop) -> None:
    top.start()
    top.receive(AddressChanged(ADDRESS))
    top.press()
    top.receive(AddressChanged(None))
    top.choose("join")
    assert (top.refused, top.view.join) == ("join-off", None)


def test_the_code_that_a_page_asks_for_covers_other_screens_but_not_this_one(
    top: Tabletop,
) -> None:
    top.receive(CodeRequested("123456"))
    assert top.notice.do == "123 456"
    assert top.notice.is_at_mat, "only people at the table may read it"
    top.press("back")
    opened(top)
    assert top.receive(CodeRequested("123456")) == ()
    assert top.view.notice is None
    top.receive(CodeRequested("999999"))  # another page's, such as the virtual table's
    assert top.notice.do == "999 999"


def test_everything_that_can_be_seen_can_be_heard(top: Tabletop) -> None:
    opened(top)
    for card in ("say-again", "say-everything"):
        top.card(card)
        assert "tapmat.local:8738" in top.said
        assert "1 2 3 4 5 6" in top.said


def test_the_secret_leaves_the_table_only_as_light(top: Tabletop) -> None:
    feed = Feed(Outlet())
    feed.begin(None, top.view)
    opened(top)
    assert SECRET in str(top.view)
    assert SECRET not in top.said
    feed.put_changes(top.view)
    feed.keep_state(top.view, "en")
    assert feed.outlet.state is not None
    sent = [feed.outlet.state.to_json(), *(e.to_json() for e in feed.outlet.read(0).events)]
    assert len(sent) > 2
    assert SECRET not in json.dumps(sent)
    assert "123456" not in json.dumps(sent)
