"""One player alone against a goal: setting it up at the table, and the best results afterwards."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.contract import Seat
from engines.common.solo import OFF, SOLO
from firmware.archive.describer import Describer
from firmware.archive.figures import figures_of, print_figures
from firmware.archive.page import page_of
from firmware.archive.past import histories, replay
from firmware.archive.results import result_of
from firmware.commands.journal import run_stats
from firmware.journal.journal import GameStart
from firmware.runtime.controller import words_for
from firmware.table.events import GameChosen, PhoneAct
from firmware.table.modes.playing import Playing
from firmware.table.modes.preparing import Preparing
from tests.firmware.tabletop import CONFIG, Tabletop

# Two rounds of Straw with 7 cards on the camel each time, before another 10 breaks its back.
CARDS = ("weight-10#1", "weight-10#2", "weight-10#3", "weight-10#4", "reverse#1", "weight-5#1")
ROUND = (*CARDS, "weight-4#1", "weight-9#1")


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path)) as made:
        made.lay("weight-1#1")
        yield made


def preparing(top: Tabletop) -> Preparing:
    mode = top.table._mode
    assert isinstance(mode, Preparing)
    return mode


def started(top: Tabletop) -> GameStart:
    record = top.journal.open_game()
    assert record is not None
    return record.start


def set_to(top: Tabletop, field: str, value: str) -> None:
    top.choose(field)
    top.choose(value)


def play_rounds(top: Tabletop, number: int = 2) -> None:
    for _ in range(number):
        for card in ROUND:
            top.lay(card)
        top.press("ok")


# --- setting it up --------------------------------------------------------------------------------


def test_one_player_plays_against_the_first_goal(top: Tabletop) -> None:
    set_to(top, "players", "1")
    assert (preparing(top).names, preparing(top).options[SOLO]) == (("Ann",), "36")
    top.choose("start")
    assert (started(top).names, started(top).dealer) == (("Ann", "Goal"), 0)
    assert top.view.scores == (0, 36)
    assert "The goal is 36 points." in top.said


def test_the_house_rule_leaves_one_player_and_off_brings_the_others_back(top: Tabletop) -> None:
    set_to(top, SOLO, "42")
    assert preparing(top).names == ("Ann",)
    set_to(top, SOLO, OFF)
    assert preparing(top).names == ("Ann", "Ben")
    set_to(top, SOLO, "50")
    set_to(top, "players", "3")
    assert preparing(top).options[SOLO] == OFF
    top.choose("start")
    assert started(top).names == ("Ann", "Ben", "Cem")


def test_off_leaves_those_who_play_without_a_goal_as_they_are(top: Tabletop) -> None:
    set_to(top, "players", "3")
    set_to(top, SOLO, OFF)
    assert preparing(top).names == ("Ann", "Ben", "Cem")


def test_the_next_game_proposes_the_same_player_and_goal(top: Tabletop) -> None:
    set_to(top, SOLO, "50")
    top.choose("start")
    play_rounds(top)
    top.lay("weight-1#1")
    assert (preparing(top).names, preparing(top).options[SOLO]) == (("Ann",), "50")


def test_a_player_may_be_called_goal(top: Tabletop) -> None:
    set_to(top, SOLO, "50")
    changed = preparing(top)._with_name(0, "Goal")
    assert changed.start().refusal is None
    assert started(top).names == ("Goal", "Goal 2")


def test_a_game_without_goals_needs_two_players(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as top:
        top.tap("paper-red")
        assert 1 not in preparing(top)._numbers


@pytest.mark.parametrize(
    ("names", "rules", "seated", "goal"),
    [
        (("Cem",), (), ("Cem", "Goal"), "36"),
        (("Cem",), ((SOLO, "50"),), ("Cem", "Goal"), "50"),
        (("Cem", "Ben"), ((SOLO, "42"),), ("Cem", "Goal"), "42"),
        (("Cem", "Ben"), (), ("Cem", "Ben"), OFF),
    ],
)
def test_the_hosts_phone_starts_it(
    top: Tabletop, names: tuple[str, ...], rules: tuple[tuple[str, str], ...],
    seated: tuple[str, ...], goal: str,
) -> None:  # fmt: skip
    offer = next(o for o in top.table.asks_of_host().games if o.game == "straw")
    assert offer.seats[:2] == (1, 2)
    top.receive(PhoneAct(None, top.journal.moment, GameChosen("straw", names, 0, rules)))
    assert (started(top).names, started(top).options[SOLO]) == (seated, goal)


def test_the_mat_can_play_alone_and_does_not_talk_to_the_goal(top: Tabletop) -> None:
    set_to(top, SOLO, "50")
    set_to(top, "name-1", "mat")
    top.choose("start")
    assert (started(top).names, started(top).mats) == (("Mat", "Goal"), (0,))
    mode = top.table._mode
    assert isinstance(mode, Playing)
    assert mode.company is None


# --- the best results -----------------------------------------------------------------------------


def test_the_best_results_are_in_the_statistics_and_the_goal_is_no_player(top: Tabletop) -> None:
    for goal, rounds in (("36", 2), ("36", 1), ("42", 2)):
        set_to(top, SOLO, goal)
        top.choose("start")
        play_rounds(top, rounds)
        if rounds == 1:
            top.card("settings")
            top.choose("end-game")
            top.choose("yes")
        top.lay("weight-1#1")
    found = figures_of(top.folder)
    straw = found.games["straw"]
    assert {*straw.players} == {"Ann"}
    assert straw.players["Ann"].games == 0, "the other results leave games alone out"
    assert {key: (each.games, each.reached, each.best) for key, each in straw.solo.items()} == {
        (36, "Ann"): (1, 0, 14),
        (42, "Ann"): (1, 0, 14),
    }
    out = io.StringIO()
    print_figures(found, Describer(words_for("en")), out)
    assert "alone against" in out.getvalue()
    assert "Goal" not in page_of(found, Describer(words_for("en"))).partition("<h3>Game")[0]
    told = io.StringIO()
    run_stats(CONFIG, top.folder, None, True, told)
    first = json.loads(told.getvalue())["games"]["straw"]["solo"][0]
    assert first == {"goal": 36, "player": "Ann", "best": 14, "games": 1, "reached": 0}


def test_a_result_for_other_programs_has_one_player(top: Tabletop) -> None:
    set_to(top, SOLO, "36")
    top.choose("start")
    play_rounds(top)
    (past,) = map(replay, histories(top.folder))
    assert (past.people, past.goal, past.winners) == (("Ann",), 36, ("Goal",))
    (ann,) = result_of(past).players
    assert (ann.seat, ann.score, ann.has_won) == (Seat(0), 14, False)
