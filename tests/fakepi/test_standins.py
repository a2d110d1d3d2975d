"""Tests of the stand-ins for spidev and RPi.GPIO, without a reader library."""

import sys

import pytest

from fakepi.clock import VirtualClock
from fakepi.spi import SpiDevice
from fakepi.standins import Gpio, SpiDev, replace_libraries


def test_an_opened_device_is_the_emulated_one() -> None:
    bus = SpiDevice(None, VirtualClock())
    with replace_libraries({(1, 2): bus}):
        import spidev

        opened = spidev.SpiDev()
        opened.open(1, 2)
        opened.max_speed_hz = 4_000_000
        assert opened.max_speed_hz == bus.max_speed_hz == 4_000_000
        assert opened.xfer2([1, 2]) == [0, 0]
        assert bus.transfers == 1


def test_closing_one_handle_leaves_the_device_to_others() -> None:
    bus = SpiDevice(None, VirtualClock())
    first, second = SpiDev({(0, 0): bus}), SpiDev({(0, 0): bus})
    first.open(0, 0)
    second.open(0, 0)
    first.close()
    assert second.xfer2([0]) == [0]
    with pytest.raises(OSError, match="Bad file descriptor"):
        first.xfer2([0])


def test_pins_are_remembered_and_cleaned_up() -> None:
    gpio = Gpio()
    assert gpio.getmode() is None
    gpio.setwarnings(False)
    gpio.setmode(gpio.BCM)
    gpio.setup(25, gpio.OUT)
    gpio.output(25, gpio.HIGH)
    assert gpio.input(25) == gpio.HIGH
    assert gpio.getmode() == gpio.BCM
    gpio.cleanup()
    assert gpio.getmode() is None
    assert [call[0] for call in gpio.calls] == [
        "setwarnings", "setmode", "setup", "output", "cleanup",
    ]  # fmt: skip


def replaced_modules() -> set[str]:
    return {name for name in sys.modules if name.startswith(("spidev", "RPi", "mfrc522"))}


def test_an_error_inside_still_puts_everything_back() -> None:
    before = replaced_modules()
    with pytest.raises(FileNotFoundError), replace_libraries({}):
        SpiDev({}).open(0, 0)
    assert replaced_modules() == before


def test_the_stand_in_is_what_an_import_finds() -> None:
    with replace_libraries({}) as gpio:
        assert sys.modules["RPi.GPIO"] is gpio
        assert {"spidev", "RPi", "RPi.GPIO"} <= replaced_modules()
