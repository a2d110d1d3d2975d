"""Tests of the OLED driver over the emulated chips: visible pixels and bus traffic."""

import errno
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from fakepi.clock import VirtualClock
from fakepi.i2c import REMOTE_IO, I2cBus
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from hardware.drivers.oled import Oled
from hardware.drivers.oled_panels import Sh1106Panel
from hardware.drivers.oled_windows import pack_pages
from hardware.errors import DisplayFault
from hardware.ports import Display
from tests.effort import some

Size = tuple[int, int]
Box = tuple[int, int, int, int]
GLASS = {(128, 64): GLASS_128X64, (128, 32): GLASS_128X32}
CHIPS: dict[str, type[OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
LARGE: Size = (128, 64)

MODULES = pytest.mark.parametrize(
    ("chip", "size"), [("ssd1306", LARGE), ("ssd1306", (128, 32)), ("sh1106", LARGE)]
)
EITHER_CHIP = pytest.mark.parametrize("chip", CHIPS)


LOOK = 1 + 9 + 1  # bits of the probe for a free bus: start, an unused address, stop


class CutBus(I2cBus):
    """A bus that loses acknowledges, or whose module loses power, in the middle of a write."""

    intact_writes: int | None = None  # writes that succeed before one is cut; None: all of them
    bytes_before_cut = 0
    cut: Callable[[], None] = staticmethod(lambda: None)

    def writeto(self, address: int, buffer: bytes, **part: Any) -> None:
        if self.intact_writes is not None:
            self.intact_writes -= 1
            if self.intact_writes < 0:
                self.intact_writes = None
                if self.bytes_before_cut:
                    super().writeto(address, buffer[: self.bytes_before_cut], **part)
                self.cut()
                raise OSError(REMOTE_IO, "no acknowledge")
        super().writeto(address, buffer, **part)


class Bench:
    """A bus with one display module, its driver, and counts of what was sent."""

    def __init__(
        self, chip: str = "ssd1306", size: Size = LARGE, address: int = 0x3C, hz: int = 400_000
    ) -> None:
        self.clock = VirtualClock()
        self.bus = CutBus(self.clock, hz)
        self.chip = CHIPS[chip](GLASS[size], address)
        self.bus.attach(self.chip)
        self.oled = Oled(self.bus, self.clock, size, address, chip=chip)
        self.sent()

    def sent(self) -> tuple[int, int]:
        """Return the bits and transactions since the last call."""
        sent = (self.bus.bits, self.bus.transactions)
        self.bus.bits = self.bus.transactions = 0
        return sent

    def took(self, act: Callable[[], object]) -> int:
        """Return the nanoseconds that *act* takes."""
        began_ns = self.clock.now_ns
        act()
        return self.clock.now_ns - began_ns

    def replug(self) -> None:
        """Cut the module's power and restore it before the next write."""
        self.chip.power_cycle()

    def ram(self) -> bytes:
        """Return the part of the chip's RAM that the panel shows."""
        width, height = self.oled.size
        left = (self.chip.COLUMNS - width) // 2
        rows = (page * self.chip.COLUMNS + left for page in range(height // 8))
        return b"".join(self.chip.gddram[row : row + width] for row in rows)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def blank(size: Size = LARGE) -> Image.Image:
    return Image.new("1", size)


def boxes(*drawn: Box, size: Size = LARGE) -> Image.Image:
    picture = blank(size)
    for box in drawn:
        ImageDraw.Draw(picture).rectangle(box, fill=1)
    return picture


def noise(randomness: Random, size: Size = LARGE) -> Image.Image:
    return Image.frombytes("1", size, randomness.randbytes(size[0] * size[1] // 8))


def seen_by_an_eye(picture: Image.Image) -> tuple[bytes, ...]:
    """Return the pixels of *picture* in the format of ``OledChip.visible``."""
    width, height = picture.size
    lit = picture.convert("L").tobytes()
    return tuple(bytes(map(bool, lit[y * width : (y + 1) * width])) for y in range(height))


def _ordered(box: Box) -> Box:
    left, top, right, bottom = box
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def pictures(size: Size) -> st.SearchStrategy[Image.Image]:
    """Generate random noise, and up to four filled boxes, like a real screen."""
    x, y = st.integers(0, size[0] - 1), st.integers(0, size[1] - 1)
    box = st.tuples(x, y, x, y).map(_ordered)
    drawn = st.lists(box, max_size=4).map(lambda some: boxes(*some, size=size))
    return drawn | st.randoms(use_true_random=False).map(lambda chance: noise(chance, size))


# The picture on the panel


@MODULES
@pytest.mark.parametrize("rotate", [False, True])
@given(data=st.data())
def test_the_panel_shows_the_last_picture(
    chip: str, size: Size, rotate: bool, data: st.DataObject
) -> None:
    """Tested after any earlier pictures, and for both ways to mount the module."""
    bench = Bench(chip, size)
    oled = Oled(bench.bus, bench.clock, size, rotate=rotate, chip=chip)
    for picture in data.draw(st.lists(pictures(size), min_size=1, max_size=5)):
        assert oled.show(picture)
        upright = picture.rotate(180) if rotate else picture
        assert bench.chip.visible() == seen_by_an_eye(upright)


def test_a_picture_of_another_size_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="128, 32"):
        bench.oled.show(blank((128, 32)))


@pytest.mark.parametrize(
    ("chip", "size", "text"),
    [
        ("ssd1306", (96, 16), "an SSD1306 module cannot have 96 x 16"),
        ("sh1106", (128, 32), "an SH1106 module cannot have 128 x 32"),
        ("ssd1309", LARGE, "'ssd1309'; use ssd1306 or sh1106"),
    ],
)
def test_what_no_module_is_is_refused(bench: Bench, chip: str, size: Size, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Oled(bench.bus, bench.clock, size, chip=chip)


@pytest.mark.parametrize(
    ("chip", "size", "identity"),
    [("ssd1306", (128, 32), "SSD1306 at 0x3D"), ("sh1106", LARGE, "SH1106 at 0x3D")],
)
def test_the_driver_is_a_display(chip: str, size: Size, identity: str) -> None:
    bench = Bench(chip, size, 0x3D)
    display: Display = bench.oled
    assert (display.size, display.identity, display.remarks) == (size, identity, ())
    display.show(boxes((0, 0, 9, 9), size=size))
    assert bench.chip.pixel(9, 9)


# Bus traffic


@EITHER_CHIP
def test_the_first_picture_is_sent_whole_and_lit_last(chip: str) -> None:
    """The panel stays dark until the whole first picture is in the RAM, so no noise is visible."""
    bench = Bench(chip)
    seen = []
    send: Callable[..., None] = bench.bus.writeto

    def watched(*message: Any, **part: Any) -> None:
        send(*message, **part)
        seen.append(bench.chip.visible())

    picture = boxes((3, 3, 40, 40))
    bench.bus.writeto = watched  # type: ignore[method-assign]
    bench.oled.show(picture)
    assert seen[:-1] == [seen_by_an_eye(blank())] * (len(seen) - 1)
    assert seen[-1] == seen_by_an_eye(picture)


@pytest.mark.parametrize(
    ("chip", "size", "bits", "transactions"),
    [
        ("ssd1306", LARGE, 9310, 2),
        ("ssd1306", (128, 32), 4702, 2),
        ("sh1106", LARGE, 9752, 16),
    ],
)
def test_a_whole_frame(chip: str, size: Size, bits: int, transactions: int) -> None:
    bench = Bench(chip, size)
    bench.oled.show(blank(size))
    bench.sent()
    bench.oled.show(boxes((0, 0, size[0] - 1, size[1] - 1), size=size))
    assert bench.sent() == (bits, transactions)


def test_a_restart_sends_a_whole_frame_next(bench: Bench) -> None:
    bench.oled.show(boxes((3, 3, 40, 40)))
    bench.oled.restart()
    assert not bench.chip.is_lit
    bench.sent()
    bench.oled.show(boxes((3, 3, 40, 40)))
    set_up, status = 2 + 9 * (1 + 1 + 28), 20
    assert bench.sent() == (LOOK + set_up + status + 9310 + 29 + status, 7)  # 29: panel on (AFh)


@EITHER_CHIP
def test_the_same_picture_sends_nothing(chip: str) -> None:
    bench = Bench(chip)
    bench.oled.show(boxes((3, 3, 40, 40)))
    bench.sent()
    assert bench.oled.show(boxes((3, 3, 40, 40)))
    assert bench.sent() == (0, 0)


@pytest.mark.parametrize(
    ("chip", "box", "bits", "transactions"),
    [
        ("ssd1306", (0, 0, 17, 7), 256, 2),
        ("ssd1306", (40, 8, 69, 23), 634, 2),
        ("ssd1306", (16, 16, 63, 39), 94 + 9 * 48 * 3, 2),
        ("sh1106", (0, 0, 17, 7), 67 + 9 * 18, 2),
        ("sh1106", (40, 8, 69, 23), 2 * (67 + 9 * 30), 4),
        ("sh1106", (16, 16, 63, 39), 3 * (67 + 9 * 48), 6),
    ],
)
def test_a_changed_box_costs_its_size_and_its_windows(
    chip: str, box: Box, bits: int, transactions: int
) -> None:
    bench = Bench(chip)
    bench.oled.show(blank())
    bench.sent()
    bench.oled.show(boxes(box))
    assert bench.sent() == (bits, transactions)


def test_distant_changes_are_sent_apart(bench: Bench) -> None:
    """Changes in two corners are sent as two small windows instead of most of the frame."""
    bench.oled.show(blank())
    bench.sent()
    bench.oled.show(boxes((0, 0, 7, 7), (120, 56, 127, 63)))
    assert bench.sent() == (2 * (94 + 9 * 8), 4)


# Time limits


@pytest.mark.parametrize("hz", [100_000, 400_000])
@EITHER_CHIP
@settings(max_examples=some(25))
@given(data=st.data())
def test_no_more_is_sent_than_there_is_time_for(chip: str, hz: int, data: st.DataObject) -> None:
    """A call may exceed its limit only for the smallest unit, and each call makes progress."""
    bench = Bench(chip, hz=hz)
    bench.oled.show(data.draw(pictures(LARGE)))
    picture = data.draw(pictures(LARGE))
    within_ns = data.draw(st.integers(0, 20_000_000))
    least_ns = (94 + 9 * 8) * 1_000_000_000 // hz
    missing = 1024
    while missing:
        began_ns = bench.clock.now_ns
        is_shown = bench.oled.show(picture, within_ns / 1e9)
        assert bench.clock.now_ns - began_ns <= max(within_ns, least_ns)
        still_missing = sum(map(int.__ne__, bench.ram(), pack_pages(picture)))
        assert still_missing < missing
        assert is_shown == (still_missing == 0)
        missing = still_missing
    bench.sent()
    assert bench.oled.show(picture)
    assert bench.sent() == (0, 0)


def test_what_does_not_fit_is_sent_page_by_page_from_the_top(bench: Bench) -> None:
    bench.oled.show(blank())
    bench.sent()
    picture = boxes((0, 0, 63, 23))  # three pages of 64 columns
    assert not bench.oled.show(picture, within_s=0.0035)  # 1,400 bits; two pages take 1,340
    assert bench.sent() == (2 * (94 + 9 * 64), 4)
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 63, 15)))
    assert bench.oled.show(picture, within_s=0.0035)
    assert bench.sent() == (94 + 9 * 64, 2)


def test_of_a_page_that_does_not_fit_the_left_part_is_sent(bench: Bench) -> None:
    bench.oled.show(blank())
    bench.sent()
    assert not bench.oled.show(boxes((0, 0, 127, 7)), within_s=0.001)  # 400 bits; 34 columns fit
    assert bench.sent() == (94 + 9 * 34, 2)
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 33, 7)))


