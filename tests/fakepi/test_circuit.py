"""Tests of wiring files and of the circuits that they describe."""

import tomllib
from pathlib import Path

import pytest

from fakepi.circuit import USUAL, Circuit, WiringError, read_wiring
from fakepi.clock import VirtualClock
from fakepi.sh1106 import Sh1106Chip

UID = "04:11:22:33:44:55:66"
READ_VERSION = [0x80 | 0x37 << 1, 0]
READER = 'chip = "mfrc522"'


def circuit(text: str) -> Circuit:
    return Circuit(tomllib.loads(text), VirtualClock())


def test_the_usual_circuit_is_an_rc522_and_a_display() -> None:
    usual = Circuit(USUAL, VirtualClock())
    assert usual.open_spi("0.0").xfer2(READ_VERSION) == [0, 0x92]
    assert list(usual.displays) == ["1/0x3C"]
    with pytest.raises(KeyError):
        usual.open_spi("0.1")


def test_the_reset_pin_resets_the_chip() -> None:
    usual = Circuit(USUAL, VirtualClock())
    device = usual.open_spi("0.0")
    usual.pins.pin(25).output(True)
    usual.clock.sleep(1)
    assert device.xfer2(READ_VERSION) == [0, 0x92]
    usual.pins.pin(25).output(False)
    assert device.xfer2(READ_VERSION) == [0, 0]


def test_readers_on_one_bus_have_a_select_pin_each() -> None:
    both = circuit(
        f'[[spi."0.0"]]\n{READER}\nselect_pin = 22\ntags = ["{UID}"]\n'
        f'[[spi."0.0"]]\n{READER}\nselect_pin = 23\n'
    )
    assert list(both.fields) == ["0.0/22", "0.0/23"]
    assert both.tags("0.0/22") == [UID]
    device = both.open_spi("0.0")
    for number in (22, 23):
        both.pins.pin(number).output(True)
    assert device.xfer2(READ_VERSION) == [0, 0]
    both.pins.pin(23).output(False)
    assert device.xfer2(READ_VERSION) == [0, 0x92]


def test_displays_are_on_their_bus_at_their_address() -> None:
    wired = circuit('[i2c.0]\n0x3D = "sh1106"')
    assert isinstance(wired.displays["0/0x3D"], Sh1106Chip)
    bus = wired.i2c[0]
    bus.try_lock()
    bus.writeto(0x3D, b"\x00\xaf")
    with pytest.raises(OSError, match="3C"):
        bus.writeto(0x3C, b"\x00\xaf")


def test_tags_are_laid_and_lifted() -> None:
    usual = Circuit(USUAL, VirtualClock())
    usual.lay(UID)
    usual.lay("a1b2c3d4", "0.0")
    assert usual.tags("0.0") == [UID, "A1:B2:C3:D4"]
    assert len(usual.fields["0.0"].piccs) == 2
    usual.lift(UID, "0.0")
    assert usual.tags("0.0") == ["A1:B2:C3:D4"]
    assert len(usual.fields["0.0"].piccs) == 1
    with pytest.raises(WiringError, match="is not on reader"):
        usual.lift(UID, "0.0")
    with pytest.raises(WiringError, match="already"):
        usual.lay("A1:B2:C3:D4")
    with pytest.raises(WiringError, match=r'no reader "0\.1"'):
        usual.lay(UID, "0.1")


def test_a_button_grounds_its_pin() -> None:
    wired = circuit("[buttons]\nok = 17")
    pin = wired.pins.pin(17)
    pin.pull(True)
    levels = [pin.level]
    for is_down in (True, False):
        wired.press("ok", is_down)
        levels.append(pin.level)
    assert levels == [True, False, True]
    with pytest.raises(WiringError, match=r'no button "back"\. The buttons are: ok'):
        wired.press("back", True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[uart]", r"\[uart\] is unknown"),
        ("spi = 3", r"spi is no table"),
        (f'[spi."0"]\n{READER}', "is no chip select"),
        ('[spi."0.0"]\nchip = "rc532"', "needs a chip. Write one of: mfrc522"),
        (f'[spi."0.0"]\n{READER}\nirq_pin = 4', "irq_pin is unknown"),
        (f'[spi."0.0"]\n{READER}\nreset_pin = 58', "GPIO number from 0 to 57"),
        (f'[spi."0.0"]\n{READER}\ntags = ["04:1"]', "is not the UID of a tag"),
        (f'[[spi."0.0"]]\n{READER}\n[[spi."0.0"]]\n{READER}', "each of them its select_pin"),
        ("[i2c]\nx = 1", "is no I2C bus"),
        ('[i2c.1]\n0x3C = "ssd1309"', "is no known chip"),
        ('[i2c.1]\n0x7F = "ssd1306"', "Write an address such as 0x3C"),
        ("[buttons]\nok = 99", "GPIO number"),
    ],
)
def test_mistakes_in_a_wiring_are_explained(text: str, says: str) -> None:
    with pytest.raises(WiringError, match=says):
        circuit(text)


def test_a_file_that_is_no_toml_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text("spi = ")
    with pytest.raises(WiringError, match=r"w\.toml: .*Write it as TOML"):
        read_wiring(file)
