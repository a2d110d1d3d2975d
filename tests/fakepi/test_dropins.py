"""Tests of the drop-in modules, by short programs and by the unmodified libraries."""

import importlib
import importlib.util
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gpiozero
import pytest

from fakepi import Classic1K, FakePi
from fakepi.dropins.install import Undo, drop_in, modules
from fakepi.gpio import ShortCircuitError

VERSION = [0x37 << 1 | 0x80, 0]


@pytest.fixture
def gpio(pi: FakePi) -> Any:
    module = importlib.import_module("RPi.GPIO")
    module.setmode(module.BCM)
    return module


def need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


# spidev


def test_spidev_reads_a_register(pi: FakePi) -> None:
    spidev = importlib.import_module("spidev")
    with spidev.SpiDev(0, 0) as opened:
        opened.max_speed_hz = 1_000_000
        assert opened.xfer2(VERSION) == [0, 0x92]
        assert opened.xfer2(VERSION, 4_000_000) == [0, 0x92]
        assert opened.max_speed_hz == 1_000_000
        assert opened.xfer3(VERSION) == (0, 0x92)
        opened.writebytes2([0x02, 0x00])
        assert opened.readbytes(1) == [0]
    with pytest.raises(OSError, match="Bad file descriptor"):
        opened.xfer2([0])


@pytest.mark.long
@pytest.mark.parametrize("mode", [1, 2, 3])
def test_a_chip_hears_nothing_in_another_spi_mode(pi: FakePi, mode: int) -> None:
    opened = importlib.import_module("spidev").SpiDev(0, 0)
    opened.mode = mode
    before_ns = pi.clock.now_ns
    assert opened.xfer2(VERSION) == [0, 0]
    assert pi.clock.now_ns - before_ns == 38_000
    assert pi.trace.lines()[-1].endswith(
        "spi 0.0   sent EE 00 in an SPI mode that the chip lacks, so it receives nothing"
    )
    opened.mode = 0
    assert opened.xfer2(VERSION) == [0, 0x92]


def test_a_strip_shows_its_colours_in_each_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = FakePi({"spi": {"0.0": {"chip": "ws2812", "count": 1}}})
    with drop_in(pi, monkeypatch):
        opened = importlib.import_module("spidev").SpiDev(0, 0)
        opened.max_speed_hz, opened.mode = 6_400_000, 3
        opened.xfer2([0xF8] * 24 + [0] * 300)
    assert pi.strips["0.0"].colours == ((255, 255, 255),)


def test_spidev_refuses_the_settings_that_a_pi_does_not_have(pi: FakePi) -> None:
    opened = importlib.import_module("spidev").SpiDev(0, 0)
    opened.lsbfirst = False
    opened.bits_per_word = 8
    for name, value in (("lsbfirst", True), ("bits_per_word", 16)):
        with pytest.raises(OSError, match=r"\[Errno 22\] Invalid argument"):
            setattr(opened, name, value)
    with pytest.raises(OSError, match="Invalid argument"):
        opened.xfer2(VERSION, 0, 0, 9)
    assert (opened.lsbfirst, opened.bits_per_word) == (False, 8)


def test_spidev_opens_a_path(pi: FakePi) -> None:
    opened = importlib.import_module("spidev").SpiDev()
    opened.open_path("/dev/spidev0.0")
    assert opened.xfer(VERSION) == [0, 0x92]


@pytest.mark.parametrize("where", [(0, 1), (2, 0)])
def test_spidev_finds_no_file_where_nothing_is_wired(pi: FakePi, where: tuple[int, int]) -> None:
    spidev = importlib.import_module("spidev")
    with pytest.raises(FileNotFoundError, match=rf"spidev{where[0]}\.{where[1]}"):
        spidev.SpiDev(*where)


def test_spidev_refuses_what_the_kernel_refuses(pi: FakePi) -> None:
    opened = importlib.import_module("spidev").SpiDev(0, 0)
    with pytest.raises(OverflowError, match="4096"):
        opened.xfer2([0] * 4097)
    with pytest.raises(TypeError, match="Empty"):
        opened.xfer2([])
    with pytest.raises(AttributeError):
        opened.max_sped_hz = 1


