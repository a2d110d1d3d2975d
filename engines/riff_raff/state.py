"""A game of Riff Raff as the mat knows it: cards played, pieces in stock, on the ship and gone.

Room: engines/riff_raff. Values; ``rules`` moves from one to the next.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from engines.common.contract import Seat
from engines.common.pieces import Deck, Piece
from engines.riff_raff.box import Box
from engines.riff_raff.house import HouseRules
from engines.riff_raff.ship import Cargo, Ship

T = TypeVar("T")


class Phase(Enum):
    """What the table is doing; the value is the code a view shows."""

    COLOURS = "colours"  # who plays with which
    REVEAL = "reveal"
    CAPTAIN = "captain"  # several played the highest card
    ORDER = "order"  # several played another card of one number
    LOOK = "look"  # does a piece lie there?
    ANNOUNCE = "announce"  # one piece or two
    PIECE = "piece"  # tagged cargo: which piece is loaded
    LOAD = "load"
    FALLEN = "fallen"  # how many
    CAUGHT = "caught"  # how many of these
    WHICH = "which"  # was it the piece just placed?
    TAP_CAUGHT = "tap-caught"  # tagged cargo: each piece that was caught
    TAP_LOST = "tap-lost"  # tagged cargo: each that was not
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same from the first card to the last piece."""

    deck: Deck = field(hash=False, repr=False)
    box: Box = field(hash=False, repr=False)
    seats: int
    house: HouseRules


@dataclass(frozen=True, slots=True)
class Turn:
    """What *seat* loads into *area*, and what fell from the ship meanwhile.

    The piece in hand, which is still to hold or to fall, is in no number but those of its stock.
    """

    seat: Seat
    area: int
    announced: int = 0  # pieces to load; 0 before it is known
    loaded: int = 0  # of them, those that held
    piece: Piece | None = None  # the one in hand, with tagged cargo
    fell: int = 0
    caught: frozenset[Piece] = frozenset()  # of those that fell, with tagged cargo
    lost: frozenset[Piece] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """A game of Riff Raff."""

    table: Table
    captain: Seat  # in office
    stocks: tuple[int, ...]  # pieces in front of each seat
    colours: tuple[str | None, ...]  # by seat; none before it was shown
    hands: tuple[frozenset[int], ...]  # numbers of the cards not yet played in this pass, by seat
    shown: tuple[int, ...]  # numbers of the cards revealed in this round, by seat; 0: none yet
    phase: Phase = Phase.COLOURS
    number: int = 1  # of the round in this pass
    passes: int = 1  # which pass it is, from 1
    order: tuple[Seat, ...] = ()  # who plays, in this order, after the turn that is on
    turn: Turn | None = None
    ship: Ship = field(default_factory=Ship)
    cargo: Cargo = field(default_factory=Cargo)  # with tagged cargo
    removed: int = 0  # pieces that left the game

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.table.house

    @property
    def everyone(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(Seat(n) for n in range(self.table.seats))

    @property
    def colourless(self) -> tuple[Seat, ...]:
        """Who has not shown a colour yet."""
        return tuple(seat for seat in self.everyone if self.colours[seat] is None)

    @property
    def waited_for(self) -> tuple[Seat, ...]:
        """Who has not revealed a card in this round."""
        return tuple(seat for seat in self.everyone if not self.shown[seat])

    @property
    def acting(self) -> Turn:
        """The turn that is on; only phases of a turn may ask."""
        assert self.turn is not None, "somebody loads in this phase"
        return self.turn

    def owner_of(self, colour: str) -> Seat | None:
        """Who plays with *colour*."""
        return Seat(self.colours.index(colour)) if colour in self.colours else None

    def tied(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Those of *seats* who revealed the highest card among them."""
        best = max(self.shown[seat] for seat in seats)
        return tuple(seat for seat in seats if self.shown[seat] == best)

    def at(self, phase: Phase, turn: Turn) -> "State":
        """This game at another *phase* of its *turn*."""
        return replace(self, phase=phase, turn=turn)


def changed(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """*values* by seat, with another *value* for *seat*."""
    return (*values[:seat], value, *values[seat + 1 :])
