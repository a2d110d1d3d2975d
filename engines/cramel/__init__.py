"""Cramel: turn tiles over, stop in time, keep away from Mrs. Bloom.

Room: engines/cramel. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common.contract import Game
from engines.common.rulebook import Rulebook
from engines.cramel import rules
from engines.cramel.house import OPTIONS
from engines.cramel.rules import State
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
)
