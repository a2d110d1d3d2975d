"""The current that a table draws, the Pi's supply, and the check of both."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from firmware.config.table_config import LAMPS, ControlsConfig, ReaderConfig, TableConfig
from firmware.doctor.findings import Verdict
from firmware.plan.plan import plan_of
from firmware.plan.power import PINS_MA, RAIL_MA
from tests.effort import some
from tests.firmware.plan.tables import KITS, NAMED, NINE, readers, table, tables


def drawn(config: TableConfig) -> tuple[int, int]:
    total = plan_of(config).budget.total
    return round(total.typical_ma), round(total.at_most_ma)


@pytest.mark.parametrize(
    ("count", "all_on", "in_turn"),
    [
        (1, (74, 119), (74, 119)),
        (2, (147, 238), (87, 138)),
        (5, (368, 595), (128, 195)),
        (9, (662, 1071), (182, 271)),
    ],
)
def test_readers_draw_what_the_guide_says(
    count: int, all_on: tuple[int, int], in_turn: tuple[int, int]
) -> None:
    """The readers' currents agree with the table under "Power" in docs/readers-and-display.md."""
    assert drawn(table(readers(count), in_turn=False)) == all_on
    assert drawn(table(readers(count), in_turn=True)) == in_turn


@pytest.mark.parametrize("name", NAMED)
def test_what_comes_with_tapmat_is_well_within_what_the_pi_gives(name: str) -> None:
    plan = plan_of(NAMED[name])
    assert plan.verdict is Verdict.OK
    assert plan.budget.total.at_most_ma < RAIL_MA


@given(config=tables())
@settings(max_examples=some(50), deadline=None)
def test_parts_add_up(config: TableConfig) -> None:
    budget = plan_of(config).budget
    assert sum(draw.current.typical_ma for draw in budget.draws) == pytest.approx(
        budget.total.typical_ma
    )
    assert 0 <= budget.through_pins.at_most_ma <= budget.total.at_most_ma
    assert all(draw.current.typical_ma <= draw.current.at_most_ma for draw in budget.draws)


def test_every_lamp_and_the_buzzer_at_once_stay_within_what_gpio_pins_give() -> None:
    """The check has every lamp and the buzzer on at once, the most that a table can have."""
    lamps = dict(zip(LAMPS, range(16, 26), strict=True))
    budget = plan_of(table(lamps=lamps, buzzer_pin=12)).budget
    assert PINS_MA / 2 < budget.through_pins.at_most_ma < PINS_MA


def test_more_than_it_gives_at_the_worst_is_a_warning_and_says_what_helps() -> None:
    plan = plan_of(table(readers(5), in_turn=False))
    (warning,) = (finding for finding in plan.findings if finding.part == "3.3 V")
    assert (plan.verdict, warning.verdict) == (Verdict.WARN, Verdict.WARN)
    assert warning.found.startswith("typically 368 mA, at most 595 mA (limit 500 mA); ")
    assert warning.remedy.startswith("Write in_turn = true under [fields]; or feed the readers")


def test_more_than_it_gives_on_an_ordinary_day_fails() -> None:
    plan = plan_of(table(readers(9), in_turn=False))
    assert plan.verdict is Verdict.FAIL
    assert plan_of(NINE).verdict is Verdict.OK


@pytest.mark.parametrize("pin", [14, 15])
def test_a_pin_of_the_serial_port_is_a_warning(pin: int) -> None:
    plan = plan_of(table(controls=ControlsConfig(None, {"back": pin})))
    warning = plan.findings[-1]
    assert (warning.part, warning.verdict) == ("serial port", Verdict.WARN)
    assert warning.found.startswith(f"controls.back is on GPIO{pin}, ")
    assert plan.verdict is Verdict.WARN


def test_the_pins_are_counted() -> None:
    found = plan_of(KITS["family"]).findings[0].found
    assert found.endswith("family.toml: 17 pins, none used twice or by a bus")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("smallest", ["dtparam=spi=on", "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"]),
        (
            "five-readers",
            ["dtparam=spi=on", "dtparam=i2c_arm=on,i2c_arm_baudrate=400000", "dtoverlay=spi1-3cs"],
        ),
    ],
)
def test_the_pi_is_told_of_the_buses_that_are_used(name: str, lines: list[str]) -> None:
    assert list(plan_of(KITS[name]).boot_lines) == lines


def test_a_table_on_spi1_alone_leaves_spi0_off() -> None:
    assert plan_of(table([ReaderConfig("play", 1, 1)])).boot_lines == ("dtoverlay=spi1-3cs",)


def test_chip_selects_are_high_from_the_start() -> None:
    """The boot lines agree with docs/readers-and-display.md, for readers with select pins."""
    three = replace(NINE, readers=NINE.readers[:4], display=None)
    assert plan_of(three).boot_lines == ("dtparam=spi=on", "gpio=16,17,18=op,dh")
