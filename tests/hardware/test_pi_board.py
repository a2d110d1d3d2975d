"""Tests of the board of a real Raspberry Pi: devices opened, and errors for missing ones."""

import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory
from PIL import Image

from hardware.drivers.linux_i2c import I2C_SLAVE, LinuxI2c
from hardware.drivers.oled import Oled
from hardware.drivers.pi import NO_PI, PiBoard, open_board
from hardware.errors import MissingPart
from hardware.ports import Board, Speech
from tests.hardware.gpio_trees import (
    PI_3,
    PI_4,
    PI_5,
    PI_5_FIRST,
    PI_5_FROM_11,
    Chips,
    gpio_chips,
)


class FalseSpi:
    """A fake spidev.SpiDev that records how it is used."""

    def __init__(self, refusal: OSError | None = None) -> None:
        self.refusal = refusal
        self.opened: tuple[int, int] | None = None
        self.max_speed_hz = 0
        self.mode = -1
        self.times_closed = 0

    def open(self, bus: int, device: int) -> None:
        if self.refusal:
            raise self.refusal
        self.opened = (bus, device)

    def close(self) -> None:
        self.times_closed += 1


class System:
    """A computer's /dev and /proc files in a folder; a Raspberry Pi 5 by default."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self._monkeypatch = root, monkeypatch
        (root / "dev").mkdir()
        (root / "proc/device-tree").mkdir(parents=True)
        (root / "proc/device-tree/model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")

    def device(self, name: str) -> Path:
        path = self.root / "dev" / name
        path.touch()
        return path

    def spidev(self, spi: FalseSpi | None) -> None:
        module = SimpleNamespace(SpiDev=lambda: spi) if spi else None
        self._monkeypatch.setitem(sys.modules, "spidev", module)


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    return System(tmp_path, monkeypatch)


def test_opening_the_board_opens_nothing() -> None:
    board: Board = open_board()
    assert board.clock.now() <= board.clock.now()
    board.clock.sleep(-1)
    board.close()
    board.close()


# SPI


def test_spi_opens_the_chip_select_at_its_rate(pi: System) -> None:
    spi = FalseSpi()
    pi.device("spidev0.1")
    pi.spidev(spi)
    board = PiBoard(pi.root)
    opened: object = board.spi(0, 1, 1_000_000)
    assert opened is spi
    assert (spi.opened, spi.max_speed_hz, spi.mode) == ((0, 1), 1_000_000, 0)
    board.close()
    board.close()
    assert spi.times_closed == 1


def test_readers_on_select_pins_open_one_chip_select_side_by_side(
    pi: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    spis = [FalseSpi(), FalseSpi()]
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=iter(spis).__next__))
    pi.device("spidev0.1")
    board = PiBoard(pi.root)
    opened: list[object] = [board.spi(0, 1, 1_000_000) for _ in spis]
    assert opened == spis
    assert [spi.opened for spi in spis] == [(0, 1), (0, 1)]
    board.close()
    assert [spi.times_closed for spi in spis] == [1, 1]


@pytest.mark.parametrize(
    ("bus", "remedy"), [(0, "raspi-config nonint do_spi 0"), (1, "dtoverlay=spi1-3cs")]
)
def test_spi_that_is_off_says_how_to_turn_it_on(pi: System, bus: int, remedy: str) -> None:
    with pytest.raises(MissingPart) as missing:
        PiBoard(pi.root).spi(bus, 0, 1_000_000)
    assert missing.value.part == "SPI"
    assert missing.value.found == f"/dev/spidev{bus}.0 is not there"
    assert remedy in missing.value.remedy


@pytest.mark.parametrize(("bus", "number"), [("spi", (0, 0, 1_000_000)), ("i2c", (1,))])
def test_the_image_has_no_raspi_config_to_turn_a_bus_on(
    pi: System, bus: str, number: tuple[int, ...]
) -> None:
    (pi.root / "usr" / "lib" / "tapmat").mkdir(parents=True)
    with pytest.raises(MissingPart, match="write the image to the card again") as missing:
        getattr(PiBoard(pi.root), bus)(*number)
    assert "raspi-config" not in missing.value.remedy


def test_spi_without_its_python_module_says_how_to_install_it(pi: System) -> None:
    pi.device("spidev0.0")
    pi.spidev(None)
    with pytest.raises(MissingPart, match=r"module spidev is missing.*apt install python3-spidev"):
        PiBoard(pi.root).spi(0, 0, 1_000_000)


def test_spi_that_may_not_be_opened_names_the_group(pi: System) -> None:
    pi.device("spidev0.0")
    pi.spidev(FalseSpi(PermissionError(13, "Permission denied")))
    with pytest.raises(MissingPart, match=r"may not use /dev/spidev0\.0\. .*adduser \$USER spi"):
        PiBoard(pi.root).spi(0, 0, 1_000_000)


# Pins

ABOVE_LGPIO = ("gpiozero.pins.lgpio", "hardware.drivers.edges")


class FalseLgpio(ModuleType):
    """A fake lgpio module that opens chip *number* only."""

    SET_PULL_NONE = 0
    BOTH_EDGES, RISING_EDGE, FALLING_EDGE = 3, 1, 2

    def __init__(self, number: int) -> None:
        super().__init__("lgpio")
        self.number = number
        self.closed: list[int] = []

    def gpiochip_open(self, number: int) -> int:
        if number != self.number:
            raise RuntimeError("can not open gpiochip")  # as lgpio.error says it
        return 7

    def gpiochip_close(self, handle: int) -> None:
        self.closed.append(handle)

    def __getattr__(self, name: str) -> Any:
        if name.isupper():  # one of the many constants that gpiozero only mentions
            return 0
        raise AttributeError(name)


@pytest.fixture
def lgpio_for(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], FalseLgpio]:
    """A function that installs a fake lgpio for a chip number, under gpiozero's real factory."""

    def installed(number: int) -> FalseLgpio:
        library = FalseLgpio(number)
        monkeypatch.setitem(sys.modules, "lgpio", library)
        for module in ABOVE_LGPIO:
            monkeypatch.delitem(sys.modules, module, raising=False)
        return library

    return installed


