"""The drawing of a plan: header, parts and wires where the layout has them.

Room: firmware. Pure: from a ``Plan`` to a ``Drawing``. What tells wires apart is written at both of
their ends, so colours are a help and not needed.
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
    Line,
    Point,
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
    Box,
    Flank,
    Side,
    Wire,
    flanks_of,
    pin_y,
    tag_of,
    uses_of,
)
from firmware.plan.parts import Symbol
from firmware.plan.plan import CONFIG_TXT, Plan, current_text
from firmware.screen_text import legible

# The colours of wires as they are drawn.
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
WIRE, EDGE, HALO = 4, 6, 9  # how wide a wire is, with its dark edge, and what it keeps clear
DOT = 5
ABOVE = 11  # from a wire to the middle of what is written at it
LINE = 22  # from line to line below the drawing
OUTWARDS: Final[Mapping[Side, Anchor]] = {Side.LEFT: "end", Side.RIGHT: "start"}

HOW_TO_READ = (
    "The header is seen from above: pin 1 is square, at the microSD card's end of the board, and "
    "the right column stands along its edge. At each wire's part: the pin it goes to, and a colour "
    "for it. Dots join wires, as a row of a breadboard does."
)


def draw(plan: Plan) -> Drawing:
    """The drawing of *plan*."""
    flanks = flanks_of(plan.parts)
    left, right = flanks
    middle = left.end_x + MARGIN
    boxes = [box for flank in flanks for box in flank.boxes]
    bottom = max(TOP + HEADER_HEIGHT, *(box.bottom for box in boxes)) + LINE
    title = f"tapmat: the wiring of {legible(plan.name)}"
    heading = Label(MARGIN, 30, title, lettering=TITLE)
    width = round(max(middle + right.end_x, MARGIN + heading.width) + MARGIN)
    below = list(_text(_below(plan), bottom, width))
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
    """*paragraphs* below *top*, as wide as the page."""
    letters = int(width - 2 * MARGIN) // TEXT.width
    lines = (line for text in paragraphs for line in wrap(text, letters))
    for row, line in enumerate(lines):
        yield Label(MARGIN, top + LINE * (row + 0.5), line)


def _below(plan: Plan) -> Iterator[str]:
    """How to read it, and what else there is to know before one solders."""
    yield HOW_TO_READ
    yield f"{CONFIG_TXT}: {'; '.join(plan.boot_lines)}"
    yield f"From 3.3 V: {current_text(plan.budget)}."
    yield from dict.fromkeys(note for part in plan.parts for note in part.notes)


def _words(plan: Plan) -> str:
    """What the drawing shows, for whoever does not see it."""
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
    half = COLUMN + PIN_RADIUS + 4
    yield Rect(middle - half, TOP, 2 * half, HEADER_HEIGHT, PLASTIC, radius=6)


def _pins(plan: Plan, flanks: Iterable[Flank], middle: float) -> Iterator[Shape]:
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
    """Level strokes first, then the lanes over them, each with a clear seam."""
    for wire in flank.wires:
        yield from _strokes(_level(wire, flank, middle), wire.colour)
    for wire in flank.wires:
        yield from _lane(wire, middle)


def _level(wire: Wire, flank: Flank, middle: float) -> list[tuple[Point, ...]]:
    """From the pin to the lane, and from there to each part."""
    way, y = wire.side.value, wire.run.header_y
    lane, part = middle + way * wire.lane_x, middle + way * flank.box_x
    pin = middle + Side.of(wire.pin).value * COLUMN
    ends: list[tuple[Point, ...]] = [((lane, end), (part, end)) for end in wire.run.part_ys]
    return [((pin, pin_y(wire.pin)), (pin, y), (lane, y)), *ends]


def _lane(wire: Wire, middle: float) -> Iterator[Shape]:
    way, run = wire.side.value, wire.run
    x = middle + way * wire.lane_x
    lane = ((x, run.top), (x, run.bottom))
    joints = [(run.header_y, -way), *((y, way) for y in run.part_ys)]
    yield Line(lane, PAPER, HALO)
    # What the seam took of the level strokes is put back, the dark edges up to where they begin.
    for width, reach, paint in ((EDGE, HALO - EDGE, INK), (WIRE, HALO, PAINTS[wire.colour])):
        yield Line(lane, paint, width)
        for y, out in joints:
            yield Line(((x, y), (x + out * reach / 2, y)), paint, width)
    for y in sorted({y for y in run.ys if run.top < y < run.bottom}):
        yield Disc(x, y, DOT, PAINTS[wire.colour], INK)


def _strokes(lines: Sequence[tuple[Point, ...]], colour: str) -> Iterator[Shape]:
    """*lines* in the colour of a wire, joined under one dark edge."""
    for width, paint in ((EDGE, INK), (WIRE, PAINTS[colour])):
        yield from (Line(points, paint, width) for points in lines)


# --- parts ---------------------------------------------------------------------------------------


def _part(box: Box, flank: Flank, middle: float) -> Iterator[Shape]:
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


# --- what stands in the wires of loose pieces ----------------------------------------------------

JOIN = SYMBOLS - 6  # from the edge of the box to where the pieces are joined


def _resistor(x: float, way: int, y: float) -> Iterator[Shape]:
    """From 12 to 38 steps into the box."""
    near, far = sorted((x + way * 12, x + way * 38))
    yield Rect(near, y - 6, far - near, 12, PAPER, INK)


def _joined(x: float, way: int, box: Box) -> Iterator[Shape]:
    """A wire along each row, and all of them joined with the last one, which is ground."""
    join = x + way * JOIN
    for y in box.ys:
        yield Line(((x, y), (join, y)), INK)
    yield Line(((join, box.ys[0]), (join, box.ys[-1])), INK)


def _leds(x: float, way: int, box: Box) -> Iterator[Shape]:
    yield from _joined(x, way, box)
    for y in box.ys[:-1]:
        yield from _resistor(x, way, y)
        tip = x + way * 66
        yield Triangle(((x + way * 50, y - 8), (x + way * 50, y + 8), (tip, y)), INK)
        yield Line(((tip, y - 8), (tip, y + 8)), INK)


def _buttons(x: float, way: int, box: Box) -> Iterator[Shape]:
    yield from _joined(x, way, box)
    for y in box.ys[:-1]:
        near, far = sorted((x + way * 28, x + way * 54))
        yield Rect(near, y - 2, far - near, 4, CARD)
        yield Disc(near, y, 3, PAPER, INK)
        yield Disc(far, y, 3, PAPER, INK)
        yield Line(((near, y - 7), (far, y - 7)), INK)
        yield Line((((near + far) / 2, y - 7), ((near + far) / 2, y - 11)), INK)


def _piezo(x: float, way: int, box: Box) -> Iterator[Shape]:
    top, bottom = box.ys
    disc = x + way * 64
    yield Line(((x, top), (disc, top), (disc, bottom), (x, bottom)), INK)
    yield from _resistor(x, way, top)
    yield Disc(disc, (top + bottom) / 2, 10, PAPER, INK)
    yield Disc(disc, (top + bottom) / 2, 5, GOLD, INK)


SYMBOLS_OF: Final[Mapping[Symbol, Callable[[float, int, Box], Iterator[Shape]]]] = {
    Symbol.LED: _leds,
    Symbol.BUTTON: _buttons,
    Symbol.PIEZO: _piezo,
}
