"""The layout of the page: the header in the middle, parts on both sides, and the wires between.

If possible, each part is on the side of the header where most of the part's pins are. A wire to the
other side passes the header between two rows of pins. Between the header and the parts, every wire
has a vertical lane (``firmware.plan.lanes``). Every x here is a distance from the header's middle,
to the left or to the right.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from statistics import fmean

from firmware.plan.drawing import TEXT, TITLE
from firmware.plan.header import HEADER, ROWS, HeaderPin
from firmware.plan.lanes import WireRun, lanes
from firmware.plan.parts import Connection, Part

TOP = 64  # y at which the header begins, and above which no part is
PITCH = 48  # height of a row of the header
ROW = PITCH // 2  # height of a row of a part
BOX_HEAD, BOX_FOOT = 54, 10  # space in a part's box above its first row and below its last
GAP = 32  # least space between boxes; with head and foot a whole number of rows
BOX_PADDING = 12
SYMBOLS = 90  # width of a row's symbols
COLUMN = 17  # x of the middle of a column of pins
PILL, PILL_WIDTH = 36, 66  # x and width of the label with a pin's name
NOTE = PILL + PILL_WIDTH + 6  # x of the text that says what the pin is used for
BELOW = {True: 17, False: 25}  # from a pin down to its wire that crosses the header, by ``is_odd``
# Rows of parts are this far below the level of a pin, plus or minus a whole number of ROWs. Wires
# leave the header 0, 17 or 25 (a ROW and 1) below a pin. So at 9, the wires that arrive at parts
# are at least 8 above or below those that leave the header.
APART = 9
LANE = 13  # distance between lanes
ACROSS = 120  # a wire across the header is as bad as this much more height of the page
BESIDE = 8  # space between a box and the text at its wires


class Side(Enum):
    """A side of the header. Its value is the sign of x from the header to the parts."""

    LEFT = -1
    RIGHT = 1

    @property
    def other(self) -> "Side":
        """The opposite side."""
        return Side(-self.value)

    @classmethod
    def of(cls, pin: HeaderPin) -> "Side":
        """Return the side that *pin* is on."""
        return cls.LEFT if pin.is_odd else cls.RIGHT


@dataclass(frozen=True, slots=True)
class PartBox:
    """The box of a part on the page. *rows* are its connections from top to bottom."""

    part: Part
    side: Side
    rows: tuple[Connection, ...]
    top: float = 0

    @property
    def height(self) -> float:
        """The height of the box, from its title to below its last row."""
        return BOX_HEAD + ROW * len(self.rows) + BOX_FOOT

    @property
    def bottom(self) -> float:
        """The y of the box's lower edge."""
        return self.top + self.height

    @property
    def ys(self) -> tuple[float, ...]:
        """The y of the middle of each row."""
        return tuple(self.top + BOX_HEAD + ROW * (row + 0.5) for row in range(len(self.rows)))

    @property
    def width(self) -> int:
        """The width that the box's text and symbols need."""
        symbols = SYMBOLS if self.part.symbol else 0
        pins = max(len(row.pin) for row in self.rows) * TEXT.width + symbols
        heads = max(len(self.part.name) * TITLE.width, len(self.part.kind) * TEXT.width)
        return max(pins, heads) + 2 * BOX_PADDING


@dataclass(frozen=True, slots=True)
class Wire:
    """The wire from one header pin to the parts of one side.

    *run* has the heights of its ends, and *lane_x* is the x of its lane.
    """

    pin: HeaderPin
    side: Side
    run: WireRun
    colour: str
    lane_x: float

    @property
    def is_across(self) -> bool:
        """True if the wire comes from a pin on the header's other side."""
        return Side.of(self.pin) is not self.side


@dataclass(frozen=True, slots=True)
class Flank:
    """One side of the page: its parts and wires. The parts are between *box_x* and *end_x*."""

    side: Side
    boxes: tuple[PartBox, ...]
    wires: tuple[Wire, ...]
    box_x: float
    end_x: float


def flanks_of(parts: Sequence[Part]) -> tuple[Flank, Flank]:
    """Return the layout of both sides of the page, the left one first."""
    sides = _sides(parts)
    uses = uses_of(parts)
    left, right = (
        _flank(
            side,
            [part for part in parts if sides[part] is side],
            [use for pin, use in uses.items() if Side.of(pin) is side],
        )
        for side in Side
    )
    return left, right


def pin_y(pin: HeaderPin) -> float:
    """Return the y of the middle of *pin*."""
    return TOP + PITCH * (pin.row + 0.5)


def leaving_y(pin: HeaderPin, side: Side) -> float:
    """Return the y at which a wire of *pin* leaves the header on *side*.

    If *pin* is in the header's other column, the wire passes between two pins on *side*.
    """
    return pin_y(pin) + (0 if Side.of(pin) is side else BELOW[pin.is_odd])


def tag_of(wire: Connection) -> str:
    """Return the label at the part's end of *wire*: number of the Pi's pin and colour.

    The label is empty if the part's pin stays free.
    """
    return f"{wire.to.number} {wire.colour}" if wire.to else ""


def uses_of(parts: Sequence[Part]) -> dict[HeaderPin, str]:
    """Return a label for each header pin in use.

    The label is the name of the part at the pin, or the number of parts if there are several. On a
    GPIO pin it also has the name of the part's own pin.
    """
    ends: dict[HeaderPin, list[tuple[Part, Connection]]] = {}
    for part in parts:
        for wire in part.connections:
            if wire.to is not None:
                ends.setdefault(wire.to, []).append((part, wire))
    return {pin: _label(pin, ends[pin]) for pin in HEADER if pin in ends}


