"""Tests that our drivers and the chips behind device nodes agree about time.

The driver and the nodes are on a computer whose time is counted.
"""

from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.clock import FollowingClock
from fakepi.mfrc522 import Mfrc522
from fakepi.physics import ExactPhysics
from fakepi.spi import SpiChip, SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from hardware.drivers.mfrc522_reader import Mfrc522Reader
from tests.fakepi.kernel.computer import CountedTime

CALL_NS = 400_000  # of a device call
SCREEN = bytes((0x40, *bytes(1024)))  # 23 ms at 400 kHz


class BusyNode(SpiDevice):
    """A chip select behind a device node of a busy *computer*, which needs its time for calls."""

    def __init__(self, chip: SpiChip, clock: FollowingClock, computer: CountedTime) -> None:
        super().__init__(chip, clock)
        self._time, self._computer = clock, computer

    def xfer2(self, values: list[int]) -> list[int]:
        self._computer.now_ns += CALL_NS
        self._time.catch_up()
        return super().xfer2(values)


def test_a_reader_is_not_stuck_after_a_long_transfer_to_another_chip() -> None:
    """The display's bus is slower than the computer, and the reader has 3 ms to end an exchange."""
    computer = CountedTime()
    clock = FollowingClock(computer)
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()))
    reader = Mfrc522Reader(BusyNode(chip, clock, computer), computer)
    bus = I2cBus(clock)
    bus.attach(Ssd1306Chip())
    assert bus.try_lock()
    assert reader.poll().is_empty  # slow calls alone do not make it stuck
    bus.writeto(0x3C, SCREEN)
    assert reader.poll().is_empty
