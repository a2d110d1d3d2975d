"""The refusals of Riff Raff, beside those that all games share.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class TooFewColours(CannotStart):
    """Only *colours* colours in the deck have all ten cards, but *needed* colours are needed."""

    code, rule = "too-few-colours", "RULES 1.6"


class HasColour(RulesError):
    """*seat* already plays with *colour*."""

    code, rule = "has-colour", "RULES 2.3"


class ColourTaken(RulesError):
    """Another player, *seat*, plays with *colour*."""

    code, rule = "colour-taken", "RULES 2.3"


class ColourNotWhole(RulesError):
    """Nobody can play with *colour*, because the deck lacks one of its ten cards."""

    code, rule = "colour-not-whole", "RULES 1.6"


class NobodysColour(RulesError):
    """Nobody plays with *colour*."""

    code, rule = "nobodys-colour", "RULES 3.2"


class NotYourCard(RulesError):
    """The card belongs to *seat*, but was tapped on the reader of *other_seat*."""

    code, rule = "not-your-card", "RULES 3.2"


class OneCardOnly(RulesError):
    """*seat* has already revealed the card *number* in this round."""

    code, rule = "one-card-only", "RULES 3.3"


class CannotBeChosen(RulesError):
    """*seat* is not one of the tied players, or is the captain, who must choose somebody else."""

    code, rule = "cannot-be-chosen", "RULES 3.5"


class OnlyOnePiece(RulesError):
    """The player may load one piece only.

    *why* is ``deck`` if the area is on the ship's deck, ``empty`` if the area held no piece, or
    ``last`` if the player has only one piece left.
    """

    code, rule = "only-one-piece", "RULES 4.3"


class Announced(RulesError):
    """The player has already announced *n* pieces, and must load that many."""

    code, rule = "announced", "RULES 4.4"


class NotSoMany(RulesError):
    """The number of fallen or caught pieces is not between *low* and *high*."""

    code, rule = "not-so-many", "RULES 5.2"


class AlreadyAboard(RulesError):
    """*piece* is already on the ship, in *area*."""

    code, rule = "already-aboard", "RULES 7.3"


class LeftTheGame(RulesError):
    """*piece* was caught earlier and is out of the game."""

    code, rule = "left-the-game", "RULES 7.3"


class NotYourPiece(RulesError):
    """*piece* cannot be one of *seat*'s pieces."""

    code, rule = "not-your-piece", "RULES 7.3"


class NotAboard(RulesError):
    """*piece* was not on the ship, so it cannot have fallen."""

    code, rule = "not-aboard", "RULES 7.4"


class TappedAlready(RulesError):
    """*piece* was already tapped after this fall."""

    code, rule = "tapped-already", "RULES 7.4"