# smbus2


def test_smbus_writes_to_the_display_and_reads_its_status(pi: FakePi) -> None:
    smbus2 = importlib.import_module("smbus2")
    with smbus2.SMBus(1) as bus:
        bus.write_i2c_block_data(0x3C, 0x00, [0x8D, 0x14, 0xAF])
        bus.write_byte_data(0x3C, 0x00, 0xA5)
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40, 1, 2, 3]))
        assert pi.oled.chip.gddram[:3] == b"\x01\x02\x03"
        assert bus.read_byte(0x3C) == 0x00
        assert bus.read_byte_data(0x3C, 0x00) == 0x00
        assert bus.read_word_data(0x3C, 0x00) == 0x0000
        assert bus.read_i2c_block_data(0x3C, 0x00, 3) == [0, 0, 0]
        answer = smbus2.i2c_msg.read(0x3C, 2)
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x00"), answer)
        assert list(answer) == [0, 0]
    assert pi.oled.image.getbbox() == (0, 0, 128, 64)
    with pytest.raises(OSError, match="Bad file descriptor"):
        bus.read_byte(0x3C)


def test_smbus_refuses_an_absent_bus_an_absent_chip_and_a_long_block(pi: FakePi) -> None:
    smbus = importlib.import_module("smbus")
    with pytest.raises(FileNotFoundError, match="/dev/i2c-7"):
        smbus.SMBus(7)
    bus = smbus.SMBus("/dev/i2c-1")
    with pytest.raises(OSError, match="acknowledged") as absent:
        bus.write_quick(0x20)
    assert absent.value.errno == 121
    with pytest.raises(ValueError, match="over 32 bytes"):
        bus.write_i2c_block_data(0x3C, 0x40, [0] * 33)


# serial


def test_serial_opens_what_is_wired_and_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = FakePi({"uart": {"serial0": "pn532"}})
    with drop_in(pi, monkeypatch):
        serial = importlib.import_module("serial")
        with pytest.raises(serial.SerialException, match="could not open port /dev/ttyS0"):
            serial.Serial("/dev/ttyS0", 115_200)
        with serial.Serial("/dev/serial0", 115_200, timeout=0.1) as port:
            assert port.read(1) == b""
            assert pi.clock.now() == pytest.approx(0.1, abs=0.001)
            port.write(b"\x55" + bytes(6) + bytes.fromhex("0000FF02FED4022A00"))
            assert port.read(6) == b"\0\0\xff\0\xff\0"
            pi.clock.advance(0.1)
            assert port.in_waiting == 13
            port.reset_input_buffer()
            port.timeout = None
            with pytest.raises(RuntimeError, match="would wait for ever"):
                port.read(1)
        with pytest.raises(serial.SerialException, match="not open"):
            port.read(1)


# RPi.GPIO


def test_a_button_calls_back_once_though_it_bounces(pi: FakePi, gpio: Any) -> None:
    gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
    calls: list[int] = []
    gpio.add_event_detect(17, gpio.FALLING, callback=calls.append, bouncetime=50)
    for _ in range(3):
        pi.pins[17].press()
        pi.clock.advance(0.001)
        pi.pins[17].release()
    assert calls == [17]
    assert gpio.event_detected(17)
    assert not gpio.event_detected(17)
    pi.clock.advance(0.1)
    pi.pins[17].press()
    assert calls == [17, 17]
    assert gpio.input(17) == gpio.LOW
    gpio.remove_event_detect(17)
    pi.pins[17].release()
    pi.clock.advance(0.1)
    pi.pins[17].press()
    assert calls == [17, 17]


def test_without_a_bounce_time_every_edge_calls_back(pi: FakePi, gpio: Any) -> None:
    gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
    calls: list[int] = []
    gpio.add_event_detect(17, gpio.BOTH)
    gpio.add_event_callback(17, calls.append)
    pi.pins[17].press()
    pi.pins[17].release()
    assert calls == [17, 17]


