"""Solo: one player against a goal, in each game that has the house rule."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import pytest

from engines.common.contract import Button, Input, Press, Seat, SeatAsk, Setup, Step, Tap, TapAsk
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from engines.common.setup import GameConfig
from engines.common.solo import (
    OFF,
    SOLO,
    goal_of,
    goal_seat,
    goals_of,
    numbers_of_people,
    result_of,
)
from tests.engines.contract import Case, accepted, deck_of, installed, offers

GAMES: Final = {name: game for name, game in installed().items() if goals_of(game)}
ANN, GOAL = Seat(0), Seat(1)
CONFIG: Final = GameConfig(deck_of(GAMES["straw"]), 2, goal=42)


def test_the_goal_is_in_the_last_seat_and_never_has_a_turn() -> None:
    assert goal_seat({SOLO: "42"}, 2) == GOAL
    assert goal_seat({SOLO: OFF}, 2) is None
    assert goal_seat({}, 2) is None
    assert goal_seat({SOLO: "42"}, 3) is None
    assert (goal_of(OFF, 2), goal_of("42", 2), goal_of("42", 3)) == (0, 42, 0)
    assert CONFIG.people == 1
    assert CONFIG.seats_after(ANN) == CONFIG.seats_after(GOAL) == (ANN,)
    assert GameConfig(CONFIG.deck, 2).seats_after(ANN) == (GOAL, ANN)


@pytest.mark.parametrize(("score", "best"), [(41, (GOAL,)), (42, (ANN,)), (43, (ANN,))])
def test_a_player_with_the_score_of_the_goal_beats_it(score: int, best: tuple[Seat, ...]) -> None:
    assert CONFIG.best((score, 42)) == best
    assert (result_of(42, ANN, score).code == "goal-reached") == (best == (ANN,))
    assert GameConfig(CONFIG.deck, 2).best((3, 3)) == (ANN, GOAL)


def test_one_person_can_play_the_games_that_have_goals_and_no_other() -> None:
    for name, game in installed().items():
        assert (1 in numbers_of_people(game)) == (name in GAMES)


def played(case: Case, goal: str, seed: int) -> tuple[Any, list[Step[Any]]]:
    """Return the start and all steps of a game that one player plays at random."""
    chance, game = Random(seed), case.game
    first = state = game.start(Setup(2, Seat(seed % 2), case.deck, {SOLO: goal}))
    steps: list[Step[Any]] = []
    while asks := game.asks(state):
        for ask in asks:
            assert not isinstance(ask, TapAsk | SeatAsk) or GOAL not in ask.seats
        assert game.view(state).turn in (ANN, None)
        given: Input = accepted(case, state, chance.choice(list(offers(case, asks))))
        steps.append(game.step(state, given))
        state = steps[-1].state
    return first, steps


@pytest.mark.parametrize("name", sorted(GAMES))
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_game_alone_ends_and_says_if_the_goal_is_reached(name: str, seed: int) -> None:
    case = Case(GAMES[name])
    goal = goals_of(case.game)[seed % 3]
    first, steps = played(case, goal, seed)
    game, end = case.game, case.game.view(steps[-1].state)
    opening = [message for message in game.opening(first) if message.code == "goal"]
    assert [message.facts["n"] for message in opening] == [int(goal)]
    assert game.view(first).scores == (0, int(goal))
    score, kept = end.scores
    assert kept == int(goal), "the goal keeps its score"
    assert end.winners == ((ANN,) if score >= kept else (GOAL,))
    assert end.headline == str(score)
    said = steps[-1].events[-1]
    assert said.code == ("goal-reached" if score >= kept else "goal-missed")
    assert said.facts["n"] == (score if score >= kept else kept - score)
    assert end.caption.code == ("caption.goal-missed" if score < kept else "winner.caption")


def test_a_round_of_straw_alone_scores_the_cards_that_the_camel_carries() -> None:
    game = GAMES["straw"]
    state = game.start(Setup(2, ANN, deck_of(game), {SOLO: "42"}))
    for card in ("weight-10#1", "weight-10#2", "weight-10#3", "weight-10#4", "reverse#1"):
        state = game.step(state, tap(card)).state
    assert game.view(state).counts["camel"] == 5
    broken = game.step(state, tap("weight-9#1"))
    assert game.view(broken.state).phase == "play"
    broken = game.step(broken.state, tap("weight-2#1"))
    assert game.view(broken.state).phase == "round-over"
    assert [each.facts["n"] for each in broken.events if each.code == "packed"] == [6]
    assert game.view(broken.state).scores == (6, 42)
    assert game.view(game.step(broken.state, Press(Button.OK)).state).turn == ANN


def test_straw_at_50_counts_as_a_card_and_ends_the_round() -> None:
    game = GAMES["straw"]
    state = game.start(Setup(2, ANN, deck_of(game), {SOLO: "42", "ending": "hundred"}))
    for number in range(1, 5):
        state = game.step(state, tap(f"weight-10#{number}")).state
    for card in ("weight-7#1", "weight-3#1", "straw#1"):
        step = game.step(state, tap(card))
        state = step.state
    assert game.view(state).scores == (7, 42)


def tap(card: str) -> Tap:
    return Tap(Piece.parse(card))


def test_cramel_alone_has_fifteen_turns_and_tells_how_many_are_left() -> None:
    game = GAMES["cramel"]
    state = game.start(Setup(2, ANN, deck_of(game), {SOLO: "12"}))
    for number in range(15, 0, -1):
        assert game.view(state).headline == str(number)
        step = game.step(state, tap("bloom#1"))
        state = step.state
        left = [each.facts["n"] for each in step.events if each.code == "turns-left"]
        assert left == ([number - 1] if number > 1 else [])
    assert (game.view(state).scores, game.view(state).winners) == ((0, 12), (GOAL,))


def test_cramel_alone_names_the_winner_who_has_reached_the_goal() -> None:
    game = GAMES["cramel"]
    state = game.start(Setup(2, ANN, deck_of(game), {SOLO: "12"}))
    for kind in ("gol", "jane", "helena"):
        for number in range(1, 5):
            state = game.step(state, tap(f"{kind}#{number}")).state
        state = game.step(state, Press(Button.ACTION)).state
    while not game.view(state).is_over:
        state = game.step(state, tap("bloom#1")).state
    end = game.view(state)
    assert (end.scores, end.winners, end.caption.code) == ((12, 12), (ANN,), "winner.caption")


def test_nobody_copies_points_in_camargue_alone() -> None:
    case = Case(GAMES["camargue"])
    first, steps = played(case, "700", 1)
    codes = {event.code for step in steps for event in step.events}
    assert "scores" in codes
    assert "copies" not in codes
    assert case.game.view(first).counts["hand-2"] == 0
    total = sum(case.game.view(first).counts[name] for name in ("hand-1", "pile"))
    assert total == len([p for p in case.deck.pieces() if p.kind not in ("start", "emergency")])


def refuses(game: Any, options: Mapping[str, str]) -> bool:
    try:
        game.start(Setup(2, ANN, deck_of(game), options))
    except (RulesError, ValueError):
        return True
    return False


@pytest.mark.parametrize("name", sorted(GAMES))
def test_other_goals_are_refused(name: str) -> None:
    assert refuses(GAMES[name], {SOLO: "1"})
    assert not refuses(GAMES[name], {SOLO: goals_of(GAMES[name])[0]})
