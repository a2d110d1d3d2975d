"""The house rules of Riff Raff.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, section 8.
"""

from dataclasses import dataclass

from engines.common.contract import Option, Switch

OPTIONS: tuple[Option, ...] = (
    Switch("tagged-cargo", default=False),  # RULES 7.1
    Switch("captain-names-himself", default=True),  # RULES 3.5
    Switch("placed-returns", default=True),  # RULES 5.6
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The chosen value of each of OPTIONS."""

    tagged_cargo: bool
    captain_names_himself: bool
    placed_returns: bool
