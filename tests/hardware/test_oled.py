"""The OLED driver over the emulated chip: what an eye sees, and what it costs on the bus."""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from hardware.drivers.oled import SIZES, Oled, Window, changed_windows, pack_pages
from hardware.errors import DisplayFault
from hardware.ports import Display
from sim.chips.clock import VirtualClock
from sim.chips.i2c import I2cBus
from sim.chips.ssd1306 import GLASS_128X32, GLASS_128X64, Ssd1306Chip

GLASS = {(128, 64): GLASS_128X64, (128, 32): GLASS_128X32}
Size = tuple[int, int]
Box = tuple[int, int, int, int]


class Bench:
    """A bus with one panel, and a count of what was sent since it was last asked."""

    def __init__(self, size: Size = (128, 64), address: int = 0x3C) -> None:
        self.chip = Ssd1306Chip(GLASS[size], address)
        self.bus = I2cBus(VirtualClock())
        self.bus.attach(self.chip)
        self.sent()

    def sent(self) -> tuple[int, int]:
        """Bits and transactions since the last call."""
        sent = (self.bus.bits, self.bus.transactions)
        self.bus.bits = self.bus.transactions = 0
        return sent


@pytest.fixture
def bench() -> Bench:
    return Bench()


def blank(size: Size = (128, 64)) -> Image.Image:
    return Image.new("1", size)


def boxes(*drawn: Box, size: Size = (128, 64)) -> Image.Image:
    picture = blank(size)
    for box in drawn:
        ImageDraw.Draw(picture).rectangle(box, fill=1)
    return picture


