"""Tests of the unmodified adafruit-circuitpython-pn532 over the emulated PN532, on all three links.

The tests are skipped where that package is not installed. Small doubles replace the modules of
CircuitPython that it imports, and its waits pass on the virtual clock.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fakepi.clock import VirtualClock
from fakepi.desfire import Desfire
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import Picc
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Spi, Pn532Uart
from fakepi.type2 import Ultralight

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("adafruit_pn532") is None,
    reason="adafruit-circuitpython-pn532 is not installed",
)

UID4 = bytes.fromhex("12345678")
UID7 = bytes.fromhex("04A23B15C0FFEE")
KEY = b"\xff" * 6
AUTH_A, AUTH_B = 0x60, 0x61


class SpiDouble:
    """A ``busio.SPI`` with one chip, and its chip select as a ``DigitalInOut``."""

    def __init__(self, chip: Pn532Spi, clock: VirtualClock) -> None:
        self._chip, self._clock = chip, clock
        self._byte_ns = 80_000  # 100 kHz
        self._is_low = False

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        pass

    def configure(self, **settings: int) -> None:
        self._byte_ns = 8_000_000_000 // settings["baudrate"]

    def switch_to_output(self, *, value: bool) -> None:
        self._is_low = not value

    @property
    def value(self) -> bool:
        return not self._is_low

    @value.setter
    def value(self, level: bool) -> None:
        if self._is_low and level:
            self._is_low = False
        elif not self._is_low and not level:
            self._is_low = True
            self._chip.select()

    def write(self, data: bytes) -> None:
        self._chip.transfer(list(data), self._clock, self._byte_ns)

    def write_readinto(self, sent: bytes, received: bytearray) -> None:
        received[:] = bytes(self._chip.transfer(list(sent), self._clock, self._byte_ns))


def doubles() -> dict[str, ModuleType]:
    """Return modules with the names that the package imports from CircuitPython."""
    busio, digitalio, micropython = map(ModuleType, ("busio", "digitalio", "micropython"))
    vars(busio).update(I2C=object, SPI=object, UART=object)
    vars(digitalio).update(DigitalInOut=object, Direction=SimpleNamespace(OUTPUT=1, INPUT=0))
    vars(micropython).update(const=lambda value: value)
    return {"busio": busio, "digitalio": digitalio, "micropython": micropython}


class Bench:
    """A PN532 with its field, and the drivers of the package."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock)
        self.chip = Pn532(self.clock, self.field)

    def import_driver(self, name: str) -> Any:
        """Return a module of the package whose waits pass on the virtual clock."""
        module: Any = importlib.import_module(f"adafruit_pn532.{name}")
        module.time = SimpleNamespace(monotonic=self.clock.now, sleep=self.clock.sleep)
        return module

    def over_i2c(self) -> Any:
        bus = I2cBus(self.clock)
        bus.attach(Pn532I2c(self.chip))
        return self.import_driver("i2c").PN532_I2C(bus)

    def over_spi(self) -> Any:
        spi = SpiDouble(Pn532Spi(self.chip), self.clock)
        return self.import_driver("spi").PN532_SPI(spi, spi)

    def over_uart(self) -> Any:
        return self.import_driver("uart").PN532_UART(Pn532Uart(self.chip, timeout=0.1))


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    with monkeypatch.context() as patch:
        for name in [name for name in sys.modules if name.startswith("adafruit_")]:
            patch.delitem(sys.modules, name)
        for name, module in doubles().items():
            patch.setitem(sys.modules, name, module)
        bench = Bench()
        bench.import_driver("adafruit_pn532")
        yield bench
        for name in [name for name in sys.modules if name.startswith("adafruit_")]:
            patch.delitem(sys.modules, name)


LINKS: dict[str, Callable[[Bench], Any]] = {
    "i2c": Bench.over_i2c,
    "spi": Bench.over_spi,
    "uart": Bench.over_uart,
}


@pytest.fixture(params=LINKS)
def driver(bench: Bench, request: pytest.FixtureRequest) -> Any:
    opened = LINKS[request.param](bench)
    opened.SAM_configuration()
    return opened


def test_the_firmware_version(driver: Any) -> None:
    assert driver.firmware_version == (0x32, 1, 6, 7)


def test_an_empty_field_is_none_after_the_timeout(bench: Bench, driver: Any) -> None:
    before = bench.clock.now()
    assert driver.read_passive_target(timeout=0.5) is None
    assert 0.5 <= bench.clock.now() - before < 0.7


