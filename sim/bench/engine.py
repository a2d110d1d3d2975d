"""Measurements of the speed of the rules, in whole random games on the engine alone."""

import time
from collections.abc import Iterable, Iterator
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
    PlaceAsk,
    PlaceChoice,
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
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from sim.bench.rows import Figures, Measurement

PLAYERS = 4


def measurements(plays: int, seed: int) -> Iterator[Measurement]:
    """Yield a measurement for each game."""
    for name, game in games().items():
        act = f"{name.replace('-', ' ').title()} on the engine alone"
        yield Measurement(act, partial(plays_a_second, game, plays, seed))


def plays_a_second(game: Game[Any], plays: int, seed: int) -> Figures:
    """Return the plays per second in whole random games with at least *plays* plays in total.

    A play is ``step`` and the ``asks`` that follow.
    """
    setup, chance = setup_of(game), Random(seed)
    played: list[list[Input]] = []
    while sum(map(len, played)) < plays:
        played.append(random_game(game, setup, chance))
    took_s = sum(replay_s(game, setup, inputs) for inputs in played)
    return {"CPU plays/s": sum(map(len, played)) / took_s}


def setup_of(game: Game[Any]) -> Setup:
    """Return the setup for four players with the deck in the box and the default house rules."""
    return Setup(PLAYERS, Seat(PLAYERS - 1), decks_of(load_config())[game.name])


def replay_s(game: Game[Any], setup: Setup, inputs: Iterable[Input]) -> float:
    """Play *inputs* again; return the CPU seconds of each ``step`` and the ``asks`` after it."""
    state = game.start(setup)
    began_ns = time.thread_time_ns()
    for given in inputs:
        state = game.step(state, given).state
        game.asks(state)
    return (time.thread_time_ns() - began_ns) / 1e9


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
    for ask in chance.sample(asks, len(asks)):
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
            case PlaceAsk(offers):
                yield PlaceChoice(chance.choice(offers).place)
            case PressAsk(button=button):
                yield Press(button)