def noise(randomness: Random, size: Size = (128, 64)) -> Image.Image:
    return Image.frombytes("1", size, randomness.randbytes(size[0] * size[1] // 8))


def seen_by_an_eye(picture: Image.Image) -> tuple[bytes, ...]:
    """*picture* in the words of ``Ssd1306Chip.visible``."""
    width, height = picture.size
    lit = picture.convert("L").tobytes()
    return tuple(bytes(map(bool, lit[y * width : (y + 1) * width])) for y in range(height))


def _ordered(box: Box) -> Box:
    left, top, right, bottom = box
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def pictures(size: Size) -> st.SearchStrategy[Image.Image]:
    """Noise, and what screens look like: a few boxes."""
    x, y = st.integers(0, size[0] - 1), st.integers(0, size[1] - 1)
    box = st.tuples(x, y, x, y).map(_ordered)
    drawn = st.lists(box, max_size=4).map(lambda some: boxes(*some, size=size))
    return drawn | st.randoms(use_true_random=False).map(lambda chance: noise(chance, size))


# The picture and the panel


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rotate", [False, True])
@given(data=st.data())
def test_the_panel_shows_the_last_picture(size: Size, rotate: bool, data: st.DataObject) -> None:
    """Whatever was shown before, and whichever way the module is mounted."""
    bench = Bench(size)
    oled = Oled(bench.bus, size, rotate=rotate)
    for picture in data.draw(st.lists(pictures(size), min_size=1, max_size=5)):
        oled.show(picture)
        upright = picture.rotate(180) if rotate else picture
        assert bench.chip.visible() == seen_by_an_eye(upright)


def test_pack_pages_puts_the_top_row_in_bit_0() -> None:
    picture = blank()
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
    picture = noise(randomness)
    pages = pack_pages(picture)
    for x, y in product(range(0, 128, 7), range(64)):
        assert bool(pages[y // 8 * 128 + x] >> y % 8 & 1) == bool(picture.getpixel((x, y)))


@pytest.mark.parametrize("picture", [Image.new("L", (128, 64)), Image.new("1", (128, 60))])
def test_pack_pages_refuses_what_has_no_pages(picture: Image.Image) -> None:
    with pytest.raises(ValueError, match="no screen pages"):
        pack_pages(picture)


def test_a_picture_of_another_size_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="128, 32"):
        Oled(bench.bus).show(blank((128, 32)))


def test_a_size_no_module_has_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="96 x 16"):
        Oled(bench.bus, (96, 16))


def test_the_driver_is_a_display() -> None:
    bench = Bench((128, 32), 0x3D)
    display: Display = Oled(bench.bus, (128, 32), 0x3D)
    assert display.size == (128, 32)
    display.show(boxes((0, 0, 9, 9), size=(128, 32)))
    assert bench.chip.pixel(9, 9)


# What is sent


def test_the_first_picture_is_sent_whole_and_lit_last(bench: Bench) -> None:
    """No frame of noise: while a byte of the first picture is missing, the panel is dark."""
    seen = []
    send: Callable[..., None] = bench.bus.writeto

    def watched(*message: Any, **part: Any) -> None:
        send(*message, **part)
        seen.append(bench.chip.visible())

    picture = boxes((3, 3, 40, 40))
    bench.bus.writeto = watched  # type: ignore[method-assign]
    Oled(bench.bus).show(picture)
    assert seen[:-1] == [seen_by_an_eye(blank())] * (len(seen) - 1)
    assert seen[-1] == seen_by_an_eye(picture)


def test_a_restart_sends_a_whole_frame_next(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(boxes((3, 3, 40, 40)))
    oled.restart()
    assert not bench.chip.is_lit
    bench.sent()
    oled.show(boxes((3, 3, 40, 40)))
    assert bench.sent() == (9310 + 29, 3)  # the frame in two transactions, and AFh


def test_the_same_picture_sends_nothing(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(boxes((3, 3, 40, 40)))
    bench.sent()
    oled.show(boxes((3, 3, 40, 40)))
    assert bench.sent() == (0, 0)


@pytest.mark.parametrize(
    ("box", "bits"),
    [
        ((0, 0, 17, 7), 256),
        ((40, 8, 69, 23), 634),
        ((16, 16, 63, 39), 94 + 9 * 48 * 3),
        ((0, 0, 127, 63), 9310),
    ],
)
def test_a_changed_box_costs_two_transactions_of_its_size(
    bench: Bench, box: Box, bits: int
) -> None:
    oled = Oled(bench.bus)
    oled.show(blank())
    bench.sent()
    oled.show(boxes(box))
    assert bench.sent() == (bits, 2)


def test_distant_changes_are_sent_apart(bench: Bench) -> None:
    """A lamp in one corner and a digit in the other do not drag the whole frame along."""
    oled = Oled(bench.bus)
    oled.show(blank())
    bench.sent()
    oled.show(boxes((0, 0, 7, 7), (120, 56, 127, 63)))
    assert bench.sent() == (2 * (94 + 9 * 8), 4)


def test_near_changes_are_sent_together(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(blank())
    bench.sent()
    oled.show(boxes((0, 0, 7, 7), (16, 0, 23, 7)))
    assert bench.sent() == (94 + 9 * 24, 2)


def test_three_lines_of_text_are_three_windows() -> None:
    lines = ((0, 0, 127, 7), (30, 24, 99, 39), (0, 56, 50, 63))
    old, new = pack_pages(blank()), pack_pages(boxes(*lines))
    assert changed_windows(old, new, 128) == [
        Window(0, 127, 0, 0),
        Window(30, 99, 3, 4),
        Window(0, 50, 7, 7),
    ]


@given(st.data())
def test_the_windows_hold_every_change_and_cost_no_more_than_one(data: st.DataObject) -> None:
    old, new = (pack_pages(data.draw(pictures((128, 64)))) for _ in range(2))
    windows = changed_windows(old, new, 128)
    changed = {cell for cell in range(1024) if old[cell] != new[cell]}
    covered = [
        page * 128 + column
        for window in windows
        for page in range(window.first_page, window.last_page + 1)
        for column in range(window.first_column, window.last_column + 1)
    ]
    assert changed <= set(covered)
    assert len(covered) == len(set(covered))
    if changed:
        columns = {cell % 128 for cell in changed}
        pages = {cell // 128 for cell in changed}
        around = Window(min(columns), max(columns), min(pages), max(pages))
        assert sum(window.bits for window in windows) <= around.bits
    else:
        assert windows == []


# Faults


def test_an_absent_display_is_a_fault_that_says_what_to_check(bench: Bench) -> None:
    bench.chip.present = False
    oled = Oled(bench.bus)
    with pytest.raises(DisplayFault, match=r"3Ch; check its four wires"):
        oled.show(blank())
    with pytest.raises(DisplayFault):
        oled.restart()


def test_an_unplugged_display_is_a_fault_and_is_taken_back(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(blank())
    bench.chip.present = False
    with pytest.raises(DisplayFault):
        oled.show(boxes((0, 0, 9, 9)))
    bench.chip.present = True
    bench.chip.power_cycle()
    oled.restart()
    oled.show(boxes((0, 0, 9, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


def test_a_display_lost_between_command_and_data_is_sent_whole_again(bench: Bench) -> None:
    """Half a transfer tells nothing of what the panel shows."""
    oled = Oled(bench.bus)
    oled.show(blank())
    send: Callable[..., None] = bench.bus.writeto

    def unplugs(*message: Any, **part: Any) -> None:
        send(*message, **part)
        bench.chip.present = False

    bench.bus.writeto = unplugs  # type: ignore[method-assign]
    with pytest.raises(DisplayFault):
        oled.show(boxes((0, 0, 9, 9)))
    bench.bus.writeto = send  # type: ignore[method-assign]
    bench.chip.present = True
    oled.show(boxes((0, 0, 9, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


def test_a_display_lost_while_it_is_set_up_is_a_fault(bench: Bench) -> None:
    send: Callable[..., None] = bench.bus.writeto

    def unplugs_after_the_probe(*message: Any, **part: Any) -> None:
        send(*message, **part)
        bench.chip.present = False

    bench.bus.writeto = unplugs_after_the_probe  # type: ignore[method-assign]
    with pytest.raises(DisplayFault):
        Oled(bench.bus).restart()


def test_the_bus_is_free_after_a_fault(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(blank())
    bench.chip.present = False
    with pytest.raises(DisplayFault):
        oled.show(boxes((0, 0, 9, 9)))
    assert bench.bus.try_lock()


def test_close_darkens_the_panel_and_is_safe_twice(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.show(boxes((0, 0, 9, 9)))
    oled.close()
    assert not bench.chip.is_lit
    oled.close()


def test_close_never_raises(bench: Bench) -> None:
    oled = Oled(bench.bus)
    oled.close()
    oled.show(blank())
    bench.chip.present = False
    oled.close()
