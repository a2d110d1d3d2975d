"""A drawing as a picture of pixels, in the display's own letters.

Room: firmware.
May import: the standard library, Pillow, firmware.screen_text, firmware.plan.drawing.
"""

from PIL import Image, ImageDraw

from firmware.plan.drawing import (
    PAPER,
    TEXT,
    TITLE,
    Disc,
    Drawing,
    Label,
    Line,
    Rect,
    Shape,
    Triangle,
)
from firmware.screen_text import Face, cells

SCALE = 2  # pixels a step of the page; at 300 dots an inch a letter of TEXT is 2.7 mm high
FACES = {
    TEXT: Face("ter-u32b_unicode.pcf.gz", 32, width=16, height=32),
    TITLE: Face("ter-u24b_unicode.pcf.gz", 24, width=24, height=48, scale=2),
}


def to_picture(drawing: Drawing) -> Image.Image:
    """*drawing* as a picture of mode "P": it has few colours, so its file is small."""
    picture = Image.new("P", (drawing.width * SCALE, drawing.height * SCALE), PAPER)
    pen = ImageDraw.Draw(picture)
    for shape in drawing.shapes:
        _draw(shape, pen)
    return picture


def _draw(shape: Shape, pen: ImageDraw.ImageDraw) -> None:
    match shape:
        case Rect():
            box = _box(shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
            edge = shape.edge or None
            pen.rounded_rectangle(box, shape.radius * SCALE, shape.fill, edge, SCALE)
        case Disc():
            x, y, radius = shape.x, shape.y, shape.radius
            box = _box(x - radius, y - radius, x + radius, y + radius)
            pen.ellipse(box, shape.fill, shape.edge or None, SCALE)
        case Triangle():
            pen.polygon([(x * SCALE, y * SCALE) for x, y in shape.corners], shape.fill)
        case Line():
            for stroke in shape.strokes:
                pen.rectangle(_box(*stroke), shape.colour)
        case Label():
            face = FACES[shape.lettering]
            top = round(shape.y * SCALE) - face.height // 2
            left = round(shape.left * SCALE)
            pen.bitmap((left, top), cells(shape.text, face), shape.colour)


def _box(left: float, top: float, right: float, bottom: float) -> tuple[int, int, int, int]:
    """In pixels, of which the last ones still belong to it."""
    return (
        round(left * SCALE),
        round(top * SCALE),
        round(right * SCALE) - 1,
        round(bottom * SCALE) - 1,
    )
