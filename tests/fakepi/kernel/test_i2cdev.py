"""Tests of /dev/i2c-*, by programs that make the raw system calls."""

import pytest

from fakepi.i2c import I2cBus
from fakepi.kernel.i2cdev import I2cNode
from fakepi.ssd1306 import Ssd1306Chip
from tests.fakepi.kernel.child import Children

IS_OFF = 0x40  # the status of a display that is off: SSD1306 data sheet, table 9-2


@pytest.fixture
def panel() -> Ssd1306Chip:
    return Ssd1306Chip()


@pytest.fixture
def children(children: Children, panel: Ssd1306Chip) -> Children:
    bus = I2cBus(children.clock)
    bus.attach(panel)
    children.files.add_node("/dev/i2c-1", I2cNode((89, 1), bus))
    return children


def test_writes_and_reads_reach_the_chip(children: Children, panel: Ssd1306Chip) -> None:
    told = children.ask("""
bus = open_node("/dev/i2c-1")
fcntl.ioctl(bus, I2C_SLAVE, 0x3C)
told["off"] = os.read(bus, 1)
told["written"] = os.write(bus, bytes([0x00, 0xAF]))
told["on"] = os.read(bus, 1)
""")
    assert told["off"][0] & IS_OFF
    assert told["written"] == 2
    assert not told["on"][0] & IS_OFF
    assert panel.registers.is_on


def test_an_address_without_a_chip_does_not_acknowledge(
    children: Children, panel: Ssd1306Chip
) -> None:
    look = """
bus = open_node("/dev/i2c-1")
fcntl.ioctl(bus, I2C_SLAVE, 0x3C)
told["there"] = error_of(lambda: os.write(bus, bytes([0x00, 0xE3])))
fcntl.ioctl(bus, I2C_SLAVE, 0x3D)
told["nobody"] = error_of(lambda: os.write(bus, bytes([0x00, 0xE3])))
told["in a message"] = error_of(lambda: messages(bus, (0x3D, 1)))
"""
    assert children.ask(look) == {"there": "", "nobody": "EREMOTEIO", "in a message": "EREMOTEIO"}
    panel.present = False
    assert children.ask(look)["there"] == "EREMOTEIO"


def test_messages_go_out_in_one_transaction(children: Children, panel: Ssd1306Chip) -> None:
    told = children.ask("""
bus = open_node("/dev/i2c-1")
told["status"] = messages(bus, (0x3C, bytes([0x00, 0xAF])), (0x3C, 1))[0]
told["none"] = error_of(lambda: messages(bus))
told["many"] = error_of(lambda: messages(bus, *[(0x3C, 1)] * 43))
told["long"] = error_of(lambda: messages(bus, (0x3C, bytes(8193))))
""")
    assert not told["status"][0] & IS_OFF
    assert (told["none"], told["many"], told["long"]) == ("EINVAL", "EINVAL", "EINVAL")
    assert panel.registers.is_on


def test_smbus_transactions_are_made_of_messages(children: Children, panel: Ssd1306Chip) -> None:
    """A scan for addresses asks with QUICK (0); a block (8) carries a command to the display."""
    told = children.ask("""
bus = open_node("/dev/i2c-1")
told["functions"] = fcntl.ioctl(bus, I2C_FUNCS, bytes(8))
fcntl.ioctl(bus, I2C_SLAVE, 0x3C)
smbus(bus, 0, 0, b"", is_read=False)
smbus(bus, 8, 0x00, b"\\x02\\x81\\x33", is_read=False)
told["status"] = smbus(bus, 1, 0, b"", is_read=True)[:1]
told["unknown"] = error_of(lambda: smbus(bus, 5, 0, b"", is_read=False))
fcntl.ioctl(bus, I2C_SLAVE, 0x3D)
told["nobody"] = error_of(lambda: smbus(bus, 0, 0, b"", is_read=False))
""")
    assert panel.registers.contrast == 0x33
    assert told["status"][0] & IS_OFF
    assert int.from_bytes(bytes(told["functions"]), "little") & 0x1  # I2C_FUNC_I2C
    assert (told["unknown"], told["nobody"]) == ("ENOTSUP", "EREMOTEIO")  # EOPNOTSUPP has two names


def test_what_the_bus_does_not_have_is_refused(children: Children) -> None:
    told = children.ask("""
bus = open_node("/dev/i2c-1")
told["address"] = error_of(lambda: fcntl.ioctl(bus, I2C_SLAVE, 0x80))
told["ten bits"] = error_of(lambda: fcntl.ioctl(bus, 0x0704, 1))
told["unknown"] = error_of(lambda: fcntl.ioctl(bus, 0x0799, 0))
told["pointer"] = error_of(lambda: fcntl.ioctl(bus, I2C_RDWR, struct.pack("<QIxxxx", 8, 1)))
""")
    assert told == {
        "address": "EINVAL",
        "ten bits": "EINVAL",
        "unknown": "ENOTTY",
        "pointer": "EFAULT",
    }
