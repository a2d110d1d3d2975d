"""Tests of the emulated PN532, frame by frame, against its user manual (UM0701-02)."""

from random import Random

import pytest

from fakepi.clock import VirtualClock
from fakepi.desfire import Desfire
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.iso14443 import Frame, bits_reversed
from fakepi.mifare_classic import MifareClassic1K, value_block
from fakepi.ntag import Ntag
from fakepi.picc import Picc, PiccState
from fakepi.pn532 import (
    ACK,
    ACK_NS,
    COMMAND_NS,
    NACK,
    SYNTAX_ERROR,
    WAKE_NS,
    HostLink,
    Pn532,
    Pn532I2c,
    Pn532Spi,
    Pn532Uart,
    information_frame,
)

UID4 = bytes.fromhex("12345678")
UID7, OTHER_UID7 = bytes.fromhex("04A23B15C0FFEE"), bytes.fromhex("04A23B15C0FFEF")
FIRMWARE_FRAME = bytes.fromhex("0000FF06FAD50332010607E800")
KEY = b"\xff" * 6


class Host:
    """A host that sends commands over I2C and waits for the responses."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock)
        self.chip = Pn532(self.clock, self.field, chance=Random(1))
        self.port = Pn532I2c(self.chip)

    def read(self, wait_ns: int = 100_000_000) -> bytes | None:
        """Return the next frame, or None if none comes in *wait_ns*."""
        end_ns = self.clock.now_ns + wait_ns
        while self.port.read(1) == b"\0":
            if self.clock.now_ns >= end_ns:
                return None
            self.clock.advance_ns(100_000)
        read = self.port.read(300)
        length = read[4] if read[4:6] != b"\xff\xff" else int.from_bytes(read[6:8], "big") + 3
        return read[1 : 1 + (6 if read[4:6] == b"\x00\xff" else length + 7)]

    def tell(self, *content: int) -> bytes | None:
        """Send a command; return the data of the response, or None without one."""
        self.port.write(information_frame(bytes((0xD4, *content))))
        assert self.read() == ACK
        frame = self.read()
        if frame is None:
            return None
        assert frame[5:7] == bytes((0xD5, content[0] + 1))
        return frame[7:-2]

    def list_targets(self, most: int = 1, *uid: int) -> bytes | None:
        return self.tell(0x4A, most, 0x00, *uid)


@pytest.fixture
def host() -> Host:
    return Host()


# Frames: UM, 6.2.1


def test_a_frame_as_in_the_manual() -> None:
    assert information_frame(bytes.fromhex("D402")) == bytes.fromhex("0000FF02FED4022A00")
    assert information_frame(bytes.fromhex("D50332010607")) == FIRMWARE_FRAME
    long = information_frame(bytes(300))
    assert long[:8] == bytes.fromhex("0000FFFFFF012CD3")
    assert len(long) == 8 + 300 + 2


def test_a_command_is_acknowledged_and_then_answered(host: Host) -> None:
    host.port.write(bytes.fromhex("0000FF02FED4022A00"))
    assert host.port.read(7) == bytes(7)
    host.clock.advance_ns(ACK_NS)
    assert host.port.read(1) == b"\x01"
    assert host.port.read(7) == b"\x01" + ACK
    assert host.port.read(1) == b"\x00"
    host.clock.advance_ns(COMMAND_NS)
    assert host.port.read(20) == b"\x01" + FIRMWARE_FRAME + bytes(6)
    assert host.port.read(1) == b"\x00"


@pytest.mark.parametrize("frame", ["0000FF02FFD4022A00", "0000FF02FED4022B00"])
def test_a_wrong_checksum_gets_no_answer(host: Host, frame: str) -> None:
    host.port.write(bytes.fromhex(frame))
    assert host.read() is None
    assert host.tell(0x02) is not None


def test_an_extended_frame_is_understood(host: Host) -> None:
    host.port.write(bytes.fromhex("0000FFFFFF0002FED4022A00"))
    assert (host.read(), host.read()) == (ACK, FIRMWARE_FRAME)


def test_a_nack_asks_for_the_last_frame_again(host: Host) -> None:
    assert host.tell(0x02)
    host.port.write(NACK)
    assert host.read() == FIRMWARE_FRAME


def test_a_new_command_takes_the_place_of_the_one_before(host: Host) -> None:
    host.port.write(information_frame(bytes.fromhex("D414010000")))
    host.port.write(information_frame(bytes.fromhex("D402")))
    assert (host.read(), host.read(), host.read()) == (ACK, FIRMWARE_FRAME, None)


def test_a_nack_before_any_frame_gets_nothing(host: Host) -> None:
    host.port.write(NACK)
    assert host.port.read(1) == b"\0"


def test_a_new_command_keeps_the_chip_from_sleeping(host: Host) -> None:
    host.port.write(information_frame(bytes.fromhex("D41620")))
    host.clock.advance_ns(ACK_NS + COMMAND_NS)
    for _ in range(2):
        assert host.tell(0x02) is not None


def test_an_ack_stops_a_command(host: Host) -> None:
    host.port.write(information_frame(bytes.fromhex("D44A0100")))
    assert host.read() == ACK
    host.port.write(ACK)
    host.field.enter(Ntag(UID7))
    assert host.read(1_000_000_000) is None
    assert host.list_targets() is not None


@pytest.mark.parametrize(
    "content", ["D4FF", "D500", "D4", "D44A", "D44A0300", "D41405", "D4320299", "D440", "D4020000"]
)
def test_a_wrong_command_is_a_syntax_error(host: Host, content: str) -> None:
    host.port.write(information_frame(bytes.fromhex(content)))
    assert (host.read(), host.read()) == (ACK, SYNTAX_ERROR)


@pytest.mark.parametrize("content", ["D400", "D460", "D44A0101"])
def test_what_is_not_emulated_says_so(host: Host, content: str) -> None:
    with pytest.raises(NotImplementedError, match="PN532"):
        host.tell(*bytes.fromhex(content)[1:])


# Ports


def test_i2c_at_its_address_and_no_other(host: Host) -> None:
    bus = I2cBus(host.clock)
    bus.attach(host.port)
    bus.try_lock()
    bus.writeto(0x24, bytes.fromhex("0000FF02FED4022A00"))
    with pytest.raises(OSError, match="0x25"):
        bus.writeto(0x25, b"")


def test_spi_sends_the_low_bit_first_and_wakes_by_its_select(host: Host) -> None:
    port = Pn532Spi(host.chip)
    command = bits_reversed(b"\x01" + bytes.fromhex("0000FF02FED4022A00"))
    port.select()
    port.transfer(list(command), host.clock, 8_000)  # too early: the crystal is starting
    host.clock.advance_ns(WAKE_NS + ACK_NS)
    assert not host.chip.is_ready
    port.select()
    port.transfer(list(command), host.clock, 8_000)
    host.clock.advance_ns(ACK_NS)
    port.select()
    assert port.transfer([0x40, 0x00], host.clock, 8_000) == [0x00, 0x80]
    port.select()
    assert bytes(port.transfer([0xC0, *bytes(6)], host.clock, 8_000)) == b"\0" + bits_reversed(ACK)
    port.select()
    assert port.transfer([0x40, 0x00], host.clock, 8_000) == [0x00, 0x00]


def test_spi_goes_on_with_a_frame_that_was_read_in_part(host: Host) -> None:
    port = Pn532Spi(host.chip)
    host.chip.wake(HostLink.SPI)
    host.clock.advance_ns(WAKE_NS)

    def transfer(*values: int) -> bytes:
        port.select()
        sent = bits_reversed(bytes(values))
        return bits_reversed(bytes(port.transfer(list(sent), host.clock, 8_000)))

    transfer(0x01, *bytes.fromhex("0000FF02FED4022A00"))
    host.clock.advance_ns(ACK_NS)
    assert transfer(0x03, *bytes(3)) == b"\0" + ACK[:3]
    assert transfer(0x02, 0x00)[1] == 0x01
    host.clock.advance_ns(COMMAND_NS)  # now the response is ready too
    assert transfer(0x03, 0x00) == ACK[3:5]
    assert transfer(0x03, 0x00) == ACK[5:] + FIRMWARE_FRAME[:1]
    assert transfer(0x03, *bytes(4)) == FIRMWARE_FRAME[1:6]
    transfer(0x01, *bytes.fromhex("0000FF02FED4022A00"))  # a new command drops the rest
    assert transfer(0x02, 0x00)[1] == 0x00


def test_uart_loses_what_comes_before_it_is_awake(host: Host) -> None:
    port = Pn532Uart(host.chip, timeout=0.05)
    port.write(bytes.fromhex("0000FF02FED4022A00"))
    assert port.read(6) is None
    port.write(bytes.fromhex("0000FF02FED4022A00"))
    assert port.read(6) == ACK
    assert port.in_waiting == 0
    assert port.read(100) == FIRMWARE_FRAME


def test_uart_bytes_take_their_time(host: Host) -> None:
    port = Pn532Uart(host.chip)
    port.write(b"\x55" + bytes(6))
    port.write(bytes.fromhex("0000FF02FED4022A"))
    host.clock.advance_ns(ACK_NS)
    assert port.in_waiting == 0
    host.clock.advance_ns(3 * 10 * 1_000_000_000 // 115_200)
    assert port.in_waiting == 3
    port.reset_input_buffer()
    assert port.read(3) == ACK[3:]


def test_uart_sends_a_frame_after_the_end_of_the_one_before(host: Host) -> None:
    """The response is ready 500 us after the ACK, whose six bytes take 521 us."""
    port = Pn532Uart(host.chip)
    port.write(b"\x55" + bytes(6))
    port.write(bytes.fromhex("0000FF02FED4022A"))
    host.clock.advance_ns(ACK_NS + COMMAND_NS)
    assert port.in_waiting == 5
    host.clock.advance_ns(100_000)
    assert port.in_waiting == 6
    host.clock.advance_ns(10_000)
    assert port.in_waiting == 7


# Power: UM, 7.2.11


def test_a_chip_that_starts_awake_misses_nothing() -> None:
    clock = VirtualClock()
    port = Pn532Uart(Pn532(clock, RfField(clock), starts_asleep=False), timeout=0.05)
    port.write(bytes.fromhex("0000FF02FED4022A00"))
    assert port.read(6) == ACK


@pytest.mark.parametrize(("wake_up", "is_woken"), [(0x80, True), (0x30, False)])
def test_power_down_ends_by_an_enabled_link_alone(wake_up: int, is_woken: bool) -> None:
    host = Host()
    host.field.switch(True)
    assert host.tell(0x16, wake_up) == b"\x00"
    assert not host.field.is_on
    assert host.port.present is is_woken
    host.port.write(information_frame(bytes.fromhex("D402")))
    assert host.read() == (ACK if is_woken else None)
    host.chip.reset_pin(False)
    assert not host.port.present
    host.chip.reset_pin(True)
    assert host.tell(0x02) is not None


def test_power_down_forgets_the_targets(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    host.list_targets()
    host.tell(0x16, 0x80)
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x27"


def test_the_irq_pin_is_low_while_a_frame_waits(host: Host) -> None:
    assert host.chip.irq_pin
    host.port.write(information_frame(bytes.fromhex("D402")))
    host.clock.advance_ns(ACK_NS)
    assert not host.chip.irq_pin
    host.port.read(7)
    assert host.chip.irq_pin


# Targets: UM, 7.3


def test_a_target_is_listed_with_atqa_sak_and_uid(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    assert host.list_targets() == bytes.fromhex("01 01 0044 00 07") + UID7


def test_a_desfire_is_listed_by_its_uid(host: Host) -> None:
    host.field.enter(Desfire(UID7))
    assert host.list_targets() == bytes.fromhex("01 01 0344 20 07") + UID7
    assert host.tell(0x40, 1, 0xE0, 0x80) == b"\x01"  # RATS: no answer


def test_without_retries_an_empty_field_is_reported(host: Host) -> None:
    assert host.tell(0x32, 0x05, 0xFF, 0x01, 0x02) == b""
    before = host.clock.now_ns
    assert host.list_targets() == b"\x00"
    assert host.clock.now_ns - before > 15_000_000  # the guard time and two retries


def test_without_retries_a_tag_that_stays_is_seen_every_second_time(host: Host) -> None:
    """A selected tag takes the first WUPA for an error, and is idle again."""
    host.field.enter(Ntag(UID7))
    assert host.tell(0x32, 0x05, 0xFF, 0x01, 0x00) == b""
    assert [(host.list_targets() or b"")[:1] for _ in range(4)] == [b"\x01", b"\x00"] * 2


def test_of_tags_that_collide_the_one_with_the_1_is_selected_by_six_frames(host: Host) -> None:
    """WUPA; ANTICOLLISION and SELECT of level 1; level 2 with one more for the collision."""
    frames = []

    def listen(picc: Picc, frame: Frame) -> int:
        frames.append((picc.uid, frame.length))
        return 0

    for uid in (UID7, OTHER_UID7):  # they differ in the first bit of the last byte
        host.field.enter(Ntag(uid))
    host.field.command_noise = listen
    assert host.list_targets() == bytes.fromhex("01 01 0044 00 07") + OTHER_UID7
    assert [length for uid, length in frames if uid == OTHER_UID7] == [7, 16, 72, 16, 41, 72]


def test_a_uid_with_a_wrong_check_byte_is_not_listed(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    host.field.noise = lambda picc, frame: 0b11 if frame.length == 40 else 0
    host.tell(0x32, 0x05, 0xFF, 0x01, 0x02)
    assert host.list_targets() == b"\x00"


def test_two_targets_are_listed_and_both_can_be_read(host: Host) -> None:
    for uid in (UID7, OTHER_UID7):
        host.field.enter(Ntag(uid))
    listed = host.list_targets(2)
    assert listed is not None
    assert listed[0] == 2
    uids = {number: listed[12 * number - 6 : 12 * number + 1] for number in (1, 2)}
    assert sorted(uids.values()) == [UID7, OTHER_UID7]
    for number in (1, 2, 1):
        read = host.tell(0x40, number, 0x30, 0x00)
        assert read is not None
        assert read[:4] + read[5:9] == b"\x00" + uids[number]


def test_a_wanted_uid_alone_is_listed(host: Host) -> None:
    for uid in (UID7, OTHER_UID7):
        host.field.enter(Ntag(uid))
    for uid in (UID7, OTHER_UID7):
        assert host.list_targets(1, 0x88, *uid[:3], *uid[3:]) == b"\x01\x01\x00\x44\x00\x07" + uid
    host.tell(0x32, 0x05, 0xFF, 0x01, 0x01)
    assert host.list_targets(1, 0x88, *UID7[:3], 1, 2, 3, 4) == b"\x00"


def test_a_released_target_is_halted_and_unknown(host: Host) -> None:
    tag = Ntag(UID7)
    host.field.enter(tag)
    host.list_targets()
    assert host.tell(0x52, 0x01) == b"\x00"
    assert tag.state is PiccState.HALT
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x27"
    assert host.tell(0x44, 0x01) == b"\x27"
    assert host.list_targets() is not None


def test_a_deselected_target_is_selected_again(host: Host) -> None:
    tag = Ntag(UID7)
    host.field.enter(tag)
    host.list_targets()
    states = []
    for command in (0x44, 0x54):
        assert host.tell(command, 0x01) == b"\x00"
        states.append(tag.state)
    assert states == [PiccState.HALT, PiccState.ACTIVE]
    host.field.leave(tag)
    host.tell(0x44, 0x01)
    assert host.tell(0x54, 0x01) == b"\x01"
    assert host.tell(0x54, 0x02) == b"\x27"


def test_the_status_counts_the_targets(host: Host) -> None:
    assert host.tell(0x04) == bytes(4)
    host.field.enter(Ntag(UID7))
    host.list_targets()
    assert host.tell(0x04) == bytes.fromhex("00 01 01 01000010 00")


def test_a_command_of_the_tag_goes_through(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    host.list_targets()
    assert host.tell(0x42, 0x60) == bytes.fromhex("00 0004040201000F03")
    assert host.tell(0x42, 0x61) == b"\x13"  # the tag's NAK
    assert host.tell(0x42, 0x60) == b"\x01"  # after which it is silent


def test_a_tag_that_left_is_a_time_out(host: Host) -> None:
    tag = Ntag(UID7)
    host.field.enter(tag)
    host.list_targets()
    host.field.leave(tag)
    before = host.clock.now_ns
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x01"
    assert host.clock.now_ns - before > 51_200_000  # fRetryTimeout after reset
    assert host.tell(0x32, 0x02, 0x00, 0x0B, 0x01) == b""
    before = host.clock.now_ns
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x01"
    assert host.clock.now_ns - before < 10_000_000


def test_errors_on_the_air_have_their_codes(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    host.list_targets()
    host.field.noise = lambda picc, frame: 0b11  # an even number of bits: right parity, wrong CRC
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x02"
    host.field.noise = lambda picc, frame: 0b1
    assert host.tell(0x40, 0x01, 0x30, 0x00) == b"\x03"


def test_an_authentication_needs_key_and_uid(host: Host) -> None:
    host.field.enter(MifareClassic1K(UID4))
    for key, uid, status in (
        (KEY, UID4, b"\x00"),
        (b"\0" * 6, UID4, b"\x14"),
        (KEY, b"\0" * 4, b"\x14"),
    ):
        assert host.list_targets() == bytes.fromhex("01 01 0004 08 04") + UID4
        assert host.tell(0x40, 0x01, 0x60, 0x04, *key, *uid) == status


def test_a_write_without_authentication_is_refused(host: Host) -> None:
    host.field.enter(MifareClassic1K(UID4))
    host.list_targets()
    assert host.tell(0x40, 0x01, 0xA0, 0x04, *bytes(16)) == b"\x13"


def test_a_value_that_does_not_fit_is_refused(host: Host) -> None:
    card = MifareClassic1K(UID4)
    card.memory[64:80] = value_block(2**31 - 1)
    host.field.enter(card)
    host.list_targets()
    host.tell(0x40, 0x01, 0x60, 0x04, *KEY, *UID4)
    assert host.tell(0x40, 0x01, 0xC0, 0x04, 1, 0, 0, 0) == b"\x00"
    assert host.tell(0x40, 0x01, 0xC1, 0x04, 1, 0, 0, 0) == b"\x13"


def test_a_write_of_a_missing_page_is_refused(host: Host) -> None:
    host.field.enter(Ntag(UID7))
    host.list_targets()
    assert host.tell(0x40, 0x01, 0xA2, 0xE0, *bytes(4)) == b"\x13"


def test_the_field_is_switched_by_the_host(host: Host) -> None:
    assert host.tell(0x32, 0x01, 0x01) == b""
    assert host.field.is_on
    assert host.tell(0x32, 0x01, 0x00) == b""
    assert not host.field.is_on
