"""The house rules of Camargue.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, section 9.
"""

from dataclasses import dataclass

from engines.common.contract import Option, Switch
from engines.common.solo import solo_option

OPTIONS: tuple[Option, ...] = (
    Switch("no-hints", default=False),  # RULES 4.8
    Switch("no-dead-ends", default=True),  # RULES 4.4
    Switch("start-counts", default=True),  # RULES 5.3
    Switch("three-to-copy", default=False),  # RULES 6.7
    Switch("turn-emergency", default=True),  # RULES 7.6
    solo_option(700, 850, 950),  # RULES 8.5
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The chosen value of each of OPTIONS."""

    no_hints: bool
    no_dead_ends: bool
    start_counts: bool
    three_to_copy: bool
    turn_emergency: bool
    solo: str