@EITHER_CHIP
def test_something_is_sent_however_little_time_there_is(chip: str) -> None:
    bench = Bench(chip)
    bench.oled.show(blank())
    assert not bench.oled.show(boxes((50, 0, 127, 63)), within_s=0)
    assert bench.chip.visible() == seen_by_an_eye(boxes((50, 0, 57, 7)))


@EITHER_CHIP
def test_the_first_picture_may_take_several_calls_and_is_lit_at_the_end(chip: str) -> None:
    bench = Bench(chip)
    calls = 0
    while not bench.oled.show(boxes((3, 3, 40, 40)), within_s=0.003):
        calls += 1
        assert bench.chip.visible() in (
            seen_by_an_eye(blank()),
            seen_by_an_eye(boxes((3, 3, 40, 40))),
        )
    assert bench.chip.visible() == seen_by_an_eye(boxes((3, 3, 40, 40)))
    assert calls < 25


@EITHER_CHIP
def test_a_plug_pulled_before_the_panel_was_lit_leaves_no_noise(chip: str) -> None:
    """No fault is raised: the panel is off, as expected before the first picture is complete."""
    bench = Bench(chip)
    picture = boxes((3, 3, 40, 40))
    bench.oled.restart()
    bench.oled.show(picture, within_s=0.012)
    bench.replug()
    while not bench.oled.show(picture, within_s=0.012):
        pass
    assert bench.chip.visible() == seen_by_an_eye(picture)


