"""Varied states of each game, found by random play, for tests of the words in every language."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from engines.common.contract import Message, PlaceAsk, PressAsk, Setup
from firmware.boxes.games import game_named
from tests.engines.contract import Case, accepted, offers

GAMES = 20  # number of random games for each game
INPUTS = 700  # most inputs in one game
EVEN = 0.5  # share of inputs drawn from all offers; the others from those of one random ask
ALIKE = 3  # states kept for each look; they differ only in their facts


@dataclass(frozen=True)
class Moment:
    """A state of a game, and the setup that the game began with."""

    setup: Setup
    state: Any


@cache
def moments(name: str) -> tuple[Moment, ...]:
    """Return states of game *name* whose views differ in look or facts, from short random games."""
    case = Case(game_named(name))
    kept: dict[tuple[object, ...], dict[object, Moment]] = {}
    for moment in _played(case):
        view, asks = case.game.view(moment.state), case.game.asks(moment.state)
        offered = [offer for ask in asks if isinstance(ask, PlaceAsk) for offer in ask.offers[:1]]
        shown = [view.headline, view.caption, view.hint]
        shown += [told for offer in offered for told in (offer.headline, offer.caption)]
        labels = tuple(ask.label for ask in asks if isinstance(ask, PressAsk))
        kinds = tuple(type(ask) for ask in asks)
        look = (view.phase, *map(_code, shown), labels, kinds, view.turn is None)
        facts = tuple(tuple(told.facts.items()) for told in shown if isinstance(told, Message))
        alike = kept.setdefault(look, {})
        if len(alike) < ALIKE:
            alike.setdefault(facts, moment)
    return tuple(moment for alike in kept.values() for moment in alike.values())


def _code(told: str | Message) -> str:
    """Return a text that is the same for two messages of the same look.

    That is the message's code and whether its number ``n`` is 1; of a plain text, a "#" for
    each letter.
    """
    if isinstance(told, str):
        return "#" * len(told)
    n = told.facts.get("n")
    return f"{told.code} {n == 1}"


def _played(case: Case) -> Iterator[Moment]:
    for seed in range(GAMES):
        chance = Random(seed)
        setup = case.any_setup(chance)
        state = case.game.start(setup)
        yield Moment(setup, state)
        for _ in range(INPUTS):
            asks = case.game.asks(state)
            if not asks:
                break
            some = asks if chance.random() < EVEN else (chance.choice(asks),)
            open_now = list(offers(case, some)) or list(offers(case, asks))
            given = accepted(case, state, chance.choice(open_now))
            state = case.game.step(state, given).state
            yield Moment(setup, state)
