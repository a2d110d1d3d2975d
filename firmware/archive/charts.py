"""Line charts as SVG for an HTML page, with a text alternative for screen readers.

A chart is an element tree, so its texts are escaped when the page is written. Colours come from the
page's style sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

WIDTH, HEIGHT = 400, 190  # SVG user units; text is 10 units high
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 8, 22  # margins around the curves
TICKS = 4  # the largest number of steps on a scale
STEPS = (1, 2, 5, 10)
TEXT_FOOT = 3.5  # distance from the middle of a letter to its base line


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve over the plays of a game.

    The curve begins at play *first* and has one of *values* for each play. *look* is the number of
    the CSS class that gives the curve its colour and dashes. If *is_stepped*, the curve stays at
    each value until the next play.
    """

    name: str
    first: int
    values: tuple[int, ...]
    look: int = 0
    is_stepped: bool = False


def element(tag: str, text: str = "", /, **attributes: object) -> Element:
    """Return an XML element named *tag* with *text* and *attributes*.

    In an attribute's name, ``_`` becomes ``-``, and a ``_`` at the end is dropped (``class_``).
    """
    written = {
        name.rstrip("_").replace("_", "-"): f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in attributes.items()
    }
    made = Element(tag, written)
    made.text = text or None
    return made


def chart(title: str, words: str, curves: Sequence[Curve], plays: int) -> Element:
    """Return an SVG chart of *curves* from play 0 to play number *plays*.

    *words* describe the chart for screen readers.
    """
    svg = element("svg", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", class_="chart")
    svg.append(element("title", title))
    svg.append(element("desc", words))
    values = [value for curve in curves for value in curve.values]
    scale = _scale(min(values, default=0), max(values, default=0))
    low, high = scale[0], scale[-1]

    def x(play: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * play / max(plays, 1), 1)

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    for value in scale:
        kind = "zero" if value == 0 else "rule"
        svg.append(
            element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(value), y2=y(value), class_=kind)
        )
        at = {"x": LEFT - 5, "y": y(value) + TEXT_FOOT, "text_anchor": "end"}
        svg.append(element("text", str(value), **at))
    for play in _scale(0, max(plays, 1)):
        if play <= plays:
            svg.append(element("text", str(play), x=x(play), y=HEIGHT - 6, text_anchor="middle"))
    for curve in curves:
        places = list(enumerate(curve.values, curve.first))
        path = f"M{x(places[0][0]):g} {y(places[0][1]):g}"
        for play, value in places[1:]:
            path += (
                f"H{x(play):g}V{y(value):g}" if curve.is_stepped else f"L{x(play):g} {y(value):g}"
            )
        drawn = element("path", d=path, class_=f"curve look-{curve.look}")
        SubElement(drawn, "title").text = curve.name
        svg.append(drawn)
    return svg


def key(names: Sequence[str]) -> Element:
    """Return the legend of a chart.

    *names* are the names of the curves, in the order of ``Curve.look``.
    """
    listed = element("ul", class_="key")
    for look, name in enumerate(names):
        item = element("li")
        sample = element("svg", viewBox="0 0 24 8", aria_hidden="true", class_="sample")
        sample.append(element("path", d="M0 4H24", class_=f"curve look-{look}"))
        sample.tail = name
        item.append(sample)
        listed.append(item)
    return listed


def _scale(low: int, high: int) -> list[int]:
    """Return at least two evenly spaced round numbers that cover *low*, *high* and zero."""
    low, high = min(low, 0), max(high, 1)
    size = 1
    while (high - low) / size > TICKS * STEPS[-1]:
        size *= 10
    step = next(size * n for n in STEPS if (high - low) / (size * n) <= TICKS)
    return list(range(low // step * step, high + step, step))
