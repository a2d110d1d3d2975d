"""Tests that import the chip libraries on computers where Blinka finds no pin library."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from textwrap import dedent
from types import ModuleType

import pytest

from hardware.drivers.import_shadow import shadow_modules
from tests.effort import long_unless

# One process imports the module as on every Raspberry Pi that Blinka knows, with every
# combination of pin libraries: those in *present* are importable but empty, the rest are missing.
TRY_EVERY_PI = dedent(
    """
    import importlib, itertools, json, os, sys
    from importlib.abc import MetaPathFinder
    from types import ModuleType

    from adafruit_platformdetect.constants import boards, chips

    MODULE = sys.argv[1]
    PIN_LIBRARIES = ("gpiod", "lgpio", "spidev", "RPi")
    FRESH = (
        MODULE, "adafruit_ssd1306", "adafruit_bus_device", "adafruit_blinka", "busio", "digitalio",
        "microcontroller", "hardware.drivers.ssd1306_library", *PIN_LIBRARIES,
    )

    class Refusing(MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in PIN_LIBRARIES:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    sys.meta_path.insert(0, Refusing())
    os.environ["BLINKA_FORCECHIP"] = chips.BCM2XXX
    models = sorted(
        value
        for name, value in vars(boards).items()
        if name.startswith("RASPBERRY_PI_") and "PICO" not in name
    )
    choices = [
        present
        for count in range(4)
        for present in itertools.combinations(PIN_LIBRARIES[:3], count)
    ]
    outcomes = {}
    for model, present in itertools.product(models, choices):
        os.environ["BLINKA_FORCEBOARD"] = model
        for name in [name for name in sys.modules if name.startswith(FRESH)]:
            del sys.modules[name]
        sys.modules.update((name, ModuleType(name)) for name in present)
        try:
            importlib.import_module(MODULE)
            looked = "adafruit_blinka.agnostic" in sys.modules
            outcome = "asked Blinka for the board" if looked else "imported"
        except Exception as error:
            outcome = type(error).__name__
        outcomes.setdefault(outcome, []).append([model, present])
    print(json.dumps({"models": len(models), "outcomes": outcomes}))
    """
)
CHOICES = 2**3  # the combinations of gpiod, lgpio and spidev


def every_pi(module: str) -> tuple[int, dict[str, list[object]]]:
    """Import *module* as on every Pi; return the number of models, and the cases by outcome."""
    done = subprocess.run(
        [sys.executable, "-c", TRY_EVERY_PI, module], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return told["models"], told["outcomes"]


def python(code: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_display_s_library_needs_no_pin_library_on_any_pi() -> None:
    models, outcomes = every_pi("hardware.drivers.oled_panels")
    assert models > 20
    assert outcomes.keys() == {"imported"}, outcomes
    assert len(outcomes["imported"]) == models * CHOICES


def test_the_stock_library_does_need_one() -> None:
    """The same import without the stand-ins fails, so the test above is able to fail."""
    _, outcomes = every_pi("adafruit_ssd1306")
    assert "imported" not in outcomes
    assert outcomes.keys() - {"asked Blinka for the board"}, outcomes


@pytest.mark.parametrize(
    "module",
    long_unless(
        "firmware.commands.play".__eq__,
        [
            *("firmware.commands.play", "firmware.commands.doctor"),
            *("sim.bench.tables", "sim.web.command"),
        ],
    ),
)
def test_a_program_starts_on_a_pi_5_without_any_pin_library(module: str) -> None:
    done = python(
        f"""
        import sys
        sys.modules.update(dict.fromkeys(("gpiod", "lgpio", "spidev", "RPi"), None))
        import {module}
        assert "adafruit_blinka.agnostic" not in sys.modules
        """,
        {"BLINKA_FORCEBOARD": "RASPBERRY_PI_5", "BLINKA_FORCECHIP": "BCM2XXX"},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("first", ["busio", "hardware.drivers.oled_panels"])
def test_blinka_s_own_busio_can_be_imported_before_and_after(first: str) -> None:
    """The stand-ins are removed after the import, and modules imported before it are restored."""
    done = python(
        f"""
        import {first}
        import hardware.drivers.oled_panels
        import busio
        assert busio.__file__.endswith("busio.py")
        assert busio.I2C.init
        """,
        {"BLINKA_FORCEBOARD": "RASPBERRY_PI_5", "BLINKA_FORCECHIP": "BCM2XXX"},
    )
    assert done.returncode == 0, done.stderr


def test_a_shadow_is_taken_away_also_when_the_import_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    real, stand_in, other = (ModuleType(name) for name in ("shadow_a", "shadow_a", "shadow_b"))
    monkeypatch.setitem(sys.modules, "shadow_a", real)
    stand_ins = {"shadow_a": stand_in, "shadow_b": other}

    def import_more() -> None:
        with shadow_modules(stand_ins):
            assert sys.modules["shadow_a"] is stand_in
            assert sys.modules["shadow_b"] is other
            __import__("no_such_library")

    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        import_more()
    assert sys.modules["shadow_a"] is real
    assert "shadow_b" not in sys.modules


def test_the_command_answers_on_a_pi_5() -> None:
    done = python(
        "import sys; sys.argv = ['tapmat', '--help']\n"
        "from firmware.commands.cli import main; main()",
        {"BLINKA_FORCEBOARD": "RASPBERRY_PI_5", "BLINKA_FORCECHIP": "BCM2XXX"},
    )
    assert done.returncode == 0, done.stderr
    assert "doctor" in done.stdout
