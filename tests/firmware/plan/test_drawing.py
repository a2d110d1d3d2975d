"""The drawing shows the whole plan, can be read, and is the same in both formats."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from firmware.config.table_config import TableConfig
from firmware.plan.drawing import INK, PAPER, Disc, Drawing, Label, Polyline, Rect
from firmware.plan.lanes import CLEAR
from firmware.plan.layout import Side, flanks_of, pin_y, tag_of, uses_of
from firmware.plan.page import EDGE, GOLD, HALO, MARGIN, PAINTS, WIRE, draw
from firmware.plan.plan import plan_of
from firmware.plan.svg import to_svg
from tests.effort import some
from tests.firmware.plan.tables import DEFAULT, NAMED, NINE, table, tables

PLANS = {name: plan_of(config) for name, config in {**NAMED, "nine": NINE}.items()}
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on the page."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Area") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def ink_of(label: Label) -> Area:
    """Return the area that *label*'s letters cover: capitals are five eighths of a line high."""
    half = label.lettering.height * 5 / 16
    return Area(label.left, label.y - half, label.left + label.width, label.y + half)


def labels(drawing: Drawing) -> list[Label]:
    return [shape for shape in drawing.shapes if isinstance(shape, Label) and shape.text]


def strokes(drawing: Drawing) -> Iterator[Area]:
    """Yield the area of each stroke of each wire."""
    for shape in drawing.shapes:
        if isinstance(shape, Polyline) and shape.width == WIRE:
            yield from (Area(*stroke) for stroke in shape.strokes)


def readable(drawing: Drawing) -> None:
    """Fail if a text overlaps another text or a wire, or leaves the page."""
    written = [(label, ink_of(label)) for label in labels(drawing)]
    for (one, ink), (other, other_ink) in combinations(written, 2):
        assert not ink.meets(other_ink), (one.text, other.text)
    wires = list(strokes(drawing))
    for label, ink in written:
        assert ink.left >= MARGIN
        assert ink.right <= drawing.width - MARGIN
        assert 0 <= ink.top < ink.bottom <= drawing.height
        pins = {str(number) for number in range(1, 41)}
        if label.text not in pins:  # a pin's number is drawn on the pin, over its wire
            assert not any(ink.meets(wire) for wire in wires if not is_under_pill(wire, ink))


def is_under_pill(wire: Area, ink: Area) -> bool:
    """Return True if *wire* leaves a pin at the height of its label *ink*, which covers it."""
    return abs((wire.top + wire.bottom) - (ink.top + ink.bottom)) < 1


@pytest.mark.parametrize("name", PLANS)
def test_what_is_written_can_be_read(name: str) -> None:
    readable(draw(PLANS[name]))


@given(config=tables())
@settings(max_examples=some(60), deadline=None)
def test_what_is_written_can_be_read_on_any_table(config: TableConfig) -> None:
    readable(draw(plan_of(config)))


@given(config=tables())
@settings(max_examples=some(60), deadline=None)
def test_parts_do_not_cover_each_other_and_no_wire_runs_over_one(config: TableConfig) -> None:
    for flank in flanks_of(plan_of(config).parts):
        for upper, lower in zip(flank.boxes, flank.boxes[1:], strict=False):
            assert upper.bottom < lower.top
        assert all(wire.lane_x < flank.box_x for wire in flank.wires)
        for one, other in combinations(flank.wires, 2):
            if one.lane_x == other.lane_x:
                assert not one.run.overlaps(other.run)
            else:
                assert abs(one.lane_x - other.lane_x) > HALO


@given(config=tables())
@settings(max_examples=some(60), deadline=None)
def test_no_wire_arrives_on_the_level_at_which_another_leaves(config: TableConfig) -> None:
    """If the two wires' lanes were swapped, they would look like one wire."""
    for flank in flanks_of(plan_of(config).parts):
        leaves = [wire.run.header_y for wire in flank.wires]
        arrives = [y for wire in flank.wires for y in wire.run.part_ys]
        assert all(abs(out - back) >= CLEAR > EDGE for out in leaves for back in arrives)
        assert all(abs(one - other) >= CLEAR for one, other in combinations(leaves, 2))


@pytest.mark.parametrize("name", PLANS)
def test_every_wire_says_at_both_ends_where_it_goes(name: str) -> None:
    plan = PLANS[name]
    texts = Counter(label.text for label in labels(draw(plan)))
    wires = [wire for part in plan.parts for wire in part.connections]
    tags = Counter(tag_of(wire) for wire in wires if wire.to)
    assert {tag: texts[tag] for tag in tags} == dict(tags)
    uses = uses_of(plan.parts)
    assert set(uses) == {wire.to for wire in wires if wire.to}
    assert set(uses.values()) <= set(texts)


def test_what_is_written_at_a_pin_says_whose_it_is() -> None:
    uses = {pin.number: use for pin, use in uses_of(PLANS["family"].parts).items()}
    assert (uses[23], uses[24], uses[22]) == ("SCK of 2", "play SDA", "RST of 2")
    assert (uses[17], uses[36], uses[9]) == ("2 parts", "lamp seat-1", "display")


