"""The load of the ship: the smallest and largest number of pieces that may be in each area.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 4.1" and so on.

Players say where a piece was loaded and how many pieces fell, but not where these fell from. So the
referee stores, for every set of areas, the smallest number of pieces that may be in these areas
together. The largest number in an area is the total, minus the smallest number in all other areas.
These bounds are exact: every load within them is possible. (The possible loads are the bases of an
integer polymatroid. That remains true when a piece is loaded, when pieces fall from anywhere, and
when somebody checks if an area is empty.)
"""

from collections.abc import Set
from dataclasses import dataclass

from engines.common.contract import Seat
from engines.common.copies import replace
from engines.common.pieces import Piece
from engines.riff_raff.box import NUMBERS

AREAS = NUMBERS  # RULES 2.4
YARDARMS = range(5, 11)  # the areas above the deck

SETS = range(1 << len(AREAS))  # every set of areas, as a number with one bit for each area
EVERYWHERE = SETS[-1]
BIT = {area: 1 << place for place, area in enumerate(AREAS)}
# For each area, a number with one byte for each of SETS: 1 if the set contains the area, else 0.
# Added to ``Ship.fewest`` as a number, it counts one piece more; no byte is ever above MOST.
HAS = {area: int.from_bytes(bool(areas & bit) for areas in SETS) for area, bit in BIT.items()}
MOST = 255  # greatest number a byte can hold; no box of this game has more pieces
# For each n, a table for ``bytes.translate`` that subtracts n from every byte, down to 0.
LESS = [bytes(max(0, few - n) for few in range(MOST + 1)) for n in range(MOST + 1)]


@dataclass(frozen=True, slots=True)
class Ship:
    """The load of the ship.

    *fewest* has, for each set of areas in SETS, the smallest number of pieces that may be in these
    areas together.
    """

    fewest: bytes = bytes(len(SETS))

    @property
    def total(self) -> int:
        """The number of pieces on the ship."""
        return self.fewest[EVERYWHERE]

    def least(self, area: int) -> int:
        """Return the smallest number of pieces that may be in *area*."""
        return self.fewest[BIT[area]]

    def most(self, area: int) -> int:
        """Return the largest number of pieces that may be in *area*."""
        return self.total - self.fewest[EVERYWHERE ^ BIT[area]]

    # --- events ---

    def after_loading(self, area: int) -> "Ship":
        """Return the load after a piece was put into *area*."""
        return Ship((int.from_bytes(self.fewest) + HAS[area]).to_bytes(len(SETS)))

    def after_unloading(self, area: int) -> "Ship":
        """Return the load after a piece fell from *area*; only for a load that is fully known."""
        return Ship((int.from_bytes(self.fewest) - HAS[area]).to_bytes(len(SETS)))

    def after_fall(self, n: int) -> "Ship":
        """Return the load after *n* pieces fell from unknown areas."""
        return Ship(self.fewest.translate(LESS[n]))

    # --- observations ---

    def empty_at(self, area: int) -> "Ship":
        """Return the load after players said that *area* is empty."""
        bit, fewest = BIT[area], self.fewest
        return Ship(bytes(fewest[areas | bit] for areas in SETS))

    def held_at(self, area: int) -> "Ship":
        """Return the load after players said that *area* holds at least one piece."""
        bit, fewest = BIT[area], self.fewest
        least = (fewest[areas & ~bit] + 1 if areas & bit else 0 for areas in SETS)
        return Ship(bytes(map(max, fewest, least)))


@dataclass(frozen=True, slots=True)
class Cargo:
    """The known places of tagged pieces.

    A piece that was never tapped has no known place: it may be in front of any player (RULES 7.3).
    """

    aboard: frozenset[tuple[Piece, int]] = frozenset()  # pieces on the ship, with their areas
    with_seats: frozenset[tuple[Piece, Seat]] = frozenset()  # pieces whose owner is known
    gone: frozenset[Piece] = frozenset()  # pieces that left the game

    @property
    def on_ship(self) -> dict[Piece, int]:
        """The area of each piece on the ship."""
        return dict(self.aboard)

    @property
    def owners(self) -> dict[Piece, Seat]:
        """The owner of each piece whose owner is known."""
        return dict(self.with_seats)

    def after_loading(self, piece: Piece, area: int) -> "Cargo":
        """Return the cargo after *piece* was loaded into *area*."""
        rest = self.without({piece})
        return replace(rest, aboard=rest.aboard | {(piece, area)})

    def after_fall(self, seat: Seat, taken: frozenset[Piece], gone: frozenset[Piece]) -> "Cargo":
        """Return the cargo after a fall: *seat* took *taken*, and *gone* left the game."""
        rest = self.without(taken | gone)
        mine = {(piece, seat) for piece in taken}
        return replace(rest, with_seats=rest.with_seats | mine, gone=rest.gone | gone)

    def without(self, pieces: Set[Piece]) -> "Cargo":
        """Return the cargo with the places of *pieces* forgotten."""
        return replace(
            self,
            aboard=frozenset(pair for pair in self.aboard if pair[0] not in pieces),
            with_seats=frozenset(pair for pair in self.with_seats if pair[0] not in pieces),
        )
