"""Measurements of the display: a whole new picture, and a new weight in Straw."""

from collections.abc import Iterator
from functools import partial

from PIL import Image, ImageChops

from engines.common.contract import Direction, Seat
from firmware.show import screens
from firmware.show.view import TableView
from sim.bench.rows import Figures, Measurement
from sim.bench.tables import I2C_HZ, OurTable, StockTable, insist

SIZE = (128, 64)
WHOLE_BITS = 9410  # the limit, which the stock library sends
WEIGHT_BITS = 1200  # the limit, 3 ms at 400 kHz


def measurements() -> Iterator[Measurement]:
    """Yield the measurements of the display at each bus rate."""
    for i2c_hz in I2C_HZ:
        at = f"{i2c_hz // 1000} kHz"
        stock = partial(stock_show, i2c_hz)
        for name, act, bits in (
            ("every pixel changes", every_pixel, WHOLE_BITS),
            ("Straw's weight changes", weight_changes, WEIGHT_BITS),
        ):
            most = {"ms": bits * 1000 / i2c_hz, "bits": bits}
            yield Measurement(f"{name}, {at}", partial(act, i2c_hz), most, stock)


def every_pixel(i2c_hz: int) -> Figures:
    """Return the time in ms and the I2C bits for a picture in which every pixel changes."""
    return _change(i2c_hz, ImageChops.invert(_screen("21")), _screen("21"))


def weight_changes(i2c_hz: int) -> Figures:
    """Return the time in ms and the I2C bits for a new weight on Straw's screen."""
    return _change(i2c_hz, _screen("21"), _screen("28"))


def stock_show(i2c_hz: int) -> Figures:
    """Return the time in ms and the number of I2C bits that the stock library needs for a change.

    Every change costs the same, because the library always sends all pixels.
    """
    table = StockTable(i2c_hz=i2c_hz)
    table.display.image(_screen("21"))
    return table.display_cost(table.display.show)


def _change(i2c_hz: int, before: Image.Image, after: Image.Image) -> Figures:
    table = OurTable(i2c_hz=i2c_hz)
    table.display.show(before)
    return table.display_cost(lambda: insist(table.display.show(after)))


def _screen(weight: str) -> Image.Image:
    view = TableView(
        phase="play",
        headline=weight,
        caption="on the camel",
        hint="Lay a card, then draw one.",
        names=("Ann", "Ben"),
        scores=(0, 0),
        turn=Seat(0),
        direction=Direction.CLOCKWISE,
    )
    return screens.draw(view, SIZE)
