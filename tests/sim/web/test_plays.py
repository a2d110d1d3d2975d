"""Tests of the last play in words, which the page shows as news."""

from pathlib import Path

import pytest

from sim.deal import requests
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.sim.web.camargue_people import helping
from tests.sim.web.test_seats import Table


def played(table: Table) -> str | None:
    """Return the last play in words, or None."""
    table.live._publish()
    shown = table.live.state["view"]["played"]
    return None if shown is None else shown["text"]


def test_a_play_is_told_with_the_players_name_until_it_is_undone(table: Table) -> None:
    table.deal("straw", 2, {2: "good"})
    assert played(table) is None
    table.tap(next(tag for tag in table.deal_shown["hands"][0] if "weight-" in tag))
    told = played(table)
    assert told is not None
    assert told.startswith("Ann plays the ")
    table.until(table.done(2))
    assert str(played(table)).startswith("Ben plays ")
    table.ask(requests.TakeBack())
    assert played(table) is None


@pytest.mark.parametrize(
    ("game", "does"), [("straw", "plays"), ("ciao", "plays"), ("cramel", "turns over")]
)
def test_robots_are_told_of_too(table: Table, game: str, does: str) -> None:
    table.deal(game, 2, dict.fromkeys((1, 2), styles_of(game)[0]))
    table.until(lambda: played(table) is not None)
    assert f" {does} " in str(played(table))


def test_a_helper_is_played_by_its_owner_not_by_the_current_player(tmp_path: Path) -> None:
    people, piece, tile = helping()  # the helper is Cem's; after Ann's tile, it is Ben's turn
    table = Table(tmp_path, people.seed)
    table.deal("camargue", 3, {})
    table.tap(f"camargue/{tile}")
    assert played(table) is None  # the tile has no place yet
    assert table.mat.view.grid is not None
    at = next(iter(table.mat.view.grid.places))
    table.ask(requests.ChoosePlace(at))
    table.until(table.done(2))
    assert str(played(table)).startswith("Ann plays")
    table.tap(f"camargue/{piece}")
    table.until(table.done(3))
    assert str(played(table)).startswith("Cem plays the helper")
    table.close()


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(OURS))
def test_announcements_belong_to_their_game(table: Table, game: str) -> None:
    for _ in range(2):
        table.ask(requests.BeginGame(game, ("Ann", "Ben"), (None, None), {}))
        table.wait(1.0)
        of_game = [each for each in table.live.said if each["game"] == table.record.number]
        texts = [line["text"] for each in of_game for line in each["lines"]]
        assert texts
        assert "The game has ended." not in texts
