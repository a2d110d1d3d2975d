"""The tiles of Camargue: landscapes with their paths, helpers, and tiles for emergencies.

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 2.2" and so on. What a landscape tile or
a helper shows stands in its kind's name; what the start tile and the emergency tiles show, in the
columns ``landscape`` and ``paths`` of deck.toml.

The sides of a tile are those of ``engines.common.grid.SIDES``, as the emblem orients it. A set of
them is one number, a bit for each: most of what is asked of a board is whether two sets are equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.camargue.errors import OddTile
from engines.common.grid import SIDES
from engines.common.pieces import Deck, Kind, Piece

LANDSCAPES = ("forest", "grain", "lavender", "village", "water")
NO_LANDSCAPE = "none"

START, EMERGENCY, HELPER = "start", "emergency", "helper"
EMERGENCY_PATHS = 3  # and one edge without. RULES 7.6

BITS = {side: 1 << number for number, side in enumerate(SIDES)}  # clockwise
ALL = sum(BITS.values())


def letters_of(sides: int) -> str:
    """The letters of *sides*, in the order of ``SIDES``."""
    return "".join(side for side, bit in BITS.items() if sides & bit)


SETS = {letters_of(sides): sides for sides in range(ALL + 1)}  # sides by their letters


def turned(sides: int) -> int:
    """*sides* after a quarter turn clockwise."""
    return (sides << 1 | sides >> 3) & ALL


def opposite(sides: int) -> int:
    """The sides across from *sides*."""
    return turned(turned(sides))


@dataclass(frozen=True, slots=True)
class Tile:
    """What a tile shows: a landscape, or none, and the sides that its *paths* lead to."""

    landscape: str
    paths: int

    @property
    def turns(self) -> tuple["Tile", ...]:
        """This tile as it is, and after one, two and three quarter turns clockwise."""
        ways = [self.paths]
        while len(ways) < len(SIDES):
            ways.append(turned(ways[-1]))
        return tuple(Tile(self.landscape, paths) for paths in ways)


@dataclass(frozen=True, slots=True)
class Box:
    """What a deck's kinds show: *tiles* by kind, and of each *helper* its two landscapes."""

    tiles: Mapping[str, Tile]
    helpers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, deck: Deck) -> "Box":
        """Read what *deck* says.

        Raises:
            OddTile: the deck file shows the start tile or the emergency tiles otherwise than
                they can be (RULES 1.6).
            ValueError: a kind is none that Camargue knows.
        """
        shown = {kind.name: _shown(kind) for kind in deck.kinds}
        tiles = {name: what for name, what in shown.items() if isinstance(what, Tile)}
        helpers = {name: what for name, what in shown.items() if isinstance(what, tuple)}
        return cls(tiles, helpers)


def _shown(kind: Kind) -> Tile | tuple[str, ...]:
    """What is printed on *kind*: a tile's landscape and paths, or a helper's landscapes."""
    match kind.name.split("-"):
        case [name] if name in (START, EMERGENCY):
            return _special(kind)
        case [name, *helped] if name == HELPER and _is_pair(helped):
            return tuple(helped)
        case [landscape, paths] if landscape in LANDSCAPES and SETS.get(paths):
            return Tile(landscape, SETS[paths])
    raise ValueError(f'Camargue has no tile "{kind.name}"')


def _is_pair(helped: list[str]) -> bool:
    """Whether these are two landscapes, in their order."""
    return len(helped) == 2 and helped == sorted({*helped} & {*LANDSCAPES})


def _special(kind: Kind) -> Tile:
    """The start tile, or the emergency tile."""
    landscape, paths = kind.traits.get("landscape"), kind.traits.get("paths")
    is_emergency = kind.name == EMERGENCY
    if (
        landscape not in (NO_LANDSCAPE, *LANDSCAPES)
        or not SETS.get(str(paths))
        or (is_emergency and len(str(paths)) != EMERGENCY_PATHS)
    ):
        raise OddTile(piece=Piece(kind.name))
    return Tile(str(landscape), SETS[str(paths)])
