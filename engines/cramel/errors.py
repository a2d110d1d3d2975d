"""The refusals of Cramel, beside those that all games share.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md.
"""

from engines.common.errors import CannotStart, PutAway, RulesError


class NothingToWin(CannotStart):
    """The deck does not hold a complete set of any kind."""

    code, rule = "nothing-to-win", "RULES 1.6"


class AlreadyWon(PutAway):
    """*piece*, or every tile of its kind, was won earlier."""

    code, rule = "already-won", "RULES 3.3"


class NoneLeft(RulesError):
    """No tile of *piece*'s kind is still face down, and *piece* is not one of the open tiles."""

    code, rule = "none-left", "RULES 3.3"


class NothingTurned(RulesError):
    """The player has not turned a tile over yet, so the turn cannot stop."""

    code, rule = "nothing-turned", "RULES 3.4"


class NoSetYet(RulesError):
    """The player may not stop yet: by a house rule, a set must be complete first."""

    code, rule = "no-set-yet", "RULES 3.5"
