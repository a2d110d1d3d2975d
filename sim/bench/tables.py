"""The measured tables: our drivers, and the stock libraries, on the same emulated chips."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from engines.common.contract import SEAT_SPOTS
from fakepi import standins
from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import Mfrc522
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc
from fakepi.spi import SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from firmware.config.table_config import (
    SPI_MHZ,
    FieldsConfig,
    ReaderConfig,
    TableConfig,
    load_config,
)
from firmware.runtime.wiring import open_parts
from hardware.ports import Display, Sighting
from sim.bench.meters import transfers
from sim.bench.rows import Figures, MeasuredWrong
from sim.mat.board import EmulatedBoard
from sim.mat.parts import EXACT, Conditions

I2C_HZ = (400_000, 100_000)  # the rate that the guide recommends, and the kernel's default
GUARD_S = 0.001  # from switching a field on to the first request
SPOTS = ("play", *SEAT_SPOTS, "hand")
# Bus, chip select and select pin of each reader. Up to five readers have their own chip select of
# the kernel; with more, all but the first share one that is not connected, and use select pins.
KERNEL_SELECTS = tuple((bus, cs, None) for bus, cs in ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2)))
SHARED_SELECTS = ((0, 0, None), *((0, 1, pin) for pin in range(14, 21)))
SEAT_PINS = range(16, 22)  # of the seats' lamps; more than one reader needs them
AT_REST_POLLS = 30  # empty polls after which readers stop looking for lost tags
SETTLED_S = 0.05  # longer than a tag needs to start in the field


def config_of(
    readers: int, *, in_turn: bool | None = None, spi_mhz: int = SPI_MHZ[0]
) -> TableConfig:
    """Return the default table with *readers* readers, and the lamps that still have free pins.

    The readers' SPI clock rate is *spi_mhz*. If *in_turn*, only one reader's field is on at a
    time. The default of *in_turn* is True for three readers or more.
    """
    table = load_config()
    places = KERNEL_SELECTS if readers <= len(KERNEL_SELECTS) else SHARED_SELECTS
    return replace(
        table,
        readers=tuple(
            ReaderConfig(spot, bus, device, select_pin=pin, spi_mhz=spi_mhz)
            for spot, (bus, device, pin) in zip(SPOTS[:readers], places, strict=False)
        ),
        fields=FieldsConfig(readers > 2 if in_turn is None else in_turn, GUARD_S),
        lamps={
            lamp: pin for lamp, pin in table.lamps.items() if readers == 1 or pin not in SEAT_PINS
        },
        voice="silent",
    )


class OurTable:
    """Our drivers on emulated chips, after ``AT_REST_POLLS`` polls without tags."""

    def __init__(
        self,
        readers: int = 1,
        *,
        in_turn: bool | None = None,
        i2c_hz: int = I2C_HZ[0],
        spi_mhz: int = SPI_MHZ[0],
        conditions: Conditions = EXACT,
    ) -> None:
        config = config_of(readers, in_turn=in_turn, spi_mhz=spi_mhz)
        self.board = EmulatedBoard(config, conditions=conditions)
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
        """Lay tags on the first reader, and poll it once.

        Raises:
            MeasuredWrong: the poll does not find exactly these tags.
        """
        field = self.board.readers[SPOTS[0]].field
        for picc in piccs:
            field.enter(picc)
        self.board.clock.sleep(SETTLED_S)
        insist(set(self.poll().uids) == {picc.uid for picc in piccs})

    def lift(self, picc: Picc) -> None:
        """Take a tag off the first reader."""
        self.board.readers[SPOTS[0]].field.leave(picc)

    def cost(self, act: Callable[[], object]) -> Figures:
        """Return the milliseconds and SPI transfers of *act*."""
        return _cost(self.board.clock, act)

    def display_cost(self, act: Callable[[], object]) -> Figures:
        """Return the milliseconds and I2C bits of *act*."""
        return _display_cost(self.board.i2c_bus, act)


class StockTable:
    """The stock libraries on the same chips, with a ``SimpleMFRC522`` for each reader."""

    def __init__(self, readers: int = 1, *, i2c_hz: int = I2C_HZ[0]) -> None:
        # Imported here, after firmware.runtime.wiring has kept Blinka from looking for a board.
        import adafruit_ssd1306

        self.clock = VirtualClock()
        self.fields = tuple(RfField(self.clock, ExactPhysics()) for _ in range(readers))
        self.bus = I2cBus(self.clock, i2c_hz)
        self.chip = Ssd1306Chip()
        self.bus.attach(self.chip)
        self.display = adafruit_ssd1306.SSD1306_I2C(128, 64, self.bus)
        # More than two chip selects on a bus need a kernel overlay; the library works without one.
        devices = {
            (0, number): SpiDevice(Mfrc522(self.clock, field), self.clock, SPI_MHZ[0] * 1_000_000)
            for number, field in enumerate(self.fields)
        }
        with standins.replace_libraries(devices):
            self._readers = [_stock_reader(*place) for place in devices]

    def sweep(self) -> Iterator[int | None]:
        """Poll the readers one by one; yield the number that each reads, or None."""
        for reader in self._readers:
            with _allowing_its_bool():
                number: int | None = reader.read_id_no_block()
            yield number

    def cost(self, act: Callable[[], object]) -> Figures:
        """Return the milliseconds and SPI transfers of *act*."""
        return _cost(self.clock, act)

    def display_cost(self, act: Callable[[], object]) -> Figures:
        """Return the milliseconds and I2C bits of *act*."""
        return _display_cost(self.bus, act)


def _stock_reader(bus: int, device: int) -> Any:
    """Return a ``SimpleMFRC522`` for *bus* and *device*; its constructor always opens 0 and 0."""
    from mfrc522 import MFRC522, SimpleMFRC522

    reader = SimpleMFRC522.__new__(SimpleMFRC522)
    reader.READER = MFRC522(bus, device)
    return reader


@contextmanager
def _allowing_its_bool() -> Iterator[None]:
    """Ignore a warning of Python 3.12 and later: the library's empty poll inverts a bool."""
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
    """Check that the measured code did its work.

    Raises:
        MeasuredWrong: *is_so* is false.
    """
    if not is_so:
        raise MeasuredWrong("the measured code did not do its work, so its time means nothing")
