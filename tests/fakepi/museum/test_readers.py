"""The museum's rooms about reader chips and tags."""

from functools import partial
from random import Random
from typing import Any

import pytest

from fakepi.mfrc522 import SELF_TEST_RESULTS, Command, Mfrc522, Reg
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import Picc, PiccState
from fakepi.spi import SharedSpi, SpiDevice
from fakepi.standins import replace_libraries
from tests.fakepi.museum.drivers import (
    HLTA,
    SelectedDevice,
    lay,
    library,
    neighbour,
    soft_reset,
    switch_field_off_and_on,
)
from tests.fakepi.pcd import REQA, WUPA, Pcd, Reply

STICKER, CARD, OTHER = bytes.fromhex("04A1B2C3D4E5F6"), b"\xa1\xb2\xc3\xd4", b"\x01\x02\x03\x04"
CARD_NUMBER = int.from_bytes(CARD + b"\x04")  # of mfrc522: the UID and its check byte
FACTORY_KEY, WRONG_KEY = [0xFF] * 6, [0x00] * 6
EMPTY_POLL = 2013  # transfers of mfrc522
MAX_GAIN = 0x70  # RFCfgReg
pytestmark = pytest.mark.filterwarnings(
    "ignore:Bitwise inversion '~' on bool:DeprecationWarning"  # of mfrc522, Python 3.12 and later
)


def card(uid: bytes = CARD) -> MifareClassic1K:
    return MifareClassic1K(uid)


def test_seven_byte_uid_cut() -> None:
    alike = STICKER[:3] + b"\x01\x02\x03\x04"
    numbers = []
    for uid in (STICKER, alike):
        with library(lay(Ntag(uid))) as reader:
            numbers.append(reader.read_id_no_block())
    assert numbers == [0x8804A1B29F] * 2
    assert [lay(Ntag(uid)).find() for uid in (STICKER, alike)] == [STICKER, alike]


def test_check_byte_in_the_uid() -> None:
    with library(lay(card())) as reader:
        assert reader.read_id_no_block() == CARD_NUMBER != int.from_bytes(CARD)
    assert lay(card()).find() == CARD


def test_two_cards_are_no_card() -> None:
    with library(lay(card(), card(OTHER))) as reader:
        assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4
    assert sorted(lay(card(), card(OTHER)).inventory()) == sorted((CARD, OTHER))


def test_every_second_poll_empty() -> None:
    with library(lay(card())) as reader:
        assert [reader.read_id_no_block() for _ in range(4)] == [CARD_NUMBER, None] * 2
    assert wake_and_halt(lay(card()), 4) == [CARD] * 4


def wake_and_halt(pcd: Pcd, polls: int) -> list[bytes | None]:
    """Poll with WUPA and leave a found tag in HALT; return what each poll found."""
    found = []
    for _ in range(polls):
        found.append(pcd.find(WUPA))
        if found[-1] is not None:
            pcd.halt()
    return found


def test_garbled_answer_taken_for_removal() -> None:
    tag = card()
    pcd = lay(tag)
    pcd.field.noise = lambda _, frame: 1 << frame.length  # breaks the parity of the first byte
    replies = [heartbeat(pcd) for _ in range(5)]
    assert all(reply.is_silence or reply.errors for reply in replies)  # "removed", says the bug
    assert not any(reply.is_silence for reply in replies)  # a driver that counts silence knows
    pcd.field.leave(tag)
    assert heartbeat(pcd).is_silence


def heartbeat(pcd: Pcd) -> Reply:
    """Wake the tag, return its answer, and send it back to where it was."""
    reply = pcd.call(WUPA)
    pcd.exchange_crc(HLTA)
    return reply


def test_halted_card_invisible_for_ever() -> None:
    pcd = lay(card())
    assert wake_and_halt(pcd, 1) == [CARD]
    assert [pcd.find(REQA) for _ in range(10)] == [None] * 10  # after a supposed removal
    switch_field_off_and_on(pcd)
    assert pcd.find(REQA) == CARD


def test_uid_on_another_reader() -> None:
    """The tag lies on the left antenna; the right one hears it in 3 of 10 polls."""
    tag, chance = card(), Random(26)
    left = lay(tag)
    right = neighbour(left)
    is_heard = False
    right.field.enter(tag, lambda _: not is_heard)
    seen = {"left": 0, "right": 0}
    for _ in range(40):
        is_heard = chance.random() < 0.3
        seen["left"] += poll_alone(left, right) == CARD
        seen["right"] += poll_alone(right, left) == CARD
    assert 0 < seen["right"] < seen["left"]  # a driver that believes each sighting has two cards
    assert max(seen, key=seen.__getitem__) == "left"  # one that compares them has one


def poll_alone(pcd: Pcd, other: Pcd) -> bytes | None:
    """Find a tag while only the field of *pcd* is on."""
    other.write(Reg.TX_CONTROL, 0x80)
    switch_field_off_and_on(pcd)
    return pcd.find()


