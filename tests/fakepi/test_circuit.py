"""Tests of the circuits of programs outside this process."""

import tomllib
from typing import Any

import pytest

from fakepi.circuit import CannotDoThat, Circuit
from fakepi.clock import VirtualClock
from fakepi.physics import ExactPhysics
from fakepi.sh1106 import Sh1106Chip
from fakepi.wiring import USUAL, read_wiring

UID = "04:11:22:33:44:55:66"
READ_VERSION = [0x80 | 0x37 << 1, 0]


def circuit(text: str) -> Circuit:
    return Circuit(read_wiring(tomllib.loads(text)), VirtualClock())


def test_the_usual_circuit_is_an_rc522_and_a_display() -> None:
    usual = Circuit(read_wiring(USUAL), VirtualClock())
    assert usual.open_spi("0.0").xfer2(READ_VERSION) == [0, 0x92]
    assert list(usual.displays) == ["1.0x3C"]
    with pytest.raises(KeyError):
        usual.open_spi("0.1")


def test_the_reset_pin_resets_the_chip() -> None:
    usual = Circuit(read_wiring(USUAL), VirtualClock())
    device = usual.open_spi("0.0")
    usual.pins.pin(25).output(True)
    usual.clock.sleep(1)
    assert device.xfer2(READ_VERSION) == [0, 0x92]
    usual.pins.pin(25).output(False)
    assert device.xfer2(READ_VERSION) == [0, 0]


def test_readers_on_one_bus_have_a_select_pin_each() -> None:
    both = circuit(
        '[spi]\n"0.0" = [{ chip = "mfrc522", select = 22 }, { chip = "mfrc522", select = 23 }]'
    )
    assert list(both.fields) == ["0.0/22", "0.0/23"]
    both.lay(UID, "0.0/23")
    assert (both.tags("0.0/22"), both.tags("0.0/23")) == ([], [UID])
    device = both.open_spi("0.0")
    for number in (22, 23):
        both.pins.pin(number).output(True)
    assert device.xfer2(READ_VERSION) == [0, 0]
    both.pins.pin(23).output(False)
    assert device.xfer2(READ_VERSION) == [0, 0x92]


def test_displays_are_on_their_bus_at_their_address() -> None:
    wired = circuit('[i2c]\n"0.0x3D" = "sh1106"\n"1.0x3C" = {chip = "ssd1306", size = "128x32"}')
    assert isinstance(wired.displays["0.0x3D"], Sh1106Chip)
    assert len(wired.displays["1.0x3C"].visible()) == 32
    bus = wired.i2c[0]
    bus.try_lock()
    bus.writeto(0x3D, b"\x00\xaf")
    with pytest.raises(OSError, match="3C"):
        bus.writeto(0x3C, b"\x00\xaf")


def test_tags_are_laid_and_lifted() -> None:
    usual = Circuit(read_wiring(USUAL), VirtualClock())
    usual.lay(UID)
    usual.lay("a1b2c3d4", "0.0")
    assert usual.tags("0.0") == [UID, "A1:B2:C3:D4"]
    assert len(usual.fields["0.0"].piccs) == 2
    usual.lift(UID, "0.0")
    assert usual.tags("0.0") == ["A1:B2:C3:D4"]
    assert len(usual.fields["0.0"].piccs) == 1
    with pytest.raises(CannotDoThat, match="is not on reader"):
        usual.lift(UID, "0.0")
    with pytest.raises(CannotDoThat, match="already"):
        usual.lay("A1:B2:C3:D4")
    with pytest.raises(CannotDoThat, match=r'no reader "0\.1"'):
        usual.lay(UID, "0.1")


@pytest.mark.parametrize(
    ("contact", "pull", "pressed"), [("GND", True, False), ("3V3", None, True)]
)
def test_a_button_connects_its_pin(contact: str, pull: bool | None, pressed: bool) -> None:
    wired = circuit(f'[pins]\n17 = {{ part = "button", to = "{contact}" }}')
    pin = wired.pins.pin(17)
    pin.pull(pull)
    levels = [pin.level]
    for is_down in (True, False):
        wired.press(17, is_down)
        levels.append(pin.level)
    assert levels == [not pressed, pressed, not pressed]
    with pytest.raises(CannotDoThat, match=r"no button at GPIO 18\. The buttons are: 17"):
        wired.press(18, True)


