"""A drawing is a page of shapes, which ``svg`` writes to a file.

Lengths are in the page's units: a letter of ``TEXT`` is 8 wide and 16 high. x grows to the
right and y downwards. Lines are horizontal or vertical. Later shapes cover earlier ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]  # the point of a text that is at its x

PAPER, INK, PALE = "#ffffff", "#1c1c1c", "#6b6b6b"


@dataclass(frozen=True, slots=True)
class Lettering:
    """The size of monospaced letters."""

    width: int
    height: int


TEXT, TITLE = Lettering(8, 16), Lettering(12, 24)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle filled with the colour *fill*. An empty *edge* draws no outline."""

    left: float
    top: float
    width: float
    height: float
    fill: str
    edge: str = ""
    radius: float = 0


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle around the point (*x*, *y*)."""

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
class Polyline:
    """Horizontal and vertical strokes from point to point, with square ends and corners."""

    points: tuple[Point, ...]
    colour: str
    width: float = 2

    @property
    def strokes(self) -> Iterator[tuple[float, float, float, float]]:
        """The rectangle that each stroke fills: left, top, right, bottom."""
        half = self.width / 2
        for (x1, y1), (x2, y2) in pairwise(self.points):
            left, right = sorted((x1, x2))
            top, bottom = sorted((y1, y2))
            yield left - half, top - half, right + half, bottom + half


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text.

    *anchor* is the point of the text that is at *x*: its start, middle or end. *y* is halfway up
    the letters.
    """

    x: float
    y: float
    text: str
    colour: str = INK
    lettering: Lettering = TEXT
    anchor: Anchor = "start"

    @property
    def width(self) -> int:
        """The width of the text."""
        return len(self.text) * self.lettering.width

    @property
    def left(self) -> float:
        """The x of the text's left end."""
        return self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * self.width


Shape = Rect | Disc | Triangle | Polyline | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """A page of shapes. *words* describe the page for people who cannot see it."""

    width: int
    height: int
    title: str
    words: str
    shapes: tuple[Shape, ...]
