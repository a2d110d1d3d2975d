"""Scenes: everything that a robot knows when it plays with people.

A scene holds what a person in the same seat knows, and nothing else. There is one class for each
kind of game: with hands, with tiles face down, with a ship, and with a board.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engines.common.contract import Direction, Input, OptionValue
from engines.common.grid import Cell


@dataclass(frozen=True, slots=True)
class Scene:
    """The table as the player at *seat* sees it, in any game.

    Args:
        seat: the seat of the robot, from 0.
        players: the number of players.
        phase: the phase that the table shows.
        headline: the headline that the table shows.
        turn: the current player's seat; None while anybody may act, as in a race.
        active: the seats that may act now.
        people: the seats of people; robots sit in the others.
        names: the players' names, by seat.
        choices: the values of the open list, if one is open.
        options: the house rules.
        counts: the number of pieces at each place, as the table shows it.
        done: the inputs so far, without those undone.
        scores: the score of each seat.
        direction: the direction of play; None if the table shows none.
    """

    seat: int
    players: int
    phase: str
    headline: str
    turn: int | None = None
    active: Sequence[int] = ()
    people: Sequence[int] = ()
    names: Sequence[str] = ()
    choices: Sequence[str] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    done: Sequence[Input] = ()
    scores: Sequence[int] = ()
    direction: Direction | None = None


@dataclass(frozen=True, slots=True)
class HandsScene(Scene):
    """The scene of a card game with hands and a pile of played cards.

    Args:
        hand: the cards in the robot's hand.
        drawn: the cards of *hand* that were drawn at the last input, or dealt.
        untold: the hand from which the robot gave a card away, until the robot says which card.
            While this is not empty, the robot does nothing else.
        laid: the cards played face up, in order.
        layer: the seat of the player who played the last card.
    """

    hand: Sequence[str] = ()
    drawn: Sequence[str] = ()
    untold: Sequence[str] = ()
    laid: Sequence[str] = ()
    layer: int | None = None


@dataclass(frozen=True, slots=True)
class SpreadScene(Scene):
    """The scene of a game with tiles face down, which players turn over.

    Args:
        spread: the tile at each place: its name if everybody has seen it, else the name of the
            place; None if there is no tile face down.
        open: the tiles face up.
    """

    spread: Sequence[str | None] = ()
    open: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ShipScene(Scene):
    """The scene of a game with a ship that players load with pieces.

    Args:
        hand: the cards in the robot's hand.
        stock: the pieces in front of the robot.
        areas: the pieces known to be in each area of the ship.
        held: the piece that a player holds for everybody to see.
        fallen: the pieces that everybody saw fall; None if nobody showed which fell.
        caught: the pieces of *fallen* that were caught.
        tapped: the pieces of *fallen* that were already tapped for the table.
        has_balance: True if the ship itself decides what falls, and not its players.
    """

    hand: Sequence[str] = ()
    stock: Sequence[str] = ()
    areas: Mapping[int, Sequence[str]] = field(default_factory=dict)
    held: str | None = None
    fallen: Sequence[str] | None = None
    caught: Sequence[str] = ()
    tapped: Sequence[str] = ()
    has_balance: bool = False


class Placed(NamedTuple):
    """A *piece* that the player at *seat* put on the board, and the points it scored."""

    seat: int
    piece: str
    points: int


@dataclass(frozen=True, slots=True)
class BoardScene(Scene):
    """The scene of a game whose tiles are put on a board.

    Args:
        hand: the tiles in the robot's hand.
        laid: the tiles put aside face up.
        board: the places of the board that hold a tile.
        fronts: the tile in front of each seat, or None.
        apart: the tiles beside the board that belong to no player.
        waiting: the tapped tile about which the table asks something.
        shown: the tiles of a hand that were tapped one by one to show that none fits.
        placed: the last tile put on the board, in this turn or the one before.
    """

    hand: Sequence[str] = ()
    laid: Sequence[str] = ()
    board: Sequence[Cell] = ()
    fronts: Sequence[str | None] = ()
    apart: Sequence[str] = ()
    waiting: str | None = None
    shown: Sequence[str] = ()
    placed: Placed | None = None
