"""The ship: how many pieces lie in which area, as far as people told it.

Room: engines/riff_raff. Values.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 4.1" and so on.

A referee hears where a piece was loaded, and how many fell, but not from where. So it keeps for
every set of areas how many pieces lie in it at least; what lies there at most is the rest of the
ship. Nothing is lost by that: whatever keeps all these bounds can lie on the ship. (The ways in
which a ship may be loaded are the bases of an integer polymatroid, and they remain that when a
piece is loaded, when pieces fall from anywhere, and when somebody looks whether an area is empty.)
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from operator import add, sub

from engines.common.contract import Seat
from engines.common.pieces import Piece
from engines.riff_raff.box import NUMBERS

AREAS = NUMBERS  # RULES 2.4
YARDARMS = range(5, 11)  # those above the deck

SETS = range(1 << len(AREAS))  # every set of areas, as a number with a bit for each
EVERYWHERE = SETS[-1]
BIT = {area: 1 << place for place, area in enumerate(AREAS)}
HAS = {area: bytes(bool(areas & bit) for areas in SETS) for area, bit in BIT.items()}
MOST = 255  # pieces that a byte can count; no box of this game holds so many
LESS = [bytes(max(0, few - n) for few in range(MOST + 1)) for n in range(MOST + 1)]


@dataclass(frozen=True, slots=True)
class Ship:
    """What lies on the ship: *fewest* pieces in each of SETS."""

    fewest: bytes = bytes(len(SETS))

    @property
    def total(self) -> int:
        """How many pieces lie on the ship."""
        return self.fewest[EVERYWHERE]

    def least(self, area: int) -> int:
        """How many pieces lie in *area* for certain."""
        return self.fewest[BIT[area]]

    def most(self, area: int) -> int:
        """How many pieces can lie in *area*."""
        return self.total - self.fewest[EVERYWHERE ^ BIT[area]]

    # --- what happens ---

    def loaded(self, area: int) -> "Ship":
        """A piece was loaded there."""
        return Ship(bytes(map(add, self.fewest, HAS[area])))

    def unloaded(self, area: int) -> "Ship":
        """A piece fell from there; this is known only of a ship of which all is known."""
        return Ship(bytes(map(sub, self.fewest, HAS[area])))

    def fallen(self, n: int) -> "Ship":
        """So many pieces fell, from anywhere."""
        return Ship(self.fewest.translate(LESS[n]))

    # --- what people saw ---

    def empty_at(self, area: int) -> "Ship":
        """Nothing lies there."""
        bit, fewest = BIT[area], self.fewest
        return Ship(bytes(fewest[areas | bit] for areas in SETS))

    def held_at(self, area: int) -> "Ship":
        """Something lies there."""
        bit, fewest = BIT[area], self.fewest
        least = (fewest[areas & ~bit] + 1 if areas & bit else 0 for areas in SETS)
        return Ship(bytes(map(max, fewest, least)))


@dataclass(frozen=True, slots=True)
class Cargo:
    """Where tagged pieces are that were tapped: *aboard* by area, *with_seats*, or *gone*.

    A piece that was never tapped may lie in front of anybody (RULES 7.3).
    """

    aboard: frozenset[tuple[Piece, int]] = frozenset()
    with_seats: frozenset[tuple[Piece, Seat]] = frozenset()
    gone: frozenset[Piece] = frozenset()

    @property
    def on_ship(self) -> dict[Piece, int]:
        """The pieces on the ship, and in which area."""
        return dict(self.aboard)

    @property
    def owners(self) -> dict[Piece, Seat]:
        """The pieces of which it is known in front of whom they lie."""
        return dict(self.with_seats)

    def loaded(self, piece: Piece, area: int) -> "Cargo":
        """*piece* went on the ship."""
        rest = self.without({piece})
        return replace(rest, aboard=rest.aboard | {(piece, area)})

    def fallen(self, seat: Seat, taken: frozenset[Piece], gone: frozenset[Piece]) -> "Cargo":
        """*seat* took some pieces, others are *gone*; on the ship, or in hand, is none of them."""
        rest = self.without(taken | gone)
        mine = {(piece, seat) for piece in taken}
        return replace(rest, with_seats=rest.with_seats | mine, gone=rest.gone | gone)

    def without(self, pieces: Set[Piece]) -> "Cargo":
        """All but these *pieces*, which were taken from where they were."""
        return replace(
            self,
            aboard=frozenset(pair for pair in self.aboard if pair[0] not in pieces),
            with_seats=frozenset(pair for pair in self.with_seats if pair[0] not in pieces),
        )
