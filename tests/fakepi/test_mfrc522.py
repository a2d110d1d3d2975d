"""Tests of the emulated MFRC522 against its data sheet."""

from random import Random
from time import process_time
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.iso14443 import crc_a, fc_to_ns
from fakepi.mfrc522 import NEVER, SELF_TEST_RESULTS, Mfrc522, Reg
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc, PiccState
from fakepi.spi import SpiDevice
from fakepi.undefined import Undefined
from tests.fakepi.pcd import Pcd

PiccT = TypeVar("PiccT", bound=Picc)
UID = bytes.fromhex("04A23B15C0FFEE")
# Data sheet, table 20. Bits marked "x" there count only if a real chip showed their value.
RESET_VALUES = {
    0x01: 0x20, 0x02: 0x80, 0x03: 0x00, 0x04: 0x14, 0x05: 0x00, 0x06: 0x00, 0x07: 0x21, 0x08: 0x00,
    0x0A: 0x00, 0x0B: 0x08, 0x0C: 0x10, 0x0D: 0x00, 0x0E: 0xA0, 0x11: 0x3F, 0x12: 0x00, 0x13: 0x00,
    0x14: 0x80, 0x15: 0x00, 0x16: 0x10, 0x17: 0x84, 0x18: 0x84, 0x19: 0x4D, 0x1C: 0x62, 0x1D: 0x00,
    0x1F: 0xEB, 0x21: 0xFF, 0x22: 0xFF, 0x24: 0x26, 0x26: 0x48, 0x27: 0x88, 0x28: 0x20, 0x29: 0x20,
    0x2A: 0x00, 0x2B: 0x00, 0x2C: 0x00, 0x2D: 0x00, 0x31: 0x00, 0x32: 0x00, 0x33: 0x80, 0x34: 0x00,
    0x36: 0x40, 0x37: 0x92, 0x38: 0x00,
}  # fmt: skip
RESERVED = (0x00, 0x0F, 0x10, 0x1A, 0x1B, 0x1E, 0x20, 0x23, 0x25, 0x30, 0x3C, 0x3D, 0x3E, 0x3F)
TIMER_IRQ, ERR_IRQ, LO_ALERT, HI_ALERT, IDLE_IRQ, RX_IRQ, TX_IRQ = (1 << bit for bit in range(7))


@pytest.fixture
def pcd() -> Pcd:
    return Pcd().start()


@pytest.fixture
def sticker(pcd: Pcd) -> Ntag:
    return lay(pcd, Ntag(UID))


def lay(pcd: Pcd, picc: PiccT) -> PiccT:
    pcd.field.enter(picc)
    pcd.clock.sleep(0.002)
    return picc


def sticker_is_awake(sticker: Ntag) -> bool:
    return sticker.state is not PiccState.POWER_OFF


def bare_chip() -> tuple[VirtualClock, Mfrc522]:
    clock = VirtualClock()
    return clock, Mfrc522(clock, RfField(clock, ExactPhysics()))


# Registers and SPI


def test_every_register_starts_with_its_reset_value() -> None:
    assert {address: Pcd().read(address)[0] for address in RESET_VALUES} == RESET_VALUES


def test_reserved_registers_read_zero_and_are_not_written() -> None:
    pcd = Pcd()
    assert pcd.read(*RESERVED) == [0] * len(RESERVED)
    for address in RESERVED:
        with pytest.raises(ValueError, match=f"{address:02X}h is reserved"):
            pcd.write(address, 0)


@pytest.mark.parametrize("address", [0x06, 0x07, 0x21, 0x22, 0x2E, 0x2F, 0x37])
def test_read_only_registers_are_not_written(address: int) -> None:
    with pytest.raises(ValueError, match="read only"):
        Pcd().write(address, 0)


def test_reserved_bits_keep_their_reset_value() -> None:
    pcd = Pcd()
    pcd.write(Reg.MODE, 0x00)
    pcd.write(Reg.RF_CFG, 0xFF)
    assert pcd.read(Reg.MODE, Reg.RF_CFG) == [0x14, 0x78]


@pytest.mark.parametrize("register", [Reg.TX_MODE, Reg.RX_MODE])
def test_reserved_speeds_are_refused(register: int) -> None:
    with pytest.raises(ValueError, match="100b is reserved"):
        Pcd().write(register, 0x40)


def silicon(undefined: Undefined) -> tuple[Mfrc522, SpiDevice]:
    clock = VirtualClock()
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()), undefined=undefined)
    return chip, SpiDevice(chip, clock)


@pytest.mark.parametrize("undefined", ["record", "as-silicon"])
def test_a_chip_may_ignore_what_is_not_defined(undefined: Undefined) -> None:
    chip, device = silicon(undefined)
    device.xfer2([0x00, 0x55])  # register 00h is reserved
    device.xfer2([Reg.VERSION << 1, 0x55])
    device.xfer2([Reg.TX_MODE << 1, 0x40])
    assert device.xfer2([0x80, 0x00]) == [0, 0]
    assert device.xfer2([0x80 | Reg.VERSION << 1 | 1, 0x00]) == [0, 0x92]
    assert device.xfer2([0x80 | Reg.VERSION << 1, Reg.VERSION << 1, 0x00]) == [0, 0x92, 0x92]
    found = [
        "register 00h is reserved (MFRC522 data sheet, table 20)",
        "register VERSION (37h) is read only",
        "TX_MODE 40h: speed 100b is reserved",
        "SPI address byte EFh: bit 0 must be zero (DS, table 8)",
        "SPI byte 6Eh in a read is not a read address (DS, table 6)",
    ]
    assert chip.undefined_bytes == (found if undefined == "record" else [])