# The driver knows what the panel shows, even after errors.


@dataclass(frozen=True, slots=True)
class Cut:
    """A failing write: the writes before it, the bytes of it that arrive, and if power was lost."""

    intact_writes: int
    arriving_bytes: int
    is_unplugged: bool


CUTS = st.builds(Cut, st.integers(0, 12), st.integers(0, 40), st.booleans())
BUDGETS = st.none() | st.floats(0, 0.02)


@MODULES
@given(data=st.data())
def test_what_is_said_to_be_shown_is_shown(chip: str, size: Size, data: st.DataObject) -> None:
    """Tested with any picture, any time limit and any lost acknowledge."""
    bench = Bench(chip, size)
    for _ in range(data.draw(st.integers(1, 8))):
        picture = data.draw(pictures(size))
        cut = data.draw(st.none() | CUTS)
        bench.bus.intact_writes = None
        if cut is not None:
            bench.bus.intact_writes = cut.intact_writes
            # Settings cut short without a loss of power are left out: no data sheet says how
            # the chip interprets the bytes that follow.
            bench.bus.bytes_before_cut = cut.arriving_bytes if cut.is_unplugged else 0
            bench.bus.cut = bench.replug if cut.is_unplugged else lambda: None
        with suppress(DisplayFault):
            is_shown = bench.oled.show(picture, data.draw(BUDGETS))
            if is_shown:
                assert bench.chip.visible() == seen_by_an_eye(picture)
            bench.oled.check()
    bench.bus.intact_writes = None
    bench.oled.show(picture)
    assert bench.oled.show(picture)
    assert bench.chip.visible() == seen_by_an_eye(picture)


