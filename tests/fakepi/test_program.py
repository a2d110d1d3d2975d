"""Tests of programs that run on a fake Pi, as ``python program.py`` would run them."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakepi import FakePi
from fakepi.dropins.install import drop_in
from fakepi.program import StandstillError, _Watchdog

pytestmark = pytest.mark.long

BUTTON = """
from gpiozero import LED, Button
led, button = LED(17), Button(18)
"""
GPIO = """
import RPi.GPIO as GPIO
GPIO.setmode(GPIO.BCM)
GPIO.setup(18, GPIO.IN, pull_up_down=GPIO.PUD_UP)
GPIO.setup(17, GPIO.OUT)
"""
BLINKA = """
import board, digitalio
button = digitalio.DigitalInOut(board.D18)
button.switch_to_input(pull=digitalio.Pull.UP)
led = digitalio.DigitalInOut(board.D17)
led.switch_to_output()
"""
GPIOD = """
import gpiod
from gpiod.line import Bias, Direction
lines = {
    17: gpiod.LineSettings(direction=Direction.OUTPUT),
    18: gpiod.LineSettings(direction=Direction.INPUT, bias=Bias.PULL_UP),
}
request = gpiod.request_lines("/dev/gpiochip0", lines)
"""


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePi]:
    made = FakePi()
    made.folder = tmp_path
    monkeypatch.setattr("fakepi.program.STANDSTILL_S", 5.0)  # instead of a test that hangs
    with drop_in(made, monkeypatch):
        yield made


def run(pi: FakePi, program: str, **options: Any) -> dict[str, Any]:
    (pi.folder / "program.py").write_text(program)
    return pi.run("program.py", **{"seconds": 0.2, **options})


# Programs that wait


@pytest.mark.parametrize(
    "program",
    [
        BUTTON + "from signal import pause\nbutton.when_pressed = led.on\npause()",
        BUTTON + "import signal\nbutton.when_pressed = led.on\nsignal.pause()",
        BUTTON + "while True: led.value = button.is_pressed",
        GPIO + "while GPIO.input(18): pass\nGPIO.output(17, 1)",
        GPIO + "while True: GPIO.output(17, not GPIO.input(18))",
        BLINKA + "while button.value: pass\nled.value = True",
        GPIOD + "from gpiod.line import Value\n"
        "while request.get_value(18) is Value.ACTIVE: pass\n"
        "request.set_value(17, Value.ACTIVE)",
    ],
)
def test_a_program_that_waits_for_a_button_sees_it_and_ends(pi: FakePi, program: str) -> None:
    levels: list[int] = []
    pi.pins[17].watch(levels.append)
    pi.clock.call_after(0.1, pi.pins[18].press)
    run(pi, program)
    assert levels == [1]
    assert pi.clock.now() < 0.3


def test_a_program_that_only_sets_a_pin_ends(pi: FakePi) -> None:
    assert run(pi, GPIO + "while True: GPIO.output(17, 1)") == {}


def test_a_pause_that_nothing_can_end_is_refused(pi: FakePi) -> None:
    signal = pytest.importorskip("signal")
    with pytest.raises(RuntimeError, match=r"signal\.pause\(\) would wait for ever"):
        signal.pause()


@pytest.mark.parametrize(
    "program",
    [
        "while True: pass",
        "try:\n    while True: pass\nexcept KeyboardInterrupt: pass",
        "import threading\nthreading.Lock().acquire() and threading.Barrier(2).wait()",
    ],
)
def test_a_program_that_waits_for_something_else_is_interrupted(
    pi: FakePi, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakepi.program.STANDSTILL_S", 0.2)
    pi.clock.advance(1)
    with pytest.raises(
        StandstillError, match=r"program\.py has waited 0\.2 s .* still at 1\.000 s"
    ):
        run(pi, program)


def test_a_program_in_a_debugger_is_not_interrupted(pi: FakePi) -> None:
    watchdog = _Watchdog("program.py", pi.clock, 1)
    told: dict[str, Any] = {"ask": watchdog._is_debugged}
    for module in ("door", "bdb"):
        exec(f"{module} = ask()", {**told, "__name__": module}, told)
    assert (told["door"], told["bdb"]) == (False, True)


# Ctrl-C


def test_the_ctrl_c_of_a_person_is_not_taken_for_that_of_the_test(pi: FakePi) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(pi, "import signal\nsignal.raise_signal(signal.SIGINT)")
    assert run(pi, "import time\ntime.sleep(1)") == {}


def test_after_ctrl_c_every_exit_is_an_end(pi: FakePi) -> None:
    program = "import sys, time\ntry: time.sleep(1)\nexcept KeyboardInterrupt: sys.exit(130)"
    assert run(pi, program) == {}


def test_ctrl_c_calls_the_program_s_own_handler(
    pi: FakePi, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "import signal, sys, time\n"
    program += (
        "def stop(number, frame): print('handled', int(number), frame.f_lineno); sys.exit(3)\n"
    )
    before = signal.getsignal(signal.SIGINT)
    assert run(pi, program + "signal.signal(signal.SIGINT, stop)\ntime.sleep(1)") == {}
    assert capsys.readouterr().out.startswith(f"handled {int(signal.SIGINT)} ")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_ctrl_c_may_let_the_program_clean_up(pi: FakePi) -> None:
    program = f"""