def raise_interrupt(wired: Circuit) -> None:
    """Start a timer of one tick that raises the interrupt; IRQ is then low."""
    # IRqInv and TimerIEn; a timer of one tick; it starts now. DS 9.3.1.3, 9.3.3.12, 9.3.1.13
    for register, value in ((0x02, 0x81), (0x2D, 0x01), (0x0C, 0x40)):
        wired.open_spi("0.0").xfer2([register << 1, value])


def test_the_irq_pin_follows_the_chip() -> None:
    wired = Circuit(read_wiring(USUAL), VirtualClock())
    pin = wired.pins.pin(24)
    levels: list[float] = []
    pin.wires.append(levels.append)
    wired.follow_interrupts()
    raise_interrupt(wired)
    wired.clock.sleep(0.01)
    assert (levels, pin.level) == ([1.0, 0.0], False)
    wired.open_spi("0.0").xfer2([0x04 << 1, 0x7F])  # clears the interrupt
    wired.open_spi("0.0").xfer2([0x02 << 1, 0x80])
    wired.clock.sleep(0.01)
    assert (levels, pin.level) == ([1.0, 0.0, 1.0], True)


@pytest.mark.parametrize("uid", ["04:1", "04:11:22", "", "04:11:22:33:44:55:6G"])
def test_a_wrong_uid_is_explained(uid: str) -> None:
    with pytest.raises(CannotDoThat, match=r"is not the UID of a tag\. Write 4 or 7 bytes"):
        Circuit(read_wiring(USUAL), VirtualClock()).lay(uid)


def test_all_chips_of_a_wiring_are_there() -> None:
    wired = circuit("""
[spi]
"0.0" = { chip = "mfrc522", profile = "fm17522" }
"0.1" = "pn532"
"1.0" = { chip = "ws2812", count = 3 }
[i2c]
"1.0x24" = "pn532"
"1.0x3C" = "ssd1309"
""")
    assert list(wired.fields) == ["0.0", "0.1", "1.0x24"]
    assert (list(wired.displays), list(wired.spi)) == (["1.0x3C"], ["0.0", "0.1", "1.0"])
    assert len(wired.strips["1.0"].colours) == 3
    assert wired.open_spi("0.0").xfer2(READ_VERSION) == [0, 0x88]
    status = bytearray(1)
    wired.i2c[1].try_lock()
    wired.i2c[1].readfrom_into(0x24, status)
    assert status == b"\0"  # no frame is ready


def test_a_reader_s_reset_pin_is_pulled_up_by_its_module() -> None:
    """GPIO25 is pulled down after a reset; a program that leaves it alone has a working reader."""
    usual = Circuit(read_wiring(USUAL), VirtualClock())
    pin = usual.pins.pin(25)
    assert pin.level
    pin.pull(False)
    assert pin.level
    pin.output(False)
    assert not pin.level
    pin.output(None)
    assert pin.level
    usual.clock.sleep(1)
    assert usual.open_spi("0.0").xfer2(READ_VERSION) == [0, 0x92]


def wake_ms(made: Circuit) -> float:
    made.lay(UID)
    made.fields["0.0"].switch(True)
    (tag,) = made.fields["0.0"].piccs
    return tag.awake_ns / 1_000_000


def test_the_seed_and_the_physics_decide_how_tags_behave() -> None:
    def times(**options: Any) -> set[float]:
        return {wake_ms(Circuit(read_wiring(USUAL), VirtualClock(), **options)) for _ in range(3)}

    assert times(physics=ExactPhysics()) == {1.0}
    assert len(times(seed=1)) == 1
    assert times(seed=1) != times(seed=2)


def test_the_trace_has_the_buses_and_the_air() -> None:
    usual = Circuit(read_wiring(USUAL), VirtualClock())
    usual.lay(UID)
    usual.open_spi("0.0").xfer2(READ_VERSION)
    bus = usual.i2c[1]
    bus.try_lock()
    bus.writeto(0x3C, b"\x00\xaf")
    usual.lift(UID, "0.0")
    assert [line.split(" ms  ")[1] for line in usual.trace.lines()] == [
        f"field 0.0 tag {UID} laid",
        "spi 0.0   read VersionReg = 92h",
        "i2c 1.0x3C AFh (display on)",
        f"field 0.0 tag {UID} lifted",
    ]
