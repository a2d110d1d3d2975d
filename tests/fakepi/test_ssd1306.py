"""Tests of the emulated SSD1306 against its data sheet."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.oled import GLASS_128X32, GLASS_128X64, Glass
from fakepi.ssd1306 import Registers, Scroll, Ssd1306Chip

UPRIGHT = (0xA1, 0xC8)
HORIZONTAL = (0x20, 0x00)
LIT = (0x8D, 0x14, 0xAF)
UNKNOWN = sorted(
    set(range(256))
    - set(range(0x20))
    - {0x20, 0x21, 0x22, 0x26, 0x27, 0x29, 0x2A, 0x2E, 0x2F}
    - set(range(0x40, 0x80))
    - {0x81, 0x8D, *range(0xA0, 0xA2), *range(0xA3, 0xA9), 0xAD, 0xAE, 0xAF}
    - set(range(0xB0, 0xB8))
    - {0xC0, 0xC8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB, 0xE3}
)


def command(chip: Ssd1306Chip, *values: int) -> None:
    chip.write(bytes([0x00, *values]))


def data(chip: Ssd1306Chip, *values: int) -> None:
    chip.write(bytes([0x40, *values]))


def upright_chip(glass: Glass = GLASS_128X64, picture: bytes = bytes(1024)) -> Ssd1306Chip:
    """Return a chip with a module's usual settings, switched on, with *picture* in its RAM."""
    chip = Ssd1306Chip(glass)
    command(chip, *UPRIGHT, *HORIZONTAL, *LIT)
    if glass is GLASS_128X32:
        command(chip, 0xA8, 31, 0xDA, 0x02)
    data(chip, *picture)
    return chip


def one_row(row: int) -> bytes:
    """Return RAM contents in which only the pixels of one row are lit."""
    page, bit = divmod(row, 8)
    return bytes(page * 128) + bytes([1 << bit] * 128) + bytes((7 - page) * 128)


def lit_rows(chip: Ssd1306Chip) -> list[int]:
    return [y for y, row in enumerate(chip.visible()) if any(row)]


