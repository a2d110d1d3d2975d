"""The tiles of Camargue: landscapes with their paths, helpers, and tiles for emergencies.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 2.2" and so on. The print of a landscape
tile or a helper is in its kind's name. The print of the start tile and the emergency tiles is in
the columns ``landscape`` and ``paths`` of deck.toml.

A set of sides is an int with one bit for each side (BITS), so that sets are quick to compare. Sides
are named as in ``engines.common.grid.SIDES``, for a tile that lies with its emblem at the top
right.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engines.camargue.errors import OddTile
from engines.common.grid import SIDES
from engines.common.pieces import Deck, Kind, Piece

LANDSCAPES = ("forest", "grain", "lavender", "village", "water")
NO_LANDSCAPE = "none"

START, EMERGENCY, HELPER = "start", "emergency", "helper"
EMERGENCY_PATHS = 3  # the fourth edge is blank. RULES 7.6

BITS = {side: 1 << number for number, side in enumerate(SIDES)}  # in clockwise order
ALL = sum(BITS.values())


@cache
def letters_of(sides: int) -> str:
    """Return the letters of *sides*, in the order of ``SIDES``."""
    return "".join(side for side, bit in BITS.items() if sides & bit)


SETS = {letters_of(sides): sides for sides in range(ALL + 1)}  # sets of sides by their letters


def quarter_turn(sides: int) -> int:
    """Return the set *sides* after a quarter turn clockwise."""
    return (sides << 1 | sides >> 3) & ALL


def opposite(sides: int) -> int:
    """Return the sides opposite to *sides*."""
    return quarter_turn(quarter_turn(sides))


@dataclass(frozen=True, slots=True)
class Tile:
    """The print on a tile: its landscape or NO_LANDSCAPE, and the sides to which paths lead.

    *paths* is a set of BITS.
    """

    landscape: str
    paths: int

    @property
    def turns(self) -> tuple["Tile", ...]:
        """This tile after zero, one, two and three quarter turns clockwise."""
        ways = [self.paths]
        while len(ways) < len(SIDES):
            ways.append(quarter_turn(ways[-1]))
        return tuple(Tile(self.landscape, paths) for paths in ways)


@dataclass(frozen=True, slots=True)
class Prints:
    """The printed faces in a deck, by kind: a Tile, or the two landscapes of a helper."""

    tiles: Mapping[str, Tile]
    helpers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, deck: Deck) -> "Prints":
        """Return what is printed on each kind of tile in *deck*.

        Raises:
            OddTile: the deck file gives the start tile or the emergency tiles an impossible
                print (RULES 1.6).
            ValueError: Camargue does not know one of the kinds.
        """
        shown = {kind.name: _print_of(kind) for kind in deck.kinds}
        tiles = {name: what for name, what in shown.items() if isinstance(what, Tile)}
        helpers = {name: what for name, what in shown.items() if isinstance(what, tuple)}
        return cls(tiles, helpers)


def _print_of(kind: Kind) -> Tile | tuple[str, ...]:
    """Return the print on *kind*: a tile's landscape and paths, or a helper's landscapes."""
    match kind.name.split("-"):
        case [name] if name in (START, EMERGENCY):
            return _special(kind)
        case [name, *helped] if name == HELPER and _is_pair(helped):
            return tuple(helped)
        case [landscape, paths] if landscape in LANDSCAPES and SETS.get(paths):
            return Tile(landscape, SETS[paths])
    raise ValueError(f'Camargue has no tile "{kind.name}"')


def _is_pair(helped: list[str]) -> bool:
    """Return True if *helped* is two different landscapes in alphabetical order."""
    return len(helped) == 2 and helped == sorted({*helped} & {*LANDSCAPES})


def _special(kind: Kind) -> Tile:
    """Return the print on *kind*, which is the start tile or an emergency tile."""
    landscape, paths = kind.traits.get("landscape"), kind.traits.get("paths")
    is_emergency = kind.name == EMERGENCY
    if (
        landscape not in (NO_LANDSCAPE, *LANDSCAPES)
        or not SETS.get(str(paths))
        or (is_emergency and len(str(paths)) != EMERGENCY_PATHS)
    ):
        raise OddTile(piece=Piece(kind.name))
    return Tile(str(landscape), SETS[str(paths)])
