"""Ciao!: beat the last card, and be the first to get rid of all of yours.

Each card must *beat* the top card of the discard pile, by its symbol (rock, paper, scissors) or, if
the symbols are equal, by its colour. A wrong card goes back to the hand, and its player draws three
cards. A *joker* beats any card, and its player names a symbol; an *obstacle* can never be played.
Some cards have a *special*: *again or reverse*, *speed* (a *race* of the other players to lay the
next card), *+3* (the next player owes three cards), *give a card*, or *swap hands*. A player
without cards wins the round.

GAME implements the engine contract.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.ciao import rules
from engines.ciao.advice import advice
from engines.ciao.groups import GROUPS
from engines.ciao.highlights import HIGHLIGHTS
from engines.ciao.house import OPTIONS
from engines.ciao.lessons import LESSONS
from engines.ciao.rules_card import RULES_CARD
from engines.ciao.state import State
from engines.ciao.view import view
from engines.common import layouts
from engines.common.contract import Game
from engines.common.rulebook import Rulebook

__all__ = ["GAME"]

GAME: Final[Game[State]] = Rulebook(
    name="ciao",
    package=__name__,
    seats=rules.SEATS,
    options=OPTIONS,
    start=rules.start,
    opening=rules.opening,
    asks=lambda state: rules.ASKS[state.phase](state),
    step=rules.step,
    view=view,
    put_back=rules.put_back,
    layout=layouts.HANDS,
    rules_card=RULES_CARD,
    lessons=LESSONS,
    groups=GROUPS,
    highlights=HIGHLIGHTS,
    advice=advice,
)