def test_gating_the_timer_by_a_pin_is_refused() -> None:
    with pytest.raises(ValueError, match="not emulated"):
        Pcd().write(Reg.T_MODE, 0x20)


def test_one_transfer_reads_many_registers() -> None:
    assert Pcd().read(0x37, 0x01, 0x11, 0x37) == [0x92, 0x20, 0x3F, 0x92]


def test_one_transfer_fills_and_empties_the_fifo() -> None:
    pcd = Pcd()
    pcd.write(Reg.FIFO_DATA, 1, 2, 3)
    assert pcd.read(Reg.FIFO_LEVEL, Reg.FIFO_DATA, Reg.FIFO_DATA) == [3, 1, 2]
    assert pcd.read(Reg.FIFO_LEVEL) == [1]


def test_the_byte_that_ends_a_read_takes_nothing_out_of_the_fifo() -> None:
    pcd = Pcd()
    pcd.write(Reg.FIFO_DATA, 7, 8)
    assert pcd.bus.xfer2([0x92, 0x00]) == [0, 7]
    assert pcd.bus.xfer2([0x92, 0x00, 0x00]) == [0, 8, 0]


def test_an_address_byte_with_bit_0_set_is_refused() -> None:
    with pytest.raises(ValueError, match="bit 0 must be zero"):
        Pcd().bus.xfer2([0x93, 0])


def test_a_write_address_inside_a_read_is_refused() -> None:
    with pytest.raises(ValueError, match="not a read address"):
        Pcd().bus.xfer2([0x92, 0x12, 0])


# FIFO


def test_the_fifo_overflows_at_65_bytes_until_it_is_flushed() -> None:
    pcd = Pcd()
    pcd.write(Reg.FIFO_DATA, *range(64))
    assert pcd.read(Reg.ERROR, Reg.FIFO_LEVEL) == [0x00, 64]
    pcd.write(Reg.FIFO_DATA, 64)
    assert pcd.read(Reg.ERROR, Reg.FIFO_LEVEL) == [0x10, 64]
    assert pcd.read(*[Reg.FIFO_DATA] * 64) == list(range(64))
    pcd.write(Reg.FIFO_LEVEL, 0x80)
    assert pcd.read(Reg.ERROR, Reg.FIFO_LEVEL, Reg.FIFO_DATA) == [0x00, 0, 0]


def test_water_level_decides_which_alerts_are_on() -> None:
    pcd = Pcd()
    pcd.write(Reg.WATER_LEVEL, 2)
    alerts = []
    for _ in range(64):
        pcd.write(Reg.COM_IRQ, 0x7F)
        pcd.write(Reg.FIFO_DATA, 0)
        status, irq = pcd.read(Reg.STATUS1, Reg.COM_IRQ)
        assert bool(status & 0x01) == bool(irq & LO_ALERT)
        assert bool(status & 0x02) == bool(irq & HI_ALERT)
        alerts.append(status & 0x03)
    assert alerts == [1, 1] + [0] * 59 + [2, 2, 2]


# Interrupts


def test_interrupt_bits_are_set_or_cleared_by_the_top_bit() -> None:
    pcd = Pcd()
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.COM_IRQ, 0x80 | 0x41)
    assert pcd.read(Reg.COM_IRQ) == [0x41]
    pcd.write(Reg.COM_IRQ, 0x01)
    assert pcd.read(Reg.COM_IRQ) == [0x40]
    pcd.write(Reg.DIV_IRQ, 0x80 | 0x14)
    pcd.write(Reg.DIV_IRQ, 0x10)
    assert pcd.read(Reg.DIV_IRQ) == [0x04]


def test_the_irq_pin_follows_enabled_interrupts_and_its_inversion() -> None:
    pcd = Pcd()
    pcd.write(Reg.COM_IRQ, 0x7F)
    assert pcd.chip.irq_pin, "inverted after reset: high is quiet"
    pcd.write(Reg.COM_I_EN, 0x80 | TIMER_IRQ)
    pcd.write(Reg.COM_IRQ, 0x80 | TIMER_IRQ)
    assert not pcd.chip.irq_pin
    assert pcd.read(Reg.STATUS1)[0] & 0x10
    pcd.write(Reg.COM_I_EN, TIMER_IRQ)
    assert pcd.chip.irq_pin
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.DIV_I_EN, 0x04)
    pcd.write(Reg.DIV_IRQ, 0x84)
    assert pcd.chip.irq_pin


# Timer