def test_pins_without_their_library_say_how_to_install_it(
    pi: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpio_chips(pi.root, PI_5)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    for module in ABOVE_LGPIO:
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingPart, match=r"GPIO pins: .* lgpio .*apt install python3-lgpio"):
        _ = PiBoard(pi.root).pins


@pytest.mark.parametrize(
    ("chips", "number"),
    [(PI_3, 0), (PI_4, 0), (PI_5_FIRST, 4), (PI_5, 0), (PI_5_FROM_11, 15)],
)
def test_the_pins_are_lgpio_s_on_the_header_s_chip_and_opened_once(
    pi: System, lgpio_for: Callable[[int], FalseLgpio], chips: Chips, number: int
) -> None:
    gpio_chips(pi.root, chips)
    library = lgpio_for(number)
    board = PiBoard(pi.root)
    factory = board.pins
    assert factory is board.pins
    assert type(factory).__name__ == "EdgeFactory"
    assert factory.chip == number
    board.close()
    assert library.closed == [7]


def test_a_folder_in_which_lgpio_may_not_write_is_named(
    pi: System, lgpio_for: Callable[[int], FalseLgpio], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_number: int) -> int:
        raise FileNotFoundError(2, "No such file or directory", ".lgd-nfy-3")

    gpio_chips(pi.root, PI_4)
    monkeypatch.setattr(lgpio_for(0), "gpiochip_open", refuse)
    wanted = rf"must write to the current folder, but may not: {re.escape(str(Path.cwd()))}.*: cd$"
    with pytest.raises(MissingPart, match=wanted):
        _ = PiBoard(pi.root).pins


def test_pins_that_do_not_open_say_what_lgpio_said(
    pi: System, lgpio_for: Callable[[int], FalseLgpio]
) -> None:
    gpio_chips(pi.root, PI_5_FROM_11)
    lgpio_for(0)
    with pytest.raises(MissingPart, match=r"can not open gpiochip.*Stop the program that uses it"):
        _ = PiBoard(pi.root).pins


