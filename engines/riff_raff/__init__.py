"""Riff Raff: load the rocking ship, and be the first to have nothing left.

Room: engines/riff_raff. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.riff_raff import rules
from engines.riff_raff.house import OPTIONS
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
)