@given(prescaler=st.integers(0, 0xFFF), reload=st.integers(0, 0xFFFF), is_even=st.booleans())
def test_the_timer_runs_as_long_as_its_formula_says(
    prescaler: int, reload: int, is_even: bool
) -> None:
    """(2 TPrescaler + 1)(TReloadVal + 1) / 13.56 MHz; + 2 instead of + 1 if even (DS 8.5)."""
    clock, chip = bare_chip()
    chip.write(Reg.DEMOD, 0x4D | (0x10 if is_even else 0))
    chip.write(Reg.T_MODE, prescaler >> 8)
    chip.write(Reg.T_PRESCALER, prescaler & 0xFF)
    chip.write(Reg.T_RELOAD_H, reload >> 8)
    chip.write(Reg.T_RELOAD_L, reload & 0xFF)
    chip.write(Reg.COM_IRQ, 0x7F)
    chip.write(Reg.CONTROL, 0x40)
    lasts_ns = fc_to_ns((2 * prescaler + (2 if is_even else 1)) * (reload + 1))
    clock.advance_ns(lasts_ns - 1)
    assert not chip.read(Reg.COM_IRQ) & TIMER_IRQ
    assert chip.read(Reg.STATUS1) & 0x08
    clock.advance_ns(1)
    assert chip.read(Reg.COM_IRQ) & TIMER_IRQ
    assert not chip.read(Reg.STATUS1) & 0x08
    assert chip.read(Reg.T_COUNTER_VAL_H) == chip.read(Reg.T_COUNTER_VAL_L) == 0


def timed_chip(mode: int = 0) -> tuple[VirtualClock, Mfrc522]:
    """Return a clock and a chip whose timer runs for 100 ticks of 25 us.

    *mode* is the value of TModeReg.
    """
    clock, chip = bare_chip()
    chip.write(Reg.T_MODE, mode)
    chip.write(Reg.T_PRESCALER, 169)
    chip.write(Reg.T_RELOAD_L, 99)
    chip.write(Reg.COM_IRQ, 0x7F)
    chip.write(Reg.CONTROL, 0x40)
    return clock, chip


def test_the_counter_counts_down_and_can_be_held() -> None:
    clock, chip = timed_chip()
    assert chip.read(Reg.T_COUNTER_VAL_L) == 99
    clock.advance_ns(255_000)
    assert chip.read(Reg.T_COUNTER_VAL_L) == 89
    chip.write(Reg.CONTROL, 0x80)
    clock.advance_ns(10_000_000)
    assert chip.read(Reg.T_COUNTER_VAL_L) == 89
    assert not chip.read(Reg.COM_IRQ) & TIMER_IRQ


def test_a_restarting_timer_interrupts_each_time() -> None:
    clock, chip = timed_chip(0x10)
    for _ in range(3):
        clock.advance_ns(2_500_000)
        assert chip.read(Reg.COM_IRQ) & TIMER_IRQ
        assert chip.read(Reg.STATUS1) & 0x08
        chip.write(Reg.COM_IRQ, 0x7F)
    clock.advance_ns(7_600_000)
    assert chip.read(Reg.COM_IRQ) & TIMER_IRQ
    assert 90 < chip.read(Reg.T_COUNTER_VAL_L) < 99


def test_silence_lasts_until_the_timer_that_began_with_the_end_of_transmission(pcd: Pcd) -> None:
    pcd.bus.max_speed_hz = 1_000_000_000
    pcd.send(b"\x26", last_bits=7)
    start_ns = pcd.clock.now_ns
    while not pcd.read(Reg.COM_IRQ)[0] & TIMER_IRQ:
        pass
    expected_ns = fc_to_ns(8 * 128 + (2 * 169 + 1) * 20)
    assert 0 <= pcd.clock.now_ns - start_ns - expected_ns < 25_000


@pytest.mark.usefixtures("sticker")
def test_the_fifth_bit_of_an_answer_stops_the_timer(pcd: Pcd) -> None:
    reply = pcd.call()
    assert reply.irq & (RX_IRQ | TIMER_IRQ) == RX_IRQ
    pcd.clock.sleep(1)
    assert not pcd.read(Reg.COM_IRQ)[0] & TIMER_IRQ


@pytest.mark.usefixtures("sticker")
def test_a_timer_that_is_too_short_fires_and_the_answer_still_comes(pcd: Pcd) -> None:
    pcd.write(Reg.T_RELOAD_L, 1)  # 50 us; the answer begins after 91 us
    pcd.send(b"\x26", last_bits=7)
    pcd.clock.advance_ns(400_000)
    assert pcd.read(Reg.COM_IRQ)[0] & (RX_IRQ | TIMER_IRQ) == RX_IRQ | TIMER_IRQ


# Commands


def test_mem_keeps_25_bytes_and_gives_them_back(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, *range(1, 26))
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.COMMAND, 0x01)
    assert pcd.read(Reg.FIFO_LEVEL, Reg.COMMAND) == [0, 0]
    assert pcd.read(Reg.COM_IRQ)[0] & IDLE_IRQ
    pcd.write(Reg.COMMAND, 0x01)
    assert pcd.read(*[Reg.FIFO_DATA] * 25) == list(range(1, 26))


