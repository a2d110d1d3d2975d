"""Advice on the next card: keep jokers and +3 cards, because they help when no other card does.

It follows the robots' style "careful" (``sim.robots.ciao.styles``), which wins most games.
May import: the standard library and engines.common, engines.ciao.
May be imported by: engines.ciao only, and tests.
"""

from collections.abc import Mapping

from engines.ciao.cards import PLUS3
from engines.ciao.state import Phase, State

PHASES = (Phase.PLAY, Phase.RACE)


def advice(state: State) -> Mapping[str, float]:
    """Return 1 for a kind of card to lay, and 0 for one to keep."""
    if state.phase not in PHASES:
        return {}
    has_specials, cards = state.house.has_specials, state.config.cards
    return {
        kind: float(not card.is_joker and not (has_specials and card.special == PLUS3))
        for kind, card in cards.items()
        if not card.is_obstacle
    }
