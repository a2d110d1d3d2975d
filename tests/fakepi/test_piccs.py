"""Tests of the tags, frame by frame, against ISO/IEC 14443-3 and their data sheets."""

from random import Random
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.crypto1 import passes
from fakepi.desfire import Desfire
from fakepi.iso14443 import ANSWER_DELAY_FC, REQA, WUPA, Frame
from fakepi.mifare_classic import MifareClassic1K, value_block
from fakepi.ntag import MODELS, Ntag
from fakepi.picc import Picc, PiccState, RandomUid4, cascade_parts
from fakepi.type2 import Type2, Ultralight

PiccT = TypeVar("PiccT", bound=Picc)
UID7 = bytes.fromhex("04A23B15C0FFEE")
UID4 = bytes.fromhex("12345678")
ACK, NAK_ARGUMENT, NAK_CRC, NAK_AUTH = (Frame(code, 4) for code in (0xA, 0x0, 0x1, 0x4))
HLTA = Frame.with_crc(b"\x50\x00")
SELECT_1 = Frame.with_crc(bytes.fromhex("93708804A23B15"))
SELECT_2 = Frame.with_crc(bytes.fromhex("957015C0FFEEC4"))


def hear(picc: Picc, frame: Frame) -> Frame | None:
    answer = picc.hear(frame)
    return answer.frame if answer else None


def tell(picc: Picc, *command: int) -> bytes | Frame | None:
    """Send *command* with a CRC; return the answer's payload, or its frame if it has no payload."""
    answer = hear(picc, Frame.with_crc(bytes(command)))
    payload = answer.payload() if answer else None
    return answer if payload is None else payload


def powered(picc: PiccT) -> PiccT:
    picc.power_up()
    return picc


def selected(picc: PiccT) -> PiccT:
    """Bring *picc* into the ACTIVE state by WUPA and SELECT, and return it."""
    if picc.state is PiccState.POWER_OFF:
        picc.power_up()
    if hear(picc, WUPA) is None:  # a tag in ACTIVE ignores the first WUPA and falls back
        assert hear(picc, WUPA) is not None
    for sel, part in zip((0x93, 0x95, 0x97), cascade_parts(picc.uid), strict=False):
        assert tell(picc, sel, 0x70, *part.to_bytes(5, "little")) is not None
    assert picc.state is PiccState.ACTIVE
    return picc


def state_of(picc: Picc) -> PiccState:
    return picc.state


def sticker() -> Ntag:
    return selected(Ntag(UID7))


# States


def test_a_tag_without_field_says_nothing() -> None:
    assert hear(Ntag(UID7), WUPA) is None


def test_a_seven_byte_tag_is_chosen_in_two_levels() -> None:
    tag = powered(Ntag(UID7))
    assert hear(tag, REQA) == Frame.of(b"\x44\x00")
    assert (tag.state, tag.level) == (PiccState.READY, 1)
    assert hear(tag, Frame.of(b"\x93\x20")) == Frame.of(bytes.fromhex("8804A23B15"))
    sak = hear(tag, SELECT_1)
    assert sak is not None
    assert sak.payload() == b"\x04"
    assert (tag.state, tag.level) == (PiccState.READY, 2)
    assert hear(tag, Frame.of(b"\x95\x20")) == Frame.of(bytes.fromhex("15C0FFEEC4"))
    sak = hear(tag, SELECT_2)
    assert sak is not None
    assert sak.payload() == b"\x00"
    assert tag.state is PiccState.ACTIVE


def test_a_ten_byte_uid_has_three_levels() -> None:
    parts = [part.to_bytes(5, "little") for part in cascade_parts(bytes(range(10)))]
    assert [part.hex() for part in parts] == ["880001028b", "880304058a", "0607080900"]
    selected(Picc(bytes(range(10)), atqa=0x0084, sak=0x20))


