"""Tests of the unmodified mfrc522 0.0.7 over the emulated chips, including its known faults."""

import sys
from collections.abc import Iterator

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from fakepi.picc import Picc
from fakepi.spi import SpiDevice
from fakepi.standins import Gpio, replace_libraries

EMPTY_POLL = 2013  # transfers: 13, and 2000 reads of ComIrqReg
NTAG = bytes.fromhex("04A1B2C3D4E5F6")
CLASSIC = bytes.fromhex("A1B2C3D4")
inverts_a_bool = pytest.mark.filterwarnings(
    # mfrc522 0.0.7 evaluates ~(i != 0) after its 2000 reads; Python 3.12 and later warn.
    "ignore:Bitwise inversion '~' on bool:DeprecationWarning"
)
pytestmark = inverts_a_bool


class Stock:
    """The unmodified library over one emulated chip."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock, ExactPhysics())
        self.chip = Mfrc522(self.clock, self.field)
        self.bus = SpiDevice(self.chip, self.clock)

    def open(self) -> None:
        """Create the library's reader."""
        from mfrc522 import SimpleMFRC522

        self.reader = SimpleMFRC522()

    def lay(self, picc: Picc) -> None:
        """Put a tag into the field and wait until it is powered."""
        self.field.enter(picc)
        self.clock.sleep(0.005)

    def cost_of_reading(self) -> tuple[int | None, int]:
        """Call ``read_id_no_block()`` once; return its result and the number of SPI transfers."""
        before = self.bus.transfers
        return self.reader.read_id_no_block(), self.bus.transfers - before


@pytest.fixture
def gpio_and_stock() -> Iterator[tuple[Gpio, Stock]]:
    stock = Stock()
    with replace_libraries({(0, 0): stock.bus}) as gpio:
        stock.open()
        yield gpio, stock


@pytest.fixture
def stock(gpio_and_stock: tuple[Gpio, Stock]) -> Stock:
    return gpio_and_stock[1]


def test_an_empty_field_costs_2013_transfers(stock: Stock) -> None:
    assert stock.cost_of_reading() == (None, EMPTY_POLL)


def test_one_tag_read_again_and_again_is_there_every_other_time(stock: Stock) -> None:
    """A read leaves the tag in READY, and the next REQA sends it back to IDLE without an answer."""
    stock.lay(Picc(CLASSIC, atqa=0x0004, sak=0x08))
    uid = int.from_bytes(CLASSIC + b"\x04")
    reads = [stock.cost_of_reading() for _ in range(6)]
    assert [number for number, _ in reads] == [uid, None] * 3
    assert all(43 <= transfers <= 84 for _, transfers in reads[::2])
    assert all(transfers == EMPTY_POLL for _, transfers in reads[1::2])


def test_a_seven_byte_uid_is_cut_to_cascade_tag_three_bytes_and_bcc(stock: Stock) -> None:
    stock.lay(Ntag(NTAG))
    number, _ = stock.cost_of_reading()
    assert number == int.from_bytes(bytes.fromhex("8804A1B29F"))


def test_two_stickers_that_begin_alike_are_one_and_the_same(stock: Stock) -> None:
    for uid in (NTAG, NTAG[:3] + b"\x01\x02\x03\x04"):
        stock.field.enter(Ntag(uid))
    stock.clock.sleep(0.005)
    assert stock.cost_of_reading()[0] == int.from_bytes(bytes.fromhex("8804A1B29F"))


def test_two_four_byte_tags_are_never_seen(stock: Stock) -> None:
    stock.lay(MifareClassic1K(CLASSIC))
    stock.lay(MifareClassic1K(b"\x01\x02\x03\x04"))
    assert [stock.cost_of_reading()[0] for _ in range(6)] == [None] * 6


def test_a_classic_and_a_sticker_are_never_seen(stock: Stock) -> None:
    stock.lay(MifareClassic1K(CLASSIC))
    stock.lay(Ntag(NTAG))
    assert [stock.cost_of_reading()[0] for _ in range(6)] == [None] * 6


def test_text_written_to_a_classic_is_read_back(stock: Stock) -> None:
    classic = MifareClassic1K(CLASSIC)
    stock.lay(classic)
    number = int.from_bytes(CLASSIC + b"\x04")
    assert stock.reader.write("the camel carries 49") == (number, "the camel carries 49")
    assert classic.memory[8 * 16 : 11 * 16] == b"the camel carries 49".ljust(48)
    assert stock.reader.read() == (number, "the camel carries 49".ljust(48))


