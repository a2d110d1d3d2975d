"""Where everything stands on the page: the header in the middle, the parts beside it, the wires.

Room: firmware. Pure: from parts to places. A part stands on the side from which most of its wires
come; a wire to the other side passes the header between two rows of pins. In the margin between
header and parts every wire has a lane (``firmware.plan.lanes``). The x of everything is its
distance from the header's middle, to whichever side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from statistics import fmean

from firmware.plan.drawing import TEXT, TITLE
from firmware.plan.header import HEADER, ROWS, HeaderPin
from firmware.plan.lanes import Run, lanes
from firmware.plan.parts import Connection, Part

TOP = 64  # below which header and parts begin
PITCH = 48  # from row to row of the header
ROW = PITCH // 2  # and of a part
BOX_HEAD, BOX_FOOT = 54, 10  # of a part, above its first row and below its last
GAP = 32  # at least, between parts; with head and foot a whole number of rows
BOX_PADDING = 12
SYMBOLS = 90  # how wide a row's symbols are
COLUMN = 17  # from the header's middle to that of a column
PILL, PILL_WIDTH = 36, 66  # to where the name of a pin begins, and how wide it is
NOTE = PILL + PILL_WIDTH + 6  # to where it is said what the pin is for
BELOW = {True: 17, False: 25}  # from a pin to where its wire passes the header, by ``is_odd``
# The rows of parts stand that far below every other level of the header's pins, halfway between all
# levels at which wires leave: 0, 17, and 25, which is 1 more than a row. So no wire arrives where
# another leaves, and the two are never taken for one.
APART = 9
LANE = 13  # from lane to lane
ACROSS = 120  # as much height is worth one wire across the header
BESIDE = 8  # between a box and what is written at its wires


class Side(Enum):
    """A side of the header; its value is the way from there to the parts."""

    LEFT = -1
    RIGHT = 1

    @property
    def other(self) -> "Side":
        """The one across the header."""
        return Side(-self.value)

    @classmethod
    def of(cls, pin: HeaderPin) -> "Side":
        """The one that *pin* is on."""
        return cls.LEFT if pin.is_odd else cls.RIGHT


@dataclass(frozen=True, slots=True)
class Box:
    """A part, where it stands, and its connections in the order of its rows."""

    part: Part
    side: Side
    rows: tuple[Connection, ...]
    top: float = 0

    @property
    def height(self) -> float:
        """From its title to below its last row."""
        return BOX_HEAD + ROW * len(self.rows) + BOX_FOOT

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.top + self.height

    @property
    def ys(self) -> tuple[float, ...]:
        """The middle of each row."""
        return tuple(self.top + BOX_HEAD + ROW * (row + 0.5) for row in range(len(self.rows)))

    @property
    def width(self) -> int:
        """As much as its letters and symbols need."""
        symbols = SYMBOLS if self.part.symbol else 0
        pins = max(len(row.pin) for row in self.rows) * TEXT.width + symbols
        heads = max(len(self.part.name) * TITLE.width, len(self.part.kind) * TEXT.width)
        return max(pins, heads) + 2 * BOX_PADDING


@dataclass(frozen=True, slots=True)
class Wire:
    """The wire of one header pin on one side, and how far out its lane is."""

    pin: HeaderPin
    side: Side
    run: Run
    colour: str
    lane_x: float

    @property
    def is_across(self) -> bool:
        """Whether it comes from the header's other side."""
        return Side.of(self.pin) is not self.side


@dataclass(frozen=True, slots=True)
class Flank:
    """One side of the page: its parts and wires, and how far out the parts begin and end."""

    side: Side
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    box_x: float
    end_x: float


def flanks_of(parts: Sequence[Part]) -> tuple[Flank, Flank]:
    """Both sides of the page, the left one first."""
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
    """The middle of *pin*."""
    return TOP + PITCH * (pin.row + 0.5)


def leaving_y(pin: HeaderPin, side: Side) -> float:
    """Where a wire of *pin* leaves the header to *side*.

    To the other side it passes between two rows.
    """
    return pin_y(pin) + (0 if Side.of(pin) is side else BELOW[pin.is_odd])


def tag_of(wire: Connection) -> str:
    """What is written at the part's end of a wire: where it goes, and its colour."""
    return f"{wire.to.number} {wire.colour}" if wire.to else ""


def uses_of(parts: Sequence[Part]) -> dict[HeaderPin, str]:
    """What is written at the header's end of each wire: whose it is."""
    ends: dict[HeaderPin, list[tuple[Part, Connection]]] = {}
    for part in parts:
        for wire in part.connections:
            if wire.to is not None:
                ends.setdefault(wire.to, []).append((part, wire))
    return {pin: _use(pin, ends[pin]) for pin in HEADER if pin in ends}


def _use(pin: HeaderPin, ends: Sequence[tuple[Part, Connection]]) -> str:
    parts = {part for part, _ in ends}
    part, wire = ends[0]
    if len(parts) == 1:
        return part.short if pin.rail else f"{part.short} {wire.pin}"
    return f"{len(parts)} parts" if pin.rail else f"{wire.pin} of {len(parts)}"


# --- which part stands where ---------------------------------------------------------------------


def _wanted_y(part: Part) -> float:
    """The height at which its wires come from the header, on average."""
    return fmean(pin_y(pin) for pin in part.signals)


def _sides(parts: Sequence[Part]) -> dict[Part, Side]:
    """The side of each part: few wires across the header, and no column much too high."""

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


def _box(part: Part, side: Side) -> Box:
    """*part*, not placed yet; loose pieces in the order of the header, which crosses less."""
    if part.symbol is None:
        return Box(part, side, part.connections)
    wired = [(wire.to.rail is not None, wire.to.row, wire) for wire in part.connections if wire.to]
    return Box(part, side, tuple(wire for *_, wire in sorted(wired, key=lambda row: row[:2])))


def _column(side: Side, parts: Sequence[Part]) -> tuple[Box, ...]:
    """*parts* below each other, each as near to its pins as the others let it."""
    boxes = [_box(part, side) for part in sorted(parts, key=_wanted_y)]
    sizes = [round(box.height + GAP) // ROW for box in boxes]
    places: list[int] = []  # in rows from the top
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
    """Where a part begins that stands so many rows from the top."""
    return TOP + APART - (BOX_HEAD + ROW / 2) % ROW + ROW * place


# --- wires ---------------------------------------------------------------------------------------


def _flank(side: Side, parts: Sequence[Part], uses: Sequence[str]) -> Flank:
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


def _runs(side: Side, boxes: Sequence[Box]) -> list[tuple[HeaderPin, Run, str]]:
    """Each header pin that a wire goes from to *side*, with its run and colour."""
    ends: dict[HeaderPin, list[float]] = {}
    colours: dict[HeaderPin, str] = {}
    for pin, wire, y in _ends(boxes):
        ends.setdefault(pin, []).append(y)
        colours.setdefault(pin, wire.colour)
    return [(pin, Run(leaving_y(pin, side), tuple(ys)), colours[pin]) for pin, ys in ends.items()]


def _ends(boxes: Sequence[Box]) -> Iterator[tuple[HeaderPin, Connection, float]]:
    for box in boxes:
        for wire, y in zip(box.rows, box.ys, strict=True):
            if wire.to is not None:
                yield wire.to, wire, y
