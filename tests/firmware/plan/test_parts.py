"""The plan wires every pin of every part once, and gives each part ground and power."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from firmware.config.table_config import ControlsConfig, ReaderConfig, TableConfig, pins_in_use
from firmware.plan import parts as plan_parts
from firmware.plan.header import GROUND, POWER
from firmware.plan.parts import Connection, Draft, Part, Pin, ground, parts_of, shared_pins
from hardware.modules import Current
from tests.effort import some
from tests.firmware.plan.tables import DEFAULT, KITS, NAMED, NINE, readers, table, tables

BUS_PINS = {  # by ``spi``: chip select, SCK, MOSI, MISO; not taken from the program
    "0.0": (8, 11, 10, 9),
    "0.1": (7, 11, 10, 9),
    "1.0": (18, 21, 20, 19),
    "1.1": (17, 21, 20, 19),
    "1.2": (16, 21, 20, 19),
}


def pins_wired(config: TableConfig) -> Counter[int]:
    """Return the number of wires to each GPIO pin in the plan."""
    return Counter(
        wire.to.bcm
        for part in parts_of(config)
        for wire in part.connections
        if wire.to is not None and wire.to.bcm is not None
    )


def pins_needed(config: TableConfig) -> Counter[int]:
    """Return the number of wires that each GPIO pin needs, for the table's parts and buses."""
    needed = Counter(pin for _, pin in pins_in_use(config))
    for reader in config.readers:
        select, *bus = BUS_PINS[reader.spi]
        needed.update(bus if reader.select_pin else [select, *bus])
    if config.display is not None:
        needed.update((2, 3))
    return needed


def named(config: TableConfig, name: str) -> Part:
    (part,) = (part for part in parts_of(config) if part.name == name)
    return part


def wire(part: Part, pin: str) -> Connection:
    (found,) = (wire for wire in part.connections if wire.pin == pin)
    return found


def numbers(part: Part) -> dict[str, int]:
    """Return the header pin's number for each pin of *part* that is wired to the header."""
    return {wire.pin: wire.to.number for wire in part.connections if wire.to is not None}


@pytest.mark.parametrize("name", NAMED)
def test_every_pin_of_a_table_is_wired_as_often_as_it_is_used(name: str) -> None:
    assert pins_wired(NAMED[name]) == pins_needed(NAMED[name])


@given(config=tables())
@settings(max_examples=some(100), deadline=None)
def test_every_pin_of_any_table_is_wired_as_often_as_it_is_used(config: TableConfig) -> None:
    assert pins_wired(config) == pins_needed(config)


@given(config=tables())
@settings(max_examples=some(100), deadline=None)
def test_every_part_has_ground_and_what_is_a_board_has_power(config: TableConfig) -> None:
    for part in parts_of(config):
        rails = Counter(wire.to.rail for wire in part.connections if wire.to)
        assert rails[GROUND] == 1
        assert (rails[POWER] > 0) == (part.symbol is None)


@given(config=tables())
@settings(max_examples=some(100), deadline=None)
def test_red_is_3v3_and_black_is_ground_and_nothing_else_is(config: TableConfig) -> None:
    of_rail = {POWER: "red", GROUND: "black"}
    for part in parts_of(config):
        for wire in part.connections:
            rail = wire.to.rail if wire.to else None
            assert (wire.colour == "") == (wire.to is None)
            assert of_rail.get(rail or "") == (wire.colour if rail else None)
            assert rail or wire.colour not in ("red", "black")


