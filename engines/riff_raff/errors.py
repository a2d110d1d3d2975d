"""What Riff Raff refuses, beside the refusals all games share.

Room: engines/riff_raff.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class TooFewColours(CannotStart):
    """The deck has all ten cards of so many *colours*, and *needed* people want one each."""

    code, rule = "too-few-colours", "RULES 1.6"


class HasColour(RulesError):
    """The player at *seat* has shown a *colour* already."""

    code, rule = "has-colour", "RULES 2.3"


class ColourTaken(RulesError):
    """Somebody else, *seat*, plays with this *colour*."""

    code, rule = "colour-taken", "RULES 2.3"


class ColourNotWhole(RulesError):
    """The deck lacks cards of this *colour*."""

    code, rule = "colour-not-whole", "RULES 1.6"


class NobodysColour(RulesError):
    """Nobody plays with this *colour*."""

    code, rule = "nobodys-colour", "RULES 3.2"


class NotYourCard(RulesError):
    """The card belongs to *seat*, and lies on the reader of *other_seat*."""

    code, rule = "not-your-card", "RULES 3.2"


class OneCardOnly(RulesError):
    """The player at *seat* has revealed a card in this round, the one with this *number*."""

    code, rule = "one-card-only", "RULES 3.3"


class CannotBeChosen(RulesError):
    """This *seat* is none of those who tied, or may not name itself."""

    code, rule = "cannot-be-chosen", "RULES 3.5"


class OnlyOnePiece(RulesError):
    """Two pieces cannot be loaded: *why* is ``deck``, ``empty`` or ``last``."""

    code, rule = "only-one-piece", "RULES 4.3"


class Announced(RulesError):
    """So many pieces, *n*, were announced, and that is binding."""

    code, rule = "announced", "RULES 4.4"


class NotSoMany(RulesError):
    """The number must be from *low* to *high*."""

    code, rule = "not-so-many", "RULES 5.2"


class AlreadyAboard(RulesError):
    """The *piece* lies on the ship, in *area*."""

    code, rule = "already-aboard", "RULES 7.3"


class LeftTheGame(RulesError):
    """The *piece* was caught, and is out of the game."""

    code, rule = "left-the-game", "RULES 7.3"


class NotYourPiece(RulesError):
    """The *piece* cannot lie in front of *seat*."""

    code, rule = "not-your-piece", "RULES 7.3"


class NotAboard(RulesError):
    """The *piece* did not lie on the ship, so it cannot have fallen."""

    code, rule = "not-aboard", "RULES 7.4"


class TappedAlready(RulesError):
    """The *piece* was tapped after this fall."""

    code, rule = "tapped-already", "RULES 7.4"