@pytest.mark.parametrize("name", PLANS)
def test_all_40_pins_are_drawn_as_on_the_board(name: str) -> None:
    drawing = draw(PLANS[name])
    pins = {label.text: label for label in labels(drawing) if label.text.isdigit()}
    assert [number for number in map(str, range(1, 41)) if number not in pins] == []
    assert pins["1"].x < pins["2"].x
    assert pins["1"].y == pins["2"].y < pins["3"].y < pins["39"].y == pins["40"].y
    square = next(
        shape for shape in drawing.shapes if isinstance(shape, Rect) and shape.fill in (GOLD, PAPER)
    )
    assert (square.left + square.width / 2, square.top + square.height / 2) == (
        pins["1"].x,
        pins["1"].y,
    )
    lit = [shape for shape in drawing.shapes if isinstance(shape, Disc) and shape.radius > 12]
    used = {pin.number for pin in uses_of(PLANS[name].parts)} - {1}
    assert len([disc for disc in lit if disc.fill == GOLD]) == len(used)


def test_most_of_a_parts_wires_come_from_its_own_side() -> None:
    left, right = flanks_of(PLANS["family"].parts)
    assert [box.part.short for box in left.boxes] == [
        "display",
        "play",
        "hand",
        "button",
        "encoder",
    ]
    assert [box.part.short for box in right.boxes] == ["lamp", "buzzer"]


def test_a_wire_to_the_other_side_passes_between_two_rows_of_pins() -> None:
    for plan in PLANS.values():
        for flank in flanks_of(plan.parts):
            for wire in flank.wires:
                below = wire.run.header_y - pin_y(wire.pin)
                assert below == 0 if Side.of(wire.pin) is wire.side else 13 < below < 48 - 13


@given(config=tables())
@settings(max_examples=some(60), deadline=None)
def test_wires_that_pass_the_header_in_both_directions_do_not_meet(config: TableConfig) -> None:
    flanks = flanks_of(plan_of(config).parts)
    levels = [wire.run.header_y for flank in flanks for wire in flank.wires if wire.is_across]
    assert all(abs(one - other) >= CLEAR for one, other in combinations(levels, 2))


def test_loose_pieces_have_their_symbol_in_each_wire() -> None:
    """Each LED has a diode symbol (drawn as a triangle) in its wire."""
    drawing = draw(plan_of(table(lamps={"accepted": 23, "refused": 24})))
    kinds = Counter(type(shape).__name__ for shape in drawing.shapes)
    assert kinds["Triangle"] == 2
    none = draw(plan_of(table()))
    assert Counter(type(shape).__name__ for shape in none.shapes)["Triangle"] == 0


@given(config=tables())
@settings(max_examples=some(20), deadline=None)
def test_one_table_has_one_drawing(config: TableConfig) -> None:
    assert draw(plan_of(config)) == draw(plan_of(config))


def test_the_title_is_the_files_name_in_letters_that_can_be_drawn() -> None:
    drawing = draw(plan_of(replace(DEFAULT, file=Path("zoë's\x07<table>🐪.toml"))))
    assert drawing.title == "tapmat: the wiring of zoë's?<table>?.toml"
    assert ElementTree.fromstring(to_svg(drawing)).findtext(f"{SVG}title") == drawing.title
    readable(drawing)


def test_a_long_name_widens_the_page() -> None:
    drawing = draw(plan_of(replace(table(), file=Path(f"{'long-' * 40}.toml"))))
    readable(drawing)


# --- as SVG --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLANS)
def test_the_svg_holds_every_shape_and_says_what_it_shows(name: str) -> None:
    drawing = draw(PLANS[name])
    root = ElementTree.fromstring(to_svg(drawing))
    assert root.get("viewBox") == f"0 0 {drawing.width} {drawing.height}"
    assert root.findtext(f"{SVG}title") == drawing.title
    words = root.findtext(f"{SVG}desc")
    assert words is not None
    assert "Reader play: SDA to pin 24 (GPIO8), purple" in words
    (group,) = root.findall(f"{SVG}g")
    assert len(group) == len(drawing.shapes)
    texts = [label for label in drawing.shapes if isinstance(label, Label)]
    found = group.findall(f"{SVG}text")
    assert [text.text or "" for text in found] == [label.text for label in texts]
    for text, label in zip(found, texts, strict=True):
        assert float(text.get("x", "nan")) == label.left
        assert text.get("textLength") == str(label.width)


def test_the_svg_needs_nothing_from_elsewhere() -> None:
    text = to_svg(draw(PLANS["family"]))
    assert "href" not in text
    assert text.count("http") == 1  # the SVG namespace


# --- colours -------------------------------------------------------------------------------------


def test_wires_are_told_apart_by_their_paint() -> None:
    """All ten wire colours differ, and a white wire has an outline to show on white paper."""
    assert len(set(PAINTS.values())) == len(PAINTS) == 10
    drawing = draw(PLANS["smallest"])
    edges = [
        shape for shape in drawing.shapes if isinstance(shape, Polyline) and shape.width > WIRE
    ]
    assert any(edge.colour == INK for edge in edges)
