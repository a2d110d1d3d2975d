"""Tests of programs that use the real pin libraries."""

import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from fakepi.ntag import Ntag
from tests.sim.nodes.child import LIMIT_S, PiChildren

UID = bytes.fromhex("04112233445566")


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.002)


def test_the_real_spidev_reaches_the_chip(on_pi: PiChildren) -> None:
    told = on_pi.ask("""
import spidev
device = spidev.SpiDev()
device.open(0, 0)
device.max_speed_hz = 1_000_000
device.mode = 0
told["version"] = device.xfer2(list(READ_VERSION))
told["speed"] = device.max_speed_hz
device.close()
device.open(0, 1)
told["nothing wired"] = device.xfer2(list(READ_VERSION))
told["no bus"] = error_of(lambda: device.open(1, 0))
""")
    assert told == {
        "version": [0, 0x92],
        "speed": 1_000_000,
        "nothing wired": [0, 0],
        "no bus": "ENOENT",
    }


@pytest.mark.long
def test_the_production_board_reads_tags_and_draws(on_pi: PiChildren) -> None:
    on_pi.pi.readers["play"].field.enter(Ntag(UID))
    told = on_pi.ask("""
from firmware.config.table_config import load_config
from firmware.runtime.wiring import open_parts
from hardware.drivers.pi import open_board
from PIL import Image
board = open_board()
parts = open_parts(load_config(), board)
seen = [parts.readers["play"].poll().uids for _ in range(3)]
told["seen"] = [uid.hex() for uids in seen for uid in uids]
parts.display.show(Image.new("1", (128, 64), 1))
parts.close()
board.close()
""")
    assert UID.hex() in told["seen"]
    assert on_pi.pi.display is not None
    assert not on_pi.pi.display.registers.is_on  # it was switched off at the end
    assert set(on_pi.pi.display.gddram) == {0xFF}  # every pixel is still in its memory


GPIOZERO = """
from hardware.drivers.pi import open_board
from gpiozero import Button, LED, PWMLED, RotaryEncoder, TonalBuzzer
pins = open_board().pins
"""


@pytest.mark.long
def test_gpiozero_hears_buttons_and_encoders(on_pi: PiChildren) -> None:
    code = """
button = Button(13, pull_up=True, pin_factory=pins)
encoder = RotaryEncoder(5, 6, max_steps=0, pin_factory=pins)
say = lambda text: print(text, flush=True)
button.when_pressed = lambda: say("pressed")
button.when_released = lambda: say("released")
encoder.when_rotated = lambda: say(encoder.steps)
say("ready")
sys.stdin.readline()
"""
    with on_pi.start(GPIOZERO + code, stdin=-1) as program:
        said = program.process.stdout
        assert said is not None
        assert said.readline() == "ready\n"
        pins = on_pi.pi.pins
        with on_pi.lock:
            on_pi.pi.buttons["ok"].press()
        assert said.readline() == "pressed\n"
        with on_pi.lock:
            on_pi.pi.buttons["ok"].release()
        assert said.readline() == "released\n"
        for number, is_high in ((5, False), (6, False), (5, True), (6, True)):
            with on_pi.lock:  # clockwise, A goes first
                (pins.pin(number).drive_high if is_high else pins.pin(number).drive_low)()
        assert said.readline() == "1\n"
        assert program.process.stdin is not None
        program.process.stdin.close()


def test_an_encoder_turned_while_the_program_is_held_up_counts_right(on_pi: PiChildren) -> None:
    code = """
encoder = RotaryEncoder(5, 6, max_steps=0, pin_factory=pins)
print("ready", flush=True)
import time
until_s = time.monotonic() + 20
while encoder.steps < 5 and time.monotonic() < until_s:
    time.sleep(0.01)
print(encoder.steps, flush=True)
"""
    quarters = ((5, False), (6, False), (5, True), (6, True))  # clockwise, A goes first
    with on_pi.start(GPIOZERO + code) as program:
        said, pins = program.process.stdout, on_pi.pi.pins
        assert said is not None
        assert said.readline() == "ready\n"
        program.process.send_signal(signal.SIGSTOP)
        for number, is_high in quarters * 5:
            with on_pi.lock:
                (pins.pin(number).drive_high if is_high else pins.pin(number).drive_low)()
        program.process.send_signal(signal.SIGCONT)
        assert said.readline() == "5\n"


