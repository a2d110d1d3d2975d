"""Tests of the unmodified pn532pi, a second library, over the emulated PN532 on all three links.

The tests are skipped where that package is not installed. Small doubles replace spidev,
quick2wire.i2c and serial, and the library's waits pass on the virtual clock.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Spi, Pn532Uart
from fakepi.spi import SpiDevice
from fakepi.standins import SpiDev

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pn532pi") is None, reason="pn532pi is not installed"
)

UID4 = bytes.fromhex("12345678")
UID7 = bytes.fromhex("04A23B15C0FFEE")
KEY = b"\xff" * 6


class WritingSpiDev(SpiDev):
    """A ``spidev.SpiDev`` that can write without reading."""

    def writebytes(self, values: list[int]) -> None:
        self.xfer2(list(values))


class I2cMasterDouble:
    """A ``quick2wire.i2c.I2CMaster``; a message is an address, and bytes or a count."""

    def __init__(self, bus: I2cBus) -> None:
        self._bus = bus
        bus.try_lock()

    def transaction(self, message: tuple[int, bytes | int]) -> list[bytes]:
        address, content = message
        if isinstance(content, bytes):
            self._bus.writeto(address, content)
            return []
        read = bytearray(content)
        self._bus.readfrom_into(address, read)
        return [bytes(read)]


class SerialDouble(Pn532Uart):
    """A ``serial.Serial`` on the chip's UART."""

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass

    def inWaiting(self) -> int:  # noqa: N802 - the library's name
        return self.in_waiting

    def read(self, count: int = 1) -> bytes:
        return super().read(count) or b""


class Bench:
    """A PN532 with its field, and the library on it."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock)
        self.chip = Pn532(self.clock, self.field)

    def doubles(self) -> dict[str, ModuleType]:
        """Return the modules that the library opens its links with."""
        spidev, quick2wire, i2c, serial = map(
            ModuleType, ("spidev", "quick2wire", "quick2wire.i2c", "serial")
        )
        spi = SpiDevice(Pn532Spi(self.chip), self.clock)
        bus = I2cBus(self.clock, 100_000)
        bus.attach(Pn532I2c(self.chip))
        vars(spidev).update(SpiDev=lambda: WritingSpiDev({(0, 0): spi}))
        vars(i2c).update(
            I2CMaster=lambda number: I2cMasterDouble(bus),
            writing=lambda address, data: (address, bytes(data)),
            reading=lambda address, count: (address, count),
        )
        vars(quick2wire).update(i2c=i2c, __path__=[])
        vars(serial).update(Serial=lambda path, baudrate, timeout: SerialDouble(self.chip))
        return {"spidev": spidev, "quick2wire": quick2wire, "quick2wire.i2c": i2c, "serial": serial}

    def open(self, link: str) -> Any:
        """Return the library's driver on *link*, set up."""
        library: Any = importlib.import_module("pn532pi")
        for name in ("pn532spi", "pn532i2c"):
            module: Any = importlib.import_module(f"pn532pi.interfaces.{name}")
            module.time = SimpleNamespace(sleep=self.clock.sleep, time=self.clock.now)
        interface = {"spi": library.Pn532Spi, "i2c": library.Pn532I2c, "uart": library.Pn532Hsu}
        driver = library.Pn532(interface[link](0))
        driver.begin()
        return driver


def forget_library(patch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pn532pi"]:
        patch.delitem(sys.modules, name)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    with monkeypatch.context() as patch:
        forget_library(patch)
        bench = Bench()
        for name, module in bench.doubles().items():
            patch.setitem(sys.modules, name, module)
        yield bench
        forget_library(patch)


@pytest.fixture(params=["spi", "i2c", "uart"])
def driver(bench: Bench, request: pytest.FixtureRequest) -> Any:
    """The library, set up; over SPI it does not wait for the chip to wake, so it must try twice."""
    opened = bench.open(request.param)
    assert opened.SAMConfig() is not (request.param == "spi")
    assert opened.SAMConfig()
    return opened


def test_the_firmware_version(driver: Any) -> None:
    assert driver.getFirmwareVersion() == 0x32010607


@pytest.mark.parametrize(("tag", "uid"), [(MifareClassic1K, UID4), (Ntag, UID7)])
def test_the_uid_of_a_tag(
    bench: Bench, driver: Any, tag: Callable[[bytes], Ntag | MifareClassic1K], uid: bytes
) -> None:
    assert driver.readPassiveTargetID(0) == (False, b"")
    bench.field.enter(tag(uid))
    for _ in range(3):
        assert driver.readPassiveTargetID(0) == (True, uid)


def test_no_retries_end_the_search_at_once(bench: Bench, driver: Any) -> None:
    assert driver.setPassiveActivationRetries(2)
    before = bench.clock.now()
    assert driver.readPassiveTargetID(0) == (False, b"")
    assert bench.clock.now() - before < 0.1


def test_pages_are_read_and_written(bench: Bench, driver: Any) -> None:
    tag = Ntag(UID7)
    bench.field.enter(tag)
    assert driver.readPassiveTargetID(0)[0]
    assert driver.mifareultralight_WritePage(6, b"card")
    assert driver.mifareultralight_ReadPage(6)[1][:4] == b"card"
    assert tag.memory[24:28] == b"card"


def test_blocks_need_the_right_key(bench: Bench, driver: Any) -> None:
    bench.field.enter(MifareClassic1K(UID4))
    uid = driver.readPassiveTargetID(0)[1]
    assert not driver.mifareclassic_AuthenticateBlock(uid, 4, 0, b"\0" * 6)
    uid = driver.readPassiveTargetID(0)[1]
    assert driver.mifareclassic_AuthenticateBlock(uid, 4, 0, KEY)
    assert driver.mifareclassic_WriteDataBlock(4, bytearray(range(16)))
    assert driver.mifareclassic_ReadDataBlock(4) == (True, bytes(range(16)))


def test_a_released_tag_is_found_again(bench: Bench, driver: Any) -> None:
    bench.field.enter(Ntag(UID7))
    assert driver.inListPassiveTarget()
    assert driver.inRelease()
    assert driver.readPassiveTargetID(0) == (True, UID7)


def test_a_chip_in_reset_does_not_answer(bench: Bench, driver: Any) -> None:
    bench.chip.reset_pin(False)
    try:
        version = driver.getFirmwareVersion()
    except OSError:  # on I2C, nobody acknowledges the address
        version = 0
    assert version == 0
