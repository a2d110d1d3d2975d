"""The house rules of Cramel.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md, section 8.
"""

from dataclasses import dataclass

from engines.common.contract import Option, Selection, Switch
from engines.common.solo import solo_option

OPTIONS: tuple[Option, ...] = (
    Selection("gol-set", default="2", names=("2", "4")),  # RULES 4.3
    Switch("several-sets", default=True),  # RULES 4.4
    Switch("stop-without-set", default=True),  # RULES 3.5
    Switch("bloom-may-move", default=True),  # RULES 5.2
    Switch("shared-win", default=True),  # RULES 7.5
    solo_option(12, 16, 20),  # RULES 7.6
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The chosen value of each of OPTIONS."""

    gol_set: str
    several_sets: bool
    stop_without_set: bool
    bloom_may_move: bool
    shared_win: bool
    solo: str