def test_a_button_can_be_closed_and_opened_again(on_pi: PiChildren) -> None:
    code = """
say = lambda text: print(text, flush=True)
for name in ("first", "second"):
    button = Button(13, pull_up=True, pin_factory=pins)
    button.when_pressed = lambda name=name: say(name)
    say(button.is_pressed)
    sys.stdin.readline()
    say(button.is_pressed)
    button.close()
pins.close()
say([thread.name for thread in threading.enumerate() if thread.name == "edges"])
"""
    button = on_pi.pi.buttons["ok"]
    with on_pi.start(GPIOZERO + code, stdin=subprocess.PIPE) as program:
        said, ask = program.process.stdout, program.process.stdin
        assert said is not None
        assert ask is not None
        with ask:
            for name in ("first", "second"):
                assert said.readline() == "False\n"
                with on_pi.lock:
                    button.press()
                assert said.readline() == f"{name}\n"
                ask.write("\n")
                ask.flush()
                assert said.readline() == "True\n"
                with on_pi.lock:
                    button.release()
        assert said.readline() == "[]\n"


def test_a_lamp_goes_on_and_off(on_pi: PiChildren) -> None:
    code = """
lamp = LED(17, pin_factory=pins)
lamp.on()
sys.stdin.readline()
"""
    with on_pi.start(GPIOZERO + code, stdin=subprocess.PIPE) as program:
        wait_for_level(on_pi, 17, True)
        assert program.process.stdin is not None
        program.process.stdin.close()
    wait_for_level(on_pi, 17, False)


@pytest.mark.real_time
def test_dim_lamps_and_tones_can_be_measured(on_pi: PiChildren) -> None:
    """Threads of lgpio make these pulses, late on a busy computer."""
    code = """
lamp = PWMLED(18, pin_factory=pins)
buzzer = TonalBuzzer(12, pin_factory=pins)
lamp.value = 0.25
buzzer.play(440)
sys.stdin.readline()
"""
    pin = on_pi.pi.pins.pin
    with on_pi.start(GPIOZERO + code, stdin=subprocess.PIPE) as program:
        wait_until(lambda: 0.15 < pin(18).state < 0.35, "the lamp is not dim")
        wait_until(lambda: 350 < (pin(12).frequency or 0) < 500, "no tone sounds")
        assert program.process.stdin is not None
        program.process.stdin.close()


@pytest.mark.real_time
def test_tones_do_not_stop_the_lamps(on_pi: PiChildren) -> None:
    """When pulses stop, lgpio 0.2.2 can lose those of all other pins (docs/decisions/0032).

    That happens if its next step is 20 ms before a full second. So the tones end just before that.
    """
    code = """
import time
from hardware.drivers.gpio import GpioBuzzer, GpioLamps
from hardware.drivers.pi import open_board
from hardware.ports import LAMP_OFF, LAMP_ON
pins = open_board().pins
lamps, buzzer = GpioLamps({"accepted": 17, "refused": 18}, pins), GpioBuzzer(12, pins)
for lamp in (LAMP_ON, LAMP_OFF) * 3:
    buzzer.tone(110)
    time.sleep((0.978 - time.monotonic()) % 1)
    buzzer.tone(None)
    lamps.set({"accepted": lamp})
    print(lamp.brightness, flush=True)
    sys.stdin.readline()
"""
    with on_pi.start(code, stdin=subprocess.PIPE) as program:
        said, ask = program.process.stdout, program.process.stdin
        assert said is not None
        assert ask is not None
        with ask:
            for is_lit in (True, False) * 3:
                assert said.readline() == f"{float(is_lit)}\n"
                wait_for_level(on_pi, 17, is_lit)
                ask.write("\n")
                ask.flush()


def wait_for_level(on_pi: PiChildren, number: int, is_high: bool) -> None:
    pin = on_pi.pi.pins.pin(number)
    wait_until(lambda: pin.level is is_high, f"GPIO{number} stays {int(not is_high)}")


def test_a_pin_of_another_program_is_refused(on_pi: PiChildren) -> None:
    code = """
def take():
    try:
        LED(17, pin_factory=pins).close()
    except Exception as error:
        return str(error)
told["answer"] = take()
"""
    assert on_pi.ask(GPIOZERO + code) == {"answer": None}
    on_pi.pi.pins.pin(17).is_held = True
    assert on_pi.ask(GPIOZERO + code) == {"answer": "'GPIO busy'"}
