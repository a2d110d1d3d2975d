"""The virtual deck follows the journal: no card is lost, none is in two places."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Game,
    Input,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.straw import GAME
from firmware.decks import load_deck
from firmware.journal import GameRecord, GameStart
from sim.web.dealer import Cards, cards_of

DECK = load_deck(GAME)
STRAW: Game[Any] = GAME


def record(*inputs: Input, players: int = 3) -> GameRecord:
    names = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")[:players]
    return GameRecord(1, GameStart("straw", names, players - 1, {}, DECK), inputs)


def everywhere(cards: Cards) -> Counter[object]:
    return Counter(p for place in (*cards.hands, cards.pile, cards.laid) for p in place)


def played(players: int, seed: int, plays: int) -> tuple[GameRecord, Any]:
    """A game in which everybody plays the first card of the hand that the rules accept."""
    so_far = record(players=players)
    start = so_far.start
    state = STRAW.start(Setup(players, Seat(start.dealer), DECK, {}))
    for _ in range(plays):
        for given_ in choices(state, cards_of(STRAW, so_far, seed)):
            state = STRAW.step(state, given_).state
            so_far = so_far.with_input(given_)
            break
    return so_far, state


def choices(state: Any, cards: Cards) -> list[Input]:
    for ask in STRAW.asks(state):
        match ask:
            case NumberAsk(low, _, _):
                return [Number(low)]
            case TapAsk(kinds, seats, _):
                hand = cards.hands[seats[0]]
                return [Tap(piece) for piece in hand if piece.kind in kinds]
            case PressAsk(button, _):
                return [Press(button)]
    return []


def test_everybody_gets_as_many_cards_as_the_referee_counts() -> None:
    cards = cards_of(STRAW, record(), seed=1)
    assert [len(hand) for hand in cards.hands] == [4, 4, 4]
    assert len(cards.pile) == 52


def test_a_tapped_card_leaves_the_hand_and_one_is_drawn_for_it() -> None:
    before = cards_of(STRAW, record(), seed=1)
    piece = next(p for p in before.hands[0] if p.kind.startswith("weight"))
    after = cards_of(STRAW, record(Tap(piece)), seed=1)
    assert piece not in after.hands[0]
    assert after.hands[0][-1] == before.pile[-1]
    assert after.laid == [piece]


def test_an_undone_play_leaves_no_trace() -> None:
    """State is a fold: without the input everything lies as before."""
    before = cards_of(STRAW, record(), seed=5)
    after = cards_of(STRAW, record(), seed=5)
    assert (before.hands, before.pile) == (after.hands, after.pile)


def test_a_card_from_the_tray_may_be_tapped_too() -> None:
    cards = cards_of(STRAW, record(), seed=1)
    piece = next(p for p in cards.pile if p.kind == "weight-2")
    after = cards_of(STRAW, record(Tap(piece)), seed=1)
    assert piece not in after.pile
    assert after.laid == [piece]


@pytest.mark.parametrize("players", range(2, 7))
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), plays=st.integers(0, 40))
def test_no_card_is_lost_or_doubled_and_hands_are_as_the_referee_counts(
    players: int, seed: int, plays: int
) -> None:
    so_far, state = played(players, seed, plays)
    cards = cards_of(STRAW, so_far, seed)
    assert everywhere(cards) == Counter(DECK.pieces())
    view = STRAW.view(state)
    if view.phase in ("play", "lamp"):
        laid = 1 if view.phase == "lamp" else 0  # the Lamp lies there, and is not counted yet
        held = sum(len(hand) for hand in cards.hands)
        assert held + laid == sum(view.counts[f"hand-{n + 1}"] for n in range(players))
        assert len(cards.pile) == view.counts["draw-pile"]
