"""Tests of the pages of fakepi: their programs run, and say what the pages show."""

import re
import tomllib
from pathlib import Path
from typing import Any

import gpiozero
import pytest

from fakepi import FakePi
from fakepi.dropins.install import drop_in
from fakepi.wiring import USUAL, read_wiring

pytest_plugins = ["pytester"]

PROJECT = Path(__file__).parents[2] / "sim/fakepi"
DOCS = PROJECT / "docs"
MINE = ("first-test.md", "wiring.md", "drop-ins.md", "limits.md", "reference.md")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)


def programs() -> dict[str, str]:
    """Return the programs of the tutorial, by the name in their first line."""
    found = blocks(DOCS / "first-test.md", "python")
    return {program.splitlines()[0].removeprefix("# "): program for program in found}


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with the tutorial's first program and tests."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("door.py", "test_door.py"):
        (pytester.path / name).write_text(programs()[name])
    return pytester


def outcomes(folder: pytest.Pytester) -> pytest.RunResult:
    ignored = ("-W", "ignore:Bitwise inversion:DeprecationWarning")
    return folder.runpytest_subprocess("-p", "fakepi.pytest_plugin", *ignored)


@pytest.mark.long
def test_the_tutorial_finds_its_bug_and_corrects_it(folder: pytest.Pytester) -> None:
    outcomes(folder).assert_outcomes(passed=2)
    with (folder.path / "test_door.py").open("a") as tests:
        tests.write(programs()["test_door.py, continued"])
    result = outcomes(folder)
    result.assert_outcomes(passed=2, failed=1)
    report = result.stdout.str()
    assert "[1, 0, 1, 0, 1" in report
    shown = next(text for text in blocks(DOCS / "first-test.md", "text") if "REQA" in text)
    for line in shown.splitlines():
        assert line in report
    (folder.path / "door.py").write_text(programs()["door.py, corrected"])
    outcomes(folder).assert_outcomes(passed=3)


def test_the_wirings_of_the_pages_can_be_built() -> None:
    found = blocks(DOCS / "wiring.md", "toml")
    assert len(found) == 2
    for text in found:
        FakePi(read_wiring(tomllib.loads(text)))


@pytest.mark.long
@pytest.mark.parametrize("number", range(2, 9))
def test_the_programs_of_the_drop_ins_run(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two run their own program; they have the next tests."""
    program = blocks(DOCS / "drop-ins.md", "python")[number]
    pi = FakePi({**USUAL, "uart": {"serial0": "pn532"}})
    names: dict[str, Any] = {"fakepi": pi}
    with drop_in(pi, monkeypatch):
        assert gpiozero.Device.pin_factory is None
        exec(compile(program, "drop-ins.md", "exec"), names)
        if "gpiozero" in program:
            assert pi.pins[17].level == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_program_runs_with_pytest_and_without(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "door.py").write_text("import spidev\nspidev.SpiDev(0, 0).xfer2([0xEE, 0])\n")
    monkeypatch.chdir(tmp_path)
    program = blocks(DOCS / "drop-ins.md", "python")[number]
    pi = FakePi()
    with drop_in(pi, monkeypatch):
        exec(compile(program, "drop-ins.md", "exec"), {"fakepi": pi})
    assert ("fakepi.run" in program) == ("VersionReg" in str(pi.trace))


@pytest.mark.long
def test_the_tests_of_the_wirings_page_pass(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("\n".join(blocks(DOCS / "wiring.md", "python")))
    pytester.runpytest("-p", "fakepi.pytest_plugin").assert_outcomes(passed=5)


@pytest.mark.parametrize("name", MINE)
def test_the_readme_names_each_page(name: str) -> None:
    assert f"(docs/{name})" in (PROJECT / "README.md").read_text("utf-8")


def test_the_links_lead_somewhere() -> None:
    for page in (PROJECT / "README.md", *(DOCS / name for name in MINE)):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
