"""The interface between a game's robots and the code that plays them.

To add the robots of a game, write its ``Books`` and its styles, and offer a ``Robots`` value under
the entry point ``tapmat.robots`` (``sim.robots.games``). A robot that sits with people plays from a
``sim.robots.scene.Scene``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol

from engines.common.contract import Direction, Input, Message, OptionValue, Seat, Tap
from engines.common.pieces import Piece


@dataclass(frozen=True, slots=True)
class SeededDeal:
    """The settings with which a game starts.

    *seed* decides the shuffle, so equal deals and equal acts lead to equal records (``Books``).
    """

    players: int
    dealer: int  # a seat, from 0
    seed: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)


class Give(NamedTuple):
    """The action of giving away *piece*, which is in the robot's hand."""

    piece: Piece


class Load(NamedTuple):
    """The action of picking up *piece* to load it."""

    piece: Piece


class Spill(NamedTuple):
    """The action of loading a piece so that the pieces *fallen* fall.

    *caught* are the pieces of *fallen* that players catch.
    """

    fallen: tuple[Piece, ...]
    caught: tuple[Piece, ...]


ByHand = Give | Load | Spill  # actions that no reader detects


class RobotAct(NamedTuple):
    """One input that the robot at *seat* gives to the table.

    Args:
        seat: the seat, from 0.
        given: the input to the table.
        move: the move or moves of the game that this input belongs to, if the game's books need
            them. Their type depends on the game.
        by_hand: an action that the mat cannot sense, such as choosing the card to give away. A
            robot that sits with people at the virtual table does it before the input.
    """

    seat: int
    given: Input
    move: Any = None
    by_hand: ByHand | None = None


class Ruling(NamedTuple):
    """The answer to an input: accepted, refused with *code*, or accepted as a foul."""

    code: str = ""
    is_foul: bool = False

    @property
    def is_taken(self) -> bool:
        """Return True if the input was accepted, as a foul or not."""
        return not self.code


TAKEN, FOUL = Ruling(), Ruling(is_foul=True)
NOT_NOW = Ruling("not-expected-now")


class Expected(NamedTuple):
    """The view that the table must show.

    A *scores*, *direction* or *headline* of None is not compared, nor is a place that is missing
    from *counts*. A *turn* of None means that the table must show no current player.
    """

    phase: str
    scores: Sequence[int] | None = None
    turn: int | None = None
    winners: Sequence[int] = ()
    direction: Direction | None = None
    headline: str | Message | None = None
    counts: Mapping[str, int] = {}


class Books(Protocol):
    """The robots' own record of one game, with every card, by which they check the table.

    The books say what the table must show, and how it must answer. All their random choices come
    from the deal's seed. So two records with the same deal and the same acts are equal. Robots undo
    an act by replaying all acts except the last in new books.
    """

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended."""
        ...

    @property
    def actor(self) -> int:
        """The seat of the next player to act."""
        ...

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        ...

    @property
    def lying(self) -> Sequence[Piece]:
        """The pieces that were tapped before and are still on the table."""
        ...

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the pieces that the player at *seat* may be able to tap.

        These are the player's hand and, in some games, pieces that any player may tap.
        """
        ...

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known.

        The record does not change, and no random number is drawn.
        """
        ...

    def take(self, act: RobotAct) -> None:
        """Record an act that the rules accept."""
        ...


Style = Callable[[Any, Random], RobotAct]  # chooses the next act from the books


@dataclass(frozen=True, slots=True)
class Robots:
    """The robots of one game.

    Args:
        game: the name of the game.
        seats: the possible numbers of players.
        open: returns a new record of a game (its ``Books``) for a deal.
        styles: the styles of play, by name.
        houses: the sets of house rules to play with; one is drawn for each game.
        from_scene: returns a record with all that the robot in a scene knows, or None if that robot
            has nothing to do. From this record, a style may choose an act of another seat; in that
            case the robot waits. If *from_scene* is None, robots of the game cannot sit with
            people.
        fair: the styles that choose from no more than a player in a scene knows, the best first.
    """

    game: str
    seats: range
    open: Callable[[SeededDeal], Books]
    styles: Mapping[str, Style]
    houses: Sequence[Mapping[str, OptionValue]] = ({},)
    from_scene: Callable[[Any], Books | None] | None = None
    fair: Sequence[str] = ()


def tap_ruling(tap: Tap, actor: int, spots: Sequence[str], pieces: frozenset[str]) -> Ruling | None:
    """Return the refusal of *tap*, or None if its seat, spot and piece are all allowed.

    The allowed ones are the seat *actor* (or None, if the seat is unknown), *spots* and *pieces*.
    """
    if tap.seat is not None and tap.seat != actor:
        return Ruling("not-your-turn")
    if tap.spot not in spots:
        return NOT_NOW
    if str(tap.piece) not in pieces:
        return Ruling("not-in-this-game")
    return None


@cache
def piece_of(card: str) -> Piece:
    """Return the piece that the robots' record calls *card*, such as ``weight-7#2``."""
    return Piece.parse(card)


def tap_act(seat: int, card: str, chance: Random) -> RobotAct:
    """Return an act: *seat* taps *card*. *chance* decides whether the tap names the seat."""
    return RobotAct(seat, Tap(piece_of(card), seat=chance.choice((None, Seat(seat)))))
