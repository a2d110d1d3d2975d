"""The balance of a ship: how far it tilts under its cargo, and what slides and falls.

The model is a simple pure function: the same load, seed and placing number give the same result, so
a game that is read from its journal has the same ship again. The model simplifies these points:

- The ship tilts to port and starboard only. Each area is a point: a distance from the mast and a
  height above the deck. Cargo has a weight and a grip by its shape, and no size.
- The ship rights itself with a fixed moment, less the moment of the cargo's height: the higher the
  cargo, the weaker the ship. ``tan(tilt) = sum(weight * distance) / (KEEL - sum(weight * height))``
- A piece that is placed makes the ship swing past its new balance, and hands are never steady: they
  push it a little to one side.
- Cargo is dragged by the slope of the ship, more so high up. It slides when the slope is more than
  most of its grip, and falls over the lower edge when it is more than grip and edge together. On
  the higher side the mast or the deck is in the way. Cargo on top of other cargo lies less firmly.
- Of the pieces that cannot stay, the one that lies least firmly falls first. On its way, the piece
  strikes the cargo in its area and in lower areas on its side. Cargo that was struck lies less
  firmly. Without that piece, the ship swings back. This may save the other pieces or make more of
  them fall. As the rules demand, nothing slides into another area.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import atan, degrees, radians, tan
from random import Random
from typing import NamedTuple

from engines.common.pieces import Piece


class Berth(NamedTuple):
    """An area of the ship: a point, and the edge that holds its cargo on the lower side.

    Distances and heights are in centimetres; a distance is negative to port (left). An *edge* is a
    slope, as the tangent of an angle, that cargo withstands beyond its grip.
    """

    distance: float
    height: float
    edge: float


class Matter(NamedTuple):
    """The weight of a shape in grams, and its grip.

    The grip is the steepest slope on which the shape stays, as a tangent.
    """

    weight: float
    grip: float


RAIL, SPAR, INNER = 0.06, 0.0, 0.12  # edges: at the rail, on a yardarm, in the middle of the deck
SITES: Mapping[int, Berth] = {
    1: Berth(-8.0, 0.0, RAIL),
    2: Berth(-2.7, 0.0, INNER),
    3: Berth(2.7, 0.0, INNER),
    4: Berth(8.0, 0.0, RAIL),
    5: Berth(-4.8, 3.0, SPAR),
    6: Berth(4.8, 3.0, SPAR),
    7: Berth(-3.8, 6.0, SPAR),
    8: Berth(3.8, 6.0, SPAR),
    9: Berth(-2.8, 9.0, SPAR),
    10: Berth(2.8, 9.0, SPAR),
}
AMIDSHIPS = Berth(0.0, 0.0, INNER)  # for an area that is not in the table
SHAPES: Mapping[str, Matter] = {
    "boat": Matter(8.0, 0.20),
    "barrel": Matter(10.0, 0.17),
    "flask": Matter(6.0, 0.18),
    "crate": Matter(11.0, 0.28),
    "sailor": Matter(7.0, 0.22),
    "plank": Matter(7.0, 0.30),
    "rat": Matter(6.0, 0.24),
    "chest": Matter(13.0, 0.26),
}
BUNDLE = Matter(8.5, 0.23)  # a piece of an unknown shape
HEAVIER_FROM = (7.0, 9.0, 12.0)  # grams; the steps from light (1) to very heavy (4)

KEEL = 1200.0  # the moment that rights an empty ship, in gram centimetres
LEAST_KEEL = 0.25  # the share of it that is left, however high the cargo lies
MOST_TILT = 16.0  # degrees; then the hull rests on the table
OVERSHOOT = 0.3  # the share of a change of balance by which the ship swings past it
PUSH = 2.0  # degrees; the most that hands push the ship when they place a piece
SWAY = 0.04  # per centimetre of height: how much more the ship's slope drags at cargo there
FAR_EDGE = 0.25  # added to the edge on the higher side of the ship
SLIDES_FROM = 0.3  # the last share of its grip in which a piece slides within its area
PILE = 0.94  # the share of its grip that a piece keeps on top of another one
KNOCK = 0.6  # the share of its grip that a piece keeps when a falling one strikes it
UNEVEN = 0.15  # the most by which the grip of a piece differs from that of its shape, as a share
CATCHES = 0.3  # the chance that a falling piece is caught


class Stowed(NamedTuple):
    """A piece of cargo in an area of the ship, with its shape."""

    piece: Piece
    area: int
    shape: str


@dataclass(frozen=True, slots=True)
class Sway:
    """The outcome of a placing.

    Args:
        tilt: the ship's farthest tilt, in degrees; positive to starboard (right).
        rest: the tilt at which the ship comes to rest, without the fallen pieces.
        fallen: the pieces that fall, the first ones first.
        sides: for each fallen piece the side to which it falls: -1 for port, 1 for starboard.
        caught: the pieces of *fallen* that are caught.
    """

    tilt: float
    rest: float
    fallen: tuple[Piece, ...] = ()
    sides: tuple[int, ...] = ()
    caught: tuple[Piece, ...] = ()


def balance(load: Iterable[Stowed]) -> float:
    """Return the tilt at which a ship with *load* rests, in degrees; positive to starboard."""
    turning, raised = 0.0, 0.0
    for stowed in load:
        moments = _moments(stowed.shape, stowed.area)
        turning += moments[0]
        raised += moments[1]
    return _within(degrees(atan(turning / max(KEEL - raised, KEEL * LEAST_KEEL))))


def heaviness(shape: str) -> int:
    """Return how heavy *shape* is, from 1 (light) to 4 (very heavy)."""
    return 1 + sum(SHAPES.get(shape, BUNDLE).weight >= least for least in HEAVIER_FROM)


def limit(load: Sequence[Stowed], seed: int) -> float:
    """Return the tilt to either side at which the first piece of *load* slides, in degrees."""
    slopes = [
        grip * (1 - SLIDES_FROM) / (1 + SWAY * _site(one).height)
        for one, grip in zip(load, _grips(load, seed), strict=True)
    ]
    return _within(degrees(atan(min(slopes)))) if slopes else MOST_TILT


def slides(load: Sequence[Stowed], tilt: float, seed: int) -> dict[Piece, float]:
    """Return how far each piece of *load* has slid at this *tilt*, from -1 to 1. 1 is the edge.

    Pieces that have not slid are left out. *tilt* is in degrees, and *seed* is that of the deal.
    """
    side = 1 if tilt > 0 else -1
    strains = zip(load, _strains(load, tilt, seed), strict=True)
    return {one.piece: side * min(strain, 1.0) for one, strain in strains if strain > 0}


def place(
    load: Sequence[Stowed], placed: Stowed, seed: int, number: int, *, push: float | None = None
) -> Sway:
    """Return what happens when *placed* is put on a ship with *load*.

    Args:
        load: the pieces on the ship. Pieces of one area are in the order in which they were loaded.
        placed: the piece that is put on it.
        seed: the seed of the deal, which decides how firmly each piece lies.
        number: the number of the placing. With *seed*, it decides the push and which pieces are
            caught.
        push: the push of the hand in degrees; by default it is random.
    """
    chance = Random(f"balance {seed} {number}")
    drawn = chance.uniform(-PUSH, PUSH)
    aboard = [*load, placed]
    was, rests = balance(load), balance(aboard)
    tilt = _within(rests + OVERSHOOT * (rests - was) + (drawn if push is None else push))
    farthest, fallen, sides = tilt, list[Stowed](), list[int]()
    while (loosest := _loosest(aboard, tilt, seed, fallen)) is not None:
        fallen.append(loosest)
        sides.append(1 if tilt > 0 else -1)
        aboard.remove(loosest)
        rests = balance(aboard)
        tilt = _within(rests + OVERSHOOT * (rests - tilt))
        farthest = max(farthest, tilt, key=abs)
    pieces = tuple(one.piece for one in fallen)
    caught = tuple(piece for piece in pieces if chance.random() < CATCHES)
    return Sway(farthest, rests, pieces, tuple(sides), caught)


def _loosest(
    load: Sequence[Stowed], tilt: float, seed: int, fallen: Sequence[Stowed]
) -> Stowed | None:
    """Return the piece that falls next at this *tilt*, after the *fallen* ones, or None."""
    slope, struck_from = tan(radians(abs(tilt))), [_site(other) for other in fallen]
    below, loosest, greatest = dict[int, int](), None, 1.0
    for one in load:
        lying = below.get(one.area, 0)
        below[one.area] = lying + 1
        site = _site(one)
        drag, edge = slope * (1 + SWAY * site.height), _edge(site, tilt)
        if drag > edge:  # otherwise the edge alone holds it
            struck = sum(_can_strike(other, site) for other in struck_from)
            strain = _strain(drag, edge, _grip(one, lying, seed) * KNOCK**struck)
            if strain > greatest:
                loosest, greatest = one, strain
    return loosest


def _strains(load: Sequence[Stowed], tilt: float, seed: int) -> list[float]:
    """Return how far each piece of *load* slides.

    0 or less means not at all, and more than 1 over the edge.
    """
    slope, strains = tan(radians(abs(tilt))), []
    for one, grip in zip(load, _grips(load, seed), strict=True):
        site = _site(one)
        strains.append(_strain(slope * (1 + SWAY * site.height), _edge(site, tilt), grip))
    return strains


def _strain(drag: float, edge: float, grip: float) -> float:
    return (drag - grip * (1 - SLIDES_FROM)) / (edge + grip * SLIDES_FROM)


def _edge(site: Berth, tilt: float) -> float:
    return site.edge if site.distance * tilt > 0 else site.edge + FAR_EDGE


def _grips(load: Sequence[Stowed], seed: int) -> list[float]:
    """Return the grip of each piece of *load*, on the ship or on the cargo below it."""
    lying = Counter[int]()
    grips = []
    for one in load:
        grips.append(_grip(one, lying[one.area], seed))
        lying[one.area] += 1
    return grips


def _grip(one: Stowed, below: int, seed: int) -> float:
    """Return the grip of *one*, which lies on *below* other pieces."""
    return _matter(one).grip * _evenness(one.piece, seed) * PILE**below


@cache
def _moments(shape: str, area: int) -> tuple[float, float]:
    """Return the moments of a piece about the mast and about the deck, in gram centimetres."""
    site, weight = SITES.get(area, AMIDSHIPS), SHAPES.get(shape, BUNDLE).weight
    return weight * site.distance, weight * site.height


@lru_cache(maxsize=256)
def _evenness(piece: Piece, seed: int) -> float:
    """Return how firmly *piece* lies, compared with other pieces of the same shape."""
    return Random(f"grip {seed} {piece}").uniform(1 - UNEVEN, 1 + UNEVEN)


def _can_strike(upper: Berth, lower: Berth) -> bool:
    """Return True if a piece that falls from *upper* strikes the cargo in *lower*."""
    return upper.distance * lower.distance > 0 and upper.height >= lower.height


def _site(stowed: Stowed) -> Berth:
    return SITES.get(stowed.area, AMIDSHIPS)


def _matter(stowed: Stowed) -> Matter:
    return SHAPES.get(stowed.shape, BUNDLE)


def _within(tilt: float) -> float:
    return max(-MOST_TILT, min(MOST_TILT, tilt))
