"""The refusals of Camargue, beside those that all games share.

A wrong claim that nothing fits is not refused: the player must place the tile that fits
(RULES 7.3).

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class NoStartTile(CannotStart):
    """The deck does not hold a start tile."""

    code, rule = "no-start-tile", "RULES 1.6"


class OddTile(CannotStart):
    """The deck file gives *piece* a landscape or paths that this tile cannot have."""

    code, rule = "odd-tile", "RULES 1.6"


# --- places --------------------------------------------------------------------------------------


class FitsNowhere(RulesError):
    """There is no place on the board where *piece* may be laid."""

    code, rule = "fits-nowhere", "RULES 4.6"


class Occupied(RulesError):
    """The place already has a tile."""

    code, rule = "occupied", "RULES 4.2"


class TouchesNothing(RulesError):
    """The place has no tile beside it. A tile across a corner does not count."""

    code, rule = "touches-nothing", "RULES 4.3"


class CutsPath(RulesError):
    """The tile would cut off a path at its *side*: n, e, s or w."""

    code, rule = "cuts-path", "RULES 4.4"


class ContinuesNoPath(RulesError):
    """The tile would continue no path: none of its paths would meet a path of a neighbour."""

    code, rule = "continues-no-path", "RULES 4.5"


class NoPlaceForEmergency(RulesError):
    """The emergency tile may touch only one tile, and only where both edges have no path."""

    code, rule = "no-place-for-emergency", "RULES 7.6"


# --- helpers -------------------------------------------------------------------------------------


class HelperInFront(RulesError):
    """*seat* has a helper in front, and must put it aside before playing a tile or helper."""

    code, rule = "helper-in-front", "RULES 6.5"


class OwnTile(RulesError):
    """*seat* placed this tile, and may not copy the points that it scored."""

    code, rule = "own-tile", "RULES 6.3"


class NoMatch(RulesError):
    """The helper *piece* does not show *landscape*."""

    code, rule = "no-match", "RULES 6.3"


class NoTilesLeft(RulesError):
    """*seat* has no tiles left, so cannot hold a helper."""

    code, rule = "no-tiles-left", "RULES 6.3"


class FewerThanThree(RulesError):
    """By a house rule, only players with three tiles may copy. *seat* holds *n*."""

    code, rule = "fewer-than-three", "RULES 6.7"


# --- emergencies ---------------------------------------------------------------------------------


class HelperInHand(RulesError):
    """The player can discard the helper *piece*, so there is no emergency."""

    code, rule = "helper-in-hand", "RULES 7.4"


class HelperInClaim(HelperInHand):
    """*piece* may belong to *seat*, who claims that nothing fits, or to another player.

    The mat cannot tell whose it is.
    """

    own_words = "helper-in-claim"


class NotInHand(RulesError):
    """*seat* has shown the whole hand of *n* tiles, and this tile is not in it."""

    code, rule = "not-in-hand", "RULES 7.9"


class TooLateToCopy(RulesError):
    """It is too late to copy: *seat* has shown the whole hand, so the helper is someone else's."""

    code, rule = "too-late-to-copy", "RULES 7.9"


class NoEmergency(RulesError):
    """An emergency tile may be taken only when no tile in the hand fits."""

    code, rule = "no-emergency", "RULES 7.1"