@given(known=st.integers(0, 39), uid=st.binary(min_size=4, max_size=4))
def test_anticollision_answers_with_the_bits_that_are_missing(known: int, uid: bytes) -> None:
    tag = powered(Picc(uid, atqa=4, sak=8))
    part = cascade_parts(uid)[0]
    nvb = (2 + known // 8) << 4 | known % 8
    question = 0x93 | nvb << 8 | (part & (1 << known) - 1) << 16
    tag.hear(REQA)
    assert hear(tag, Frame(question, 16 + known)) == Frame(part >> known, 40 - known)
    assert state_of(tag) is PiccState.READY
    if known:
        wrong = question ^ 1 << 15 + known
        assert hear(tag, Frame(wrong, 16 + known)) is None
        assert tag.state is PiccState.IDLE


@pytest.mark.parametrize(
    "frame",
    [
        REQA,
        WUPA,
        HLTA,
        Frame.of(b"\x95\x20"),
        Frame.of(b"\x93\x10"),
        Frame.of(b"\x93\x28"),
        Frame.of(b"\x93\x21"),
        Frame.of(b"\x93\x20\x00"),
        Frame.with_crc(bytes.fromhex("93708804A23B14")),
        Frame.of(bytes.fromhex("93708804A23B150000")),
        Frame.with_crc(b"\x30\x04"),
        Frame(0x2093, 16, session=b"other"),
    ],
)
def test_what_is_out_of_place_sends_a_ready_tag_back(frame: Frame) -> None:
    tag = powered(Ntag(UID7))
    tag.hear(REQA)
    assert hear(tag, frame) is None
    assert tag.state is PiccState.IDLE
    tag.state = PiccState.HALT
    tag.hear(WUPA)
    tag.hear(frame)
    assert tag.state is PiccState.HALT, "one that was woken from HALT goes back there"


def test_a_halted_tag_hears_wupa_only() -> None:
    tag = sticker()
    assert hear(tag, HLTA) is None
    assert tag.state is PiccState.HALT
    for frame in (REQA, HLTA, SELECT_1, Frame.of(b"\x93\x20")):
        assert hear(tag, frame) is None
        assert tag.state is PiccState.HALT
    selected(tag)


@pytest.mark.parametrize("frame", [REQA, WUPA, Frame.of(b"\x93\x20")])
def test_an_active_tag_goes_back_when_it_is_called_again(frame: Frame) -> None:
    tag = sticker()
    assert hear(tag, frame) is None
    assert tag.state is PiccState.IDLE


def test_a_plain_tag_refuses_commands_in_silence() -> None:
    for command in (Frame.with_crc(b"\x30\x00"), Frame.of(b"\x30\x00\x00")):
        tag = selected(Picc(UID4, atqa=4, sak=0x20))
        assert hear(tag, command) is None
        assert tag.state is PiccState.IDLE


@pytest.mark.parametrize("length", [0, 5, 11])
def test_a_uid_has_four_seven_or_ten_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="4, 7 or 10"):
        Picc(bytes(length), atqa=0, sak=0)


def test_a_random_uid_changes_with_every_field() -> None:
    tag = RandomUid4(Random(7))
    uids = []
    for _ in range(5):
        selected(tag)
        uids.append(tag.uid)
        tag.power_down()
    assert len(set(uids)) == 5
    assert {uid[0] for uid in uids} == {0x08}
    assert {len(uid) for uid in uids} == {4}
    again = RandomUid4(Random(7))
    again.power_up()
    assert again.uid == uids[0], "the same chance draws the same UID"


# Type 2 memory


def test_a_uid_is_in_the_first_pages_with_its_check_bytes() -> None:
    memory = tell(sticker(), 0x30, 0x00)
    assert memory == bytes.fromhex("04A23B15 15C0FFEE C4480000 E1101200")


@pytest.mark.parametrize(("model", "pages"), [(213, 45), (215, 135), (216, 231)])
def test_reading_past_the_last_page_goes_on_with_page_zero(model: int, pages: int) -> None:
    tag = selected(Ntag(UID7, model))
    assert tag.pages == pages
    assert tell(tag, 0x30, pages - 1) == bytes(4) + tag.memory[:12]
    assert tell(tag, 0x30, pages) == NAK_ARGUMENT
    assert tag.state is PiccState.IDLE


@pytest.mark.parametrize("level", [1, 2])
def test_reading_page_zero_ends_anticollision(level: int) -> None:
    tag = powered(Ntag(UID7))
    tag.hear(REQA)
    if level == 2:
        tag.hear(SELECT_1)
    assert tell(tag, 0x30, 0x00) == bytes(tag.memory[:16])
    assert tag.state is PiccState.ACTIVE


