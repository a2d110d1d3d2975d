"""Straw: pack the camel, do not break its back.

Room: engines/straw. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.straw import rules
from engines.straw.house import OPTIONS
from engines.straw.rules import State
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
)
