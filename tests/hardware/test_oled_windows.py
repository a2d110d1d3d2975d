"""Tests of the display memory and of the windows that cover the changes in it."""

from itertools import groupby, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from hardware.drivers.oled_windows import (
    UNKNOWN,
    Dirty,
    Window,
    changed_columns,
    cover,
    inside,
    pack_pages,
)

Cell = tuple[int, int]  # page and column


def boxes(*drawn: tuple[int, int, int, int]) -> Image.Image:
    picture = Image.new("1", (128, 64))
    for box in drawn:
        ImageDraw.Draw(picture).rectangle(box, fill=1)
    return picture


def cells(dirty: Dirty) -> set[Cell]:
    return {
        (page, column)
        for page, columns in enumerate(dirty)
        for column in range(columns.bit_length())
        if columns >> column & 1
    }


def cells_of(window: Window) -> list[Cell]:
    return list(
        product(
            range(window.first_page, window.last_page + 1),
            range(window.first_column, window.last_column + 1),
        )
    )


def bits(windows: list[Window], window_bits: int) -> int:
    return sum(window_bits + 9 * window.cells for window in windows)


def around(dirty: Dirty) -> Window:
    pages, columns = zip(*cells(dirty), strict=True)
    return Window(min(columns), max(columns), min(pages), max(pages))


def runs(dirty: Dirty) -> list[Window]:
    """Return a window for each run of changed bytes."""
    found = []
    for page, columns in enumerate(dirty):
        written = "".join("01"[columns >> column & 1] for column in range(columns.bit_length()))
        column = 0
        for digit, run in groupby(written):
            length = len(list(run))
            if digit == "1":
                found.append(Window(column, column + length - 1, page, page))
            column += length
    return found


# Packing


def test_pack_pages_puts_the_top_row_in_bit_0() -> None:
    picture = boxes()
    for x, y in ((0, 0), (5, 7), (127, 8), (64, 63)):
        picture.putpixel((x, y), 1)
    pages = pack_pages(picture)
    assert {(i, byte) for i, byte in enumerate(pages) if byte} == {
        (0, 0x01),
        (5, 0x80),
        (128 + 127, 0x01),
        (7 * 128 + 64, 0x80),
    }


@given(st.randoms(use_true_random=False))
def test_pack_pages_keeps_every_pixel(randomness: Random) -> None:
    picture = Image.frombytes("1", (128, 64), randomness.randbytes(1024))
    pages = pack_pages(picture)
    for x, y in product(range(0, 128, 7), range(64)):
        assert bool(pages[y // 8 * 128 + x] >> y % 8 & 1) == bool(picture.getpixel((x, y)))


@pytest.mark.parametrize("picture", [Image.new("L", (128, 64)), Image.new("1", (128, 60))])
def test_pack_pages_refuses_what_has_no_pages(picture: Image.Image) -> None:
    with pytest.raises(ValueError, match="a height that is a multiple of 8"):
        pack_pages(picture)


# Changed bytes


@given(st.binary(min_size=24, max_size=24), st.data())
def test_changed_is_what_differs_and_what_is_unknown(wanted: bytes, data: st.DataObject) -> None:
    known = [data.draw(st.sampled_from([byte, byte ^ 0x55, UNKNOWN])) for byte in wanted]
    changed = cells(changed_columns(known, wanted, 8))
    assert changed == {divmod(i, 8) for i in range(24) if known[i] != wanted[i]}


def test_inside_keeps_the_cells_of_a_window() -> None:
    assert inside((0b11111, 0b10110, 0b11111), Window(1, 3, 1, 2)) == (0, 0b00110, 0b01110)


# Covering the changes


@pytest.mark.parametrize(
    ("drawn", "windows"),
    [
        ([], []),
        ([(0, 0, 7, 7), (120, 56, 127, 63)], [Window(0, 7, 0, 0), Window(120, 127, 7, 7)]),
        ([(0, 0, 7, 7), (16, 0, 23, 7)], [Window(0, 23, 0, 0)]),  # close changes share a window
        (
            [(0, 0, 127, 7), (30, 24, 99, 39), (0, 56, 50, 63)],
            [Window(0, 127, 0, 0), Window(30, 99, 3, 4), Window(0, 50, 7, 7)],
        ),
        # No single split saves bits here, but two of them together do.
        (
            [(0, 0, 9, 7), (118, 0, 127, 7), (5, 8, 122, 15)],
            [Window(0, 9, 0, 0), Window(118, 127, 0, 0), Window(5, 122, 1, 1)],
        ),
    ],
)
def test_what_is_drawn_is_covered(
    drawn: list[tuple[int, int, int, int]], windows: list[Window]
) -> None:
    dirty = changed_columns(pack_pages(boxes()), pack_pages(boxes(*drawn)), 128)
    assert cover(dirty, 94) == windows


def test_every_small_pattern_is_covered_for_no_more_than_one_window_or_one_a_run() -> None:
    """All 4,096 patterns of 2 pages and 6 columns, with low and high costs for each window."""
    for number, window_bits in product(range(1 << 12), (10, 25, 94)):
        dirty = (number & 0x3F, number >> 6)
        windows = cover(dirty, window_bits)
        covered = [cell for window in windows for cell in cells_of(window)]
        assert cells(dirty) <= set(covered)
        assert len(covered) == len(set(covered))
        if number:
            assert bits(windows, window_bits) <= bits([around(dirty)], window_bits)
        assert bits(windows, window_bits) <= bits(runs(dirty), window_bits)


@given(st.lists(st.integers(0, (1 << 10) - 1), min_size=4, max_size=4), st.integers(1, 120))
def test_larger_patterns_too(pages: list[int], window_bits: int) -> None:
    dirty = tuple(pages)
    windows = cover(dirty, window_bits)
    covered = [cell for window in windows for cell in cells_of(window)]
    assert cells(dirty) <= set(covered)
    assert len(covered) == len(set(covered))
    if any(dirty):
        assert bits(windows, window_bits) <= bits([around(dirty)], window_bits)
    assert bits(windows, window_bits) <= bits(runs(dirty), window_bits)


def best_of_one_page(columns: int, window_bits: int) -> int:
    """Return the fewest bits for one page, by trying every way to join neighbouring runs."""
    found = runs((columns,))
    if not found:
        return 0
    costs = []
    for joins in product([False, True], repeat=len(found) - 1):
        windows = found[:1]
        for run, is_joined in zip(found[1:], joins, strict=True):
            first = windows.pop().first_column if is_joined else run.first_column
            windows.append(Window(first, run.last_column, 0, 0))
        costs.append(bits(windows, window_bits))
    return min(costs)


@given(st.lists(st.integers(0, (1 << 14) - 1), min_size=3, max_size=3), st.integers(1, 80))
def test_page_wise_windows_are_the_best_there_are(pages: list[int], window_bits: int) -> None:
    windows = cover(tuple(pages), window_bits, is_page_wise=True)
    assert all(window.first_page == window.last_page for window in windows)
    assert cells(tuple(pages)) <= {cell for window in windows for cell in cells_of(window)}
    best = sum(best_of_one_page(columns, window_bits) for columns in pages)
    assert bits(windows, window_bits) == best
