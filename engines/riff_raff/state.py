"""The state of a game of Riff Raff: the cards played, and the pieces by place.

``rules`` makes each state from the one before.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from engines.common import layouts
from engines.common.contract import Seat
from engines.common.copies import replace
from engines.common.pieces import Piece
from engines.common.setup import GameConfig
from engines.riff_raff.box import DeckContents
from engines.riff_raff.house import HouseRules
from engines.riff_raff.ship import Cargo, Ship

T = TypeVar("T")


class Phase(StrEnum):
    """The phases of a game. Each value is used as ``View.phase``."""

    COLOURS = layouts.COLOURS  # each player shows a colour
    REVEAL = "reveal"  # each player reveals a card
    CAPTAIN = "captain"  # which of the tied players becomes captain?
    ORDER = "order"  # which of the tied players is next?
    LOOK = "look"  # is there a piece in the area?
    ANNOUNCE = "announce"  # does the player load one piece or two?
    PIECE = layouts.PIECE  # with tagged cargo: which piece will be loaded?
    LOAD = layouts.LOAD  # does the piece hold, or did cargo fall?
    FALLEN = layouts.FALLEN  # how many pieces fell?
    CAUGHT = layouts.CAUGHT  # how many of these were caught?
    WHICH = layouts.WHICH  # was the caught piece the one just placed?
    WHICH_FELL = layouts.WHICH_FELL  # was the fallen piece the one just placed?
    TAP_CAUGHT = layouts.TAP_CAUGHT  # with tagged cargo: players tap each piece that was caught
    TAP_LOST = layouts.TAP_LOST  # with tagged cargo: the same for fallen pieces not caught
    OVER = "over"


@dataclass(frozen=True, slots=True)
class RiffRaffConfig(GameConfig):
    """The settings of a game, which stay the same until its end."""

    box: DeckContents = field(hash=False, repr=False)
    house: HouseRules


@dataclass(frozen=True, slots=True)
class LoadingTurn:
    """The turn in which *seat* loads *area*, and the pieces that fell from the ship.

    A piece "holds" if it stays on the ship. Until the player says so, the piece being loaded still
    counts in ``State.stocks``.
    """

    seat: Seat
    area: int
    announced: int = 0  # pieces to load; 0 before the announcement
    loaded: int = 0  # announced pieces that already hold
    piece: Piece | None = None  # the piece being loaded, with tagged cargo
    fell: int = 0  # number of pieces that fell
    caught: frozenset[Piece] = frozenset()  # fallen pieces tapped as caught, with tagged cargo
    lost: frozenset[Piece] = frozenset()  # fallen pieces tapped as not caught


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game of Riff Raff: everything that the mat knows."""

    config: RiffRaffConfig
    captain: Seat  # in office until the next cards are revealed
    stocks: tuple[int, ...]  # pieces in front of each seat
    colours: tuple[str | None, ...]  # by seat; None until the player shows a colour
    hands: tuple[frozenset[int], ...]  # cards not yet played in this pass, by seat
    shown: tuple[int, ...]  # card revealed in this round, by seat; 0 for none yet
    phase: Phase = Phase.COLOURS
    number: int = 1  # number of the round in this pass, from 1
    passes: int = 1  # number of this pass, from 1
    order: tuple[Seat, ...] = ()  # the players after the current one, in turn order
    turn: LoadingTurn | None = None
    ship: Ship = field(default_factory=Ship)
    cargo: Cargo = field(default_factory=Cargo)  # used with tagged cargo only
    removed: int = 0  # pieces that left the game

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.config.house

    @property
    def everyone(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(Seat(n) for n in range(self.config.seats))

    @property
    def colourless(self) -> tuple[Seat, ...]:
        """The seats that have not shown a colour yet."""
        return tuple(seat for seat in self.everyone if self.colours[seat] is None)

    @property
    def waited_for(self) -> tuple[Seat, ...]:
        """The seats that have not revealed a card in this round."""
        return tuple(seat for seat in self.everyone if not self.shown[seat])

    @property
    def acting(self) -> LoadingTurn:
        """The current turn. Use it only in a phase that belongs to a player's turn."""
        assert self.turn is not None, "somebody loads in this phase"
        return self.turn

    def owner_of(self, colour: str) -> Seat | None:
        """Return the seat that plays with *colour*, or None."""
        return Seat(self.colours.index(colour)) if colour in self.colours else None

    def tied_seats(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Return the seats among *seats* that revealed the highest card, several if they tie."""
        best = max(self.shown[seat] for seat in seats)
        return tuple(seat for seat in seats if self.shown[seat] == best)

    def at(self, phase: Phase, turn: LoadingTurn) -> "State":
        """Return this game in *phase*, with *turn* as its current turn."""
        return replace(self, phase=phase, turn=turn)


def with_value(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """Return *values*, one for each seat, with the one of *seat* replaced by *value*."""
    return (*values[:seat], value, *values[seat + 1 :])