@pytest.mark.parametrize(
    ("tag", "uid"),
    [(MifareClassic1K, UID4), (Ntag, UID7), (Ultralight, UID7), (Desfire, UID7)],
)
def test_the_uid_of_a_tag(
    bench: Bench, driver: Any, tag: Callable[[bytes], Picc], uid: bytes
) -> None:
    bench.field.enter(tag(uid))
    for _ in range(3):  # the tag stays, and is found each time
        assert bytes(driver.read_passive_target()) == uid


def test_a_tag_that_arrives_during_the_search(bench: Bench, driver: Any) -> None:
    tag = Ntag(UID7)
    bench.clock.call_at(bench.clock.now_ns + 300_000_000, lambda: bench.field.enter(tag))
    assert bytes(driver.read_passive_target(timeout=1)) == UID7
    bench.field.leave(tag)
    assert driver.read_passive_target(timeout=0.2) is None


def test_ntag_pages_are_read_and_written(bench: Bench, driver: Any) -> None:
    tag = Ntag(UID7)
    bench.field.enter(tag)
    assert driver.read_passive_target()
    assert bytes(driver.ntag2xx_read_block(0)) == tag.memory[:4]
    assert driver.ntag2xx_write_block(6, b"card")
    assert bytes(driver.ntag2xx_read_block(6)) == b"card" == tag.memory[24:28]


def test_a_page_that_there_is_none_of_is_refused(bench: Bench, driver: Any) -> None:
    bench.field.enter(Ntag(UID7))
    assert driver.read_passive_target()
    assert not driver.ntag2xx_write_block(200, b"card")
    assert driver.read_passive_target()
    assert driver.ntag2xx_read_block(200) is None


def test_classic_blocks_need_the_right_key(bench: Bench, driver: Any) -> None:
    tag = MifareClassic1K(UID4)
    bench.field.enter(tag)
    uid = driver.read_passive_target()
    assert not driver.mifare_classic_authenticate_block(uid, 4, AUTH_A, b"\0" * 6)
    uid = driver.read_passive_target()
    assert driver.mifare_classic_read_block(4) is None
    uid = driver.read_passive_target()
    assert driver.mifare_classic_authenticate_block(uid, 4, AUTH_A, KEY)
    assert driver.mifare_classic_write_block(4, bytes(range(16)))
    assert bytes(driver.mifare_classic_read_block(4)) == bytes(range(16)) == tag.memory[64:80]
    assert driver.mifare_classic_authenticate_block(uid, 8, AUTH_A, KEY)  # within the session
    assert bytes(driver.mifare_classic_read_block(8)) == bytes(16)


def test_value_blocks_are_counted_up_and_down(bench: Bench, driver: Any) -> None:
    bench.field.enter(MifareClassic1K(UID4))
    uid = driver.read_passive_target()
    assert driver.mifare_classic_authenticate_block(uid, 4, AUTH_A, KEY)
    assert driver.mifare_classic_fmt_value_block(4, 100)
    assert driver.mifare_classic_add_value_block(4, 30)
    assert driver.mifare_classic_sub_value_block(4, 75)
    assert driver.mifare_classic_get_value_block(4) == 55


def test_a_data_block_is_no_value_block(bench: Bench, driver: Any) -> None:
    bench.field.enter(MifareClassic1K(UID4))
    uid = driver.read_passive_target()
    assert driver.mifare_classic_authenticate_block(uid, 4, AUTH_A, KEY)
    assert driver.mifare_classic_write_block(4, bytes(range(16)))
    assert not driver.mifare_classic_add_value_block(4, 1)


def test_of_two_tags_one_is_found(bench: Bench, driver: Any) -> None:
    tags = {UID7, bytes.fromhex("04A23B15C0FFEF")}
    for uid in tags:
        bench.field.enter(Ntag(uid))
    assert bytes(driver.read_passive_target()) in tags


def test_power_down_ends_with_the_next_command(bench: Bench, driver: Any) -> None:
    assert driver.power_down()
    assert not bench.field.is_on
    bench.field.enter(Ntag(UID7))
    assert bytes(driver.read_passive_target()) == UID7


def test_a_chip_without_power_is_not_found(bench: Bench) -> None:
    bench.chip.power(False)
    with pytest.raises(ValueError, match="No I2C device at address: 0x24"):
        bench.over_i2c()
    for open_link in (Bench.over_spi, Bench.over_uart):
        with pytest.raises(RuntimeError, match="Failed to detect the PN532"):
            open_link(bench)
