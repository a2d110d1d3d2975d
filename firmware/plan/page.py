"""The drawing of a wiring plan: the header, the parts and the wires.

The labels at both ends of each wire say where it goes, so nobody needs to tell the colours apart.
In these functions, *middle* is the x of the header's middle on the page.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

from firmware.plan.drawing import (
    INK,
    PALE,
    PAPER,
    TEXT,
    TITLE,
    Anchor,
    Disc,
    Drawing,
    Label,
    Point,
    Polyline,
    Rect,
    Shape,
    Triangle,
)
from firmware.plan.header import GROUND, HEADER, POWER, ROWS, SUPPLY, HeaderPin
from firmware.plan.layout import (
    BESIDE,
    BOX_HEAD,
    BOX_PADDING,
    COLUMN,
    NOTE,
    PILL,
    PILL_WIDTH,
    PITCH,
    SYMBOLS,
    TOP,
    Flank,
    PartBox,
    Side,
    Wire,
    flanks_of,
    pin_y,
    tag_of,
    uses_of,
)
from firmware.plan.parts import Symbol
from firmware.plan.plan import CONFIG_TXT, WiringPlan, current_text
from firmware.show.text import legible

# The colours of the wires.
PAINTS: Final[Mapping[str, str]] = {
    "red": "#d92b2b", "black": "#262626", "yellow": "#f5c800", "green": "#23984a",
    "blue": "#1f5fd0", "orange": "#f07f13", "purple": "#8d44c4", "brown": "#8a5a33",
    "grey": "#979797", "white": "#ffffff",
}  # fmt: skip
RAIL_PAINTS: Final[Mapping[str, str]] = {POWER: "#d92b2b", SUPPLY: "#b06a6a", GROUND: "#262626"}
GPIO_PAINT, FREE_PAINT = "#2f4a6d", "#8a95a3"
GOLD, PLASTIC = "#e3bd5a", "#c3cad3"
CARD, CARD_EDGE, CARD_HEAD = "#f4f6f9", "#8fa0b4", "#dde5ee"

MARGIN = 28
HEADER_HEIGHT = ROWS * PITCH + 10
PIN_RADIUS, PILL_HEIGHT = 13, 24
WIRE, EDGE, HALO = 4, 6, 9  # width of a wire, with its dark edge, and with the gap around it
DOT = 5
ABOVE = 11  # from a wire up to the middle of its label
LINE = 22  # height of a line of text below the drawing
OUTWARDS: Final[Mapping[Side, Anchor]] = {Side.LEFT: "end", Side.RIGHT: "start"}

HOW_TO_READ = (
    "The header is seen from above: pin 1 is square, at the microSD card's end of the board, and "
    "the right column is along the board's edge. The label at a part's end of a wire is its pin of "
    "the Pi and its colour. Dots join wires, as a row of a breadboard does."
)


def draw(plan: WiringPlan) -> Drawing:
    """Return the drawing of *plan*."""
    flanks = flanks_of(plan.parts)
    left, right = flanks
    middle = left.end_x + MARGIN
    boxes = [box for flank in flanks for box in flank.boxes]
    bottom = max(TOP + HEADER_HEIGHT, *(box.bottom for box in boxes)) + LINE
    title = f"tapmat: the wiring of {legible(plan.name)}"
    heading = Label(MARGIN, 30, title, lettering=TITLE)
    width = round(max(middle + right.end_x, MARGIN + heading.width) + MARGIN)
    below = list(_text(_notes(plan), bottom, width))
    shapes = (
        heading,
        *_plastic(middle),
        *(shape for flank in flanks for shape in _wires(flank, middle)),
        *_pins(plan, flanks, middle),
        *(shape for flank in flanks for box in flank.boxes for shape in _part(box, flank, middle)),
        *below,
    )
    return Drawing(width, round(below[-1].y + MARGIN), title, _words(plan), shapes)


def _text(paragraphs: Iterable[str], top: float, width: float) -> Iterator[Label]:
    """Yield the lines of *paragraphs* from *top* down, wrapped to the page's *width*."""
    letters = int(width - 2 * MARGIN) // TEXT.width
    lines = (line for text in paragraphs for line in wrap(text, letters))
    for row, line in enumerate(lines):
        yield Label(MARGIN, top + LINE * (row + 0.5), line)


def _notes(plan: WiringPlan) -> Iterator[str]:
    """Yield the notes below the drawing: how to read it, boot lines, currents and part notes."""
    yield HOW_TO_READ
    yield f"{CONFIG_TXT}: {'; '.join(plan.boot_lines)}"
    yield f"From 3.3 V: {current_text(plan.budget)}."
    yield from dict.fromkeys(note for part in plan.parts for note in part.notes)