def test_gain_stuck() -> None:
    pcd = Pcd()
    pcd.chip = Mfrc522(pcd.clock, pcd.field, has_fixed_gain=True)
    pcd.bus = SpiDevice(pcd.chip, pcd.clock)
    pcd.write(Reg.RF_CFG, MAX_GAIN)  # a driver that does not read it back believes in 48 dB
    assert pcd.read(Reg.RF_CFG) == [0x48]  # 33 dB; one that reads it back knows
    sound = Pcd()
    sound.write(Reg.RF_CFG, MAX_GAIN)
    assert sound.read(Reg.RF_CFG)[0] & MAX_GAIN == MAX_GAIN


def test_brown_out_nobody_notices() -> None:
    pcd = lay(card())
    with library(pcd) as reader:
        assert reader.read_id_no_block() == CARD_NUMBER
        pcd.chip.brown_out()
        pcd.clock.sleep(0.01)
        assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4
    assert watched_find(pcd) == CARD


def watched_find(pcd: Pcd) -> bytes | None:
    """Set the chip up again if it lost its settings; then find a tag."""
    if not pcd.read(Reg.TX_CONTROL)[0] & 0x03:
        pcd.start()
    return pcd.find()


def test_call_before_the_tag_is_awake() -> None:
    pcd = lay(card())
    for _ in range(10):
        soft_reset(pcd)
        set_up_in_haste(pcd)
        assert pcd.call().is_silence
        pcd.clock.sleep(0.1)
    soft_reset(pcd)
    pcd.start()  # waits for 5 ms
    assert pcd.find() == CARD


def set_up_in_haste(pcd: Pcd) -> None:
    """Set the chip up and switch the field on, without a wait for the tags."""
    for register, value in (
        (Reg.T_MODE, 0x80),
        (Reg.T_PRESCALER, 0xA9),
        (Reg.T_RELOAD_L, 19),
        (Reg.TX_ASK, 0x40),
        (Reg.TX_CONTROL, 0x83),
    ):
        pcd.write(register, value)


def test_second_key_always_wrong() -> None:
    with library(lay(card())) as reader:
        chip = reader.READER
        uid = select(reader)
        auth = partial(chip.MFRC522_Auth, chip.PICC_AUTHENT1A, 11)
        assert auth(WRONG_KEY, uid) != chip.MI_OK
        assert auth(FACTORY_KEY, uid) != chip.MI_OK  # the right key, but the card no longer listens
        assert auth(FACTORY_KEY, select(reader)) == chip.MI_OK


def select(reader: Any) -> list[int]:
    """Find and select a card with the low-level functions of mfrc522; return its UID."""
    chip = reader.READER
    chip.MFRC522_Request(chip.PICC_REQIDL)
    _, uid = chip.MFRC522_Anticoll()
    chip.MFRC522_SelectTag(uid)
    return list(uid)


@pytest.mark.parametrize("stops", [False, True])
def test_encryption_left_on(stops: bool) -> None:
    first = card()
    pcd = lay(first)
    with library(pcd) as reader:
        chip = reader.READER
        assert chip.MFRC522_Auth(chip.PICC_AUTHENT1A, 11, FACTORY_KEY, select(reader)) == chip.MI_OK
        if stops:
            chip.MFRC522_StopCrypto1()
        pcd.field.leave(first)
        pcd.field.enter(card(OTHER))
        pcd.clock.sleep(0.005)
        found = [reader.read_id_no_block() for _ in range(4)]
    number = int.from_bytes(OTHER + b"\x04")
    assert found == ([number, None] * 2 if stops else [None] * 4)


@pytest.mark.parametrize("stops_first", [True, False])
def test_halt_in_clear(stops_first: bool) -> None:
    tag = card()
    with library(lay(tag)) as reader:
        chip = reader.READER
        assert chip.MFRC522_Auth(chip.PICC_AUTHENT1A, 11, FACTORY_KEY, select(reader)) == chip.MI_OK
        if stops_first:
            chip.MFRC522_StopCrypto1()
        halt = [*HLTA, *chip.CalulateCRC(list(HLTA))]
        chip.MFRC522_ToCard(chip.PCD_TRANSCEIVE, halt)
        if not stops_first:
            chip.MFRC522_StopCrypto1()
    assert tag.state is (PiccState.IDLE if stops_first else PiccState.HALT)


def test_bits_after_a_collision() -> None:
    """The UIDs differ in bits 1 and 4. The driver chooses the tag that sends 1 in bit 1."""
    uids = (b"\x01" + CARD[1:], b"\x08" + CARD[1:])
    keeps, clears = (lay(*[Picc(uid, atqa=0x0004, sak=0x08) for uid in uids]) for _ in range(2))
    keeps.write(Reg.COLL, 0x80)  # the reset value: bits after a collision stay in the FIFO
    assert anticollide(keeps) == b"\x09" + CARD[1:]  # a UID that no tag has
    clears.write(Reg.COLL, 0x00)
    assert anticollide(clears) == uids[0]


