"""The highlights of a finished game: true by the numbers, in every language, and told once."""

from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engines.common import highlights
from engines.common.contract import Input, Message, Seat, Setup, Step, View
from engines.common.highlights import Highlight, highlights_of, number
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named, games
from firmware.voice.words import languages, words_of
from tests.effort import some
from tests.engines.contract import Case, accepted, offers
from tests.firmware.tabletop import Tabletop

NAMES = ("Ann", "Ben", "Cem")
MOST_INPUTS = 5000


@cache
def finished(name: str, seed: int) -> tuple[tuple[Any, ...], tuple[Input, ...]]:
    """Return a random game *name* of three: its states, from the first to the last, and inputs."""
    game = game_named(name)
    case, random = Case(game), Random(seed)
    state: Any = game.start(Setup(len(NAMES), Seat(0), load_deck(game)))
    states: list[Any] = []
    inputs: list[Input] = []
    while not game.view(state).is_over:
        assert len(inputs) < MOST_INPUTS
        given = accepted(case, state, random.choice(list(offers(case, game.asks(state)))))
        states.append(state)
        inputs.append(given)
        state = game.step(state, given).state
    return (*states, state), tuple(inputs)


def on(name: str, seed: int) -> dict[str, Message]:
    """Return the highlights on a random game, by their codes."""
    return {each.code: each for each in highlights.on(game_named(name), *finished(name, seed))}


@pytest.mark.parametrize("name", sorted(games()))
def test_the_margin_is_the_difference_of_the_two_best_scores(name: str) -> None:
    game = game_named(name)
    for seed in range(some(20)):
        states, _ = finished(name, seed)
        view = game.view(states[-1])
        best, second, third = sorted(view.scores, reverse=not view.lowest_wins)
        margin = on(name, seed).get("highlight.margin")
        if best == second or second == third or len(view.winners) != 1:
            assert margin is None
        else:
            assert margin is not None
            assert margin.facts["n"] == abs(best - second)
            assert view.scores[int(str(margin.facts["seat"]))] == best
            assert view.scores[int(str(margin.facts["other_seat"]))] == second


class Told:
    """A game of two whose inputs are the messages that it tells; the turn is always seat 1's."""

    highlights = (
        Highlight("sum", ("takes",), number("n")),
        Highlight("largest", ("takes",), number("n"), adds_up=False),
        Highlight("count", ("takes", "loses")),
    )

    def step(self, state: Any, given: Any) -> Any:
        return Step(state, (given,))

    def view(self, state: Any) -> Any:
        caption = Message("caption")
        return View("", caption, "play", caption, (3, 5), turn=Seat(1), winners=(Seat(1),))


def told(*events: tuple[str, dict[str, Any]]) -> list[tuple[str, Any, Any]]:
    """Return the highlights on a game that told *events*: code, seat and amount."""
    inputs: Any = [Message(code, facts) for code, facts in events]
    made = highlights.on(Told(), [None] * (len(inputs) + 1), inputs)  # type: ignore[arg-type]
    return [(each.code, each.facts["seat"], each.facts["n"]) for each in made]


def test_amounts_add_up_or_the_largest_one_counts_or_each_message_once() -> None:
    made = told(
        ("takes", {"seat": 0, "n": 4}),
        ("takes", {"seat": 1, "n": 3}),
        ("takes", {"seat": 1, "n": 3}),
        ("other", {"seat": 0, "n": 99}),
    )
    margin = ("highlight.margin", 1, 2)
    assert made == [("sum", 1, 6), ("largest", 0, 4), ("count", 1, 2), margin]


def test_of_two_who_are_equal_nothing_is_said() -> None:
    made = told(("takes", {"seat": 0, "n": 4}), ("takes", {"seat": 1, "n": 4}))
    assert made == [("highlight.margin", 1, 2)]


def test_a_message_without_a_seat_is_about_whose_turn_it_was() -> None:
    assert told(("loses", {}))[0] == ("count", 1, 1)


def test_of_a_game_without_inputs_nothing_is_said() -> None:
    assert not told()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", sorted(games()))
def test_every_highlight_has_words_that_are_said_whole(name: str, language: str) -> None:
    words = words_of(language, game_named(name).package)
    for highlight in highlights_of(game_named(name)):
        for n in (1, 2, 21):
            said = words.tell(Message(highlight.code, {"seat": 0, "n": n}), NAMES)
            assert "Ann" in said
            assert "{" not in said
        assert str(21) in said


@pytest.fixture
def straw(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path).start(players=2)) as table:
        yield table


ROUND = ("weight-10#1", "weight-9#1", "weight-10#2", "weight-9#2", "weight-8#1", "weight-7#1")


def play_round(straw: Tabletop, hand: str) -> None:
    """Play a round: the last card breaks the camel's back, and the first counted hand is *hand*."""
    for card in ROUND:
        straw.lay(card)
    straw.lay(hand)
    for _hand in straw.view.names[1:]:
        straw.press("action")


def test_the_table_tells_the_highlights_when_the_game_ends(straw: Tabletop) -> None:
    hands = ("weight-5#1", "weight-6#1", "weight-4#1")[: len(straw.view.names)]
    for hand in hands:
        play_round(straw, hand)
        if hand != hands[-1]:
            assert straw.view.phase == "round-over"
            assert "The best hand" not in straw.said
            straw.press()
    assert straw.view.phase == "over"
    assert "The best hand: " in straw.said
    assert "6 points" in straw.said
    assert straw.answers[0].notice is None, "the display shows who has won"
    straw.turn(1)
    assert straw.notice.do.endswith("The game is over.")
    assert "6 points" in f"{straw.notice.happened} {straw.notice.do}"