def _label(pin: HeaderPin, ends: Sequence[tuple[Part, Connection]]) -> str:
    """Return the label of *pin*. *ends* are the parts and connections that its wires lead to."""
    parts = {part for part, _ in ends}
    part, wire = ends[0]
    if len(parts) == 1:
        return part.short if pin.rail else f"{part.short} {wire.pin}"
    return f"{len(parts)} parts" if pin.rail else f"{wire.pin} of {len(parts)}"


# --- places of the parts -------------------------------------------------------------------------


def _wanted_y(part: Part) -> float:
    """Return the mean y of the header pins that *part* uses, without 3.3 V and ground."""
    return fmean(pin_y(pin) for pin in part.signals)


def _sides(parts: Sequence[Part]) -> dict[Part, Side]:
    """Return the side of each part, with few wires across the header and similar heights."""

    def cost(sides: Mapping[Part, Side]) -> float:
        across = {
            wire.to
            for part, side in sides.items()
            for wire in part.connections
            if wire.to and Side.of(wire.to) is not side
        }
        heights = (
            sum(_box(part, side).height + GAP for part, at in sides.items() if at is side)
            for side in Side
        )
        return ACROSS * len(across) + max(ROWS * PITCH, *heights)

    sides = {
        part: Side.LEFT if fmean(pin.is_odd for pin in part.signals) >= 0.5 else Side.RIGHT
        for part in parts
    }
    while True:
        changed = [{**sides, part: side.other} for part, side in sides.items()]
        best = min(changed, key=cost)
        if cost(best) >= cost(sides):
            return sides
        sides = best


def _box(part: Part, side: Side) -> PartBox:
    """Return the box of *part*, not placed yet.

    A part of loose components, such as lamps, has its rows in the order of the header's pins, so
    that fewer wires cross. A board has them in the order of its own pins.
    """
    if part.symbol is None:
        return PartBox(part, side, part.connections)
    wired = [(wire.to.rail is not None, wire.to.row, wire) for wire in part.connections if wire.to]
    return PartBox(part, side, tuple(wire for *_, wire in sorted(wired, key=lambda row: row[:2])))


def _column(side: Side, parts: Sequence[Part]) -> tuple[PartBox, ...]:
    """Return the boxes of *parts*, placed in a column, each as near to its pins as possible."""
    boxes = [_box(part, side) for part in sorted(parts, key=_wanted_y)]
    sizes = [round(box.height + GAP) // ROW for box in boxes]
    places: list[int] = []  # the row at which each box begins
    edge = 0
    for box, size in zip(boxes, sizes, strict=True):
        wanted = _wanted_y(box.part) - box.height / 2 - _top(0)
        places.append(max(edge, round(wanted / ROW)))
        edge = places[-1] + size
    edge = max(ROWS * PITCH // ROW, sum(sizes))
    for at in reversed(range(len(boxes))):
        places[at] = min(places[at], edge - sizes[at])
        edge = places[at]
    return tuple(replace(box, top=_top(at)) for box, at in zip(boxes, places, strict=True))


def _top(place: int) -> float:
    """Return the y of a box that begins at row *place*, counted from the top."""
    return TOP + APART - (BOX_HEAD + ROW / 2) % ROW + ROW * place


# --- wires ---------------------------------------------------------------------------------------


def _flank(side: Side, parts: Sequence[Part], uses: Sequence[str]) -> Flank:
    """Lay out *side* of the page. *uses* are the labels of the header's pins there."""
    boxes = _column(side, parts)
    tags = [tag_of(wire) for part in parts for wire in part.connections]
    tag = max(map(len, tags), default=0) * TEXT.width + 2 * BESIDE
    runs = _runs(side, boxes)
    places = lanes([run for _, run, _ in runs])
    first_x = NOTE + max(map(len, uses), default=0) * TEXT.width + BESIDE + LANE
    wires = tuple(
        Wire(pin, side, run, colour, first_x + LANE * lane)
        for (pin, run, colour), lane in zip(runs, places, strict=True)
    )
    box_x = first_x + LANE * max(places, default=-1) + LANE + tag
    return Flank(side, boxes, wires, box_x, box_x + max((box.width for box in boxes), default=0))


def _runs(side: Side, boxes: Sequence[PartBox]) -> list[tuple[HeaderPin, WireRun, str]]:
    """Return each header pin with a wire to *side*, together with that wire's run and colour."""
    ends: dict[HeaderPin, list[float]] = {}
    colours: dict[HeaderPin, str] = {}
    for pin, wire, y in _ends(boxes):
        ends.setdefault(pin, []).append(y)
        colours.setdefault(pin, wire.colour)
    return [
        (pin, WireRun(leaving_y(pin, side), tuple(ys)), colours[pin]) for pin, ys in ends.items()
    ]


def _ends(boxes: Sequence[PartBox]) -> Iterator[tuple[HeaderPin, Connection, float]]:
    """Yield the header pin, the connection and the y of each row that has a wire."""
    for box in boxes:
        for wire, y in zip(box.rows, box.ys, strict=True):
            if wire.to is not None:
                yield wire.to, wire, y
