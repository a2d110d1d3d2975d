"""Tests of taking back one's own last play, with the robots' plays after it."""

from unittest.mock import patch

import pytest

from sim.deal import requests
from sim.deal.layout import HandAct
from sim.deal.seats import YIELDS_S
from sim.mat.mat import CannotDo
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.test_seats import Table


def take_back(table: Table) -> None:
    table.live._handle_from_page(requests.TakeBack())
    table.live._publish()


def play_own(table: Table, seat: int = 0) -> str:
    """Play a weight from the hand of *seat*, and return it."""
    own: str = next(tag for tag in table.deal_shown["hands"][seat] if "weight" in tag)
    table.tap(own)
    return own


@pytest.mark.long
def test_it_is_ones_turn_again_with_the_card_in_the_hand(table: Table) -> None:
    table.deal("straw", 3, {2: "good", 3: "good"})
    own = play_own(table)
    table.until(table.done(3))
    assert table.live.state["view"]["plays"] == 3
    take_back(table)
    assert (table.record.inputs, table.mat.view.turn) == ((), 0)
    assert own in table.deal_shown["hands"][0]
    assert table.live.state["view"]["plays"] == 0
    notice = table.live.state["view"]["notice"]
    number = own.partition("-")[2].partition("#")[0]
    assert (notice["happened"], notice["do"]) == (f"Taken back: the {number}.", "")
    table.wait(2 * YIELDS_S)
    assert table.record.inputs == ()


def test_a_robot_that_lays_its_card_at_that_moment_takes_it_away(table: Table) -> None:
    table.deal("straw", 2, {2: "good"})
    play_own(table)
    table.until(lambda: bool(table.lying))
    take_back(table)
    assert (table.record.inputs, table.lying, table.mat.view.turn) == ((), [], 0)
    table.wait(YIELDS_S)
    assert (table.record.inputs, table.lying) == ((), [])


def test_among_people_only_the_last_play_of_a_person_is_undone(table: Table) -> None:
    table.deal("straw", 3, {3: "good"})
    play_own(table)
    play_own(table, seat=1)
    table.until(table.done(3))
    take_back(table)
    assert (len(table.record.inputs), table.mat.view.turn) == (1, 1)


def test_without_a_play_of_ones_own_nothing_is_undone(table: Table) -> None:
    table.deal("straw", 2, {1: "good"})
    table.until(table.done(1))
    assert table.live.state["view"]["plays"] == 0
    with pytest.raises(CannotDo, match="no one has played on this page yet"):
        take_back(table)
    assert table.done(1)()


def test_what_was_done_by_hand_is_undone_before_the_input_that_it_followed(table: Table) -> None:
    table.deal("riff-raff", 2, {})
    for card in ("red-1", "blue-1", "red-9", "blue-4"):
        table.tap(f"riff-raff/{card}#1")
    before = table.record.inputs
    table.ask(HandAct("load", {"piece": "riff-raff/red-rat#1"}))
    assert table.deal_shown["ship"]["inHand"]
    take_back(table)
    assert (table.deal_shown["ship"]["inHand"], table.record.inputs) == (None, before)
    take_back(table)
    assert table.record.inputs == before[:-1]


def test_a_list_over_the_game_is_closed_first(table: Table) -> None:
    table.deal("straw", 2, {})
    play_own(table)
    table.press("ok")
    assert table.mat.view.choices is not None
    take_back(table)
    assert table.mat.view.choices is None
    assert table.done(1)()


@pytest.mark.parametrize("game", long_unless(("camargue", "ciao").__contains__, sorted(OURS)))
def test_in_every_game_the_person_can_act_again(table: Table, game: str) -> None:
    """A robot plays the first moves of seat 1; then a person sits there, and takes one back."""
    style = styles_of(game)[0]
    table.deal(game, 3, dict.fromkeys((1, 2, 3), style))
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, YIELDS_S=0.2, LIES_S=0.3):
        table.until(lambda: len(table.record.inputs) >= 14, 300)
        table.ask(requests.SeatRobot(1, None))
        before = table.record.inputs
        take_back(table)
    after = table.record.inputs
    assert len(after) < len(before)
    assert after == before[: len(after)]
    view = table.mat.view
    assert 0 in view.active or view.turn is None
