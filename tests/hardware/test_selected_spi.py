"""Tests of chips that share an SPI device, each with a GPIO as its chip select."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.spi import SelectWire, SharedSpi, SpiDevice
from hardware.drivers.gpio import GpioSelect
from hardware.drivers.mfrc522_reader import Mfrc522Reader
from hardware.drivers.selected_spi import SelectedSpi
from hardware.errors import MissingPart, ReaderFault
from hardware.ports import SpiBus

PINS = (22, 23, 24)


class SolderedPin(MockPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin that is wired to the chip select of an emulated chip."""

    wire: SelectWire | None = None

    def _change_state(self, value: bool) -> bool:
        has_changed = bool(super()._change_state(value))
        if has_changed and self.wire is not None:
            self.wire.drive(value)
        return has_changed


@pytest.fixture
def pins() -> Iterator[Any]:
    factory = MockFactory(pin_class=SolderedPin)
    yield factory
    factory.reset()


@dataclass
class Seat:
    """One of the readers on a shared SPI device, with a tag in its field."""

    tag: Ntag
    field: RfField
    chip: Mfrc522
    wire: SelectWire
    reader: Mfrc522Reader


def seats(pins: Any, clock: VirtualClock) -> list[Seat]:
    """Return a reader for each of ``PINS``, before any transfer."""
    shared = SharedSpi()
    made = []
    for pin in PINS:
        over = RfField(clock, ExactPhysics())
        chip = Mfrc522(clock, over)
        pins.pin(pin).wire = wire = shared.attach(chip)
        over.enter(tag := Ntag(bytes((0x04, pin, 0x3B, 0x15, 0xC0, 0xFF, 0xEE))))
        spi: SpiBus = SelectedSpi(SpiDevice(shared, clock), GpioSelect(pin, pins))
        made.append(Seat(tag, over, chip, wire, Mfrc522Reader(spi, clock)))
    return made


def test_each_reader_sees_its_own_tag(pins: Any) -> None:
    for seat in (made := seats(pins, VirtualClock())) * 2:
        assert seat.reader.poll().uids == (seat.tag.uid,)
    assert not any(seat.wire.is_low for seat in made)


def test_selecting_costs_no_transfer(pins: Any) -> None:
    """An empty poll takes no longer than with one of the computer's own chip selects."""
    clock = VirtualClock()
    seat, *_ = seats(pins, clock)
    seat.field.leave(seat.tag)
    seat.reader.poll()
    began_s = clock.now()
    assert seat.reader.poll().is_empty
    assert clock.now() - began_s <= 0.9e-3


def test_a_broken_wire_of_one_reader_leaves_the_others_alone(pins: Any) -> None:
    first, broken, last = seats(pins, VirtualClock())
    broken.wire.stuck_at = 0xFF
    assert first.reader.poll().uids == (first.tag.uid,)
    with pytest.raises(ReaderFault):
        broken.reader.poll()
    assert last.reader.poll().uids == (last.tag.uid,)
    broken.wire.stuck_at = None
    assert broken.reader.poll().uids == (broken.tag.uid,)


class Refusing:
    """An SPI device whose every transfer fails with an OSError."""

    max_speed_hz = 1_000_000
    is_closed = False

    def xfer2(self, values: list[int]) -> list[int]:
        raise OSError(5, "Input/output error")

    def close(self) -> None:
        self.is_closed = True


def test_a_transfer_that_fails_leaves_no_chip_selected(pins: Any) -> None:
    spi = SelectedSpi(Refusing(), GpioSelect(PINS[0], pins))
    with pytest.raises(OSError, match="Input/output"):
        spi.xfer2([0x80])
    assert pins.pin(PINS[0]).state == 1


def test_close_releases_device_and_pin_and_is_safe_twice(pins: Any) -> None:
    bus = Refusing()
    spi = SelectedSpi(bus, GpioSelect(PINS[0], pins))
    spi.close()
    spi.close()
    assert bus.is_closed
    GpioSelect(PINS[0], pins).close()  # works because the pin was released


def test_a_select_pin_in_use_is_a_missing_part(pins: Any) -> None:
    select = GpioSelect(PINS[0], pins)
    with pytest.raises(MissingPart, match="chip select on GPIO22"):
        GpioSelect(PINS[0], pins)
    select.close()
