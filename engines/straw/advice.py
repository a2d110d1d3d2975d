"""Advice on the next card: keep many points in the hand, and do not break the camel's back.

It follows the robots' style "good" (``sim.robots.straw.styles``).
May import: the standard library and engines.common, engines.straw.
May be imported by: engines.straw only, and tests.
"""

from collections.abc import Mapping

from engines.straw.cards import LAMP, LAMP_HIGH, LAMP_LOW, STRAW
from engines.straw.rules import (
    CAMEL_LIMIT,
    Phase,
    State,
    effect_of,
    loses,
    loses_with,
    refusal,
    weight_of,
)

WINS, LOSES = 100, -1000
SAVING = 10  # with more room than this on the camel, cards without a weight are saved
SAVED = 6  # the worth of saving such a card
TIGHT = 12  # with less room than this, each step closer to the limit is worth 1


def advice(state: State) -> Mapping[str, float]:
    """Return the worth of each kind of card that may be played now."""
    if state.phase is not Phase.PLAY:
        return {}
    kinds = state.config.deck.by_name
    return {kind: _worth(state, kind) for kind in kinds if refusal(state, kind) is None}


def _worth(state: State, kind: str) -> float:
    """Return the points that stay in the hand, and what the new load is worth.

    A fuller camel is better: another player breaks its back sooner, and then the hand scores.
    """
    if kind == STRAW:
        return WINS
    printed = state.config.deck.by_name[kind].value
    if loses(state, kind):
        return LOSES - printed
    room = max(0, CAMEL_LIMIT - state.round.weight - _heaviest(state, kind))
    is_saved = printed <= 0 and state.round.weight < CAMEL_LIMIT - SAVING
    return TIGHT - min(room, TIGHT) - printed - SAVED * is_saved


def _heaviest(state: State, kind: str) -> int:
    """Return the weight that *kind* adds; for a Lamp, the most that breaks no back."""
    if effect_of(state, kind) != LAMP:
        return weight_of(state, kind)
    weights = range(LAMP_LOW, LAMP_HIGH + 1)
    return max(w for w in weights if w == LAMP_LOW or not loses_with(state, kind, w))
