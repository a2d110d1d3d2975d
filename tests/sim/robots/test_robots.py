"""Tests that robots can play every game, and that they report differences from the mat."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engines.cramel.tiles import TileCounts
from engines.straw import rules
from firmware.boxes.games import game_named, games
from firmware.config.table_config import load_config
from sim.mat.faults import CATALOGUE, Fault, Reaction
from sim.mat.mat import Mat
from sim.rehearsal.command import rehearse
from sim.robots.faults import FAULTS
from sim.robots.games import OURS
from sim.robots.mistakes import MISTAKES
from sim.robots.run import GameOrder, deal_of, open_session, play, seed_of
from tests.effort import long_unless, some
from tests.sim.soak_robots import check_export

CONFIG = load_config()
SEEN = [
    fault
    for fault in CATALOGUE
    if fault.noticed not in (Reaction.READ, Reaction.WOKEN, Reaction.BORNE)
]  # faults with other reactions may have no visible effect
AT_A_MAT = ("stranger", "left lying", "two at once")


def played(order: GameOrder, games: int, seed: int = 1) -> Counter[str]:
    """Play *games* games and assert that the robots' books and the mat agree.

    Returns:
        How often each thing happened, such as "plays" or "refusals".
    """
    counts: Counter[str] = Counter()
    for number in range(games):
        game = play(order, seed_of(seed, number), CONFIG)
        assert game.failure is None, f"{game.failure.what}\n{game.failure.command}"
        counts += game.counts
    return counts


def test_robots_play_every_game_that_is_installed() -> None:
    assert set(OURS) == set(games())


@pytest.mark.parametrize("game", OURS)
def test_books_and_rules_agree_on_whole_games(game: str) -> None:
    games = some(20)
    counts = played(GameOrder(game, is_fast=True), games)
    assert counts["games"] == games
    assert counts["plays"] > 20
    assert counts["refusals"] == counts["mistakes"] == counts["differences"] == 0


@pytest.mark.long
@pytest.mark.parametrize("game", OURS)
def test_books_and_rules_agree_on_mistakes(game: str) -> None:
    games = some(30)
    counts = played(GameOrder(game, mistakes=0.3, is_fast=True), games)
    assert counts["refusals"] > 0
    assert counts["taken back"] > 0
    made = {name for name in MISTAKES if counts[f"mistake {name}"]}
    assert made.isdisjoint(AT_A_MAT)
    assert sum(counts[f"mistake {name}"] for name in made) == counts["mistakes"] > 100 / 30 * games


@pytest.mark.parametrize("game", long_unless("ciao".__eq__, OURS))
def test_books_and_mat_agree_after_every_act_and_every_fault(game: str) -> None:
    counts = played(GameOrder(game, mistakes=0.2, faults=0.1), games=1)
    assert counts["plays"] > 0
    assert counts["mistakes"] > 0
    assert counts["faults"] == counts["noticed"] == counts["recoveries"] > 0


@pytest.mark.long
def test_every_mistake_and_every_fault_comes_about() -> None:
    counts = played(GameOrder("straw", players=2, mistakes=0.7, faults=0.4), games=4)
    assert {name for name in MISTAKES if not counts[f"mistake {name}"]} == set()
    assert {name for name in FAULTS if not counts[f"fault {name}"]} == set()


@pytest.mark.parametrize("is_fast", long_unless(bool, [True, False]), ids=["rules", "mat"])
def test_a_seed_is_a_game(is_fast: bool) -> None:
    faults = 0.0 if is_fast else 0.05
    order = GameOrder("straw", players=2, mistakes=0.2, faults=faults, is_fast=is_fast)
    assert play(order, 7, CONFIG) == play(order, 7, CONFIG)


def test_another_seed_is_another_game() -> None:
    order = GameOrder("cramel", mistakes=0.2, is_fast=True)
    assert play(order, 7, CONFIG).counts != play(order, 8, CONFIG).counts


def test_the_first_game_of_a_run_has_its_seed() -> None:
    assert seed_of(5, 0) == 5
    assert len({seed_of(5, number) for number in range(1000)}) == 1000


@pytest.mark.parametrize("game", OURS)
def test_every_number_of_players_and_every_house_is_dealt(game: str) -> None:
    robots = OURS[game]
    deals = [deal_of(robots, 0, seed, Random(seed)) for seed in range(200)]
    assert {deal.players for deal in deals} == set(robots.seats)
    assert set(robots.seats) == set(game_named(game).seats)
    assert [house for house in robots.houses if house not in [d.options for d in deals]] == []
    assert all(deal.dealer < deal.players for deal in deals)


@pytest.mark.parametrize("game", OURS)
def test_books_that_took_the_same_acts_are_the_same(game: str) -> None:
    with open_session(GameOrder(game, is_fast=True), 3, CONFIG) as session:
        while not session.books.is_over:
            session.do(session.next_act())
            if session.chance.random() < 0.1:
                assert session.replay(session.acts).expected == session.books.expected
        assert session.replay(session.acts).expected == session.books.expected


# --- differences are reported --------------------------------------------------------------------


WRONG_RULES = {
    "the camel bears one more": ("straw", "engines.straw.rules.CAMEL_LIMIT", 51),
    "any card is taken": ("straw", "engines.straw.rules.refusal", lambda state, kind: None),
    "five are dealt": ("straw", "engines.straw.rules.DEAL", 5),
    "no dots": ("cramel", "engines.cramel.rules.whole_sets", lambda n, *_, **__: TileCounts(n)),
}


@pytest.mark.parametrize(
    ("wrong", "is_fast"),
    long_unless(
        lambda case: case in [("five are dealt", True), ("no dots", False)],
        [*((wrong, True) for wrong in WRONG_RULES), ("five are dealt", False), ("no dots", False)],
    ),
)
def test_wrong_rules_are_told_with_the_way_to_have_them_again(
    wrong: str, is_fast: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, place, instead = WRONG_RULES[wrong]
    monkeypatch.setattr(place, instead)
    order = GameOrder(game, mistakes=0.3, is_fast=is_fast)
    games = (play(order, seed_of(1, number), CONFIG) for number in range(30))
    failure = next(game.failure for game in games if game.failure is not None)
    assert "the books say" in failure.what
    again = play(failure.order, failure.seed, CONFIG).failure
    assert again == failure
    rehearsal = tmp_path / "again.mat"
    rehearsal.write_text(failure.rehearsal, encoding="utf-8")
    report = rehearse(rehearsal, CONFIG)
    stated = failure.rehearsal.splitlines()[-1]
    assert report.is_ok == stated.startswith("#")
    if report.failure is not None:
        assert report.failure.line == stated


@pytest.mark.parametrize(
    "fault", long_unless(SEEN[::4].__contains__, SEEN), ids=lambda fault: fault.name
)
def test_a_fault_that_nobody_notices_is_reported(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mat, "fault", lambda self, name, part: None)
    monkeypatch.setattr("sim.robots.faults.CATALOGUE", (fault,))
    failure = play(GameOrder("straw", faults=0.5), 1, CONFIG).failure
    assert failure is not None
    assert "the books say" in failure.what
    struck = [line for line in failure.rehearsal.splitlines() if line.startswith("fault ")]
    assert struck[-1].startswith(f"fault {fault.name} @ ")


def test_a_crash_is_told_with_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(state: object, given: object) -> None:
        raise ZeroDivisionError("the rules fell over")

    monkeypatch.setitem(rules.STEPS, rules.Phase.PLAY, step)
    failure = play(GameOrder("straw", is_fast=True), 1, CONFIG).failure
    assert failure is not None
    assert failure.what.endswith("ZeroDivisionError: the rules fell over")
    assert failure.command == "tapmat robots straw --games 1 --seed 1 --fast"


# --- exported games ------------------------------------------------------------------------------


@pytest.mark.long  # test_replay does the same with a shorter game
@pytest.mark.parametrize("game", OURS)
def test_exported_games_of_robots_are_the_same_again(game: str) -> None:
    assert check_export(GameOrder(game, players=2), 1, CONFIG) > 10


# --- how they play -------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "good"), [("straw", "good"), ("cramel", "rememberer")])
def test_a_good_robot_mostly_beats_two_at_random(game: str, good: str) -> None:
    robots, won = OURS[game], 0
    random = next(name for name in ("random", "blind") if name in robots.styles)
    for seed in range(60):
        chance = Random(seed)
        books = robots.open(deal_of(robots, 3, seed, chance))
        while not books.is_over:
            style = good if books.actor == seed % 3 else random
            books.take(robots.styles[style](books, chance))
        won += seed % 3 in books.expected.winners
    assert won > 40