def test_a_random_id_takes_ten_bytes_of_the_buffer(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, *[0xAA] * 25)
    pcd.write(Reg.COMMAND, 0x01)
    pcd.write(Reg.COMMAND, 0x02)
    pcd.write(Reg.COMMAND, 0x01)
    data = pcd.read(*[Reg.FIFO_DATA] * 25)
    assert data[:10] != [0xAA] * 10
    assert data[10:] == [0xAA] * 15


@given(data=st.binary(min_size=1, max_size=64), more=st.binary(max_size=20))
def test_calc_crc_goes_on_with_every_byte_that_comes(data: bytes, more: bytes) -> None:
    pcd = Pcd()
    pcd.write(Reg.MODE, 0x3D)
    pcd.write(Reg.FIFO_DATA, *data)
    pcd.write(Reg.COMMAND, 0x03)
    assert bytes(pcd.read(Reg.CRC_RESULT_L, Reg.CRC_RESULT_H)) == crc_a(data)
    assert pcd.read(Reg.DIV_IRQ)[0] & 0x04
    pcd.write(Reg.FIFO_DATA, *more)
    assert bytes(pcd.read(Reg.CRC_RESULT_L, Reg.CRC_RESULT_H)) == crc_a(data + more)
    assert pcd.read(Reg.FIFO_LEVEL) == [0]


def crc_bit_by_bit(data: bytes, register: int) -> int:
    for byte in data:
        for bit in range(8):
            feedback = (register ^ byte >> bit) & 1
            register = register >> 1 ^ (0x8408 if feedback else 0)
    return register


@given(data=st.binary(min_size=1, max_size=64))
@pytest.mark.parametrize(("select", "preset"), list(enumerate((0x0000, 0x6363, 0xA671, 0xFFFF))))
def test_calc_crc_starts_from_the_preset_of_mode_reg(select: int, preset: int, data: bytes) -> None:
    pcd = Pcd()
    pcd.write(Reg.MODE, 0x3C | select)
    pcd.write(Reg.FIFO_DATA, *data)
    pcd.write(Reg.COMMAND, 0x03)
    result = crc_bit_by_bit(data, preset)
    high, low, status = pcd.read(Reg.CRC_RESULT_H, Reg.CRC_RESULT_L, Reg.STATUS1)
    assert high << 8 | low == result
    assert bool(status & 0x40) == (result == 0)


def test_msb_first_turns_every_byte_round(pcd: Pcd) -> None:
    pcd.write(Reg.MODE, 0xBF)
    pcd.write(Reg.FIFO_DATA, 0x80, 0x40)
    pcd.write(Reg.COMMAND, 0x03)
    turned = pcd.read(Reg.CRC_RESULT_L, Reg.CRC_RESULT_H)
    pcd.write(Reg.COMMAND, 0x00)
    pcd.write(Reg.MODE, 0x3F)
    pcd.write(Reg.FIFO_DATA, 0x01, 0x02)
    pcd.write(Reg.COMMAND, 0x03)
    assert pcd.read(Reg.CRC_RESULT_L, Reg.CRC_RESULT_H) == turned


@pytest.mark.parametrize("code", [0x5, 0x6, 0x9, 0xA, 0xB, 0xD])
def test_an_unknown_command_ends_at_once(pcd: Pcd, code: int) -> None:
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.COMMAND, code)
    assert pcd.read(Reg.COMMAND) == [0]
    assert pcd.read(Reg.COM_IRQ)[0] & IDLE_IRQ


def test_the_host_can_go_idle_without_an_interrupt(pcd: Pcd) -> None:
    pcd.write(Reg.COMMAND, 0x0C)
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.COMMAND, 0x00)
    assert not pcd.read(Reg.COM_IRQ)[0] & IDLE_IRQ


def test_no_cmd_change_leaves_the_command_running(pcd: Pcd) -> None:
    pcd.write(Reg.COMMAND, 0x0C)
    pcd.write(Reg.COMMAND, 0x27)
    assert pcd.read(Reg.COMMAND) == [0x2C]


def test_soft_reset_sets_every_register_back(pcd: Pcd, sticker: Ntag) -> None:
    pcd.write(Reg.COMMAND, 0x0F)
    assert {address: pcd.read(address)[0] for address in RESET_VALUES} == RESET_VALUES
    assert sticker.state is PiccState.POWER_OFF


@pytest.mark.parametrize("version", [0x91, 0x92])
def test_the_self_test_leaves_the_data_sheets_bytes(version: int) -> None:
    clock = VirtualClock()
    chip = Mfrc522(clock, RfField(clock, ExactPhysics()), version=version)
    chip.write(Reg.COMMAND, 0x0F)
    for value in bytes(25):
        chip.write(Reg.FIFO_DATA, value)
    chip.write(Reg.COMMAND, 0x01)
    chip.write(Reg.AUTO_TEST, 0x09)
    chip.write(Reg.FIFO_DATA, 0)
    chip.write(Reg.COMMAND, 0x03)
    assert chip.read(Reg.DIV_IRQ) & 0x04
    result = bytes(chip.read(Reg.FIFO_DATA) for _ in range(64))
    assert result == SELF_TEST_RESULTS[version]
    assert result[:4].hex() == {0x91: "00c637d5", 0x92: "00eb66ba"}[version]
    assert chip.read(Reg.VERSION) == version