def anticollide(pcd: Pcd) -> bytes:
    """Resolve one collision by a 1, and put the two answers together with OR; return the UID."""
    pcd.call()
    reply = pcd.exchange(b"\x93\x20")
    position = reply.coll & 0x1F
    whole, rest = divmod(position, 8)
    known = reply.data[: (position + 7) // 8]
    header = bytes((0x93, (2 + whole) << 4 | rest))
    reply = pcd.exchange(header + known, last_bits=rest, align=rest)
    answer = int.from_bytes(reply.data, "little") << 8 * whole
    return (answer | int.from_bytes(known, "little")).to_bytes(5, "little")[:4]


def test_serial_port_taken_for_reset() -> None:
    pcd = Pcd()
    with replace_libraries({(0, 0): pcd.bus}) as gpio:
        from mfrc522 import MFRC522

        gpio.setmode(gpio.BCM)
        MFRC522()
        assert gpio.calls[1] == ("setup", 15, gpio.OUT)  # BCM 15 is RXD of the serial port
        MFRC522(pin_rst=25)
        assert gpio.calls[3] == ("setup", 25, gpio.OUT)


def test_timer_ignored() -> None:
    pcd = Pcd()
    with library(pcd) as reader:
        before = pcd.bus.transfers
        assert reader.read_id_no_block() is None
        assert pcd.bus.transfers - before == EMPTY_POLL
    good = lay()
    before, began = good.bus.transfers, good.clock.now()
    assert good.call().is_silence
    assert good.bus.transfers - before < 60
    assert good.clock.now() - began < 0.002


def test_first_byte_88h() -> None:
    uid = b"\x88\x77\x66\x55"
    tag = Picc(uid, atqa=0x0004, sak=0x08)
    assert find_by_first_byte(lay(tag)) is None
    assert lay(tag).find() == uid  # Pcd obeys the SAK
    assert find_by_first_byte(lay(card())) == CARD


def find_by_first_byte(pcd: Pcd) -> bytes | None:
    """Find a tag; take the first byte 88h, not the SAK, as the sign of a longer UID."""
    pcd.call()
    part = pcd.exchange(b"\x93\x20").data
    pcd.exchange_crc(b"\x93\x70" + part)
    if part[0] != 0x88:
        return part[:4]
    reply = pcd.exchange(b"\x95\x20")
    return None if reply.is_silence else part[1:4] + reply.data[:4]


def test_miso_not_released() -> None:
    """The neighbour is not selected; what it does with MISO decides if our card is seen."""
    for keeps_miso, finds, version in ((None, CARD_NUMBER, 0x92), (0x00, None, 0x00)):
        pcd = lay(card())
        shared = SharedSpi(pcd.clock)
        other, own = (shared.attach(chip) for chip in (neighbour(pcd).chip, pcd.chip))
        other.drive(1)
        other.keeps_miso = keeps_miso
        pcd.bus = SelectedDevice(shared, own, pcd.clock)
        with library(pcd) as reader:
            assert reader.read_id_no_block() == finds  # it raises nothing
        assert pcd.read(Reg.VERSION) == [version]  # a driver that reads it knows


def test_deaf_at_high_gain() -> None:
    pcd = Pcd()
    pcd.chip = Mfrc522(pcd.clock, pcd.field, deaf_above_db=33)
    pcd.bus = SpiDevice(pcd.chip, pcd.clock)
    pcd.field.enter(card())
    pcd.start()
    pcd.write(Reg.RF_CFG, MAX_GAIN)
    assert pcd.read(Reg.RF_CFG)[0] & MAX_GAIN == MAX_GAIN
    assert wake_and_halt(pcd, 4) == [None] * 4
    best = next(gain for gain in (0x70, 0x60, 0x50, 0x40) if finds_at(pcd, gain))
    assert best == 0x40  # 33 dB
    assert wake_and_halt(pcd, 4) == [CARD] * 4


def finds_at(pcd: Pcd, gain: int) -> bool:
    """Set the gain, the value of RFCfgReg, and return True if a card is found.

    It is called twice, because a card whose answer was not heard ignores the next call.
    """
    pcd.write(Reg.RF_CFG, gain)
    return CARD in wake_and_halt(pcd, 2)


def test_self_test_leaves_the_reader_deaf() -> None:
    pcd = lay(card())
    with library(pcd) as reader:
        assert self_test(pcd) == SELF_TEST_RESULTS[0x92]
        assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4
        reader.READER.MFRC522_Init()
        pcd.clock.sleep(0.005)
        assert reader.read_id_no_block() == CARD_NUMBER


def self_test(pcd: Pcd) -> bytes:
    """Run the self test (data sheet, 16.1.1) and return its result; do not set the chip up."""
    soft_reset(pcd)
    for register, values in (
        (Reg.FIFO_DATA, bytes(25)),
        (Reg.COMMAND, bytes((Command.MEM,))),
        (Reg.FIFO_LEVEL, b"\x80"),
        (Reg.AUTO_TEST, b"\x49"),
        (Reg.FIFO_DATA, b"\x00"),
        (Reg.COMMAND, bytes((Command.CALC_CRC,))),
    ):
        pcd.write(register, *values)
    result = bytes(pcd.read(*[Reg.FIFO_DATA] * 64))
    pcd.write(Reg.AUTO_TEST, 0x40)
    return result
