"""Cramel: turn tiles over, stop in time, keep away from Mrs. Bloom.

All tiles lie face down. In a turn a player turns over one tile after the other, and may stop after
any of them. A player who stops wins every complete *set*, a fixed number of open tiles of one kind,
and turns the other tiles face down again. *Mrs. Bloom* ends the turn without a win. A *Cramel*
beside a tile of another kind does too. Cramels alone are all won. When no set is left, the player
with the most Cramels takes the three Blooms. After that, the player with the most tiles wins.

GAME implements the engine contract.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common import layouts
from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.cramel import rules
from engines.cramel.groups import GROUPS
from engines.cramel.highlights import HIGHLIGHTS
from engines.cramel.house import OPTIONS
from engines.cramel.lessons import LESSONS
from engines.cramel.rules import State
from engines.cramel.rules_card import RULES_CARD
from engines.cramel.view import view

__all__ = ["GAME"]

GAME: Final[Game[State]] = Rulebook(
    name="cramel",
    package=__name__,
    seats=rules.SEATS,
    options=OPTIONS,
    start=rules.start,
    opening=rules.opening,
    asks=rules.asks,
    step=rules.step,
    view=view,
    put_back=rules.put_back,
    layout=layouts.SPREAD,
    rules_card=RULES_CARD,
    lessons=LESSONS,
    groups=GROUPS,
    highlights=HIGHLIGHTS,
)