def _words(plan: WiringPlan) -> str:
    """Return a description of the drawing for people who cannot see it."""
    return " ".join(
        f"{part.name}: "
        + ", ".join(
            f"{wire.pin} to pin {wire.to.number} ({wire.to.name}), {wire.colour}"
            for wire in part.connections
            if wire.to
        )
        + "."
        for part in plan.parts
    )


# --- the header ----------------------------------------------------------------------------------


def _plastic(middle: float) -> Iterator[Shape]:
    """Yield the header's plastic body."""
    half = COLUMN + PIN_RADIUS + 4
    yield Rect(middle - half, TOP, 2 * half, HEADER_HEIGHT, PLASTIC, radius=6)


def _pins(plan: WiringPlan, flanks: Iterable[Flank], middle: float) -> Iterator[Shape]:
    """Yield the header's pins with their names and uses."""
    uses = uses_of(plan.parts)
    wired = {wire.pin for flank in flanks for wire in flank.wires if not wire.is_across}
    for pin in HEADER:
        yield from _pin(pin, middle, is_used=pin in uses)
        if pin in uses:
            side = Side.of(pin)
            y = pin_y(pin) - (ABOVE if pin in wired else 0)
            yield Label(middle + side.value * NOTE, y, uses[pin], anchor=OUTWARDS[side])


def _pin(pin: HeaderPin, middle: float, *, is_used: bool) -> Iterator[Shape]:
    way, y = Side.of(pin).value, pin_y(pin)
    x, metal = middle + way * COLUMN, GOLD if is_used else PAPER
    if pin.number == 1:
        yield Rect(x - PIN_RADIUS, y - PIN_RADIUS, 2 * PIN_RADIUS, 2 * PIN_RADIUS, metal, INK)
    else:
        yield Disc(x, y, PIN_RADIUS, metal, INK)
    yield Label(x, y, str(pin.number), anchor="middle")
    paint = RAIL_PAINTS.get(pin.name, GPIO_PAINT if is_used else FREE_PAINT)
    pill = middle + way * (PILL + PILL_WIDTH / 2)
    left, top = pill - PILL_WIDTH / 2, y - PILL_HEIGHT / 2
    yield Rect(left, top, PILL_WIDTH, PILL_HEIGHT, paint if is_used else PAPER, paint, radius=6)
    yield Label(pill, y, pin.name, PAPER if is_used else paint, anchor="middle")


# --- wires ---------------------------------------------------------------------------------------


def _wires(flank: Flank, middle: float) -> Iterator[Shape]:
    """Yield the wires of *flank*: first all horizontal strokes, then the lanes over them.

    The paper's colour around each lane shows that wires which cross do not touch.
    """
    for wire in flank.wires:
        yield from _strokes(_level(wire, flank, middle), wire.colour)
    for wire in flank.wires:
        yield from _lane(wire, middle)


def _level(wire: Wire, flank: Flank, middle: float) -> list[tuple[Point, ...]]:
    """Return the horizontal lines of *wire*: from the pin to the lane, and on to each part."""
    way, y = wire.side.value, wire.run.header_y
    lane, part = middle + way * wire.lane_x, middle + way * flank.box_x
    pin = middle + Side.of(wire.pin).value * COLUMN
    ends: list[tuple[Point, ...]] = [((lane, end), (part, end)) for end in wire.run.part_ys]
    return [((pin, pin_y(wire.pin)), (pin, y), (lane, y)), *ends]


def _lane(wire: Wire, middle: float) -> Iterator[Shape]:
    """Yield the vertical line of *wire*, with dots where horizontal strokes branch off."""
    way, run = wire.side.value, wire.run
    x = middle + way * wire.lane_x
    lane = ((x, run.top), (x, run.bottom))
    joints = [(run.header_y, -way), *((y, way) for y in run.part_ys)]
    yield Polyline(lane, PAPER, HALO)
    # The gap has covered the ends of the horizontal strokes; draw them again.
    for width, reach, paint in ((EDGE, HALO - EDGE, INK), (WIRE, HALO, PAINTS[wire.colour])):
        yield Polyline(lane, paint, width)
        for y, out in joints:
            yield Polyline(((x, y), (x + out * reach / 2, y)), paint, width)
    for y in sorted({y for y in run.ys if run.top < y < run.bottom}):
        yield Disc(x, y, DOT, PAINTS[wire.colour], INK)