def test_a_self_test_without_its_preparations_leaves_other_bytes(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, *[1] * 25)
    pcd.write(Reg.COMMAND, 0x01)
    pcd.write(Reg.AUTO_TEST, 0x09)
    pcd.write(Reg.FIFO_DATA, 0)
    pcd.write(Reg.COMMAND, 0x03)
    assert bytes(pcd.read(*[Reg.FIFO_DATA] * 64)) != SELF_TEST_RESULTS[0x92]


# Power


def test_without_power_the_chip_reads_zeros_and_forgets(pcd: Pcd, sticker: Ntag) -> None:
    pcd.chip.power(False)
    assert pcd.read(Reg.VERSION) == [0]
    assert sticker.state is PiccState.POWER_OFF
    pcd.chip.power(False)
    pcd.chip.power(True)
    pcd.clock.advance_ns(50_000)
    assert pcd.read(Reg.VERSION, Reg.TX_CONTROL) == [0x92, 0x80]


def test_nrstpd_resets_and_starting_takes_1024_clocks(pcd: Pcd) -> None:
    pcd.bus.max_speed_hz = 1_000_000_000
    pcd.chip.reset_pin(False)
    assert pcd.read(Reg.VERSION) == [0]
    pcd.write(Reg.TX_ASK, 0x40)
    pcd.chip.reset_pin(True)
    assert pcd.read(Reg.COMMAND) == [0x30]
    pcd.chip.write(Reg.TX_ASK, 0x40)
    assert pcd.read(Reg.COMMAND, Reg.TX_ASK) == [0x20, 0x00], "that write came too early"


def test_the_internal_buffer_outlives_nrstpd_but_not_the_power(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, *range(1, 26))
    pcd.write(Reg.COMMAND, 0x01)
    for switch, kept in ((pcd.chip.reset_pin, True), (pcd.chip.power, False)):
        switch(False)
        switch(True)
        pcd.clock.advance_ns(50_000)
        pcd.write(Reg.COMMAND, 0x01)
        assert any(pcd.read(*[Reg.FIFO_DATA] * 25)) == kept
        pcd.write(Reg.FIFO_DATA, *range(1, 26))
        pcd.write(Reg.COMMAND, 0x01)


def test_after_a_brown_out_the_chip_answers_and_the_field_is_gone(pcd: Pcd, sticker: Ntag) -> None:
    pcd.chip.brown_out()
    pcd.clock.advance_ns(50_000)
    assert pcd.read(Reg.VERSION, Reg.TX_CONTROL, Reg.TX_ASK) == [0x92, 0x80, 0x00]
    assert sticker.state is PiccState.POWER_OFF


@pytest.mark.parametrize("after_ns", range(21_000, 140_000, 7_000))
def test_a_reset_in_the_middle_of_a_transfer_cuts_the_rest_of_it_off(
    pcd: Pcd, after_ns: int
) -> None:
    """The rest of the data is not taken for addresses, and the next transfer works again."""
    pcd.clock.call_at(pcd.clock.now_ns + after_ns, pcd.chip.brown_out)
    pcd.write(Reg.FIFO_DATA, *[0x93] * 12)
    assert pcd.read(Reg.VERSION, Reg.FIFO_LEVEL) == [0x92, 0x00]


def test_soft_power_down_switches_the_field_off_and_keeps_registers(
    pcd: Pcd, sticker: Ntag
) -> None:
    pcd.bus.max_speed_hz = 1_000_000_000
    pcd.write(Reg.COMMAND, 0x10)
    assert not sticker_is_awake(sticker)
    assert pcd.read(Reg.COMMAND, Reg.TX_ASK) == [0x10, 0x40]
    pcd.write(Reg.COMMAND, 0x00)
    assert pcd.read(Reg.COMMAND)[0] == 0x10
    assert sticker_is_awake(sticker)
    pcd.clock.advance_ns(20_000)
    assert pcd.read(Reg.COMMAND) == [0x00]


# Frames on the air


@pytest.mark.usefixtures("sticker")
def test_an_exchange_shows_its_bits_when_they_have_been_on_the_air(pcd: Pcd) -> None:
    pcd.bus.max_speed_hz = 1_000_000_000
    pcd.send(b"\x26", last_bits=7)
    chip, start_ns = pcd.chip, pcd.clock.now_ns
    etu = 128 / 13.56e6 * 1e9
    answer = 8 * etu + 91_150
    seen: list[tuple[float, int, int, int]] = []
    for at_ns in (8 * etu - 50, 8 * etu + 50, answer + 9.9 * etu, answer + 10.1 * etu,
                  answer + 18.9 * etu, answer + 19.9 * etu, answer + 20.1 * etu):  # fmt: skip
        pcd.clock.advance_ns(round(start_ns + at_ns) - pcd.clock.now_ns)
        irq = chip.read(Reg.COM_IRQ) & (TX_IRQ | RX_IRQ)
        seen.append((irq, chip.read(Reg.FIFO_LEVEL), chip.read(Reg.STATUS2) & 0x07, at_ns > 0))
    assert [entry[:3] for entry in seen] == [
        (0, 0, 0b011),
        (TX_IRQ, 0, 0b101),
        (TX_IRQ, 0, 0b110),
        (TX_IRQ, 1, 0b110),
        (TX_IRQ, 1, 0b110),
        (TX_IRQ, 2, 0b110),
        (TX_IRQ | RX_IRQ, 2, 0b001),
    ]


