"""Drawings as SVG, with text that can be searched and a description for screen readers."""

from html import escape

from firmware.plan.drawing import PAPER, Disc, Drawing, Label, Polyline, Rect, Shape, Triangle

FAMILY = "Terminus, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
EM = 0.6  # width of a letter of these fonts, as a share of the font size
BASELINE = 0.35  # from the middle of capital letters down to their foot, as a share of the size


def to_svg(drawing: Drawing) -> str:
    """Return *drawing* as the text of an SVG file."""
    size = f'width="{drawing.width}" height="{drawing.height}"'
    box = f'viewBox="0 0 {drawing.width} {drawing.height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img">',
        f"<title>{escape(drawing.title)}</title>",
        f"<desc>{escape(drawing.words)}</desc>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        f'<g font-family="{FAMILY}" font-weight="bold">',
        *map(_element, drawing.shapes),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Shape) -> str:
    match shape:
        case Rect():
            box = f'x="{shape.left:g}" y="{shape.top:g}" width="{shape.width:g}"'
            rest = f'height="{shape.height:g}" rx="{shape.radius:g}"'
            return f"<rect {box} {rest} {_fill(shape)}/>"
        case Disc():
            circle = f'cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}"'
            return f"<circle {circle} {_fill(shape)}/>"
        case Triangle():
            return f'<polygon points="{_points(shape.corners)}" fill="{shape.fill}"/>'
        case Polyline():
            stroke = f'stroke="{shape.colour}" stroke-width="{shape.width:g}"'
            points = _points(shape.points)
            return f'<polyline points="{points}" fill="none" {stroke} stroke-linecap="square"/>'
        case Label():
            return _text(shape)


def _fill(shape: Rect | Disc) -> str:
    edge = f' stroke="{shape.edge}"' if shape.edge else ""
    return f'fill="{shape.fill}"{edge}'


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _text(label: Label) -> str:
    """Return the element of *label*, stretched to the label's width in any font."""
    size = label.lettering.width / EM
    place = f'x="{label.left:g}" y="{label.y + BASELINE * size:g}" font-size="{size:.4g}"'
    stretch = f'textLength="{label.width}" lengthAdjust="spacingAndGlyphs"'
    return f'<text {place} {stretch} fill="{label.colour}">{escape(label.text)}</text>'