def test_a_wait_for_an_edge_ends_with_the_edge_or_the_time(pi: FakePi, gpio: Any) -> None:
    gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
    pi.clock.call_after(0.5, pi.pins[17].press)
    assert gpio.wait_for_edge(17, gpio.FALLING) == 17
    assert pi.clock.now() == pytest.approx(0.5, abs=0.002)
    assert gpio.wait_for_edge(17, gpio.FALLING, timeout=200) is None
    assert pi.clock.now() == pytest.approx(0.7, abs=0.004)
    with pytest.raises(RuntimeError, match="would wait for ever"):
        gpio.wait_for_edge(17, gpio.FALLING)


def test_outputs_and_board_numbers(pi: FakePi) -> None:
    gpio = importlib.import_module("RPi.GPIO")
    gpio.setmode(gpio.BOARD)
    gpio.setup([11, 12], gpio.OUT, initial=gpio.HIGH)
    assert pi.pins[17].level == pi.pins[18].level == 1
    gpio.output([11, 12], [gpio.LOW, gpio.HIGH])
    assert (pi.pins[17].level, pi.pins[18].level) == (0, 1)
    assert gpio.gpio_function(11) == gpio.OUT
    gpio.cleanup()
    assert gpio.getmode() is None
    assert not pi.pins[17].is_output


def test_pulses_by_rpi_gpio(pi: FakePi, gpio: Any) -> None:
    gpio.setup(18, gpio.OUT)
    pulses = gpio.PWM(18, 50)
    assert pi.pins[18].pwm is None
    pulses.start(7.5)
    assert pi.pins[18].pwm == (50, 0.075)
    pulses.ChangeFrequency(100)
    pulses.ChangeDutyCycle(10)
    assert pi.pins[18].pwm == (100, 0.1)
    pulses.stop()
    assert (pi.pins[18].pwm, pi.pins[18].level) == (None, 0)


def nothing(_channel: int) -> None:
    pass


