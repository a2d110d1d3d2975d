"""What Straw refuses, beside the refusals all games share.

Room: engines/straw.
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
    """The house rule says that a Copy is not copied."""

    code, rule = "copy-on-copy", "RULES 5.7"


class StrawNotAt50(RulesError):
    """Straw goes on only when it breaks the camel's back."""

    code, rule = "straw-not-at-50", "RULES 6.1"