def test_a_tag_needs_time_to_wake_up(pcd: Pcd) -> None:
    pcd.field.enter(Ntag(UID))
    assert pcd.call().is_silence
    pcd.clock.sleep(0.001)
    assert pcd.call().data == b"\x44\x00"


@pytest.mark.parametrize(
    ("register", "value"),
    [
        (Reg.TX_ASK, 0x00),
        (Reg.TX_MODE, 0x10),
        (Reg.RX_MODE, 0x10),
        (Reg.MF_RX, 0x10),
        (Reg.TX_CONTROL, 0x80),
        (Reg.RX_SEL, 0xBF),
    ],
)
@pytest.mark.usefixtures("sticker")
def test_a_wrong_setting_means_silence(pcd: Pcd, register: int, value: int) -> None:
    if register == Reg.TX_CONTROL:
        pcd.write(Reg.MODE, 0x1D)  # transmit without waiting for a field
    pcd.write(register, value)
    assert pcd.call().is_silence


@pytest.mark.usefixtures("sticker")
def test_with_the_receiver_off_there_is_silence(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, 0x26)
    pcd.write(Reg.COMMAND, 0x2C)
    pcd.write(Reg.BIT_FRAMING, 0x87)
    pcd.clock.sleep(0.01)
    assert pcd.read(Reg.FIFO_LEVEL) == [0]


@pytest.mark.usefixtures("sticker")
def test_a_transmission_waits_for_the_field(pcd: Pcd) -> None:
    pcd.write(Reg.TX_CONTROL, 0x80)
    pcd.send(b"\x26", last_bits=7)
    pcd.clock.sleep(0.01)
    assert pcd.read(Reg.STATUS2)[0] & 0x07 == 0b010
    pcd.write(Reg.TX_CONTROL, 0x83)
    assert pcd.read(Reg.STATUS2)[0] & 0x07 == 0b011
    assert pcd.wait() & TIMER_IRQ, "the tag is not awake yet"


def test_start_send_without_data_or_command_does_nothing(pcd: Pcd) -> None:
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.FIFO_DATA, 0x26)
    pcd.write(Reg.BIT_FRAMING, 0x87)
    pcd.write(Reg.COMMAND, 0x0C)
    pcd.write(Reg.FIFO_LEVEL, 0x80)
    pcd.write(Reg.BIT_FRAMING, 0x87)
    pcd.clock.sleep(0.01)
    assert not pcd.read(Reg.COM_IRQ)[0] & TX_IRQ
    assert pcd.read(Reg.BIT_FRAMING) == [0x07]


@pytest.mark.usefixtures("sticker")
def test_transmit_and_receive_do_what_transceive_does(pcd: Pcd) -> None:
    pcd.bus.max_speed_hz = 10_000_000
    pcd.write(Reg.FIFO_DATA, 0x26)
    pcd.write(Reg.BIT_FRAMING, 0x07)
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.COMMAND, 0x04)
    pcd.clock.advance_ns(80_000)
    assert pcd.read(Reg.COM_IRQ)[0] & (TX_IRQ | IDLE_IRQ) == TX_IRQ | IDLE_IRQ
    pcd.write(Reg.COMMAND, 0x08)
    pcd.clock.advance_ns(400_000)
    assert pcd.read(Reg.COM_IRQ)[0] & RX_IRQ
    assert pcd.read(Reg.COMMAND, Reg.FIFO_DATA, Reg.FIFO_DATA) == [0, 0x44, 0x00]


@pytest.mark.usefixtures("sticker")
def test_a_receiver_switched_on_too_late_hears_nothing(pcd: Pcd) -> None:
    pcd.write(Reg.FIFO_DATA, 0x26)
    pcd.write(Reg.BIT_FRAMING, 0x07)
    pcd.write(Reg.COMMAND, 0x04)
    pcd.clock.advance_ns(250_000)
    pcd.write(Reg.COMMAND, 0x08)
    pcd.clock.advance_ns(1_000_000)
    assert pcd.read(Reg.FIFO_LEVEL, Reg.COMMAND) == [0, 0x08]


@pytest.mark.usefixtures("sticker")
def test_idle_in_the_middle_ends_the_reception(pcd: Pcd) -> None:
    pcd.send(b"\x26", last_bits=7)
    pcd.write(Reg.COMMAND, 0x00)
    pcd.clock.sleep(0.01)
    assert pcd.read(Reg.FIFO_LEVEL) == [0]
    assert not pcd.read(Reg.COM_IRQ)[0] & RX_IRQ


