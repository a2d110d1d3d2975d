"""Tests of the trace of a PN532: commands and responses have their names."""

from collections.abc import Callable

import pytest

from fakepi import Classic1K, ExactPhysics, FakePi, Ntag213
from fakepi.iso14443 import bits_reversed
from fakepi.pn532 import ACK, NACK, information_frame
from fakepi.trace_pn532 import decode_pn532_i2c, decode_pn532_uart

UID = "04:A1:B2:C3:D4:E5:F6"
LIST = information_frame(b"\xd4\x4a\x01\x00")
LISTED = f"target 1 with UID {UID}, ATQA 00 44, SAK 00h"


def over_i2c(pi: FakePi, frame: bytes, size: int) -> None:
    bus = pi.i2c(1)
    bus.try_lock()
    bus.writeto(0x24, frame)
    for count in (6, size):
        status = bytearray(1)
        while not status[0]:
            bus.readfrom_into(0x24, status)
        bus.readfrom_into(0x24, bytearray(1 + count))


def over_spi(pi: FakePi, frame: bytes, size: int) -> None:
    device = pi.spi(0, 0)

    def transfer(*values: int) -> bytes:
        return bits_reversed(bytes(device.xfer2(list(bits_reversed(bytes(values))))))

    transfer(0x02, 0x00)
    pi.clock.advance(0.001)  # awake
    transfer(0x01, *frame)
    for count in (6, size):
        while not transfer(0x02, 0x00)[1]:
            pass
        transfer(0x03, *bytes(count))


def over_uart(pi: FakePi, frame: bytes, size: int) -> None:
    uart = pi.uart("serial0")
    uart.write(b"\x55" * 16)
    uart.write(frame)
    for count in (6, size):
        uart.read(count)


@pytest.mark.parametrize(
    ("wiring", "act"),
    [
        ({"i2c": {"1.0x24": "pn532"}}, over_i2c),
        ({"spi": {"0.0": "pn532"}}, over_spi),
        ({"uart": {"serial0": "pn532"}}, over_uart),
    ],
)
def test_a_list_of_targets_is_in_words(
    wiring: dict[str, dict[str, str]], act: Callable[[FakePi, bytes, int], None]
) -> None:
    pi = FakePi(wiring, physics=ExactPhysics())
    pi.field.lay(Ntag213(UID))
    act(pi, LIST, 22)
    trace = "\n".join(line.split(" ms  ")[1] for line in pi.trace.lines())
    place = next(iter(wiring)) + " " + next(iter(next(iter(wiring.values()))))
    for words in ("InListPassiveTarget 01 00", "ACK", f"InListPassiveTarget: {LISTED}"):
        assert f"{place:<9} {words}\n" in f"{trace}\n"
    if act is not over_uart:
        assert f"{place:<9} busy  (" in trace
        assert f"{place:<9} ready" in trace


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("D4 02", "GetFirmwareVersion"),
        ("D5 03 32 01 06 07", "GetFirmwareVersion: version 1.6 (32 01 06 07)"),
        ("D4 14 01 00 01", "SAMConfiguration 01 00 01"),
        ("D5 15", "SAMConfiguration: done"),
        ("D5 4B 00", "InListPassiveTarget: no target"),
        ("D4 40 01 30 04", "InDataExchange target 1, READ 4: 30 04"),
        ("D5 41 00" + "11" * 20, "InDataExchange: OK, " + " ".join(["11"] * 20)),
        ("D5 41 01", "InDataExchange: time out"),
        ("D5 41 14", "InDataExchange: authentication failed"),
        ("D5 41 2B", "InDataExchange: error 2Bh"),
        ("D4 42 1B 01", "InCommunicateThru 1B 01"),
        ("D4 77", "command 77h"),
        ("7F", "syntax error"),
    ],
)
def test_a_frame_has_its_name(content: str, words: str) -> None:
    assert decode_pn532_uart(information_frame(bytes.fromhex(content)), b"") == words


def test_two_targets_are_both_named() -> None:
    records = bytes.fromhex("02 01 0044 00 07 04A1B2C3D4E5F6 02 0004 08 04 DEADBEEF")
    words = decode_pn532_uart(b"", information_frame(b"\xd5\x4b" + records))
    assert words == (
        f"InListPassiveTarget: {LISTED}; target 2 with UID DE:AD:BE:EF, ATQA 00 04, SAK 08h"
    )


@pytest.mark.parametrize(
    ("sent", "received", "words"),
    [
        (ACK, b"", "ACK"),
        (NACK, b"", "NACK"),
        (b"", b"\x00", "busy"),
        (b"", bytes(20), "busy"),
        (b"", b"\x01", "ready"),
        (b"", b"\x01" + ACK, "ACK"),
        (b"", b"\x01" + LIST[:5], "ready, read 00 00 FF 04 FC"),
        (LIST[:5], b"", "sent 00 00 FF 04 FC"),
        (b"", b"", "address only"),
    ],
)
def test_the_status_and_parts_of_frames_are_told_apart(
    sent: bytes, received: bytes, words: str
) -> None:
    assert decode_pn532_i2c(sent, received) == words


def test_a_probe_without_bytes_is_named() -> None:
    pi = FakePi()
    pi.field.lay(Classic1K("A1:B2:C3:D4"))
    bus = pi.i2c(1)
    bus.try_lock()
    with pytest.raises(OSError, match="acknowledged"):
        bus.writeto(0x24, b"")
    assert "i2c 1.0x24 address only REFUSED: [Errno 121]" in pi.trace.lines()[-1]
