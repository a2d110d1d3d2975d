"""The tables that are measured: ours over emulated chips, and the stock libraries over the same.

Room: sim.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import adafruit_ssd1306

from engines.common.contract import SEAT_SPOTS
from firmware.config import FieldsConfig, ReaderConfig, TableConfig, load_config
from firmware.wiring import SPI_HZ, open_parts
from hardware.ports import Display, Sighting
from sim.bench.meters import transfers
from sim.bench.rows import Figures, MeasuredWrong
from sim.board import EmulatedBoard
from sim.chips import standins
from sim.chips.clock import VirtualClock
from sim.chips.field import Field
from sim.chips.i2c import I2cBus
from sim.chips.mfrc522 import Mfrc522
from sim.chips.picc import Picc
from sim.chips.spi import SpiDevice
from sim.chips.ssd1306 import Ssd1306Chip

I2C_HZ = (400_000, 100_000)  # what the guide has people set, and the kernel's own default
GUARD_S = 0.001  # from field on until tags are called
SPOTS = ("play", *SEAT_SPOTS, "hand")
# Where readers are: bus, chip select and select pin. Up to five have a kernel's chip select each;
# with more, all but the first share one that goes nowhere.
KERNEL_SELECTS = tuple((bus, cs, None) for bus, cs in ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2)))
SHARED_SELECTS = ((0, 0, None), *((0, 1, pin) for pin in range(14, 21)))
SEAT_PINS = range(16, 22)  # of the seats' lamps, in the way of more readers
AT_REST_POLLS = 30  # empty polls after which no reader is wary any more
SETTLED_S = 0.05  # longer than a tag needs to wake in the field


def config_of(readers: int, *, in_turn: bool | None = None) -> TableConfig:
    """The default table with so many readers, and what their pins leave of its lamps.

    Fields are on *in_turn* or not; by default as they are with so many readers.
    """
    table = load_config()
    places = KERNEL_SELECTS if readers <= len(KERNEL_SELECTS) else SHARED_SELECTS
    return replace(
        table,
        readers=tuple(
            ReaderConfig(spot, bus, device, select_pin=pin)
            for spot, (bus, device, pin) in zip(SPOTS[:readers], places, strict=False)
        ),
        fields=FieldsConfig(readers > 2 if in_turn is None else in_turn, GUARD_S),
        lamps={
            lamp: pin for lamp, pin in table.lamps.items() if readers == 1 or pin not in SEAT_PINS
        },
        voice="silent",
    )


class OurTable:
    """The production drivers over emulated chips, at rest."""

    def __init__(
        self, readers: int = 1, *, in_turn: bool | None = None, i2c_hz: int = I2C_HZ[0]
    ) -> None:
        config = config_of(readers, in_turn=in_turn)
        self.board = EmulatedBoard(config)
        self.board.i2c_bus.clock_hz = i2c_hz
        self._parts = open_parts(config, self.board)
        for _ in range(AT_REST_POLLS):
            self.sweep()

    @property
    def display(self) -> Display:
        """The display's driver."""
        assert self._parts.display is not None, "the default table has a display"
        return self._parts.display

    def poll(self) -> Sighting:
        """Poll the first reader once."""
        return self._parts.readers[SPOTS[0]].poll()

    def sweep(self) -> None:
        """Poll every reader once."""
        for reader in self._parts.readers.values():
            reader.poll()

    def lay(self, piccs: Sequence[Picc]) -> None:
        """Lay tags on the first reader; one poll finds them, and they rest from then on."""
        field = self.board.readers[SPOTS[0]].field
        for picc in piccs:
            field.enter(picc)
        self.board.clock.sleep(SETTLED_S)
        insist(set(self.poll().uids) == {picc.uid for picc in piccs})

    def lift(self, picc: Picc) -> None:
        """Take a tag off the first reader."""
        self.board.readers[SPOTS[0]].field.leave(picc)

    def cost(self, act: Callable[[], object]) -> Figures:
        """What *act* costs on SPI."""
        return _cost(self.board.clock, act)

    def display_cost(self, act: Callable[[], object]) -> Figures:
        """What *act* costs on I2C."""
        return _display_cost(self.board.i2c_bus, act)


class StockTable:
    """The stock libraries over the same chips: every reader one of ``mfrc522``'s own."""

    def __init__(self, readers: int = 1, *, i2c_hz: int = I2C_HZ[0]) -> None:
        self.clock = VirtualClock()
        self.fields = tuple(Field(self.clock) for _ in range(readers))
        self.bus = I2cBus(self.clock, i2c_hz)
        self.chip = Ssd1306Chip()
        self.bus.attach(self.chip)
        self.display = adafruit_ssd1306.SSD1306_I2C(128, 64, self.bus)
        # Beyond two chip selects a bus takes an overlay of the kernel's; the library cannot tell.
        devices = {
            (0, number): SpiDevice(Mfrc522(self.clock, field), self.clock, SPI_HZ)
            for number, field in enumerate(self.fields)
        }
        with standins.installed(devices):
            self._readers = [_stock_reader(*place) for place in devices]

    def sweep(self) -> Iterator[int | None]:
        """Read one reader after the other, as its users do: the number each gives, or none."""
        for reader in self._readers:
            with _allowing_its_bool():
                number: int | None = reader.read_id_no_block()
            yield number

    def cost(self, act: Callable[[], object]) -> Figures:
        """What *act* costs on SPI."""
        return _cost(self.clock, act)

    def display_cost(self, act: Callable[[], object]) -> Figures:
        """What *act* costs on I2C."""
        return _display_cost(self.bus, act)


def _stock_reader(bus: int, device: int) -> Any:
    """The simple reader on another place than 0.0, which it does not take by itself."""
    from mfrc522 import MFRC522, SimpleMFRC522

    reader = SimpleMFRC522.__new__(SimpleMFRC522)
    reader.READER = MFRC522(bus, device)
    return reader


@contextmanager
def _allowing_its_bool() -> Iterator[None]:
    """From Python 3.12 on, the stock library's empty poll inverts a bool and is warned of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _cost(clock: VirtualClock, act: Callable[[], object]) -> Figures:
    began_ns = clock.now_ns
    with transfers(clock) as made:
        act()
    return {"ms": (clock.now_ns - began_ns) / 1e6, "transfers": len(made)}


def _display_cost(bus: I2cBus, act: Callable[[], object]) -> Figures:
    bits, began_ns = bus.bits, bus.clock.now_ns
    act()
    return {"ms": (bus.clock.now_ns - began_ns) / 1e6, "bits": bus.bits - bits}


def insist(is_so: bool) -> None:
    """Refuse to measure what did not do its work.

    Raises:
        MeasuredWrong: *is_so* is false.
    """
    if not is_so:
        raise MeasuredWrong("what is measured did not do its work, so its time means nothing")
