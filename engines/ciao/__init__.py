"""Ciao!: beat the last card, and be the first to get rid of all of yours.

Room: engines/ciao. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.ciao import rules
from engines.ciao.house import OPTIONS
from engines.ciao.state import State
from engines.ciao.view import view
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
    step=lambda state, given: rules.STEPS[state.phase](state, given),
    view=view,
    put_back=rules.put_back,
)
