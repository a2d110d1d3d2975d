"""The pieces of players who know no rules: what lies where, and what happens to the ship.

This is the world of hands and wood. It follows from the acts at the mat and the referee's counts,
as at the virtual table (decision 0007), and says nothing about what can be played.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from engines.common import layouts
from engines.common.contract import Choice, Game, Tap
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.journal.journal import GameRecord
from sim.deal.layouts.board import deal as deal_tiles
from sim.deal.layouts.hands import Dealer
from sim.deal.layouts.ship import ShipDealer
from sim.deal.layouts.spread import Tiles
from sim.deal.transitions import Transition, initial_state, shuffle

YES: Final = Choice("yes")


class Pieces(ABC):
    """All pieces of the game in *record*, dealt with *chance*."""

    def __init__(self, record: GameRecord, chance: Random) -> None:
        self._game: Game[Any] = games()[record.start.game]
        self._state = initial_state(self._game, record.start)
        self._inputs = 0
        self.chance = chance

    def follow(self, record: GameRecord) -> None:
        """Move the pieces that the inputs of *record* have moved since the last call."""
        for given in record.inputs[self._inputs :]:
            step = self._game.step(self._state, given)
            before, after = self._game.view(self._state), self._game.view(step.state)
            self._apply(Transition(given, step, before, after))
            self._state = step.state
        self._inputs = len(record.inputs)

    @abstractmethod
    def _apply(self, transition: Transition) -> None:
        """Move the pieces that *transition* moved."""

    @abstractmethod
    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the pieces in the hand of the player at *seat*."""

    @property
    def common(self) -> Sequence[Piece]:
        """The pieces that lie there for everybody."""
        return ()

    def drawn_by(self, seat: int) -> Sequence[Piece]:
        """Return the pieces that the player at *seat* has drawn last."""
        return ()

    def load(self) -> None:
        """Put a piece on the ship; what happens then is in the properties below."""
        raise NotImplementedError("there is no ship")

    @property
    def fallen(self) -> int:
        """The number of pieces that have just fallen from the ship."""
        return 0

    @property
    def caught(self) -> int:
        """The number of fallen pieces that were caught."""
        return 0

    @property
    def is_placed_one(self) -> bool:
        """True if the piece in question is the one just placed."""
        return False

    @property
    def lies_there(self) -> bool:
        """True if a piece is in the area that is loaded."""
        return False


class Hand(Pieces):
    """Cards in hands, a draw pile and a discard pile."""

    def __init__(self, record: GameRecord, chance: Random) -> None:
        super().__init__(record, chance)
        self._dealer = Dealer(record.start.deck, chance)
        self._dealer.deal(self._game.view(self._state))

    def _apply(self, transition: Transition) -> None:
        self._dealer.apply(transition)

    def hand(self, seat: int) -> Sequence[Piece]:
        return self._dealer.cards.hands[seat]

    def drawn_by(self, seat: int) -> Sequence[Piece]:
        return self._dealer.cards.drawn[seat]


class Spread(Pieces):
    """Tiles face down, which anybody can turn over."""

    def __init__(self, record: GameRecord, chance: Random) -> None:
        super().__init__(record, chance)
        view = self._game.view(self._state)
        self._tiles = Tiles([*shuffle(record.start.deck, chance)], [[] for _ in view.scores])

    def _apply(self, transition: Transition) -> None:
        if isinstance(transition.given, Tap):
            self._tiles.turn(transition.given.piece)
        self._tiles.settle(transition.before, transition.after)

    def hand(self, seat: int) -> Sequence[Piece]:
        return ()

    @property
    def common(self) -> Sequence[Piece]:
        down = [piece for piece in self._tiles.places if piece and piece not in self._tiles.open]
        return self.chance.sample(down, len(down))


class Board(Pieces):
    """Tiles in hands, and tiles beside the board."""

    def __init__(self, record: GameRecord, chance: Random) -> None:
        super().__init__(record, chance)
        view = self._game.view(self._state)
        self._tiles = deal_tiles(view, shuffle(record.start.deck, chance))

    def _apply(self, transition: Transition) -> None:
        self._tiles.apply(transition)

    def hand(self, seat: int) -> Sequence[Piece]:
        return self._tiles.hands[seat]

    @property
    def common(self) -> Sequence[Piece]:
        return self._tiles.apart


class Cargo(Pieces):
    """Fixed hands of cards, and a ship that tilts under its cargo."""

    def __init__(self, record: GameRecord, chance: Random) -> None:
        super().__init__(record, chance)
        first, seed = self._game.view(self._state), chance.randrange(1 << 30)
        self._dealer = ShipDealer(record.start.deck, first, is_tagged=False, seed=seed)

    def _apply(self, transition: Transition) -> None:
        self._dealer.apply(transition)

    def hand(self, seat: int) -> Sequence[Piece]:
        hand = self._dealer.ship.hands[seat]
        return self.chance.sample(hand, len(hand))

    def load(self) -> None:
        if self._dealer.ship.in_hand is None:
            self._dealer.choose(self.chance.choice([*self._dealer.ship.movable]))
        self._dealer.rock()

    @property
    def fallen(self) -> int:
        spilled = self._dealer.ship.spilled
        return 0 if spilled is None else len(spilled.fallen)

    @property
    def caught(self) -> int:
        spilled = self._dealer.ship.spilled
        return 0 if spilled is None else len(spilled.caught)

    @property
    def is_placed_one(self) -> bool:
        return self._dealer.ship.report == Choice("placed")

    @property
    def lies_there(self) -> bool:
        return self._dealer.ship.sight == YES


KINDS: Final[Mapping[str, Callable[[GameRecord, Random], Pieces]]] = {
    layouts.HANDS: Hand,
    layouts.SPREAD: Spread,
    layouts.BOARD: Board,
    layouts.SHIP: Cargo,
}


def pieces_of(record: GameRecord, chance: Random) -> Pieces:
    """Return the pieces of the game in *record*, shuffled and dealt."""
    return KINDS[games()[record.start.game].layout](record, chance)