def test_an_active_tag_names_a_crc_error() -> None:
    tag = sticker()
    assert hear(tag, Frame.of(b"\x30\x00\x00\x00")) == NAK_CRC
    assert tag.state is PiccState.IDLE


@pytest.mark.parametrize(
    "command",
    [
        "FF00",
        "30",
        "3000 00",
        "A204010203",
        "A2FF01020304",
        "A000 00",
        "A0FF",
        "A000",
        "A20001020304",
    ],
)
def test_what_a_sticker_does_not_know_it_refuses(command: str) -> None:
    tag = sticker()
    assert tell(tag, *bytes.fromhex(command)) == NAK_ARGUMENT
    assert tag.state is PiccState.IDLE


def test_a_write_is_acknowledged_when_it_is_done() -> None:
    tag = sticker()
    answer = tag.hear(Frame.with_crc(b"\xa2\x04abcd"))
    assert answer is not None
    assert answer.frame == ACK
    assert 0.004 < answer.delay_fc / 13.56e6 < 0.010
    assert tag.memory[16:20] == b"abcd"


def test_a_compatibility_write_takes_the_first_four_of_sixteen_bytes() -> None:
    tag = sticker()
    assert tell(tag, 0xA0, 0x05) == ACK
    assert tell(tag, *b"ABCDefghijklmnop") == ACK
    assert tag.memory[20:24] == b"ABCD"
    assert tell(tag, 0xA0, 0x05) == ACK
    assert tell(tag, *b"ABCD") == NAK_ARGUMENT
    selected(tag)
    tell(tag, 0xA0, 0x05)
    tag.hear(REQA)
    assert tell(selected(tag), 0x30, 0x00) == bytes(tag.memory[:16]), (
        "the second half is not awaited"
    )


@pytest.mark.parametrize("make", [Ultralight, Ntag])
def test_locks_and_otp_only_gain_bits(make: type[Ultralight | Ntag]) -> None:
    tag: Type2 = selected(make(UID7))
    container = bytes(tag.memory[12:16])
    tell(tag, 0xA2, 3, 0x01, 0, 0, 0)
    tell(tag, 0xA2, 3, 0x02, 0, 0, 0)
    assert tag.memory[12] == container[0] | 0x03
    tell(tag, 0xA2, 2, 0xEE, 0xEE, 0x10, 0x80)  # bits for pages 4 and 15
    tell(tag, 0xA2, 2, 0, 0, 0, 0)
    assert tag.memory[8:12] == bytes.fromhex("C4481080")
    for page, is_open in ((4, False), (5, True), (14, True), (15, False)):
        assert (tell(selected(tag), 0xA2, page, 1, 1, 1, 1) == ACK) == is_open


@pytest.mark.parametrize(("block_lock", "frozen"), [(1, 0x0008), (2, 0x03F0), (4, 0xFC00)])
def test_block_locks_freeze_lock_bits(block_lock: int, frozen: int) -> None:
    tag = sticker()
    tell(tag, 0xA2, 2, 0, 0, block_lock, 0)
    tell(tag, 0xA2, 2, 0, 0, 0xF8, 0xFF)
    assert int.from_bytes(tag.memory[10:12], "little") == 0xFFF8 & ~frozen | block_lock


def test_an_ultralight_has_sixteen_pages_and_nothing_of_ntags_own() -> None:
    tag = selected(Ultralight(UID7))
    assert tell(tag, 0x30, 15) == bytes(4) + tag.memory[:12]
    assert tell(tag, 0x60) == NAK_ARGUMENT
    with pytest.raises(ValueError, match="7-byte UID"):
        Ultralight(UID4)


# NTAG


@pytest.mark.parametrize(("model", "size"), [(213, "0F"), (215, "11"), (216, "13")])
def test_a_sticker_says_what_it_is(model: int, size: str) -> None:
    tag = selected(Ntag(UID7, model))
    assert tell(tag, 0x60) == bytes.fromhex("0004040201 00") + bytes.fromhex(size) + b"\x03"
    assert tag.memory[12:16] == MODELS[model].capability_container


@pytest.mark.parametrize("model", [203, 214])
def test_there_are_three_models(model: int) -> None:
    with pytest.raises(ValueError, match="213, 215, 216"):
        Ntag(UID7, model)


