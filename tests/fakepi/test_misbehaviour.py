"""Tests of faults that the data sheets describe: heat, slow crystals, a data wire held low."""

from math import inf

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import TEMP_ERR, Command, Mfrc522, Reg
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.spi import SpiDevice
from fakepi.ssd1306 import Ssd1306Chip

NOBODY = 0x7F
LIGHT = b"\x00\x8d\x14\xaf"  # charge pump on, panel on


@pytest.fixture
def chip() -> Mfrc522:
    clock = VirtualClock()
    made = Mfrc522(clock, RfField(clock, ExactPhysics()))
    made.write(Reg.TX_CONTROL, 0x83)
    return made


def test_heat_reads_as_temp_err_and_switches_the_antenna_off(chip: Mfrc522) -> None:
    assert chip.field.is_on
    chip.overheat(True)
    assert chip.read(Reg.ERROR) & TEMP_ERR
    assert not chip.field.is_on
    chip.write(Reg.COMMAND, Command.TRANSCEIVE)  # clears all errors except TempErr
    chip.write(Reg.TX_CONTROL, 0x83)
    assert chip.read(Reg.ERROR) & TEMP_ERR
    assert not chip.field.is_on


def test_neither_a_reset_nor_time_alone_mends_heat(chip: Mfrc522) -> None:
    chip.overheat(True)
    chip.write(Reg.COMMAND, Command.SOFT_RESET)
    chip.write(Reg.TX_CONTROL, 0x83)
    assert chip.read(Reg.ERROR) & TEMP_ERR
    assert not chip.field.is_on
    chip.overheat(False)
    assert not chip.read(Reg.ERROR) & TEMP_ERR
    assert not chip.field.is_on  # off until the antenna is switched on
    chip.write(Reg.TX_CONTROL, 0x83)
    assert chip.field.is_on


def test_until_the_crystal_swings_miso_reads_00h_and_writes_are_lost() -> None:
    clock = VirtualClock()
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()))
    device = SpiDevice(chip, clock, overhead_ns=0)
    version = [0x80 | Reg.VERSION << 1, 0]
    chip.slow_crystal(10_000_000)
    assert device.xfer2(version)[1] == 0x92  # takes effect at the next start
    chip.brown_out()
    assert device.xfer2(version)[1] == 0x00
    device.xfer2([Reg.T_PRESCALER << 1, 0x55])
    clock.sleep(0.0101)
    assert device.xfer2(version)[1] == 0x92
    assert chip.read(Reg.T_PRESCALER) == 0x00


def test_a_deaf_chip_keeps_its_registers_until_it_is_reset(chip: Mfrc522) -> None:
    chip.write(Reg.T_PRESCALER, 0xA9)
    chip.deafen(True)
    assert chip.read(Reg.T_PRESCALER) == 0xA9
    assert hears(chip) is False
    chip.write(Reg.COMMAND, Command.SOFT_RESET)
    assert chip.read(Reg.T_PRESCALER) == 0x00
    chip.write(Reg.TX_CONTROL, 0x83)
    assert hears(chip) is True


def hears(chip: Mfrc522) -> bool:
    """Return True if the chip receives a tag's answer to WUPA."""
    tag = Ntag(bytes.fromhex("04A1B2C3D4E5F6"))
    clock = chip._clock
    chip.field.enter(tag)
    clock.sleep(0.005)
    chip.write(Reg.TX_ASK, 0x40)
    chip.write(Reg.COMMAND, Command.TRANSCEIVE)
    chip.write(Reg.FIFO_DATA, 0x52)
    chip.write(Reg.BIT_FRAMING, 0x87)
    clock.sleep(0.002)
    is_heard = chip.read(Reg.FIFO_LEVEL) == 2
    chip.field.leave(tag)
    return is_heard


# --- a data wire that is held low ---


def bus_of(*, arbitrates: bool = False) -> tuple[I2cBus, Ssd1306Chip]:
    bus, chip = I2cBus(VirtualClock(), arbitrates=arbitrates), Ssd1306Chip()
    bus.attach(chip)
    assert bus.try_lock()
    return bus, chip


def test_a_low_wire_is_an_acknowledge_to_a_controller_that_does_not_look() -> None:
    bus, chip = bus_of()
    bus.hold_sda(inf)
    bus.writeto(chip.address, LIGHT)
    assert not chip.is_lit
    read = bytearray(b"..")
    bus.readfrom_into(NOBODY, read)
    assert read == b"\0\0"


def test_a_controller_that_looks_refuses_to_begin() -> None:
    bus, chip = bus_of(arbitrates=True)
    bus.hold_sda(inf)
    with pytest.raises(TimeoutError):
        bus.writeto(chip.address, LIGHT)
    assert not chip.is_lit


@pytest.mark.parametrize("clocks", [1, 9, 12])
def test_clock_pulses_make_a_chip_release_the_bus(clocks: int) -> None:
    bus, chip = bus_of()
    bus.hold_sda(clocks)
    if clocks >= 9:
        bus.readfrom_into(NOBODY, bytearray(1))
    else:
        with pytest.raises(OSError, match="no chip acknowledged"):
            bus.writeto(chip.address, LIGHT)
    bus.writeto(chip.address, LIGHT)
    assert chip.is_lit
