"""Tests of /dev/spidev*, by programs that make the raw system calls."""

import errno

import pytest

from fakepi.field import RfField
from fakepi.kernel.spidev import SpidevNode
from fakepi.mfrc522 import Mfrc522
from fakepi.physics import ExactPhysics
from fakepi.spi import SpiDevice
from tests.fakepi.kernel.child import Children

VERSION = [0x00, 0x92]  # VersionReg of an MFRC522, version 2.0; data sheet, 9.3.4.8


class Echo:
    """A wire from MOSI to MISO."""

    max_speed_hz = 0

    def xfer2(self, values: list[int]) -> list[int]:
        return values

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def children(children: Children) -> Children:
    chip = Mfrc522(children.clock, RfField(children.clock, ExactPhysics()))
    node = SpidevNode((153, 0), lambda hz: SpiDevice(chip, children.clock, hz))
    children.files.add_node("/dev/spidev0.0", node)
    children.files.add_node("/dev/spidev0.1", SpidevNode((153, 1), lambda hz: Echo()))
    return children


def test_a_chip_answers_a_message(children: Children) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
told["version"] = transfer(device, READ_VERSION)[0]
""")
    assert told["version"] == VERSION


def test_chip_select_stays_low_between_transfers_unless_asked(children: Children) -> None:
    """With chip select high in between, the second byte is an address again, not an answer."""
    told = children.ask("""
device = open_node("/dev/spidev0.0")
halves = READ_VERSION[:1], READ_VERSION[1:]
told["low"] = [list(part) for part in transfer(device, *halves)]
told["high"] = [list(part) for part in transfer(device, *halves, deselects=True)]
""")
    assert told["low"] == [[0x00], [0x92]]
    assert told["high"][1] != [0x92]


def test_settings_are_kept_and_wrong_ones_refused(children: Children) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
change(device, SPI_IOC_WR_MAX_SPEED_HZ, 4, 1_000_000)
change(device, SPI_IOC_WR_MODE, 1, 3)
told["speed"] = setting(device, SPI_IOC_RD_MAX_SPEED_HZ, 4)
told["modes"] = [setting(device, SPI_IOC_RD_MODE, 1), setting(device, SPI_IOC_RD_MODE32, 4)]
told["bits"] = setting(device, SPI_IOC_RD_BITS_PER_WORD, 1)
told["lsb"] = setting(device, SPI_IOC_RD_LSB_FIRST, 1)
told["wrong mode answers"] = transfer(device, READ_VERSION)[0]
told["refused"] = [
    error_of(lambda: change(device, SPI_IOC_WR_MODE, 1, 0x80)),
    error_of(lambda: change(device, SPI_IOC_WR_BITS_PER_WORD, 1, 16)),
    error_of(lambda: change(device, SPI_IOC_WR_LSB_FIRST, 1, 1)),
    error_of(lambda: change(device, SPI_IOC_WR_MAX_SPEED_HZ, 4, 0)),
    error_of(lambda: transfer(device, READ_VERSION, bits=9)),
    error_of(lambda: fcntl.ioctl(device, 0x6B99, 0)),
]
""")
    assert told["speed"] == 1_000_000
    assert told["modes"] == [3, 3]
    assert (told["bits"], told["lsb"]) == (8, 0)
    assert told["wrong mode answers"] == [0, 0]
    assert told["refused"] == ["EINVAL"] * 5 + ["ENOTTY"]


def test_a_message_longer_than_the_buffer_is_refused(children: Children) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.1")
told["fits"] = error_of(lambda: transfer(device, bytes(4096)))
told["long"] = error_of(lambda: transfer(device, bytes(4097)))
told["in parts"] = error_of(lambda: transfer(device, bytes(4000), bytes(97)))
told["write"] = error_of(lambda: os.write(device, bytes(4097)))
told["address"] = error_of(
    lambda: fcntl.ioctl(device, 0x40206B00, struct.pack(TRANSFER, 8, 0, 2, *[0] * 8))
)
""")
    assert told == {
        "fits": "",
        "long": "EMSGSIZE",
        "in parts": "EMSGSIZE",
        "write": "EMSGSIZE",
        "address": "EFAULT",
    }


def test_plain_reads_and_writes_reach_the_chip(children: Children) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
told["written"] = os.write(device, bytes([0x2D << 1, 0x5A]))
told["kept"] = transfer(device, bytes([0x80 | 0x2D << 1, 0]))[0]
told["read"] = os.read(open_node("/dev/spidev0.1"), 3)
""")
    assert told == {"written": 2, "kept": [0x00, 0x5A], "read": [0, 0, 0]}


def test_a_node_can_be_absent_or_forbidden(children: Children) -> None:
    """Each program first sees the node, so that the refusals cannot come from anything else."""
    look = """
told["opened"] = error_of(lambda: open_node("/dev/spidev0.0"))
told["exists"] = os.path.exists("/dev/spidev0.0")
told["access"] = os.access("/dev/spidev0.0", os.R_OK | os.W_OK)
told["listed"] = "spidev0.0" in os.listdir("/dev")
"""
    there = {"opened": "", "exists": True, "access": True, "listed": True}
    assert children.ask(look) == there
    children.files.refused["/dev/spidev0.0"] = errno.EACCES
    assert children.ask(look) == {**there, "opened": "EACCES", "access": False}
    children.files.refused.clear()
    children.files.remove_node("/dev/spidev0.0")
    gone = {"opened": "ENOENT", "exists": False, "access": False, "listed": False}
    assert children.ask(look) == gone