def test_a_wrong_key_takes_two_thousand_looks_and_says_so(
    stock: Stock, caplog: pytest.LogCaptureFixture
) -> None:
    classic = MifareClassic1K(CLASSIC)
    classic.memory[11 * 16 : 11 * 16 + 6] = b"secret"
    stock.lay(classic)
    before = stock.bus.transfers
    assert stock.reader.read_no_block() == (int.from_bytes(CLASSIC + b"\x04"), "")
    assert stock.bus.transfers - before > 2000
    assert "AUTH ERROR!!" in caplog.messages


def test_a_sticker_has_no_text_and_an_authentication_error(
    stock: Stock, caplog: pytest.LogCaptureFixture
) -> None:
    """The failed authentication sends the tag back to IDLE, so the next read finds it again."""
    stock.lay(Ntag(NTAG))
    number = int.from_bytes(bytes.fromhex("8804A1B29F"))
    for _ in range(2):
        before = stock.bus.transfers
        assert stock.reader.read_no_block() == (number, "")
        assert 2100 < stock.bus.transfers - before < 2200
    assert caplog.messages == [
        "AUTH ERROR!!",
        "AUTH ERROR(status2reg & 0x08) != 0",
        "AUTH ERROR!!",
        "AUTH ERROR(status2reg & 0x08) != 0",
    ]


def test_page_zero_of_a_sticker_can_be_read_in_the_middle_of_anticollision(stock: Stock) -> None:
    stock.lay(Ntag(NTAG))
    reader = stock.reader.READER
    reader.MFRC522_Request(reader.PICC_REQIDL)
    reader.MFRC522_Anticoll()
    data = reader.MFRC522_Read(0)
    assert data is not None
    assert bytes(data[:3] + data[4:8]) == NTAG


def test_a_silent_chip_looks_like_an_empty_field(stock: Stock) -> None:
    stock.bus.stuck_at = 0x00
    assert stock.cost_of_reading() == (None, EMPTY_POLL)


def test_a_bus_stuck_high_looks_like_an_empty_field_too(stock: Stock) -> None:
    stock.bus.stuck_at = 0xFF
    number, transfers = stock.cost_of_reading()
    assert number is None
    assert transfers < 50


def test_a_chip_without_power_looks_like_an_empty_field_too(stock: Stock) -> None:
    stock.chip.power(False)
    assert stock.cost_of_reading() == (None, EMPTY_POLL)


def test_the_library_claims_a_pin_by_board_number(gpio_and_stock: tuple[Gpio, Stock]) -> None:
    gpio, _ = gpio_and_stock
    assert gpio.calls == [("setmode", 10), ("setup", 22, 0), ("output", 22, 1)]


def test_with_bcm_numbers_the_library_claims_the_serial_ports_pin() -> None:
    stock = Stock()
    with replace_libraries({(0, 0): stock.bus}) as gpio:
        gpio.setmode(gpio.BCM)
        stock.open()
        assert gpio.calls[1:] == [("setup", 15, 0), ("output", 15, 1)]


def test_closing_the_library_cleans_up_everybodys_pins(
    gpio_and_stock: tuple[Gpio, Stock],
) -> None:
    gpio, stock = gpio_and_stock
    gpio.setup(5, gpio.OUT)
    stock.reader.READER.Close_MFRC522()
    assert gpio.calls[-1] == ("cleanup",)
    with pytest.raises(RuntimeError, match="has not been set up"):
        gpio.output(5, gpio.HIGH)
    with pytest.raises(OSError, match="Bad file descriptor"):
        stock.reader.read_id_no_block()


def test_without_the_device_the_library_finds_no_file() -> None:
    with replace_libraries({}), pytest.raises(FileNotFoundError, match=r"spidev0\.0"):
        Stock().open()


def test_afterwards_everything_is_as_it_was() -> None:
    names = {"spidev", "RPi", "RPi.GPIO", "mfrc522", "mfrc522.MFRC522"}
    before = {name: sys.modules.get(name) for name in names}
    stock = Stock()
    with replace_libraries({(0, 0): stock.bus}):
        stock.open()
        inside = {name: sys.modules.get(name) for name in names}
    assert None not in inside.values()
    assert {name: sys.modules.get(name) for name in names} == before
    with replace_libraries({(0, 0): stock.bus}):
        assert "mfrc522" not in sys.modules
