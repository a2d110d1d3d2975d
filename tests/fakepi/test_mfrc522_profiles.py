"""Tests of the MFRC522's copies, and of boards that do not release MISO."""

import pytest

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import Mfrc522, Reg
from fakepi.mfrc522_profiles import MFRC522_PROFILES
from fakepi.ntag import Ntag
from fakepi.spi import SharedSpi, SpiDevice
from tests.fakepi.pcd import Pcd

UID = bytes.fromhex("04A23B15C0FFEE")


def powered(name: str) -> tuple[VirtualClock, RfField, SpiDevice]:
    clock = VirtualClock()
    field = RfField(clock)
    device = SpiDevice(MFRC522_PROFILES[name].chip(clock, field), clock)
    clock.advance_ns(1_000_000)
    return clock, field, device


def read(device: SpiDevice, register: int) -> int:
    return device.xfer2([0x80 | register << 1, 0x00])[1]


def write(device: SpiDevice, register: int, *values: int) -> None:
    device.xfer2([register << 1, *values])


def run_self_test(device: SpiDevice) -> bytes:
    """Run the self test step by step (data sheet, 16.1.1) and return its 64 bytes."""
    write(device, Reg.COMMAND, 0x0F)
    write(device, Reg.FIFO_DATA, *bytes(25))
    write(device, Reg.COMMAND, 0x01)
    write(device, Reg.AUTO_TEST, 0x09)
    write(device, Reg.FIFO_DATA, 0x00)
    write(device, Reg.COMMAND, 0x03)
    return bytes(read(device, Reg.FIFO_DATA) for _ in range(read(device, Reg.FIFO_LEVEL)))


@pytest.mark.parametrize("name", MFRC522_PROFILES)
def test_a_profile_tells_its_version_and_its_source(name: str) -> None:
    profile = MFRC522_PROFILES[name]
    _, _, device = powered(name)
    assert read(device, Reg.VERSION) == profile.version == int(name[-2:], 16) or "fm" in name
    assert "https://" in profile.source or "data sheet" in profile.source


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("philips-90", "0087980F", "4F30328D"),
        ("nxp-91", "00C637D5", "251D2979"),
        ("nxp-92", "00EB66BA", "7D953B2F"),
        ("fm17522", "00D6788C", "26EA2A62"),
        ("fm17522e", "00000000", "2112F9C7"),
        ("copy-b2", "00EB4485", "45DD7E3C"),
        ("copy-12", "00000000", "00000000"),
        ("faulty-82", "00EB66BA", "7D953B2F"),
    ],
)
def test_the_self_test_gives_the_published_bytes(name: str, first: str, last: str) -> None:
    result = run_self_test(powered(name)[2])
    assert len(result) == 64
    assert (result[:4], result[-4:]) == (bytes.fromhex(first), bytes.fromhex(last))


@pytest.mark.parametrize("name", MFRC522_PROFILES)
def test_the_gain_is_stuck_on_the_faulty_chip_alone(name: str) -> None:
    device = powered(name)[2]
    write(device, Reg.RF_CFG, 0x70)
    assert read(device, Reg.RF_CFG) & 0x70 == (0x40 if name == "faulty-82" else 0x70)


@pytest.mark.parametrize("name", MFRC522_PROFILES)
def test_each_profile_reads_a_tag(name: str) -> None:
    pcd = Pcd()
    pcd.chip = MFRC522_PROFILES[name].chip(pcd.clock, pcd.field)
    pcd.bus = SpiDevice(pcd.chip, pcd.clock)
    pcd.clock.advance_ns(1_000_000)
    pcd.field.enter(Ntag(UID))
    assert pcd.start().find() == UID


def test_a_board_that_keeps_miso_spoils_the_others() -> None:
    clock = VirtualClock()
    shared = SharedSpi()
    wires = [shared.attach(Mfrc522(clock, RfField(clock))) for _ in range(2)]
    device = SpiDevice(shared, clock)
    clock.advance_ns(1_000_000)

    def version_of(place: int) -> int:
        for number, wire in enumerate(wires):
            wire.drive(1)
            wire.drive(number != place)
        return read(device, Reg.VERSION)

    assert (version_of(0), version_of(1)) == (0x92, 0x92)
    wires[0].keeps_miso = 0x00
    assert (version_of(0), version_of(1)) == (0x92, 0x00)
    wires[0].keeps_miso = 0xFF
    assert (version_of(0), version_of(1)) == (0x92, 0x92)
    for wire in wires:
        wire.drive(1)
    assert device.xfer2([0x00]) == [0xFF]
    wires[0].keeps_miso = None
    assert device.xfer2([0x00]) == [0x00]