# Faults


@EITHER_CHIP
def test_an_absent_display_is_a_fault_that_says_what_to_check(chip: str) -> None:
    bench = Bench(chip)
    bench.chip.present = False
    for act in (lambda: bench.oled.show(blank()), bench.oled.restart, bench.oled.check):
        with pytest.raises(DisplayFault, match=r"0x3C; check its four wires") as fault:
            act()
        assert fault.value.kind == "lost"


def test_an_unplugged_display_is_a_fault_and_is_taken_back(bench: Bench) -> None:
    bench.oled.show(blank())
    bench.chip.present = False
    with pytest.raises(DisplayFault):
        bench.oled.show(boxes((0, 0, 9, 9)))
    bench.chip.present = True
    bench.replug()
    bench.oled.restart()
    assert bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


@EITHER_CHIP
def test_a_display_lost_between_command_and_data_is_sent_whole_again(chip: str) -> None:
    """After half a transfer the driver does not know what the panel shows."""
    bench = Bench(chip)
    bench.oled.show(blank())
    bench.bus.intact_writes = 1
    with pytest.raises(DisplayFault):
        bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


@EITHER_CHIP
@pytest.mark.parametrize("arriving", range(2, 8))
def test_a_command_cut_short_is_got_over(chip: str, arriving: int) -> None:
    """The chip waits for the rest of the command, so the next settings start with filler bytes."""
    bench = Bench(chip)
    bench.oled.show(blank())
    bench.bus.intact_writes, bench.bus.bytes_before_cut = 0, arriving
    with pytest.raises(DisplayFault):
        bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


def test_a_display_lost_while_it_is_set_up_is_a_fault(bench: Bench) -> None:
    bench.bus.intact_writes = 0
    with pytest.raises(DisplayFault):
        bench.oled.restart()
    assert bench.bus.try_lock()


def test_the_bus_is_free_after_a_fault(bench: Bench) -> None:
    bench.oled.show(blank())
    bench.chip.present = False
    with pytest.raises(DisplayFault):
        bench.oled.show(boxes((0, 0, 9, 9)))
    assert bench.bus.try_lock()


def test_close_darkens_the_panel_and_is_safe_twice(bench: Bench) -> None:
    bench.oled.show(boxes((0, 0, 9, 9)))
    bench.oled.close()
    assert not bench.chip.is_lit
    bench.oled.close()


def test_close_never_raises(bench: Bench) -> None:
    bench.oled.close()
    assert bench.sent() == (0, 0)
    bench.oled.show(blank())
    bench.chip.present = False
    bench.oled.close()


