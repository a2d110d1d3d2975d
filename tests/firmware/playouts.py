"""What games show, found by playing them at random; every language is tried with it.

Room: tests.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from engines.common.contract import Message, PlaceAsk, PressAsk, Setup
from firmware.games import game_named
from tests.engines.contract import Case, accepted, offers

GAMES = 20  # played at random
INPUTS = 700  # in each
EVEN = 0.5  # the part of the inputs for which every tap is as likely as every button
ALIKE = 3  # moments kept that differ in nothing but their facts


@dataclass(frozen=True)
class Moment:
    """A state of a game in play, with what began it."""

    setup: Setup
    state: Any


@cache
def moments(name: str) -> tuple[Moment, ...]:
    """Moments of game *name* that look different, or have different facts, in short games."""
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
    """The code of *told*; of a number how long it is."""
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
