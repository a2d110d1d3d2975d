"""Tests of ``tapmat robots``: output, refused options and exit codes."""

import json
from io import StringIO

import pytest

from firmware.config.table_config import load_config
from sim.robots.command import CannotPlay, Run, run_robots
from sim.robots.games import OURS

CONFIG = load_config()


def test_a_run_is_counted_for_people() -> None:
    out, err = StringIO(), StringIO()
    assert run_robots(Run("straw", 3, is_fast=True), CONFIG, out=out, err=err) == 0
    heading, counted = out.getvalue().split("\n")[:2]
    assert heading.split() == [
        *("game", "games", "plays", "refusals", "mistakes", "faults", "recoveries"),
        *("differences", "plays/s"),
    ]
    assert counted.split()[:2] == ["straw", "3"]
    assert counted.split()[-2] == "0"
    assert err.getvalue() == ""


@pytest.mark.long
def test_a_run_is_counted_for_programs_the_same_with_any_number_of_jobs() -> None:
    counted = []
    for jobs in (1, 2):
        out = StringIO()
        run = Run("cramel", 10, mistakes=0.2, is_fast=True, jobs=jobs)
        assert run_robots(run, CONFIG, as_json=True, out=out) == 0
        shape = json.loads(out.getvalue())
        (result,) = shape["results"]
        assert result.pop("plays_a_second") > 0
        counted.append(result)
    assert counted[0] == counted[1]
    assert counted[0]["games"] == 10
    assert counted[0]["differences"] == 0
    assert counted[0]["failure"] is None


def test_all_is_every_game_that_robots_know() -> None:
    assert [order.game for order in Run("all", 1).orders()] == list(OURS)


def test_a_run_ends_at_the_first_difference_and_says_how_to_have_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engines.straw.rules.DEAL", 5)
    out, err = StringIO(), StringIO()
    assert run_robots(Run("straw", 9, seed=4, is_fast=True), CONFIG, out=out, err=err) == 1
    told = err.getvalue()
    assert "the books say 4, the referee says 5" in told
    assert "\nAgain: tapmat robots straw --games 1 --seed 4 --fast\n" in told
    assert told.rstrip().endswith("expect pieces hand-1 4")
    assert out.getvalue().split("\n")[1].split()[:2] == ["straw", "1"]


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (Run("cramel", 1, players=6), "cramel is for 2 to 5 players, not 6."),
        (Run("straw", 1, players=1), "straw is for 2 to 6 players, not 1."),
        (Run("straw", 1, faults=0.1, is_fast=True), "leave out --faults"),
        (Run("stra", 1), 'Did you mean "straw"?'),
    ],
)
def test_what_cannot_be_played_is_said_before_anything_is_played(run: Run, told: str) -> None:
    with pytest.raises(Exception, match=told.replace("?", r"\?")) as refused:
        run_robots(run, CONFIG)
    assert refused.value.exit_code == 2  # type: ignore[attr-defined]


def test_a_game_without_robots_is_no_wrong_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.robots.command.all_robots", lambda: {"straw": OURS["straw"]})
    with pytest.raises(CannotPlay, match="There are no robots for cramel yet"):
        Run("cramel", 1).orders()
