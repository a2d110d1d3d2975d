"""What Camargue refuses, beside the refusals all games share.

A claim that nothing fits is nothing of the kind when it proves wrong: the rules take it, and have
that tile placed (RULES 7.3).

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md.
"""

from engines.common.errors import CannotStart, RulesError


class NoStartTile(CannotStart):
    """The deck holds no start tile."""

    code, rule = "no-start-tile", "RULES 1.6"


class OddTile(CannotStart):
    """The deck file says of *piece* what it cannot show."""

    code, rule = "odd-tile", "RULES 1.6"


# --- places --------------------------------------------------------------------------------------


class FitsNowhere(RulesError):
    """There is no place for *piece*."""

    code, rule = "fits-nowhere", "RULES 4.6"


class Occupied(RulesError):
    """A tile lies at the place already."""

    code, rule = "occupied", "RULES 4.2"


class TouchesNothing(RulesError):
    """No tile lies beside the place; one across a corner is none."""

    code, rule = "touches-nothing", "RULES 4.3"


class CutsPath(RulesError):
    """At its *side* the tile would cut a path off."""

    code, rule = "cuts-path", "RULES 4.4"


class ContinuesNoPath(RulesError):
    """Only edges without a path would meet."""

    code, rule = "continues-no-path", "RULES 4.5"


class NoPlaceForEmergency(RulesError):
    """The emergency tile would not lie with its blank edge alone at a blank edge."""

    code, rule = "no-place-for-emergency", "RULES 7.6"


# --- helpers -------------------------------------------------------------------------------------


class HelperInFront(RulesError):
    """A helper lies in front of *seat*: no tile, and no other helper, before it is put aside."""

    code, rule = "helper-in-front", "RULES 6.5"


class OwnTile(RulesError):
    """*seat* placed the tile and has its points already."""

    code, rule = "own-tile", "RULES 6.3"


class NoMatch(RulesError):
    """*piece* does not help in that *landscape*."""

    code, rule = "no-match", "RULES 6.3"


class NoTilesLeft(RulesError):
    """*seat* cannot hold a helper any more."""

    code, rule = "no-tiles-left", "RULES 6.3"


class FewerThanThree(RulesError):
    """The house rule says that only who holds three tiles may copy; *seat* holds *n*."""

    code, rule = "fewer-than-three", "RULES 6.7"


# --- emergencies ---------------------------------------------------------------------------------


class HelperInHand(RulesError):
    """*piece* can be discarded, so there is no emergency."""

    code, rule = "helper-in-hand", "RULES 7.4"


class NoEmergency(RulesError):
    """Emergency tiles are taken only when nothing fits."""

    code, rule = "no-emergency", "RULES 7.1"
