"""Tests of the bus trace: bytes in the words of the data sheets."""

import pytest

from fakepi import Classic1K, FakePi
from fakepi.clock import VirtualClock
from fakepi.field import Received
from fakepi.iso14443 import HLTA, REQA, WUPA, Frame
from fakepi.mfrc522 import Reg
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.trace import (
    BusTrace,
    answer_words,
    decode_display,
    decode_mfrc522,
    frame_words,
    register_name,
)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (Reg.COM_IRQ, "ComIrqReg"),
        (Reg.FIFO_DATA, "FIFODataReg"),
        (Reg.TX_ASK, "TxASKReg"),
        (Reg.RF_CFG, "RFCfgReg"),
        (Reg.T_RELOAD_H, "TReloadRegH"),
        (Reg.CRC_RESULT_L, "CRCResultRegL"),
        (0x00, "reserved register 00h"),
    ],
)
def test_registers_have_the_names_of_the_data_sheet(address: int, name: str) -> None:
    assert register_name(address) == name


@pytest.mark.parametrize(
    ("sent", "received", "words"),
    [
        ("020C", "0000", "write CommandReg = 0Ch (Transceive)"),
        ("9200", "0003", "read FIFODataReg = 03h"),
        ("12 26 00", "000000", "write FIFODataReg = 26 00"),
        ("929200", "000400", "read FIFODataReg = 04 00"),
        ("888C00", "001400", "read ComIrqReg = 14h, ErrorReg = 00h"),
    ],
)  # fmt: skip
def test_a_transfer_to_the_reader_is_registers(sent: str, received: str, words: str) -> None:
    assert decode_mfrc522(bytes.fromhex(sent), bytes.fromhex(received)) == words


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("00AF", "AFh (display on)"),
        ("0021007F", "21h 00 7Fh (columns)"),
        ("80818010", "81h 10h (contrast)"),
        ("00B30F", "B3h (page 3), 0Fh (column, low half)"),
        ("40000000", "3 data bytes"),
    ],
)
def test_a_write_to_the_display_is_commands_and_data(sent: str, words: str) -> None:
    assert decode_display(Ssd1306Chip())(bytes.fromhex(sent), b"") == words


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (REQA, "REQA"),
        (WUPA, "WUPA"),
        (Frame.of(bytes((0x93, 0x20))), "ANTICOLLISION, level 1, 0 bits known"),
        (Frame.with_crc(bytes.fromhex("957004A1B2C3D4")), "SELECT, level 2: 04 A1 B2 C3"),
        (Frame.with_crc(HLTA), "HLTA"),
        (Frame.with_crc(bytes((0x30, 0x04))), "READ 4: 30 04"),
        (Frame.with_crc(b"\x1b\x01\x02"), "1B 01 02 and CRC"),
        (Frame.of(b"\x01\x02"), "01 02"),
    ],
)
def test_a_frame_has_a_name(frame: Frame, words: str) -> None:
    assert frame_words(frame) == words


@pytest.mark.parametrize(
    ("transfers", "lines"),
    [
        (
            ("0020", "0000", "00AF"),
            (
                "20h (addressing mode)",
                "00h (argument of 20h, addressing mode)",
                "AFh (display on)",
            ),
        ),
        (
            ("0021", "0000", "007FAE"),
            (
                "21h (columns)",
                "00h (argument of 21h, columns)",
                "7Fh (argument of 21h, columns), AEh (display off)",
            ),
        ),
    ],
)
def test_an_argument_in_a_transfer_of_its_own_is_no_command(
    transfers: tuple[str, ...], lines: tuple[str, ...]
) -> None:
    pi = FakePi()
    bus = pi.i2c(1)
    bus.try_lock()
    for transfer in transfers:
        bus.writeto(0x3C, bytes.fromhex(transfer))
    assert [line.split("0x3C ")[1] for line in pi.trace.lines()] == list(lines)


def test_an_answer_says_where_tags_collide() -> None:
    collided = Received(bits=0x0044, length=16, delay_fc=1236, collisions=0b1000)
    assert answer_words(collided) == "44 00, first collision at bit 4"
    assert answer_words(Received(0xA, 4, 1236)) == "0A (4 bits)"
    assert answer_words(None) == "no answer"


def test_what_repeats_is_counted_and_what_is_old_is_dropped() -> None:
    trace = BusTrace(VirtualClock(), kept=2)
    for value in (0, 1, 2, 2, 2):
        trace.add("spi 0.0", decode_mfrc522, bytes((2, value)), bytes(2))
    assert [line.split(" ms  ")[1] for line in trace.lines()] == [
        "spi 0.0   write CommandReg = 01h (Mem)",
        "spi 0.0   write CommandReg = 02h (GenerateRandomId)  (3 times)",
    ]
    assert len(trace.lines(limit=1)) == 1
    assert str(trace).startswith("(the last 2 of 3 lines; fakepi.trace.lines() has the last 2)")
    trace.clear()
    assert str(trace) == ""


def test_the_trace_of_a_pi_has_the_bus_the_air_and_the_pins() -> None:
    pi = FakePi()
    card = Classic1K("A1:B2:C3:D4")
    pi.field.lay(card)
    device = pi.spi(0, 0)
    for register, value in ((0x15, 0x40), (0x14, 0x83)):
        device.xfer2([register << 1, value])
    pi.clock.advance(0.01)
    for register, value in ((0x09, 0x26), (0x01, 0x0C), (0x0D, 0x87)):
        device.xfer2([register << 1, value])
    pi.pins[17].press()
    pi.pins[18].drive(1)
    pi.fault("noise", "0.0")
    pi.repair("noise")
    pi.field.lift(card)
    events = [line.split(" ms  ")[1] for line in pi.trace.lines()]
    assert events[0] == "field 0.0 tag A1:B2:C3:D4 laid"
    # The cause comes first. GPIO17 was low before.
    assert events[-7:] == [
        "spi 0.0   write CommandReg = 0Ch (Transceive)",
        "spi 0.0   write BitFramingReg = 87h",
        "air 0.0   REQA -> 04 00",
        "GPIO18    high",
        "fault     noise 0.0",
        "repair    noise",
        "field 0.0 tag A1:B2:C3:D4 lifted",
    ]


def test_a_refused_transaction_is_in_the_trace() -> None:
    pi = FakePi()
    bus = pi.i2c(1)
    bus.try_lock()
    with pytest.raises(OSError, match="acknowledged"):
        bus.writeto(0x20, b"\x01")
    assert "i2c 1.0x20 sent 01 REFUSED: [Errno 121]" in str(pi.trace)
