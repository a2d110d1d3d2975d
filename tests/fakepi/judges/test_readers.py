"""Judges of the reader chips: three drivers of the MFRC522 and one of the PN532, unmodified."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from fakepi import FakePi, Ntag213
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import Picc, PiccState
from fakepi.pn532 import Pn532, Pn532I2c
from tests.fakepi.judges.bench import Bench, fake_pi
from tests.fakepi.judges.verdicts import right, wrong

STICKER, CARD = bytes.fromhex("04A1B2C3D4E5F6"), bytes.fromhex("A1B2C3D4")
CUT_STICKER, CARD_NUMBER = 0x8804A1B29F, 0xA1B2C3D404
PN532 = "adafruit-circuitpython-pn532 2.4.9"
MFRC522, FORK, PI_RC522 = "mfrc522 0.0.7", "mfrc522-python 0.0.9", "pi-rc522 2.3.0"
inverts_a_bool = pytest.mark.filterwarnings(
    "ignore:Bitwise inversion '~' on bool:DeprecationWarning"
)
pytestmark = inverts_a_bool


@right(MFRC522, "Finds a card with a 4-byte UID; the number it returns includes the check byte.")
@wrong(MFRC522, "Finds a card that stays on the reader only every other time.")
def test_mfrc522_finds_a_card_every_other_time(bench: Bench) -> None:
    reader = bench.driver("mfrc522").SimpleMFRC522()
    bench.lay(MifareClassic1K(CARD))
    assert [reader.read_id_no_block() for _ in range(4)] == [CARD_NUMBER, None] * 2


@right(MFRC522, "Writes and reads text on a MIFARE Classic card.")
def test_mfrc522_reads_what_it_wrote(bench: Bench) -> None:
    reader = bench.driver("mfrc522").SimpleMFRC522()
    bench.lay(MifareClassic1K(CARD))
    reader.write("the camel carries 49")
    assert reader.read() == (CARD_NUMBER, "the camel carries 49".ljust(48))


@wrong(MFRC522, "Cuts a 7-byte UID to its first three bytes.")
def test_mfrc522_cuts_long_uids(bench: Bench) -> None:
    reader = bench.driver("mfrc522").SimpleMFRC522()
    bench.lay(Ntag(STICKER))
    assert reader.read_id_no_block() == CUT_STICKER


@wrong(MFRC522, "Finds no card at all if two cards are on the reader.")
def test_mfrc522_sees_none_of_two_cards(bench: Bench) -> None:
    reader = bench.driver("mfrc522").SimpleMFRC522()
    bench.lay(MifareClassic1K(CARD), MifareClassic1K(b"\x01\x02\x03\x04"))
    assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4


@wrong(MFRC522, "Needs 2013 transfers to see that the field is empty.")
@wrong(MFRC522, "Treats a reader without power as an empty field.")
def test_mfrc522_polls_2000_times(bench: Bench) -> None:
    reader = bench.driver("mfrc522").SimpleMFRC522()
    before = bench.spi.transfers
    bench.chip.power(False)
    assert reader.read_id_no_block() is None
    assert bench.spi.transfers - before == 2013


@right(FORK, "Finds a card with a 4-byte UID; the number it returns includes the check byte.")
@wrong(FORK, "Finds a card that stays on the reader only every other time.")
def test_fork_finds_a_card_every_other_time(bench: Bench) -> None:
    reader = bench.driver("mfrc522", beside=True).BasicMFRC522()
    bench.lay(MifareClassic1K(CARD))
    assert [reader.read_id_no_block() for _ in range(4)] == [CARD_NUMBER, None] * 2


@right(FORK, "Writes and reads text on a MIFARE Classic card.")
def test_fork_reads_what_it_wrote(bench: Bench) -> None:
    reader = bench.driver("mfrc522", beside=True).BasicMFRC522()
    bench.lay(MifareClassic1K(CARD))
    reader.write_sector("the camel carries 49", 11)
    assert reader.read_sector(11) == (CARD_NUMBER, "the camel carries 49".ljust(48))


@right(FORK, "Uses the chip's timer: an empty field costs only 33 transfers, but 16 ms.")
def test_fork_obeys_the_timer(bench: Bench) -> None:
    reader = bench.driver("mfrc522", beside=True).BasicMFRC522()
    before, began = bench.spi.transfers, bench.clock.now()
    assert reader.read_id_no_block() is None
    assert bench.spi.transfers - before == 33
    assert 0.015 < bench.clock.now() - began < 0.018


@wrong(FORK, "Cuts a 7-byte UID to its first three bytes.")
def test_fork_cuts_long_uids(bench: Bench) -> None:
    reader = bench.driver("mfrc522", beside=True).BasicMFRC522()
    bench.lay(Ntag(STICKER))
    assert reader.read_id_no_block() == CUT_STICKER


@wrong(FORK, "Finds no card at all if two cards are on the reader.")
def test_fork_sees_none_of_two_cards(bench: Bench) -> None:
    reader = bench.driver("mfrc522", beside=True).BasicMFRC522()
    bench.lay(MifareClassic1K(CARD), MifareClassic1K(b"\x01\x02\x03\x04"))
    assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4


@right(FORK, "Halts a selected card.")
def test_fork_halts(bench: Bench) -> None:
    card, reader = MifareClassic1K(CARD), bench.driver("mfrc522", beside=True).MFRC522()
    bench.lay(card)
    reader.Request(reader.PICC_REQIDL)
    reader.SelectTag(reader.Anticoll()[1])
    reader.Halt()
    assert card.state is PiccState.HALT


@right(PI_RC522, "Returns all 7 bytes of a long UID, without check bytes.")
@wrong(PI_RC522, "Finds a card that stays on the reader only every other time.")
def test_pi_rc522_finds_a_sticker_every_other_time(bench: Bench) -> None:
    reader = bench.driver("pirc522").RFID()
    bench.lay(Ntag(STICKER))
    assert [reader.read_id() for _ in range(4)] == [list(STICKER), None] * 2


@right(PI_RC522, "Authenticates and reads a block of a MIFARE Classic card.")
def test_pi_rc522_reads_a_block(bench: Bench) -> None:
    card, reader = MifareClassic1K(CARD), bench.driver("pirc522").RFID()
    bench.lay(card)
    reader.request()
    _, uid = reader.anticoll()
    assert not reader.select_tag(uid)
    assert not reader.card_auth(reader.auth_a, 4, [0xFF] * 6, uid)
    assert reader.read(4) == (False, list(card.memory[64:80]))


@wrong(PI_RC522, "Finds no card at all if two cards are on the reader.")
def test_pi_rc522_sees_none_of_two_cards(bench: Bench) -> None:
    reader = bench.driver("pirc522").RFID()
    bench.lay(Ntag(STICKER), Ntag(b"\x04\x00" + STICKER[2:]))
    assert [reader.read_id() for _ in range(4)] == [None] * 4


@wrong(PI_RC522, "Treats a 4-byte UID that begins with 88h as the first part of a longer one.")
def test_pi_rc522_trusts_the_first_byte(bench: Bench) -> None:
    reader = bench.driver("pirc522").RFID()
    bench.lay(Picc(b"\x88\x77\x66\x55", atqa=0x0004, sak=0x08))
    assert [reader.read_id() for _ in range(4)] == [None] * 4


@wrong(PI_RC522, "Never halts a card: `halt()` sends the command without its CRC.")
def test_pi_rc522_does_not_halt(bench: Bench) -> None:
    card, reader = MifareClassic1K(CARD), bench.driver("pirc522").RFID()
    bench.lay(card)
    reader.request()
    assert not reader.select_tag(reader.anticoll()[1])
    reader.halt()
    assert card.state is PiccState.IDLE


@wrong(PI_RC522, "`wait_for_tag()` resets the reader and calls at once, before a tag is awake.")
def test_pi_rc522_waits_for_ever(bench: Bench) -> None:
    reader = bench.driver("pirc522").RFID()
    bench.lay(MifareClassic1K(CARD))
    reader.wait_for_tag(timeout=10)
    assert bench.clock.now() > 10
    assert not reader.irq.is_set()


@right(PI_RC522, "`wait_for_tag()` returns at a tag that keeps its state for 0.4 ms without field.")
@wrong(PI_RC522, "The `request()` after a successful `wait_for_tag()` fails.")
@pytest.mark.parametrize("bench", [400_000, 5_000_000], indirect=True)
def test_pi_rc522_waits_for_a_tag_that_holds(bench: Bench) -> None:
    reader = bench.driver("pirc522").RFID()
    bench.lay(MifareClassic1K(CARD))
    reader.wait_for_tag(timeout=10)
    assert bench.clock.now() < 0.1
    assert reader.request() == (True, None)


def open_pn532(bench: Bench) -> Any:
    """Return the driver of a PN532 on the I2C bus, in the field of the bench."""
    bench.i2c.attach(Pn532I2c(Pn532(bench.clock, bench.field)))
    reader = bench.driver("adafruit_pn532.i2c").PN532_I2C(bench.i2c)
    reader.SAM_configuration()
    return reader


@right(PN532, "Returns all 7 bytes of a long UID, and finds a tag that stays in every poll.")
@right(PN532, "Returns None after its timeout if the field is empty.")
def test_pn532_finds_a_sticker_in_every_poll(bench: Bench) -> None:
    reader, began = open_pn532(bench), bench.clock.now()
    assert reader.read_passive_target(timeout=0.5) is None
    assert 0.5 <= bench.clock.now() - began < 0.7
    bench.field.enter(Ntag(STICKER))
    assert [bytes(reader.read_passive_target()) for _ in range(4)] == [STICKER] * 4


@right(PN532, "With two tags on the reader, each poll returns the whole UID of one of them.")
def test_pn532_finds_one_of_two(bench: Bench) -> None:
    reader, other = open_pn532(bench), b"\x04\x00" + STICKER[2:]
    bench.lay(Ntag(STICKER), Ntag(other))
    found = {bytes(reader.read_passive_target()) for _ in range(10)}
    assert found <= {STICKER, other}


@right(PN532, "Authenticates, writes and reads a block of a MIFARE Classic card.")
def test_pn532_reads_what_it_wrote(bench: Bench) -> None:
    reader, block = open_pn532(bench), bytes(range(16))
    bench.lay(MifareClassic1K(CARD))
    uid = reader.read_passive_target()
    assert reader.mifare_classic_authenticate_block(uid, 4, 0x60, b"\xff" * 6)
    assert reader.mifare_classic_write_block(4, block)
    assert bytes(reader.mifare_classic_read_block(4)) == block


@pytest.fixture
def uart_pi(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePi]:
    """A fake Pi with a PN532 at its UART; pyserial is replaced, and Blinka is not."""
    with fake_pi({"uart": {"serial0": "pn532"}}, monkeypatch) as pi:
        yield pi


def open_uart(rate: int) -> Any:
    """Return the driver of a PN532 at the UART, opened at *rate* bits a second."""
    port = importlib.import_module("serial").Serial("/dev/serial0", rate, timeout=0.1)
    return importlib.import_module("adafruit_pn532.uart").PN532_UART(port)


@right(PN532, "Finds a sticker in every poll over a UART too, which pyserial has opened.")
def test_pn532_over_a_uart(uart_pi: FakePi) -> None:
    reader = open_uart(115_200)
    reader.SAM_configuration()
    assert reader.read_passive_target(timeout=0.5) is None
    uart_pi.field.lay(Ntag213(STICKER))
    assert [bytes(reader.read_passive_target()) for _ in range(4)] == [STICKER] * 4


@wrong(PN532, "Over a UART with the wrong rate, says only that it does not find the PN532.")
@pytest.mark.usefixtures("uart_pi")
def test_pn532_at_the_wrong_rate() -> None:
    with pytest.raises(RuntimeError, match=r"^Failed to detect the PN532$"):
        open_uart(9600)