# A blocked bus


@pytest.mark.parametrize("clocks", [1, 8, 9, 10, 17])
def test_a_chip_that_was_cut_off_in_a_byte_releases_the_bus_at_nine_clocks(clocks: int) -> None:
    """After a crash in the middle of a read the bus is cleared before the settings are sent."""
    bench = Bench()
    bench.bus.hold_sda(clocks)
    bench.oled.show(boxes((3, 3, 40, 40)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((3, 3, 40, 40)))


@pytest.mark.parametrize("arbitrates", [False, True], ids=["pi-4", "pi-5"])
def test_a_wire_that_stays_low_is_told_with_what_to_do(arbitrates: bool) -> None:
    bench = Bench()
    bench.bus = CutBus(bench.clock, arbitrates=arbitrates)
    bench.bus.attach(bench.chip)
    bench.oled = Oled(bench.bus, bench.clock)
    bench.oled.show(boxes((3, 3, 40, 40)))
    bench.bus.hold_sda(inf)
    for act in (bench.oled.check, bench.oled.restart, lambda: bench.oled.show(blank())):
        with pytest.raises(DisplayFault, match=r"SDA or SCL\) stays low.*unplug the mat") as held:
            act()
        assert held.value.kind == "held"
    bench.bus.hold_sda(0)
    bench.oled.restart()
    bench.oled.show(boxes((3, 3, 40, 40)))
    bench.oled.check()
    assert bench.chip.visible() == seen_by_an_eye(boxes((3, 3, 40, 40)))


# Checking that the panel is on


@EITHER_CHIP
def test_a_check_of_a_lit_panel_is_a_fraction_of_a_millisecond(chip: str) -> None:
    bench = Bench(chip)
    bench.oled.show(boxes((0, 0, 9, 9)))
    bench.sent()
    assert bench.took(bench.oled.check) == (LOOK + 49) * 2_500
    assert bench.sent() == (LOOK + 49, 3)
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 9, 9)))


@EITHER_CHIP
def test_a_display_replugged_unseen_is_dark_and_is_set_up_again(chip: str) -> None:
    """The chip acknowledges writes after the loss of power; only its status byte reveals it."""
    bench = Bench(chip)
    bench.oled.show(boxes((0, 0, 9, 9)))
    bench.replug()
    bench.oled.show(boxes((0, 0, 19, 9)))
    with pytest.raises(DisplayFault, match=r"0x3C lost power") as fault:
        bench.oled.check()
    assert fault.value.kind == "dark"
    assert bench.oled.show(boxes((0, 0, 19, 9)))
    assert bench.chip.visible() == seen_by_an_eye(boxes((0, 0, 19, 9)))
    bench.oled.check()


def test_a_panel_that_was_not_lit_yet_need_not_be_on(bench: Bench) -> None:
    bench.oled.check()
    bench.oled.restart()
    bench.oled.check()
    assert not bench.oled.show(blank(), within_s=0)
    bench.oled.check()


def test_a_display_lost_since_the_last_picture_is_found_by_a_check(bench: Bench) -> None:
    bench.oled.show(blank())
    bench.chip.present = False
    with pytest.raises(DisplayFault, match="does not answer"):
        bench.oled.check()


@EITHER_CHIP
@pytest.mark.parametrize("reads_as", [None, 0x00, 0x40, 0xFF])
def test_of_a_clone_that_reads_wrongly_a_check_asks_only_whether_it_is_there(
    chip: str, reads_as: int | None
) -> None:
    """The check raises no false alarm and does not notice a loss of power."""
    bench = Bench(chip)
    bench.chip.reads_as, bench.chip.acknowledges_reads = reads_as, reads_as is not None
    assert bench.oled.show(boxes((0, 0, 9, 9)))
    (remark,) = bench.oled.remarks
    assert remark.code == "no-status"
    assert remark.text.endswith("; if it stays dark, switch the mat off and on")
    bench.sent()
    bench.oled.check()
    assert bench.sent() == (LOOK + 29, 2)
    bench.replug()
    bench.oled.check()
    bench.chip.present = False
    with pytest.raises(DisplayFault, match="does not answer"):
        bench.oled.check()


