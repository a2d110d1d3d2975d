"""Drivers for the museum: the real mfrc522 0.0.7, and `Pcd`, which has none of the bugs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import Command, Mfrc522, Reg
from fakepi.picc import Picc
from fakepi.spi import SelectWire, SharedSpi, SpiDevice
from fakepi.standins import replace_libraries
from tests.fakepi.pcd import Pcd

HLTA = b"\x50\x00"


def lay(*tags: Picc) -> Pcd:
    """Return a good driver whose reader has *tags* on it, awake."""
    pcd = Pcd().start()
    for tag in tags:
        pcd.field.enter(tag)
    pcd.clock.sleep(0.005)
    return pcd


def neighbour(pcd: Pcd) -> Pcd:
    """Return a second reader on the same clock as *pcd*, set up."""
    second = Pcd()
    second.clock = pcd.clock
    second.field = RfField(pcd.clock)
    second.chip = Mfrc522(pcd.clock, second.field)
    second.bus = SpiDevice(second.chip, pcd.clock)
    return second.start()


class SelectedDevice(SpiDevice):
    """An SPI device of *shared*, whose chip select *wire* is driven low during each transfer."""

    def __init__(self, shared: SharedSpi, wire: SelectWire, clock: VirtualClock) -> None:
        super().__init__(shared, clock)
        self._wire = wire
        wire.drive(1)

    def xfer2(self, values: list[int]) -> list[int]:
        self._wire.drive(0)
        read = super().xfer2(values)
        self._wire.drive(1)
        return read


@contextmanager
def library(pcd: Pcd) -> Iterator[Any]:
    """Run the unmodified mfrc522 0.0.7 on the reader chip of *pcd*; yield its SimpleMFRC522."""
    with replace_libraries({(0, 0): pcd.bus}):
        from mfrc522 import SimpleMFRC522

        reader = SimpleMFRC522()
        pcd.clock.sleep(0.005)
        yield reader


def switch_field_off_and_on(pcd: Pcd) -> None:
    """Reset all tags: 5 ms without a field, and 5 ms to wake up."""
    for value in (0x80, 0x83):
        pcd.write(Reg.TX_CONTROL, value)
        pcd.clock.sleep(0.005)


def soft_reset(pcd: Pcd) -> None:
    """Reset all registers of the chip, so that the field is off, and wait until it is awake."""
    pcd.write(Reg.COMMAND, Command.SOFT_RESET)
    pcd.clock.sleep(0.001)
