"""The interface between a game and its environment, without PettingZoo and NumPy."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar, NamedTuple

from engines.common.contract import OptionValue, Seat, Tap
from sim.robots.contract import RobotAct, Robots, SeededDeal, piece_of

SEEDS = 2**32
TRIES = 20  # how often a style is asked before a random action replaces its own
MOST_POINTS = 9999  # the bounds of a score in an observation


class ObservationPart(NamedTuple):
    """A part of an observation: *size* whole numbers from *low* to *high*."""

    name: str
    size: int
    high: int
    low: int = 0


Hiding = Sequence[tuple[Any, Any]]  # hidden places: each is a container, and an index or key in it


def places_unseen_by(
    seat: int, hands: Sequence[Sequence[Any]], *piles: Sequence[Any]
) -> Sequence[Hiding]:
    """Return the places in *piles* and in the hands of all but *seat*, as one group."""
    others = (hand for other, hand in enumerate(hands) if other != seat)
    return [[(place, index) for place in (*piles, *others) for index in range(len(place))]]


class World(ABC):
    """One game with all its hidden pieces.

    An *action* is an index of ``actions``, the names of everything that a player of this game can
    ever do. Acts without a choice, such as counting a hand, are done here and are no actions.

    Args:
        players: the number of players.
        seed: decides the deal, the dealer and all other chance.
    """

    game: ClassVar[str]
    robots: ClassVar[Robots]
    options: ClassVar[Mapping[str, OptionValue]] = {}  # house rules that are not the usual ones

    def __init__(self, players: int, seed: int) -> None:
        if players not in self.robots.seats:
            few, many = self.robots.seats[0], self.robots.seats[-1]
            raise ValueError(f"{self.game} has {few} to {many} players, not {players}")
        self.players = players
        self.chance = Random(f"{self.game} {players} {seed}")
        dealer = self.chance.randrange(players)
        self.deal = SeededDeal(players, dealer, self.chance.randrange(SEEDS), self.options)
        self.books: Any = self.open(self.deal)
        self.acts: list[RobotAct] = []  # all acts at the table so far
        self._legal: Mapping[int, Any] | None = None
        self.go_on()

    # --- for the environment ---

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return bool(self.books.is_over)

    @property
    def winners(self) -> Sequence[int]:
        """The seats of the winners, once the game is over."""
        return tuple(self.books.books.winners)

    @property
    def actor(self) -> int:
        """The seat of the player who chooses the next action."""
        return int(self.books.actor)

    @property
    def legal(self) -> Mapping[int, Any]:
        """The actions that the actor may choose now. The values are for ``do``."""
        if self._legal is None:
            self._legal = self.moves()
        return self._legal

    def act(self, action: int) -> None:
        """Do *action*, and all acts after it that leave no choice.

        Raises:
            ValueError: the rules do not allow this action now.
        """
        if action not in self.legal:
            raise ValueError(f"{self.actions(self.players)[action]} is not allowed now")
        move, self._legal = self.legal[action], None
        self.do(move)
        self.go_on()

    def go_on(self) -> None:
        """Do acts until a player has a choice, or the game is over."""
        while not self.is_over and (act := self.formality()) is not None:
            self.take(act)

    def take(self, act: RobotAct) -> None:
        """Do *act* at the table."""
        self._legal = None
        self.acts.append(act)
        self.books.take(act)

    def clockwise(self, seat: int, values: Sequence[int]) -> list[int]:
        """Return *values*, one for each seat, beginning with *seat*'s."""
        return [*values[seat:], *values[:seat]]

    def at(self, seat: int, marked: Iterable[int]) -> list[int]:
        """Return 1 for each seat of *marked* and 0 for the others, beginning with *seat*."""
        marks = [0] * self.players
        for other in marked:
            marks[(other - seat) % self.players] = 1
        return marks

    def suggestion(self, style: str, chance: Random) -> int:
        """Return the action that the robots' style *style* would choose now.

        If the style wants something that is not an action, such as a wrong card on purpose, ask it
        again; after ``TRIES`` times, return a random action.
        """
        choose = self.robots.styles[style]
        numbers = self.numbers(self.players)
        for _ in range(TRIES):
            action = numbers.get(self.name_of(choose(self.books, chance)), -1)
            if action in self.legal:
                return action
        return chance.choice([*self.legal])

    # --- for each game ---

    @classmethod
    def open(cls, deal: SeededDeal) -> Any:
        """Return the books of a new game."""
        return cls.robots.open(deal)

    @classmethod
    @abstractmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the index of each action, by its name, in a game of *players*."""

    @classmethod
    def actions(cls, players: int) -> Sequence[str]:
        """Return the names of all actions, in order."""
        return tuple(cls.numbers(players))

    @classmethod
    @abstractmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts of an observation, in order."""

    @abstractmethod
    def observation(self, seat: int) -> Sequence[int]:
        """Return what the player at *seat* may know, in the order of ``parts``.

        Seats count clockwise from the player's own.
        """

    @abstractmethod
    def moves(self) -> Mapping[int, Any]:
        """Return the actions that the actor may choose now, each with its move."""

    @abstractmethod
    def formality(self) -> RobotAct | None:
        """Return the next act if nobody has a choice, else None."""

    @abstractmethod
    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that a style's act amounts to."""

    def do(self, move: Any) -> None:
        """Do a move of ``legal``; by default, that is an act."""
        self.take(move)

    @abstractmethod
    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return the groups of hidden places, for tests of secrecy.

        Any two pieces of a group can change places, and the player at *seat* does not notice it.
        """


def rewards_of(winners: Collection[int], players: int) -> list[float]:
    """Return the reward of each seat: 1 for a winner, -1 for a loser, 0 if all share the win."""
    if len(winners) == players:
        return [0.0] * players
    return [1.0 if seat in winners else -1.0 for seat in range(players)]


@cache
def tap(seat: int, card: str) -> RobotAct:
    """Return the act that the player at *seat* taps *card*."""
    return RobotAct(seat, Tap(piece_of(card), seat=Seat(seat)))


def index_by_name(names: Iterable[str]) -> dict[str, int]:
    """Return the index of each of *names*."""
    return {name: index for index, name in enumerate(names)}