def test_a_clone_is_not_missed_on_a_computer_without_empty_writes() -> None:
    """The library's constructor probes with an empty write, then a read; neither works here."""
    bench = Bench()
    bench.chip.acknowledges_reads = False
    send: Callable[..., None] = bench.bus.writeto

    def without_empty_writes(address: int, buffer: bytes, **part: Any) -> None:
        if not buffer:
            raise OSError(errno.EOPNOTSUPP, "no empty writes here")
        send(address, buffer, **part)

    bench.bus.writeto = without_empty_writes  # type: ignore[method-assign]
    oled = Oled(bench.bus, bench.clock)
    assert oled.show(boxes((0, 0, 9, 9)))


# Bus speed


@EITHER_CHIP
@pytest.mark.parametrize(
    ("hz", "told"),
    [(100_000, "about 100 kHz"), (250_000, "about 250 kHz"), (320_000, None), (400_000, None)],
)
def test_a_slow_bus_is_remarked_on(chip: str, hz: int, told: str | None) -> None:
    bench = Bench(chip, hz=hz)
    bench.oled.show(blank())
    remarks = {remark.code: remark.text for remark in bench.oled.remarks}
    if told is None:
        assert remarks == {}
    else:
        assert told in remarks["slow-bus"]
        assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in remarks["slow-bus"]
        assert "/boot/firmware/config.txt, then reboot" in remarks["slow-bus"]


def test_a_busy_computer_does_not_make_the_bus_slow(bench: Bench) -> None:
    """Only the fastest write counts, and the settings alone lead to no remark."""
    send: Callable[..., None] = bench.bus.writeto
    delays_s = iter([0.010, 0.010, 0.100])

    def delayed(*message: Any, **part: Any) -> None:
        send(*message, **part)
        bench.clock.sleep(next(delays_s, 0.0))

    bench.bus.writeto = delayed  # type: ignore[method-assign]
    bench.oled.restart()
    assert bench.oled.remarks == ()
    bench.oled.show(blank())
    bench.oled.show(boxes((0, 0, 127, 63)))
    assert bench.oled.remarks == ()


# One chip driven as the other


class Forgiving:
    """A chip that ignores bytes its data sheet does not define, as real chips seem to do."""

    def __init__(self, chip: OledChip) -> None:
        self.chip = chip
        self.address, self.present, self.acknowledges_reads = chip.address, True, True
        self.shrugged_at = 0

    def write(self, data: bytes) -> None:
        for byte in data[1:]:
            try:
                self.chip.write(bytes([data[0] | 0x80, byte]))
            except ValueError:
                self.shrugged_at += 1

    def read(self, count: int) -> bytes:
        return self.chip.read(count)


@pytest.mark.parametrize(
    ("driven_as", "is_a", "complaint"),
    [
        ("ssd1306", "sh1106", "command 20h is not in the data sheet"),
        ("sh1106", "ssd1306", "command ADh: 8Bh is not defined"),
    ],
)
def test_either_chip_is_not_the_other(driven_as: str, is_a: str, complaint: str) -> None:
    bench = Bench(is_a)
    oled = Oled(bench.bus, bench.clock, chip=driven_as)
    with pytest.raises(ValueError, match=complaint):
        oled.show(blank())


def test_why_there_is_an_option_for_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the driver starts at column 0, as for an SSD1306, an SH1106 shifts the picture.

    It also shows noise, in columns that are never written.
    """
    monkeypatch.setattr(Sh1106Panel, "FIRST_COLUMN", 0)
    bench = Bench("sh1106")
    bench.oled.show(boxes((0, 0, 9, 63)))
    seen = bench.chip.visible()
    assert [row[:126] for row in seen] == [row[2:] for row in seen_by_an_eye(boxes((0, 0, 9, 63)))]
    assert any(any(row[126:]) for row in seen)  # noise in columns that are never written


def test_an_ssd1306_as_an_sh1106_stays_dark() -> None:
    """SH1106 settings leave the charge pump off; with external power the picture is shifted."""
    picture = boxes((10, 0, 19, 63))
    for has_external_vcc in (False, True):
        chip = Ssd1306Chip(has_external_vcc=has_external_vcc)
        forgiving = Forgiving(chip)
        bus = I2cBus(VirtualClock())
        bus.attach(forgiving)
        Oled(bus, bus.clock, chip="sh1106").show(picture)
        assert forgiving.shrugged_at
        shifted = boxes((12, 0, 21, 63)) if has_external_vcc else blank()
        assert [row[2:] for row in chip.visible()] == [row[2:] for row in seen_by_an_eye(shifted)]