@pytest.mark.long
@pytest.mark.parametrize(
    ("misuse", "error", "message"),
    [
        (lambda g: g.setup(28, g.IN), ValueError, "channel sent is invalid"),
        (lambda g: g.setup(17, 5), ValueError, "invalid direction"),
        (lambda g: g.setup(17, g.OUT, pull_up_down=g.PUD_UP), ValueError, "not valid for outputs"),
        (lambda g: g.setup(17, g.IN, initial=1), ValueError, "not valid for inputs"),
        (lambda g: g.setup(17, g.IN, pull_up_down=3), ValueError, "PUD_OFF, PUD_UP or PUD_DOWN"),
        (lambda g: g.setmode(g.BOARD), ValueError, "different mode"),
        (lambda g: g.setmode(12), ValueError, "invalid mode"),
        (lambda g: g.output(17, 1), RuntimeError, "not been set up as an OUTPUT"),
        (lambda g: g.input(17), RuntimeError, "must setup"),
        (lambda g: g.add_event_detect(17, g.BOTH), RuntimeError, "as an input first"),
        (lambda g: g.add_event_callback(17, nothing), RuntimeError, "add_event_detect first"),
        (lambda g: g.PWM(17, 50), RuntimeError, "as an output first"),
        (lambda g: (g.setup(17, g.OUT), g.PWM(17, 0)), ValueError, "greater than 0.0"),
        (lambda g: (g.setup(17, g.OUT), g.PWM(17, 1).start(101)), ValueError, "0.0 to 100.0"),
        (lambda g: (g.setup(17, g.OUT), g.output(17, [1, 0])), RuntimeError, "Number of channels"),
        (lambda g: (g.setup(17, g.IN), g.add_event_detect(17, 1)), ValueError, "RISING, FALLING"),
    ],
)
def test_rpi_gpio_refuses(
    gpio: Any, misuse: Callable[[Any], None], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        misuse(gpio)


def test_rpi_gpio_wants_a_numbering_first(pi: FakePi) -> None:
    gpio = importlib.import_module("RPi.GPIO")
    with pytest.raises(RuntimeError, match="set pin numbering mode"):
        gpio.setup(17, gpio.IN)


def test_an_output_on_a_pressed_button_is_a_short_circuit(pi: FakePi, gpio: Any) -> None:
    pi.pins[17].press()
    with pytest.raises(ShortCircuitError):
        gpio.setup(17, gpio.OUT, initial=gpio.HIGH)


# lgpio, and gpiozero over it


def test_lgpio_raises_its_errors(pi: FakePi) -> None:
    lgpio: Any = importlib.import_module("lgpio")
    chip = lgpio.gpiochip_open(0)
    misuses: tuple[Callable[[], object], ...] = (
        lambda: lgpio.gpio_read(chip, 17),
        lambda: lgpio.gpio_write(chip, 17, 1),
        lambda: lgpio.gpio_free(chip, 17),
        lambda: lgpio.gpio_claim_input(chip, 28),
        lambda: lgpio.tx_pwm(chip, 17, 50, 101),
        lambda: lgpio.spi_open(0, 1, 1_000_000),
        lambda: lgpio.gpiochip_open(9),
    )
    for misuse in misuses:
        with pytest.raises(lgpio.error):
            misuse()
    handle = lgpio.spi_open(0, 0, 1_000_000)
    assert lgpio.spi_xfer(handle, VERSION) == (2, bytearray((0, 0x92)))


def test_gpiozero_drives_and_reads_the_pins(pi: FakePi) -> None:
    led = gpiozero.LED(17)
    led.on()
    assert pi.pins[17].level == 1
    dimmed = gpiozero.PWMLED(19)
    dimmed.value = 0.25
    assert pi.pins[19].value == 0.25
    button = gpiozero.Button(18)
    presses: list[float] = []
    button.when_pressed = lambda: presses.append(pi.clock.now())
    pi.clock.call_after(0.5, pi.pins[18].press)
    pi.clock.advance(1)
    assert presses == [pytest.approx(0.5, abs=0.0001)]  # gpiozero reads the pin first
    assert button.is_pressed


def test_gpiozero_waits_until_a_button_has_stopped_bouncing(pi: FakePi) -> None:
    button = gpiozero.Button(18, bounce_time=0.01)
    presses: list[float] = []
    button.when_pressed = lambda: presses.append(pi.clock.now())
    for _ in range(3):
        pi.pins[18].press()
        pi.clock.advance(0.001)
        pi.pins[18].release()
        pi.clock.advance(0.001)
    pi.pins[18].press()
    assert presses == []
    pi.clock.advance(0.02)
    assert presses == [pytest.approx(0.016, abs=0.0001)]


def test_gpiozero_has_the_pins_of_each_fake_pi_beside_a_real_lgpio(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    importlib.import_module("gpiozero.pins.local")  # it keeps the pins that are in use
    real, pins = ModuleType("lgpio"), ModuleType("gpiozero.pins.lgpio")
    monkeypatch.setattr(pins, "lgpio", real, raising=False)
    monkeypatch.setitem(vars(gpiozero.pins), "lgpio", pins)  # as an import leaves it
    monkeypatch.setitem(sys.modules, "lgpio", real)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", pins)
    for _ in range(2):
        pi = FakePi()
        with Undo() as undo, drop_in(pi, undo):
            button = gpiozero.Button(18)
            pi.pins[18].press()
            assert button.is_pressed
        assert sys.modules["gpiozero"] is gpiozero
        assert sys.modules["gpiozero.pins.lgpio"] is pins


def test_gpiozero_reads_the_reader_over_spi(pi: FakePi) -> None:
    with gpiozero.SPIDevice(port=0, device=0) as device:
        assert device._spi.transfer(VERSION) == [0, 0x92]


# Time


def test_a_sleep_takes_virtual_time_and_clocks_show_it(pi: FakePi) -> None:
    before = time.monotonic(), time.time_ns()
    time.sleep(3600)
    assert pi.clock.now() == 3600
    assert time.monotonic() - before[0] >= 3600
    assert time.time_ns() - before[1] >= 3600 * 10**9
    with pytest.raises(ValueError, match="non-negative"):
        time.sleep(-1)


@pytest.mark.long
def test_a_wait_for_an_event_takes_virtual_time(pi: FakePi) -> None:
    event = threading.Event()
    assert not event.wait(60)
    assert pi.clock.now() == pytest.approx(60)
    pi.clock.call_after(5, event.set)
    assert event.wait(60)
    assert pi.clock.now() == pytest.approx(65, abs=0.01)
    event.clear()
    pi.clock.call_after(0.5, event.set)
    assert event.wait()


def test_other_threads_sleep_really(pi: FakePi) -> None:
    thread = threading.Thread(target=time.sleep, args=(0.001,))
    thread.start()
    thread.join()
    assert pi.clock.now() == 0


# In place, and out again


def names_in_place() -> dict[str, object]:
    return {name: sys.modules.get(name) for name in modules(FakePi())}


def test_afterwards_everything_is_as_it_was() -> None:
    before = names_in_place(), time.sleep, threading.Event.wait
    with Undo() as undo, drop_in(FakePi(), undo):
        assert names_in_place() != before[0]
        assert time.sleep is not before[1]
    assert (names_in_place(), time.sleep, threading.Event.wait) == before


def test_an_error_inside_puts_everything_back_too() -> None:
    before = names_in_place(), time.sleep
    with pytest.raises(RuntimeError, match="oh"), Undo() as undo, drop_in(FakePi(), undo):
        raise RuntimeError("oh")
    assert (names_in_place(), time.sleep) == before


def test_real_time_leaves_sleep_alone() -> None:
    before = time.sleep
    with Undo() as undo, drop_in(FakePi(), undo, has_real_time=True):
        assert time.sleep is before


def test_kept_modules_are_not_replaced() -> None:
    before = sys.modules.get("RPi")
    with Undo() as undo, drop_in(FakePi(), undo, keep=["RPi"]):
        assert sys.modules.get("RPi") is before
        assert "spidev" in sys.modules


def test_modules_that_use_a_drop_in_are_imported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "fp_driver.py").write_text("from spidev import SpiDev\n")
    (tmp_path / "fp_program.py").write_text("from fp_driver import SpiDev\n")
    (tmp_path / "fp_sleeper.py").write_text("from time import sleep\n")
    (tmp_path / "fp_other.py").write_text("import os\n")
    names = ("fp_driver", "fp_program", "fp_sleeper", "fp_other")
    with Undo() as undo, drop_in(FakePi(), undo):
        for name in names:
            importlib.import_module(name)
    assert [name in sys.modules for name in names] == [False, False, False, True]
    monkeypatch.delitem(sys.modules, "fp_other")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package like luma.oled: its device sleeps, and uses a constant of another module."""
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "fp_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "const.py").write_text("WIDTH = 128\n")
    (folder / "device.py").write_text(
        "from time import sleep\nimport fp_package.const\nWIDTH = fp_package.const.WIDTH\n"
    )
    yield folder.name
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def test_a_package_that_uses_a_drop_in_is_imported_again_as_a_whole(package: str) -> None:
    devices = []
    for _ in range(2):
        with Undo() as undo, drop_in(FakePi(), undo):
            devices.append(importlib.import_module(f"{package}.device"))
    assert devices[0] is not devices[1]
    assert [each.WIDTH for each in devices] == [128, 128]


def test_a_package_that_was_loaded_before_keeps_no_old_module(package: str) -> None:
    """`from package import module` looks at the package's attributes first."""
    importlib.import_module(f"{package}.const")
    found: dict[str, Any] = {}
    for name in ("first", "second"):
        with Undo() as undo, drop_in(FakePi(), undo):
            exec(f"from {package} import device as {name}", found)
    assert found["first"] is not found["second"]
    assert f"{package}.const" in sys.modules


def test_a_hidden_package_is_hidden_as_a_whole(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real library was loaded before, with a package that uses it."""
    real = type(sys)("spidev")
    monkeypatch.setitem(sys.modules, "spidev", real)
    device = importlib.import_module(f"{package}.device")
    vars(device)["spidev"] = real
    with Undo() as undo, drop_in(FakePi(), undo):
        again = importlib.import_module(f"{package}.device")
        assert again is not device
        assert again.WIDTH == 128
    assert sys.modules[f"{package}.device"] is device


def test_modules_that_use_the_real_library_are_hidden_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    real = type(sys)("spidev")
    monkeypatch.setitem(sys.modules, "spidev", real)
    (tmp_path / "fp_old_driver.py").write_text("import spidev\n")
    old = importlib.import_module("fp_old_driver")
    with Undo() as undo, drop_in(FakePi(), undo):
        new = importlib.import_module("fp_old_driver")
        assert new.spidev is not real
    assert sys.modules["fp_old_driver"] is old
    assert sys.modules["spidev"] is real
    monkeypatch.delitem(sys.modules, "fp_old_driver")


# Unmodified libraries


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
def test_mfrc522_reads_a_card(pi: FakePi, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another test may have imported it over its own module spidev, which is gone.
    for name in [name for name in sys.modules if name.partition(".")[0] == "mfrc522"]:
        monkeypatch.delitem(sys.modules, name)
    reader = importlib.import_module("mfrc522").SimpleMFRC522()
    assert pi.pins[25].level == 1
    assert reader.read_id_no_block() is None
    pi.field.lay(Classic1K("A1:B2:C3:D4"))
    pi.clock.advance(0.01)
    assert reader.read_id_no_block() == 0xA1B2C3D404
    reader.READER.Close_MFRC522()
    assert not pi.pins[25].is_output


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_luma_draws_on_the_display(pi: FakePi) -> None:
    need("luma")
    serial = importlib.import_module("luma.core.interface.serial")
    device = importlib.import_module("luma.oled.device").ssd1306(serial.i2c(port=1, address=0x3C))
    with importlib.import_module("luma.core.render").canvas(device) as draw:
        draw.rectangle((10, 20, 30, 40), fill="white")
    assert pi.oled.image.getbbox() == (10, 20, 31, 41)


def test_rpi_lgpio_runs_on_the_drop_in_for_lgpio(monkeypatch: pytest.MonkeyPatch) -> None:
    need("RPi")
    pi = FakePi()
    with drop_in(pi, monkeypatch, keep=["RPi"]):
        gpio = importlib.import_module("RPi.GPIO")
        gpio.setmode(gpio.BCM)
        gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
        calls: list[int] = []
        gpio.add_event_detect(17, gpio.FALLING, callback=calls.append, bouncetime=50)
        pi.pins[17].press()
        pi.clock.advance(0.2)
        assert calls == [17]
        gpio.cleanup()


def test_blinka_runs_on_its_own_board(pi: FakePi) -> None:
    need("adafruit_blinka")
    board, busio = importlib.import_module("board"), importlib.import_module("busio")
    digitalio = importlib.import_module("digitalio")
    with busio.I2C(board.SCL, board.SDA) as i2c:
        assert i2c.try_lock()
        assert i2c.scan() == [0x3C]
        i2c.unlock()
        display = importlib.import_module("adafruit_ssd1306").SSD1306_I2C(128, 64, i2c)
        display.fill_rect(10, 20, 5, 5, 1)
        display.show()
    assert pi.oled.image.getbbox() == (10, 20, 15, 25)
    led = digitalio.DigitalInOut(board.D17)
    led.switch_to_output(value=True)
    assert pi.pins[17].level == 1
    button = digitalio.DigitalInOut(board.D18)
    button.switch_to_input(pull=digitalio.Pull.UP)
    assert button.value
    pi.pins[18].press()
    assert not button.value
    with busio.SPI(board.SCK, board.MOSI, board.MISO) as spi:
        assert spi.try_lock()
        spi.write(bytes(VERSION[:1]) * 5000)  # goes out in two parts
        read = bytearray(2)
        spi.write_readinto(bytes(VERSION), read)
        assert read[1] == 0x92