def test_a_signature_has_32_bytes() -> None:
    assert tell(selected(Ntag(UID7, signature=b"s" * 32)), 0x3C, 0x00) == b"s" * 32
    with pytest.raises(ValueError, match="32 bytes"):
        Ntag(UID7, signature=b"")


def test_fast_read_gives_every_page_asked_for() -> None:
    tag = sticker()
    assert tell(tag, 0x3A, 0x00, 0x2C) == bytes(tag.memory[:-8]) + bytes(8)
    assert tell(tag, 0x3A, 0x04, 0x04) == bytes(tag.memory[16:20])
    assert tell(tag, 0x3A, 0x05, 0x04) == NAK_ARGUMENT
    assert tell(selected(tag), 0x3A, 0x04, 0x2D) == NAK_ARGUMENT


@pytest.mark.parametrize(("model", "per_bit"), [(213, 2), (215, 16), (216, 16)])
def test_dynamic_locks_close_pages_from_16_on(model: int, per_bit: int) -> None:
    tag = selected(Ntag(UID7, model))
    assert tell(tag, 0xA2, tag.model.lock_page, 0b10, 0, 0, 0) == ACK
    page = 16 + per_bit
    for at, is_open in ((page - 1, True), (page, False), (page + per_bit, True)):
        assert (tell(selected(tag), 0xA2, at, 1, 1, 1, 1) == ACK) == is_open
    tell(selected(tag), 0xA2, tag.model.lock_page, 0, 0, 0b10, 0)
    tell(tag, 0xA2, tag.model.lock_page, 0xFF, 0, 0, 0)
    assert tag.memory[tag.model.lock_page * 4] == 0b11110011, "bits 2 and 3 are frozen"


def protected(access: int) -> Ntag:
    """Return an NTAG whose pages from 10 on are protected by the password "pass".

    *access* is the tag's ACCESS byte.
    """
    tag = sticker()
    for page, data in ((0x2B, b"pass"), (0x2C, b"ok\0\0"), (0x2A, bytes((access, 5, 0, 0)))):
        assert tell(tag, 0xA2, page, *data) == ACK
    assert tell(tag, 0xA2, 0x29, 4, 0, 0, 10) == ACK
    return tag


def test_a_password_guards_writing_and_if_asked_reading() -> None:
    for access, reads in ((0x00, True), (0x80, False)):
        tag = protected(access)
        assert tell(tag, 0xA2, 9, 1, 2, 3, 4) == ACK
        assert isinstance(tell(tag, 0x30, 10), bytes) == reads
        assert tell(selected(tag), 0xA2, 10, 1, 2, 3, 4) == NAK_ARGUMENT
        assert tell(selected(tag), 0x1B, *b"pass") == b"ok"
        assert tell(tag, 0xA2, 10, 1, 2, 3, 4) == ACK
        assert tell(tag, 0x30, 0x2B) == bytes(8) + tag.memory[:8], "nobody reads the password"
        tag.hear(HLTA)
        assert tell(selected(tag), 0xA2, 10, 1, 2, 3, 4) == NAK_ARGUMENT


def test_wrong_passwords_can_be_counted() -> None:
    tag = protected(0x01)  # two attempts
    for _ in range(2):
        assert tell(tag, 0x1B, *b"nope") == NAK_ARGUMENT
        selected(tag)
    assert tell(tag, 0x1B, *b"pass") == NAK_AUTH


def test_the_configuration_can_be_locked() -> None:
    tag = sticker()
    assert tell(tag, 0xA2, 0x2A, 0x40, 5, 0, 0) == ACK
    assert tell(tag, 0xA2, 0x2A, 0x00, 5, 0, 0) == NAK_ARGUMENT


def test_the_counter_counts_the_first_read_after_a_field_came() -> None:
    tag = sticker()
    assert tell(tag, 0x39, 0x02) == NAK_ARGUMENT, "switched off"
    selected(tag)
    tell(tag, 0xA2, 0x2A, 0x10, 5, 0, 0)
    for count in (1, 2):
        tell(tag, 0x30, 4)
        tell(tag, 0x30, 4)
        assert tell(tag, 0x39, 0x02) == bytes((count, 0, 0))
        tag.power_down()
        selected(tag)


