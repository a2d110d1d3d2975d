"""Tests of the request of the start page to end the game in progress and begin another."""

from random import Random
from unittest.mock import patch

import pytest

from sim.deal import requests
from sim.mat.mat import CannotDo
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.effort import long_unless, some
from tests.sim.web.test_seats import Table

STATES = some(40)  # of each game
NEXT = requests.BeginGame("straw", ("Cem", "Dora"), (None, None), {})


def walk(table: Table, game: str, seed: int) -> None:
    """Bring *game* into a random state: robots play for a while, and people press buttons."""
    chance = Random(seed)
    robots = (styles_of(game)[0],) * 2
    with patch("sim.web.live.secrets.randbits", return_value=seed):
        table.ask(requests.BeginGame(game, ("Ann", "Ben"), robots, {}, is_quick=True))
    table.wait(chance.choice((0, 0.3, 3, 20)))
    for button in chance.choices(("ok", "back", "action", "turn"), k=1 + seed % 3):
        if button == "turn":
            table.ask(requests.TurnEncoder(chance.randrange(1, 4)))
        else:
            table.press(button)


def what_is_open(table: Table) -> str:
    """Return what the display waits for, in the table's fixed words."""
    view = table.mat.view
    values = () if view.choices is None else view.choices.values
    return f"{view.phase} {' '.join(view.asks)} {' '.join(values[:2])}"


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", sorted(OURS)))
def test_another_game_begins_in_any_state_without_a_play_undone(table: Table, game: str) -> None:
    seen = set()
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, YIELDS_S=0.2, LIES_S=0.3):
        for seed in range(STATES):
            walk(table, game, seed)
            seen.add(what_is_open(table))
            before = table.live._record()
            table.live._handle_from_page(NEXT)
            after = table.record
            assert (after.start.game, after.start.names, after.inputs) == (
                NEXT.game,
                NEXT.names,
                (),
            ), what_is_open(table)
            if before is not None:
                kinds = [entry.kind for entry in table.mat.running.journal.entries(before.number)]
                assert kinds[-1] == "end"
                assert kinds.count("input") - kinds.count("undo") == len(before.inputs)
    assert len(seen) > 2, "the walk reaches too few states"


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(OURS))
def test_a_question_at_the_very_start_is_no_obstacle(table: Table, game: str) -> None:
    table.ask(requests.BeginGame(game, ("Ann", "Ben"), (None, None), {}))
    table.ask(NEXT)
    assert (table.record.start.game, table.record.start.names) == ("straw", NEXT.names)


def test_a_game_whose_cards_are_unknown_ends_nothing(table: Table) -> None:
    table.ask(requests.BeginGame("ciao", ("Ann", "Ben"), (None, None), {}))
    with (
        patch.object(table.mat.running.register, "boxes", return_value=()),
        pytest.raises(CannotDo, match=r"the cards of .* are not enrolled"),
    ):
        table.ask(NEXT)
    assert table.record.start.game == "ciao"


def test_a_robot_that_holds_ok_releases_it_first(table: Table) -> None:
    table.ask(requests.BeginGame("straw", ("Ann", "Ben"), ("good", None), {}))
    table.ask(requests.HoldButton("ok"))
    table.live._seats._ending = requests.ReleaseButton("ok"), table.now_s + 60
    table.ask(NEXT)
    assert table.record.start.names == NEXT.names


def test_with_a_stuck_button_nothing_is_ended_and_the_page_is_told_why(table: Table) -> None:
    table.ask(requests.BeginGame("straw", ("Ann", "Ben"), (None, None), {}))
    table.ask(requests.SetFault("button-stuck", "ok"))
    with pytest.raises(CannotDo, match="the game cannot be ended now"):
        table.ask(NEXT)
    assert table.record.start.names == ("Ann", "Ben")
    assert table.mat.view.phase == "play"