@given(config=tables())
@settings(max_examples=some(100), deadline=None)
def test_no_pin_of_a_rail_serves_two_parts_while_another_serves_none(config: TableConfig) -> None:
    for rail, count in ((POWER, 2), (GROUND, 8)):
        taken = Counter(
            pin
            for part in parts_of(config)
            for pin in {wire.to for wire in part.connections if wire.to and wire.to.rail == rail}
        )
        parts = sum(taken.values())
        assert max(taken.values()) <= -(-parts // count)


def test_what_several_wires_go_to_is_a_bus_a_rail_or_the_reset_wire() -> None:
    for config in NAMED.values():
        parts = parts_of(config)
        for pin, count in shared_pins(parts).items():
            ends = [wire for part in parts for wire in part.connections if wire.to == pin]
            assert len(ends) == count > 1
            names = {wire.pin for wire in ends}
            assert pin.rail or names in ({"SCK"}, {"MOSI"}, {"MISO"}, {"RST"})


def test_the_smallest_kit_is_wired_pin_by_pin() -> None:
    parts = parts_of(KITS["smallest"])
    assert {part.name: numbers(part) for part in parts} == {
        "Reader play": {
            "SDA": 24, "SCK": 23, "MOSI": 19, "MISO": 21, "GND": 20, "RST": 22, "3.3V": 17,
        },
        "Display": {"GND": 9, "VCC": 1, "SCL": 5, "SDA": 3},
        "Buttons": {"ok": 33, "back": 37, "action": 7, "left": 29, "right": 31, "GND": 25},
    }  # fmt: skip
    assert shared_pins(parts) == {}


def test_parts_come_in_the_order_of_the_default_file() -> None:
    names = [part.name for part in parts_of(DEFAULT)]
    assert names == ["Reader play", "Display", "Lamps", "Encoder", "Buttons", "Buzzer"]
    assert [part.section for part in parts_of(DEFAULT)] == [
        "readers.play",
        "display",
        "lamps",
        "controls",
        "controls",
        "buzzer",
    ]


def test_the_kits_are_what_their_names_say() -> None:
    assert [reader.spot for reader in KITS["smallest"].readers] == ["play"]
    family = KITS["family"]
    assert [reader.spot for reader in family.readers] == ["play", "hand"]
    assert {f"seat-{seat}" for seat in range(1, 7)} <= set(family.lamps)
    five = KITS["five-readers"]
    assert [reader.spi for reader in five.readers] == list(BUS_PINS)


def test_a_display_has_its_two_wires_and_its_chip() -> None:
    display = named(KITS["five-readers"], "Display")
    assert display.kind == "SH1106, 0x3C"
    assert (numbers(display)["SDA"], numbers(display)["SCL"]) == (3, 5)


def test_a_select_pin_replaces_the_buss_own_chip_select() -> None:
    hand = named(NINE, "Reader hand")
    select = wire(hand, "SDA")
    assert select.to is not None
    assert select.to.bcm == 16
    assert "GPIO7 stays free" in select.note


def test_a_reader_without_a_reset_pin_is_kept_running_by_its_own_power() -> None:
    reader = named(table([ReaderConfig("play", 0, 0)]), "Reader play")
    assert wire(reader, "RST").to == wire(reader, "3.3V").to
    assert (wire(reader, "RST").colour, wire(reader, "IRQ").to) == ("red", None)


def test_each_led_has_its_resistor_and_one_ground_serves_all() -> None:
    lamps = named(DEFAULT, "Lamps")
    *leds, common = lamps.connections
    assert [wire.pin for wire in leds] == list(DEFAULT.lamps)
    assert all("470 Ω" in wire.note for wire in leds)
    assert common.note == "all short legs"
    assert len({wire.colour for wire in leds[:8]}) == 8
    assert any("without it, LED and pin may fail" in note for note in lamps.notes)


def test_ok_is_the_push_of_the_encoder() -> None:
    assert numbers(named(DEFAULT, "Encoder")) == {"CLK": 29, "DT": 31, "SW": 33, "+": 17, "GND": 34}
    assert "ok" not in numbers(named(DEFAULT, "Buttons"))


def test_an_encoder_whose_push_is_not_used_keeps_it_free() -> None:
    config = table(controls=ControlsConfig((5, 6), {}))
    encoder = named(config, "Encoder")
    assert wire(encoder, "SW").to is None
    assert [part.name for part in parts_of(config)] == ["Reader play", "Encoder"]


def test_without_an_encoder_ok_is_a_button_like_the_others() -> None:
    buttons = named(KITS["smallest"], "Buttons")
    assert [wire.pin for wire in buttons.connections] == [
        "ok",
        "back",
        "action",
        "left",
        "right",
        "GND",
    ]


def test_the_buzzer_is_one_that_a_pin_can_drive_and_says_what_else_would_need() -> None:
    buzzer = named(DEFAULT, "Buzzer")
    assert "1000 Ω" in wire(buzzer, "+").note
    (note,) = buzzer.notes
    assert "passive piezo" in note
    assert "transistor" in note


def test_nine_readers_share_what_they_can() -> None:
    counts = {pin.name: count for pin, count in shared_pins(parts_of(NINE)).items()}
    assert [counts[name] for name in ("GPIO9", "GPIO10", "GPIO11", "GPIO25")] == [9, 9, 9, 9]
    assert len({numbers(part)["SDA"] for part in parts_of(NINE)}) == 10  # the display included


def test_a_new_kind_of_part_needs_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan adds the ground wire and the pin of the new kind like any other."""

    def bells(config: TableConfig) -> Iterator[Draft]:
        part = Part("Bell", "bell", "a bell", "bell", notes=(), current=Current(1, 2))
        yield part, (Pin("DING", 4, "blue"), ground())

    monkeypatch.setattr(plan_parts, "PARTS", (*plan_parts.PARTS, bells))
    bell = named(table(readers(1)), "Bell")
    assert numbers(bell) == {"DING": 7, "GND": 9}
    assert pins_wired(table(readers(1)))[4] == 1