# MIFARE Classic


def classic_session(
    tag: MifareClassic1K, block: int, key: bytes = b"\xff" * 6, command: int = 0x60
) -> bytes | None:
    """Authenticate for *block* as a reader that knows *key*; *command* names key A or key B.

    Returns:
        The session that every later frame must carry, or None if the tag refuses.
    """
    nonce = tag.hear(Frame.with_crc(bytes((command, block))))
    assert nonce is not None
    mine = b"mine"
    expected = passes(key, tag.uid, nonce.frame.data, mine)
    answer = hear(tag, Frame.of(mine + expected.reader_answer))
    if answer is None:
        return None
    assert answer.data == expected.tag_answer
    return expected.session


class Insider:
    """A reader in an encrypted session that sends commands to one tag."""

    def __init__(self, tag: MifareClassic1K, session: bytes | None) -> None:
        assert session is not None
        self.tag, self.session = tag, session

    def tell(self, *command: int) -> bytes | Frame | None:
        """Send *command* encrypted; return the answer's payload, or its frame if it has none."""
        plain = Frame.with_crc(bytes(command))
        answer = hear(self.tag, Frame(plain.bits, plain.length, self.session))
        payload = answer.payload() if answer else None
        return answer if payload is None else payload

    def write(self, block: int, data: bytes) -> Frame | None:
        """Write *data* to *block*, in the two steps of WRITE, and return the tag's last answer."""
        first = self.tell(0xA0, block)
        answer = self.tell(*data) if first == ACK else first
        assert not isinstance(answer, bytes)
        return answer


def insider(
    tag: MifareClassic1K, block: int, key: bytes = b"\xff" * 6, command: int = 0x60
) -> Insider:
    return Insider(tag, classic_session(selected(tag), block, key, command))


NAK_OPERATION, NAK_CLASSIC_CRC = Frame(0x4, 4), Frame(0x5, 4)


def test_a_classic_leaves_the_factory_in_transport_configuration() -> None:
    tag = MifareClassic1K(UID4)
    reader = insider(tag, 0)
    assert reader.tell(0x30, 0) == UID4 + bytes.fromhex("08080400").ljust(12, b"\0")
    assert reader.tell(0x30, 1) == bytes(16)
    assert reader.tell(0x30, 3) == bytes(6) + bytes.fromhex("FF078069") + b"\xff" * 6
    with pytest.raises(ValueError, match="4-byte UID"):
        MifareClassic1K(UID7)


def test_a_block_is_written_in_two_halves() -> None:
    tag = MifareClassic1K(UID4)
    reader = insider(tag, 4)
    assert reader.write(4, b"sixteen letters!") == ACK
    assert reader.tell(0x30, 4) == b"sixteen letters!"
    assert reader.write(4, b"short") == NAK_OPERATION
    assert tag.state is PiccState.IDLE


def test_nothing_is_read_without_a_session_for_its_sector() -> None:
    tag = selected(MifareClassic1K(UID4))
    assert tell(tag, 0x30, 4) == NAK_OPERATION
    assert insider(tag, 4).tell(0x30, 8) == NAK_OPERATION


def test_block_zero_is_read_only() -> None:
    assert insider(MifareClassic1K(UID4), 0).write(0, bytes(16)) == NAK_OPERATION


def test_a_wrong_key_is_met_with_silence() -> None:
    tag = selected(MifareClassic1K(UID4))
    assert classic_session(tag, 4, b"wrong!") is None
    assert tag.state is PiccState.IDLE


def test_a_second_pass_with_a_wrong_parity_is_met_with_silence() -> None:
    tag = selected(MifareClassic1K(UID4))
    nonce = hear(tag, Frame.with_crc(b"\x60\x04"))
    assert nonce is not None
    answer = passes(b"\xff" * 6, UID4, nonce.data, b"mine").reader_answer
    assert hear(tag, Frame.of(b"mine" + answer)._replace(has_wrong_parity=True)) is None
    assert tag.state is PiccState.IDLE


def test_a_tag_outside_the_session_is_noise() -> None:
    tag = MifareClassic1K(UID4)
    insider(tag, 4)
    assert tell(tag, 0x30, 4) is None
    assert tag.state is PiccState.IDLE


