"""A drawing: shapes on a page, which ``svg`` and ``png`` write alike.

Room: firmware. Lengths are in steps of the page, of which a letter of ``TEXT`` is 8 wide and 16
high; y grows downwards. Lines run level or upright only. Later shapes cover earlier ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]  # of a text: what of it stands at its x

PAPER, INK, PALE = "#ffffff", "#1c1c1c", "#6b6b6b"


@dataclass(frozen=True, slots=True)
class Lettering:
    """A size of letters, all of one width."""

    width: int
    height: int


TEXT, TITLE = Lettering(8, 16), Lettering(12, 24)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, with round corners of *radius* and an *edge* if it has one."""

    left: float
    top: float
    width: float
    height: float
    fill: str
    edge: str = ""
    radius: float = 0


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc around a point."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Triangle:
    """A filled triangle."""

    corners: tuple[Point, Point, Point]
    fill: str


@dataclass(frozen=True, slots=True)
class Line:
    """Level and upright strokes from point to point, with square ends and corners."""

    points: tuple[Point, ...]
    colour: str
    width: float = 2

    @property
    def strokes(self) -> Iterator[tuple[float, float, float, float]]:
        """Each stroke as the rectangle it fills: left, top, right, bottom."""
        half = self.width / 2
        for (x1, y1), (x2, y2) in pairwise(self.points):
            left, right = sorted((x1, x2))
            top, bottom = sorted((y1, y2))
            yield left - half, top - half, right + half, bottom + half


@dataclass(frozen=True, slots=True)
class Label:
    """*text* in one line: *x* is where its *anchor* stands, *y* its middle."""

    x: float
    y: float
    text: str
    colour: str = INK
    lettering: Lettering = TEXT
    anchor: Anchor = "start"

    @property
    def width(self) -> int:
        """How wide it is."""
        return len(self.text) * self.lettering.width

    @property
    def left(self) -> float:
        """Where it starts."""
        return self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * self.width


Shape = Rect | Disc | Triangle | Line | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """A page: its size, its *title*, what it shows in words, and its shapes."""

    width: int
    height: int
    title: str
    words: str
    shapes: tuple[Shape, ...]