def _strokes(lines: Sequence[tuple[Point, ...]], colour: str) -> Iterator[Shape]:
    """Yield *lines* in the *colour* of a wire, with dark edges.

    All edges come first, so that they do not cover the colour where lines meet.
    """
    for width, paint in ((EDGE, INK), (WIRE, PAINTS[colour])):
        yield from (Polyline(points, paint, width) for points in lines)


# --- parts ---------------------------------------------------------------------------------------


def _part(box: PartBox, flank: Flank, middle: float) -> Iterator[Shape]:
    """Yield the box of a part with its title, symbols, pins and wire labels."""
    way = box.side.value
    near = middle + way * flank.box_x
    left = min(near, near + way * box.width)
    yield Rect(left, box.top, box.width, box.height, CARD, CARD_EDGE, radius=8)
    yield Rect(left, box.top, box.width, BOX_HEAD - 4, CARD_HEAD, CARD_EDGE, radius=8)
    yield Label(left + BOX_PADDING, box.top + 16, box.part.name, lettering=TITLE)
    yield Label(left + BOX_PADDING, box.top + 38, box.part.kind, PALE)
    if box.part.symbol is not None:
        yield from SYMBOLS_OF[box.part.symbol](near, way, box)
    inside = BOX_PADDING + (SYMBOLS if box.part.symbol else 0)
    within, beside = OUTWARDS[box.side], OUTWARDS[box.side.other]
    for row, y in zip(box.rows, box.ys, strict=True):
        yield Label(near + way * inside, y, row.pin, INK if row.to else PALE, anchor=within)
        if row.to:
            yield Label(near - way * BESIDE, y - ABOVE, tag_of(row), anchor=beside)


# --- symbols of resistors, LEDs, buttons, buzzer -------------------------------------------------

JOIN = SYMBOLS - 6  # from the edge of the box to the line that joins the rows


def _resistor(x: float, way: int, y: float) -> Iterator[Shape]:
    """Yield a resistor at height *y*, 12 to 38 units inside the box's edge *x*.

    *way* is the direction from that edge into the box: 1 to the right, -1 to the left.
    """
    near, far = sorted((x + way * 12, x + way * 38))
    yield Rect(near, y - 6, far - near, 12, PAPER, INK)


def _joining_wires(x: float, way: int, box: PartBox) -> Iterator[Shape]:
    """Yield a line along each row of *box*, and one that joins all rows with the last, the ground.

    *x* is the edge of the box, and *way* the direction into the box, as in ``_resistor``.
    """
    join = x + way * JOIN
    for y in box.ys:
        yield Polyline(((x, y), (join, y)), INK)
    yield Polyline(((join, box.ys[0]), (join, box.ys[-1])), INK)


def _leds(x: float, way: int, box: PartBox) -> Iterator[Shape]:
    yield from _joining_wires(x, way, box)
    for y in box.ys[:-1]:
        yield from _resistor(x, way, y)
        tip = x + way * 66
        yield Triangle(((x + way * 50, y - 8), (x + way * 50, y + 8), (tip, y)), INK)
        yield Polyline(((tip, y - 8), (tip, y + 8)), INK)


def _buttons(x: float, way: int, box: PartBox) -> Iterator[Shape]:
    yield from _joining_wires(x, way, box)
    for y in box.ys[:-1]:
        near, far = sorted((x + way * 28, x + way * 54))
        yield Rect(near, y - 2, far - near, 4, CARD)
        yield Disc(near, y, 3, PAPER, INK)
        yield Disc(far, y, 3, PAPER, INK)
        yield Polyline(((near, y - 7), (far, y - 7)), INK)
        yield Polyline((((near + far) / 2, y - 7), ((near + far) / 2, y - 11)), INK)


def _piezo(x: float, way: int, box: PartBox) -> Iterator[Shape]:
    top, bottom = box.ys
    disc = x + way * 64
    yield Polyline(((x, top), (disc, top), (disc, bottom), (x, bottom)), INK)
    yield from _resistor(x, way, top)
    yield Disc(disc, (top + bottom) / 2, 10, PAPER, INK)
    yield Disc(disc, (top + bottom) / 2, 5, GOLD, INK)


SYMBOLS_OF: Final[Mapping[Symbol, Callable[[float, int, PartBox], Iterator[Shape]]]] = {
    Symbol.LED: _leds,
    Symbol.BUTTON: _buttons,
    Symbol.PIEZO: _piezo,
}
