"""``tapmat bench``: what the drivers cost on the virtual clock, beside the stock libraries.

Room: sim. The production drivers and the unmodified ``mfrc522`` and ``adafruit_ssd1306`` run over
the same emulated chips in the same run. Times are the virtual clock's: every bus byte and every
bit on air, exact and repeatable; what Python itself takes is the 20 us a transfer.
"""

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TextIO

import adafruit_ssd1306
from PIL import Image
from rich.console import Console
from rich.table import Table

from engines.common.contract import Direction, Seat
from firmware import screens
from firmware.config import TableConfig, load_config
from firmware.view import TableView
from firmware.wiring import SPI_HZ, open_parts
from sim.board import I2C_HZ, EmulatedBoard
from sim.chips import standins
from sim.chips.ntag import Ntag
from sim.chips.spi import OVERHEAD_NS, SpiDevice

SETTLED_S = 0.05  # longer than a tag needs to wake in the field
UID = bytes.fromhex("04A23B158C6180")
PARAMETERS = {"spi_hz": SPI_HZ, "spi_us_a_transfer": OVERHEAD_NS / 1000, "i2c_hz": I2C_HZ}
TITLE = f"SPI {SPI_HZ / 1e6:g} MHz, {OVERHEAD_NS / 1000:g} us a transfer, I2C {I2C_HZ / 1000:g} kHz"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one act cost: milliseconds of the virtual clock; SPI transfers or I2C bits."""

    ms: float
    bus: int  # transfers on SPI, bits on I2C


WEIGHT_AT_MOST = Cost(3.0, 1200)  # as many bits as I2C carries in that time


@dataclass(frozen=True, slots=True)
class Row:
    """One act, ours beside the stock library's; *at_most* is the bound the project holds itself to.

    No *stock*: the library cannot do it.
    """

    act: str
    unit: str  # of ``Cost.bus``
    ours: Cost
    stock: Cost | None
    at_most: Cost

    @property
    def is_held(self) -> bool:
        """Whether ours keeps to the bound."""
        return self.ours.ms <= self.at_most.ms and self.ours.bus <= self.at_most.bus

    @property
    def ratio(self) -> float | None:
        """How many times the stock library's time is ours."""
        return None if self.stock is None else self.stock.ms / self.ours.ms


def run_bench(as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Measure everything once and print it; exits with 0, or 1 when a bound is not held.

    Which bound that is goes to *err*.
    """
    out, err = out or sys.stdout, err or sys.stderr
    rows = [empty_poll(), one_uid(), first_picture(), weight_changes()]
    if as_json:
        results = [{**asdict(row), "ratio": row.ratio} for row in rows]
        print(json.dumps({"parameters": PARAMETERS, "results": results}), file=out)
    else:
        Console(file=out).print(_table(rows))
    broken = [row for row in rows if not row.is_held]
    for row in broken:
        most = _cost(row.at_most, row.unit)
        print(f"{row.act}: {_cost(row.ours, row.unit)}; it may take {most} at most.", file=err)
    return 1 if broken else 0


# --- the reader ----------------------------------------------------------------------------------


def empty_poll() -> Row:
    """One poll of a reader that nothing lies on."""
    board = EmulatedBoard(_config())
    stock = EmulatedBoard(_config())
    ours = _reader_cost(board, _our_poll(board))
    return Row(
        "empty poll", "transfers", ours, _reader_cost(stock, _stock_poll(stock)), Cost(1.0, 12)
    )


def one_uid() -> Row:
    """One poll of a reader with a 7-byte tag: the whole UID, confirmed by CRC, and HLTA.

    Raises:
        AssertionError: the driver read something else, so its time would mean nothing.
    """
    board = EmulatedBoard(_config())
    poll = _our_poll(board)
    board.readers["play"].field.enter(Ntag(UID))
    board.clock.sleep(SETTLED_S)
    ours = _reader_cost(board, lambda: _insist(poll() == UID))
    return Row("7-byte UID, CRC-confirmed", "transfers", ours, None, Cost(6.5, 40))


def _our_poll(board: EmulatedBoard) -> Callable[[], object]:
    """The production driver's poll: the UID it found, or none."""
    reader = open_parts(_config(), board).readers["play"]
    reader.restart()
    return lambda: next(iter(reader.poll().uids), None)


def _stock_poll(board: EmulatedBoard) -> Callable[[], object]:
    """The stock library's ``read_id_no_block``, imported over stand-ins for its modules."""
    device = board.spi(0, 0, SPI_HZ)
    with standins.installed({(0, 0): device}):
        from mfrc522 import SimpleMFRC522

        reader = SimpleMFRC522()
    return reader.read_id_no_block


def _reader_cost(board: EmulatedBoard, poll: Callable[[], object]) -> Cost:
    device: SpiDevice = board.readers["play"].devices[-1]
    transfers, began_ns = device.transfers, board.clock.now_ns
    with warnings.catch_warnings():
        # From Python 3.12 on, the stock library's empty poll inverts a bool and is warned of it.
        warnings.simplefilter("ignore", DeprecationWarning)
        poll()
    return Cost((board.clock.now_ns - began_ns) / 1e6, device.transfers - transfers)


# --- the display ---------------------------------------------------------------------------------


def first_picture() -> Row:
    """A whole new picture, on a display that has just been set up: no more than the stock's."""
    return _display_row("whole screen", _screen("21"), None)


def weight_changes() -> Row:
    """Straw's weight and turn change."""
    return _display_row("weight changes", _screen("28"), _screen("21"), WEIGHT_AT_MOST)


def _display_row(
    act: str, picture: Image.Image, before: Image.Image | None, at_most: Cost | None = None
) -> Row:
    blank = Image.new("1", picture.size)
    board, stock = EmulatedBoard(_config()), EmulatedBoard(_config())
    ours = open_parts(_config(), board).display
    assert ours is not None, "the default table has a display"
    ours.show(before or blank)
    cost = _display_cost(board, lambda: ours.show(picture))
    library = adafruit_ssd1306.SSD1306_I2C(*picture.size, stock.i2c_bus)
    library.image(picture)
    whole = _display_cost(stock, library.show)
    return Row(act, "bits", cost, whole, at_most or whole)


def _display_cost(board: EmulatedBoard, show: Callable[[], object]) -> Cost:
    bits, began_ns = board.i2c_bus.bits, board.clock.now_ns
    show()
    return Cost((board.clock.now_ns - began_ns) / 1e6, board.i2c_bus.bits - bits)


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
    return screens.draw(view, (128, 64))


# --- printing ------------------------------------------------------------------------------------


def _config() -> TableConfig:
    return load_config(None)


def _insist(is_so: bool) -> None:
    if not is_so:
        raise AssertionError("the driver did not read the UID that lies there")


def _table(rows: list[Row]) -> Table:
    table = Table(title=TITLE)
    for heading in ("act", "ours", "at most", "stock library", "ratio"):
        table.add_column(heading, justify="left" if heading == "act" else "right")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}"
        stock = "cannot" if row.stock is None else _cost(row.stock, row.unit)
        table.add_row(
            row.act, _cost(row.ours, row.unit), _cost(row.at_most, row.unit), stock, ratio
        )
    return table


def _cost(cost: Cost, unit: str) -> str:
    return f"{cost.ms:.3f} ms, {cost.bus:,} {unit}"
