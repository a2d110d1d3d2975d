"""What Ciao! refuses, beside the refusals all games share.

A wrong card is nothing of the kind: the rules take it and punish it (RULES 8).

Room: engines/ciao.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class OddCard(CannotStart):
    """The deck file puts a special on the card *piece* that it cannot bear."""

    code, rule = "odd-card", "RULES 1.6"


class LeftOut(RulesError):
    """The card lies in the box: this children's game is played without it."""

    code, rule = "left-out", "RULES 9.1"


class NotInTheRace(RulesError):
    """The player who laid the card with the speed special does not race."""

    code, rule = "not-in-the-race", "RULES 6.4"


class NotToYourself(RulesError):
    """A card is given to, and hands are swapped with, somebody else."""

    code, rule = "not-to-yourself", "RULES 6.7"