def test_a_session_can_be_followed_by_another_and_ends_with_halt() -> None:
    tag = MifareClassic1K(UID4)
    reader = insider(tag, 4)
    question = Frame.with_crc(b"\x60\x08")
    nonce = hear(tag, Frame(question.bits, question.length, reader.session))
    assert nonce is not None
    expected = passes(b"\xff" * 6, UID4, nonce.data, b"mine")
    assert hear(tag, Frame.of(b"mine" + expected.reader_answer)) is not None
    assert Insider(tag, expected.session).tell(0x30, 8) == bytes(16)
    assert hear(tag, Frame(HLTA.bits, HLTA.length, expected.session)) is None
    assert tag.state is PiccState.HALT


@pytest.mark.parametrize("command", ["3004", "6040", "C104", "3004 00"])
def test_what_a_classic_does_not_know_it_refuses(command: str) -> None:
    assert tell(selected(MifareClassic1K(UID4)), *bytes.fromhex(command)) == NAK_OPERATION


def test_a_classic_names_a_crc_error() -> None:
    assert hear(selected(MifareClassic1K(UID4)), Frame.of(bytes(4))) == NAK_CLASSIC_CRC


def test_a_key_b_that_can_be_read_opens_nothing() -> None:
    reader = insider(MifareClassic1K(UID4), 4, command=0x61)
    assert reader.tell(0x30, 4) == NAK_OPERATION


def test_access_bits_say_which_key_reads_and_writes() -> None:
    """Blocks 100b: key B writes, both read. Trailer 011b: key B writes keys and access bits."""
    tag = MifareClassic1K(UID4)
    trailer = b"key-A!" + bytes.fromhex("78778869") + b"key-B!"
    assert insider(tag, 4).write(7, trailer) == ACK
    assert classic_session(selected(tag), 4) is None, "the factory's key is gone"
    reader = insider(tag, 4, b"key-A!")
    assert reader.tell(0x30, 4) == bytes(16)
    assert reader.tell(0x30, 7) == bytes(6) + bytes.fromhex("78778869") + bytes(6)
    assert reader.write(4, b"x" * 16) == NAK_OPERATION
    writer = insider(tag, 4, b"key-B!", 0x61)
    assert writer.write(4, b"x" * 16) == ACK
    assert writer.write(7, b"new-A!" + trailer[6:]) == ACK
    assert tag.memory[7 * 16 : 8 * 16] == b"new-A!" + trailer[6:]


def test_parts_of_a_trailer_that_a_key_may_not_write_stay() -> None:
    """Trailer access 000b: key A may write the keys; no key may write the access bits."""
    tag = MifareClassic1K(UID4)
    assert insider(tag, 4).write(7, b"\xff" * 6 + bytes.fromhex("FF0F0069") + b"\xff" * 6) == ACK
    assert insider(tag, 4).write(7, b"key-A!" + bytes.fromhex("FF078000") + b"key-B!") == ACK
    assert tag.memory[7 * 16 : 8 * 16] == b"key-A!" + bytes.fromhex("FF0F0069") + b"key-B!"


def test_access_bits_that_contradict_themselves_close_the_sector() -> None:
    tag = MifareClassic1K(UID4)
    tag.memory[7 * 16 + 6] ^= 0x10
    assert insider(tag, 4).tell(0x30, 4) == NAK_OPERATION


def test_answers_come_on_the_grid_of_the_standard() -> None:
    tag = sticker()
    answer = tag.hear(Frame.with_crc(b"\x30\x00"))
    assert answer is not None
    assert answer.delay_fc == ANSWER_DELAY_FC


# Value blocks: MF1S50YYX_V1, 8.6.2.1 and 12.6

INCREMENT, DECREMENT, RESTORE, TRANSFER = 0xC1, 0xC0, 0xC2, 0xB0


