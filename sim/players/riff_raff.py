"""The foresight of Riff Raff: which card, how many pieces and which piece the ship can bear.

How firmly the pieces lie and how hands push the ship is not known, so each loading is tried with
several imagined ships of the same cargo. The moments of the cargo do the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from sim.robots.contract import piece_of
from sim.robots.riff_raff.balance import Stowed, place
from sim.robots.riff_raff.books import YARDS, RiffRaffBooks, RiffRaffMove
from sim.robots.riff_raff.styles import RiffRaffStyle

SHIPS = range(5)  # the seeds of the imagined ships


@cache
def stow(piece: str, area: int) -> Stowed:
    """Return *piece* in *area* as the ship's balance knows it."""
    return Stowed(piece_of(piece), area, piece.split("-")[1])


def loss(load: Sequence[Stowed], piece: Stowed) -> float:
    """Return how many pieces fall on average when *piece* is put on a ship with *load*."""
    falls = (place(load, piece, seed, 0) for seed in SHIPS)
    return sum(len(sway.fallen) - len(sway.caught) for sway in falls) / len(SHIPS)


def best_piece(load: Sequence[Stowed], stock: Sequence[str], area: int) -> tuple[float, str]:
    """Return the piece of *stock* that costs the fewest pieces in *area*, and how many it costs.

    Pieces of one shape are alike, so only the first of each is tried.
    """
    shapes = {stow(piece, area).shape: piece for piece in reversed(stock)}
    return min((loss(load, stow(piece, area)), piece) for piece in shapes.values())


def gains(books: RiffRaffBooks, area: int, stock: Sequence[str]) -> tuple[float, float]:
    """Return how many pieces the player is rid of by loading one piece in *area*, and by two."""
    load = [stow(piece, at) for piece, at in books.ship.items()]
    cost, piece = best_piece(load, stock, area)
    rest = [other for other in stock if other != piece]
    if not rest or area not in YARDS:
        return 1 - cost, 0.0
    more, _ = best_piece([*load, stow(piece, area)], rest, area)
    return 1 - cost, 2 - cost - more


@dataclass(frozen=True)
class Stower(RiffRaffStyle):
    """A style that weighs the ship, and loads what it bears."""

    slips: float = 0.08
    alarms: float = 0.0

    def card(self, books: RiffRaffBooks, acts: list[RiffRaffMove], chance: Random) -> RiffRaffMove:
        """Return the card whose area rids the player of the most pieces."""
        me = chance.choice(sorted({act.player for act in acts}))
        own = [act for act in acts if act.player == me]
        stock = sorted(books.stocks[me])
        return max(own, key=lambda act: max(gains(books, act.number, stock)))

    def how_many(
        self, books: RiffRaffBooks, acts: list[RiffRaffMove], chance: Random
    ) -> RiffRaffMove:
        """Return two pieces if they rid the player of more than one piece does."""
        one, two = gains(books, books.area, sorted(books.stock))
        return acts[two > one]

    def piece(self, books: RiffRaffBooks, chance: Random) -> str:
        """Return the piece of which the ship bears most."""
        load = [stow(piece, at) for piece, at in books.ship.items()]
        return best_piece(load, sorted(books.stock), books.area)[1]
