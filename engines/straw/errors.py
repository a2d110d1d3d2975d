"""The refusals of Straw, beside those that all games share.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/straw/RULES.md.
"""

from engines.common.errors import RulesError


class LampOutOfRange(RulesError):
    """A Lamp weighs a whole number from 1 to 10."""

    code, rule = "lamp-out-of-range", "RULES 5.4"


class CopyOnEmptyCamel(RulesError):
    """A Copy needs a card to copy."""

    code, rule = "copy-on-empty-camel", "RULES 5.5"


class CopyOnCopy(RulesError):
    """A Copy cannot be copied, by a house rule."""

    code, rule = "copy-on-copy", "RULES 5.7"


class StrawNotAt50(RulesError):
    """A Straw may be played only if it breaks the camel's back."""

    code, rule = "straw-not-at-50", "RULES 6.1"