def one_pixel(x: int, y: int) -> bytes:
    picture = bytearray(1024)
    picture[y // 8 * 128 + x] = 1 << y % 8
    return bytes(picture)


def lit_pixels(chip: Ssd1306Chip) -> list[tuple[int, int]]:
    return [(x, y) for y, row in enumerate(chip.visible()) for x, lit in enumerate(row) if lit]


# Power, and causes of a dark panel


def test_after_power_on_the_ram_is_noise_and_the_panel_dark() -> None:
    chip = Ssd1306Chip(seed=7)
    assert chip.registers == Registers()
    assert len(set(chip.gddram)) > 100
    assert lit_pixels(chip) == []
    assert Ssd1306Chip(seed=7).gddram == chip.gddram != Ssd1306Chip(seed=8).gddram


def test_a_power_cycle_forgets_everything() -> None:
    chip = upright_chip(picture=bytes(1024))
    chip.write(bytes([0x00, 0x21]))  # cut off in the middle of a command
    chip.power_cycle()
    assert chip.registers == Registers()
    assert any(chip.gddram)
    command(chip, 0xE3)


def test_a_reset_keeps_the_ram() -> None:
    chip = upright_chip(picture=one_row(3))
    chip.reset()
    command(chip, *UPRIGHT)
    assert chip.gddram == one_row(3)
    assert chip.registers.mode == 0b10


def test_without_charge_pump_nothing_is_seen() -> None:
    chip = Ssd1306Chip()
    command(chip, 0xAF, 0xA5)
    assert not chip.pixel(0, 0)
    command(chip, 0x8D, 0x14)  # the pump starts only with the next AFh
    assert not chip.pixel(0, 0)
    command(chip, 0xAF)
    assert chip.pixel(0, 0)
    command(chip, 0x8D, 0x10)
    assert not chip.pixel(0, 0)


def test_an_external_supply_needs_no_pump() -> None:
    chip = Ssd1306Chip(has_external_vcc=True)
    command(chip, 0xA5, 0xAF)
    assert chip.pixel(0, 0)


def test_display_off_is_dark_and_keeps_the_ram() -> None:
    chip = upright_chip(picture=one_row(3))
    command(chip, 0xAE)
    assert lit_rows(chip) == []
    assert chip.read(1) == b"\x40"
    command(chip, 0xAF)
    assert lit_rows(chip) == [3]
    assert chip.read(2) == b"\x00\x00"


def test_a_clone_may_answer_reads_with_something_else() -> None:
    chip = upright_chip()
    chip.reads_as = 0xFF
    assert chip.read(2) == b"\xff\xff"


# Control bytes


def test_both_control_byte_forms_say_the_same() -> None:
    stream, pairs = Ssd1306Chip(), Ssd1306Chip()
    stream.write(bytes([0x00, 0x81, 0x12, 0xA7]))
    stream.write(bytes([0x40, 1, 2]))
    pairs.write(bytes([0x80, 0x81, 0x80, 0x12, 0x80, 0xA7, 0xC0, 1, 0xC0, 2]))
    assert stream.registers == pairs.registers
    assert stream.gddram == pairs.gddram
    assert stream.registers.contrast == 0x12


def test_one_message_may_end_in_a_stream_of_data() -> None:
    chip = Ssd1306Chip()
    chip.write(bytes([0x80, 0xB1, 0x80, 0x04, 0x40, 0xAA, 0xBB]))
    assert chip.gddram[128 + 4 : 128 + 6] == b"\xaa\xbb"


def test_a_command_may_be_spread_over_transactions() -> None:
    chip = Ssd1306Chip()
    for byte in (0x21, 5, 9):
        chip.write(bytes([0x80, byte]))
    assert (chip.registers.first_column, chip.registers.last_column) == (5, 9)


def test_an_empty_write_is_a_probe() -> None:
    Ssd1306Chip().write(b"")


@pytest.mark.parametrize("control", [0x01, 0x20, 0xBF, 0xFF])
def test_control_bytes_have_six_zeros(control: int) -> None:
    with pytest.raises(ValueError, match=f"control byte {control:02X}h"):
        Ssd1306Chip().write(bytes([control, 0xE3]))


# Addressing modes


def test_page_mode_stays_on_its_page_and_goes_back_to_its_start_column() -> None:
    chip = Ssd1306Chip()
    command(chip, 0xB3, 0x0E, 0x17)  # page 3, column 7Eh
    data(chip, 1, 2, 3)
    assert chip.gddram[3 * 128 + 126 : 4 * 128] == b"\x03\x02"


def test_horizontal_mode_fills_a_window_row_by_row() -> None:
    chip = Ssd1306Chip()
    command(chip, *HORIZONTAL, 0x21, 10, 12, 0x22, 2, 3)
    data(chip, 1, 2, 3, 4, 5, 6, 7)
    assert chip.gddram[2 * 128 + 10 : 2 * 128 + 13] == b"\x07\x02\x03"
    assert chip.gddram[3 * 128 + 10 : 3 * 128 + 13] == b"\x04\x05\x06"


def test_vertical_mode_fills_a_window_column_by_column() -> None:
    chip = Ssd1306Chip()
    command(chip, 0x20, 0x01, 0x21, 10, 11, 0x22, 2, 4)
    data(chip, 1, 2, 3, 4, 5, 6, 7)
    cells = [chip.gddram[page * 128 + column] for column in (10, 11) for page in (2, 3, 4)]
    assert cells == [7, 2, 3, 4, 5, 6]


def test_bits_the_data_sheet_does_not_care_about_are_ignored() -> None:
    chip = Ssd1306Chip()
    command(chip, 0x20, 0xFC, 0x21, 0x80, 0xFF, 0x22, 0xF8, 0xFF, 0xD3, 0xC1, 0xA8, 0xFF)
    assert chip.registers == Registers(mode=0b00, offset=1)


@given(st.sampled_from([0b00, 0b01]), st.data())
def test_a_full_window_returns_to_its_beginning(mode: int, draw: st.DataObject) -> None:
    """As many bytes as the window has cells fill each cell once; one more fills the first again."""
    first, last = sorted(draw.draw(st.tuples(st.integers(0, 127), st.integers(0, 127))))
    top, bottom = sorted(draw.draw(st.tuples(st.integers(0, 7), st.integers(0, 7))))
    chip = upright_chip()
    command(chip, 0x20, mode, 0x21, first, last, 0x22, top, bottom)
    cells = (last - first + 1) * (bottom - top + 1)
    data(chip, *[0xFF] * cells)
    assert chip.gddram.count(0xFF) == cells
    data(chip, 0xAA)
    assert chip.gddram[top * 128 + first] == 0xAA


# From RAM to pixels


COLUMNS = st.tuples(st.integers(0, 127), st.integers(0, 127)).map(sorted)
PAGES = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(sorted)


@given(
    st.sampled_from([0xA0, 0xA1]),
    st.sampled_from([0b00, 0b01, 0b10]),
    st.tuples(COLUMNS, PAGES, st.integers(0, 127), st.integers(0, 7)),
    st.binary(min_size=1, max_size=300),
)
def test_data_go_to_the_same_cells_in_one_write_or_one_by_one(
    remap: int, mode: int, place: tuple[list[int], list[int], int, int], picture: bytes
) -> None:
    """The place is a window, and a column and a page that may be outside of it."""
    columns, pages, column, page = place
    whole, single = upright_chip(), upright_chip()
    for chip in (whole, single):
        command(chip, remap, 0x20, mode, 0x21, *columns, 0x22, *pages)
        command(chip, column & 0x0F, 0x10 | column >> 4, 0xB0 | page)
    data(whole, *picture)
    for byte in picture:
        data(single, byte)
    assert whole.gddram == single.gddram
    data(whole, 0x5A)  # goes on at the same place
    data(single, 0x5A)
    assert whole.gddram == single.gddram


@given(st.integers(0, 127), st.integers(0, 63))
def test_each_ram_bit_is_one_pixel(x: int, y: int) -> None:
    """Upright, column 0 is on the left, page 0 is at the top, and bit 0 is a page's top row."""
    chip = upright_chip(picture=one_pixel(x, y))
    assert lit_pixels(chip) == [(x, y)]
    assert chip.pixel(x, y)


@given(st.integers(0, 127), st.integers(0, 31))
def test_each_ram_bit_is_one_pixel_of_the_small_panel(x: int, y: int) -> None:
    chip = upright_chip(GLASS_128X32, one_pixel(x, y))
    assert lit_pixels(chip) == [(x, y)]


def test_turned_by_half_a_circle() -> None:
    chip = upright_chip()
    command(chip, 0xA0, 0xC0)
    data(chip, *one_pixel(3, 5))
    assert lit_pixels(chip) == [(124, 58)]


def test_the_segment_remap_leaves_what_is_in_the_ram() -> None:
    """A0h and A1h affect data written later and leave the RAM unchanged (DS 10.1.8)."""
    chip = upright_chip(picture=one_pixel(3, 5))
    command(chip, 0xA0)
    assert lit_pixels(chip) == [(3, 5)]
    assert chip.gddram == one_pixel(124, 5)


def test_the_com_direction_acts_at_once() -> None:
    chip = upright_chip(picture=one_pixel(3, 5))
    command(chip, 0xC0)
    assert lit_pixels(chip) == [(3, 58)]


def test_inverse_shows_the_zeros() -> None:
    chip = upright_chip(picture=one_pixel(3, 5))
    command(chip, 0xA7)
    assert len(lit_pixels(chip)) == 128 * 64 - 1
    assert not chip.pixel(3, 5)
    command(chip, 0xA6)
    assert lit_pixels(chip) == [(3, 5)]


def test_entire_on_ignores_the_ram_and_inversion() -> None:
    chip = upright_chip()
    command(chip, 0xA5, 0xA7)
    assert len(lit_pixels(chip)) == 128 * 64
    command(chip, 0xA4, 0xA6)
    assert lit_pixels(chip) == []


@pytest.mark.parametrize(("start", "seen"), [(0, 20), (8, 12), (20, 0), (21, 63)])
def test_the_start_line_is_the_top_line(start: int, seen: int) -> None:
    chip = upright_chip(picture=one_row(20))
    command(chip, 0x40 | start)
    assert lit_rows(chip) == [seen]


@pytest.mark.parametrize(("reversed_", "seen"), [(0xC0, 56), (0xC8, 7)])
def test_offset_and_direction_as_the_data_sheet_tables_have_them(reversed_: int, seen: int) -> None:
    """Offset 8, multiplex 64: row 0 is on COM56, or on COM7 if reversed (DS tables 10-1, 10-2)."""
    chip = upright_chip(picture=one_row(0))
    command(chip, reversed_, 0xD3, 8)
    assert lit_rows(chip) == [63 - seen]  # COM63 drives the panel's top line


def test_a_smaller_multiplex_leaves_lines_dark() -> None:
    chip = upright_chip(picture=b"\xff" * 1024)
    command(chip, 0xC0, 0xA8, 47)
    assert lit_rows(chip) == list(range(16, 64))
    command(chip, 0xA5)
    assert lit_rows(chip) == list(range(16, 64))


def test_the_small_panel_shows_the_lower_half_of_the_ram_by_start_line() -> None:
    chip = upright_chip(GLASS_128X32, one_row(40))
    assert lit_rows(chip) == []
    command(chip, 0x40 | 32)
    assert lit_rows(chip) == [8]


def test_sequential_com_pins_tear_the_large_panel_apart() -> None:
    """With 02h on a panel wired for 12h, even and odd lines show different halves of the RAM."""
    chip = upright_chip(picture=b"\xff" * 512 + bytes(512))
    command(chip, 0xDA, 0x02)
    assert lit_rows(chip) == list(range(0, 64, 2))


def test_alternating_com_pins_lose_every_other_row_of_the_small_panel() -> None:
    """With 12h on a panel wired for 02h, 16 lines show every second row; the rest stay dark."""
    chip = upright_chip(GLASS_128X32, b"\xff" * 1024)
    command(chip, 0xDA, 0x12)
    assert lit_rows(chip) == list(range(16, 32))


def test_swapped_com_halves_swap_neighbouring_lines_of_the_large_panel() -> None:
    chip = upright_chip(picture=one_row(20))
    command(chip, 0xDA, 0x32)
    assert lit_rows(chip) == [21]


# Scrolling


@pytest.mark.parametrize(
    ("setup", "scroll"),
    [
        ((0x26, 0, 1, 0, 3, 0, 0xFF), Scroll(False, 1, 3, 5)),
        ((0x27, 0, 0, 7, 7, 0, 0xFF), Scroll(True, 0, 7, 2)),
        ((0x29, 0, 2, 3, 2, 1), Scroll(False, 2, 2, 256, 1)),
        ((0x2A, 0, 0, 4, 7, 63), Scroll(True, 0, 7, 3, 63)),
    ],
)
def test_a_scroll_is_set_up_and_started(setup: tuple[int, ...], scroll: Scroll) -> None:
    chip = Ssd1306Chip()
    command(chip, *setup)
    assert (chip.registers.scroll, chip.registers.is_scrolling) == (scroll, False)
    command(chip, 0x2F)
    assert chip.registers.is_scrolling
    with pytest.raises(ValueError, match="while scrolling"):
        data(chip, 1)
    with pytest.raises(ValueError, match="while scrolling"):
        command(chip, *setup)
    command(chip, 0x2E)
    data(chip, 1)


def test_a_scroll_that_was_not_set_up_cannot_start() -> None:
    with pytest.raises(ValueError, match="2Fh"):
        command(Ssd1306Chip(), 0x2F)


def test_the_scroll_area_fits_the_multiplex() -> None:
    chip = Ssd1306Chip()
    command(chip, 0xA3, 16, 48)
    assert (chip.registers.scroll_fixed_rows, chip.registers.scroll_rows) == (16, 48)
    with pytest.raises(ValueError, match="A3h"):
        command(chip, 0xA3, 17, 48)


# Other settings, and values the data sheet does not define


def test_each_setting_lands_in_its_register() -> None:
    chip = Ssd1306Chip()
    command(chip, 0x81, 0xCF, 0xD5, 0x80, 0xD9, 0xF1, 0xDB, 0x30, 0xAD, 0x30, 0xE3, 0x2E)
    wanted = Registers(contrast=0xCF, clock=0x80, precharge=0xF1, vcomh=0x30, iref=0x30)
    for field in fields(Registers):
        assert getattr(chip.registers, field.name) == getattr(wanted, field.name), field.name


@pytest.mark.parametrize("byte", UNKNOWN)
def test_an_unknown_command_raises_and_is_named(byte: int) -> None:
    chip = Ssd1306Chip()
    with pytest.raises(ValueError, match=f"{byte:02X}h"):
        command(chip, byte)
    command(chip, 0xE3)


@pytest.mark.parametrize(
    "undefined",
    [
        (0x18,),
        (0x20, 0x03),
        (0x21, 9, 8),
        (0x22, 3, 2),
        (0x26, 1, 0, 0, 7, 0, 0xFF),
        (0x26, 0, 4, 0, 3, 0, 0xFF),
        (0x27, 0, 0, 0, 7, 0, 0x00),
        (0x29, 0, 0, 0, 7, 0),
        (0x2A, 1, 0, 0, 7, 1),
        (0x8D, 0x00),
        (0xA8, 14),
        (0xAD, 0x20),
        (0xD9, 0x0F),
        (0xD9, 0xF0),
        (0xDA, 0x10),
        (0xDB, 0x40),
    ],
)
def test_an_undefined_setting_raises_and_is_named(undefined: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"command {undefined[0]:02X}h"):
        command(Ssd1306Chip(), *undefined)


@pytest.mark.parametrize("first", sorted(Ssd1306Chip.ARGUMENTS))
def test_data_in_the_middle_of_a_command_raises(first: int) -> None:
    chip = Ssd1306Chip()
    command(chip, first)
    with pytest.raises(ValueError, match=f"{first:02X}h waits"):
        data(chip, 1)