import signal, time
{GPIO}
ends = []
signal.signal(signal.SIGINT, lambda *_: ends.append(1))
signal.signal(signal.SIGTERM, lambda *_: ends.append(1))
while not ends: time.sleep(0.1)
GPIO.output(17, 1)
"""
    before = signal.getsignal(signal.SIGTERM)
    assert run(pi, program)["ends"] == [1]
    assert (pi.pins[17].level, signal.getsignal(signal.SIGTERM)) == (1, before)
    pi.clock.advance(11)  # nothing is pressed later


@pytest.mark.parametrize("handler", ["signal.SIG_IGN", "lambda *_: None"])
def test_a_program_that_runs_on_after_ctrl_c_is_ended_with_an_error(
    pi: FakePi, handler: str
) -> None:
    program = f"import signal, time\nsignal.signal(signal.SIGINT, {handler})\n"
    with pytest.raises(RuntimeError, match=r"program\.py was still running 10 s after Ctrl-C"):
        run(pi, program + "while True: time.sleep(1)")
    assert pi.clock.now() < 12


def test_without_virtual_time_ctrl_c_comes_after_real_seconds(tmp_path: Path) -> None:
    pi = FakePi()
    pi.folder = tmp_path
    program = "import time\nfor _ in range(1000): time.sleep(0.01)\n"
    assert run(pi, program, seconds=0.05) == {}
    assert run(pi, program + "sys.exit(3)", seconds=0.05) == {}


# As python program.py would


def test_the_program_gets_its_arguments_and_its_folder(pi: FakePi) -> None:
    (pi.folder / "fp_helper.py").write_text("STEPS = []\n")
    argv, path = sys.argv, sys.path
    program = "import sys, fp_helper\nfp_helper.STEPS.append(1)\nseen = sys.argv, sys.path[0]"
    for _ in range(2):
        names = run(pi, program, args=["--fast", "3"])
        assert names["seen"][0] == [str(pi.folder / "program.py"), "--fast", "3"]
        assert names["seen"][1] == str(pi.folder)
        assert names["fp_helper"].STEPS == [1]  # loaded afresh, as in a new process
    assert sys.argv is argv
    assert sys.path is path


def test_a_module_that_the_test_has_loaded_is_the_program_s_too(
    pi: FakePi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a test can replace parts of it before the program starts."""
    (pi.folder / "fp_helper.py").write_text("LIMIT = 1\n")
    monkeypatch.syspath_prepend(str(pi.folder))
    helper: Any = __import__("fp_helper")
    helper.LIMIT = 2
    assert run(pi, "from fp_helper import LIMIT")["LIMIT"] == 2
    assert sys.modules.pop("fp_helper") is helper


@pytest.mark.parametrize("code", ["", "0", "None"])
def test_an_exit_without_an_error_ends_the_run(pi: FakePi, code: str) -> None:
    assert run(pi, f"import sys\nsys.exit({code})") == {}


@pytest.mark.parametrize(
    ("code", "number", "says"), [("3", 3, ""), ("'no reader'", 1, "no reader\n")]
)
def test_an_exit_with_an_error_has_its_code(
    pi: FakePi, code: str, number: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(subprocess.CalledProcessError, match=r"program\.py.* exit status") as ended:
        run(pi, f"import sys\nsys.exit({code})")
    assert ended.value.returncode == number
    assert capsys.readouterr().err == says


def test_a_program_is_looked_for_in_the_current_folder_too(
    pi: FakePi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi.folder = tmp_path / "tests"
    (tmp_path / "door.py").write_text("IS_OPEN = True\n")
    monkeypatch.chdir(tmp_path)
    assert pi.run("door.py", seconds=1)["IS_OPEN"]
    with pytest.raises(FileNotFoundError, match=r"gate\.py"):
        pi.run("gate.py", seconds=1)