class Purse:
    """A session with the sector of blocks 4 to 7 of a card."""

    def __init__(self, card: MifareClassic1K, key_name: int) -> None:
        self.card = card
        nonce = hear(card, Frame.with_crc(bytes((key_name, 4))))
        assert nonce is not None
        expected = passes(b"\xff" * 6, UID4, nonce.data, b"mine")
        assert hear(card, Frame.of(b"mine" + expected.reader_answer)) is not None
        self.session = expected.session

    def tell(self, *command: int) -> Frame | None:
        return hear(self.card, Frame.with_crc(bytes(command))._replace(session=self.session))

    def operate(self, command: int, block: int, amount: int) -> Frame | None:
        """Send both parts of a value operation; return the second answer: None if it succeeds."""
        assert self.tell(command, block) == ACK
        return self.tell(*amount.to_bytes(4, "little", signed=True))

    def block(self, block: int) -> bytes:
        return bytes(self.card.memory[16 * block : 16 * block + 16])


def wallet(value: int, access: str = "FF078069", key_name: int = 0x60) -> Purse:
    """Return an open session with a card whose block 4 holds *value*."""
    card = selected(MifareClassic1K(UID4))
    card.memory[64:80] = value_block(value, address=4)
    card.memory[112:128] = b"\xff" * 6 + bytes.fromhex(access) + b"\xff" * 6
    return Purse(card, key_name)


def test_a_value_block_is_as_in_the_data_sheet() -> None:
    wanted = "87D61200 7829EDFF 87D61200 11EE11EE"  # 1234567 at address 17, figure 9
    assert value_block(1_234_567, 17) == bytes.fromhex(wanted)


def test_values_are_counted_in_the_buffer_and_transferred() -> None:
    purse = wallet(100)
    assert purse.operate(INCREMENT, 4, 30) is None
    assert purse.block(4) == value_block(100, 4)
    assert purse.tell(TRANSFER, 4) == ACK
    assert purse.block(4) == value_block(130, 4)
    assert purse.operate(DECREMENT, 4, 131) is None
    assert purse.tell(TRANSFER, 5) == ACK
    assert (purse.block(4), purse.block(5)) == (value_block(130, 4), value_block(-1, 4))
    assert purse.operate(RESTORE, 5, 99) is None
    assert purse.tell(TRANSFER, 4) == ACK
    assert purse.block(4) == value_block(-1, 4)


def test_a_transfer_needs_a_value_in_the_buffer() -> None:
    assert wallet(1).tell(TRANSFER, 4) == NAK_AUTH
    purse = wallet(1)
    assert purse.operate(RESTORE, 4, 0) is None
    assert (purse.tell(TRANSFER, 4), purse.tell(TRANSFER, 4)) == (ACK, NAK_AUTH)


@pytest.mark.parametrize("block", [5, 7, 8])
def test_data_trailers_and_other_sectors_are_no_values(block: int) -> None:
    assert wallet(1).tell(INCREMENT, block) == NAK_AUTH


@pytest.mark.parametrize(("command", "value"), [(INCREMENT, 2**31 - 1), (DECREMENT, -(2**31))])
def test_a_value_does_not_overflow(command: int, value: int) -> None:
    purse = wallet(value)
    assert purse.operate(command, 4, 1) == NAK_AUTH
    assert purse.block(4) == value_block(value, 4)


@pytest.mark.parametrize(
    ("access", "key_name", "may_increment", "may_decrement"),
    [
        ("6E17 8969", 0x61, True, True),  # block 4: 110b, a value block; trailer: 011b
        ("6E17 8969", 0x60, False, True),
        ("7E17 8869", 0x61, False, False),  # block 4: 100b, a data block
    ],
)
def test_the_access_bits_say_which_key_counts(
    access: str, key_name: int, may_increment: bool, may_decrement: bool
) -> None:
    for command, is_allowed in ((INCREMENT, may_increment), (DECREMENT, may_decrement)):
        assert (wallet(5, access, key_name).tell(command, 4) == ACK) is is_allowed


def test_a_damaged_operand_is_refused() -> None:
    purse = wallet(5)
    assert purse.tell(INCREMENT, 4) == ACK
    damaged = Frame.of(bytes(6))._replace(session=purse.session)
    assert hear(purse.card, damaged) == Frame(0x5, 4)


# DESFire


def test_a_desfire_is_selected_and_refuses_commands() -> None:
    tag = selected(Desfire(UID7))
    assert tell(tag, 0xE0, 0x80) is None
    assert state_of(tag) is PiccState.IDLE
    with pytest.raises(ValueError, match="7-byte UID, not 4"):
        Desfire(UID4)
