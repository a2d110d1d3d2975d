"""The judge of the drop-in ``gpiod`` is the real library, over the emulated device node."""

import importlib
import inspect
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fakepi import FakePi
from fakepi.dropins.install import drop_in, modules
from tests.fakepi.judges.verdicts import right
from tests.fakepi.programs import ROOT, fakepi

GPIOD = "gpiod 2.5.0"
PROGRAM = Path(__file__).with_name("gpiod_program.py")
OURS = modules(FakePi())["gpiod"]
# What the drop-in lacks: file descriptors, and the watching of a line's status.
MISSING = {"InfoEvent", "info_event", "version", "api_version"}
MISSING_METHODS = {
    *("fd", "fileno"),
    *("watch_line_info", "unwatch_line_info", "wait_info_event", "read_info_event"),
}
CLASSES = ("Chip", "LineRequest")
RECORDS = ("LineSettings", "ChipInfo", "LineInfo", "EdgeEvent")
ENUMS = ("Value", "Direction", "Bias", "Drive", "Edge", "Clock")


@pytest.fixture
def gpiod() -> Any:
    return importlib.import_module("gpiod")


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def parameters(function: Any) -> list[tuple[str, Any]]:
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.default) for each in found]


def names(record: Any) -> list[str]:
    return [each.name for each in fields(record)]


@right(GPIOD, "A program prints the same with the real library as with the drop-in.")
def test_a_program_prints_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = fakepi("run", "--", sys.executable, PROGRAM, cwd=ROOT)
    if real.returncode == 2:
        pytest.skip(real.stderr)
    with drop_in(pi := FakePi(), monkeypatch):
        pi.run(PROGRAM, seconds=10)
    assert real.stdout.count("\n") > 50
    assert capfd.readouterr().out == real.stdout


@right(GPIOD, "Its names are those of the drop-in, which lacks file descriptors and line status.")
def test_the_drop_in_has_the_names_of_the_real_library(gpiod: Any) -> None:
    assert set(gpiod.__all__) - set(vars(OURS)) == MISSING
    for name in CLASSES:
        lacking = public(getattr(gpiod, name)) - public(getattr(OURS, name))
        assert lacking <= MISSING_METHODS, name
    for name in ENUMS:
        real, ours = getattr(gpiod.line, name), getattr(OURS.line, name)
        assert [(e.name, e.value) for e in real] == [(e.name, e.value) for e in ours]


@right(GPIOD, "Each function of the drop-in has its parameters and defaults.")
def test_the_drop_in_has_the_parameters_of_the_real_library(gpiod: Any) -> None:
    assert parameters(gpiod.request_lines) == parameters(OURS.request_lines)
    for name in CLASSES:
        real, ours = getattr(gpiod, name), getattr(OURS, name)
        for method in sorted(public(ours) & public(real)):
            if inspect.isfunction(getattr(real, method)):
                assert parameters(getattr(real, method)) == parameters(getattr(ours, method))
    for name in RECORDS:
        assert names(getattr(gpiod, name)) == names(getattr(OURS, name))