def test_writing_to_the_fifo_while_waiting_for_an_answer_is_an_error(pcd: Pcd) -> None:
    pcd.send(b"\x26", last_bits=7)
    pcd.clock.advance_ns(200_000)
    pcd.write(Reg.FIFO_DATA, 1)
    assert pcd.read(Reg.ERROR, Reg.FIFO_LEVEL) == [0x80, 0]
    assert pcd.read(Reg.COM_IRQ)[0] & ERR_IRQ
    pcd.write(Reg.COMMAND, 0x03)
    assert pcd.read(Reg.ERROR) == [0], "a new command clears the errors of the last"


@pytest.mark.usefixtures("sticker")
def test_the_chip_does_not_look_at_bcc_or_crc_unless_told(pcd: Pcd) -> None:
    pcd.field.noise = lambda _picc, frame: 0b11 if frame.length == 40 else 0
    pcd.call()
    reply = pcd.exchange(b"\x93\x20")
    assert reply.errors == 0
    assert reply.data[0] == 0x88 ^ 0b11


@pytest.mark.usefixtures("sticker")
def test_hardware_crc_is_added_and_checked_and_kept_out_of_the_fifo(pcd: Pcd) -> None:
    assert pcd.find() == UID
    pcd.write(Reg.TX_MODE, 0x80)
    pcd.write(Reg.RX_MODE, 0x80)
    reply = pcd.exchange(b"\x30\x00")
    assert (reply.errors, len(reply.data), reply.data[:3]) == (0, 16, UID[:3])
    pcd.field.noise = lambda _picc, _frame: 0b11
    assert pcd.exchange(b"\x30\x00").errors == 0x04


@pytest.mark.usefixtures("sticker")
def test_a_four_bit_answer_is_no_crc(pcd: Pcd) -> None:
    pcd.find()
    pcd.write(Reg.TX_MODE, 0x80)
    pcd.write(Reg.RX_MODE, 0x80)
    reply = pcd.exchange(b"\x30\xff")
    assert (reply.errors, reply.data, reply.last_bits) == (0x04, b"\x00", 4)


@pytest.mark.usefixtures("sticker")
def test_one_flipped_bit_is_a_parity_error(pcd: Pcd) -> None:
    pcd.field.noise = lambda _picc, _frame: 0b100
    reply = pcd.call()
    assert reply.errors == 0x02
    assert reply.irq & ERR_IRQ
    assert reply.data == b"\x40\x00"


@pytest.mark.usefixtures("sticker")
def test_a_lost_answer_is_silence_though_the_tag_has_answered(pcd: Pcd, sticker: Ntag) -> None:
    pcd.field.miss = lambda picc: picc is sticker
    assert pcd.call().is_silence
    assert sticker.state is PiccState.READY


def two_tags(pcd: Pcd, first: str, second: str) -> None:
    for uid in (first, second):
        pcd.field.enter(Picc(bytes.fromhex(uid), atqa=0x0004, sak=0x08))
    pcd.start()
    pcd.call()


@pytest.mark.parametrize(
    ("first", "second", "coll"),
    [
        ("01000000", "02000000", 1),
        ("01000000", "05000000", 3),
        ("80000000", "00000000", 8),
        ("00000001", "00000080", 25),
        ("00000080", "00000000", 0),  # CollPos 0 stands for 32
    ],
)
def test_the_first_collision_is_counted_from_one(first: str, second: str, coll: int) -> None:
    pcd = Pcd()
    two_tags(pcd, first, second)
    reply = pcd.exchange(b"\x93\x20")
    assert reply.errors == 0x08
    assert reply.coll == 0x80 | coll
    assert len(reply.data) == 5


def test_bits_after_a_collision_can_be_cleared() -> None:
    pcd = Pcd()
    two_tags(pcd, "03FF0102", "07FE0304")
    assert pcd.exchange(b"\x93\x20").data[:2] == b"\x07\xff"
    pcd.call()
    pcd.call()
    pcd.write(Reg.COLL, 0x00)
    reply = pcd.exchange(b"\x93\x20")
    assert reply.data == b"\x07\x00\x00\x00\x00"
    assert reply.coll == 0x03


@pytest.mark.parametrize(("collpos", "coll"), [("frame", 5), ("absolute", 13)])
def test_a_later_collision_is_counted_both_ways(collpos: str, coll: int) -> None:
    """Eleven bits are known, bits 8 to 10 of them in RxAlign; the thirteenth bit collides."""
    pcd = Pcd("absolute" if collpos == "absolute" else "frame")
    two_tags(pcd, "01070000", "01170000")
    reply = pcd.exchange(b"\x93\x33\x01\x07", last_bits=3, align=3)
    assert reply.coll & 0x1F == coll
    assert len(reply.data) == 4
    assert reply.last_bits == 0
    assert reply.data[0] & 0x07 == 0, "room for the bits the reader sent"


def test_without_a_collision_its_position_is_not_valid(pcd: Pcd) -> None:
    lay(pcd, Ntag(UID))
    assert pcd.call().coll == 0xA0


