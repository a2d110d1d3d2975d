"""Riff Raff: load the rocking ship, and be the first to have nothing left.

Each player has the cards 1 to 10 of one colour and some pieces of *cargo*. In a round every player
reveals a card; the player with the highest is the *captain*. From the highest card to the lowest,
players load a piece into the *area* of the ship with the number of their card. In areas 5 to 10, on
the *yardarms*, they may load two. If cargo falls, the player may catch it: caught pieces leave the
game, and the player takes the others. A *pass* is ten rounds, in which all cards are played once.
By the house rule *tagged cargo*, pieces of cargo have tags too.

GAME implements the engine contract.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common import layouts
from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.riff_raff import rules
from engines.riff_raff.advice import advice
from engines.riff_raff.groups import GROUPS
from engines.riff_raff.highlights import HIGHLIGHTS
from engines.riff_raff.house import OPTIONS
from engines.riff_raff.lessons import LESSONS
from engines.riff_raff.rules_card import RULES_CARD
from engines.riff_raff.state import State
from engines.riff_raff.view import view

__all__ = ["GAME"]

GAME: Final[Game[State]] = Rulebook(
    name="riff-raff",
    package=__name__,
    seats=rules.SEATS,
    options=OPTIONS,
    start=rules.start,
    opening=rules.opening,
    asks=lambda state: rules.ASKS[state.phase](state),
    step=lambda state, given: rules.STEPS[state.phase](state, given),
    view=view,
    put_back=rules.put_back,
    layout=layouts.SHIP,
    rules_card=RULES_CARD,
    lessons=LESSONS,
    groups=GROUPS,
    highlights=HIGHLIGHTS,
    advice=advice,
)
