"""The QR code on the emulated display, read from its pixels by another project's decoder."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random

import pytest
from PIL import Image, ImageDraw, ImageOps

from firmware.show.qr import MODULES, MOST_BYTES, qr_rows
from firmware.show.screens import QR_SCALE, QR_WIDTH, draw
from firmware.show.text import find_text
from firmware.show.view import JoinAddress, TableView
from tests.effort import long_unless, some
from tests.sim.photo import codes_in, photo
from tests.sim.test_local_socket import PATIENCE_S, Evening, Reader

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

SECRET = "aB3_-xYz90aB3_-xYz90kk"
HIGH = (128, 64)
URLS = (
    f"http://10.0.0.2:8738/j#{SECRET}",
    f"http://192.168.178.123:8738/j#{SECRET}",
    f"http://255.255.255.255:65535/j#{SECRET}",  # the longest
)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with closing(Evening(tmp_path / "state")) as made:
        yield made


def offer(url: str, code: str = "123456", place: str = "tapmat.local:8738") -> bytes:
    return json.dumps({"offer": "join", "url": url, "place": place, "code": code}).encode()


def until_taken(happened: Callable[[], object]) -> None:
    """Wait for the socket's thread while the mat's time stands still."""
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, "it never happens"
        time.sleep(0.01)


def until(evening: Evening, happened: Callable[[], object]) -> None:
    """Let the mat run until something has happened; it waits for another thread."""
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, "it never happens"
        evening.mat.step()


def address(evening: Evening) -> JoinAddress | None:
    return evening.mat.running.table.context.companion.address


def open_screen(evening: Evening) -> None:
    until(evening, lambda: address(evening))
    evening.mat.press("ok")
    choices = evening.mat.view.choices
    assert choices is not None
    evening.mat.turn(choices.values.index("join"))
    evening.mat.press("ok")
    evening.mat.wait(0.5)


@pytest.mark.parametrize("url", long_unless(URLS[-1].__eq__, URLS))
def test_a_phone_reads_the_address_from_a_photo_of_the_display(evening: Evening, url: str) -> None:
    with closing(Reader(evening)) as companion:
        companion.send(offer(url))
        open_screen(evening)
        pixels = evening.mat.pixels
        assert find_text(pixels, "123 456")
        assert find_text(pixels, "tapmat.")
        views = tuple(product((2, 3, 5), (0, 7, -20, 45), (0.2, 0.4)))
        for scale, degrees, blur in Random(url).sample(views, some(len(views))):
            taken = photo(pixels, scale, degrees=degrees, blur=blur, noise=20)
            assert codes_in(taken) == [url], (scale, degrees, blur)


def test_the_code_stays_for_a_latecomer_and_goes_with_the_companion(evening: Evening) -> None:
    evening.people.begin("straw", 3)
    evening.people.move("tap", ["weight-7"], "play", "straw")
    with closing(Reader(evening)) as companion:
        companion.send(offer(URLS[0]))
        open_screen(evening)
        assert codes_in(photo(evening.mat.pixels, 4, degrees=3, blur=0.3, noise=10)) == [URLS[0]]
        companion.send(offer(URLS[1], code="654321"))
        until(evening, lambda: "654321" in str(evening.mat.view.join))
        evening.mat.wait(0.5)
        assert codes_in(photo(evening.mat.pixels, 4, degrees=3, blur=0.3, noise=10)) == [URLS[1]]
    until(evening, lambda: evening.mat.view.join is None)
    assert evening.mat.view.headline == "7"
    assert address(evening) is None


def test_another_reader_that_leaves_takes_no_address_with_it(evening: Evening) -> None:
    with closing(Reader(evening)) as companion:
        companion.send(offer(URLS[0]))
        until(evening, lambda: address(evening))
        with closing(Reader(evening)) as other:
            assert other.line()
        with closing(Reader(evening)) as nonsense:
            nonsense.send(b"{}")
            assert nonsense.is_dropped
        evening.mat.step()
        assert address(evening) is not None


def test_a_table_that_is_switched_on_again_learns_the_address(evening: Evening) -> None:
    with closing(Reader(evening)) as companion:
        companion.send(offer(URLS[0]))
        open_screen(evening)
        evening.mat.power_cut()
        evening.mat.power_on()
        open_screen(evening)
        assert evening.mat.view.join is not None


def test_an_address_changes_neither_what_happens_nor_when(tmp_path: Path) -> None:
    with closing(Evening(tmp_path / "alone")) as alone:
        expected = alone.play()
    with closing(Evening(tmp_path / "offered")) as made, closing(Reader(made)) as companion:
        companion.send(offer(URLS[0]))
        until_taken(lambda: made.mat.inbox.address)
        assert made.play() == expected
        assert address(made) is not None


# --- the picture ----------------------------------------------------------------------------------


def screen(url: str) -> Image.Image:
    return draw(TableView("idle", join=JoinAddress(url, "123456", "tapmat.local:8738")), HIGH)


def sharp(pixels: Image.Image) -> list[str]:
    return codes_in(photo(pixels, 4, degrees=0, blur=0.0, noise=0))


def test_the_modules_are_dark_on_a_lit_square_with_a_quiet_zone_as_wide_as_fits() -> None:
    square = screen(URLS[-1]).crop((0, 0, QR_WIDTH, QR_WIDTH))
    dark = ImageOps.invert(square.convert("L")).getbbox()
    edge = (QR_WIDTH - MODULES * QR_SCALE) // 2
    assert dark == (edge, edge, QR_WIDTH - edge, QR_WIDTH - edge)
    assert edge == 3


@pytest.mark.long
def test_a_damaged_code_is_not_read() -> None:
    """The decoder can say no, so that its yes means something."""
    whole = screen(URLS[-1])
    assert sharp(whole) == [URLS[-1]]
    for box in ((3, 3, 17, 17), (24, 24, 60, 60)):  # a corner mark; a quarter of the data
        damaged = whole.copy()
        ImageDraw.Draw(damaged).rectangle(box, fill=1)
        assert sharp(damaged) == []
    without_edge = whole.copy()
    ImageDraw.Draw(without_edge).rectangle((0, 0, 2, 63), fill=0)
    ImageDraw.Draw(without_edge).rectangle((0, 0, 63, 2), fill=0)
    assert sharp(without_edge) == [], "the quiet zone is needed"


def test_the_longest_address_fills_the_code_and_a_longer_one_is_refused() -> None:
    assert len(URLS[-1]) == MOST_BYTES
    assert len(qr_rows(URLS[-1])) == MODULES
    with pytest.raises(ValueError, match="54 bytes"):
        qr_rows(URLS[-1] + "x")
