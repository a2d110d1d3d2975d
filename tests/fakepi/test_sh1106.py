"""Tests of the emulated SH1106 against its data sheet, where it differs from the SSD1306."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.oled import GLASS_128X64
from fakepi.sh1106 import Registers, Sh1106Chip

UPRIGHT = (0xA1, 0xC8)
UNKNOWN = sorted(
    set(range(256))
    - set(range(0x20))
    - set(range(0x30, 0x34))
    - set(range(0x40, 0x80))
    - {0x81, 0xA0, 0xA1, *range(0xA4, 0xA9), 0xAD, 0xAE, 0xAF}
    - set(range(0xB0, 0xB8))
    - set(range(0xC0, 0xD0))
    - {0xD3, 0xD5, 0xD9, 0xDA, 0xDB, 0xE0, 0xE3, 0xEE}
)


def command(chip: Sh1106Chip, *values: int) -> None:
    chip.write(bytes([0x00, *values]))


def data(chip: Sh1106Chip, *values: int) -> None:
    chip.write(bytes([0x40, *values]))


def put(chip: Sh1106Chip, page: int, column: int, *values: int) -> None:
    command(chip, 0xB0 | page, column & 0x0F, 0x10 | column >> 4)
    data(chip, *values)


def upright_chip() -> Sh1106Chip:
    """Return a chip with a module's usual settings, switched on, with an empty picture."""
    chip = Sh1106Chip()
    command(chip, *UPRIGHT, 0xAF)
    for page in range(8):
        put(chip, page, 0, *bytes(132))
    return chip


def lit_pixels(chip: Sh1106Chip) -> list[tuple[int, int]]:
    return [(x, y) for y, row in enumerate(chip.visible()) for x, lit in enumerate(row) if lit]


# Power


def test_after_power_on_the_ram_is_noise_and_the_panel_dark() -> None:
    chip = Sh1106Chip(seed=7)
    assert chip.registers == Registers()
    assert (chip.registers.contrast, chip.registers.vcomh, chip.registers.clock) == (
        0x80,
        0x35,
        0x50,
    )
    assert len(chip.gddram) == 132 * 8
    assert len(set(chip.gddram)) > 100
    assert lit_pixels(chip) == []


def test_the_converter_runs_with_the_panel_unless_it_was_disabled() -> None:
    chip = Sh1106Chip()
    command(chip, 0xA5, 0xAF)
    assert chip.pixel(0, 0)
    command(chip, 0xAE, 0xAD, 0x8A, 0xAF)
    assert not chip.pixel(0, 0)
    chip.has_external_vcc = True
    assert chip.pixel(0, 0)
    command(chip, 0xAE)
    assert not chip.pixel(0, 0)


def test_the_converter_is_switched_while_the_panel_is_off_alone() -> None:
    chip = upright_chip()
    with pytest.raises(ValueError, match="ADh: the panel must be off"):
        command(chip, 0xAD, 0x8B)


def test_a_power_cycle_forgets_everything() -> None:
    chip = upright_chip()
    chip.power_cycle()
    assert chip.registers == Registers()
    assert any(chip.gddram)


# Status


def test_the_status_tells_whether_the_panel_is_off() -> None:
    chip = Sh1106Chip()
    assert chip.read(1) == b"\x40"
    command(chip, 0xAF)
    assert chip.read(2) == b"\x00\x00"


def test_after_data_there_is_no_status() -> None:
    """A read follows the last control byte, and serial interfaces cannot read display data."""
    chip = upright_chip()
    with pytest.raises(ValueError, match="write a command first"):
        chip.read(1)
    command(chip, 0xE3)
    assert chip.read(1) == b"\x00"


# RAM and pixels


