"""Measurements of the speed of the rules, in whole games of Straw on the engine alone."""

import time
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from engines.common.contract import (
    Ask,
    Choice,
    ChoiceAsk,
    Game,
    Input,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck
from firmware.boxes.games import game_named
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from sim.bench.rows import Figures, Measurement

GAME, PLAYERS = "straw", 4


def measurements(plays: int, seed: int) -> Iterator[Measurement]:
    """Yield the one measurement of the engine."""
    yield Measurement("Straw on the engine alone", partial(plays_a_second, plays, seed))


def plays_a_second(plays: int, seed: int) -> Figures:
    """Return the plays per second in whole random games with at least *plays* plays in total.

    Each play includes ``step``, ``asks`` and ``view``.
    """
    game, chance = game_named(GAME), Random(seed)
    setup = Setup(PLAYERS, Seat(PLAYERS - 1), decks_of(load_config())[GAME])
    played: list[list[Input]] = []
    while sum(map(len, played)) < plays:
        played.append(random_game(game, setup, chance))
    began_ns = time.thread_time_ns()
    for inputs in played:
        state = game.start(setup)
        for given in inputs:
            state = game.step(state, given).state
            game.asks(state)
            game.view(state)
    took_s = (time.thread_time_ns() - began_ns) / 1e9
    return {"CPU plays/s": sum(map(len, played)) / took_s}


def random_game(game: Game[Any], setup: Setup, chance: Random) -> list[Input]:
    """Play a random game and return its inputs, all of which are legal."""
    state, inputs = game.start(setup), []
    while asks := game.asks(state):
        for given in _inputs(asks, setup.deck, chance):
            try:
                state = game.step(state, given).state
            except RulesError:  # the card was played before, or is not the seat's
                continue
            inputs.append(given)
            break
    return inputs


def _inputs(asks: tuple[Ask, ...], deck: Deck, chance: Random) -> Iterator[Input]:
    """Yield random inputs of the kinds in *asks*. The rules may still refuse some."""
    for ask in asks:
        match ask:
            case TapAsk(kinds=kinds):
                pieces = [piece for piece in deck.pieces() if piece.kind in kinds]
                yield from map(Tap, chance.sample(pieces, len(pieces)))
            case NumberAsk(low, high):
                yield Number(chance.randint(low, high))
            case ChoiceAsk(names):
                yield Choice(chance.choice(names))
            case SeatAsk(seats):
                yield SeatChoice(chance.choice(seats))
            case PressAsk(button=button):
                yield Press(button)
