"""The contract test suite, run on every installed game."""

from collections.abc import Callable, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common import layouts
from engines.common.contract import Topic
from engines.common.lessons import lessons_of
from tests.effort import long_unless, some
from tests.engines.contract import (
    Case,
    check_game,
    check_lessons,
    check_package,
    check_playout,
    check_rules_card,
    check_setups,
    installed,
    lessons_in,
    moments,
    no_end,
)
from tests.engines.topics import TOPICS

GAMES = installed()
# Topics that a game does not use.
LACKS = {"cramel": {Topic.QUESTION}}  # players turn one more tile or stop; there are no questions
MOST_GAMES = 100  # played at random, in which every lesson is told at least once
SEEDS = st.integers(0, 2**32 - 1)
# By layout: the functions that name a count of each seat.
OF_A_SEAT: Mapping[str, tuple[Callable[[int], str], ...]] = {
    layouts.HANDS: (layouts.hand,),
    layouts.SPREAD: (layouts.won_by,),
    layouts.BOARD: (layouts.hand, layouts.front),
    layouts.SHIP: (layouts.cards, layouts.stock),
}


@pytest.fixture(scope="module", params=sorted(GAMES))
def case(request: pytest.FixtureRequest) -> Case:
    """An installed game."""
    return Case(GAMES[request.param])


def test_a_game_is_installed_under_its_own_name() -> None:
    assert "straw" in GAMES
    assert {name: game.name for name, game in GAMES.items()} == {name: name for name in GAMES}


def test_package_holds_deck_rules_and_words(case: Case) -> None:
    check_package(case)


def test_a_rules_card_explains_every_rule_that_a_refusal_names(case: Case) -> None:
    check_rules_card(case)


def test_every_paragraph_of_the_rules_has_a_lesson_or_a_reason(case: Case) -> None:
    check_lessons(case)


def test_every_lesson_is_told_in_some_game(case: Case) -> None:
    lessons = lessons_of(case.game)
    if lessons is None:
        pytest.skip("the game has no lessons")
    missing, seats = {lesson.code for lesson in lessons.lessons}, case.game.seats
    for seed in range(MOST_GAMES):  # every other game has house rules, such as one for points
        setup = (
            case.any_setup(Random(seed)) if seed % 2 else case.setup(seats[seed // 2 % len(seats)])
        )
        missing -= dict(lessons_in(lessons, moments(case, setup, Random(seed)))).keys()
        if not missing:
            return
    pytest.fail(f"no game told {missing}")


def test_every_setup_starts_and_no_other(case: Case) -> None:
    check_setups(case)


def test_a_view_counts_each_seat_under_the_names_of_the_games_layout(case: Case) -> None:
    for seats in case.game.seats:
        counts = case.game.view(case.game.start(case.setup(seats))).counts
        for name in OF_A_SEAT[case.game.layout]:
            assert {name(seat) for seat in range(seats)} <= counts.keys()
            assert name(seats) not in counts


@settings(max_examples=some(15), deadline=None)
@given(seed=SEEDS)
def test_a_game_at_its_defaults_keeps_the_contract_and_ends(case: Case, seed: int) -> None:
    seats = Random(seed).choice(case.game.seats)
    assert check_playout(case, case.setup(seats), seed), no_end(seats, seed)


@settings(max_examples=some(15), deadline=None)
@given(seed=SEEDS)
def test_a_game_with_any_house_rules_keeps_the_contract(case: Case, seed: int) -> None:
    check_playout(case, case.any_setup(Random(seed)), seed, limit=400)


def test_what_people_look_for_and_what_they_must_do_is_told_apart_from_news(case: Case) -> None:
    """Each game uses every topic that a table on its terse setting announces."""
    wanted = {Topic.TOTAL, Topic.TURN, Topic.RESULT, Topic.QUESTION}
    wanted -= LACKS.get(case.game.name, set())
    for seed in range(6):
        check_playout(case, case.any_setup(Random(seed)), seed, limit=300)
        if wanted <= set(case.topics.values()):
            return
    pytest.fail(f"no game used {wanted - set(case.topics.values())}")


def test_each_message_with_a_topic_has_words(case: Case) -> None:
    assert TOPICS[case.game.name].keys() <= case.words.codes


@pytest.mark.parametrize("name", long_unless("straw".__eq__, sorted(GAMES)))
def test_a_game_that_is_not_installed_can_call_the_suite(name: str) -> None:
    check_game(GAMES[name], playouts=1)
