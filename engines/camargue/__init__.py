"""Camargue: lay tile to tile, let areas grow, and lend a helper in time.

Players lay *landscape tiles* edge to edge, so that a path continues and no path is cut off. A tile
scores its *area*, the number of connected tiles of the same landscape, times its *edges*, the
number of edges at which it touches other tiles. A *helper* is a tile that shows two landscapes.
When a player has scored with a tile of one of these landscapes, each other player may *copy* the
points: lay the helper *in front*, and put it *aside* in the next turn. The current player may also
discard a helper for ten points. A player who *claims* that no tile fits shows the whole hand. If
the claim is true, the player lays an *emergency tile* and goes on.

GAME implements the engine contract.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.camargue import rules
from engines.camargue.advice import advice
from engines.camargue.groups import GROUPS
from engines.camargue.highlights import HIGHLIGHTS
from engines.camargue.house import OPTIONS
from engines.camargue.lessons import LESSONS
from engines.camargue.rules_card import RULES_CARD
from engines.camargue.state import State
from engines.camargue.view import view
from engines.common import layouts
from engines.common.contract import Game
from engines.common.rulebook import Rulebook

__all__ = ["GAME"]

GAME: Final[Game[State]] = Rulebook(
    name="camargue",
    package=__name__,
    seats=rules.SEATS,
    options=OPTIONS,
    start=rules.start,
    opening=rules.opening,
    asks=lambda state: rules.ASKS[state.phase](state),
    step=lambda state, given: rules.STEPS[state.phase](state, given),
    view=view,
    put_back=rules.put_back,
    layout=layouts.BOARD,
    rules_card=RULES_CARD,
    lessons=LESSONS,
    groups=GROUPS,
    highlights=HIGHLIGHTS,
    advice=advice,
)
