"""The rules of Straw compared with the robots' books in random games, after every input.

The books are an independent model: they decide what is legal, what follows and who scores. The
rules get only the inputs that a table would give them. A difference is reported with the inputs
that lead to it.
"""

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from engines.common.pieces import Deck, Kind
from engines.straw import GAME
from firmware.boxes.decks import load_deck
from sim.robots.contract import SeededDeal
from sim.robots.straw.adapter import ROBOTS, Straw
from sim.robots.straw.books import box, box_of_copies, kind_of, light_box, printed_number
from sim.robots.straw.styles import LIKINGS
from tests.effort import Games, long_unless, seen_in
from tests.engines.oracle import Comparison

BOXES: dict[str, list[str]] = {
    "shipped": box(),
    "other fit": box(copies=6, lamps=6, reverses=6, carpets=5),
    "light": light_box(),
    "light, no Straw": light_box(straws=0),
    "copies": box_of_copies(),
}
PLAYERS = (2, 3, 4, 5, 6)
GAMES_EACH = {"shipped": 7, "other fit": 2, "light": 3, "light, no Straw": 2, "copies": 4}


def deck_of(cards: list[str]) -> Deck:
    """Return a Straw deck that has exactly *cards*, and as many copies of each."""
    counts = Counter(kind_of(card) for card in cards)
    kinds = tuple(Kind(name, count, printed_number(name)) for name, count in counts.items())
    return Deck("straw", kinds, is_verified=False)


def play(players: int, style: str, cards: str, seed: int) -> frozenset[str]:
    """Play a game, check that rules and books agree, and return the names of its rare events.

    *style* is that of all robots; *cards* is a key of BOXES.
    """
    name = f"play({players}, {style!r}, {cards!r}, {seed})"
    deal = SeededDeal(players, Random(name).randrange(players), seed)
    robots = replace(ROBOTS, open=lambda deal: Straw(deal, BOXES[cards]))
    deck = load_deck(GAME) if cards == "shipped" else deck_of(BOXES[cards])
    game = Comparison(GAME, robots, deal, style, deck, name)
    game.play()
    assert isinstance(game.books, Straw)
    return frozenset(game.books.books.happened)


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_cards_of_the_books() -> None:
    deck = load_deck(GAME)
    assert sorted(map(str, deck.pieces())) == sorted(BOXES["shipped"])
    assert {k.name: k.value for k in deck.kinds} == {
        k.name: printed_number(k.name) for k in deck.kinds
    }


RARE = {
    "shipped": {
        *("copy of copy", "copy of reverse", "copy of carpet", "copy of lamp", "copy of weight"),
        *("straw at 50", "copier breaks", "broken by one", "played with an empty pile"),
        *("below zero", "negative round", "negative total"),
    },
    "light": {"stuck and lost", "empty hand skipped", "shared win"},
    "light, no Straw": {"all cards played"},  # a player with Straw would be stuck before that
    "copies": {"stuck and passed", "nobody can begin", "straw with a negative hand"},
}


# Games that show what is rare: python -m tests.engines.first_games prints them.
FIRST: dict[str, tuple[int, ...]] = {
    "shipped": (230, 194, 175),
    "light": (72, 32),
    "light, no Straw": (17,),
    "copies": (51,),
}


def games_of(cards: str) -> Games:
    """Return a function for each game with *cards*; it calls ``play`` for that game."""
    return [
        partial(play, players, style, cards, seed)
        for players in PLAYERS
        for style in LIKINGS
        for seed in range(GAMES_EACH[cards])
    ]


@pytest.mark.parametrize("cards", long_unless("shipped".__eq__, BOXES))
def test_the_rules_and_the_books_agree_on_whole_games(cards: str) -> None:
    """All games agree, and together they contain every rare event listed for these cards."""
    rare = RARE.get(cards, set())
    seen = seen_in(games_of(cards), rare, FIRST.get(cards, ()))
    assert seen >= rare, f"never seen: {rare - seen}"
