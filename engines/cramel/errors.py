"""What Cramel refuses, beside the refusals all games share.

Room: engines/cramel.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class NothingToWin(CannotStart):
    """The deck holds no complete set of anything."""

    code, rule = "nothing-to-win", "RULES 1.6"


class NoneLeft(RulesError):
    """Every tile of the kind of *piece* is won or lies open."""

    code, rule = "none-left", "RULES 3.3"


class NothingTurned(RulesError):
    """A turn has at least one tile; there is nothing to stop yet."""

    code, rule = "nothing-turned", "RULES 3.4"


class NoSetYet(RulesError):
    """The house rule says that a turn goes on until a set is complete."""

    code, rule = "no-set-yet", "RULES 3.5"