@given(st.integers(0, 127), st.integers(0, 63))
def test_the_panel_shows_the_columns_from_2_on(x: int, y: int) -> None:
    chip = upright_chip()
    put(chip, y // 8, 2 + x, 1 << y % 8)
    assert lit_pixels(chip) == [(x, y)]


@pytest.mark.parametrize("column", [0, 1, 130, 131])
def test_the_outer_columns_are_not_seen(column: int) -> None:
    chip = upright_chip()
    put(chip, 0, column, 0xFF)
    assert lit_pixels(chip) == []
    assert chip.gddram[column] == 0xFF


def test_turned_by_half_a_circle_the_first_column_is_2_again() -> None:
    chip = upright_chip()
    command(chip, 0xA0, 0xC0)
    put(chip, 0, 2 + 3, 1 << 5)
    assert lit_pixels(chip) == [(124, 58)]


def test_data_stay_on_their_page_and_end_with_the_last_column() -> None:
    chip = upright_chip()
    put(chip, 3, 130, 1, 2)
    assert chip.gddram[3 * 132 + 130 : 4 * 132 + 1] == b"\x01\x02\x00"
    with pytest.raises(ValueError, match="column addresses end at 83h"):
        data(chip, 3)


@pytest.mark.parametrize("remap", [0xA0, 0xA1])
def test_data_go_to_the_same_cells_in_one_write_or_one_by_one(remap: int) -> None:
    whole, single = upright_chip(), upright_chip()
    command(whole, remap)
    command(single, remap)
    put(whole, 2, 5, *range(1, 101))
    for place, byte in enumerate(range(1, 101)):
        put(single, 2, 5 + place, byte)
    assert whole.gddram == single.gddram


def test_a_column_that_there_is_none_of_takes_no_data() -> None:
    chip = upright_chip()
    command(chip, 0x04, 0x18)
    with pytest.raises(ValueError, match="column addresses end at 83h"):
        data(chip, 1)


def test_either_half_of_the_column_address_keeps_the_other() -> None:
    chip = upright_chip()
    put(chip, 0, 0x53, 1)
    command(chip, 0x07)
    data(chip, 2)
    command(chip, 0x16)
    data(chip, 3)
    assert (chip.gddram[0x53], chip.gddram[0x57], chip.gddram[0x68]) == (1, 2, 3)


def test_read_modify_write_returns_to_its_column() -> None:
    chip = upright_chip()
    command(chip, 0xB1, 0x05, 0x10, 0xE0)
    data(chip, 1, 2)
    command(chip, 0xEE)
    data(chip, 3)
    assert chip.gddram[132 + 5 : 132 + 7] == b"\x03\x02"


def test_read_modify_write_comes_in_pairs() -> None:
    chip = Sh1106Chip()
    with pytest.raises(ValueError, match="EEh without an E0h before it"):
        command(chip, 0xEE)
    command(chip, 0xE0)
    with pytest.raises(ValueError, match="E0h again, before EEh ended the first"):
        command(chip, 0xE0)


def test_sequential_com_pads_tear_the_panel_apart() -> None:
    chip = upright_chip()
    for page in range(4):
        put(chip, page, 0, *[0xFF] * 132)
    command(chip, 0xDA, 0x02)
    assert sorted({y for _, y in lit_pixels(chip)}) == list(range(0, 64, 2))


def test_any_multiplex_will_do() -> None:
    chip = Sh1106Chip(GLASS_128X64)
    command(chip, 0xA8, 0x00, 0xA5, 0xAF)
    assert len({y for _, y in lit_pixels(chip)}) == 1


# Other settings, and values the data sheet does not define


def test_each_setting_lands_in_its_register() -> None:
    chip = Sh1106Chip()
    command(chip, 0x30, 0x81, 0xCF, 0xD5, 0xF0, 0xD9, 0xF1, 0xDB, 0xFF, 0xCF, 0xC7, 0xE3)
    wanted = Registers(pump_voltage=0, contrast=0xCF, clock=0xF0, precharge=0xF1, vcomh=0xFF)
    assert chip.registers == wanted


@pytest.mark.parametrize("byte", UNKNOWN)
def test_an_unknown_command_raises_and_is_named(byte: int) -> None:
    """The unknown bytes include the SSD1306's addressing, windows, scrolls and charge pump."""
    chip = Sh1106Chip()
    with pytest.raises(ValueError, match=f"{byte:02X}h is not in the data sheet"):
        command(chip, byte)
    command(chip, 0xE3)


@pytest.mark.parametrize(
    "undefined",
    [(0xAD, 0x30), (0xD9, 0x0F), (0xD9, 0xF0), (0xDA, 0x22), (0xDA, 0x10)],
)
def test_an_undefined_setting_raises_and_is_named(undefined: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"command {undefined[0]:02X}h"):
        command(Sh1106Chip(), *undefined)


@pytest.mark.parametrize("first", sorted(Sh1106Chip.ARGUMENTS))
def test_data_in_the_middle_of_a_command_raises(first: int) -> None:
    chip = Sh1106Chip()
    command(chip, first)
    with pytest.raises(ValueError, match=f"{first:02X}h waits"):
        data(chip, 1)