def test_a_collision_beyond_32_bits_has_no_position() -> None:
    pcd = Pcd()
    for uid in ("04112233445566", "04112233445577"):
        lay(pcd, Ntag(bytes.fromhex(uid)))
    pcd.start()
    pcd.call()
    reply = pcd.exchange_crc(b"\x30\x00")
    assert reply.errors & 0x08
    assert reply.coll & 0x20


def test_answers_shorter_than_four_bits_can_be_ignored(pcd: Pcd) -> None:
    class Twitch(Picc):
        def power_up(self) -> None:
            super().power_up()
            self._atqa = type(self._atqa)(0b101, 3)

    lay(pcd, Twitch(b"abcd", atqa=0, sak=0))
    assert pcd.call().last_bits == 3
    pcd.write(Reg.RX_MODE, 0x08)
    pcd.call()
    assert pcd.call().is_silence


@pytest.mark.usefixtures("sticker")
def test_a_receiver_for_many_frames_adds_its_errors_to_the_fifo(pcd: Pcd) -> None:
    pcd.write(Reg.RX_MODE, 0x04)
    pcd.field.noise = lambda _picc, _frame: 1
    reply = pcd.call()
    assert reply.data == b"\x45\x00\x02"
    assert pcd.read(Reg.STATUS2)[0] & 0x07 == 0b101


@pytest.mark.usefixtures("sticker")
def test_crc_added_to_a_short_frame_is_understood_by_nobody(pcd: Pcd) -> None:
    pcd.write(Reg.TX_MODE, 0x80)
    assert pcd.call().is_silence


# Authentication


def authenticate(pcd: Pcd, request: bytes) -> int:
    pcd.write(Reg.COMMAND, 0x00)
    pcd.write(Reg.FIFO_LEVEL, 0x80)
    pcd.write(Reg.COM_IRQ, 0x7F)
    pcd.write(Reg.FIFO_DATA, *request)
    pcd.write(Reg.COMMAND, 0x0E)
    pcd.clock.sleep(0.004)
    return pcd.read(Reg.COM_IRQ)[0]


def test_the_right_key_switches_the_cipher_on(pcd: Pcd) -> None:
    classic = lay(pcd, MifareClassic1K(b"\x12\x34\x56\x78", Random(1)))
    assert pcd.find() == classic.uid
    irq = authenticate(pcd, b"\x60\x04" + b"\xff" * 6 + classic.uid)
    assert irq & (IDLE_IRQ | TIMER_IRQ | RX_IRQ | TX_IRQ) == IDLE_IRQ
    assert pcd.read(Reg.STATUS2, Reg.COMMAND, Reg.ERROR) == [0x08, 0x00, 0x00]
    assert len(pcd.exchange_crc(b"\x30\x04").data) == 18
    pcd.write(Reg.STATUS2, 0x00)
    assert pcd.exchange_crc(b"\x30\x04").is_silence, "plain frames are noise to the tag"


@pytest.mark.parametrize(
    ("key", "uid"), [("FFFFFFFFFFFE", "12345678"), ("FFFFFFFFFFFF", "12345679")]
)
def test_a_wrong_key_or_uid_ends_in_silence_and_the_timer(pcd: Pcd, key: str, uid: str) -> None:
    lay(pcd, MifareClassic1K(b"\x12\x34\x56\x78"))
    pcd.find()
    irq = authenticate(pcd, b"\x60\x04" + bytes.fromhex(key + uid))
    assert irq & (IDLE_IRQ | TIMER_IRQ) == TIMER_IRQ
    assert pcd.read(Reg.STATUS2, Reg.COMMAND) == [0x00, 0x0E]


def test_a_tag_that_does_not_know_the_command_is_a_protocol_error(pcd: Pcd, sticker: Ntag) -> None:
    """An NTAG rejects the command 60h with a four-bit NAK."""
    pcd.find()
    irq = authenticate(pcd, b"\x60\x04" + b"\xff" * 6 + UID[:4])
    assert irq & (IDLE_IRQ | ERR_IRQ) == ERR_IRQ
    assert pcd.read(Reg.ERROR) == [0x01]
    assert sticker.state is PiccState.IDLE


def test_authentication_waits_for_its_twelve_bytes(pcd: Pcd) -> None:
    assert not authenticate(pcd, b"\x60\x04") & (IDLE_IRQ | ERR_IRQ)
    pcd.write(Reg.FIFO_DATA, 1)
    assert pcd.read(Reg.ERROR) == [0x80]


def test_software_can_clear_the_cipher_bit_but_not_set_it(pcd: Pcd) -> None:
    pcd.write(Reg.STATUS2, 0x48)
    assert pcd.read(Reg.STATUS2) == [0x40]


# CPU time


def test_a_lean_empty_poll_costs_little_of_the_hosts_time(pcd: Pcd) -> None:
    """A rehearsal polls thousands of times. A poll usually takes well under 300 us of CPU time."""
    for _ in range(20):
        pcd.call()
    start = process_time()
    for _ in range(200):
        pcd.call()
    assert (process_time() - start) / 200 < 0.001
    assert pcd.chip.read(Reg.COM_IRQ) & TIMER_IRQ
    assert pcd.chip._wake_ns == NEVER, "with nothing due, looking at a register is cheap"
