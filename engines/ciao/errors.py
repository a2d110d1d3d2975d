"""The refusals of Ciao!, beside those that all games share.

A wrong card is not refused: the rules accept it and punish it (RULES 8).

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md.
"""

from engines.common.errors import CannotStart, NotYourTurn, RulesError


class OddCard(CannotStart):
    """The deck file gives *piece* a special that this card cannot have."""

    code, rule = "odd-card", "RULES 1.6"


class LeftOut(RulesError):
    """The chosen children's variant is played without this card."""

    code, rule = "left-out", "RULES 9.1"


class NotInTheRace(RulesError):
    """The player who laid the speed card, and so began the race, may not race."""

    code, rule = "not-in-the-race", "RULES 6.4"


class OutOfRace(RulesError):
    """*seat* laid a wrong card in this race, and is out of it."""

    code, rule = "out-of-race", "RULES 8.4"


class OnlyDrawn(RulesError):
    """After a draw, the player may lay only the drawn card. Only a page knows which one it is."""

    code, rule = "only-drawn", "RULES 3.4"


class TooLate(NotYourTurn):
    """The card comes too late: *first_seat* has won the race, and now it is *seat*'s turn."""

    own_words = "too-late"


class NotToYourself(RulesError):
    """A player chose himself or herself to get a card or to swap hands with."""

    code, rule = "not-to-yourself", "RULES 6.7"