def test_pins_that_may_not_be_opened_name_the_chip_and_its_group(
    pi: System, lgpio_for: Callable[[int], FalseLgpio], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpio_chips(pi.root, PI_5_FROM_11)
    lgpio_for(0)
    monkeypatch.setattr("hardware.drivers.pi.os.access", lambda path, _: path.name != "gpiochip15")
    with pytest.raises(MissingPart, match=r"may not use /dev/gpiochip15\. .*adduser \$USER gpio"):
        _ = PiBoard(pi.root).pins


def test_pins_without_a_chip_are_not_a_matter_of_groups(
    pi: System, lgpio_for: Callable[[int], FalseLgpio]
) -> None:
    lgpio_for(0)
    with pytest.raises(MissingPart, match=r"there is no /dev/gpiochip\*") as missing:
        _ = PiBoard(pi.root).pins
    assert "adduser" not in missing.value.remedy


def test_another_pin_factory_can_be_named(pi: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(Device, "pin_factory", None)
    board = PiBoard(pi.root)
    assert isinstance(board.pins, MockFactory)
    board.close()


# I2C


def test_i2c_that_is_off_says_how_to_turn_it_on(pi: System) -> None:
    with pytest.raises(MissingPart, match=r"I2C: /dev/i2c-1 is not there\. .*do_i2c 0"):
        PiBoard(pi.root).i2c(1)


def test_i2c_that_may_not_be_opened_names_the_group(
    pi: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    pi.device("i2c-1")
    monkeypatch.setattr("hardware.drivers.linux_i2c.os.open", refuse)
    with pytest.raises(MissingPart, match=r"may not use /dev/i2c-1\. .*adduser \$USER i2c"):
        PiBoard(pi.root).i2c(1)


class FalseI2cDev:
    """A plain file in place of /dev/i2c-1; I2C writes go into the file, reads return its bytes."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fcntl = pytest.importorskip("fcntl", reason="the system has no I2C devices")
        self.path = path
        self.turned_to: list[tuple[int, int]] = []
        path.touch()

        def ioctl(_file: int, request: int, argument: int) -> int:
            self.turned_to.append((request, argument))
            return 0

        monkeypatch.setattr(fcntl, "ioctl", ioctl)


@pytest.fixture
def i2c_dev(pi: System, monkeypatch: pytest.MonkeyPatch) -> FalseI2cDev:
    return FalseI2cDev(pi.root / "dev/i2c-1", monkeypatch)


def test_i2c_writes_and_reads_the_device_file(i2c_dev: FalseI2cDev) -> None:
    bus = LinuxI2c(str(i2c_dev.path))
    assert bus.try_lock()
    assert not bus.try_lock()
    bus.writeto(0x3C, b"..abc.", start=2, end=5)
    assert i2c_dev.path.read_bytes() == b"abc"
    bus.unlock()
    assert bus.try_lock()
    bus.close()
    bus.close()

    reading = LinuxI2c(str(i2c_dev.path))
    buffer = bytearray(5)
    reading.readfrom_into(0x3D, buffer, start=1, end=4)
    assert buffer == b"\0abc\0"
    assert i2c_dev.turned_to == [(I2C_SLAVE, 0x3C), (I2C_SLAVE, 0x3D)]
    reading.close()


@pytest.mark.parametrize("transfer", [LinuxI2c.writeto, LinuxI2c.readfrom_into])
def test_i2c_dev_cannot_leave_out_the_stop(
    i2c_dev: FalseI2cDev, transfer: Callable[..., None]
) -> None:
    bus = LinuxI2c(str(i2c_dev.path))
    with pytest.raises(ValueError, match="stop"):
        transfer(bus, 0x3C, bytearray(1), stop=False)
    bus.close()


def test_an_i2c_read_that_comes_short_is_refused(i2c_dev: FalseI2cDev) -> None:
    bus = LinuxI2c(str(i2c_dev.path))
    bus.writeto(0x3C, b"abc")
    with pytest.raises(OSError, match="only 0 of 1 bytes were read"):
        bus.readfrom_into(0x3C, bytearray(1))  # the file is at its end
    bus.close()


def test_the_display_driver_runs_on_it(pi: System, i2c_dev: FalseI2cDev) -> None:
    board = PiBoard(pi.root)
    Oled(board.i2c(1), board.clock).show(Image.new("1", (128, 64)))
    sent = i2c_dev.path.read_bytes()
    assert sent.startswith(b"\x00\xe3\xe3\xae")
    assert sent.endswith(b"\x40" + bytes(1024) + b"\x00\xaf")
    board.close()


# A laptop


@pytest.mark.parametrize(
    "need",
    [
        lambda board: board.spi(0, 0, 1_000_000),
        lambda board: board.i2c(1),
        lambda board: board.pins,
    ],
)
def test_a_laptop_is_told_about_the_emulation(
    pi: System, monkeypatch: pytest.MonkeyPatch, need: Callable[[PiBoard], Any]
) -> None:
    """The remedy does not mention raspi-config on a computer that is no Pi."""
    (pi.root / "proc/device-tree/model").unlink()
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)
    with pytest.raises(MissingPart) as missing:
        need(PiBoard(pi.root))
    assert missing.value.remedy == NO_PI


def test_the_voice_is_closed_with_the_board(
    pi: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    board = PiBoard(pi.root)
    voice = board.voice(Speech())
    voice.say("hello", "en")
    board.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("voice")]
