"""Straw: pack the camel, do not break its back.

Players lay cards on a camel, and each card adds its weight to the load. The card that takes the
load above 50 breaks the camel's back. This ends the round, and all players except the one who laid
it score the cards in their hands. A *Flying Carpet* subtracts its number from the load. A *Lamp*
weighs what its player chooses, and a *Copy* repeats the card before it. A *Reverse* changes the
direction of play. *Straw* may be laid only on exactly 50, and then only its player scores.

GAME implements the engine contract.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common import layouts
from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.straw import rules
from engines.straw.advice import advice
from engines.straw.groups import GROUPS
from engines.straw.highlights import HIGHLIGHTS
from engines.straw.house import OPTIONS
from engines.straw.lessons import LESSONS
from engines.straw.rules import State
from engines.straw.rules_card import RULES_CARD
from engines.straw.view import view

__all__ = ["GAME"]

GAME: Final[Game[State]] = Rulebook(
    name="straw",
    package=__name__,
    seats=rules.SEATS,
    options=OPTIONS,
    start=rules.start,
    opening=rules.opening,
    asks=lambda state: rules.ASKS[state.phase](state),
    step=lambda state, given: rules.STEPS[state.phase](state, given),
    view=view,
    put_back=rules.put_back,
    layout=layouts.HANDS,
    rules_card=RULES_CARD,
    lessons=LESSONS,
    groups=GROUPS,
    highlights=HIGHLIGHTS,
    advice=advice,
)
