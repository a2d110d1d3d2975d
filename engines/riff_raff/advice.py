"""Advice on the card to reveal: a yardarm, where its player may load two pieces.

It follows the robots' style "greedy" (``sim.robots.riff_raff.styles``).
May import: the standard library and engines.common, engines.riff_raff.
May be imported by: engines.riff_raff only, and tests.
"""

from collections.abc import Mapping

from engines.riff_raff.box import CARDS
from engines.riff_raff.ship import YARDARMS
from engines.riff_raff.state import Phase, State


def advice(state: State) -> Mapping[str, float]:
    """Return 1 for a card of a yardarm, and 0 for one of the deck."""
    if state.phase is not Phase.REVEAL:
        return {}
    return {kind: float(card.number in YARDARMS) for kind, card in CARDS.items()}
